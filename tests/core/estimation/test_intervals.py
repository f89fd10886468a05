"""Confidence limits: the reference numbers of R's survey, the defining equations, and the degenerate conventions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.errors import DesignError
from core.estimation.intervals import DEFAULT, Interval, effective_size
from core.words import INTERVAL_METHODS, RECOMMENDED

# Design D1 of the reference: N = (1400, 400 ×4), m = (25, 10, 11, 12, 12), correct = (24, 9, 8, 7, 5).
SIZES, COUNTS, CORRECT = (1400, 400, 400, 400, 400), (25, 10, 11, 12, 12), (24, 9, 8, 7, 5)
VALUE = sum(n * c / m for n, m, c in zip(SIZES, COUNTS, CORRECT, strict=True)) / 3000
VARIANCE = sum(
    (n / 3000) ** 2 * (1 - m / n) * c / m * (1 - c / m) / (m - 1)
    for n, m, c in zip(SIZES, COUNTS, CORRECT, strict=True)
)
# Wilson's are the limits of an estimate with a variance.
D1 = {
    "tilted": (0.707124191477, 0.866456661049),
    "korn-graubard": (0.705819882560, 0.872234035309),
    "wald": (0.717906365105, 0.878699695501),
}
# Those of normal quantiles: Student's quantile with endless degrees of freedom.
D1_Z = {"tilted": (0.708989167579, 0.865409261964), "wald": (0.719402836379, 0.877203224227)}


def test_the_sample_of_the_reference() -> None:
    assert float(VALUE) == pytest.approx(0.798303030303, abs=1e-12)
    assert math.sqrt(VARIANCE) == pytest.approx(0.0402559406939, abs=1e-12)
    assert float(effective_size(VALUE, VARIANCE, 70)) == pytest.approx(99.35899544920, abs=1e-9)


@pytest.mark.parametrize(("name", "expected"), D1.items(), ids=D1)
def test_survey_package_d1(name: str, expected: tuple[float, float]) -> None:
    limits = Interval(name).limits(VALUE, VARIANCE, 70, 65)
    assert (float(limits.low), float(limits.high)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("name", "expected"), D1_Z.items(), ids=D1_Z)
def test_survey_package_d1_with_normal_quantiles(name: str, expected: tuple[float, float]) -> None:
    limits = Interval(name).limits(VALUE, VARIANCE, 70, math.inf)
    assert (float(limits.low), float(limits.high)) == pytest.approx(expected, abs=1e-9)


def test_every_interval_has_a_reference_number() -> None:
    assert set(D1) == set(INTERVAL_METHODS) > set(RECOMMENDED)


@pytest.mark.parametrize("drawn", [0, 3, 12, 30])
def test_korn_graubard_of_a_binomial_sample_is_clopper_pearson(drawn: int) -> None:
    p = drawn / 30
    limits = Interval("korn-graubard").limits(p, p * (1 - p) / 30, 30, 29)
    exact = stats.binomtest(drawn, 30).proportion_ci(0.95, "exact")
    assert (float(limits.low), float(limits.high)) == pytest.approx((exact.low, exact.high), abs=1e-9)


@pytest.mark.parametrize("drawn", [0, 8, 12, 30])
def test_wilson_of_a_binomial_sample_is_wilson(drawn: int) -> None:
    p = drawn / 30
    limits = DEFAULT.limits(p, p * (1 - p) / 30, 30, math.inf)
    exact = stats.binomtest(drawn, 30).proportion_ci(0.95, "wilson")
    assert (float(limits.low), float(limits.high)) == pytest.approx((exact.low, exact.high), abs=1e-9)


# On a lattice, so that 1 − p is no rounder than p.
shares, variances = st.integers(0, 2**20).map(lambda x: x / 2**20), st.one_of(st.just(0.0), st.floats(1e-8, 0.2))


@given(
    st.sampled_from(sorted(INTERVAL_METHODS)),
    shares,
    variances,
    st.integers(2, 500),
    st.integers(1, 400),
    st.floats(0.5, 0.99),
)
def test_limits_contain_the_value_and_mirror_it(
    name: str, p: float, v: float, labels: int, df: int, confidence: float
) -> None:
    interval = Interval(name, confidence)
    limits, mirrored = (interval.limits(x, v, labels, df) for x in (p, 1 - p))
    assert limits.low <= p <= limits.high
    if not name.startswith("wald"):
        assert limits.low >= 0 and limits.high <= 1
    assert (float(mirrored.low), float(mirrored.high)) == pytest.approx(
        (1 - float(limits.high), 1 - float(limits.low)), abs=1e-7
    )


@given(st.sampled_from(sorted(INTERVAL_METHODS)), st.floats(0.05, 0.95), st.floats(1e-6, 0.05))
def test_a_higher_confidence_is_wider(name: str, p: float, v: float) -> None:
    inner, outer = (Interval(name, level).limits(p, v, 40, 30) for level in (0.8, 0.99))
    assert outer.low <= inner.low <= inner.high <= outer.high
    assert outer.high - outer.low > inner.high - inner.low


@pytest.mark.parametrize("name", ["tilted", "korn-graubard"])
@pytest.mark.parametrize("p", [0.0, 0.4, 1.0])
def test_no_observed_spread_counts_as_many_observations_as_labels(name: str, p: float) -> None:
    limits, binomial = Interval(name).limits(p, 0.0, 30, 25), Interval(name).limits(p, p * (1 - p) / 30, 30, 25)
    assert (float(limits.low), float(limits.high)) == pytest.approx((float(binomial.low), float(binomial.high)))
    assert float(limits.high - limits.low) > 0.05


@pytest.mark.parametrize("name", ["wald"])
def test_wald_collapses_without_observed_spread(name: str) -> None:
    limits = Interval(name).limits(1.0, 0.0, 30, 25)
    assert limits.low == limits.high == 1.0


@pytest.mark.parametrize("name", INTERVAL_METHODS)
@pytest.mark.parametrize("p", [1e-300, 1e-12, 1 - 1e-15])
def test_a_variance_far_beyond_the_values_own_is_no_accident(name: str, p: float) -> None:
    limits = Interval(name, 0.999).limits(p, 0.2, 30, 1)
    assert limits.low <= p <= limits.high
    assert limits.high - limits.low > 0.99


@pytest.mark.parametrize("name", INTERVAL_METHODS)
@pytest.mark.parametrize(("variance", "df"), [(math.nan, 20), (0.01, 0)])
def test_an_unknown_variance_says_nothing(name: str, variance: float, df: int) -> None:
    limits = Interval(name).limits(0.7, variance, 20, df)
    assert (limits.low, limits.high) == (0.0, 1.0)


def test_many_samples_at_once_are_as_one_by_one() -> None:
    p, v = np.array([0.0, 0.2, 0.9, 1.0]), np.array([0.0, 0.003, 0.001, 0.0])
    for name in INTERVAL_METHODS:
        many = Interval(name).limits(p, v, 50, 45)
        singles = [Interval(name).limits(a, b, 50, 45) for a, b in zip(p, v, strict=True)]
        np.testing.assert_array_equal(many.low, [float(s.low) for s in singles])
        np.testing.assert_array_equal(many.high, [float(s.high) for s in singles])


def test_errors_say_what_there_is() -> None:
    with pytest.raises(DesignError, match="no interval called “exact”"):
        Interval("exact")
    with pytest.raises(DesignError, match="between 0 and 1"):
        Interval(confidence=95)
