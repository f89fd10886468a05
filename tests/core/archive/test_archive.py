"""The folder that lasts."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from core.archive import Archive
from core.errors import HomeError, NeymanError, PoolError
from core.pool import Pool

NOON, LATER = "2026-11-20T12:00:00+00:00", "2026-11-20T13:00:00+00:00"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "neyman"


def pool_named(name: str, answer: str = "A") -> Pool:
    return Pool.from_records(
        [{"id": "a,\n🙂", "generations": [answer, "B"], "targets": {"m": {"loss": 1}, "n": {"loss": 0}}}, {"id": "b"}],
        name,
    )


def test_a_pool_comes_back_with_name_notes_and_digest(folder: Path) -> None:
    pool = pool_named("exams")
    assert Archive(folder).pools.save(pool, NOON) == pool.digest
    for key in (pool.digest, pool.digest[:8]):
        again = Archive(folder).pools.load(key)
        assert (again.name, again.notes, again.digest) == ("exams", pool.notes, pool.digest)
        assert again.generations == pool.generations
    assert (folder / "pools" / f"{pool.digest}.parquet").is_file()


def test_saving_again_renames_and_keeps_the_time(folder: Path) -> None:
    archive = Archive(folder)
    archive.pools.save(pool_named("old"), NOON)
    archive.pools.save(pool_named("new"), LATER)
    archive.pools.save(pool_named("other", "C"), LATER)
    table = archive.pools.table()
    assert table[["name", "created"]].values.tolist() == [["other", LATER], ["new", NOON]]
    assert table.loc[1, ["n_items", "n_generations"]].tolist() == [2, 2]
    assert table.loc[1, "targets"] == ["m", "n"]
    assert sorted(path.name for path in (folder / "pools").iterdir()) == sorted(f"{d}.parquet" for d in table["digest"])


def test_an_empty_archive_has_empty_tables(folder: Path) -> None:
    assert list(Archive(folder).pools.table().columns) == [
        "digest",
        "name",
        "n_items",
        "n_generations",
        "targets",
        "created",
    ]
    assert Archive(folder).plans.table().empty


@pytest.mark.parametrize(
    "key", ["", "abc", "../../../etc/passwd", "ABCDEF12", "0123456g", "0" * 65, "01234567/", "%" * 8]
)
def test_only_hex_digits_are_a_digest(folder: Path, key: str) -> None:
    with pytest.raises(PoolError, match="8 to 64 hex digits"):
        Archive(folder).pools.load(key)


def test_unknown_and_ambiguous_prefixes_are_told(folder: Path) -> None:
    archive = Archive(folder)
    with pytest.raises(PoolError, match=r"no pool .* 00000000"):
        archive.pools.load("00000000")
    with closing(sqlite3.connect(folder / "neyman.sqlite")) as database, database:
        for end in "ab":
            database.execute(
                "INSERT INTO pools VALUES (?, 'x', 1, 1, '[]', '[]', '', '', '', NULL, NULL)", ("0" * 63 + end,)
            )
    with pytest.raises(PoolError, match=r"more than one pool .* 00000000.* more digits"):
        archive.pools.load("00000000")


@pytest.mark.parametrize("damage", ["missing", "truncated", "other"])
def test_a_damaged_file_is_told_and_healed_by_saving_again(folder: Path, damage: str) -> None:
    archive, pool = Archive(folder), pool_named("exams")
    archive.pools.save(pool, NOON)
    path = folder / "pools" / f"{pool.digest}.parquet"
    if damage == "missing":
        path.unlink()
    elif damage == "truncated":
        path.write_bytes(path.read_bytes()[:100])
    else:
        pool_named("x", "other").write(path)
    with pytest.raises(PoolError, match=r"“exams”.*original file"):
        archive.pools.load(pool.digest).classes()
    archive.pools.save(pool, LATER)
    assert archive.pools.load(pool.digest).digest == pool.digest


def test_a_pool_that_could_not_be_read_once_is_still_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive, pool = Archive(folder), pool_named("exams")
    archive.pools.save(pool, NOON)
    opened = archive.pools.load(pool.digest)

    def no_memory(*_: object, **__: object) -> None:
        raise MemoryError("out of memory")

    with monkeypatch.context() as patched:
        patched.setattr("core.pool.stored.pq.ParquetFile", no_memory)
        for looked_at in (lambda: archive.pools.load(pool.digest), opened.classes):
            with pytest.raises(PoolError, match="out of memory"):
                looked_at()
    assert archive.pools.is_suspect(pool.digest[:16])
    assert opened.classes().tolist() == archive.pools.load(pool.digest).classes().tolist() == pool.classes().tolist()
    assert [path.name for path in (folder / "pools").iterdir()] == [f"{pool.digest}.parquet"]


def test_a_failed_write_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = Archive(folder)

    def half_written(table: object, path: Path) -> None:
        path.write_bytes(b"PAR1")
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr("core.pool.writing.write", half_written)
    with pytest.raises(HomeError, match=r"disk of .* full"):
        archive.pools.save(pool_named("exams"), NOON)
    assert list((folder / "pools").iterdir()) == []
    assert archive.pools.table().empty


def test_designs_are_kept_once(folder: Path) -> None:
    archive = Archive(folder)
    archive.plans.save("plan-1", '{"budget": 50}', "d" * 64, NOON)
    archive.plans.save("plan-1", '{"budget": 60}', "d" * 64, LATER)
    assert archive.plans.table().values.tolist() == [["plan-1", "d" * 64, None, '{"budget": 60}', NOON]]


def test_sessions_may_write_at_once(folder: Path) -> None:
    pools = [pool_named(f"p{number}", f"answer {number % 4}") for number in range(12)]
    with ThreadPoolExecutor(6) as workers:
        list(workers.map(lambda pool: Archive(folder).pools.save(pool, NOON), pools))
    assert len(Archive(folder).pools.table()) == 4
    with closing(sqlite3.connect(folder / "neyman.sqlite")) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_folder_of_a_newer_version_is_left_alone(folder: Path) -> None:
    Archive(folder)
    with closing(sqlite3.connect(folder / "neyman.sqlite")) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(NeymanError, match="newer version"):
        Archive(folder)


def test_a_busy_database_is_told(folder: Path) -> None:
    archive = Archive(folder, patience=0.001)
    with closing(sqlite3.connect(folder / "neyman.sqlite")) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(HomeError, match="busy") as caught:
            archive.plans.save("plan-1", "{}", "d" * 64, NOON)
    assert caught.value.busy
    archive.plans.save("plan-1", "{}", "d" * 64, NOON)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(NeymanError, match="Set NEYMAN_HOME"):
        Archive(tmp_path / "file" / "neyman")
    (tmp_path / "home" / "neyman.sqlite").parent.mkdir()
    (tmp_path / "home" / "neyman.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(NeymanError, match="start afresh with"):
        Archive(tmp_path / "home")


def test_a_pool_that_an_earlier_version_kept_is_read_once_as_a_whole(folder: Path) -> None:
    archive, pool = Archive(folder), pool_named("exams")
    archive.pools.save(pool, NOON)
    with closing(sqlite3.connect(folder / "neyman.sqlite")) as database, database:
        recorded = database.execute("SELECT items, leaves FROM pools").fetchall()
        database.execute("UPDATE pools SET items = NULL, leaves = NULL")
    assert archive.pools.load(pool.digest).generations == pool.generations
    with closing(sqlite3.connect(folder / "neyman.sqlite")) as database, database:
        assert database.execute("SELECT items, leaves FROM pools").fetchall() == recorded


MOVED = "was removed, renamed or replaced"


def removed(home: Path) -> None:
    shutil.rmtree(home)


def renamed(home: Path) -> None:
    home.rename(home.with_name("elsewhere"))


def emptied(home: Path) -> None:
    for file in home.iterdir():
        file.unlink()


@pytest.mark.parametrize("take_away", [removed, renamed, emptied])
def test_a_folder_that_was_taken_away_is_named_and_not_made_anew(
    tmp_path: Path, take_away: Callable[[Path], None]
) -> None:
    home = tmp_path / "home"
    archive = Archive(home)
    known = archive.identity
    assert Archive(home, known=known).identity == known
    take_away(home)
    with pytest.raises(HomeError, match=MOVED):
        archive.plans.table()
    with pytest.raises(HomeError, match=MOVED):
        Archive(home, known=known)
    assert not (home / "neyman.sqlite").exists()


def test_a_folder_in_the_place_of_another_is_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    known = Archive(home).identity
    renamed(home)
    Archive(home)
    with pytest.raises(HomeError, match=MOVED):
        Archive(home, known=known)


def test_a_database_that_is_lost_beside_its_pools_is_offered_back_all_the_same(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    known = archive.identity
    (tmp_path / "pools").mkdir(exist_ok=True)
    (tmp_path / "pools" / "one.parquet").touch()
    for file in tmp_path.glob("neyman.sqlite*"):
        file.unlink()
    with pytest.raises(HomeError, match="empty or missing, but its folder holds pools") as lost:
        Archive(tmp_path, known=known)
    assert lost.value.lost
