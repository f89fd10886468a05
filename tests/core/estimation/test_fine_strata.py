"""Degrees of freedom in fine strata, where a few of many strata of two labels can hold all the variance."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from core.design import recommend
from core.estimation import sample
from core.estimation.contrasts import ratio
from core.estimation.intervals import WILSON, Limits
from core.estimation.samples import Samples
from core.estimation.variance import conservative, joined_df, variance_terms
from core.pool import Pool
from core.readers import read

ROUNDS = 20_000
ROOT = Path(__file__).parents[3]


def demo() -> tuple[Pool, str | None, NDArray[np.float64]]:
    pool = read(ROOT / "data" / "demo.jsonl.gz")
    target = next(iter(pool.targets))
    return pool, target, np.asarray(pool.losses(target))


def one_group(groups: int, size: int) -> tuple[Pool, str | None, NDArray[np.float64]]:
    """Half of one group is wrong, and nothing else."""
    group, rank = np.arange(groups * size) // size, np.random.default_rng(4).permutation(size)
    pool = Pool.from_records([{"id": f"q{i}", "group": f"g{g}"} for i, g in enumerate(group)])
    return pool, None, ((group == 1) & (np.tile(rank, groups) < size / 2)).astype(float)


def coverage(limits: Limits, truth: float) -> float:
    return float(((limits.low <= truth + 1e-12) & (truth <= limits.high + 1e-12)).mean())


@pytest.mark.parametrize(
    ("known", "budget"),
    [(demo, 50), (demo, 100), (partial(one_group, 2, 300), 20), (partial(one_group, 5, 200), 50)],
    ids=["demo-50", "demo-100", "one-of-two-groups-20", "one-of-five-groups-50"],
)
def test_intervals_cover_where_few_fine_strata_hold_the_variance(
    known: Callable[[], tuple[Pool, str | None, NDArray[np.float64]]], budget: int
) -> None:
    """Above 94 %, where M − H degrees of freedom stay below, and at most 15 % wider than with the true variance."""
    pool, target, losses = known()
    plan = recommend(pool, budget, target, ()).draw(pool, seed=0)
    sizes, counts, truth = plan.strata.sizes, plan.allocation, float(losses.mean())
    ones = np.bincount(plan.stratum, weights=losses).astype(np.int64)
    drawn = np.random.default_rng(1).hypergeometric(ones, sizes - ones, counts, (ROUNDS, sizes.size))
    means = drawn / counts
    table = Samples(counts, sizes, means, drawn * (1 - means)).estimates()
    value, variance = table["value"].to_numpy(), table["standard_error"].to_numpy() ** 2
    plain = WILSON.limits(value, variance, budget, budget - sizes.size)
    exact = variance_terms(counts, ones * (sizes - ones) / sizes / (sizes - 1), sizes).sum()
    best = WILSON.limits(value, exact, budget, budget - sizes.size)
    assert coverage(Limits(table["low"].to_numpy(), table["high"].to_numpy()), truth) > 0.94 > coverage(plain, truth)
    assert (table["high"] - table["low"]).mean() < 1.15 * (best.high - best.low).mean()


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
    for _ in range(500):
        own = (np.argsort(rng.random((50, 40)), axis=1)[:, :2] + 40 * np.arange(50)[:, None]).ravel()
        one = ratio(right[own], tells[own], strata, sizes)
        hits.append(one.low <= truth <= one.high)
        widths.append(one.high - one.low)
        own = rng.choice(2000, 100, replace=False)
        one = ratio(right[own], tells[own], np.zeros(100, dtype=int), [2000])
        uniform_widths.append(one.high - one.low)
    assert np.mean(hits) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 500)
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
