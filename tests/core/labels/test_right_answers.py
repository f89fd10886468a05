"""Right answers beside the target's: one spelling for both, and the same verdict as the losses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core import labels
from core.pool import Pool

ITEMS = Pool.from_records(
    [
        {"id": "a", "choices": ["one", "two", "three"], "answer_kind": "choice"},
        {"id": "b", "choices": ["x", "y"], "answer_kind": "choice"},
        {"id": "c", "answer_kind": "number"},
        {"id": "d", "answer_kind": "number"},
        {"id": "e"},
        {"id": "f"},
    ]
).items
GOLD = {"a": "B", "b": "x", "c": "1,200", "d": "7", "e": "yes", "f": "no"}
ANSWERS = {"a": "two", "b": "B. y", "c": "1200.0", "d": None, "e": "yes", "not asked about": "no"}


def settled(gold: dict[str, str]) -> labels.Settlement:
    rows = pd.DataFrame({"item_id": list(gold), "label": list(gold.values())})
    return labels.settle(rows, list(GOLD), "p", "gold", labels.choices_of(ITEMS, list(GOLD)))


def test_both_are_spelled_alike() -> None:
    pairs = labels.answer_pairs(settled(GOLD).labels, ANSWERS, ITEMS)
    assert pairs["item_id"].tolist() == ["a", "b", "c", "d", "e"], "the target was not asked item f"
    assert pairs["true"].tolist() == ["B", "A", "1200", "7", "yes"]
    assert pairs["said"].tolist() == ["B", "B", "1200", None, "yes"]


@pytest.mark.parametrize("parser", [None, "text"])
def test_equal_answers_are_those_without_a_loss(parser: str | None) -> None:
    settlement = settled(GOLD)
    pairs = labels.answer_pairs(settlement.labels, ANSWERS, ITEMS, parser)
    losses = labels.losses(settlement, ANSWERS, ITEMS, parser).set_index("item_id")["loss"]
    assert np.array_equal(pairs["true"] != pairs["said"], losses[pairs["item_id"]] == 1)


def test_a_target_without_answers_gives_no_pairs() -> None:
    assert labels.answer_pairs(settled(GOLD).labels, {}, ITEMS).empty
    silent = labels.answer_pairs(settled(GOLD).labels, dict.fromkeys(GOLD), ITEMS)
    assert silent["said"].isna().all() and len(silent) == 6


def outcome(kind: str, options: list[str], gold: str, answers: dict[str, str | None]) -> list[float]:
    """The losses of a target, if all annotators gave one right answer to items of one kind."""
    pool = Pool.from_records([{"id": item, "choices": options, "answer_kind": kind} for item in answers])
    rows = pd.DataFrame({"item_id": list(answers), "label": gold})
    settlement = labels.settle(rows, list(answers), "p", choices=[options] * len(answers), items=pool.items)
    return labels.losses(settlement, answers, pool.items)["loss"].tolist()


def test_an_option_of_numbers_is_compared_as_a_number() -> None:
    # 40 of 50 answers are right: the rest gave none.
    said = {f"q{i}": "15" if i < 40 else None for i in range(50)}
    for gold in ("15", "B", "B. 15"):
        assert outcome("number", ["12", "15", "20", "25"], gold, said) == [0.0] * 40 + [1.0] * 10
    several = {"a": "15.0", "b": "B", "c": "20", "d": "17"}
    assert outcome("number", ["12", "15", "20", "25"], "B", several) == [0.0, 0.0, 1.0, 1.0]


def test_an_option_of_words_is_compared_as_the_pool_compares_words() -> None:
    said = {"a": "london", "b": "Paris", "c": None, "d": "b"}
    assert outcome("text", ["Paris", "London"], "London", said) == [0.0, 1.0, 1.0, 0.0]
    # An answer that is an option's text is not taken for the letter of another.
    assert outcome("text", ["b", "c", "a"], "B", {"a": "a", "b": "c", "c": "b"}) == [1.0, 0.0, 1.0]


def test_where_the_right_answer_cannot_be_read_no_loss_is_known() -> None:
    items = Pool.from_records([{"id": item, "answer_kind": "number"} for item in "abc"]).items
    settlement = labels.settle(pd.DataFrame({"item_id": [*"abc"], "label": ["dozen", "dozen", "12"]}), [*"abc"], "p")
    losses = labels.losses(settlement, {"a": "12", "b": None, "c": None}, items)["loss"]
    np.testing.assert_array_equal(losses, [np.nan, np.nan, 1.0])


def test_labels_that_were_settled_without_options_mean_the_same() -> None:
    items = Pool.from_records([{"id": item, "choices": ["Paris", "London"]} for item in "ab"]).items
    settlement = labels.settle(pd.DataFrame({"item_id": ["a", "b"], "label": ["London", "B"]}), ["a", "b"], "p")
    assert labels.losses(settlement, {"a": "London", "b": "London"}, items)["loss"].tolist() == [0.0, 0.0]
