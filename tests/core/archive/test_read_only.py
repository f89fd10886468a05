"""A home that may only be read: on a disk mounted so, or of somebody else."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pandas as pd
import pytest

from core.archive import Archive
from core.errors import HomeError
from tests.core.labels.conftest import NOON

NOBODY = 65534


@contextmanager
def read_only(home: Path) -> Iterator[None]:
    """Take from everybody the right to write, and from root what it may do all the same."""
    for path in (home, *home.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for parent in home.parents:
        if parent.is_relative_to(tempfile.gettempdir()) and parent.stat().st_uid == os.getuid():
            parent.chmod(0o755)
    user = os.geteuid()
    if not user:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if not user:
            os.seteuid(user)
        for path in (home, *home.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    archive = Archive(folder)
    archive.plans.save("plan", "{}", "digest", NOON)
    archive.labels.save("plan", pd.DataFrame({"item_id": ["q1"], "label": "A"}), NOON)
    return folder


def test_a_read_only_home_can_be_read_and_says_that_nothing_can_be_saved(home: Path) -> None:
    with read_only(home):
        archive = Archive(home)
        assert archive.read_only and archive.labels.of("plan")["label"].tolist() == ["A"]
        assert archive.setback() is None
        with closing(archive.watched()) as watch:
            assert Archive(home, watch=watch).labels.counts()["items"].tolist() == [1]
        with pytest.raises(HomeError, match=r"is read-only\. Make it writable"):
            archive.labels.save("plan", pd.DataFrame({"item_id": ["q1"], "label": "B"}), NOON)
    assert not Archive(home).read_only


def test_changes_that_are_only_in_the_log_are_never_left_out_without_a_word(home: Path) -> None:
    with closing(sqlite3.connect(home / "neyman.sqlite")) as holding:
        holding.execute("SELECT count(*) FROM label_changes").fetchone()
        Archive(home).labels.save("plan", pd.DataFrame({"item_id": ["q2"], "label": "B"}), NOON)
        with read_only(home), pytest.raises(HomeError, match=r"newest changes are in “neyman\.sqlite-wal”"):
            Archive(home)


def test_a_read_only_home_of_another_version_is_refused_with_the_way_out(home: Path) -> None:
    with closing(sqlite3.connect(home / "neyman.sqlite")) as database, database:
        database.execute("PRAGMA user_version = 3")
    with read_only(home), pytest.raises(HomeError, match="Copy the whole folder and set NEYMAN_HOME to the copy"):
        Archive(home)
