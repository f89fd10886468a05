"""Estimates and limits of a judge's measures: reference numbers, exactness of a census, what cannot be measured."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.judge.measures import MEASURES, VerdictPair
from core.judge.rates import VerdictSample
from tests.core.judge.vectors import VECTORS

ONE_STRATUM = st.integers(6, 200).flatmap(
    lambda size: st.integers(2, size).flatmap(
        lambda labels: st.integers(0, labels).map(lambda fails: VerdictSample((size,), (labels,), (fails,)))
    )
)


def cells(measure: str, pair: VerdictPair) -> tuple[float, float, float]:
    of = MEASURES[measure]
    return (pair.value(of), *pair.limits(of))


@pytest.mark.parametrize("vector", VECTORS, ids=["plain", "in strata", "no failure"])
def test_reference_numbers_are_met_to_six_digits(vector: object) -> None:
    pair, measures = vector  # type: ignore[misc]
    for name, (value, low, high) in measures.items():
        found = cells(name, pair)
        assert found[1:] == pytest.approx((low, high), abs=5e-7), name
        assert math.isnan(found[0]) if value is None else found[0] == pytest.approx(value, abs=5e-7), name


def test_without_a_failure_kappa_has_limits_and_no_value() -> None:
    value, low, high = cells("kappa", VECTORS[2].pair)
    assert math.isnan(value) and low < 0 < high


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_of_a_census_every_measure_is_the_confusion_tables(n_fail: int, n_pass: int, data: st.DataObject) -> None:
    caught = data.draw(st.integers(0, n_fail))
    missed = data.draw(st.integers(0, n_pass))
    pair = VerdictPair(VerdictSample((n_fail,), (n_fail,), (caught,)), VerdictSample((n_pass,), (n_pass,), (missed,)))
    total, alarms, good = n_fail + n_pass, n_fail - caught, n_pass - missed
    chance = ((caught + missed) * n_fail + (alarms + good) * n_pass) / total**2
    agreement = (caught + good) / total
    expected = {
        "pass_rate": (alarms + good) / total,
        "tnr": caught / (caught + missed) if caught + missed else None,
        "tpr": good / (good + alarms) if good + alarms else None,
        "agreement": agreement,
        "kappa": (agreement - chance) / (1 - chance) if caught + missed else None,
    }
    for name, exact in expected.items():
        value, low, high = cells(name, pair)
        if exact is None:
            assert math.isnan(value)
        else:
            assert (value, low, high) == pytest.approx((exact, exact, exact), abs=1e-9), name


@given(ONE_STRATUM, ONE_STRATUM)
@example(VerdictSample((6,), (2,), (0,)), VerdictSample((46,), (2,), (2,)))
def test_limits_hold_their_estimate_and_stay_in_range(fails: VerdictSample, passes: VerdictSample) -> None:
    pair = VerdictPair(fails, passes)
    for measure in MEASURES.entries:
        value, low, high = cells(measure.name, pair)
        assert measure.lowest <= low <= high + 1e-9 <= 1 + 2e-9
        assert math.isnan(value) or low - 1e-9 <= value <= high + 1e-9


@given(ONE_STRATUM, ONE_STRATUM)
def test_a_lower_confidence_gives_narrower_limits(fails: VerdictSample, passes: VerdictSample) -> None:
    pair = VerdictPair(fails, passes)
    for measure in MEASURES.entries:
        (low, high), (inner_low, inner_high) = pair.limits(measure, 1.96), pair.limits(measure, 1.0)
        assert low <= inner_low + 1e-9 and inner_high <= high + 1e-9


def test_the_pass_rate_is_unbiased_over_all_samples() -> None:
    """Every sample of two classes of six and five items with one verdict each."""
    fails, passes = [1, 1, 0, 1, 0, 0], [0, 0, 1, 0, 0]
    values = [
        VerdictPair(VerdictSample((6,), (3,), (sum(one),)), VerdictSample((5,), (2,), (sum(other),))).value(
            MEASURES["pass_rate"]
        )
        for one in itertools.combinations(fails, 3)
        for other in itertools.combinations(passes, 2)
    ]
    assert sum(values) / len(values) == pytest.approx(1 - (sum(fails) + sum(passes)) / 11)


def test_the_standard_error_of_the_pass_rate_is_that_of_both_classes() -> None:
    pair = VECTORS[0].pair
    own = math.hypot(0.17 * math.sqrt(pair.fails.variance), 0.83 * math.sqrt(pair.passes.variance))
    assert pair.standard_error(MEASURES["pass_rate"]) == pytest.approx(own)
    assert pair.standard_error(MEASURES["agreement"]) == pytest.approx(own)


def test_standard_errors_of_ratios_are_first_derivatives() -> None:
    """Against a numerical derivative of the textbook's formulas."""
    pair = VECTORS[1].pair
    u, q, a, b = pair.u, pair.q, pair.u * pair.fails.rate, pair.q * pair.passes.rate
    formulas = {
        "tnr": lambda a, b: a / (a + b),
        "tpr": lambda a, b: (q - b) / (1 - a - b),
        "kappa": lambda a, b: 2 * (a * q - b * u) / (u + (a + b) * (q - u)),
    }
    step = 1e-6
    for name, formula in formulas.items():
        assert pair.value(MEASURES[name]) == pytest.approx(formula(a, b))
        by_a = (formula(a + step, b) - formula(a - step, b)) / (2 * step)
        by_b = (formula(a, b + step) - formula(a, b - step)) / (2 * step)
        error = math.hypot(by_a * u * math.sqrt(pair.fails.variance), by_b * q * math.sqrt(pair.passes.variance))
        assert pair.standard_error(MEASURES[name]) == pytest.approx(error, rel=1e-5), name


@pytest.mark.parametrize(("empty", "tpr", "tnr"), [("fails", 1.0, 0.0), ("passes", 0.0, 1.0)])
def test_a_judge_that_says_one_thing_alone_has_rates_that_are_known(empty: str, tpr: float, tnr: float) -> None:
    nobody, class_of_all = VerdictSample((), (), ()), VerdictSample((100,), (40,), (10,))
    pair = VerdictPair(**{"fails": class_of_all, "passes": class_of_all, empty: nobody})
    assert cells("tpr", pair) == pytest.approx((tpr, tpr, tpr), abs=1e-9)
    assert cells("tnr", pair) == pytest.approx((tnr, tnr, tnr), abs=1e-9)
