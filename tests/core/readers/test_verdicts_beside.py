"""Verdicts and ratings of a file that are kept while outputs are compared with right answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from core.pool import Pool
from core.readers import Shape, read_mapped
from tests.core.readers.guessed import lines

PAIRS = [("Paris", "City of Light"), ("Rome", "Milan"), ("Kennedy", "JFK"), ("Nile", "Nile")] * 3
RIGHT = [True, False, True, True] * 3


def read_beside(name: str, values: Sequence[Any]) -> Pool:
    rows = [
        {"id": n, "question": f"Which is number {n}?", "reference": gold, "model_output": said, name: value}
        for n, ((gold, said), value) in enumerate(zip(PAIRS, values, strict=True))
    ]
    content = lines(rows)
    return read_mapped(content, Shape.of(content, "m").guess, "m")


def in_words(right: str, wrong: str) -> list[str]:
    return [right if one else wrong for one in RIGHT]


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [
        ("judgement", in_words("correct", "incorrect"), "passes 75 % of them"),
        ("judgement", RIGHT, "passes 75 % of them"),
        ("verdict", in_words("right", "wrong"), "passes 75 % of them"),
        ("llm_judge", in_words("yes", "no"), "passes 75 % of them"),
        ("verdict", in_words("PASS", "FAIL"), "passes 75 % of them"),
        ("score", [5 if one else 2 for one in RIGHT], "rates them from 2 to 5"),
        ("rating", [10 if one else 1 for one in RIGHT], "rates them from 1 to 10"),
        ("Score (0-2)", [2 if one else 0 for one in RIGHT], "rates them from 0 to 2"),
        ("judge_output", [f"It is so.\nScore: {int(one)}" for one in RIGHT], "decide nothing"),
    ],
)
def test_verdicts_that_say_otherwise_are_named_with_the_share_they_pass(
    name: str, values: Sequence[Any], says: str
) -> None:
    pool = read_beside(name, values)
    (target,) = pool.targets.values()
    (note,) = [note for note in pool.remarks if "by comparing outputs with right answers" in note]
    assert target.accuracy() == pytest.approx(0.25) and name in note and says in note.replace("\xa0", " ")


@pytest.mark.parametrize("name", ["judgement", "verdict"])
def test_verdicts_that_say_the_same_are_no_news(name: str) -> None:
    pool = read_beside(name, ["correct" if gold == said else "incorrect" for gold, said in PAIRS])
    assert not [note for note in pool.remarks if "by comparing" in note]


@pytest.mark.parametrize("name", ["correct", "score", "passed", "feedback.helpfulness"])
@pytest.mark.parametrize("says", ["opposite", "other", "same"])
def test_scores_that_say_wrong_of_right_answers_are_named_first_with_both_shares(name: str, says: str) -> None:
    """A column about something else gave 50 % where 25 % of the outputs were the right answer."""
    equal = [gold == said for gold, said in PAIRS]
    of_says = {"opposite": [not one for one in equal], "other": [n % 2 == 0 for n in range(12)], "same": equal}
    pool = read_beside(name, [int(one) for one in of_says[says]])
    first = [note for note in pool.remarks if "outputs that are the right answer" in note]
    assert len(first) == (says != "same") and first == list(pool.remarks[: len(first)])
    shares = {"opposite": "75 % are right", "other": "50 % are right"}
    assert all("25 % of 12 outputs" in one and shares[says] in one for one in map(_plain, first))


def _plain(note: str) -> str:
    return note.replace("\xa0", " ")
