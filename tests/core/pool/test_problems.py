"""Problems: everything that is wrong with the records, told with row and field."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import PoolError
from core.pool import Pool
from tests.core.pool.conftest import pool_of, problems_of


def test_ids_must_be_there_and_be_unique() -> None:
    found = problems_of([{"id": "a"}, {"id": ""}, {"prompt": "x"}, {"id": "a"}, {"id": " "}, {"id": 7}, {"id": "7"}])
    missing = "the id is missing or empty."
    assert found == [
        (2, "id", missing),
        (3, "id", missing),
        (4, "id", "the id “a” is already used in row 1."),
        (5, "id", missing),
        (7, "id", "the id “7” is already used in row 6."),
    ]


@pytest.mark.parametrize(
    ("record", "field", "message"),
    [
        ({"generations": "A"}, "generations", "“A” is not a list of texts."),
        ({"generations": [["A"]]}, "generations", "“[['A']]” is not a list of texts."),
        ({"generations": {"1": "A"}}, "generations", "“{'1': 'A'}” is not a list of texts."),
        ({"prompt": ["x"]}, "prompt", "“['x']” is not a text."),
        ({"id": True}, "id", "“True” is not a text."),
        ({"generations": ["A"], "logprobs": ["-1"]}, "logprobs", "“['-1']” is not a list of numbers."),
        ({"generations": ["A"], "logprobs": [-1, -2]}, "logprobs", "there are 2 values for 1 generations."),
        ({"generations": ["A"], "generation_answers": []}, None, ""),
        ({"generation_answers": ["A"]}, "generation_answers", "there are 1 values for 0 generations."),
        (
            {"generations": ["A"], "logprobs": [float("-inf")]},
            "logprobs",
            "a log-probability is missing, NaN or infinite.",
        ),
        ({"generations": ["A"], "logprobs": [None]}, "logprobs", "a log-probability is missing, NaN or infinite."),
        ({"targets": {"m": {"loss": float("nan")}}}, "targets.m.loss", "the loss is nan."),
        ({"targets": {"m": {"loss": float("inf")}}}, "targets.m.loss", "the loss is inf."),
        ({"targets": {"m": {"loss": "0"}}}, "targets.m.loss", "“0” is not a number."),
        ({"targets": ["m"]}, "targets", "targets is not an object."),
        ({"targets": {"m": 1}}, "targets", "the outcome of “m” is not an object, or its name is not usable."),
        ({"targets": {" ": {}}}, "targets", "the outcome of “ ” is not an object, or its name is not usable."),
    ],
)
def test_what_is_wrong_is_told_with_row_and_field(record: dict[str, Any], field: str | None, message: str) -> None:
    records = [{"id": "first"}, {"id": "second", **record}]
    if field is None:
        assert Pool.from_records(records).n_items == 2
    else:
        assert problems_of(records) == [(2, field, message)]


def test_problems_of_all_rows_are_told_and_the_first_200_kept() -> None:
    records = [{"id": str(n), "generations": "x", "targets": {"m": {"loss": float("nan")}}} for n in range(1_500)]
    with pytest.raises(PoolError) as caught:
        Pool.from_records(records)
    assert caught.value.total == 3_000
    assert len(caught.value.problems) == 200
    assert [problem.row for problem in caught.value.problems[:4]] == [1, 1, 2, 2]
    assert "(2999 more problems" in str(caught.value)


def test_a_million_columns_are_refused() -> None:
    wide = [{"id": str(n), f"key {n}": 1, "targets": {f"model {n}": {"loss": 1}}} for n in range(600)]
    with pytest.raises(PoolError, match="one too many"):
        Pool.from_records(wide)
    with pytest.raises(PoolError, match=r"1,001 generations"):
        pool_of({"generations": ["A"] * 1_001})


def test_no_records_are_no_pool() -> None:
    assert problems_of([]) == [(None, None, "there is no item in this file.")]
