"""Right answers that no output says in the same words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from core.pool import Pool
from core.readers import Shape, read_mapped, read_results
from tests.core.readers.test_inspect_log import as_json, sample

LONG = "The heart pumps blood through the body, first to the lungs and then to every organ, number {}."
OTHER = "Blood is moved by the heart: it goes to the lungs, and from there to all organs; see {}."


def mapped(rows: list[dict[str, Any]]) -> Pool:
    content = "\n".join(map(json.dumps, rows)).encode()
    return read_mapped(content, Shape.of(content, "m").guess, "m")


def rows(right: str, said: str, equal: int = 0, n_items: int = 40) -> list[dict[str, Any]]:
    texts = [(right.format(n), (right if n < equal else said).format(n)) for n in range(n_items)]
    return [{"user_input": f"{n}?", "reference": one, "response": other} for n, (one, other) in enumerate(texts)]


@pytest.mark.parametrize(
    ("right", "said", "equal", "known"),
    [
        (LONG, OTHER, 0, False),
        ("Paris {}", OTHER, 0, False),
        (LONG, "It pumps {}", 0, False),
        (LONG, OTHER, 4, False),
        (LONG, OTHER, 5, True),
        ("Paris {}", OTHER, 1, True),
        ("Paris {}", "Rome {}", 0, False),
        ("Paris {}", "Rome {}", 1, True),
    ],
    ids=[
        "long",
        "said at length",
        "said in short",
        "copies",
        "often equal",
        "once equal",
        "short",
        "short, once equal",
    ],
)
def test_free_texts_that_no_output_says_leave_right_or_wrong_open(
    right: str, said: str, equal: int, known: bool
) -> None:
    pool = mapped(rows(right, said, equal))
    losses = pool.losses("m")
    assert np.isnan(losses).all() != known
    counted = f"{40 - equal} of 40 outputs of m have other words" if equal else "40 outputs of m have other words"
    assert any("have a judge look" in note and counted in note for note in pool.notes) != known
    if known:
        assert losses.tolist() == [0.0] * equal + [1.0] * (40 - equal)
        compared = f"word for word: {40 - equal} of 40 outputs of “m” have other words"
        assert any(compared in note for note in pool.remarks) == (right == LONG)
    else:
        assert pool.losses("m", "text").mean() == pytest.approx(1 - equal / 40), "who wants may compare the words"
        assert pool.items["answer"].notna().all()


def test_few_short_texts_that_no_output_says_are_wrong() -> None:
    assert mapped(rows("Paris {}", "Rome {}", n_items=19)).losses("m").tolist() == [1] * 19


@pytest.mark.parametrize(
    ("right", "said", "is_wrong"),
    [
        ("ABCD", "BCDA", True),
        ("ABCD", "EEEE", True),
        (["Paris", "Rome"], ["Oslo", "Bern"], True),
        (["entailment", "neutral"], ["Answer: neutral", "Answer: entailment"], True),
        (["strongly agree", "not sure"], ["not sure", "strongly agree"], True),
        ("+-", "-+", True),
        (["A, C", "B, D"], ["AC", "BD"], False),
        (["A,C", "B,D"], ["AC", "AD"], False),
        (["the heart", "the lung"], ["a heart", "a lung"], False),
    ],
)
def test_short_answers_are_wrong_unless_they_may_be_said_otherwise(
    right: Sequence[str], said: Sequence[str], is_wrong: bool
) -> None:
    some = [{"question": f"{n}?", "expected": right[n % len(right)], "output": said[n % len(said)]} for n in range(40)]
    losses = mapped(some).losses("m")
    assert losses.tolist() == [1] * 40 if is_wrong else np.isnan(losses).all()


def test_a_short_answer_in_a_sentence_is_right() -> None:
    right, said = ["Paris", "Rome"], ["It is Paris", "It is Rome"]
    some = [{"question": f"{n}?", "expected": right[n % 2], "output": said[n % 2]} for n in range(40)]
    assert mapped(some).losses("m").tolist() == [0] * 40


def test_scores_and_numbers_and_letters_stay_known() -> None:
    scored = [{**row, "correct": n % 2} for n, row in enumerate(rows(LONG, OTHER))]
    assert mapped(scored).losses("m").mean() == 0.5
    numbers = [{"question": f"{n}?", "answer": str(n), "output": OTHER.format("none")} for n in range(10)]
    assert mapped(numbers).losses("m").tolist() == [1] * 10


def test_of_several_models_one_that_is_often_right_shows_that_words_tell() -> None:
    models = [
        {"qid": n, "question": f"{n}?", "reference": LONG.format(n), "model": model, "output": text.format(n)}
        for model, text in (("a", LONG), ("b", OTHER))
        for n in range(10)
    ]
    content = "\n".join(map(json.dumps, models)).encode()
    pool = read_mapped(content, Shape.of(content, "m").guess, "m")
    assert not any("have a judge" in note for note in pool.notes)
    assert all(not np.isnan(pool.losses(target)).any() for target in pool.targets)


def test_outputs_of_a_log_without_scores_are_not_compared_word_by_word() -> None:
    samples = [{**sample(n, 1, OTHER.format(n)), "target": LONG.format(n), "scores": {}} for n in range(20)]
    results = read_results({"a.json": as_json(*samples)})
    pool = results.pool([], list(results.models))
    assert np.isnan(pool.losses(results.models[0])).all()
    assert any("20 outputs" in note for note in pool.notes)
