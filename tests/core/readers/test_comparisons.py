"""Files that say which of two outputs is better are refused as such; what only looks like one is read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.errors import PoolError
from core.readers import read, read_or_shape, read_results
from tests.conftest import ROOT

TEXTS = {"response_A": "So.", "response_B": "Thus."}
CHATS = {f"conversation_{side}": [{"role": "user", "content": "Why?"}] for side in "ab"}
# Rows that differ in what they say is better, and what they say.
PAIRS: dict[str, tuple[dict[str, Any], str, tuple[Any, ...]]] = {
    "JudgeBench": ({"pair_id": "p", "question": "Why?", "response_model": "m", **TEXTS}, "label", ("A>B", "B>A")),
    "MT-bench, people": ({"model_a": "x", "model_b": "y", "turn": 1, **CHATS}, "winner", ("model_a", "tie")),
    "Arena": ({"model_a": "x", "model_b": "y", **CHATS}, "winner", ("model_b", "tie (bothbad)")),
    "Arena-Hard": ({"question_id": "q", "model": "m"}, "games", ([{"score": "A>>B"}], [{"score": "B=A"}])),
    "LLMBar": ({"input": "Why?", "output_1": "So.", "output_2": "Thus."}, "label", (1, 2)),
    "Prometheus": ({"orig_instruction": "Why?", "orig_response_A": "So."}, "orig_preference", ("A", "B")),
    "HelpSteer": ({"prompt": "Why?", "response1": "So.", "response2": "Thus."}, "overall_preference", (-2, 3)),
    "RewardBench": ({"prompt": "Why?", "rejected": "Thus.", "subset": "chat"}, "chosen", ("So.", "Hence.")),
    "LogicKor": ({"id": 0, "category": "c"}, "turns", ([{"turn": 1, "winner": "B"}], [{"turn": 1, "winner": "TIE"}])),
    "a colleague's table": ({"question": "Why?", "left": "So.", "right": "Thus."}, "better", ("left", "right")),
    "a judge in brackets": ({"question": "Why?", "assistant_a": "So."}, "judge_verdict", ("[[A]]", "[[C]]")),
    "assistants": ({"prompt": "Why?", "first": "So."}, "decision", ("Assistant A", "Assistant B")),
    "three grades of preference": ({"q": "Why?", **TEXTS}, "preference", ("A", "B", "tie")),
}
OTHERS: dict[str, tuple[dict[str, Any], str, tuple[Any, ...]]] = {
    "options": ({"question": "Why?", "choices": ["So.", "Thus."], "output": "A"}, "label", ("A", "B")),
    "a choice": ({"question": "Why?", "model_output": "I choose A."}, "choice", ("A", "B")),
    "a trivia question": ({"question": "Who won?", "output": "Brazil"}, "winner", ("Brazil", "Italy")),
    "verdicts": ({"question": "Why?", "output": "So."}, "verdict", ("correct", "wrong")),
    "graded sides": ({"q": "Why?", **TEXTS, "score_a": 1, "score_b": 0, "score": 1}, "winner", ("A", "B")),
    "grades": ({"question": "Why?", "output": "So."}, "result", (1, 2)),
    "answers in brackets": ({"question": "Why?", "answer": "A"}, "output", ("[[A]]", "[[B]]")),
}


def files(row: dict[str, Any], name: str, said: tuple[Any, ...]) -> list[bytes]:
    rows = [{**row, "n": n, name: said[n % len(said)]} for n in range(6)]
    lines = "\n".join(map(json.dumps, rows))
    return [form.encode() for form in (lines, json.dumps(rows, indent=2), json.dumps({"date": "x", "results": rows}))]


@pytest.mark.parametrize("kind", PAIRS)
def test_pairs_are_refused_as_such(kind: str) -> None:
    for content in files(*PAIRS[kind]):
        for reader in (read, read_or_shape, lambda content: read_results({"a": content})):
            with pytest.raises(PoolError) as caught:
                reader(content)
            (problem,) = caught.value.problems
            assert "a list of comparisons" in problem.message and "which of two answers is better" in problem.message


@pytest.mark.parametrize("kind", OTHERS)
def test_what_only_looks_like_a_pair_is_read(kind: str) -> None:
    for content in files(*OTHERS[kind])[:2]:
        read_or_shape(content)


def test_nested_verdicts_are_refused() -> None:
    with pytest.raises(PoolError, match="a list of comparisons"):
        read_or_shape(ROOT / "tests" / "cases" / "logickor_small.json")
