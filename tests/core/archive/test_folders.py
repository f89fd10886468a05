"""Folders in NEYMAN_HOME: their profile is kept, their texts stay where they are."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from core.archive import Archive
from core.design import Design
from core.errors import PoolError
from core.pool import Pool
from core.readers import FolderPool, profile, read

NOW = "2026-11-22T12:00:00+00:00"
WHOLE = Pool.from_records(
    [{"id": f"i{n}", "prompt": f"Which {n}?", "generations": ["A", "AB"[n % 2]]} for n in range(40)], "traces"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "traces"
    path.mkdir()
    for number in (0, 1):
        pq.write_table(WHOLE.table.slice(20 * number, 20), path / f"{number}.parquet")
    return path


def test_a_folder_is_profiled_once_and_found_by_its_digest(folder: Path, tmp_path: Path) -> None:
    archive, shares = Archive(tmp_path / "home"), list[float]()
    assert archive.pools.open_folder(folder, NOW, shares.append).digest == WHOLE.digest
    assert shares
    assert archive.pools.open_folder(folder, NOW, lambda share: pytest.fail("profiled again")).name == "traces"
    loaded = archive.pools.load(WHOLE.digest[:12])
    assert isinstance(loaded, FolderPool)
    assert loaded.rows([39]).index.tolist() == ["i39"]
    assert archive.pools.table()[["digest", "n_items"]].values.tolist() == [[WHOLE.digest, 40]]
    assert not list((tmp_path / "home" / "pools").glob("*.parquet"))


def test_a_profile_that_was_made_elsewhere_opens_its_folder(folder: Path, tmp_path: Path) -> None:
    archive, file = Archive(tmp_path / "home"), tmp_path / "made.profile"
    profile(folder, file)
    assert archive.pools.take_profile(file) == folder
    pool = archive.pools.open_folder(folder, NOW, lambda share: pytest.fail("profiled again"))
    assert (pool.digest, pool.name) == (WHOLE.digest, "traces")
    pq.write_table(WHOLE.table.slice(0, 1).set_column(0, "id", [["new"]]), folder / "2.parquet")
    with pytest.raises(PoolError, match=r"2\.parquet"):
        archive.pools.take_profile(file)
    file.write_bytes(b"no profile")
    with pytest.raises(PoolError):
        archive.pools.take_profile(file)


def test_a_folder_that_has_grown_is_profiled_again(folder: Path, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "home")
    before = archive.pools.open_folder(folder, NOW)
    pq.write_table(WHOLE.table.slice(0, 1).set_column(0, "id", [["new"]]), folder / "2.parquet")
    with pytest.raises(PoolError):
        archive.pools.load(before.digest)
    assert archive.pools.open_folder(folder, NOW).n_items == 41


def test_a_pool_that_was_read_without_a_home_is_kept_with_its_plan(folder: Path, tmp_path: Path) -> None:
    archive, pool = Archive(tmp_path / "home"), read(folder)
    archive.pools.save(pool, NOW)
    loaded = archive.pools.load(pool.digest)
    assert Design(6).draw(loaded, seed=1).sample_digest == Design(6).draw(WHOLE, seed=1).sample_digest
