"""Design effect, what Uniform would have given, and top-up."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.allocation import allocate, proxy_neyman
from core.errors import DesignError
from core.estimation import Sample, sample, stratified, uniform
from core.intervals import limits
from core.precision import population_variance, precision, survey_design_effect, top_up

SIZES = (1400, 400, 400, 400, 400)
WEIGHTS = proxy_neyman(SIZES, (1.0, 0.88, 0.74, 0.60, 0.45))


def labelled(counts: tuple[int, ...], ones: tuple[int, ...], sizes: tuple[int, ...] = SIZES) -> Sample:
    losses = [np.repeat([1.0, 0.0], [k, m - k]) for m, k in zip(counts, ones, strict=True)]
    return sample(np.concatenate(losses), np.repeat(np.arange(len(counts)), counts), sizes)


D1 = labelled((25, 10, 11, 12, 12), (24, 9, 8, 7, 5))


def test_survey_package_d1_design_effects() -> None:
    assert survey_design_effect(D1) == pytest.approx(0.71104245614, abs=1e-11)
    assert survey_design_effect(D1, replacement=True) == pytest.approx(0.694451465497, abs=1e-12)
    assert precision(D1).effective_size == pytest.approx(99.35899544920, abs=1e-9)
    assert precision(D1).design_effect == pytest.approx(0.71104245614, rel=0.005)


def test_the_pools_variance_is_estimated_without_bias() -> None:
    """Mean over every stratified sample of a small pool."""
    strata = [np.array([0.0, 1.0, 1.0, 0.3]), np.array([0.0, 0.0, 1.0, 0.0, 0.7])]
    pool = np.concatenate(strata)
    found = [
        population_variance(sample([*a, *b], [0] * 2 + [1] * 3, (4, 5)))
        for a in itertools.combinations(strata[0], 2)
        for b in itertools.combinations(strata[1], 3)
    ]
    assert min(found) > 0
    assert np.mean(found) == pytest.approx(np.var(pool, ddof=1), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.integers(0, 100))
def test_a_uniform_sample_is_worth_itself(losses: list[float], rest: int) -> None:
    size = len(losses) + rest
    found = sample(losses, [0] * len(losses), [size])
    seen, own = precision(found), uniform(losses, size)
    assert (seen.uniform.value, seen.uniform.standard_error) == pytest.approx((own.value, own.standard_error), abs=1e-9)
    assert seen.uniform_needed == pytest.approx(len(losses), abs=1 if found.variance > 1e-12 else 0)
    if found.variance > 1e-12:
        assert seen.design_effect == pytest.approx(1, abs=1e-6)
        assert (seen.uniform.low, seen.uniform.high) == pytest.approx((own.low, own.high), abs=1e-6)


def test_labels_that_uniform_needs_are_the_fewest() -> None:
    seen, variance = precision(D1), population_variance(D1)

    def error(labels: int) -> float:
        return variance * (1 / labels - 1 / 3000)

    assert error(seen.uniform_needed) <= D1.variance < error(seen.uniform_needed - 1)
    assert seen.saved(70) == pytest.approx(1 - 70 / seen.uniform_needed)
    assert seen.uniform.standard_error == pytest.approx(math.sqrt(error(70)))


def test_no_spread_and_census_have_no_design_effect() -> None:
    alike = precision(labelled((10, 5, 5, 5, 5), (10, 5, 5, 5, 5)))
    assert math.isnan(alike.design_effect)
    assert (alike.effective_size, alike.uniform_needed) == (30, 30)
    whole = precision(labelled((3, 2), (1, 1), (3, 2)))
    assert (whole.uniform.low, whole.uniform.high) == (0.4, 0.4)
    lonely = precision(labelled((1, 1), (1, 0), (10, 30)))
    assert math.isnan(lonely.uniform.standard_error)
    assert (lonely.uniform.low, lonely.uniform.high) == (0.0, 1.0)


@pytest.mark.parametrize("wanted", [0.02, 0.04, 0.06])
@pytest.mark.parametrize("interval", ["wilson", "korn-graubard", "wald"])
def test_a_top_up_is_the_fewest_labels(wanted: float, interval: str) -> None:
    """The strata being as they were seen, so many labels have the wanted half-width, and one fewer have not."""
    found = top_up(WEIGHTS, D1, wanted, interval=interval)

    def half(budget: int) -> float:
        counts = allocate(WEIGHTS, SIZES, budget)
        return _half(D1, counts, interval)

    assert not found.reached
    assert found.further == found.total - 70
    assert half(found.total) <= wanted < half(found.total - 1)
    assert 70 <= found.least <= found.total <= found.most <= 3000


def _half(seen: Sample, counts: np.ndarray, interval: str) -> float:
    """Half-width of a sample with these counts and exactly the seen means and variances, through `stratified`.

    A stratum of losses ℓ̄ ± a, half of them each, has the variance a² m/(m−1); odd strata keep one loss at ℓ̄.
    """
    losses = []
    for m, mean, variance in zip(counts, seen.means, seen.variances, strict=True):
        pairs = m // 2
        a = math.sqrt(variance * (m - 1) / (2 * pairs))
        losses.append(np.concatenate([np.full(pairs, mean - a), np.full(pairs, mean + a), np.full(m % 2, mean)]))
    strata = np.repeat(np.arange(counts.size), counts)
    # These stand-ins may leave [0, 1]; only value and variance count.
    stand_in = sample(np.concatenate(losses), strata, seen.sizes, bounded=False)
    assert stand_in.value == pytest.approx(seen.value)
    reach = limits(interval, stand_in.value, stand_in.variance, int(counts.sum()), int(counts.sum()) - counts.size)
    return float(reach.high - reach.low) / 2


def test_a_wish_that_is_fulfilled_needs_nothing() -> None:
    found = top_up(WEIGHTS, D1, 0.2)
    assert found.reached
    assert (found.total, found.further, found.least, found.most) == (70, 0, 70, 70)
    own = stratified(
        np.concatenate([np.repeat([1.0, 0.0], [k, m - k]) for m, k in zip(D1.counts, (24, 9, 8, 7, 5), strict=True)]),
        np.repeat(np.arange(5), D1.counts),
        SIZES,
    )
    assert found.current == pytest.approx((own.high - own.low) / 2)


def test_a_hair_of_width_takes_a_census() -> None:
    assert top_up(WEIGHTS, D1, 1e-9).total == 3000


def test_without_observed_spread_the_range_is_wide() -> None:
    found = top_up(WEIGHTS, labelled((10, 5, 5, 5, 5), (10, 5, 5, 5, 5)), 0.03)
    assert 30 < found.total < found.most
    assert found.least == found.total


def test_unbounded_losses() -> None:
    rng = np.random.default_rng(3)
    found = sample(rng.normal(5, 2, 40), np.repeat([0, 1], 20), (500, 700), bounded=False)
    more = top_up([1.0, 1.0], found, 0.3, bounded=False)
    # 1.96 · 2/√n = 0.3 → n ≈ 170 of an endless pool.
    assert 100 < more.total < 240
    assert precision(found, bounded=False).uniform.method.startswith("t,")


def test_the_range_of_a_top_up_holds_the_total_needed_for_the_true_variance() -> None:
    """80 % of the ranges hold it; a run of 300 seeded samples, four standard errors."""
    rng = np.random.default_rng(8)
    sizes, shares = np.array([3000, 3000]), np.array([0.3, 0.5])
    truth = Sample(np.array([40, 40]), sizes, shares, shares * (1 - shares), np.zeros(2), False)
    goal = _total_for(truth)
    hits = 0
    for _ in range(300):
        drawn = rng.binomial(40, shares)
        found = top_up([1.0, 1.0], labelled((40, 40), tuple(drawn.tolist()), (3000, 3000)), 0.05, interval="wald")
        hits += found.least <= goal <= found.most
    # The variance of 0/1 losses varies less than the χ² of normal ones: the range is on the safe side.
    assert hits / 300 > 0.8 - 4 * math.sqrt(0.8 * 0.2 / 300)


def _total_for(truth: Sample) -> int:
    for budget in range(80, 6000):
        half = 1.96 * math.sqrt(sum(0.25 * v / (budget / 2) * (1 - budget / 6000) for v in truth.variances))
        if half <= 0.05:
            return budget
    raise AssertionError


def test_errors() -> None:
    with pytest.raises(DesignError, match="above 0, for instance"):
        top_up(WEIGHTS, D1, 0.0)
    with pytest.raises(DesignError, match="label more items"):
        top_up([1.0, 1.0], labelled((1, 1), (1, 0), (10, 30)), 0.05)
