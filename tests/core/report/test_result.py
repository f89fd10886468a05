"""The result of labelling: its numbers are those of the estimators, whichever labels are there."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.design import Design, Plan, Scheme
from core.errors import DesignError
from core.estimation import Interval, domains, stratified, top_up
from core.estimation.variance import uneven
from core.pool import Pool
from core.report import Labelled, report_html, report_json, result
from core.report.sentences import headline, remarks
from core.stratification import Profile
from core.words import SPACE
from tests.core.report.conftest import NASTY, made, members, part_of


def test_numbers_are_the_estimators_own(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen)
    member = members(plan, seen)
    losses = pool.losses("model")[plan.positions]
    assert found.estimate == stratified(1 - losses, member[plan.positions], plan.strata.sizes)
    assert found.half_width == pytest.approx((found.estimate.high - found.estimate.low) / 2)
    for row in found.intervals.itertuples():
        own = stratified(1 - losses, member[plan.positions], plan.strata.sizes, interval=row.interval)
        assert (row.low, row.high) == (own.low, own.high)
    assert found.strata["share_of_variance"].sum() == pytest.approx(1)
    assert found.strata["labels"].tolist() == found.strata["planned"].tolist() == plan.allocation.tolist()
    weighted = (found.strata["value"] * found.strata["share_of_pool"]).sum()
    assert weighted == pytest.approx(found.estimate.value)
    groups = [NASTY if i % 3 == 0 else None if i % 3 == 1 else "law" for i in range(500)]
    own_groups = domains(1 - losses, plan.positions, member, groups)
    assert found.groups is not None and found.groups.equals(own_groups)
    assert found.missing == ()


def test_loss_mirrors_accuracy(pool: Pool, plan: Plan, seen: Profile) -> None:
    right, wrong = made(pool, plan, seen), made(pool, plan, seen, measure="loss")
    assert (wrong.estimate.value, wrong.estimate.low) == pytest.approx(
        (1 - right.estimate.value, 1 - right.estimate.high)
    )
    assert "mean loss" in headline(wrong) and "right" in headline(right)


def test_missing_labels_are_named_and_the_realised_sample_is_used(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen, first=52)
    assert found.missing == tuple(str(i) for i in plan.ids[52:])
    assert found.estimate.n_labels == found.strata["labels"].sum() == 52
    assert found.planned == 60
    assert remarks(found)[0].startswith("8 of 60 planned labels are missing")
    assert found.cut_short and not found.short
    assert "sample of a smaller budget" in remarks(found)[0] and "by chance" not in " ".join(remarks(found))
    page = report_html(found)
    assert "Labels still missing" in page and str(plan.ids[52]) in page
    assert "Labels still missing" not in report_html(made(pool, plan, seen))


def test_a_stratum_that_misses_most_labels_is_named_and_widens_the_interval(
    pool: Pool, plan: Plan, seen: Profile
) -> None:
    own = members(plan, seen)[plan.positions]
    largest = int(np.argmax(plan.strata.sizes))
    keep = np.flatnonzero((own != largest) | (np.cumsum(own == largest) <= 2))
    found = part_of(pool, plan, seen, keep)
    assert found.short == (largest,) and not found.cut_short
    assert found.estimate.method.endswith("widened for strata with few labels")
    plain = stratified(found.labels["value"], found.labels["stratum"], plan.strata.sizes, conservative=False)
    assert found.estimate.high - found.estimate.low > plain.high - plain.low
    assert found.intervals["low"].iloc[0] == found.estimate.low
    said = " ".join(remarks(found))
    assert "missing by chance" in said and "are not widened" in said
    assert f"Stratum {largest}, " in said and f"has 2 of its {plan.allocation[largest]} planned labels" in said
    assert found.top_up(0.9 * found.half_width).current == pytest.approx(found.half_width)


def test_items_missing_here_and_there_do_not_widen(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = part_of(pool, plan, seen, np.arange(60)[np.arange(60) % 6 != 5])
    assert not found.short and not found.cut_short
    assert found.estimate == stratified(found.labels["value"], found.labels["stratum"], plan.strata.sizes)
    assert "missing by chance" in remarks(found)[0]


def test_every_budget_of_a_list_is_as_planned(pool: Pool, plan: Plan, seen: Profile) -> None:
    for first in range(plan.strata.n_strata, 61):
        found = part_of(pool, plan, seen, np.arange(first))
        assert not found.short and found.cut_short == (first < 60)


def test_a_design_that_spreads_labels_unevenly_widens_the_interval_and_says_so(pool: Pool, seen: Profile) -> None:
    plan = Design(40, Scheme(offset=0.05), seed=0).draw(pool, profile=seen)
    found = made(pool, plan, seen, first=40)
    assert uneven(plan.allocation, plan.strata.sizes) and found.uneven and not found.short
    assert found.estimate == stratified(found.labels["value"], found.labels["stratum"], plan.strata.sizes)
    assert found.intervals["low"].iloc[0] == found.estimate.low
    said = [remark for remark in remarks(found) if "spreads the labels unevenly" in remark]
    assert plan.allocation[0] < 4
    assert len(said) == 1 and "stratum 0," in said[0] and f" {plan.allocation[0]} label" in said[0]
    assert "spreads the labels unevenly" in report_html(found)
    document = json.loads(report_json(found))
    assert document["uneven"] and document["short_strata"] == []
    assert not made(pool, Design(60, seed=0).draw(pool, profile=seen), seen).uneven


def test_more_labels_of_an_uneven_design_are_planned_with_its_widened_limits(pool: Pool, seen: Profile) -> None:
    plan = Design(40, Scheme(offset=0.05), seed=0).draw(pool, profile=seen)
    found = made(pool, plan, seen, first=40)
    plain = top_up(found.weights, found.sample, 0.08, Interval(conservative=False), found.half_width)
    assert found.top_up(0.08).total > plain.total


def test_unbounded_losses_keep_their_scale(pool: Pool, plan: Plan, seen: Profile) -> None:
    rng = np.random.default_rng(0)
    labelled = Labelled([str(i) for i in plan.ids], plan.positions, rng.normal(7, 2, 60))
    found = result(plan, "p", labelled, members(plan, seen))
    assert not found.bounded and found.measure == "loss"
    assert "Satterthwaite" in found.estimate.method
    assert f"{found.estimate.value:.4g}" in report_html(found)
    assert found.top_up(0.1).further > 0
    shares = Labelled(labelled.ids, plan.positions, rng.random(60))
    free = result(plan, "p", shares, members(plan, seen), interval=Interval(bounded=False))
    assert "Satterthwaite" in free.estimate.method


def test_unbounded_losses_that_agree_have_no_interval(pool: Pool, plan: Plan, seen: Profile) -> None:
    labelled = Labelled([str(i) for i in plan.ids], plan.positions, np.full(60, 3.0))
    found = result(plan, "p", labelled, members(plan, seen))
    assert found.estimate.standard_error == 0 and not found.estimate.has_interval
    assert "there is no 95 % confidence interval yet" in headline(found).replace(SPACE, " ")
    assert remarks(found) == ["Labels that agree in each stratum show no spread: there is no interval yet."]
    assert json.loads(report_json(found))["uniform_needed"] is None
    page = report_html(found)
    assert "no interval yet" in page and "inf" not in page.replace("info", "")
    with pytest.raises(DesignError, match="no variance to plan from"):
        found.top_up(0.1)


def test_errors(pool: Pool, plan: Plan, seen: Profile) -> None:
    labelled = Labelled(["a", "a"], np.array([3, 3]), np.zeros(2))
    with pytest.raises(DesignError, match="labelled twice"):
        result(plan, "p", labelled, members(plan, seen))
    with pytest.raises(DesignError, match="load the pool of the plan"):
        result(plan, "p", labelled, np.zeros(500, dtype=int))
    with pytest.raises(DesignError, match="no measure called"):
        result(plan, "p", labelled, members(plan, seen), measure="bleu")
    with pytest.raises(DesignError, match="No item of stratum"):
        result(plan, "p", Labelled(["a"], np.array([3]), np.zeros(1)), members(plan, seen))
    for places in ([-1, 3], [3, 500]):
        with pytest.raises(DesignError, match="between 0 and 499"):
            result(plan, "p", Labelled(["a", "b"], np.array(places), np.zeros(2)), members(plan, seen))
    with pytest.raises(DesignError, match="1 ids, 2 positions and 2 losses"):
        result(plan, "p", Labelled(["a"], np.array([3, 4]), np.zeros(2)), members(plan, seen))
    for manifest in ("{", "[]"):
        with pytest.raises(DesignError, match="manifest"):
            made(pool, plan, seen, manifest=manifest)


def test_scores_have_a_mean_and_their_own_scale(pool: Pool, plan: Plan, seen: Profile) -> None:
    shares = made(pool, plan, seen, measure="score")
    assert shares.estimate == made(pool, plan, seen).estimate
    assert "has an estimated mean score of" in headline(shares) and "right" not in headline(shares)
    scores = np.random.default_rng(0).normal(7, 2, 60)
    labelled = Labelled([str(i) for i in plan.ids], plan.positions, 1 - scores)
    free = result(plan, "p", labelled, members(plan, seen), measure="score", interval=Interval(bounded=False))
    own = stratified(scores, members(plan, seen)[plan.positions], plan.strata.sizes, bounded=False)
    assert free.estimate.value == pytest.approx(own.value) and free.measure == "score"
