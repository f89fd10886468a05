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


def settled(gold: dict[str, str]) -> labels.Settled:
    rows = pd.DataFrame({"item_id": list(gold), "label": list(gold.values())})
    return labels.settle(rows, list(GOLD), "p", "gold", labels.choices_of(ITEMS, list(GOLD)))


def test_both_are_spelled_alike() -> None:
    pairs = labels.answer_pairs(settled(GOLD).labels, ANSWERS, ITEMS)
    assert pairs["item_id"].tolist() == ["a", "b", "c", "d", "e"], "the target was not asked item f"
    assert pairs["true"].tolist() == ["B", "A", "1200", "7", "yes"]
    assert pairs["said"].tolist() == ["B", "B", "1200", None, "yes"]


@pytest.mark.parametrize("parser", [None, "text"])
def test_equal_answers_are_those_without_a_loss(parser: str | None) -> None:
    found = settled(GOLD)
    pairs = labels.answer_pairs(found.labels, ANSWERS, ITEMS, parser)
    losses = labels.losses(found, ANSWERS, ITEMS, parser).set_index("item_id")["loss"]
    assert np.array_equal(pairs["true"] != pairs["said"], losses[pairs["item_id"]] == 1)


def test_a_target_without_answers_gives_no_pairs() -> None:
    assert labels.answer_pairs(settled(GOLD).labels, {}, ITEMS).empty
    silent = labels.answer_pairs(settled(GOLD).labels, dict.fromkeys(GOLD), ITEMS)
    assert silent["said"].isna().all() and len(silent) == 6
