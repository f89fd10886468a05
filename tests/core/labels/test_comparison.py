"""Labels that come in beside those that are kept."""

from __future__ import annotations

from typing import Any

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from core.labels import differences, read, readable

ITEMS = pd.DataFrame({"answer_kind": ["number"] * 4}, index=[*"abcd"])
CHOICES = pd.DataFrame({"choices": [["x", "y"]] * 2}, index=[*"ab"])


def rows(*given: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(given, columns=["item_id", "annotator", "label", "plan_id"], dtype=object)


def test_what_can_be_read() -> None:
    given = rows(("a", "", "y", ""), ("b", "", "z", ""), ("a", "", None, ""), ("b", "", "B", ""))
    assert readable(given, "gold", CHOICES).tolist() == [True, False, False, True]
    assert readable(given, "right-wrong", CHOICES).tolist() == [True, False, False, False]
    assert readable(rows(), "score", ITEMS).tolist() == []


def test_what_a_person_said_before_is_replaced_and_what_others_said_is_not() -> None:
    stored = rows(
        ("a", "Ann", "1000", "p"), ("b", "Ann", "2", "p"), ("c", "Ann", "3", "q"), ("d", "Bob", "4", "p"),
        ("a", "Bob", "1", "p"), ("d", "(decision)", "5", "p"), ("b", "(pool)", "7", "p"), ("a", "Cid", "1,000", "p"),
    )  # fmt: skip
    same = rows(("a", "Ann", "1,000", None), ("b", "Ann", "2.0", None))
    assert differences(same, stored, "gold", ITEMS) == (0, 1, 0)
    given = [("a", "Ann", "7", None), ("b", "Ann", "2", None), ("c", "Ann", "8", None), ("d", "Ann", "9", None)]
    assert differences(rows(*given), stored, "gold", ITEMS) == (2, 2, 0)
    assert differences(rows(), stored, "gold", ITEMS) == (0, 0, 0)
    assert differences(rows(("z", "Ann", "1", None)), stored, "gold", ITEMS) == (0, 0, 0)


LABELS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "Ann", "Bob"]), st.sampled_from("xy")))


@given(LABELS, LABELS)
def test_each_label_is_held_against_all_that_are_kept(new: list[Any], old: list[Any]) -> None:
    """By the definition: what a person says of an item replaces what is not said again; others where they differ."""
    others = sum(
        any(stored != label for other, whose, stored in old if other == item and whose != person)
        for item, person, label in new
    )
    replaced = beside = 0
    for item, person in {one[:2] for one in new}:
        earlier, said = ({label for *whose, label in one if whose == [item, person]} for one in (old, new))
        replaced += len(earlier - said)
        beside += max(len(said - earlier) - len(earlier - said), 0) if earlier else 0
    given_, stored = (rows(*((i, who, said, "p") for i, who, said in one)) for one in (new, old))
    assert differences(given_, stored, "gold", pd.DataFrame(index=[*"abc"])) == (replaced, others, beside)


def test_verdicts_are_compared_by_what_they_mean() -> None:
    stored = rows(("a", "Ann", "yes", "p"), ("b", "Ann", "korrekt", "p"))
    given = rows(("a", "Ann", "right", None), ("b", "Ann", "wrong", None))
    assert differences(given, stored, "right-wrong", ITEMS) == (0, 0, 0), "what cannot be read says nothing"


def test_reserved_names_are_no_names() -> None:
    returned = read(b"item_id,label,annotator\na,1,(Decision)\nb,2,( pool )\nc,3,Ann\nd,4,(no  name)\n")
    assert returned.rows["annotator"].tolist() == ["", "( pool )", "Ann", ""]
    assert len(returned.notes) == 1 and "“(Decision)” and “(no  name)”" in returned.notes[0]
