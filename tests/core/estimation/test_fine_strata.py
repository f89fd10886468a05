"""Intervals from fine strata, if a few of many strata of two labels can hold all the variance."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, ndtri

from core.design import recommend
from core.estimation import sample
from core.estimation.contrasts import ratio
from core.estimation.intervals import WILSON, Limits
from core.estimation.samples import Samples
from core.estimation.smoothing import curve, smoothed
from core.estimation.variance import conservative, joined_df, variance_terms
from core.pool import Pool
from tests.pools import opened

ROUNDS = 5_000
# 94 %, less three standard errors.
LEAST = 0.93


def demo() -> tuple[Pool, str | None, NDArray[np.float64]]:
    pool = opened("demo")
    target = next(iter(pool.targets))
    return pool, target, np.asarray(pool.losses(target))


def one_group(groups: int, size: int) -> tuple[Pool, str | None, NDArray[np.float64]]:
    """Half of one group is wrong, and nothing else."""
    group, rank = np.arange(groups * size) // size, np.random.default_rng(4).permutation(size)
    pool = Pool.from_records([{"id": f"q{i}", "group": f"g{g}"} for i, g in enumerate(group)])
    return pool, None, ((group == 1) & (np.tile(rank, groups) < size / 2)).astype(float)


def coverage(limits: Limits, truth: float) -> float:
    return float(((limits.low <= truth + 1e-12) & (truth <= limits.high + 1e-12)).mean())


def simulated(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], ones: NDArray[np.int64]
) -> tuple[float, float, float]:
    """Coverage, width relative to Wilson's with the true variance, and coverage of Wilson's with V̂ and M − H."""
    truth, labels = float(ones.sum() / sizes.sum()), int(counts.sum())
    drawn = np.random.default_rng(1).hypergeometric(ones, sizes - ones, counts, (ROUNDS, sizes.size))
    means = drawn / counts
    table = Samples(counts, sizes, means, drawn * (1 - means)).estimates()
    value, variance = table["value"].to_numpy(), table["standard_error"].to_numpy() ** 2
    plain = WILSON.limits(value, variance, labels, labels - sizes.size)
    exact = variance_terms(counts, ones * (sizes - ones) / sizes / (sizes - 1), sizes).sum()
    size = truth * (1 - truth) / exact
    best = WILSON.limits(value, value * (1 - value) / size, size, np.inf)
    limits = Limits(table["low"].to_numpy(), table["high"].to_numpy())
    width = (limits.high - limits.low).mean() / (best.high - best.low).mean()
    return coverage(limits, truth), float(width), coverage(plain, truth)


@pytest.mark.parametrize(
    ("known", "budget", "wider"),
    [
        (demo, 50, 1.16),
        (demo, 100, 1.12),
        (partial(one_group, 2, 300), 20, 1.08),
        (partial(one_group, 5, 200), 50, 1.19),
    ],
    ids=["demo-50", "demo-100", "one-of-two-groups-20", "one-of-five-groups-50"],
)
def test_intervals_cover_where_few_fine_strata_hold_the_variance(
    known: Callable[[], tuple[Pool, str | None, NDArray[np.float64]]], budget: int, wider: float
) -> None:
    """At least 93 %, more than V̂ with M − H degrees of freedom covers, and hardly wider than with the true variance."""
    pool, target, losses = known()
    plan = recommend(pool, budget, target, ()).draw(pool, seed=0)
    ones = np.bincount(plan.stratum, weights=losses).astype(np.int64)
    covered, width, plain = simulated(plan.allocation, plan.strata.sizes, ones)
    assert covered > max(LEAST, plain)
    assert width < wider


@pytest.mark.parametrize("budget", [20, 50])
@pytest.mark.parametrize("direction", [1, -1], ids=["right", "reversed"])
def test_rare_errors_in_the_last_strata_are_not_paid_for_with_width(budget: int, direction: int) -> None:
    """Accuracy 94 %, and strata with less than half of Uniform's variance: V̂ is 0 in every third sample."""
    sizes, counts = np.full(budget // 2, 2600 // budget), np.full(budget // 2, 2)
    risks = expit(22 * (np.arange(1300) + 0.5) / 1300 - 21).reshape(sizes.size, -1)
    ones = np.rint(risks.sum(axis=1)).astype(np.int64)[::direction]
    assert 0.055 < ones.sum() / sizes.sum() < 0.065
    covered, width, _ = simulated(counts, sizes, ones)
    assert covered > LEAST
    assert width < 1.22


@pytest.mark.parametrize("budget", [20, 50])
def test_one_wrong_label_is_no_proof_that_errors_are_not_rare(budget: int) -> None:
    """Accuracy 99.2 %: Wilson's lower limit from a single wrong label lies above the truth."""
    ones = np.zeros(budget // 2, dtype=np.int64)
    ones[:8] = 1
    covered, _, _ = simulated(np.full(ones.size, 2), np.full(ones.size, 2000 // budget), ones)
    assert covered > LEAST
    square = 1.96**2 / 20
    plain = (0.05 + square / 2 - np.sqrt(square * (0.05 * 0.95 + square / 4))) / (1 + square)
    assert WILSON.limits(0.05, 0.05 * 0.95 / 20, 20, np.inf).low == pytest.approx(1 - 0.95 ** (1 / 20))
    assert plain > 0.008 and 1 - WILSON.limits(0.95, 0.05 * 0.95 / 20, 20, np.inf).high < 0.003


@pytest.mark.parametrize("accuracy", [0.55, 0.8, 0.9])
@pytest.mark.parametrize("budget", [20, 50, 100])
def test_a_useless_signal_is_covered(accuracy: float, budget: int) -> None:
    sizes = np.full(budget // 2, 4000 // budget)
    items = np.random.default_rng(8).permutation(
        np.repeat([1, 0], np.rint(2000 * np.array([1 - accuracy, accuracy])).astype(int))
    )
    ones = items.reshape(sizes.size, -1).sum(axis=1)
    covered, width, _ = simulated(np.full(sizes.size, 2), sizes, ones)
    assert covered > LEAST
    assert width < 1.06


def test_the_curve_is_the_penalised_fit_and_goes_through_the_estimate() -> None:
    rng, sizes, counts = np.random.default_rng(2), np.array([30] * 6 + [20] * 6), np.array([2, 3] * 6)
    means = rng.binomial(counts, np.linspace(0.05, 0.9, 12)) / counts
    share = sizes / sizes.sum()
    place = ndtri(np.cumsum(share) - share / 2)
    place = (place - np.average(place, weights=counts)) / np.sqrt(
        np.average((place - np.average(place, weights=counts)) ** 2, weights=counts)
    )

    def loss(x: NDArray[np.float64]) -> float:
        line = x[0] + x[1] * place
        return float((counts * (np.logaddexp(0, line) - means * line)).sum() + x[1] ** 2 / 8)

    slope = minimize(loss, np.zeros(2), tol=1e-12).x[1]
    p = curve(counts[None], sizes, means[None])[0]
    np.testing.assert_allclose(np.diff(np.log(p / (1 - p))), slope * np.diff(place), rtol=1e-5)
    assert share @ p == pytest.approx(share @ means, abs=1e-12)
    backwards = curve(counts[None, ::-1], sizes[::-1], means[None, ::-1])[0]
    np.testing.assert_allclose(backwards[::-1], p, rtol=1e-9)


def test_the_smoothed_variance_by_hand() -> None:
    """One of two labels wrong in each of ten strata: a flat curve at 1/2. Losses that are all 1/2 have no spread."""
    counts, sizes = np.full(10, 2), np.full(10, 1000)
    half = np.full((1, 10), 0.5)
    terms = 0.01 * 0.998 / 2
    variance, df, _ = smoothed(counts, sizes, half, half)
    mixed = (5 * 10 * terms * 0.5 + 3 * 10 * terms * 0.25 * 20 / 18) / 8
    assert variance == pytest.approx(mixed, rel=1e-12) and np.isinf(df).all()
    variance, _, _ = smoothed(counts, sizes, half, np.zeros((1, 10)))
    assert float(variance[0]) == 0


def test_errors_of_one_stratum_leave_a_variance_and_no_errors_none() -> None:
    """Two wrong labels in the last of ten strata: V̂ is 0, and the curve knows better."""
    counts, sizes = np.full(10, 2), np.full(10, 100)
    means = np.zeros((2, 10))
    means[1, -1] = 1
    variance, _, _ = smoothed(counts, sizes, means, np.zeros((2, 10)))
    simple = 0.1 * 0.9 / 20 * 0.98
    assert variance[0] == 0 and 0.2 * simple < variance[1] < 0.7 * simple
    alone, _, _ = smoothed(counts, sizes, means[1], np.zeros(10))
    assert float(alone) == pytest.approx(float(variance[1]), rel=1e-9)


def test_labels_that_all_say_right_have_an_interval_whatever_the_sizes_round_to() -> None:
    # The mean of ones is above 1, below it or 1 by rounding, which was a variance below 0.
    rng = np.random.default_rng(0)
    pools = [rng.integers(9, 12, size=30) for _ in range(50)]
    rounded = {float(np.ones(30) @ (sizes / sizes.sum())) for sizes in pools}
    assert min(rounded) < 1 < max(rounded)
    for sizes in pools:
        estimate = sample(np.ones(60), np.repeat(np.arange(30), 2), sizes).estimate()
        assert estimate.value == estimate.high == 1 and 0.8 < estimate.low < 1


def test_eight_strata_keep_their_variance_and_more_labels_outweigh_the_curve() -> None:
    """Nine strata are smoothed, each row on its own; with forty labels each, V is V̂ but for 3 in 178."""
    means, variances, sizes = np.full((2, 9), 0.5), np.full((2, 9), 0.5), np.full(9, 500)
    counts = np.array([[40] * 9, [2] * 9])
    plain = variance_terms(counts, variances, sizes).sum(axis=-1)
    variance, df, _ = smoothed(counts, sizes, means, variances)
    assert variance[0] == pytest.approx(plain[0], rel=0.01) and variance[1] < 0.9 * plain[1]
    assert df.tolist() == [np.inf, np.inf]
    eight = np.full(8, 2), np.full(8, 50), means[:1, :8], variances[:1, :8]
    variance, df, _ = smoothed(*eight)
    assert variance[0] == variance_terms(eight[0], eight[3], eight[1]).sum() and df[0] == 8


@pytest.mark.parametrize("more", [4, 6])
def test_a_list_that_is_extended_stays_covered(more: int) -> None:
    """Half of the last tenth wrong and nothing else, ten strata: 87 % with V̂ and t of six labels each."""
    sizes, ones = np.full(10, 132), np.r_[np.zeros(9, dtype=np.int64), 66]
    covered, width, _ = simulated(np.full(10, more), sizes, ones)
    fewer, _, _ = simulated(np.full(10, 2), sizes, ones)
    assert covered > LEAST and fewer > LEAST and width < 1.5


def test_degrees_of_freedom_of_blocks_by_hand() -> None:
    """Nine strata of two labels are blocks of four and five: (4 + 10)²/(4²/4 + 10²/5) = 8.17; all in one block: 5."""
    counts, terms = np.full(9, 2), np.repeat([1.0, 2.0], [4, 5])
    assert float(joined_df(terms, counts)) == pytest.approx(196 / 24)
    assert float(joined_df(np.repeat([0.0, 2.0], [4, 5]), counts)) == pytest.approx(5)
    assert float(joined_df(np.zeros(9), counts)) == 9


def test_strata_that_are_not_fine_keep_all_degrees_of_freedom() -> None:
    """Eight strata, or four labels in one of them; one row of many is as it is alone."""
    assert float(joined_df(np.r_[np.zeros(7), 1.0], np.full(8, 2))) == 8
    counts = np.array([[4] + [2] * 8, [3] + [2] * 8])
    terms = np.tile(np.r_[np.zeros(8), 1.0], (2, 1))
    assert joined_df(terms, counts) == pytest.approx([11, 5])


def test_conservative_limits_have_no_more_degrees_of_freedom_than_their_blocks() -> None:
    """Of one stratum of half the pool and 15 small ones the first decides: its block has eight."""
    losses, strata = np.r_[0.0, 1.0, np.zeros(30)], np.repeat(np.arange(16), 2)
    one = sample(losses, strata, np.r_[1500, np.full(15, 100)])
    variance, df = conservative(one.counts, one.sizes, one.means, one.variances)
    assert float(df) < 8.01 and variance > one.variance


def test_a_share_of_few_telling_labels_covers_and_is_not_much_wider_than_uniform_s() -> None:
    """A tenth of 2,000 items in 50 strata: nearly each telling label is alone in its stratum."""
    rng, sizes, counts = np.random.default_rng(6), np.full(50, 40), np.full(50, 2)
    tells = rng.random(2000) < 0.1
    right = tells & (rng.random(2000) < 0.8)
    truth, strata = right.sum() / tells.sum(), np.repeat(np.arange(50), counts)
    hits, widths, uniform_widths = [], [], []
    for _ in range(200):
        places = (np.argsort(rng.random((50, 40)), axis=1)[:, :2] + 40 * np.arange(50)[:, None]).ravel()
        one = ratio(right[places], tells[places], strata, sizes)
        hits.append(one.low <= truth <= one.high)
        widths.append(one.high - one.low)
        places = rng.choice(2000, 100, replace=False)
        one = ratio(right[places], tells[places], np.zeros(100, dtype=int), [2000])
        uniform_widths.append(one.high - one.low)
    assert np.mean(hits) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 200)
    assert np.mean(widths) < 1.1 * np.mean(uniform_widths)


def test_one_telling_label_in_fine_strata_tells_nothing() -> None:
    """At most one degree of freedom fewer than telling labels, and F1's weights keep labels less strata."""
    strata, sizes = np.repeat(np.arange(10), 2), np.full(10, 50)
    tells = np.zeros(20)
    tells[0] = 1
    alone = ratio(tells, tells, strata, sizes)
    assert (alone.low, alone.high) == (0, 1) and np.isnan(alone.standard_error)
    tells[[2, 4, 6]] = 1
    few = ratio(np.r_[1.0, np.zeros(19)], tells, strata, sizes)
    assert 0 < few.low < few.value < few.high < 1
    tells[0] = 0.5
    halves = ratio(np.r_[0.5, np.zeros(19)], tells, strata, sizes)
    assert (halves.low, halves.high) == (0, 1)
