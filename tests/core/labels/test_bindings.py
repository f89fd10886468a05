"""Rules of labels that no other test would miss: rows that repeat each other, notes, and opinions of several labels."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import labels
from core.archive import Archive
from core.pool import Pool
from tests.core.labels.conftest import LATER, NOON


def rows(*given: tuple[Any, ...]) -> pd.DataFrame:
    padded = [(*row, *[None] * (4 - len(row))) for row in given]
    return pd.DataFrame(padded, columns=["item_id", "annotator", "label", "note"], dtype=object)


def labels_in(archive: Archive) -> list[list[Any]]:
    return archive.labels.of("p")[["item_id", "annotator", "label", "note"]].values.tolist()


def test_a_later_row_with_the_same_label_replaces_it(archive: Archive) -> None:
    given = rows(("a", "Ann", "A", "first"), ("a", "Ann", "B"), ("a", "Ann", "A", "second"), ("a", "Bob", "A", "his"))
    assert archive.labels.save("p", given, NOON) == 3
    assert sorted(labels_in(archive), key=str) == [
        ["a", "Ann", "A", "second"],
        ["a", "Ann", "B", None],
        ["a", "Bob", "A", "his"],
    ]


def test_the_same_file_twice_over_is_that_file(archive: Archive) -> None:
    once = rows(("a", "Ann", "A", "hm"), ("b", "Ann", "B"), ("b", "", "B"))
    assert archive.labels.save("p", pd.concat([once, once]), NOON) == 3
    before = labels_in(archive)
    assert archive.labels.save("p", once, LATER) == 0
    assert labels_in(archive) == before and len(before) == 3


def test_what_was_withdrawn_is_withdrawn_once(archive: Archive) -> None:
    """Parts that a file no longer holds go with it; the same file again changes nothing, and one undo brings them."""
    archive.labels.save("p", rows(("a", "Ann", "A"), ("a", "Ann", "B"), ("a", "Ann", "C")), NOON)
    assert archive.labels.save("p", rows(("a", "Ann", "A")), LATER) == 2
    for _ in range(2):
        assert archive.labels.save("p", rows(("a", "Ann", "A")), LATER) == 0
    assert labels_in(archive) == [["a", "Ann", "A", None]]
    assert archive.labels.undo("p") == 2
    assert [row[2] for row in labels_in(archive)] == ["A", "B", "C"]


@pytest.mark.parametrize("lines", [True, False])
def test_notes_and_people_of_json_records_are_read(lines: bool) -> None:
    records = [
        {"item_id": "a", "label": "A", "note": "unsure, “B” too", "annotator": "Ann"},
        {"item_id": "b", "label": "B", "note": 7},
        {"item_id": "c", "label": "C"},
    ]
    content = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    returned = labels.read(content.encode())
    assert returned.source == "jsonl"
    assert returned.rows["note"].tolist() == ["unsure, “B” too", "7", None]
    assert returned.rows["annotator"].tolist() == ["Ann", "", ""]


ITEMS = Pool.from_records([{"id": item, "answer_kind": "number"} for item in "ab"]).items


def opinions(*given: tuple[str, str, str]) -> pd.DataFrame:
    return rows(*given).assign(plan_id="p")


def test_one_of_a_persons_own_labels_again_replaces_the_others() -> None:
    """Who gave 1 and 2 and says 2 (or 2.0) again takes 1 back; who says 3 takes both back, and 2 and 3 only 1."""
    stored = opinions(("a", "Ann", "1"), ("a", "Ann", "2"), ("b", "Ann", "5"))
    for said in ("2", "2.0", "1"):
        assert labels.differences(opinions(("a", "Ann", said)), stored, "gold", ITEMS) == (1, 0, 0)
    assert labels.differences(opinions(("a", "Ann", "3")), stored, "gold", ITEMS) == (2, 0, 0)
    assert labels.differences(opinions(("a", "Ann", "2"), ("a", "Ann", "3")), stored, "gold", ITEMS) == (1, 0, 0)
    both = opinions(("a", "Ann", "1"), ("a", "Ann", "2"), ("b", "Ann", "6"), ("b", "Ann", "5"))
    assert labels.differences(both, stored, "gold", ITEMS) == (0, 0, 1)
    assert labels.differences(opinions(("a", "Bob", "2")), stored, "gold", ITEMS) == (0, 1, 0)


opinion = st.tuples(
    st.sampled_from("ab"), st.sampled_from(["Ann", "Bob", "Cid"]), st.sampled_from(["right", "yes", "no"])
)


@given(st.lists(opinion, max_size=8), st.lists(opinion, max_size=8))
def test_differing_labels_are_counted_as_one_would_by_hand(
    new: list[tuple[str, ...]], old: list[tuple[str, ...]]
) -> None:
    """Label by label: does anybody else deny it; and which does its person hold no more, once this is kept?"""
    meant = {"right": 1, "yes": 1, "no": 0}
    others = 0
    for item, person, label in new:
        of_item = [(who, meant[what] == meant[label]) for which, who, what in old if which == item]
        others += not all(agrees for who, agrees in of_item if who != person)
    before, after = ({(item, who, meant[what]) for item, who, what in said} for said in (old, new))
    speak, spoke = ({one[:2] for one in said} for said in (after, before))
    replaced = sum(one not in after for one in before if one[:2] in speak)
    # Of two verdicts only one can be added, and if one goes for it, it is replaced.
    whole = {one[:2] for one in before if one in after}
    beside = sum(one not in before for one in after if one[:2] in spoke & whole)
    assert labels.differences(opinions(*new), opinions(*old), "right-wrong", ITEMS) == (replaced, others, beside)


@pytest.mark.parametrize("kind", ["choice", "as-is", "number", "text"])
@pytest.mark.parametrize("options", [["12", "15"], ["Paris", "London"]])
def test_a_target_that_says_an_option_is_compared_with_the_letter_that_annotators_chose(
    kind: str, options: list[str]
) -> None:
    """The option's text, its letter and both stand for it, on either side; the other option is another answer."""
    if kind == "number" and options[0] == "Paris":
        options = ["1.5", "3/4"]
    items = Pool.from_records([{"id": item, "choices": options, "answer_kind": kind} for item in "abcd"]).items
    answers = {"a": options[1], "b": "B", "c": f"B. {options[1]}", "d": options[0]}
    for gold in ("B", options[1]):
        frame = pd.DataFrame({"item_id": [*answers], "label": gold}, dtype=object)
        pairs = labels.answer_pairs(frame, answers, items)
        assert (pairs["true"] == pairs["said"]).tolist() == [True, True, True, False]
