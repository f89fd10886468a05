"""The database: migrations after a backup, and what it says if it cannot be used."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from core.archive.database import FILE, Database
from core.archive.schema import MIGRATIONS, SCHEMA_VERSION, checksum
from core.errors import NeymanError

PLAN = "INSERT INTO designs (plan_id, digest, manifest, created) VALUES ('plan', 'd', '{}', '')"


def older(folder: Path, version: int, *statements: str) -> None:
    """The database as an earlier version of the program left it."""
    with closing(sqlite3.connect(folder / FILE)) as database:
        database.create_function("label_checksum", -1, checksum)
        for statement in (*(one for statements in MIGRATIONS[:version] for one in statements), *statements):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {version}")
        database.commit()


def dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        version = database.execute("PRAGMA user_version").fetchone()
        return "\n".join([str(version), *database.iterdump()])


def test_a_new_folder_needs_no_backup(tmp_path: Path) -> None:
    Database(tmp_path / "home").prepare()
    Database(tmp_path / "home").prepare()
    assert not (tmp_path / "home" / "backups").exists()
    assert dump(tmp_path / "home" / FILE).startswith(f"({SCHEMA_VERSION},)")


def test_a_new_database_has_the_tables_to_which_the_migrations_of_an_old_one_lead(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    older(tmp_path / "old", 1)
    for home in ("old", "new"):
        Database(tmp_path / home).prepare()
    assert dump(tmp_path / "new" / FILE) == dump(tmp_path / "old" / FILE)


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_the_backup_is_the_database_as_it_was(tmp_path: Path, version: int) -> None:
    older(tmp_path, version, PLAN)
    before = dump(tmp_path / FILE)
    Database(tmp_path).prepare()
    assert dump(tmp_path / "backups" / f"neyman-{version}.sqlite") == before
    assert dump(tmp_path / FILE).startswith(f"({SCHEMA_VERSION},)")
    Database(tmp_path).prepare()
    assert len(list((tmp_path / "backups").iterdir())) == 1


def test_jobs_end_in_the_states_of_this_version(tmp_path: Path) -> None:
    columns = "number, id, key, digest, spec, total, created, state, heartbeat, failed"
    rows = ((1, "cancelled", 0), (2, "done", 0), (3, "done", 2), (4, "failed", 1))
    older(
        tmp_path,
        4,
        *(
            f"INSERT INTO surrogate_jobs ({columns}) VALUES ({n}, '{n}', '', '', '', 9, '', '{state}', 0, {failed})"
            for n, state, failed in rows
        ),
        "INSERT INTO surrogate_failures VALUES (3, 0, 'refused', '', 1), (3, 1, 'too long', '', 1)",
    )
    Database(tmp_path).prepare()
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        states = database.execute("SELECT state FROM surrogate_jobs ORDER BY number").fetchall()
        failures = database.execute("SELECT kind, final FROM surrogate_failures ORDER BY position").fetchall()
    assert [state for (state,) in states] == ["stopped", "done", "done with failures", "failed"]
    assert failures == [("refused", 0), ("too long", 1)]


def test_a_backup_replaces_none(tmp_path: Path) -> None:
    for note in ("first", "second"):
        (tmp_path / FILE).unlink(missing_ok=True)
        older(
            tmp_path, 3, f"INSERT INTO designs (plan_id, digest, manifest, created) VALUES ('{note}', 'd', '{{}}', '')"
        )
        Database(tmp_path).prepare()
    assert "first" in dump(tmp_path / "backups" / "neyman-3.sqlite")
    assert "second" in dump(tmp_path / "backups" / "neyman-3-2.sqlite")


def test_a_migration_that_fails_changes_nothing_and_names_the_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(tmp_path, 3)
    before = dump(tmp_path / FILE)
    broken = (*MIGRATIONS[:3], ("ALTER TABLE pools ADD COLUMN items TEXT", "INSERT INTO nowhere VALUES (1)"))
    with monkeypatch.context() as patched:
        patched.setattr("core.archive.database.MIGRATIONS", broken)
        with pytest.raises(NeymanError, match="nowhere") as caught:
            Database(tmp_path).prepare()
    backup = tmp_path / "backups" / "neyman-3.sqlite"
    assert str(backup) in str(caught.value)
    assert dump(tmp_path / FILE) == dump(backup) == before
    Database(tmp_path).prepare()


def test_without_a_backup_nothing_is_migrated(tmp_path: Path) -> None:
    older(tmp_path, 3)
    before = dump(tmp_path / FILE)
    (tmp_path / "backups").write_text("in the way")
    with pytest.raises(NeymanError, match="no backup"):
        Database(tmp_path).prepare()
    assert dump(tmp_path / FILE) == before


def test_processes_that_start_at_once_migrate_once(tmp_path: Path) -> None:
    older(tmp_path, 3, PLAN)
    start = threading.Barrier(6)

    def prepare(_: int) -> None:
        start.wait()
        Database(tmp_path).prepare()

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(prepare, range(6)))
    assert [path.name for path in (tmp_path / "backups").iterdir()] == ["neyman-3.sqlite"]
    assert "plan" in dump(tmp_path / FILE)


def test_jobs_of_a_store_with_a_version_of_its_own_stay(tmp_path: Path) -> None:
    tables = [statement for statement in MIGRATIONS[3] if "surrogate" in statement and not statement.startswith("DROP")]
    job = (
        "INSERT INTO surrogate_jobs (id, key, digest, spec, total, created, state, heartbeat)"
        " VALUES ('job', 'k', 'd', '{}', 9, '', 'lost', 0)"
    )
    older(tmp_path, 3, *tables, "CREATE TABLE surrogate_schema (version INTEGER NOT NULL) STRICT", job)
    Database(tmp_path).prepare()
    with Database(tmp_path).connection() as database:
        assert database.execute("SELECT id, total FROM surrogate_jobs").fetchall() == [("job", 9)]


def test_what_fails_is_not_written(tmp_path: Path) -> None:
    database = Database(tmp_path)
    database.prepare()
    with pytest.raises(NeymanError, match="missing"), database.writing() as connection:
        connection.execute("INSERT INTO designs (plan_id, digest, manifest, created) VALUES ('p', 'd', '{}', '')")
        connection.execute("SELECT * FROM missing")
    with database.connection() as connection:
        assert connection.execute("SELECT count(*) FROM designs").fetchone() == (0,)
