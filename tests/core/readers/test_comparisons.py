"""Files that say which of two outputs is better are read as a pair, or refused as such; others are read as usual."""

from __future__ import annotations

import json
from typing import Any

import pytest

import core as neyman
from core.errors import PoolError
from core.readers import read, read_or_shape, read_results
from tests.conftest import ROOT

TEXTS = {"response_A": "So.", "response_B": "Thus."}
CHATS = {f"conversation_{side}": [{"role": "user", "content": "Why?"}] for side in "ab"}
# Rows that differ in what they say is better, and what they say.
PAIRS: dict[str, tuple[dict[str, Any], str, tuple[Any, ...]]] = {
    "JudgeBench": ({"pair_id": "p", "question": "Why?", "response_model": "m", **TEXTS}, "label", ("A>B", "B>A")),
    "Arena-Hard": ({"question_id": "q", "model": "m"}, "games", ([{"score": "A>>B"}], [{"score": "B=A"}])),
    "LLMBar": ({"input": "Why?", "output_1": "So.", "output_2": "Thus."}, "label", (1, 2)),
    "Prometheus": ({"orig_instruction": "Why?", "orig_response_A": "So."}, "orig_preference", ("A", "B")),
    "HelpSteer": ({"prompt": "Why?", "response1": "So.", "response2": "Thus."}, "overall_preference", (-2, 3)),
    "RewardBench": ({"prompt": "Why?", "rejected": "Thus.", "subset": "chat"}, "chosen", ("So.", "Hence.")),
    "turns": ({"id": 0, "category": "c"}, "turns", ([{"turn": 1, "winner": "B"}], [{"turn": 1, "winner": "TIE"}])),
    "a colleague's table": ({"question": "Why?", "left": "So.", "right": "Thus."}, "better", ("left", "right")),
    "a judge in brackets": ({"question": "Why?", "assistant_a": "So."}, "judge_verdict", ("[[A]]", "[[C]]")),
    "assistants": ({"prompt": "Why?", "first": "So."}, "decision", ("Assistant A", "Assistant B")),
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


def chat(answer: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": answer}]


def table(*rows: str) -> bytes:
    return "\n".join(rows).encode()


ARENA = {"model_a": "x", "model_b": "y", "conversation_a": chat("So."), "conversation_b": chat("Thus.")}
HOT = {"model_a": "x", "model_b": "y", "winner_model_a": 0, "winner_model_b": 0, "winner_tie": 0}
# A file, the pair that it compares, the losses of its first model, and what a note says of them.
READ: dict[str, tuple[bytes, str, list[float], str]] = {
    "names": (
        table(
            "question_id,model_a,model_b,winner", "1,x,y,model_a", "2,y,x,tie", "3,y,x,B", "4,x,y,y", "5,y,x,model_a"
        ),
        "x against y",
        [0.0, 0.5, 0.0, 1.0, 1.0],
        "",
    ),
    "A, B, tie": (
        table(
            "question,response_a,response_b,preference",
            "1?,So.,Thus.,A",
            "2?,So.,Thus.,[[B]]",
            "3?,S,T,tie",
            "4?,S,T,A>B",
        ),
        "A against B",
        [0.0, 1.0, 0.5, 0.0],
        "",
    ),
    "both orders": (
        table("id,model_a,model_b,winner", "1,x,y,A", "1,y,x,A", "2,x,y,A", "2,y,x,B", "3,x,y,tie", "3,y,x,A"),
        "x against y",
        [0.5, 0.0, 0.5],
        "2 picks change with the order",
    ),
    "several judges": (
        table("id,model_a,model_b,judge,winner", "1,x,y,r,A", "1,x,y,s,A", "1,x,y,t,B", "2,x,y,r,A", "2,x,y,s,B"),
        "x against y",
        [0.0, 0.5],
        "evenly split on 1 pair",
    ),
    "arena": (
        json.dumps(
            [
                {**ARENA, "question_id": n, "winner": said}
                for n, said in enumerate(("model_a", "tie (bothbad)", "model_b"))
            ]
        ).encode(),
        "x against y",
        [0.0, 0.5, 1.0],
        "a tie is half",
    ),
    "a column each": (
        "\n".join(
            json.dumps({**HOT, "id": n, "prompt": f"{n}?", "response_a": "S", "response_b": "T", f"winner_{side}": 1})
            for n, side in enumerate(("model_a", "model_b", "tie"))
        ).encode(),
        "x against y",
        [0.0, 1.0, 0.5],
        "",
    ),
}


@pytest.mark.parametrize("kind", READ)
def test_comparisons_are_a_target_that_wins_or_loses(kind: str) -> None:
    content, pair, losses, note = READ[kind]
    pool = read(content)
    assert pool.losses(pair).tolist() == losses and note in " ".join(pool.notes)
    if b"response_a" in content or b"conversation_a" in content:
        both = [pool.targets[name].texts for name in pair.split(" against ")]
        assert all(texts is not None and None not in texts for texts in both) and "prompt" in pool.item_columns


def test_people_label_the_pair_of_a_file_that_has_the_outputs() -> None:
    pool = read(READ["arena"][0])
    plan = neyman.Design(3, allocation="uniform").draw(pool, seed=0)
    listed = neyman.request(plan, target="x", against="y")
    assert {*listed["first_answer"], *listed["second_answer"]} == {"So.", "Thus."}
    study = neyman.labelled(plan, listed.assign(label="tie"))
    assert (study.target, study.estimate().value) == ("x against y", 0.5)


@pytest.mark.parametrize("said", ["maybe", "Z", "5", "A or B", "z"])
def test_a_word_that_nobody_knows_is_named_with_its_row(said: str) -> None:
    with pytest.raises(PoolError, match=r"row 3.*says of neither output.*Write A, B or tie"):
        read(table("id,model_a,model_b,winner", "1,x,y,A", f"2,x,y,{said}", "3,x,y,B"))


def test_many_pairs_are_refused_with_the_remedy() -> None:
    rows = [f"{n},m{n},m{n + 1},A" for n in range(20)]
    with pytest.raises(PoolError, match=r"compares 20 pairs of models\. Keep the rows of one pair"):
        read(table("id,model_a,model_b,winner", *rows))


def test_turns_of_logickor_are_items() -> None:
    pool = read(ROOT / "tests" / "cases" / "logickor_small.json")
    assert pool.n_items == 20 and pool.losses("A against B")[:3].tolist() == [1.0, 0.5, 0.0]


def test_a_word_that_is_a_name_and_another_place_is_refused() -> None:
    with pytest.raises(PoolError, match="says of neither output"):
        read(table("id,model_a,model_b,winner", "1,B,A,B", "2,B,A,A"))


def test_a_file_without_a_winner_is_refused() -> None:
    for content in (
        table("id,model_a,model_b,winner", "1,x,y,", "2,x,y,"),
        json.dumps({**HOT, "id": 1}, indent=1).encode(),
    ):
        with pytest.raises(PoolError, match="no row says which output is better"):
            read(content)
