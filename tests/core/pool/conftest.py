"""Pools of a few records, and what is told of records that are no pool."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import PoolError
from core.pool import Pool


def pool_of(*records: dict[str, Any]) -> Pool:
    return Pool.from_records([{"id": f"q{number}", **record} for number, record in enumerate(records)])


def problems_of(records: list[dict[str, Any]]) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(PoolError) as caught:
        Pool.from_records(records)
    assert caught.value.total == len(caught.value.problems)
    return [(problem.row, problem.field, problem.message) for problem in caught.value.problems]
