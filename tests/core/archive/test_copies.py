"""Daily copies of the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest

from core.archive import Archive
from core.archive.copies import DAYS, newest_copy
from core.errors import HomeError
from tests.core.labels.conftest import NOON

MOMENT = datetime(2026, 2, 26, 23, 59, tzinfo=UTC)


def plans(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as copy:
        return [name for (name,) in copy.execute("SELECT plan_id FROM designs ORDER BY plan_id")]


def test_a_day_has_one_copy_with_what_is_still_in_the_log(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    with archive._database.connection():
        # While a connection is open, what is written stays in the write-ahead log.
        archive.plans.save("first", "{}", "d", NOON)
        archive.tend(MOMENT)
        archive.plans.save("second", "{}", "d", NOON)
        archive.tend(MOMENT)
    assert [path.name for path in (tmp_path / "backups").iterdir()] == ["neyman-2026-02-26.sqlite"]
    assert plans(tmp_path / "backups" / "neyman-2026-02-26.sqlite") == ["first"]
    archive.tend(MOMENT + timedelta(minutes=1))
    assert plans(tmp_path / "backups" / "neyman-2026-02-27.sqlite") == ["first", "second"]
    best = newest_copy(tmp_path)
    assert best is not None and best.day == "2026-02-27"


def test_the_copy_of_a_day_gets_the_labels_of_the_day_and_never_loses_any(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.tend(MOMENT)
    assert newest_copy(tmp_path) is not None and newest_copy(tmp_path).labels == 0
    archive.plans.save("plan", "{}", "d", NOON)
    archive.labels.save("plan", pd.DataFrame({"item_id": ["q1", "q2"], "label": "A"}), NOON)
    archive.tend(MOMENT)
    archive.labels.undo("plan")
    archive.tend(MOMENT)
    assert newest_copy(tmp_path).labels == 2 and len(list((tmp_path / "backups").iterdir())) == 1


def test_a_large_database_is_copied_once_a_day(tmp_path: Path, monkeypatch) -> None:
    archive = Archive(tmp_path)
    archive.tend(MOMENT)
    monkeypatch.setattr("core.archive.copies._SMALL", 1000)
    archive.plans.save("plan", "{}", "d", NOON)
    archive.labels.save("plan", pd.DataFrame({"item_id": ["q1"], "label": "A"}), NOON)
    archive.tend(MOMENT)
    assert newest_copy(tmp_path).labels == 0


def test_the_newest_copies_are_kept_and_those_before_migrations(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "neyman-3.sqlite").touch()
    for day in range(DAYS + 3):
        archive.tend(MOMENT + timedelta(days=2 * day))
    names = sorted(path.name for path in (tmp_path / "backups").iterdir())
    assert len(names) == DAYS + 1 and names[:2] == ["neyman-2026-03-04.sqlite", "neyman-2026-03-06.sqlite"]
    assert names[-1] == "neyman-3.sqlite"


def test_a_copy_that_cannot_be_written_is_told_and_removes_none(tmp_path: Path, monkeypatch) -> None:
    archive = Archive(tmp_path)
    archive.plans.save("plan", "{}", "d", NOON)
    for day in range(DAYS):
        archive.tend(MOMENT + timedelta(days=day))
    before = sorted((tmp_path / "backups").iterdir())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.replace", full)
        with pytest.raises(HomeError, match="is full"):
            archive.tend(MOMENT + timedelta(days=DAYS))
    assert sorted((tmp_path / "backups").iterdir()) == before
    assert Archive(tmp_path).plans.table()["plan_id"].tolist() == ["plan"]
