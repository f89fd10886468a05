"""Runs of a target: kept in every format of a pool, graded by the file or by the truth, refused if they stop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.errors import PoolError
from core.pool import Pool
from core.readers import read


def records(runs: list[list[float | None]]) -> list[dict[str, object]]:
    return [{"id": str(n), "targets": {"m": {"loss": one[0], "run_losses": one}}} for n, one in enumerate(runs)]


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".parquet"])
def test_runs_come_back_from_every_format(tmp_path: Path, suffix: str) -> None:
    runs: list[list[float | None]] = [[0, 1, 1], [1, None], [0]]
    pool = Pool.from_records(
        {**one, "targets": {"m": {**one["targets"]["m"], "run_texts": ["a"] * len(of_it)}}}  # type: ignore[index,dict-item]
        for one, of_it in zip(records(runs), runs, strict=True)
    )
    pool.write(tmp_path / f"pool{suffix}")
    again = read(tmp_path / f"pool{suffix}")
    assert again.digest == pool.digest and again.sizes == "3 items × 1 to 3 runs"
    nan = np.nan
    np.testing.assert_array_equal(again.run_losses("m"), [[0, 1, 1], [1, nan, nan], [0, nan, nan]])
    assert again.run_counts("m").tolist() == [3, 2, 1] and again.varies("m")


def test_runs_that_nobody_scored_are_compared_with_the_truth() -> None:
    said = {"text": "7", "run_texts": ["7", "8", "7"]}
    items = [
        {"id": "a", "answer": "7", "answer_kind": "number", "targets": {"m": said}},
        {"id": "b", "answer": "7", "answer_kind": "number", "targets": {"m": {**said, "unscored": True}}},
        {"id": "c", "answer": "7", "answer_kind": "number", "targets": {"m": {**said, "loss": 1.0}}},
    ]
    losses = Pool.from_records(items).run_losses("m")
    np.testing.assert_array_equal(losses, [[0, 1, 0], [np.nan] * 3, [1, np.nan, np.nan]])


def test_a_target_with_single_answers_has_one_run() -> None:
    pool = Pool.from_records([{"id": "a", "targets": {"m": {"loss": 1.0}}}, {"id": "b"}])
    np.testing.assert_array_equal(pool.run_losses("m"), [[1], [np.nan]])
    assert not pool.varies("m") and pool.sizes == "2 items"


def test_runs_that_stop_at_the_first_success_are_refused_with_the_reason() -> None:
    with pytest.raises(PoolError, match="the runs of “m” seem to stop at the first success"):
        Pool.from_records(records([[0], [1, 0], [1, 1, 0], [1, 1, 1]] * 3))


def test_few_runs_that_may_stop_at_the_first_success_are_remarked_on() -> None:
    few = Pool.from_records(records([[0], [1, 0], [1, 1, 0], [1, 1, 1]]))
    assert any("seem to stop at the first success" in note and "may be chance" in note for note in few.notes)
    chance = Pool.from_records(records([[0], [1, 0], [0], [1]]))
    assert not any("first success" in note for note in chance.notes)


def test_losses_and_outputs_of_runs_are_as_many() -> None:
    one = {"id": "a", "targets": {"m": {"run_losses": [0, 1], "run_texts": ["x", "y", "z"]}}}
    with pytest.raises(PoolError, match="there are 2 losses of 3 runs"):
        Pool.from_records([one])
