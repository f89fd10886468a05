"""One label an item: the most frequent, ties, and everything odd told at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.design import Design, Plan, Scheme
from core.errors import LabelError
from core.labels import (
    canonical,
    losses,
    of_target,
    replacements,
    settle,
    target_answers,
)
from core.pool import Pool
from core.stratification import Profile, profile
from tests.core.wording import Saying

IDS = ["a", "b", "c", "d"]


def rows(*given: tuple[Any, ...]) -> pd.DataFrame:
    """Rows of (item_id, label, annotator, status, plan_id), the last ones optional."""
    padded = [(*row, *[None] * (5 - len(row))) for row in given]
    frame = pd.DataFrame(padded, columns=["item_id", "label", "annotator", "status", "plan_id"], dtype=object)
    return frame.assign(row=range(2, len(frame) + 2))


def whole(size: int = 60, budget: int = 12, seed: int = 0) -> tuple[Plan, Profile, np.ndarray[Any, Any]]:
    ids = np.array([f"q{i}" for i in range(size)], dtype=object)
    signals = profile(np.random.default_rng(1).integers(0, 4, (size, 5)))
    return Design(budget, Scheme(n_strata=3), seed=seed).plan("ab" * 32, ids, signals), signals, ids


def test_everything_odd_is_told_at_once() -> None:
    settlement = settle(
        rows(
            ("a", "right", "Ann", "", "p"),
            ("a", "wrong", "Bob", "", "p"),
            ("a", "right", "Cid", "", "p"),
            ("b", "yes", "Ann", "", "p"),
            ("b", "Right", "Ann", "", "p"),
            ("c", None, "Ann", "cancelled", "p"),
            ("d", "maybe", "Ann", "", "p"),
            ("z", "right", "Ann", "", "p"),
            ("d", "right", "Ann", "", "other"),
            ("d", "A | B", "Bob", "several", "p"),
        ),
        IDS,
        "p",
        "right-wrong",
    )
    assert settlement.labels.values.tolist() == [["a", "right", 2, 3], ["b", "right", 1, 1]]
    assert settlement.odd[["what", "row"]].values.tolist() == [
        ["conflict", 2],
        ["conflict", 3],
        ["conflict", 4],
        ["duplicate", 6],
        ["cancelled", 7],
        ["unknown label", 8],
        ["foreign id", 9],
        ["another plan", 10],
        ["several labels", 11],
    ]
    assert settlement.conflicts.values.tolist() == [["a", "right: 2, wrong: 1", "right"]]
    assert (settlement.missing, settlement.undecided) == (("c", "d"), ())
    assert len(settlement.sentences) == 7
    assert Saying("1 row", "another plan", "(row 10: “d” = “right”)") in settlement.sentences
    assert settlement.rows["item_id"].tolist() == ["a", "a", "a", "b", "b", "c"], "what cannot be read is not stored"


def test_a_tie_waits_for_a_decision() -> None:
    tied = rows(("a", "A", "Ann"), ("a", "B", "Bob"), ("b", "A", "Ann"))
    open_ = settle(tied, IDS, "p")
    assert (open_.undecided, open_.missing) == (("a",), ("a", "c", "d"))
    decided = settle(tied, IDS, "p", decisions={"a": " B "})
    assert decided.labels.values.tolist() == [["a", "B", 1, 2], ["b", "A", 1, 1]]
    assert (decided.undecided, decided.conflicts["label"].tolist()) == ((), ["B"])


def test_a_person_who_contradicts_themselves_does_not_win_by_repeating() -> None:
    settlement = settle(rows(("a", "A", "Ann"), ("a", "B", "Ann"), ("a", "A", "Ann")), IDS, "p")
    assert settlement.undecided == ("a",)
    assert settlement.odd["what"].tolist() == ["conflict", "conflict", "duplicate", "conflict"]


@pytest.mark.parametrize(
    ("plan", "item", "sentence"), [("other", "a", "belong to plan p.*plan “other”"), (None, "z", "item of plan p.*“z”")]
)
def test_a_list_of_which_nothing_belongs_here_is_refused(plan: str | None, item: str, sentence: str) -> None:
    with pytest.raises(LabelError, match=sentence):
        settle(rows((item, "A", None, None, plan)), IDS, "p")


def test_what_was_skipped_is_not_odd_and_what_was_given_up_is() -> None:
    given = [("a", None, "Ann", "skipped"), ("b", None, "Ann", "given up"), ("c", "right", "Ann", "")]
    settlement = settle(rows(*given), ["a", "b", "c"], "p", "right-wrong")
    assert settlement.odd[["what", "item_id"]].to_numpy().tolist() == [["cancelled", "b"]]
    assert settlement.missing == ("a", "b") and "“b”" in settlement.sentences[0]


def test_nothing_yet_is_no_error() -> None:
    settlement = settle(rows(), IDS, "p")
    assert (settlement.missing, len(settlement.labels), settlement.sentences) == (tuple(IDS), 0, ())


@pytest.mark.parametrize(
    ("label", "kind", "expected"),
    [
        (" TRUE ", "right-wrong", "right"),
        ("0", "right-wrong", "wrong"),
        ("perhaps", "right-wrong", None),
        ("Correct.", "right-wrong", "right"),
        ("wrong!", "right-wrong", "wrong"),
        (".", "right-wrong", None),
        ("0,5", "score", "0.5"),
        ("80%", "score", "0.8"),
        ("7 %", "score", "0.07"),
        ("%", "score", None),
        ("nan", "score", None),
        ("1e400", "score", None),
        ("b", "gold", "B"),
        ("(C).", "gold", "C"),
        ("D", "gold", None),
        ("Paris", "gold", "B"),
        ("B. Paris", "gold", "B"),
        ("Rome", "gold", None),
        (" ", "gold", None),
    ],
)
def test_spellings_of_a_label(label: str, kind: str, expected: str | None) -> None:
    assert canonical(label, kind, ["Rome", "Paris", "Rome"]) == expected


def test_a_gold_answer_is_compared_as_the_pool_compares() -> None:
    records: list[dict[str, Any]] = [
        {"id": "n", "answer_kind": "number", "targets": {"m": {"text": "So it is 1,000."}}},
        {"id": "c", "choices": ["x", "y"], "answer_kind": "choice", "targets": {"m": {"answer": "B"}}},
        {"id": "s", "targets": {"m": {"text": "the same"}}},
        {"id": "none", "answer_kind": "number", "targets": {"m": {"text": "I do not know"}}},
        {"id": "unknown"},
    ]
    pool = Pool.from_records(records)
    ids = pool.items.index.tolist()
    answers = target_answers(pool, "m", ids)
    assert answers == {"n": "1000", "c": "B", "s": "the same", "none": None}
    given = rows(("n", "1000.0"), ("c", "y"), ("s", "another"), ("none", "4"), ("unknown", "4"))
    options = [None, ["x", "y"], None, None, None]
    read_losses = losses(settle(given, ids, "p", choices=options), answers, pool.items)
    np.testing.assert_array_equal(read_losses["loss"], [0.0, 0.0, 1.0, 1.0, np.nan])
    with pytest.raises(LabelError, match="Right answers"):
        losses(settle(given, ids, "p", choices=options))


def test_scores_become_losses() -> None:
    settled = settle(rows(("a", "0.25"), ("b", "1")), IDS, "p", "score")
    assert losses(settled)["loss"].tolist() == [0.75, 0.0]
    assert losses(settled, higher_is_better=False)["loss"].tolist() == [0.25, 1.0]


def test_a_target_that_was_run_on_the_sample_labels_it() -> None:
    outcomes = [{"answer": "A"}, {"answer": "B"}, None]
    pool = Pool.from_records(
        [
            {"id": i, "answer": "A", **({"targets": {"m": outcome}} if outcome else {})}
            for i, outcome in zip("abc", outcomes, strict=True)
        ]
    )
    returned = of_target(pool, "m", ["c", "b", "a"])
    settled = settle(returned.rows, ["c", "b", "a"], "p", "right-wrong")
    assert settled.labels[["item_id", "label"]].values.tolist() == [["b", "wrong"], ["a", "right"]]
    assert losses(settled)["loss"].tolist() == [1.0, 0.0]
    with pytest.raises(LabelError, match="no outcome of “m”"):
        of_target(pool, "m", ["c"])


def test_strata_of_the_list() -> None:
    plan, _, _ = whole()
    np.testing.assert_array_equal(plan.items["stratum"].to_numpy(), plan.stratum[plan.positions])


def test_replacements_are_the_next_items_of_their_strata() -> None:
    plan, settlement, ids = whole()
    lost = [plan.ids[0], plan.ids[5], plan.ids[6]]
    spare = replacements(plan, lost)
    assert len(spare) == 3 and not set(spare["item_id"]) & set(plan.ids)
    by_id = dict(zip(plan.ids, plan.items["stratum"].to_numpy(), strict=True))
    assert spare["stratum"].tolist() == [by_id[item] for item in plan.ids if item in lost]
    np.testing.assert_array_equal(ids[spare["place"]], spare["item_id"])
    # The first replacement of a stratum is what a larger budget would add to it first.
    larger = Design(40, Scheme(n_strata=3), seed=0).plan("ab" * 32, ids, settlement)
    strata = larger.items["stratum"].to_numpy()
    for h, group in spare.groupby("stratum"):
        added = [i for i, s in zip(larger.ids, strata, strict=True) if s == h and i not in set(plan.ids)]
        assert group["item_id"].tolist() == added[: len(group)]
    # One of them is lost too: the next takes its place, the others stay.
    again = replacements(plan, [*lost, spare["item_id"][0]])
    assert len(again) == 3 and set(again["item_id"]) > set(spare["item_id"][1:])
    assert replacements(plan, ids.tolist()).empty


def test_labels_of_the_same_design_with_another_budget_count() -> None:
    plan, _, _ = whole()
    larger = whole(budget=20)[0]
    labelled = rows(*((item, "A", None, None, plan.plan_id) for item in plan.ids))
    settlement = settle(labelled, larger.ids.tolist(), larger.plan_id, family=[plan.plan_id])
    assert settlement.labels["item_id"].tolist() == plan.ids.tolist()
    assert settlement.missing == tuple(larger.ids[plan.ids.size :])


def test_scores_outside_0_to_1_are_told_unless_they_are_allowed() -> None:
    rows = pd.DataFrame({"item_id": ["a", "b", "c"], "label": ["0.5", "7", "-1"]})
    settlement = settle(rows, ["a", "b", "c"], "p", "score")
    assert settlement.missing == ("b", "c") and settlement.labels["label"].tolist() == ["0.5"]
    assert settlement.odd[["what", "item_id", "label"]].values.tolist() == [
        ["score out of range", "b", "7"],
        ["score out of range", "c", "-1"],
    ]
    assert settlement.sentences[0] == Saying("2 labels", "outside 0 to 1") and "“b” = “7”" in settlement.sentences[0]
    assert len(settlement.rows) == 3, "they are kept, for the day on which they are allowed"
    allowed = settle(rows, ["a", "b", "c"], "p", "score", unbounded=True)
    assert allowed.missing == () and not allowed.sentences
    assert losses(allowed, items=None)["loss"].tolist() == [0.5, -6.0, 2.0]


def test_what_cannot_be_read_is_told_and_not_stored() -> None:
    given = [
        ("a", "korrekt", "Ann"),
        ("b", "A | B", "Ann", "several"),
        ("c", None, "Ann", "empty"),
        ("d", "right", "Ann"),
    ]
    settlement = settle(rows(*given), IDS, "p", "right-wrong")
    assert settlement.rows["item_id"].tolist() == ["d"]
    assert settlement.odd[["what", "row"]].values.tolist() == [["unknown label", 2], ["several labels", 3]]
    skipped = settle(rows(("a", None, "Ann", "skipped"), ("b", None, "Ann", "given up")), IDS, "p", "right-wrong")
    assert skipped.rows["item_id"].tolist() == ["a", "b"]


def test_the_mean_of_several_scores_counts() -> None:
    given = [("a", "0.2", "Ann"), ("a", "0,6", "Bob"), ("b", "1", "Ann"), ("b", "1.0", "Bob")]
    settlement = settle(rows(*given), IDS, "p", "score")
    assert settlement.labels.values.tolist() == [["a", "0.4", 2, 2], ["b", "1.0", 2, 2]]
    assert (settlement.undecided, len(settlement.conflicts), settlement.missing) == ((), 0, ("c", "d"))
    assert settlement.odd["what"].tolist() == ["several scores"] * 2
    assert (
        settlement.odd["row"].tolist() == [2, 3]
        and "(row 2: “a” = “0.2”, row 3: “a” = “0,6”)" in settlement.sentences[0]
    )


def test_who_gives_two_scores_has_one_voice() -> None:
    given = [("a", "0", "Ann"), ("a", "1", "Ann"), ("a", "0.8", "Bob")]
    assert settle(rows(*given), IDS, "p", "score").labels["label"].tolist() == ["0.65"]


def test_the_same_answer_in_two_spellings_is_one_vote() -> None:
    items = pd.DataFrame({"answer_kind": ["number", "text", "as-is", None]}, index=IDS)
    given = [
        *(("a", label, person) for label, person in (("11.0", "Ann"), ("11", "Bob"), ("11", "Cid"), ("12", "Dee"))),
        *(("b", label, person) for label, person in (("Paris", "Ann"), ("paris", "Bob"), ("Rome", "Cid"))),
        *(("c", label, person) for label, person in (("Paris", "Ann"), ("paris", "Bob"))),
    ]
    settlement = settle(rows(*given), IDS, "p", items=items)
    assert settlement.labels.values.tolist() == [["a", "11", 3, 4], ["b", "Paris", 2, 3]]
    assert settlement.conflicts["votes"].tolist() == ["11: 3, 12: 1", "Paris: 2, Rome: 1", "Paris: 1, paris: 1"]
    assert settlement.undecided == ("c",), "as it is, every letter counts"
    alike = settle(rows(("a", "1,000", "Ann"), ("a", "1000", "Bob")), IDS, "p", items=items)
    assert alike.conflicts.empty and alike.labels["votes"].tolist() == [2]


def test_outcomes_of_the_pool_count_only_where_nobody_has_labelled() -> None:
    given = [("a", "wrong", "(pool)"), ("a", "right", "Ann"), ("b", "wrong", "(pool)"), ("c", "perhaps", "Ann")]
    settlement = settle(rows(*given, ("c", "right", "(pool)")), IDS, "p", "right-wrong")
    assert settlement.labels.values.tolist() == [["a", "right", 1, 1], ["b", "wrong", 1, 1], ["c", "right", 1, 1]]
    assert settlement.conflicts.empty and settlement.odd["what"].tolist() == ["unknown label"]
    before = rows(("a", "wrong", "model"), ("a", "right", "Ann")).assign(source=["pool", "here"])
    assert settle(before, IDS, "p", "right-wrong").labels["label"].tolist() == ["right"]


def test_the_most_frequent_answer_counts_although_most_gave_another() -> None:
    settlement = settle(rows(*(("a", label, label + str(n)) for n, label in enumerate("AABCD"))), IDS, "p")
    assert settlement.labels.values.tolist() == [["a", "A", 2, 5]]
    assert settlement.odd["what"].tolist() == ["conflict"] * 5 and len(settlement.sentences) == 1


def test_a_list_of_another_plan_names_it() -> None:
    with pytest.raises(LabelError, match=r"2 rows belongs to plan p.*plan “q”"):
        settle(rows(("a", "A", "", "", "q"), ("b", "A", "", "", "q")), IDS, "p")
