"""The result of labelling: its numbers are those of the estimators, whichever labels are there."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.design import Design, Scheme
from core.errors import DesignError
from core.estimation import Interval, domains, stratified, uniform
from core.estimation.waves import waves
from core.report import report_html, report_json, sentences
from core.report.sentences import headline, remarks
from core.words import SPACE
from tests.core.study.examples import GROUPS, LOSSES, PLAN, POOL, accuracy, numbers, result_of

FREE = Interval(bounded=False)
UNEVEN = Design(40, Scheme(offset=0.05), seed=0).draw(POOL)


def test_numbers_are_the_estimators_own() -> None:
    result = result_of()
    values, strata = 1 - LOSSES[PLAN.positions], PLAN.stratum[PLAN.positions]
    assert result.estimate == accuracy(values, strata, PLAN.strata.sizes)
    for row in result.intervals.itertuples():
        alone = stratified(values, strata, PLAN.strata.sizes, interval=row.interval)
        assert (row.low, row.high) == (alone.low, alone.high)
    table = result.strata_table
    assert table["share_of_variance"].sum() == pytest.approx(1)
    assert table["labels"].tolist() == table["planned"].tolist() == PLAN.allocation.tolist()
    assert (table["value"] * table["share_of_pool"]).sum() == pytest.approx(result.estimate.value)
    assert result.groups is not None and result.groups.equals(domains(values, PLAN.positions, PLAN.stratum, GROUPS))
    assert result.missing == ()


def test_it_is_shown_in_a_line_and_a_short_table() -> None:
    lines = repr(result_of()).replace(SPACE, " ").splitlines()
    assert lines[0].startswith("Accuracy ") and lines[0].endswith("), 60 labels")
    assert len(lines) == 2 + PLAN.strata.n_strata and len(repr(result_of())) < 1000
    assert repr(result_of(keep=slice(5))).replace(SPACE, " ").splitlines()[0].endswith("(no interval yet), 5 labels")
    assert repr(result_of(measure="score")).startswith("Mean score ")


def test_missing_labels_are_named_and_the_realised_sample_is_used() -> None:
    result = result_of(keep=slice(52))
    assert result.missing == tuple(str(i) for i in PLAN.ids[52:])
    assert result.estimate.n_labels == result.strata_table["labels"].sum() == 52
    assert result.planned == 60 and result.not_yet == result.missing and not result.n_absent
    assert "8 of 60 planned labels" in remarks(result)[0] and "smaller budget" in remarks(result)[0]
    page = report_html(result)
    assert "Not labelled yet" in page and str(PLAN.ids[52]) in page and "Labels still missing" not in page
    assert "Not labelled yet" not in report_html(result_of())


def test_a_stratum_that_misses_most_labels_counts_with_those_that_came() -> None:
    member = PLAN.stratum[PLAN.positions]
    largest = int(np.argmax(PLAN.strata.sizes))
    keep = np.flatnonzero((member != largest) | (np.cumsum(member == largest) <= 2))
    result = result_of(keep=keep)
    assert result.n_absent
    assert result.estimate == accuracy(result.values, result.strata, PLAN.strata.sizes)
    assert result.estimate.high - result.estimate.low > 1.2 * (result_of().estimate.high - result_of().estimate.low)
    assert result.intervals["low"].iloc[0] == result.estimate.low
    assert result.top_up(0.9 * result.half_width).current == pytest.approx(result.half_width)


def test_items_missing_here_and_there_leave_a_sample() -> None:
    result = result_of(keep=np.arange(60)[np.arange(60) % 6 != 5])
    assert result.n_absent == 9 and result.not_yet == (str(PLAN.ids[59]),)
    assert result.estimate == accuracy(result.values, result.strata, PLAN.strata.sizes)
    assert "at random" in remarks(result)[0]


def test_every_budget_of_a_list_is_as_planned() -> None:
    for first in range(PLAN.strata.n_strata, 61):
        result = result_of(keep=slice(first))
        assert not result.n_absent and len(result.not_yet) == 60 - first


@pytest.mark.parametrize("allocation", ["equal", "uniform"])
def test_labels_have_the_interval_of_the_plain_estimators(allocation: str) -> None:
    plan = Design(40, Scheme(n_strata=2, allocation=allocation), seed=0).draw(POOL)
    losses, strata = LOSSES[plan.positions], plan.stratum[plan.positions]
    one = allocation == "uniform"
    plain = uniform(losses, POOL.n_items) if one else stratified(losses, strata, plan.strata.sizes)
    assert plan.estimate(LOSSES) == plain
    estimate = result_of(plan).estimate
    assert (1 - estimate.value, estimate.standard_error) == pytest.approx(
        (plain.value, plain.standard_error), abs=1e-12
    )
    assert (1 - estimate.high, 1 - estimate.low) == pytest.approx((plain.low, plain.high), abs=1e-12)


def test_scores_have_a_mean_and_their_own_scale() -> None:
    shares = result_of(measure="score")
    assert numbers(shares.estimate) == numbers(result_of().estimate) and shares.estimate.measure == "mean score"
    assert "mean score of" in headline(shares) and "right" not in headline(shares)
    scores = np.random.default_rng(0).normal(7, 2, 60)
    free = result_of(values=scores, measure="score", interval=FREE)
    alone = stratified(scores, PLAN.stratum[PLAN.positions], PLAN.strata.sizes, bounded=False)
    assert numbers(free.estimate) == numbers(alone) and "Satterthwaite" in alone.method
    assert f"{alone.value:.4g}" in report_html(free) and free.top_up(0.1).further > 0
    # That all lie in [0, 1] does not bound the others.
    within = np.random.default_rng(1).random(60)
    assert "Satterthwaite" in result_of(values=within, measure="score", interval=FREE).estimate.method


def test_unbounded_scores_that_agree_have_no_interval() -> None:
    result = result_of(values=np.full(60, 3.0), measure="score", interval=FREE, groups=None)
    assert result.estimate.standard_error == 0 and not result.estimate.has_interval
    assert "no 95 % confidence interval yet" in headline(result).replace(SPACE, " ")
    assert len(remarks(result)) == 1 and "no interval yet" in remarks(result)[0]
    assert json.loads(report_json(result))["uniform_needed"] is None
    page = report_html(result)
    assert "no interval yet" in page and "inf" not in page.replace("info", "")
    with pytest.raises(DesignError):
        result.top_up(0.1)


def test_a_stratum_without_a_label_leaves_no_estimate() -> None:
    with pytest.raises(DesignError, match="No item of strat"):
        report_json(result_of(keep=slice(1), groups=None))


def test_items_that_were_given_up_are_bounded_both_ways() -> None:
    """Two of stratum 1 were drawn and given up: with both wrong and with both right they are labels like others."""
    gone = np.setdiff1d(np.flatnonzero(PLAN.stratum == 1), PLAN.positions)[:2]
    result, without = result_of(given_up=gone), result_of()
    assert without.worst_case is None and without.n_given_up == 0
    strata, sizes = np.r_[result.strata, 1, 1], PLAN.strata.sizes
    low = stratified(np.r_[result.values, 0, 0], strata, sizes).low
    high = stratified(np.r_[result.values, 1, 1], strata, sizes).high
    assert result.worst_case == (low, high)
    assert low < result.estimate.low and high > result.estimate.high
    said = [note for note in sentences.remarks(result) if "2 items cannot be labelled" in note]
    assert len(said) == 1 and sentences.span(result, low, high) in said[0]
    free = result_of(given_up=gone, values=10 * result.values, measure="score", interval=Interval(bounded=False))
    assert free.worst_case is None and any("cannot be labelled" in note for note in sentences.remarks(free))


def test_an_extended_list_is_estimated_in_waves_as_well() -> None:
    result = result_of(earlier=(25,))
    first, last = np.arange(25), np.arange(25, 60)
    left = PLAN.strata.sizes - np.bincount(result.strata[first], minlength=5)
    parts = [
        (result.values[first], result.strata[first], PLAN.strata.sizes),
        (result.values[last], result.strata[last], left),
    ]
    assert numbers(result.in_waves) == numbers(waves(parts, (0.25, 0.75)).estimate())
    assert result_of().in_waves is None and result_of(earlier=(57,)).in_waves is None, "the last three leave strata out"
    for alone in (result, result_of(earlier=(57,))):
        said = next(note for note in sentences.remarks(alone) if "was extended" in note)
        assert "biased" in said
        assert (alone.in_waves is not None) == ("unbiased if" in said) == ("needs a label of every" not in said)


def test_unbiased_is_never_said_without_its_condition() -> None:
    result = result_of(given_up=np.array([7]), earlier=(25,), undecided=1, unusable=1)
    for words in (*sentences.remarks(result), *sentences.method(result), sentences.headline(result)):
        assert ("unbiased" in words) <= (" if " in words), words
