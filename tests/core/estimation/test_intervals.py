"""Confidence limits: the reference numbers of R's survey, the defining equations, and the degenerate conventions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.interpolate import make_interp_spline
from scipy.special import expit, rel_entr

from core.errors import DesignError
from core.estimation.intervals import NAMES, RECOMMENDED, SHOWN, effective_size, limits

# Design D1 of the reference: N = (1400, 400 ×4), m = (25, 10, 11, 12, 12), correct = (24, 9, 8, 7, 5).
SIZES, COUNTS, CORRECT = (1400, 400, 400, 400, 400), (25, 10, 11, 12, 12), (24, 9, 8, 7, 5)
VALUE = sum(n * c / m for n, m, c in zip(SIZES, COUNTS, CORRECT, strict=True)) / 3000
VARIANCE = sum(
    (n / 3000) ** 2 * (1 - m / n) * c / m * (1 - c / m) / (m - 1)
    for n, m, c in zip(SIZES, COUNTS, CORRECT, strict=True)
)
D1 = {
    "wilson": (0.707124191477, 0.866456661049),
    "korn-graubard": (0.705819882560, 0.872234035309),
    "logit": (0.706077967260, 0.867039512727),
    "arcsine": (0.712475804952, 0.872195507012),
    "wald": (0.717906365105, 0.878699695501),
    "wald-z": (0.719402836379, 0.877203224227),
}
# Those of normal quantiles: Student's quantile with endless degrees of freedom.
D1_Z = {"wilson": (0.708989167579, 0.865409261964), "logit": (0.708003061145, 0.865964425739)}


def test_the_sample_of_the_reference() -> None:
    assert float(VALUE) == pytest.approx(0.798303030303, abs=1e-12)
    assert math.sqrt(VARIANCE) == pytest.approx(0.0402559406939, abs=1e-12)
    assert float(effective_size(VALUE, VARIANCE, 70)) == pytest.approx(99.35899544920, abs=1e-9)


@pytest.mark.parametrize(("name", "expected"), D1.items(), ids=D1)
def test_survey_package_d1(name: str, expected: tuple[float, float]) -> None:
    found = limits(name, VALUE, VARIANCE, 70, 65)
    assert (float(found.low), float(found.high)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("name", "expected"), D1_Z.items(), ids=D1_Z)
def test_survey_package_d1_with_normal_quantiles(name: str, expected: tuple[float, float]) -> None:
    found = limits(name, VALUE, VARIANCE, 70, math.inf)
    assert (float(found.low), float(found.high)) == pytest.approx(expected, abs=1e-9)


# The reference computes the likelihood's limits on a grid, with an error of its own: some 3e-6.
D1_LIKELIHOOD = (0.709952240354, 0.870675428904)


def test_every_interval_has_a_reference_number() -> None:
    assert {*D1, "likelihood"} == set(NAMES)
    assert set(RECOMMENDED) < set(SHOWN) < set(NAMES)


def test_survey_package_d1_likelihood_reaches_the_quantile_in_the_deviance() -> None:
    found = limits("likelihood", VALUE, VARIANCE, 70, 65)
    size, t = VALUE * (1 - VALUE) / VARIANCE * 69 / 70, stats.t(65).ppf(0.975)
    for share in (found.low, found.high):
        divergence = rel_entr(VALUE, share) + rel_entr(1 - VALUE, 1 - share)
        assert 2 * size * float(divergence) == pytest.approx(t * t, rel=1e-12)
    assert (float(found.low), float(found.high)) == pytest.approx(D1_LIKELIHOOD, abs=5e-6)


def test_survey_package_d1_likelihood_on_the_references_grid() -> None:
    """The same deviance by the reference's numerical procedure gives its figures to the last digit.

    The procedure: even steps on the scale of the log-odds to beyond the limits, the signed root of the deviance
    at each, a cubic spline through them read off at three times as many points, straight lines between these. The
    naive variance comes from the working weights that the last iteration started with.
    """
    weights = np.repeat(np.array(SIZES) / COUNTS, COUNTS)
    right = np.concatenate([np.repeat([1.0, 0.0], [c, m - c]) for m, c in zip(COUNTS, CORRECT, strict=True)])
    centre, information = fitted_log_odds(right, weights / weights.mean())
    error = math.sqrt(VARIANCE) / (VALUE * (1 - VALUE))
    cutoff = float(stats.t(65).ppf(0.975)) * error * math.sqrt(information)
    furthest = math.sqrt(stats.f(1, 69).isf(stats.norm.sf(cutoff) / 2))

    def root(log_odds: float) -> float:
        share = expit(log_odds)
        divergence = rel_entr(VALUE, share) + rel_entr(1 - VALUE, 1 - share)
        return math.copysign(math.sqrt(2 * 69 * divergence), log_odds - centre)

    points = {centre: 0.0}
    for side in (-1, 1):
        for step in range(1, 11):
            place = centre + side * step * furthest / 5 * error
            points[place] = root(place)
            if abs(points[place]) > furthest:
                break
    places = np.array(sorted(points))
    fine, values = spline(places, np.array([points[place] for place in places]))
    found = expit(np.interp([-cutoff, cutoff], values, fine))
    assert found.tolist() == pytest.approx(D1_LIKELIHOOD, abs=1e-11)


def fitted_log_odds(right: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, float]:
    """Log-odds by iterated weighted least squares, and the sum of the last working weights."""
    mean = (weights * right + 0.5) / (weights + 1)
    working, last = np.log(mean / (1 - mean)), math.inf
    while True:
        spread = mean * (1 - mean)
        used = weights * spread
        found = float(np.average(working + (right - mean) / spread, weights=used))
        working, mean = np.full(right.size, found), np.full(right.size, expit(found))
        deviance = -2 * float(np.sum(weights * np.log(np.where(right == 1, mean, 1 - mean))))
        if abs(deviance - last) < 1e-8 * (abs(deviance) + 0.1):
            return found, float(used.sum())
        last = deviance


def spline(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cubic spline at three times as many points, its ends' third derivatives those of a cubic through four points."""
    ends = [[(3, 6 * np.polyfit(x[part], y[part], 3)[0])] for part in (slice(None, 4), slice(-4, None))]
    fine = np.linspace(x[0], x[-1], 3 * x.size)
    return fine, make_interp_spline(x, y, k=3, bc_type=tuple(ends))(fine)


@pytest.mark.parametrize("drawn", [0, 3, 12, 30])
def test_korn_graubard_of_a_binomial_sample_is_clopper_pearson(drawn: int) -> None:
    p = drawn / 30
    found = limits("korn-graubard", p, p * (1 - p) / 30, 30, 29)
    exact = stats.binomtest(drawn, 30).proportion_ci(0.95, "exact")
    assert (float(found.low), float(found.high)) == pytest.approx((exact.low, exact.high), abs=1e-9)


@pytest.mark.parametrize("drawn", [0, 3, 12, 30])
def test_wilson_of_a_binomial_sample_is_wilson(drawn: int) -> None:
    p = drawn / 30
    found = limits("wilson", p, p * (1 - p) / 30, 30, math.inf)
    exact = stats.binomtest(drawn, 30).proportion_ci(0.95, "wilson")
    assert (float(found.low), float(found.high)) == pytest.approx((exact.low, exact.high), abs=1e-9)


# On a lattice, so that 1 − p is no rounder than p.
shares, variances = st.integers(0, 2**20).map(lambda x: x / 2**20), st.one_of(st.just(0.0), st.floats(1e-8, 0.2))


@given(
    st.sampled_from(sorted(NAMES)), shares, variances, st.integers(2, 500), st.integers(1, 400), st.floats(0.5, 0.99)
)
def test_limits_contain_the_value_and_mirror_it(
    name: str, p: float, v: float, labels: int, free: int, confidence: float
) -> None:
    found, mirrored = limits(name, p, v, labels, free, confidence), limits(name, 1 - p, v, labels, free, confidence)
    assert found.low <= p <= found.high
    if not name.startswith("wald"):
        assert found.low >= 0 and found.high <= 1
    assert (float(mirrored.low), float(mirrored.high)) == pytest.approx(
        (1 - float(found.high), 1 - float(found.low)), abs=1e-7
    )


@given(st.sampled_from(sorted(NAMES)), st.floats(0.05, 0.95), st.floats(1e-6, 0.05))
def test_a_higher_confidence_is_wider(name: str, p: float, v: float) -> None:
    inner, outer = limits(name, p, v, 40, 30, 0.8), limits(name, p, v, 40, 30, 0.99)
    assert outer.low <= inner.low <= inner.high <= outer.high
    assert outer.high - outer.low > inner.high - inner.low


@pytest.mark.parametrize("drawn", [0, 3, 12, 30])
def test_likelihood_of_a_binomial_sample_is_the_likelihood_ratios(drawn: int) -> None:
    """Of 29 observations, the variance's degrees of freedom; where all are right, in closed form."""
    p = drawn / 30
    found = limits("likelihood", p, p * (1 - p) / 30, 30, math.inf)
    quantile = float(stats.chi2(1).ppf(0.95))
    for share in {float(found.low), float(found.high)} - {p}:
        ratio = 2 * 29 * float(rel_entr(p, share) + rel_entr(1 - p, 1 - share))
        assert ratio == pytest.approx(quantile, rel=1e-10)
    assert (found.low < p) == (drawn > 0) and (found.high > p) == (drawn < 30)
    if drawn == 30:
        assert (float(found.low), float(found.high)) == (pytest.approx(math.exp(-quantile / 58), abs=1e-14), 1.0)


@pytest.mark.parametrize("name", RECOMMENDED)
@pytest.mark.parametrize("p", [0.0, 0.4, 1.0])
def test_no_observed_spread_counts_as_many_observations_as_labels(name: str, p: float) -> None:
    found, binomial = limits(name, p, 0.0, 30, 25), limits(name, p, p * (1 - p) / 30, 30, 25)
    assert (float(found.low), float(found.high)) == pytest.approx((float(binomial.low), float(binomial.high)))
    assert float(found.high - found.low) > 0.05


@pytest.mark.parametrize("name", [n for n in NAMES if n not in (*RECOMMENDED, "likelihood")])
def test_the_others_collapse_without_observed_spread(name: str) -> None:
    found = limits(name, 1.0, 0.0, 30, 25)
    assert found.low == found.high == 1.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("p", [1e-300, 1e-12, 1 - 1e-15])
def test_a_variance_far_beyond_the_values_own_is_no_accident(name: str, p: float) -> None:
    found = limits(name, p, 0.2, 30, 1, 0.999)
    assert found.low <= p <= found.high
    assert found.high - found.low > 0.99


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("variance", "free"), [(math.nan, 20), (0.01, 0)])
def test_an_unknown_variance_says_nothing(name: str, variance: float, free: int) -> None:
    found = limits(name, 0.7, variance, 20, free)
    assert (found.low, found.high) == (0.0, 1.0)


def test_many_samples_at_once_are_as_one_by_one() -> None:
    p, v = np.array([0.0, 0.2, 0.9, 1.0]), np.array([0.0, 0.003, 0.001, 0.0])
    for name in NAMES:
        many = limits(name, p, v, 50, 45)
        singles = [limits(name, a, b, 50, 45) for a, b in zip(p, v, strict=True)]
        np.testing.assert_array_equal(many.low, [float(s.low) for s in singles])
        np.testing.assert_array_equal(many.high, [float(s.high) for s in singles])


def test_errors_say_what_there_is() -> None:
    with pytest.raises(DesignError, match=r"no interval called “exact”: choose one of wilson"):
        limits("exact", 0.5, 0.01, 20, 15)
    with pytest.raises(DesignError, match="between 0 and 1, for instance"):
        limits("wilson", 0.5, 0.01, 20, 15, 95)
