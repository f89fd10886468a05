"""The messages of an item."""

from __future__ import annotations

from typing import Any

import pytest

from core.answers import KINDS, parse
from core.surrogate import control
from core.surrogate.client.prompting import INSTRUCTIONS, abridged, messages, question
from core.surrogate.faults import ItemFault, SurrogateError
from core.surrogate.job.parameters import Prompting
from core.surrogate.job.source import Item
from tests.core.surrogate.conftest import pool_of


def item(prompt: str = "Which?", **more: Any) -> Item:
    return Item(0, "i", prompt, **more)


def test_every_answer_kind_has_an_instruction_whose_form_its_parser_reads() -> None:
    assert set(INSTRUCTIONS) == set(KINDS)
    for kind, answer in {"number": "7", "text": "paris", "choice": "B", "mmlu-redux": "B", "gpqa": "B"}.items():
        assert "Answer: " in INSTRUCTIONS[kind]
        assert parse(f"It is so.\nAnswer: {answer}", kind, ("x", "y")) == answer
    assert parse("Hence the answer is (B)", "mmlu-pro") == "B"
    assert parse("B", "mmbench", ("x", "y")) == "B"


def test_a_question_has_its_options_and_its_instruction() -> None:
    text = question(item(choices=("red", "green"), kind="choice"), Prompting())
    assert text.split("\n\n") == ["Which?", "A. red\nB. green", INSTRUCTIONS["choice"]]
    assert question(item(), Prompting()) == "Which?"
    assert question(item(kind="number"), Prompting(template="{question}")) == "Which?"


def test_templates_are_filled_once_and_by_kind() -> None:
    odd = "{instruction} {0} {question} %s {{}} {choices}"
    prompting = Prompting(template="Q: {question}", templates=(("number", "{question}\n\nN: {instruction}!"),))
    assert question(item(odd), prompting) == f"Q: {odd}"
    assert question(item(odd, kind="number"), prompting) == f"{odd}\n\nN: {INSTRUCTIONS['number']}!"
    with pytest.raises(SurrogateError, match=r"no \{question\}"):
        question(item(), Prompting(template="Say something."))


def test_the_system_prompt_comes_first_and_an_empty_one_is_left_out() -> None:
    assert [m["role"] for m in messages(item(), Prompting("Be brief."))] == ["system", "user"]
    assert [m["role"] for m in messages(item(), Prompting("  "))] == ["user"]
    picture_sent = f"data:image/png;base64,{'A' * 400}"
    parts = [{"type": "image_url", "image_url": {"url": picture_sent}}, {"type": "text", "text": "Which?"}]
    (shown,) = abridged([{"role": "user", "content": parts}])
    assert shown["content"][0]["image_url"]["url"] == "data:image/png;base64,… (300 bytes)"
    assert shown["content"][1] == parts[1]
    with pytest.raises(ItemFault, match="no prompt"):
        messages(item(" "), Prompting())


def test_the_preview_is_what_is_sent() -> None:
    pool = pool_of(5)
    assert control.preview(pool, 3, Prompting()) == messages(
        Item(3, "i3", "What is item 3?", kind="number"), Prompting()
    )
