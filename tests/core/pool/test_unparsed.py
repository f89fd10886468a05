"""Texts without an answer, by pattern."""

from __future__ import annotations

import pytest

from core.answers import PATTERNS, parse
from core.answers.output_parts import pattern
from core.pool import Pool

LONG = "We look at every option in turn and weigh what speaks for it and what speaks against it, step by step. " * 3


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        (" \n", "choice", "empty"),
        ("<think>Let me see: B or", "choice", "reasoning never ends"),
        ("I'm sorry, but I cannot see the picture.", "choice", "refusal"),
        ("Both (B) and (C) hold.", "choice", "several letters"),
        ("It depends on what (C) means in the question, and whether that is what the author wanted to say.", "choice",
         "letter without marker"),
        (LONG + "First, the", "choice", "cut off"),
        (LONG + "First, the", "number", "cut off"),
        ("A hard one. I wonder.", "choice", "no letter"),
        ("None of them", "number", "no number"),
    ],
)  # fmt: skip
def test_patterns(text: str, kind: str, name: str) -> None:
    assert parse(text, kind, None) is None and pattern(text, kind) == name and name in PATTERNS


def test_texts_without_an_answer_are_counted_by_source_and_pattern() -> None:
    rows = [
        {"id": "a", "answer": "B", "generations": ["B", "", "I cannot tell."], "targets": {"m": {"text": ""}}},
        {"id": "b", "answer": "A", "generations": ["A", "Both (B) and (C) hold.", ""], "targets": {"m": {"text": "A"}}},
    ]
    table = Pool.from_records(rows).unparsed("choice")
    assert table[["source", "pattern", "texts", "item_id"]].values.tolist() == [
        ["generations", "empty", 2, "a"],
        ["generations", "refusal", 1, "a"],
        ["generations", "several letters", 1, "b"],
        ["m", "empty", 1, "a"],
    ]
    assert table["share"].tolist() == pytest.approx([1 / 3, 1 / 6, 1 / 6, 1 / 2])
    assert Pool.from_records(rows[:1]).unparsed("as-is")["texts"].tolist() == [1, 1]
