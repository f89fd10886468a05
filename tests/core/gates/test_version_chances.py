"""Chances of a version gate before any label: against lists that are decided one by one, and against the usual gate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.bank import Bank
from core.gates import chances, gate
from core.gates.version_pool import gate_of, listed_pool
from core.pool import Pool
from tests.core.gates.test_version_gate import _renamed, _verdicts, versions


@pytest.mark.parametrize("true", [0.0, pytest.param(0.02, marks=pytest.mark.trial), 0.03])
def test_chances_are_those_of_lists_decided_one_by_one(true: float) -> None:
    rounds = 100
    planned = gate(versions(2000, 300, 150), "v1", "v2", 0.02)
    verdicts = _verdicts(2000, 300, 0.02, true, rounds)
    table = chances(planned, rounds=4000).table
    near = np.interp(true, table["difference"], table["passed"]), np.interp(true, table["difference"], table["failed"])
    for chance, verdict in zip(near, ("pass", "fail"), strict=True):
        # Four standard errors, and what the straight line between two differences leaves.
        assert abs(verdicts.count(verdict) / rounds - chance) < 4 * np.sqrt(chance * (1 - chance) / rounds) + 0.03


def test_a_usual_gate_with_the_same_labels_misses_regressions_that_this_one_finds() -> None:
    planned = gate(versions(2000, 400, 200), "v1", "v2", 0.02)
    likely = chances(planned)
    row = likely.regression.iloc[0]
    assert row["failed"] > row["usual_failed"] + 0.2
    # The variance is .25 within strata here, the largest there can be, and .2 is planned for.
    assert likely.as_good.iloc[0]["passed"] > 0.65 > 2 * likely.as_good.iloc[0]["usual_passed"]
    assert "5 points worse fails" in likely.sentence
    said = f"spends the same number of labels on {planned.n_labels} items drawn from all"
    assert likely.sentence.count(said) == 1 and f"on {planned.n_labels} items" in likely.about
    # How often a version at the margin passes is promised of any list.
    assert "exactly" not in likely.sentence and "worse by exactly 2 points" in planned.rates


def test_chances_of_a_list_that_may_be_looked_at_are_those_of_any_look() -> None:
    planned = gate(versions(60, 40, 20), "v1", "v2", 0.05, looks="any")
    likely = chances(planned, rounds=50)
    assert "decided after any label, up to the end of the list" in likely.about
    # Five points are the margin here, of which all lists say how often they are wrong.
    assert "5 points" not in likely.sentence and "5 points" in planned.rates


def test_the_usual_gate_passes_as_often_with_the_items_that_it_is_said_to_need() -> None:
    planned = gate(versions(6000, 900, 450), "v1", "v2", 0.02)
    likely = chances(planned)
    passed, needed = likely.as_good["passed"].iloc[0], likely.usual_needed
    assert needed is not None and needed > 4 * planned.n_labels
    assert f"{needed:,} labels instead of {planned.n_labels:,}" in likely.sentence
    rng, rounds = np.random.default_rng(0), 4000
    # 225 of each kind of difference, as where the new version errs alike among the items whose answers differ.
    found = rng.multivariate_hypergeometric([225, 5550, 225], needed, rounds) / needed
    mean = found[:, 2] - found[:, 0]
    spread = (found[:, 0] + found[:, 2] - mean**2) * (1 - needed / 6000) / (needed - 1)
    often = (mean + 1.6449 * np.sqrt(spread) < 0.02).mean()
    assert abs(often - passed) < 3 * np.sqrt(0.25 / rounds) + 0.02


@pytest.mark.parametrize("graded", [True, False])
def test_the_usual_gate_spends_as_many_labels_as_the_list(graded: bool) -> None:
    records = []
    for number in range(400):
        old = {"answer": "A"} | ({"loss": float(number % 2)} if graded else {})
        targets = {"v1": old, "v2": {"answer": "B" if number < 100 else "A"}}
        records.append({"id": f"i{number}", "prompt": "q", "targets": targets})
    planned = gate(Pool.from_records(records), "v1", "v2", 0.02)
    items = planned.n_labels if graded else planned.n_labels // 2
    assert 0 < items < 400 and f"on {items} items drawn from all" in chances(planned, rounds=20).about


@pytest.mark.parametrize(("graded", "each"), [("equal", 1.25), ("different", 1.75), ("all", 1.0), ("none", 2.0)])
def test_the_usual_gate_grades_what_is_not_graded_in_the_whole_pool(graded: str, each: float) -> None:
    """Uniform items are drawn from all, not from those alone whose answers differ: 100 of 400."""
    records = []
    for number in range(400):
        differs = number < 100
        known = graded == "all" or graded == ("different" if differs else "equal")
        old = {"answer": "A"} | ({"loss": float(number % 2)} if known else {})
        targets = {"v1": old, "v2": {"answer": "B" if differs else "A"}}
        records.append({"id": f"i{number}", "prompt": "q", "targets": targets})
    planned = gate(Pool.from_records(records), "v1", "v2", 0.02)
    assert planned.labels_each == each
    kept = gate_of(listed_pool(planned, Pool.from_records(records)))
    assert kept is not None and kept.labels_each == each


def test_the_more_it_is_worse_the_rarer_it_passes_and_at_the_margin_hardly_ever() -> None:
    likely = chances(gate(versions(1000, 200, 100), "v1", "v2", 0.02), rounds=4000)
    table = likely.table
    assert (np.diff(table["difference"]) > 0).all()
    assert (np.diff(table["passed"]) < 0.03).all() and (np.diff(table["failed"]) > -0.03).all()
    at_margin = np.interp(0.02, table["difference"], table["passed"])
    assert at_margin <= 0.06 + 3 * np.sqrt(0.06 * 0.94 / 4000)


def test_where_nothing_can_differ_there_is_one_row_and_it_passes() -> None:
    likely = chances(gate(versions(300, 0, 0), "v1", "v2", 0.02))
    assert likely.table[["difference", "passed", "failed"]].to_numpy().tolist() == [[0.0, 1.0, 0.0]]
    assert likely.regression.empty


def test_a_gate_that_needs_no_list_passes_and_fails_as_it_decides() -> None:
    planned = gate(versions(600, 8, 4), "v1", "v2", 0.02)
    assert not planned.order.size and planned.decide({}).verdict == "pass" and not planned.rates
    likely = chances(planned)
    assert (likely.table["passed"] == 1).all() and (likely.table["failed"] == 0).all()
    assert likely.usual_needed is None and "usual gate needs" not in likely.sentence


def test_no_number_is_given_for_the_usual_gate_where_this_one_rarely_passes() -> None:
    planned = gate(versions(2000, 400, 200), "v1", "v2", 0.02)
    few = replace(planned, order=planned.order[::4])
    likely = chances(few)
    assert likely.as_good["passed"].iloc[0] < 0.5 and likely.usual_needed is None


def test_an_ungraded_old_version_and_known_items_are_part_of_the_difference() -> None:
    blind = chances(gate(versions(500, 60, 30, graded=False), "v1", "v2", 0.05))
    assert blind.table["difference"].min() < 0 < blind.table["difference"].max() <= 60 / 500 + 1e-12
    options = gate(versions(500, 80, 30, options=True), "v1", "v2", 0.05)
    # Fifty items that the old version got right are wrong now, whatever the labels say.
    assert chances(options).table["difference"].min() == pytest.approx((50 - 30) / 500)


def test_carried_verdicts_count_for_a_gate_only_if_they_follow_from_the_answer() -> None:
    graded, blind = versions(300, 40, 10), versions(300, 40, 10, graded=False)
    bank = Bank.of(_renamed(graded))
    assert gate(blind, "v1", "v2", bank=bank).names == ("old version not graded",)
    assert gate(blind, "v1", "v2", bank=bank, follows=True).n_labels < 40
