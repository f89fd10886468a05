"""The tables of the archive's database, and the way from every earlier version to this one."""

from __future__ import annotations

import sqlite3

# MIGRATIONS[v] leads from version v to v + 1.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE IF NOT EXISTS pools (digest TEXT PRIMARY KEY, name TEXT NOT NULL, n_items INTEGER NOT NULL,"
        " n_generations INTEGER NOT NULL, targets TEXT NOT NULL, notes TEXT NOT NULL, created TEXT NOT NULL) STRICT",
        "CREATE TABLE IF NOT EXISTS designs (plan_id TEXT PRIMARY KEY, digest TEXT NOT NULL, manifest TEXT NOT NULL,"
        " created TEXT NOT NULL) STRICT",
    ),
    (
        "CREATE TABLE IF NOT EXISTS label_changes (number INTEGER PRIMARY KEY, batch TEXT NOT NULL,"
        " plan_id TEXT NOT NULL, item_id TEXT NOT NULL, annotator TEXT NOT NULL, part INTEGER NOT NULL, label TEXT,"
        " note TEXT, status TEXT NOT NULL, source TEXT NOT NULL, created TEXT NOT NULL) STRICT",
        "CREATE INDEX IF NOT EXISTS label_changes_of_plan ON label_changes (plan_id)",
    ),
    (
        "ALTER TABLE label_changes ADD COLUMN kind TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE label_changes ADD COLUMN target TEXT NOT NULL DEFAULT ''",
        # Until then what was asked stood behind the source.
        "UPDATE label_changes SET kind = 'right-wrong' WHERE source LIKE '% right-wrong'",
        "UPDATE label_changes SET kind = 'gold' WHERE source LIKE '% gold'",
        "UPDATE label_changes SET kind = 'score' WHERE source LIKE '% score'",
    ),
)
SCHEMA_VERSION = len(MIGRATIONS)


def version_of(database: sqlite3.Connection) -> int:
    """The version of the tables, 0 for an empty database."""
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def migrate(database: sqlite3.Connection) -> None:
    """Bring the tables to this version, in one transaction; another process may be at it too."""
    if version_of(database) == SCHEMA_VERSION:
        return
    database.execute("BEGIN IMMEDIATE")
    for statements in MIGRATIONS[version_of(database) :]:
        for statement in statements:
            database.execute(statement)
    database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
