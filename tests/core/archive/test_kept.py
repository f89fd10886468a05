"""Labels in the archive: nothing twice, nothing lost, and a way back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.archive import BY_HAND, Archive, is_by_hand
from core.archive.checksums import checksum
from core.archive.schema import MIGRATIONS, SCHEMA_VERSION
from core.errors import NeymanError
from core.labels import relevant, settle
from core.labels.formats.records import DECISION
from core.labels.rows import WITHDRAWN
from tests.core.labels.conftest import LATER, NOON


def rows(*given: tuple[Any, ...]) -> pd.DataFrame:
    padded = [(*row, *[None] * (5 - len(row))) for row in given]
    return pd.DataFrame(padded, columns=["item_id", "annotator", "label", "status", "note"], dtype=object)


def labels_in(archive: Archive, *plans: str) -> list[list[Any]]:
    return archive.labels(*(plans or ("p",)))[["item_id", "annotator", "label"]].values.tolist()


def test_importing_twice_changes_nothing(archive: Archive) -> None:
    file = rows(("=a,\n🙂\x00", "Ann", "A"), ("b", "", "B", "", "hm"), ("b", "", "C"), ("c", "Ann", None, "cancelled"))
    assert archive.save_labels("p", file, NOON, "csv") == 4
    before = archive.labels("p")
    assert archive.save_labels("p", file, LATER, "csv") == 0
    pd.testing.assert_frame_equal(archive.labels("p"), before)
    assert before.values.tolist() == [
        ["p", "=a,\n🙂\x00", "Ann", "", "", "A", None, "", "csv", NOON],
        ["p", "b", "", "", "", "B", "hm", "", "csv", NOON],
        ["p", "b", "", "", "", "C", None, "", "csv", NOON],
        ["p", "c", "Ann", "", "", None, None, "cancelled", "csv", NOON],
    ]


def test_label_by_label_with_undo(archive: Archive) -> None:
    for label in ("A", "B"):
        archive.save_labels("p", rows(("a", "Ann", label)), NOON)
    archive.save_labels("p", rows(("a", "Bob", "C")), NOON)
    assert labels_in(archive) == [["a", "Ann", "B"], ["a", "Bob", "C"]]
    assert archive.undo_labels("p", "Ann") == 1
    assert labels_in(archive) == [["a", "Ann", "A"], ["a", "Bob", "C"]]
    assert archive.undo_labels("p") == 1
    assert archive.undo_labels("p") == 1
    assert (archive.undo_labels("p"), labels_in(archive)) == (0, [])


def test_an_import_is_undone_as_one(archive: Archive) -> None:
    archive.save_labels("p", rows(("a", "", "A")), NOON)
    archive.save_labels("p", rows(("a", "", "B"), ("b", "", "B"), ("c", "", "B")), NOON)
    assert archive.undo_labels("p") == 3
    assert labels_in(archive) == [["a", "", "A"]]


def test_the_last_import_is_undone_and_labels_given_by_hand_since_stay(archive: Archive) -> None:
    assert archive.last_import("p") is None and archive.last_import() is None
    archive.save_labels("p", rows(("a", "Ann", "A"), ("b", "Ann", "A")), NOON, "here")
    archive.save_labels("q", rows(("a", "Cid", "C")), NOON, "jsonl")
    archive.save_labels("p", rows(("a", "Ann", "B"), ("b", "Ann", "B"), ("c", "Bob", "B")), LATER, "csv")
    archive.save_labels("p", rows(("b", "Ann", "C"), ("d", "Dee", "D")), LATER, "here gold")
    last = archive.last_import("p", "q")
    assert last is not None
    assert last[:1] + last[2:] == ("p", "csv", LATER, 3, ("Ann", "Bob"), ("",))
    assert archive.undo_import(last) == 3
    assert sorted(labels_in(archive)) == [["a", "Ann", "A"], ["b", "Ann", "C"], ["d", "Dee", "D"]]
    assert archive.undo_import(last) == 0
    archive.save_labels("p", rows(("c", "Ann", "A")), LATER, "csv")
    assert archive.undo_labels("p", "Ann", by_hand=True) == 1
    assert sorted(labels_in(archive)) == [["a", "Ann", "A"], ["b", "Ann", "A"], ["c", "Ann", "A"], ["d", "Dee", "D"]]
    assert archive.undo_labels("p", "Ann") == 1
    earlier = archive.last_import("p", "q")
    assert earlier is not None and earlier.plan_id == "q"
    assert archive.last_import("p") is None


def test_a_row_without_a_label_replaces_none(archive: Archive) -> None:
    archive.save_labels("p", rows(("a", "Ann", "A")), NOON)
    assert archive.save_labels("p", rows(("a", "Ann", None, "empty"), ("a", "Ann", None, "cancelled")), NOON) == 0
    assert labels_in(archive) == [["a", "Ann", "A"]]
    archive.save_labels("p", rows(("b", "Ann", None, "skipped")), NOON)
    archive.save_labels("p", rows(("b", "Ann", "B")), NOON)
    assert labels_in(archive) == [["a", "Ann", "A"], ["b", "Ann", "B"]]


def test_a_corrected_file_settles_a_contradiction(archive: Archive) -> None:
    archive.save_labels("p", rows(("a", "Ann", "A"), ("a", "Ann", "B")), NOON)
    assert settle(archive.labels("p"), ["a"], "p").undecided == ("a",)
    archive.save_labels("p", rows(("a", "Ann", "B")), NOON)
    assert labels_in(archive) == [["a", "Ann", "B"]]
    assert settle(archive.labels("p"), ["a"], "p").labels["label"].tolist() == ["B"]


def test_plans_are_kept_apart(archive: Archive) -> None:
    archive.save_labels("p", rows(("a", "", "A")), NOON)
    archive.save_labels("q", rows(("a", "", "B"), ("b", "", "B")), NOON)
    assert labels_in(archive, "p") == [["a", "", "A"]]
    assert labels_in(archive, "q") == [["a", "", "B"], ["b", "", "B"]]
    assert archive.labels().empty and archive.labels("none").empty


def test_what_cannot_be_kept_changes_nothing(archive: Archive, tmp_path: Path) -> None:
    archive.save_labels("p", rows(("a", "", "A")), NOON)
    with closing(sqlite3.connect(tmp_path / "neyman.sqlite")) as database:
        database.execute(
            "CREATE TRIGGER no BEFORE INSERT ON label_changes WHEN new.item_id = 'c'"
            " BEGIN SELECT raise(ABORT, 'full'); END"
        )
    with pytest.raises(NeymanError, match="full"):
        archive.save_labels("p", rows(("a", "", "B"), ("b", "", "B"), ("c", "", "B")), NOON)
    assert labels_in(archive) == [["a", "", "A"]]


def older(folder: Path, version: int) -> sqlite3.Connection:
    """The database as an earlier version of the program left it."""
    database = sqlite3.connect(folder / "neyman.sqlite")
    database.create_function("label_checksum", -1, checksum)
    for statement in [statement for statements in MIGRATIONS[:version] for statement in statements]:
        database.execute(statement)
    database.execute(f"PRAGMA user_version = {version}")
    database.execute("INSERT INTO designs (plan_id, digest, manifest, created) VALUES ('p', 'd', '{}', ?)", (NOON,))
    return database


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_an_archive_of_an_earlier_version_is_taken_along(tmp_path: Path, version: int) -> None:
    with closing(older(tmp_path, version)) as database:
        database.commit()
    archive = Archive(tmp_path)
    assert archive.designs()["plan_id"].tolist() == ["p"]
    assert archive.save_labels("p", rows(("a", "", "A")), NOON) == 1
    with closing(sqlite3.connect(tmp_path / "neyman.sqlite")) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_labels_of_the_second_version_keep_what_was_asked(tmp_path: Path) -> None:
    with closing(older(tmp_path, 2)) as database:
        for number, source in enumerate(("here right-wrong", "csv gold", "pool score", "csv"), start=1):
            values = (number, "b", "p", f"item {number}", "Ann", 0, "1", None, "", source, NOON)
            database.execute("INSERT INTO label_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        database.commit()
    stored = Archive(tmp_path).labels("p")
    assert stored["kind"].tolist() == ["right-wrong", "gold", "score", ""]
    assert stored["target"].tolist() == [""] * 4
    assert len(relevant(stored, "right-wrong", "any")) == 2, "what was asked, and what is not known"


def test_labels_of_different_kinds_and_targets_stand_beside_each_other(archive: Archive) -> None:
    archive.save_labels("p", rows(("a", "Ann", "A")), NOON, "here", "gold")
    for target, label in (("one", "right"), ("two", "wrong")):
        archive.save_labels("p", rows(("a", "Ann", label)), NOON, "here", "right-wrong", target)
    archive.save_labels("p", rows(("a", "Ann", "0.7")).assign(target="two"), NOON, "csv", "score", "one")
    stored = archive.labels("p")
    labels = {
        (kind, target): relevant(stored, kind, target)["label"].tolist()
        for kind in ("gold", "right-wrong", "score")
        for target in ("one", "two")
    }
    assert labels == {
        ("gold", "one"): ["A"],
        ("gold", "two"): ["A"],
        ("right-wrong", "one"): ["right"],
        ("right-wrong", "two"): ["wrong"],
        ("score", "one"): [],
        ("score", "two"): ["0.7"],
    }
    assert archive.undo_labels("p", "Ann") == 1
    assert relevant(archive.labels("p"), "score", "two").empty


def test_what_a_person_says_under_two_budgets_of_a_design_is_one_opinion(archive: Archive) -> None:
    archive.save_labels("p", rows(("a", "Ann", "A"), ("b", "Ann", "B"), ("c", "Ann", "C"), ("c", "Ann", "D")), NOON)
    archive.save_labels("p", rows(("d", "Ann", None, "skipped"), ("a", "Bob", "X")), NOON)
    archive.save_labels("q", rows(("a", "Ann", "Z"), ("b", "Ann", None, "skipped"), ("d", "Ann", "E")), LATER)
    archive.save_labels("q", rows(("c", "Ann", "C")), LATER)
    labels = archive.labels("p", "q")
    listed = labels[["plan_id", "item_id", "annotator", "label"]].sort_values(["item_id", "annotator"]).values.tolist()
    assert listed == [
        ["q", "a", "Ann", "Z"], ["p", "a", "Bob", "X"], ["p", "b", "Ann", "B"], ["q", "c", "Ann", "C"],
        ["q", "d", "Ann", "E"],
    ]  # fmt: skip
    assert archive.labels("q", "p").equals(labels)
    assert len(archive.labels("p")) == 6, "each plan alone holds what was said under it"
    archive.undo_labels("q")
    assert archive.labels("p", "q").query("item_id == 'c'")["label"].tolist() == ["C", "D"]


def test_what_is_held_under_another_budget_is_not_kept_again(archive: Archive) -> None:
    file = rows(("a", "Ann", "A", "", "hm"), ("b", "Ann", "B"), ("b", "Ann", "C"), ("c", "Ann", None, "cancelled"))
    archive.save_labels("p", file, NOON)
    archive.save_labels("q", rows(("d", "Bob", "D")), NOON)
    assert archive.save_labels("q", file, LATER, also=["p"]) == 0
    assert archive.save_labels("q", rows(("a", "Ann", "A")), LATER, also=["p"]) == 0, "without its note"
    assert archive.save_labels("q", rows(("a", "Ann", None, "skipped")), LATER, also=["p"]) == 0
    assert archive.save_labels("q", rows(("a", "Ann", "A", "", "sure")), LATER, also=["p"]) == 1
    assert archive.labels("p", "q").query("item_id == 'a'")[["label", "note"]].values.tolist() == [["A", "sure"]]


def test_a_correction_under_any_budget_is_the_last_word(archive: Archive) -> None:
    def last(*plans: str) -> list[str]:
        return archive.labels(*plans).query("item_id == 'a'")["label"].tolist()

    archive.save_labels("p", rows(("a", "Ann", "A"), ("a", "Ann", "B")), NOON)
    assert archive.save_labels("q", rows(("a", "Ann", "C")), LATER, also=["p"]) == 1
    assert last("p", "q") == ["C"]
    # As it was before under this plan, where the other holds something else: one label, and one part fewer.
    assert archive.save_labels("p", rows(("a", "Ann", "A")), LATER, also=["q"]) == 2
    assert last("p", "q") == last("p") == ["A"]


def test_counting_labelled_items(archive: Archive) -> None:
    assert archive.label_counts().empty and archive.label_count("p") == 0 and archive.label_count() == 0
    assert not archive.has_labels("p") and not archive.has_labels()
    archive.save_labels("p", rows(("a", "Ann", "A"), ("a", "Bob", "B"), ("b", "Ann", None, "skipped")), NOON)
    archive.save_labels("q", rows(("a", "", "A"), ("c", "", "C")), LATER)
    archive.save_labels("p", rows(("d", "Ann", "D")), NOON)
    archive.undo_labels("p")
    assert archive.label_counts().values.tolist() == [["q", 2, LATER], ["p", 1, NOON]]
    assert [archive.label_count("p"), archive.label_count("p", "q"), archive.label_count("none")] == [1, 2, 0]
    assert [archive.has_labels("p"), archive.has_labels("none", "q"), archive.has_labels("none")] == [True, True, False]
    archive.undo_labels("p")
    assert archive.label_counts()["plan_id"].tolist() == ["q"]


def test_many_labels_are_kept_beside_many(archive: Archive) -> None:
    def many(first: int, label: str) -> pd.DataFrame:
        return rows(*((f"i{number}", "Ann", label) for number in range(first, first + 1200)))

    assert archive.save_labels("p", many(0, "A"), NOON) == 1200
    assert archive.save_labels("q", many(600, "A"), LATER, also=["p"]) == 600
    assert archive.save_labels("q", many(0, "B"), LATER, also=["p"]) == 1200
    labels = archive.labels("p", "q")
    assert labels["label"].value_counts().to_dict() == {"B": 1200, "A": 600} and labels["item_id"].is_unique
    # Fewer than all of them, and more than are looked up one by one.
    assert len(archive.labels("p", "q", items=[f"i{number}" for number in range(700, 1300)])) == 600


def test_the_same_label_without_a_note_takes_none(archive: Archive) -> None:
    archive.save_labels(
        "p", rows(("a", "Ann", "A", "", "unsure"), ("b", "Ann", None, "skipped", "later")), NOON, "here"
    )
    before = archive.labels("p")
    assert archive.save_labels("p", rows(("a", "Ann", "A"), ("b", "Ann", None, "skipped")), LATER, "csv") == 0
    pd.testing.assert_frame_equal(archive.labels("p"), before)
    assert archive.save_labels("p", rows(("a", "Ann", "A", "", "sure")), LATER, "csv") == 1
    assert archive.labels("p").query("item_id == 'a'")["note"].tolist() == ["sure"]
    assert archive.save_labels("p", rows(("a", "Ann", "B")), LATER, "csv") == 1
    assert archive.labels("p").query("item_id == 'a'")["note"].tolist() == [None], "a note belongs to its label"


def test_notes_stay_where_labels_move(archive: Archive) -> None:
    archive.save_labels("p", rows(("a", "Ann", "A"), ("a", "Ann", "B", "", "or so")), NOON)
    archive.save_labels("p", rows(("a", "Ann", "B")), NOON)
    assert archive.labels("p")[["label", "note"]].values.tolist() == [["B", "or so"]]
    archive.save_labels("p", rows(("b", "Ann", "A", "", "sure"), ("b", "Ann", "A")), NOON)
    archive.save_labels("q", rows(("b", "Ann", "A")), LATER)
    moved = archive.labels("p", "q").query("item_id == 'b'")
    assert moved[["plan_id", "label", "note"]].values.tolist() == [["q", "A", "sure"]]


def test_only_the_pages_own_source_is_by_hand(archive: Archive) -> None:
    for number, source in enumerate(("hereafter.csv", "Here", "HERE gold", "here2")):
        archive.save_labels("p", rows((f"i{number}", "Ann", "A")), NOON, source)
        last = archive.last_import("p")
        assert last is not None and last.source == source
    assert archive.undo_labels("p", by_hand=True) == 0
    archive.save_labels("p", rows(("a", "Ann", "A")), NOON, "here right-wrong")
    assert archive.undo_labels("p", by_hand=True) == 1
    assert [is_by_hand(source) for source in (BY_HAND, "here score", "here score 2", "")] == [True, True, False, False]


def test_a_withdrawn_decision_is_no_label(archive: Archive) -> None:
    assert archive.save_labels("p", rows(("a", DECISION, None, WITHDRAWN)), NOON, "here", "gold") == 0
    archive.save_labels("p", rows(("a", DECISION, "A")), NOON, "here", "gold")
    assert archive.save_labels("p", rows(("a", DECISION, None, WITHDRAWN)), NOON, "here", "gold") == 1
    assert archive.save_labels("p", rows(("a", DECISION, "", WITHDRAWN)), NOON, "here", "gold") == 0
    assert archive.labels("p").empty and archive.label_count("p") == 0 and archive.label_counts().empty
    assert not archive.has_labels("p")
    archive.undo_labels("p")
    assert labels_in(archive) == [["a", DECISION, "A"]]


def test_a_decision_that_was_withdrawn_by_an_earlier_version_is_no_label(tmp_path: Path) -> None:
    with closing(older(tmp_path, 3)) as database:
        values = (1, "b", "p", "a", DECISION, 0, "", None, "withdrawn", "here", NOON, "gold", "")
        database.execute("INSERT INTO label_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        database.commit()
    archive = Archive(tmp_path)
    assert archive.labels("p").empty and archive.label_count("p") == 0


def test_a_right_answer_is_kept_without_a_target(archive: Archive) -> None:
    archive.save_labels("p", rows(("a", "Ann", "A")).assign(target="two"), NOON, "csv", "gold", "one")
    stored = archive.labels("p")
    assert stored["target"].tolist() == [""]
    assert len(relevant(stored, "gold", "any")) == 1
    earlier = stored.assign(target="one")
    assert len(relevant(earlier, "gold")) == 1, "kept with a target by an earlier version"


def test_a_blank_label_is_none(archive: Archive) -> None:
    archive.save_labels("p", rows(("a", "Ann", "A")), NOON)
    assert archive.save_labels("p", rows(("a", "Ann", " "), ("b", "Ann", "")), NOON) == 0
    assert labels_in(archive) == [["a", "Ann", "A"]]


def test_what_an_undone_file_leaves_is_replaced_as_a_whole(archive: Archive) -> None:
    archive.save_labels("p", rows(("a", "Ann", "A")), NOON, "csv")
    first = archive.last_import("p")
    archive.save_labels("p", rows(("a", "Ann", "A"), ("a", "Ann", "B")), NOON, "csv")
    assert first is not None and archive.undo_import(first) == 1
    assert labels_in(archive) == [["a", "Ann", "B"]]
    archive.save_labels("p", rows(("a", "Ann", "C")), LATER, "csv")
    assert labels_in(archive) == [["a", "Ann", "C"]]
