"""Files of the home: private, whole, and never begun again beside pools."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.archive import Archive
from core.archive.owned_files import remove_abandoned, written
from core.errors import HomeError
from core.pool import Pool
from core.surrogate.job.store import Store
from tests.core.labels.conftest import NOON

MOMENT = datetime(2026, 11, 20, 12, tzinfo=UTC)


def small_pool(answer: str = "A") -> Pool:
    return Pool.from_records([{"id": "a", "generations": [answer, "B"]}, {"id": "b"}], "exams")


def modes(folder: Path) -> dict[str, int]:
    paths = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in paths}


def expected(folder: Path) -> dict[str, int]:
    return {name: 0o700 if (folder / name).is_dir() else 0o600 for name in modes(folder)}


@pytest.fixture
def careless() -> object:
    """A process whose files are everybody's."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.parametrize("first", ["nobody", "mkdir", "store"])
@pytest.mark.usefixtures("careless")
def test_a_home_is_private_whoever_makes_it_first(tmp_path: Path, first: str) -> None:
    home = tmp_path / "home"
    if first == "mkdir":
        home.mkdir()
    elif first == "store":
        assert Store(home).logs.is_dir()
    archive = Archive(home)
    with archive._database.writing():
        archive_files = modes(home)
    assert {"neyman.sqlite", "neyman.sqlite-wal", "neyman.sqlite-shm"} <= archive_files.keys()
    archive.pools.save(small_pool(), NOON)
    archive.tend(MOMENT)
    assert archive_files.items() <= expected(home).items() | {(name, 0o600) for name in archive_files if "-" in name}
    assert modes(home) == expected(home)


@pytest.mark.usefixtures("careless")
def test_an_older_home_is_mended_and_nothing_else(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other.parquet"
    Archive(home).pools.save(small_pool(), NOON)
    other.touch()
    (home / "logs").mkdir()
    (home / "logs" / "job.log").touch()
    (home / "pools" / "linked.parquet").symlink_to(other)
    (home / "notes.txt").touch()
    for path in (home, home / "pools", home / "neyman.sqlite", *(home / "pools").iterdir()):
        path.chmod(0o755)
    Archive(home)
    mended = modes(home)
    assert stat.S_IMODE(other.stat().st_mode) == 0o755
    assert mended.pop("notes.txt") == 0o666, "is not Neyman's"
    del mended["pools/linked.parquet"]
    assert mended == {name: mode for name, mode in expected(home).items() if name in mended}


def test_everybodys_folder_stays_everybodys(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    Archive(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o1777
    assert stat.S_IMODE((tmp_path / "neyman.sqlite").stat().st_mode) == 0o600


def test_a_pool_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def recorded_fsync(descriptor: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}")) if Path("/proc/self/fd").is_dir() else None
        name = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        assert path is None or name == "folder" or path.stat().st_size > 100
        steps.append(name)
        fsync(descriptor)

    def recorded_replace(old: Path, new: Path) -> None:
        steps.extend(["name"] * (not Path(new).name.startswith(".")))
        replace(old, new)

    archive = Archive(tmp_path)
    monkeypatch.setattr("os.fsync", recorded_fsync)
    monkeypatch.setattr("os.replace", recorded_replace)
    archive.pools.save(small_pool(), NOON)
    assert steps == ["file", "folder", "name", "folder"]


def test_a_write_that_fails_leaves_the_file_before(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file.txt"
    with written(path) as temporary:
        temporary.write_text("old")
    with pytest.raises(RuntimeError), written(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert [(one.name, one.read_text()) for one in path.parent.iterdir()] == [("file.txt", "old")]


def test_what_killed_processes_left_is_removed_a_day_later(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    digest = archive.pools.save(small_pool(), NOON)
    dead, living = ((tmp_path / "pools" / f".{name}.unfinished.parquet") for name in ("dead", "living"))
    for path, age in ((dead, timedelta(days=1, minutes=1)), (living, timedelta(hours=23))):
        path.touch()
        moment = (MOMENT - age).timestamp()
        os.utime(path, (moment, moment))
    archive.tend(MOMENT)
    assert sorted(path.name for path in (tmp_path / "pools").iterdir()) == sorted([living.name, f"{digest}.parquet"])
    remove_abandoned(tmp_path / "nowhere", MOMENT)


def truncate(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [truncate, Path.unlink])
@pytest.mark.parametrize("opened", [Archive, Store])
def test_an_emptied_database_beside_pools_is_refused(tmp_path: Path, damage, opened) -> None:
    archive, pool = Archive(tmp_path), small_pool()
    archive.pools.save(pool, NOON)
    archive.plans.save("plan", "{}", pool.digest, NOON)
    archive.tend(MOMENT)
    damage(tmp_path / "neyman.sqlite")
    before = modes(tmp_path)
    with pytest.raises(HomeError, match=r"missing.*copy of 2026-11-20"):
        opened(tmp_path)
    assert modes(tmp_path) == before, "nothing is begun"
    shutil.copy(tmp_path / "backups" / "neyman-2026-11-20.sqlite", tmp_path / "neyman.sqlite")
    assert Archive(tmp_path).pools.load(pool.digest).ids.tolist() == pool.ids.tolist()
    assert Archive(tmp_path).plans.table()["plan_id"].tolist() == ["plan"]


def test_a_database_without_tables_beside_pools_is_refused_and_begun_anew_without_them(tmp_path: Path) -> None:
    Archive(tmp_path).pools.save(small_pool(), NOON)
    (tmp_path / "neyman.sqlite").unlink()
    with closing(sqlite3.connect(tmp_path / "neyman.sqlite")) as database:
        database.execute("PRAGMA journal_mode = WAL")
    assert (tmp_path / "neyman.sqlite").stat().st_size
    with pytest.raises(HomeError, match=r"empty or missing, but its folder holds pools.*start afresh"):
        Archive(tmp_path)
    (tmp_path / "pools").rename(tmp_path / "away")
    assert Archive(tmp_path).pools.table().empty


def test_a_pool_that_was_killed_before_its_row_is_no_reason_to_refuse(tmp_path: Path) -> None:
    archive, pool = Archive(tmp_path), small_pool()
    path = tmp_path / "pools" / f"{pool.digest}.parquet"
    with written(path) as temporary:
        pool.write(temporary)
    assert archive.pools.table().empty
    Archive(tmp_path).pools.save(pool, NOON)
    assert Archive(tmp_path).pools.load(pool.digest).digest == pool.digest
