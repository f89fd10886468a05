"""A kept pool reads its columns when they are looked at, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from core.archive import Archive
from core.errors import PoolError
from core.pool import Pool
from core.stratification import profile

NOON = "2026-11-20T12:00:00+00:00"
# Names that share a dotted name with another column's.
RECORD = {
    "prompt": "p",
    "choices": ["x", "y"],
    "answer": "A",
    "image": "a.png",
    "answer_kind": "as-is",
    "generations": ["A", "B"],
    "generation_answers": ["A", None],
    "logprobs": [-1.0, -2.0],
    "targets": {
        "gpt-4.1": {"text": "A", "answer": "A", "loss": 0.0},
        "gpt-4": {"loss": 1.0},
        "gpt-4.loss": {"text": "A"},
    },
    "judge.score": 0.5,
    "judge": 2,
    "targets.gpt-4.loss": "mine",
    "nested": {"a": 1},
}


@pytest.fixture
def saved(archive: Archive) -> tuple[Pool, Pool]:
    pool = Pool.from_records([{"id": f"q{n}", **RECORD} for n in range(7)] + [{"id": "bare"}])
    archive.pools.save(pool, NOON)
    return pool, archive.pools.load(pool.digest)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The columns that are read, as they are read."""
    columns: list[str] = []
    read = pq.ParquetFile.read

    def spy(file: pq.ParquetFile, *args: Any, **options: Any) -> Any:
        columns.extend(options["columns"])
        return read(file, *args, **options)

    monkeypatch.setattr(pq.ParquetFile, "read", spy)
    return columns


def test_it_is_the_same_pool(saved: tuple[Pool, Pool], tmp_path: Path) -> None:
    pool, opened = saved
    assert opened.table.equals(pool.table)
    assert (opened.digest, opened.items_digest) == (pool.digest, pool.items_digest)
    assert opened.ids.tolist() == pool.ids.tolist() == pool.items.index.tolist()
    assert opened.items.equals(pool.items)
    assert list(opened.targets) == list(pool.targets)
    for name in pool.targets:
        np.testing.assert_array_equal(opened.losses(name), pool.losses(name))
    opened.write(tmp_path / "again.jsonl")
    pool.write(tmp_path / "pool.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "pool.jsonl").read_bytes()


def test_signals_strata_ids_and_losses_read_no_texts(saved: tuple[Pool, Pool], reads: list[str]) -> None:
    opened = saved[1]
    assert opened.n_items == 8 and opened.digest and opened.items_digest and list(opened.targets)
    assert reads == []
    profile(opened.classes()).stratify(2)
    assert opened.ids.size == 8 and opened.losses("gpt-4").size == 8
    assert set(reads) == {"id", "generations", "generation_answers", "answer_kind", "targets.gpt-4.loss"}
    assert len(reads) == len(set(reads)), "each once"


def test_a_changed_column_is_noticed_when_it_is_looked_at(archive: Archive, saved: tuple[Pool, Pool]) -> None:
    pool, opened = saved
    other = Pool.from_records(
        [{"id": f"q{n}", **RECORD, "answer": "B" if n else "A"} for n in range(7)] + [{"id": "bare"}]
    )
    other.write(archive.folder / "pools" / f"{pool.digest}.parquet")
    np.testing.assert_array_equal(opened.classes(), pool.classes())
    with pytest.raises(PoolError, match="changed"):
        _ = opened.items
    assert archive.pools.is_suspect(pool.digest)
    with pytest.raises(PoolError, match="changed"):
        archive.pools.load(pool.digest)
    archive.pools.save(pool, NOON)
    assert archive.pools.load(pool.digest).items.equals(pool.items)


@pytest.mark.parametrize(
    "records", [[{"id": "a"}], [{"id": "a", "prompt": "p", "more": 1}], [{"id": "a", "prompt": "p"}, {"id": "b"}]]
)
def test_another_table_is_refused_at_once(archive: Archive, records: list[dict[str, Any]]) -> None:
    pool = Pool.from_records([{"id": "a", "prompt": "p"}])
    archive.pools.save(pool, NOON)
    Pool.from_records(records).write(archive.folder / "pools" / f"{pool.digest}.parquet")
    with pytest.raises(PoolError, match="changed"):
        archive.pools.load(pool.digest)
