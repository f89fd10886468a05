"""A database that is lost: no home with something in it opens as if it were new, and a copy brings its labels back."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest

from core.archive import Archive, recovery
from core.archive.copies import DAYS, newest_copy
from core.commands import main
from core.errors import HomeError
from tests.core.labels.conftest import NOON
from tests.core.wording import Saying

MOMENT = datetime(2026, 2, 26, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def label(home: Path, *items: str) -> None:
    archive = Archive(home)
    archive.plans.save("plan", "{}", "digest", NOON)
    archive.labels.save("plan", pd.DataFrame({"item_id": items, "label": "A", "annotator": "Ann"}), NOON)


def labelled(home: Path) -> list[str]:
    return Archive(home).labels.of("plan")["item_id"].tolist()


def emptied(database: Path) -> None:
    database.write_bytes(b"")


def without_tables(database: Path) -> None:
    database.unlink()
    with closing(sqlite3.connect(database)) as new:
        new.execute("PRAGMA journal_mode = WAL")


def without_rows(database: Path) -> None:
    with closing(sqlite3.connect(database)) as cleared, cleared:
        for table in ("label_changes", "label_sums", "designs", "pools"):
            cleared.execute(f"DELETE FROM {table}")


def begun_anew(database: Path) -> None:
    """As earlier versions went on: a new database beside the copies of the lost one."""
    database.unlink()
    Archive(database.parent / "new")
    shutil.move(database.parent / "new" / database.name, database)


LOSSES = [Path.unlink, emptied, without_tables, without_rows, begun_anew]


@pytest.mark.parametrize("lose", LOSSES)
def test_a_home_with_copies_never_opens_with_no_labels(tmp_path: Path, lose: Callable[[Path], None]) -> None:
    label(tmp_path, "q1", "q2")
    Archive(tmp_path).tend(MOMENT)
    lose(tmp_path / "neyman.sqlite")
    with pytest.raises(HomeError, match=r"lost.*copy of 2026-02-26 ") as caught:
        Archive(tmp_path)
    assert caught.value.lost
    recovery.restore(tmp_path)
    assert labelled(tmp_path) == ["q1", "q2"]


@pytest.mark.parametrize("folder", ["backups", "profiles", "pools", "batches"])
def test_every_kind_of_stored_file_says_that_there_was_a_database(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "neyman-2026-02-26.sqlite").write_bytes(b"")
    with pytest.raises(HomeError, match=rf"missing, but its folder holds {folder}:"):
        Archive(tmp_path)
    place = recovery.start_afresh(tmp_path)
    assert place is not None and (place / folder / "neyman-2026-02-26.sqlite").exists()
    assert Archive(tmp_path).plans.table().empty


@pytest.mark.parametrize("lose", [Path.unlink, emptied])
def test_the_log_of_a_lost_database_says_that_there_was_one_and_stays(
    tmp_path: Path, lose: Callable[[Path], None]
) -> None:
    held = Archive(tmp_path).hold()
    label(tmp_path, "q1")
    log = tmp_path / "neyman.sqlite-wal"
    content = log.read_bytes()
    lose(tmp_path / "neyman.sqlite")
    with pytest.raises(HomeError, match=r"missing, but its folder holds neyman\.sqlite-wal:"):
        Archive(tmp_path)
    assert log.read_bytes() == content
    held.close()


def test_a_new_home_opens_though_it_has_a_copy(tmp_path: Path) -> None:
    Archive(tmp_path).tend(MOMENT)
    assert Archive(tmp_path).plans.table().empty
    label(tmp_path, "q1")
    Archive(tmp_path).labels.undo("plan")
    assert labelled(tmp_path) == [], "who takes back a label has not lost it"


def test_the_newest_copy_with_labels_is_never_removed(tmp_path: Path) -> None:
    label(tmp_path, "q1", "q2", "q3")
    Archive(tmp_path).tend(MOMENT)
    Archive(tmp_path).labels.undo("plan")
    for day in range(1, DAYS + 8):
        Archive(tmp_path).tend(MOMENT + day * DAY)
    names = sorted(path.name for path in (tmp_path / "backups").iterdir())
    assert len(names) == DAYS + 1 and names[0] == "neyman-2026-02-26.sqlite"
    best = newest_copy(tmp_path)
    assert best is not None and (best.day, best.labels) == ("2026-02-26", 3)


def test_a_damaged_copy_does_not_stand_in_for_the_newest_with_labels(tmp_path: Path) -> None:
    label(tmp_path, "q1", "q2", "q3")
    Archive(tmp_path).tend(MOMENT)
    label(tmp_path, "q4")
    Archive(tmp_path).tend(MOMENT + DAY)
    with closing(sqlite3.connect(tmp_path / "backups" / "neyman-2026-02-27.sqlite")) as damaged, damaged:
        damaged.execute("UPDATE label_changes SET label = 'B'")
    for _ in range(2):
        Archive(tmp_path).labels.undo("plan")
    for day in range(2, DAYS + 8):
        Archive(tmp_path).tend(MOMENT + day * DAY)
    best = newest_copy(tmp_path)
    assert best is not None and (best.day, best.labels) == ("2026-02-26", 3)


def test_a_clock_that_was_ahead_takes_neither_todays_copy_nor_the_labels_since(tmp_path: Path) -> None:
    for day in range(DAYS):
        label(tmp_path, f"ahead {day}")
        Archive(tmp_path).tend(MOMENT + (30 + day) * DAY)
    for day in range(DAYS):
        label(tmp_path, f"right {day}")
        Archive(tmp_path).tend(MOMENT + day * DAY)
        copies = {path.name for path in (tmp_path / "backups").iterdir()}
        assert f"neyman-{MOMENT + day * DAY:%Y-%m-%d}.sqlite" in copies and len(copies) == DAYS
    assert copies == {f"neyman-{MOMENT + day * DAY:%Y-%m-%d}.sqlite" for day in range(DAYS)}


def test_days_that_the_clock_ran_through_before_get_a_copy_of_their_own(tmp_path: Path) -> None:
    for day in range(5):
        Archive(tmp_path).tend(MOMENT + day * DAY)
    label(tmp_path, "q1")
    Archive(tmp_path).tend(MOMENT)
    best = newest_copy(tmp_path)
    assert best is not None and (best.day, best.labels) == (f"{MOMENT:%Y-%m-%d}", 1)


def test_the_newest_is_the_one_with_the_last_label_and_a_damaged_one_is_none(tmp_path: Path) -> None:
    label(tmp_path, "q1")
    Archive(tmp_path).tend(MOMENT + 9 * DAY)
    label(tmp_path, "q2")
    Archive(tmp_path).tend(MOMENT)
    late = tmp_path / "backups" / f"neyman-{MOMENT + 9 * DAY:%Y-%m-%d}.sqlite"
    os.utime(late, (4e9, 4e9))
    best = newest_copy(tmp_path)
    assert best is not None and best.day == "2026-02-26"
    with closing(sqlite3.connect(best.path)) as damaged, damaged:
        damaged.execute("UPDATE label_changes SET label = 'B'")
    best = newest_copy(tmp_path)
    assert best is not None and best.path == late
    late.write_bytes(late.read_bytes()[:5000])
    assert newest_copy(tmp_path) is None
    with pytest.raises(HomeError, match=r"No copy in .*backups.* can be read"):
        recovery.restore(tmp_path)


def test_what_is_replaced_stays_and_its_log_is_not_read_as_the_copys(tmp_path: Path) -> None:
    label(tmp_path, "q1")
    Archive(tmp_path).tend(MOMENT)
    held = Archive(tmp_path).hold()
    label(tmp_path, "q2")
    assert (tmp_path / "neyman.sqlite-wal").stat().st_size
    copy = recovery.restore(tmp_path)
    held.close()
    assert copy.name == "neyman-2026-02-26.sqlite" and copy.exists()
    assert labelled(tmp_path) == ["q1"]
    recovery.restore(tmp_path, copy)
    assert sorted(path.name for path in (tmp_path / "set-aside").iterdir()) == ["1", "2"]
    assert (tmp_path / "set-aside" / "1" / "neyman.sqlite-wal").exists()


def test_the_command_that_the_message_names_brings_the_labels_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "a home’s folder"
    label(home, "q1", "q2")
    Archive(home).tend(MOMENT)
    (home / "neyman.sqlite").unlink()
    assert main(["home", "copies", str(home)]) == 0
    assert capsys.readouterr().out == Saying("neyman-2026-02-26.sqlite", "2 labels")
    assert main(["home", "restore", str(home)]) == 0
    assert labelled(home) == ["q1", "q2"]
    assert main(["home", "restore", str(home), str(home / "absent.sqlite")]) == 2
    assert "cannot be read as a copy" in capsys.readouterr().err
    assert labelled(home) == ["q1", "q2"]
    assert main(["home", "afresh", str(home)]) == 0
    assert "set-aside" in capsys.readouterr().out and labelled(home) == []
    assert main(["home", "copies", str(home)]) == 0
    assert "No copy in" in capsys.readouterr().out
    assert main(["home", "restore", str(home)]) == 2
    assert "No copy in" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "copies", "restore"])
def test_a_folder_that_is_no_home_is_not_taken_for_a_whole_one(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A slip in the name once made a home, which had all that its copies had."""
    (tmp_path / "other").mkdir()
    for folder in (tmp_path / "absent", tmp_path / "other"):
        assert main(["home", command, str(folder)]) == 2
        assert "holds neither a database of Neyman nor copies" in capsys.readouterr().err
    assert [*tmp_path.rglob("*")] == [tmp_path / "other"]
