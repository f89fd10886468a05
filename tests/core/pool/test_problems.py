"""Problems: everything that is wrong with the records, told with row and field."""

from __future__ import annotations

import traceback
from typing import Any

import pytest

from core.errors import PoolError
from core.pool import Pool
from tests.core.pool.conftest import pool_of, problems_of
from tests.core.wording import Saying


def test_ids_must_be_there_and_be_unique() -> None:
    problems = problems_of([{"id": "a"}, {"id": ""}, {"prompt": "x"}, {"id": "a"}, {"id": " "}, {"id": 7}, {"id": "7"}])
    missing = Saying("id", "missing")
    assert problems == [
        (2, "id", missing),
        (3, "id", missing),
        (4, "id", Saying("“a”", "row 1")),
        (5, "id", missing),
        (7, "id", Saying("“7”", "row 6")),
    ]


@pytest.mark.parametrize(
    ("record", "field", "message"),
    [
        ({"generations": "A"}, "generations", Saying("“A”", "list of texts")),
        ({"generations": [["A"]]}, "generations", Saying("“[['A']]”", "list of texts")),
        ({"generations": {"1": "A"}}, "generations", Saying("“{'1': 'A'}”", "list of texts")),
        ({"prompt": ["x"]}, "prompt", Saying("“['x']”", "a text")),
        ({"id": True}, "id", Saying("“True”", "a text")),
        ({"generations": ["A"], "logprobs": ["-1"]}, "logprobs", Saying("“['-1']”", "list of numbers")),
        ({"generations": ["A"], "logprobs": [-1, -2]}, "logprobs", Saying("2", "1 generation")),
        ({"generations": ["A"], "generation_answers": []}, None, ""),
        ({"generation_answers": ["A"]}, "generation_answers", Saying("1", "0 generation")),
        (
            {"generations": ["A"], "logprobs": [float("-inf")]},
            "logprobs",
            Saying("log-probability", "NaN"),
        ),
        ({"generations": ["A"], "logprobs": [None]}, "logprobs", Saying("log-probability", "NaN")),
        ({"targets": {"m": {"loss": float("nan")}}}, "targets.m.loss", Saying("loss", "nan")),
        ({"targets": {"m": {"loss": float("inf")}}}, "targets.m.loss", Saying("loss", "inf")),
        ({"targets": {"m": {"loss": "0"}}}, "targets.m.loss", Saying("“0”", "a number")),
        ({"targets": ["m"]}, "targets", Saying("targets", "object")),
        ({"targets": {"m": 1}}, "targets", Saying("“m”", "object")),
        ({"targets": {" ": {}}}, "targets", Saying("“ ”", "name")),
    ],
)
def test_what_is_wrong_is_told_with_row_and_field(record: dict[str, Any], field: str | None, message: object) -> None:
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
    assert "(2,999 more problems" in str(caught.value)
    shown = "".join(traceback.format_exception(caught.value))
    assert "row 10, generations" in shown and "row 11," not in shown and "2,980 more" in shown


def test_a_million_columns_are_refused() -> None:
    wide = [{"id": str(n), f"key {n}": 1, "targets": {f"model {n}": {"loss": 1}}} for n in range(600)]
    with pytest.raises(PoolError, match="one too many"):
        Pool.from_records(wide)
    with pytest.raises(PoolError, match=r"1,001 generations"):
        pool_of({"generations": ["A"] * 1_001})


def test_too_many_targets_are_refused_once_as_what_they_are() -> None:
    rows = [{"id": str(n), "targets": {f"model {one}": {"loss": 1} for one in range(520)}} for n in range(3)]
    with pytest.raises(PoolError, match="more than 500 targets; “model 500” is the first beyond") as caught:
        Pool.from_records(rows)
    assert caught.value.total == 1


def test_no_records_are_no_pool() -> None:
    assert problems_of([]) == [(None, None, Saying("no item"))]
