"""What is asked of a home again and again is read once, until somebody writes."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from core.archive import Archive, Watch, label_log
from core.errors import HomeError
from core.surrogate import Store

NOW = "2026-01-01T00:00:00+00:00"
LABEL = pd.DataFrame([{"item_id": "a", "label": "A"}])


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A number for each time that labels were counted in the database."""
    counts, times = label_log.counts, list[int]()
    monkeypatch.setattr(label_log, "counts", lambda database: times.append(1) or counts(database))
    return times


def test_tables_are_read_once_until_another_connection_writes(tmp_path: Path, counted: list[int]) -> None:
    writer = Archive(tmp_path)
    watch = writer.watched()
    for labels in range(3):
        for _ in range(4):
            # A page opens the archive again wherever it needs it.
            here = Archive(tmp_path, watch=watch)
            assert len(here.labels.counts()) == labels and here.plans.table("items").empty
            assert here.pools.table().empty and here.verdicts.states() == {}
        assert len(counted) == labels + 1
        writer.labels.save(f"plan {labels}", LABEL, NOW, kind="gold")
    watch.close()


def test_jobs_are_read_once_until_somebody_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive, times, read = Archive(tmp_path), list[int](), Store._rows
    monkeypatch.setattr(Store, "_rows", lambda store: times.append(1) or read(store))
    watch = archive.watched()
    for reading in (1, 2):
        for _ in range(3):
            rows = Store(tmp_path, watch).rows()
            # Theirs, whoever asks.
            rows.append("something")
            assert len(rows) == 1
        assert len(times) == reading
        archive.labels.save("plan", LABEL, NOW, kind="gold")
    watch.close()


def test_what_has_no_watch_or_a_closed_one_is_read_each_time(tmp_path: Path, counted: list[int]) -> None:
    watch = Archive(tmp_path).watched()
    watch.close()
    for here in (Archive(tmp_path), Archive(tmp_path, watch=watch)):
        here.labels.counts(), here.labels.counts()
    assert len(counted) == 4


def test_a_locked_database_is_asked_again(tmp_path: Path) -> None:
    path, asked = tmp_path / "some.sqlite", list[int]()
    with closing(sqlite3.connect(path)) as other, closing(sqlite3.connect(path)) as held:
        other.execute("CREATE TABLE one (two)")
        watch = Watch(held, path)
        other.execute("BEGIN EXCLUSIVE")
        for _ in range(2):
            watch.once("key", lambda: asked.append(1))
        assert len(asked) == 2
        other.rollback()
        for _ in range(2):
            watch.once("key", lambda: asked.append(1))
        assert len(asked) == 3


def test_writings_to_a_file_in_place_of_the_first_one_are_noticed(tmp_path: Path) -> None:
    here, other = Archive(tmp_path / "here"), Archive(tmp_path / "other")
    watch = here.watched()
    watched = Archive(here.folder, watch=watch)
    assert len(watched.labels.counts()) == 0
    for beside in here.folder.glob("neyman.sqlite-*"):
        beside.unlink()
    os.replace(other.folder / "neyman.sqlite", here.folder / "neyman.sqlite")
    # While somebody holds it, what is written stays beside the file, which does not change.
    with closing(Archive(here.folder).hold()):
        for labels in range(3):
            assert len(watched.labels.counts()) == labels
            Archive(here.folder).labels.save(f"plan {labels}", LABEL, NOW, kind="gold")
    watch.close()


def test_a_file_that_goes_or_is_damaged_is_noticed(tmp_path: Path) -> None:
    first = Archive(tmp_path)
    watch, known, file = first.watched(), first.identity, tmp_path / "neyman.sqlite"
    Archive(tmp_path, known=known, watch=watch)
    content = file.read_bytes()
    file.write_bytes(b"\0" * len(content))
    with pytest.raises(HomeError):
        Archive(tmp_path, known=known, watch=watch)
    file.unlink()
    with pytest.raises(HomeError):
        Archive(tmp_path, known=known, watch=watch)
    watch.close()
