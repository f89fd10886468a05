"""Labels are those that were saved, or the reader says that they are not."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.archive import Archive
from core.archive.database import FILE, Database
from core.archive.schema import MIGRATIONS
from core.errors import HomeError
from tests.core.labels.conftest import LATER, NOON

COLUMNS = ["item_id", "annotator", "label", "note", "status"]


def rows(*given: tuple[str | None, ...]) -> pd.DataFrame:
    return pd.DataFrame([(*row, *[None] * (5 - len(row))) for row in given], columns=COLUMNS, dtype=object)


def many(size: int) -> pd.DataFrame:
    return rows(*((f"item {number}", "Ann", "right", "ein Wort ✓") for number in range(size)))


def change(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / FILE)) as database, database:
        assert database.execute(statement, values).rowcount == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE label_changes SET label = 'Right' WHERE number = 2",
        "UPDATE label_changes SET label = NULL WHERE number = 2",
        "UPDATE label_changes SET note = 'sure' WHERE number = 2",
        "UPDATE label_changes SET item_id = 'item 9' WHERE number = 2",
        "UPDATE label_changes SET number = 99 WHERE number = 2",
        "UPDATE label_changes SET checksum = checksum + 1 WHERE number = 2",
        "UPDATE label_sums SET changes = changes + 1",
        "DELETE FROM label_changes WHERE number = 2",
        "DELETE FROM label_sums",
    ],
)
def test_a_change_behind_neymans_back_is_noticed(archive: Archive, tmp_path: Path, statement: str) -> None:
    archive.labels.save("p", many(3), NOON)
    archive.tend(pd.Timestamp(NOON).to_pydatetime())
    assert len(archive.labels.of("p")) == 3
    change(tmp_path, statement)
    with pytest.raises(HomeError, match=r"damaged.*Restore the copy of 2026"):
        archive.labels.of("q", "p")
    assert archive.labels.of("q").empty


def test_any_flipped_byte_is_noticed_or_harmless(archive: Archive, tmp_path: Path) -> None:
    archive.labels.save("p", many(40), NOON)
    archive.labels.save("p", rows(("item 3", "Ann", "wrong")), LATER)
    before, content = archive.labels.of("p"), (tmp_path / FILE).read_bytes()
    texts = [place + at for text in (b"right", b"Ann", b"Wort") for place in [content.find(text)] for at in range(3)]
    anywhere = np.random.default_rng(0).integers(0, len(content), 120).tolist()
    noticed = []
    for place in texts + anywhere:
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        home = tmp_path / "flipped"
        home.mkdir(mode=0o700)
        (home / FILE).touch(mode=0o600)
        (home / FILE).write_bytes(damaged)
        try:
            pd.testing.assert_frame_equal(Archive(home).labels.of("p"), before)
        except HomeError:
            noticed.append(place)
        shutil.rmtree(home)
    assert set(texts) <= set(noticed)


def test_undoing_and_saving_keep_the_sums(archive: Archive) -> None:
    archive.labels.save("p", many(5), NOON, "csv")
    archive.labels.save("p", rows(("item 1", "Ann", "wrong"), ("item 2", "Bob", "wrong")), LATER, "here")
    archive.labels.undo("p", "Ann")
    assert len(archive.labels.of("p")) == 6
    last = archive.labels.last_import("p")
    assert last is not None and archive.labels.undo_import(last) == 5
    assert archive.labels.of("p")["annotator"].tolist() == ["Bob"]
    assert (archive.labels.undo("p"), archive.labels.undo("p")) == (1, 0)
    assert archive.labels.of("p").empty
    archive.labels.save("p", many(2), NOON)
    assert len(archive.labels.of("p")) == 2


def test_labels_of_an_earlier_version_are_sealed_when_they_are_migrated(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        for statement in (statement for statements in MIGRATIONS[:4] for statement in statements):
            database.execute(statement)
        database.execute("PRAGMA user_version = 4")
        columns = "number, batch, plan_id, item_id, annotator, kind, target, part, label, note, status, source, created"
        values = [(n, "b", "p" if n < 4 else "q", f"i{n}", "", "", "", 0, "A", None, "", "", NOON) for n in (1, 3, 5)]
        database.executemany(f"INSERT INTO label_changes ({columns}) VALUES ({', '.join('?' * 13)})", values)
    archive = Archive(tmp_path)
    assert archive.labels.of("p", "q")["item_id"].tolist() == ["i1", "i3", "i5"]
    change(tmp_path, "UPDATE label_changes SET label = 'B' WHERE number = 3")
    with pytest.raises(HomeError, match="i3"):
        archive.labels.of("p")
    assert len(archive.labels.of("q")) == 1


def test_a_save_reads_only_the_rows_of_its_item(archive: Archive, tmp_path: Path) -> None:
    archive.labels.save("p", many(3), NOON)
    archive.labels.save("q", many(3), NOON)
    change(tmp_path, "UPDATE label_changes SET label = 'wrong' WHERE plan_id = 'p' AND item_id = 'item 2'")
    for plan_id, also in (("p", ["q"]), ("q", ["p"])):
        assert archive.labels.save(plan_id, rows(("item 1", "Ann", f"wrong {plan_id}")), LATER, also=also) == 1
        with pytest.raises(HomeError, match="item 2"):
            archive.labels.save(plan_id, rows(("item 2", "Ann", "A")), LATER, also=["p", "q"])
    assert archive.labels.of("p", "q", items=["item 1"])["label"].tolist() == ["wrong q"]


def test_a_save_costs_the_same_whatever_is_kept(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of SQLite's machine, which are the same at every run."""
    steps, connect = [0], Database.connect

    def counted(database: Database) -> sqlite3.Connection:
        connection = connect(database)
        connection.set_progress_handler(lambda: steps.__setitem__(0, steps[0] + 1), 1)
        return connection

    def cost(name: str) -> int:
        steps[0] = 0
        archive.labels.save("p", rows((name, "Bob", "right")), LATER, also=["q"])
        return steps[0]

    archive.labels.save("p", many(100), NOON)
    monkeypatch.setattr(Database, "connect", counted)
    small = cost("item 7")
    archive.labels.save("p", many(5000), NOON)
    archive.labels.save("q", many(5000), NOON)
    assert cost("item 8") <= small + 200


def test_items_beyond_one_query_come_in_the_order_of_their_changes(archive: Archive) -> None:
    size = 1200
    archive.labels.save("p", many(size), NOON)
    archive.labels.save("p", rows(("item 5", "Ann", "wrong")), LATER)
    some = [f"item {number}" for number in range(size) if number % 2]
    whole = archive.labels.of("p")
    pd.testing.assert_frame_equal(
        archive.labels.of("p", items=some), whole[whole["item_id"].isin(some)].reset_index(drop=True)
    )
    assert archive.labels.save("p", many(size), LATER) == 1
