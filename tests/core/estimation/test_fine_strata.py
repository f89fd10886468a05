"""Intervals from fine strata, if a few of many strata of two labels can hold all the variance."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from core.design import recommend
from core.estimation import sample
from core.estimation.contrasts import ratio
from core.estimation.intervals import DEFAULT, Limits
from core.estimation.variance import variance_terms
from core.pool import Pool
from core.simulation.replications import Samples
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
    plain = DEFAULT.limits(value, variance, labels, labels - sizes.size)
    exact = variance_terms(counts, ones * (sizes - ones) / sizes / (sizes - 1), sizes).sum()
    size = truth * (1 - truth) / exact
    best = DEFAULT.limits(value, value * (1 - value) / size, size, np.inf)
    limits = Limits(table["low"].to_numpy(), table["high"].to_numpy())
    width = (limits.high - limits.low).mean() / (best.high - best.low).mean()
    return coverage(limits, truth), float(width), coverage(plain, truth)


@pytest.mark.parametrize(
    ("known", "budget", "wider"),
    [
        (demo, 50, 1.5),
        (demo, 100, 1.5),
        (partial(one_group, 2, 300), 20, 1.2),
        (partial(one_group, 5, 200), 50, 1.4),
    ],
    ids=["demo-50", "demo-100", "one-of-two-groups-20", "one-of-five-groups-50"],
)
def test_intervals_cover_where_few_fine_strata_hold_the_variance(
    known: Callable[[], tuple[Pool, str | None, NDArray[np.float64]]], budget: int, wider: float
) -> None:
    """At least 93 %, more than Wilson's with V̂ and M − H cover, and not much wider than with the true variance."""
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
    assert width < 1.25


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
    assert width < 1.1


def test_labels_that_all_say_right_have_an_interval_whatever_the_sizes_round_to() -> None:
    # The mean of ones is above 1, below it or 1 by rounding, which was a variance below 0.
    rng = np.random.default_rng(0)
    pools = [rng.integers(9, 12, size=30) for _ in range(50)]
    rounded = {float(np.ones(30) @ (sizes / sizes.sum())) for sizes in pools}
    assert min(rounded) < 1 < max(rounded)
    for sizes in pools:
        estimate = sample(np.ones(60), np.repeat(np.arange(30), 2), sizes).estimate()
        assert estimate.value == estimate.high == 1 and 0.8 < estimate.low < 1


@pytest.mark.parametrize("more", [4, 6])
def test_a_list_that_is_extended_stays_covered(more: int) -> None:
    """Half of the last tenth wrong and nothing else, ten strata: 87 % with V̂ and t of six labels each."""
    sizes, ones = np.full(10, 132), np.r_[np.zeros(9, dtype=np.int64), 66]
    covered, width, _ = simulated(np.full(10, more), sizes, ones)
    fewer, _, _ = simulated(np.full(10, 2), sizes, ones)
    assert covered > LEAST and fewer > LEAST and width < 1.5


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
    strata, sizes = np.repeat(np.arange(10), 2), np.full(10, 50)
    tells = np.zeros(20)
    tells[0] = 1
    alone = ratio(tells, tells, strata, sizes)
    assert (alone.low, alone.high) == (0, 1) and np.isnan(alone.standard_error)
    tells[[2, 4, 6]] = 1
    few = ratio(np.r_[1.0, np.zeros(19)], tells, strata, sizes)
    assert 0 <= few.low < few.value < few.high <= 1
