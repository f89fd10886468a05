"""A database that was set back in time, or lost its log: noticed, offered, and joined with what came since."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest

from core.archive import Archive, bring_back
from core.archive.copies import DAYS
from core.archive.schema import MIGRATIONS
from core.commands import main
from core.errors import HomeError
from tests.core.labels.conftest import NOON

MOMENT = datetime(2026, 2, 26, 12, tzinfo=UTC)
DAY = timedelta(days=1)
FILE = "neyman.sqlite"


def save(home: Path, *items: str, plan: str = "plan", label: str = "A", person: str = "Ann", step: str = "") -> None:
    archive = Archive(home)
    archive.plans.save(plan, "{}", "digest", NOON)
    rows = pd.DataFrame({"item_id": items, "label": label, "annotator": person})
    archive.labels.save(plan, rows, NOON, step=step)


def labels(home: Path, plan: str = "plan") -> dict[str, str]:
    rows = Archive(home).labels.of(plan)
    return dict(zip(rows["item_id"], rows["label"], strict=True))


def checkpoint(home: Path, target: Path) -> None:
    """Copy the database alone, all of it, as somebody who keeps a copy elsewhere does."""
    with closing(sqlite3.connect(home / FILE)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)


def set_back(home: Path, copy: Path) -> None:
    for end in ("-wal", "-shm"):
        (home / f"{FILE}{end}").unlink(missing_ok=True)
    shutil.copyfile(copy, home / FILE)


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A home whose database is of a moment with two labels; its copy of 26 February has three more and a plan."""
    home = tmp_path / "home"
    save(home, "q1", "q2")
    checkpoint(home, tmp_path / "old.sqlite")
    save(home, "q3", "q4")
    save(home, "q5", plan="second")
    Archive(home).tend(MOMENT)
    set_back(home, tmp_path / "old.sqlite")
    return home


def test_a_home_that_lacks_nothing_says_nothing(tmp_path: Path) -> None:
    save(tmp_path, "q1", "q2")
    Archive(tmp_path).tend(MOMENT)
    save(tmp_path, "q3", label="B")
    assert Archive(tmp_path).setback() is None


def test_a_database_that_was_set_back_is_noticed_and_brought_back(earlier: Path) -> None:
    found = Archive(earlier).setback()
    assert found is not None and found.copy is not None
    assert (found.missing.labels, found.missing.plans) == (3, 1)
    assert "ends before the copy of 2026-02-26 (5 labels): it lacks 3 labels and 1 plan" in found.sentence
    bring_back(earlier, found.copy.path)
    assert labels(earlier) == dict.fromkeys(("q1", "q2", "q3", "q4"), "A") and labels(earlier, "second") == {"q5": "A"}
    assert Archive(earlier).setback() is None
    assert [path.name for path in (earlier / "set-aside").iterdir()] == ["1"]


def test_what_was_saved_since_then_stays_and_counts_last(earlier: Path) -> None:
    save(earlier, "q3", "q9", label="B")
    save(earlier, "q1", plan="third", person="Ben")
    Archive(earlier).tend(MOMENT + DAY)
    found = Archive(earlier).setback()
    assert found is not None and found.copy is not None and found.missing.labels == 3
    bring_back(earlier, found.copy.path)
    assert labels(earlier) == {"q1": "A", "q2": "A", "q3": "B", "q4": "A", "q9": "B"}
    assert labels(earlier, "second") == {"q5": "A"} and labels(earlier, "third") == {"q1": "A"}
    # The copy of the next day has the newer labels under other numbers.
    assert Archive(earlier).setback() is None


def test_runs_are_joined_with_their_generations(earlier: Path, tmp_path: Path) -> None:
    def run(home: Path, name: str, generations: int) -> None:
        with closing(sqlite3.connect(home / FILE)) as database, database:
            number = database.execute("SELECT number FROM surrogate_jobs WHERE id = ?", (name,)).fetchone()
            if number is None:
                number = (
                    database.execute(
                        "INSERT INTO surrogate_jobs (id, key, digest, spec, total, created, state, heartbeat)"
                        " VALUES (?, ?, 'd', '{}', 9, ?, 'running', 0)",
                        (name, name, NOON),
                    ).lastrowid,
                )
            database.execute("UPDATE surrogate_jobs SET generations = ? WHERE id = ?", (generations, name))
            database.executemany(
                "INSERT OR IGNORE INTO surrogate_generations (job, position, sample, text) VALUES (?, ?, 0, ?)",
                [(number[0], place, f"{name} {place}") for place in range(generations)],
            )

    home = tmp_path / "runs"
    save(home, "q1")
    run(home, "both", 2)
    checkpoint(home, tmp_path / "old.sqlite")
    run(home, "both", 5)
    run(home, "lost", 3)
    Archive(home).tend(MOMENT)
    set_back(home, tmp_path / "old.sqlite")
    run(home, "both", 3)
    run(home, "new", 4)
    found = Archive(home).setback()
    assert found is not None and found.copy is not None and found.missing.generations == 2 + 3
    assert "lacks 5 generations" in found.sentence
    bring_back(home, found.copy.path)
    with closing(sqlite3.connect(home / FILE)) as database:
        query = (
            "SELECT id, state, generations, count(*), max(text) FROM surrogate_jobs JOIN surrogate_generations"
            " ON job = number GROUP BY id"
        )
        assert database.execute(query).fetchall() == [
            ("both", "running", 5, 5, "both 4"),
            ("lost", "running", 3, 3, "lost 2"),
            ("new", "stopped", 4, 4, "new 3"),
        ]
    assert Archive(home).setback() is None


def test_labels_that_were_undone_are_not_missing(tmp_path: Path) -> None:
    save(tmp_path, "q1", step="kept")
    save(tmp_path, "q2", step="undone")
    Archive(tmp_path).tend(MOMENT)
    assert Archive(tmp_path).labels.undo("plan") == 1
    assert Archive(tmp_path).setback() is None
    # The page may save an undone step again; from then on it can be missing.
    save(tmp_path, "q2", step="undone")
    checkpoint(tmp_path, tmp_path / "all.sqlite")
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        database.execute("DELETE FROM label_changes WHERE item_id = 'q2'")
        database.execute("UPDATE label_sums SET changes = 1, checksums = (SELECT sum(checksum) FROM label_changes)")
    found = Archive(tmp_path).setback()
    assert found is not None and found.missing.labels == 1


def test_keeping_the_database_ends_the_question_and_frees_its_copies(earlier: Path) -> None:
    archive = Archive(earlier)
    found = archive.setback()
    assert found is not None
    for day in range(1, DAYS + 2):
        archive.tend(MOMENT + day * DAY)
    assert found.copy is not None and found.copy.path.exists()
    archive.accept(found)
    assert Archive(earlier).setback() is None
    # The newest copy with labels is another one from now on.
    save(earlier, *(f"n{number}" for number in range(9)))
    archive.tend(MOMENT + (DAYS + 2) * DAY)
    assert not found.copy.path.exists()


def test_no_copy_goes_that_holds_what_neither_the_database_nor_a_newer_copy_has(earlier: Path) -> None:
    for day in range(1, DAYS + 5):
        save(earlier, f"new{day}")
        Archive(earlier).tend(MOMENT + day * DAY)
    names = sorted(path.name for path in (earlier / "backups").iterdir())
    assert names[0] == "neyman-2026-02-26.sqlite" and len(names) == DAYS + 1
    found = Archive(earlier).setback()
    assert found is not None and found.copy is not None and found.copy.day == "2026-02-26"


def test_the_copy_of_a_day_is_not_written_over_if_it_alone_holds_labels(earlier: Path) -> None:
    # As many labels as the copy, and more: by number alone the copy would be out of date.
    save(earlier, *(f"n{number}" for number in range(9)))
    Archive(earlier).tend(MOMENT + timedelta(hours=1))
    names = sorted(path.name for path in (earlier / "backups").iterdir())
    assert names == ["neyman-2026-02-26-2.sqlite", "neyman-2026-02-26.sqlite"]
    found = Archive(earlier).setback()
    assert found is not None and found.missing.labels == 3 and "copy of 2026-02-26 (5 labels)" in found.sentence


def lose_log(home: Path) -> None:
    (home / f"{FILE}-wal").unlink()


def copy_without_log(home: Path) -> None:
    """Copy a folder file by file while the log holds the last labels, and leave the log out."""
    other = home.with_name("elsewhere")
    shutil.copytree(home, other, ignore=shutil.ignore_patterns("*-wal", "*-shm"))
    shutil.rmtree(home)
    other.rename(home)


@pytest.mark.parametrize("lose", [lose_log, copy_without_log])
def test_a_lost_log_is_noticed_without_any_copy(tmp_path: Path, lose: Callable[[Path], None]) -> None:
    home = tmp_path / "home"
    save(home, "q1")
    holding = sqlite3.connect(home / FILE)
    holding.execute("PRAGMA journal_mode = WAL")
    holding.execute("SELECT count(*) FROM label_changes").fetchone()
    save(home, "q2", "q3")
    killed = tmp_path / "killed"
    # As a process that is killed leaves it.
    shutil.copytree(home, killed, ignore=shutil.ignore_patterns("*-shm"))
    holding.close()
    assert labels(killed) == dict.fromkeys(("q1", "q2", "q3"), "A")
    shutil.rmtree(killed)
    holding = sqlite3.connect(home / FILE)
    holding.execute("SELECT count(*) FROM label_changes").fetchone()
    save(home, "q4")
    shutil.copytree(home, killed, ignore=shutil.ignore_patterns("*-shm"))
    holding.close()
    lose(killed)
    assert "q4" not in labels(killed)
    found = Archive(killed).setback()
    assert found is not None and found.copy is None and f"“{FILE}-wal”" in found.sentence
    assert main(["home", "check", str(killed), "--accept"]) == 0
    assert Archive(killed).setback() is None


def test_the_command_reports_and_brings_back(earlier: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["home", "check", str(earlier)]) == 3 and "--bring-back" in capsys.readouterr().out
    assert main(["home", "check", str(earlier), "--bring-back"]) == 0
    assert "Brought back: 3 labels and 1 plan." in capsys.readouterr().out
    assert len(labels(earlier)) == 4


def test_a_copy_of_an_earlier_version_is_compared_too(tmp_path: Path) -> None:
    save(tmp_path, "q1", "q2")
    Archive(tmp_path).tend(MOMENT)
    copy = tmp_path / "backups" / "neyman-2026-02-26.sqlite"
    with closing(sqlite3.connect(copy)) as database, database:
        database.execute("DROP TABLE discarded")
        database.execute(f"PRAGMA user_version = {len(MIGRATIONS) - 1}")
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        database.execute("DELETE FROM label_changes WHERE item_id = 'q2'")
        database.execute("UPDATE label_sums SET changes = 1, checksums = (SELECT sum(checksum) FROM label_changes)")
    found = Archive(tmp_path).setback()
    assert found is not None and found.missing.labels == 1


def test_a_damaged_copy_is_no_witness(earlier: Path) -> None:
    copy = earlier / "backups" / "neyman-2026-02-26.sqlite"
    copy.write_bytes(copy.read_bytes()[:5000] + b"\xff" * 9000)
    found = Archive(earlier).setback()
    # The note of the last label is one.
    assert found is not None and found.copy is None


def test_a_home_that_cannot_be_written_keeps_its_copy(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    found = Archive(earlier).setback()
    assert found is not None and found.copy is not None
    monkeypatch.setattr("core.archive.recovery.shutil.copyfile", full)
    with pytest.raises(HomeError):
        bring_back(earlier, found.copy.path)
    assert labels(earlier) == {"q1": "A", "q2": "A"} and Archive(earlier).setback() is not None
