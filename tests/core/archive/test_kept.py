"""Labels in the archive: nothing twice, nothing lost, and a way back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.archive import BY_HAND, Archive, is_by_hand
from core.archive.schema import MIGRATIONS, SCHEMA_VERSION, checksum
from core.errors import NeymanError
from core.labels import relevant, settle
from core.labels.formats.records import DECISION
from core.labels.rows import WITHDRAWN
from tests.core.labels.conftest import LATER, NOON


def rows(*given: tuple[Any, ...]) -> pd.DataFrame:
    padded = [(*row, *[None] * (5 - len(row))) for row in given]
    return pd.DataFrame(padded, columns=["item_id", "annotator", "label", "status", "note"], dtype=object)


def labels_in(archive: Archive, *plans: str) -> list[list[Any]]:
    return archive.labels.of(*(plans or ("p",)))[["item_id", "annotator", "label"]].values.tolist()


def test_importing_twice_changes_nothing(archive: Archive) -> None:
    file = rows(("=a,\n🙂\x00", "Ann", "A"), ("b", "", "B", "", "hm"), ("b", "", "C"), ("c", "Ann", None, "cancelled"))
    assert archive.labels.save("p", file, NOON, "csv") == 4
    before = archive.labels.of("p")
    assert archive.labels.save("p", file, LATER, "csv") == 0
    pd.testing.assert_frame_equal(archive.labels.of("p"), before)
    assert before.values.tolist() == [
        ["p", "=a,\n🙂\x00", "Ann", "", "", "A", None, "", "csv", NOON],
        ["p", "b", "", "", "", "B", "hm", "", "csv", NOON],
        ["p", "b", "", "", "", "C", None, "", "csv", NOON],
        ["p", "c", "Ann", "", "", None, None, "cancelled", "csv", NOON],
    ]


def test_label_by_label_with_undo(archive: Archive) -> None:
    for label in ("A", "B"):
        archive.labels.save("p", rows(("a", "Ann", label)), NOON)
    archive.labels.save("p", rows(("a", "Bob", "C")), NOON)
    assert labels_in(archive) == [["a", "Ann", "B"], ["a", "Bob", "C"]]
    assert archive.labels.undo("p", "Ann") == 1
    assert labels_in(archive) == [["a", "Ann", "A"], ["a", "Bob", "C"]]
    assert archive.labels.undo("p") == 1
    assert archive.labels.undo("p") == 1
    assert (archive.labels.undo("p"), labels_in(archive)) == (0, [])


def test_an_import_is_undone_as_one(archive: Archive) -> None:
    archive.labels.save("p", rows(("a", "", "A")), NOON)
    archive.labels.save("p", rows(("a", "", "B"), ("b", "", "B"), ("c", "", "B")), NOON)
    assert archive.labels.undo("p") == 3
    assert labels_in(archive) == [["a", "", "A"]]


def test_the_last_import_is_undone_and_labels_given_by_hand_since_stay(archive: Archive) -> None:
    assert archive.labels.last_import("p") is None and archive.labels.last_import() is None
    archive.labels.save("p", rows(("a", "Ann", "A"), ("b", "Ann", "A")), NOON, "here")
    archive.labels.save("q", rows(("a", "Cid", "C")), NOON, "jsonl")
    archive.labels.save("p", rows(("a", "Ann", "B"), ("b", "Ann", "B"), ("c", "Bob", "B")), LATER, "csv")
    archive.labels.save("p", rows(("b", "Ann", "C"), ("d", "Dee", "D")), LATER, "here gold")
    last = archive.labels.last_import("p", "q")
    assert last is not None
    assert last[:1] + last[2:] == ("p", "csv", LATER, 3, ("Ann", "Bob"), ("",))
    assert archive.labels.undo_import(last) == 3
    assert sorted(labels_in(archive)) == [["a", "Ann", "A"], ["b", "Ann", "C"], ["d", "Dee", "D"]]
    assert archive.labels.undo_import(last) == 0
    archive.labels.save("p", rows(("c", "Ann", "A")), LATER, "csv")
    assert archive.labels.undo("p", "Ann", by_hand=True) == 1
    assert sorted(labels_in(archive)) == [["a", "Ann", "A"], ["b", "Ann", "A"], ["c", "Ann", "A"], ["d", "Dee", "D"]]
    assert archive.labels.undo("p", "Ann") == 1
    earlier = archive.labels.last_import("p", "q")
    assert earlier is not None and earlier.plan_id == "q"
    assert archive.labels.last_import("p") is None


def test_a_row_without_a_label_replaces_none(archive: Archive) -> None:
    archive.labels.save("p", rows(("a", "Ann", "A")), NOON)
    assert archive.labels.save("p", rows(("a", "Ann", None, "empty"), ("a", "Ann", None, "cancelled")), NOON) == 0
    assert labels_in(archive) == [["a", "Ann", "A"]]
    archive.labels.save("p", rows(("b", "Ann", None, "skipped")), NOON)
    archive.labels.save("p", rows(("b", "Ann", "B")), NOON)
    assert labels_in(archive) == [["a", "Ann", "A"], ["b", "Ann", "B"]]


def test_a_corrected_file_settles_a_contradiction(archive: Archive) -> None:
    archive.labels.save("p", rows(("a", "Ann", "A"), ("a", "Ann", "B")), NOON)
    assert settle(archive.labels.of("p"), ["a"], "p").undecided == ("a",)
    archive.labels.save("p", rows(("a", "Ann", "B")), NOON)
    assert labels_in(archive) == [["a", "Ann", "B"]]
    assert settle(archive.labels.of("p"), ["a"], "p").labels["label"].tolist() == ["B"]


def test_plans_are_kept_apart(archive: Archive) -> None:
    archive.labels.save("p", rows(("a", "", "A")), NOON)
    archive.labels.save("q", rows(("a", "", "B"), ("b", "", "B")), NOON)
    assert labels_in(archive, "p") == [["a", "", "A"]]
    assert labels_in(archive, "q") == [["a", "", "B"], ["b", "", "B"]]
    assert archive.labels.of().empty and archive.labels.of("none").empty


def test_what_cannot_be_kept_changes_nothing(archive: Archive, tmp_path: Path) -> None:
    archive.labels.save("p", rows(("a", "", "A")), NOON)
    with closing(sqlite3.connect(tmp_path / "neyman.sqlite")) as database:
        database.execute(
            "CREATE TRIGGER no BEFORE INSERT ON label_changes WHEN new.item_id = 'c'"
            " BEGIN SELECT raise(ABORT, 'full'); END"
        )
    with pytest.raises(NeymanError, match="full"):
        archive.labels.save("p", rows(("a", "", "B"), ("b", "", "B"), ("c", "", "B")), NOON)
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
    assert archive.plans.table()["plan_id"].tolist() == ["p"]
    assert archive.labels.save("p", rows(("a", "", "A")), NOON) == 1
    with closing(sqlite3.connect(tmp_path / "neyman.sqlite")) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_labels_of_the_second_version_keep_what_was_asked(tmp_path: Path) -> None:
    with closing(older(tmp_path, 2)) as database:
        for number, source in enumerate(("here right-wrong", "csv gold", "pool score", "csv"), start=1):
            values = (number, "b", "p", f"item {number}", "Ann", 0, "1", None, "", source, NOON)
            database.execute("INSERT INTO label_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        database.commit()
    stored = Archive(tmp_path).labels.of("p")
    assert stored["kind"].tolist() == ["right-wrong", "gold", "score", ""]
    assert stored["target"].tolist() == [""] * 4
    assert len(relevant(stored, "right-wrong", "any")) == 2, "what was asked, and what is not known"


def test_labels_of_different_kinds_and_targets_stand_beside_each_other(archive: Archive) -> None:
    archive.labels.save("p", rows(("a", "Ann", "A")), NOON, "here", "gold")
    for target, label in (("one", "right"), ("two", "wrong")):
        archive.labels.save("p", rows(("a", "Ann", label)), NOON, "here", "right-wrong", target)
    archive.labels.save("p", rows(("a", "Ann", "0.7")).assign(target="two"), NOON, "csv", "score", "one")
    stored = archive.labels.of("p")
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
    assert archive.labels.undo("p", "Ann") == 1
    assert relevant(archive.labels.of("p"), "score", "two").empty


def test_what_a_person_says_under_two_budgets_of_a_design_is_one_opinion(archive: Archive) -> None:
    archive.labels.save("p", rows(("a", "Ann", "A"), ("b", "Ann", "B"), ("c", "Ann", "C"), ("c", "Ann", "D")), NOON)
    archive.labels.save("p", rows(("d", "Ann", None, "skipped"), ("a", "Bob", "X")), NOON)
    archive.labels.save("q", rows(("a", "Ann", "Z"), ("b", "Ann", None, "skipped"), ("d", "Ann", "E")), LATER)
    archive.labels.save("q", rows(("c", "Ann", "C")), LATER)
    labels = archive.labels.of("p", "q")
    listed = labels[["plan_id", "item_id", "annotator", "label"]].sort_values(["item_id", "annotator"]).values.tolist()
    assert listed == [
        ["q", "a", "Ann", "Z"], ["p", "a", "Bob", "X"], ["p", "b", "Ann", "B"], ["q", "c", "Ann", "C"],
        ["q", "d", "Ann", "E"],
    ]  # fmt: skip
    assert archive.labels.of("q", "p").equals(labels)
    assert len(archive.labels.of("p")) == 6, "each plan alone holds what was said under it"
    archive.labels.undo("q")
    assert archive.labels.of("p", "q").query("item_id == 'c'")["label"].tolist() == ["C", "D"]


def test_what_is_held_under_another_budget_is_not_kept_again(archive: Archive) -> None:
    file = rows(("a", "Ann", "A", "", "hm"), ("b", "Ann", "B"), ("b", "Ann", "C"), ("c", "Ann", None, "cancelled"))
    archive.labels.save("p", file, NOON)
    archive.labels.save("q", rows(("d", "Bob", "D")), NOON)
    assert archive.labels.save("q", file, LATER, also=["p"]) == 0
    assert archive.labels.save("q", rows(("a", "Ann", "A")), LATER, also=["p"]) == 0, "without its note"
    assert archive.labels.save("q", rows(("a", "Ann", None, "skipped")), LATER, also=["p"]) == 0
    assert archive.labels.save("q", rows(("a", "Ann", "A", "", "sure")), LATER, also=["p"]) == 1
    assert archive.labels.of("p", "q").query("item_id == 'a'")[["label", "note"]].values.tolist() == [["A", "sure"]]


def test_a_correction_under_any_budget_is_the_last_word(archive: Archive) -> None:
    def last(*plans: str) -> list[str]:
        return archive.labels.of(*plans).query("item_id == 'a'")["label"].tolist()

    archive.labels.save("p", rows(("a", "Ann", "A"), ("a", "Ann", "B")), NOON)
    assert archive.labels.save("q", rows(("a", "Ann", "C")), LATER, also=["p"]) == 1
    assert last("p", "q") == ["C"]
    # As it was before under this plan, if the other holds something else: one label, and one part fewer.
    assert archive.labels.save("p", rows(("a", "Ann", "A")), LATER, also=["q"]) == 2
    assert last("p", "q") == last("p") == ["A"]


def test_counting_labelled_items(archive: Archive) -> None:
    assert archive.labels.counts().empty and archive.labels.count("p") == 0 and archive.labels.count() == 0
    assert not archive.labels.any_of("p") and not archive.labels.any_of()
    archive.labels.save("p", rows(("a", "Ann", "A"), ("a", "Bob", "B"), ("b", "Ann", None, "skipped")), NOON)
    archive.labels.save("q", rows(("a", "", "A"), ("c", "", "C")), LATER)
    archive.labels.save("p", rows(("d", "Ann", "D")), NOON)
    archive.labels.undo("p")
    assert archive.labels.counts().values.tolist() == [["q", 2, LATER], ["p", 1, NOON]]
    assert [archive.labels.count("p"), archive.labels.count("p", "q"), archive.labels.count("none")] == [1, 2, 0]
    assert [archive.labels.any_of("p"), archive.labels.any_of("none", "q"), archive.labels.any_of("none")] == [
        True,
        True,
        False,
    ]
    archive.labels.undo("p")
    assert archive.labels.counts()["plan_id"].tolist() == ["q"]


def test_many_labels_are_kept_beside_many(archive: Archive) -> None:
    def many(first: int, label: str) -> pd.DataFrame:
        return rows(*((f"i{number}", "Ann", label) for number in range(first, first + 1200)))

    assert archive.labels.save("p", many(0, "A"), NOON) == 1200
    assert archive.labels.save("q", many(600, "A"), LATER, also=["p"]) == 600
    assert archive.labels.save("q", many(0, "B"), LATER, also=["p"]) == 1200
    labels = archive.labels.of("p", "q")
    assert labels["label"].value_counts().to_dict() == {"B": 1200, "A": 600} and labels["item_id"].is_unique
    # Fewer than all of them, and more than are looked up one by one.
    assert len(archive.labels.of("p", "q", items=[f"i{number}" for number in range(700, 1300)])) == 600


def test_the_same_label_without_a_note_takes_none(archive: Archive) -> None:
    archive.labels.save(
        "p", rows(("a", "Ann", "A", "", "unsure"), ("b", "Ann", None, "skipped", "later")), NOON, "here"
    )
    before = archive.labels.of("p")
    assert archive.labels.save("p", rows(("a", "Ann", "A"), ("b", "Ann", None, "skipped")), LATER, "csv") == 0
    pd.testing.assert_frame_equal(archive.labels.of("p"), before)
    assert archive.labels.save("p", rows(("a", "Ann", "A", "", "sure")), LATER, "csv") == 1
    assert archive.labels.of("p").query("item_id == 'a'")["note"].tolist() == ["sure"]
    assert archive.labels.save("p", rows(("a", "Ann", "B")), LATER, "csv") == 1
    assert archive.labels.of("p").query("item_id == 'a'")["note"].tolist() == [None], "a note belongs to its label"


def test_notes_stay_where_labels_move(archive: Archive) -> None:
    archive.labels.save("p", rows(("a", "Ann", "A"), ("a", "Ann", "B", "", "or so")), NOON)
    archive.labels.save("p", rows(("a", "Ann", "B")), NOON)
    assert archive.labels.of("p")[["label", "note"]].values.tolist() == [["B", "or so"]]
    archive.labels.save("p", rows(("b", "Ann", "A", "", "sure"), ("b", "Ann", "A")), NOON)
    archive.labels.save("q", rows(("b", "Ann", "A")), LATER)
    moved = archive.labels.of("p", "q").query("item_id == 'b'")
    assert moved[["plan_id", "label", "note"]].values.tolist() == [["q", "A", "sure"]]


def test_only_the_pages_own_source_is_by_hand(archive: Archive) -> None:
    for number, source in enumerate(("hereafter.csv", "Here", "HERE gold", "here2")):
        archive.labels.save("p", rows((f"i{number}", "Ann", "A")), NOON, source)
        last = archive.labels.last_import("p")
        assert last is not None and last.source == source
    assert archive.labels.undo("p", by_hand=True) == 0
    archive.labels.save("p", rows(("a", "Ann", "A")), NOON, "here right-wrong")
    assert archive.labels.undo("p", by_hand=True) == 1
    assert [is_by_hand(source) for source in (BY_HAND, "here score", "here score 2", "")] == [True, True, False, False]


def test_a_withdrawn_decision_is_no_label(archive: Archive) -> None:
    assert archive.labels.save("p", rows(("a", DECISION, None, WITHDRAWN)), NOON, "here", "gold") == 0
    archive.labels.save("p", rows(("a", DECISION, "A")), NOON, "here", "gold")
    assert archive.labels.save("p", rows(("a", DECISION, None, WITHDRAWN)), NOON, "here", "gold") == 1
    assert archive.labels.save("p", rows(("a", DECISION, "", WITHDRAWN)), NOON, "here", "gold") == 0
    assert archive.labels.of("p").empty and archive.labels.count("p") == 0 and archive.labels.counts().empty
    assert not archive.labels.any_of("p")
    archive.labels.undo("p")
    assert labels_in(archive) == [["a", DECISION, "A"]]


def test_a_decision_that_was_withdrawn_by_an_earlier_version_is_no_label(tmp_path: Path) -> None:
    with closing(older(tmp_path, 3)) as database:
        values = (1, "b", "p", "a", DECISION, 0, "", None, "withdrawn", "here", NOON, "gold", "")
        database.execute("INSERT INTO label_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        database.commit()
    archive = Archive(tmp_path)
    assert archive.labels.of("p").empty and archive.labels.count("p") == 0


def test_a_right_answer_is_kept_without_a_target(archive: Archive) -> None:
    archive.labels.save("p", rows(("a", "Ann", "A")).assign(target="two"), NOON, "csv", "gold", "one")
    stored = archive.labels.of("p")
    assert stored["target"].tolist() == [""]
    assert len(relevant(stored, "gold", "any")) == 1
    earlier = stored.assign(target="one")
    assert len(relevant(earlier, "gold")) == 1, "kept with a target by an earlier version"


def test_a_blank_label_is_none(archive: Archive) -> None:
    archive.labels.save("p", rows(("a", "Ann", "A")), NOON)
    assert archive.labels.save("p", rows(("a", "Ann", " "), ("b", "Ann", "")), NOON) == 0
    assert labels_in(archive) == [["a", "Ann", "A"]]


def test_what_an_undone_file_leaves_is_replaced_as_a_whole(archive: Archive) -> None:
    archive.labels.save("p", rows(("a", "Ann", "A")), NOON, "csv")
    first = archive.labels.last_import("p")
    archive.labels.save("p", rows(("a", "Ann", "A"), ("a", "Ann", "B")), NOON, "csv")
    assert first is not None and archive.labels.undo_import(first) == 1
    assert labels_in(archive) == [["a", "Ann", "B"]]
    archive.labels.save("p", rows(("a", "Ann", "C")), LATER, "csv")
    assert labels_in(archive) == [["a", "Ann", "C"]]
