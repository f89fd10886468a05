"""Records as they come: values of other types, and extra keys."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import PoolError
from core.pool import Pool
from tests.core.pool.conftest import pool_of
from tests.core.wording import Saying


def test_numeric_ids_are_their_decimal_texts() -> None:
    assert Pool.from_records([{"id": 7}, {"id": "007"}]).items.index.tolist() == ["7", "007"]


def test_numbers_and_nulls_among_generations_are_texts() -> None:
    pool = pool_of({"generations": [1, 2.5, True, None, "x"], "answer": 1})
    assert pool.generations == [["1", "2.5", "true", "", "x"]]
    assert pool.items["answer"].tolist() == ["1"]
    assert pool.notes == (Saying("generations", "empty text"),)


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    assert pool_of({"generations": ["\ud83d", "ok"], "note": "\udc00"}).generations == [["\ufffd", "ok"]]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, None, 3], [1, None, 3]),
        ([1, 2.5], [1.0, 2.5]),
        ([True, False], [True, False]),
        (["7", 7], ['"7"', "7"]),
        ([2**70, 1], [str(2**70), "1"]),
        ([{"b": 1, "a": 2}, [1]], ['{"a": 2, "b": 1}', "[1]"]),
        ([float("inf"), 1.0], ["Infinity", "1.0"]),
        ([float("nan"), 1.0], [None, 1.0]),
        ([2**60, 0.5], [str(2**60), "0.5"]),
    ],
)
def test_extra_keys_are_kept_as_they_are_or_as_json(values: list[Any], expected: list[Any]) -> None:
    pool = pool_of(*({"extra": value} for value in values))
    assert pool.table.column("extra").to_pylist() == expected


def test_extra_keys_are_united_over_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.pool.records.BATCH", 2)
    values: list[Any] = [None, None, 1, 2, 0.5, None, 7, 8]
    assert pool_of(*({"x": value} for value in values)).table.column("x").to_pylist() == values
    values[0] = "text"
    expected = ['"text"', None, "1", "2", "0.5", None, "7", "8"]
    assert pool_of(*({"x": value} for value in values)).table.column("x").to_pylist() == expected


def test_more_items_than_anybody_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.pool.records.MAX_ITEMS", 3)
    rows = [{"id": str(number)} for number in range(4)]
    assert Pool.from_records(rows[:3]).n_items == 3
    with pytest.raises(PoolError, match="row 4: there are more than 3 items"):
        Pool.from_records(iter(rows))


def test_places_are_those_of_the_ids_and_minus_one_for_what_no_item_has() -> None:
    pool = Pool.from_records([{"id": name, "prompt": "?", "generations": ["A"]} for name in ("b", "ä", "1", "c")], "p")
    assert pool.places(["c", "b", "ä", "b", "1", "d", ""]).tolist() == [3, 0, 1, 0, 2, -1, -1]
    assert pool.places(["c", "\ud800", "b"]).tolist() == [3, -1, 0]
    assert pool.places(iter(())).tolist() == []
