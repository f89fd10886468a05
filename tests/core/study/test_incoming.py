"""Labels that came back, before they are kept: what they say, and what keeping them changes."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from core import labels
from core.archive import Archive
from core.design import Design, Plan, Scheme
from core.errors import LabelError
from core.pool import Pool
from core.study import Incoming, Labelling, Reading
from tests.core.study.conftest import CREATED, rows, verdicts


def returned(items: object, given: object, **columns: object) -> pd.DataFrame:
    """A file of labels as it is read; every row has a number, and what it does not say is empty."""
    table = pd.DataFrame({"item_id": list(map(str, items)), "label": list(given)}).assign(**columns)
    return labels.read(table.to_csv(index=False).encode(), "ann.csv").rows


def incoming(archive: Archive, plan: Plan, pool: Pool, table: pd.DataFrame, kind: str = "right-wrong") -> Incoming:
    return Incoming(Labelling.load(archive, plan, pool, kind, "one"), table)


@pytest.mark.parametrize(
    ("kind", "label", "read_as"),
    [
        ("right-wrong", "right", None),
        ("right-wrong", "Paris", "gold"),
        ("score", "correct", "right-wrong"),
        ("score", "0.5", None),
        ("gold", "wrong", "right-wrong"),
        ("gold", "A", None),
    ],
)
def test_labels_of_another_kind_are_told_from_slips(archive, plan, pool, kind, label, read_as) -> None:
    table = returned(plan.ids[:20], [label] * 20)
    found = incoming(archive, plan, pool, table, kind).mismatch
    assert (found and found.kind) == read_as
    # Three of twenty are slips in a file that answers the question, and no reason to read it otherwise.
    usual = {"right-wrong": "wrong", "score": "1", "gold": "B"}[kind]
    mixed = table.assign(label=[label] * 3 + [usual] * 17)
    assert incoming(archive, plan, pool, mixed, kind).mismatch is None


@pytest.mark.parametrize("kind", ["right-wrong", "score", "gold"])
@pytest.mark.parametrize("named", [True, False])
def test_a_list_that_asked_for_right_answers_is_offered_as_such(archive, plan, pool, kind, named) -> None:
    columns = {"plan_id": plan.plan_id} if named else {}
    table = returned(plan.ids[:20], ["A" if kind == "gold" else "1"] * 20, **columns)
    found = replace(incoming(archive, plan, pool, table, kind), shown=False).mismatch
    assert (found and found.kind) == ("gold" if named and kind != "gold" else None)
    assert incoming(archive, plan, pool, table, kind).mismatch is None


def test_what_keeping_changes_is_counted_by_person(archive, plan, pool) -> None:
    known = Labelling.load(archive, plan, pool, "right-wrong", "one")
    known.save(archive, rows(plan.ids[:6], ["right"] * 6), "csv", CREATED)
    table = returned(plan.ids[:6], ["wrong"] * 4 + ["right"] * 2)
    same = incoming(archive, plan, pool, table.assign(annotator="Ann"))
    other = incoming(archive, plan, pool, table.assign(annotator="Zoe"))
    (replaced,), (beside,) = same.changes, other.changes
    assert replaced.startswith("4 labels kept before differ") and replaced.endswith("they will be replaced.")
    assert beside.startswith("4 labels differ from other labels kept before")


def test_rows_say_something_of_every_target_that_they_name(archive, plan, pool) -> None:
    here, there = plan.ids[:3], plan.ids[3:5]
    table = pd.concat([returned(here, verdicts(pool, here, "one"), answers_of="one"), returned(there, ["right"] * 2)])
    found = incoming(archive, plan, pool, table.assign(answers_of=["one"] * 3 + ["two"] * 2))
    assert set(found.settlements) == {Reading("right-wrong", "one"), Reading("right-wrong", "two")}
    assert found.present is not None and len(found.present.labels) == 3
    ((sentence, other),) = found.others.items()
    assert "judges the answers of two" in sentence and len(other.labels) == 2
    assert len(found.stored) == 5 and set(found.stored["target"]) == {"one", "two"}


def test_a_file_that_says_nothing_of_what_is_asked_is_named(archive, plan, pool) -> None:
    table = returned(plan.ids[:3], ["right"] * 3).assign(answers_of="two")
    found = incoming(archive, plan, pool, table)
    assert found.present is None and "judges the answers of one" in found.missing


def test_right_answers_outside_the_pool_s_are_named_with_their_rows(archive: Archive) -> None:
    records = [{"id": f"i{n}", "answer": "ABC"[n % 3], "targets": {"one": {"answer": "A"}}} for n in range(40)]
    letters = Pool.from_records(records, "letters")
    archive.pools.save(letters, CREATED)
    plan = Design(9, Scheme(allocation="uniform"), seed=1).draw(letters)
    table = returned(plan.ids, [*"ABCABCAB", "ZZ"])
    found = incoming(archive, plan, letters, table, "gold").strange
    assert found.startswith("1 label is not among the answers of this pool, A, B, C (row 10: ") and "“ZZ”" in found
    assert not incoming(archive, plan, letters, table).strange


def test_labels_of_another_list_are_refused_and_settlements_are_taken_over(archive, plan, pool) -> None:
    foreign = incoming(archive, plan, pool, returned(["nothing"], ["right"]))
    assert not foreign.of_list
    with pytest.raises(LabelError):
        _ = foreign.settlements
    table = returned(plan.ids[:4], ["right"] * 4)
    first = incoming(archive, plan, pool, table)
    again = Incoming(first.labels, table, first.settlements)
    assert first.of_list and again.settlements is first.settlements
