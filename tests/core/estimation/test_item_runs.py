"""Runs of items: unbiased by enumeration, two stages against simulated agents, and real trials of one agent."""

from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np
import pandas as pd
import pytest

from core.errors import DesignError
from core.estimation.item_runs import ALL, MEAN, SOME, ItemRuns, expected, runs_per_item, runs_sample
from core.estimation.mean import stratified
from core.pool.columns import chance_of_stops
from tests.core.estimation.agents import AGENTS, cells, coverage
from tests.pools import HERE

MEASURES = [(MEAN, 1), (SOME, 2), (SOME, 3), (ALL, 2), (ALL, 3)]


def true_loss(p: float, measure: str, k: int) -> float:
    return 1 - p**k if measure == ALL else (1 - p) ** k


@pytest.mark.parametrize(("measure", "k"), MEASURES)
@pytest.mark.parametrize("r", [3, 6, 7])
def test_losses_and_their_noise_are_unbiased(measure: str, k: int, r: int) -> None:
    right = np.arange(r + 1)
    runs = ItemRuns(right, np.full(r + 1, r))
    losses, noise = runs.losses(measure, k), runs.noise(measure, k)
    for p in (0.0, 0.2, 0.5, 0.9, 1.0):
        chances = np.array([comb(r, c) * p**c * (1 - p) ** (r - c) for c in right])
        truth = true_loss(p, measure, k)
        assert chances @ losses == pytest.approx(truth, abs=1e-12)
        if r < 2 * k:
            assert np.isnan(noise).all()
        else:
            assert chances @ noise == pytest.approx(chances @ (losses - truth) ** 2, abs=1e-12)


def test_losses_are_means_over_all_choices_of_tries() -> None:
    """C(x, k)/C(r, k) is the share of the ways to choose k of the runs, counted here one by one."""
    for verdicts in product([0, 1], repeat=4):
        runs = ItemRuns([sum(verdicts)], [4])
        pairs = [(a, b) for i, a in enumerate(verdicts) for b in verdicts[i + 1 :]]
        assert 1 - runs.losses(SOME, 2)[0] == pytest.approx(np.mean([a or b for a, b in pairs]))
        assert 1 - runs.losses(ALL, 2)[0] == pytest.approx(np.mean([a and b for a, b in pairs]))


def test_variance_is_that_of_two_stages() -> None:
    """Cochran's formula, in a stratum that is fully labelled and one that is not."""
    rng = np.random.default_rng(3)
    right, total = rng.integers(0, 5, 30), np.full(30, 4)
    strata, sizes = np.repeat([0, 1], [10, 20]), [10, 80]
    two = runs_sample(ItemRuns(right, total), strata, sizes)
    y = right / total
    terms = [
        (n / 90) ** 2 * ((1 - m / n) + m / n * two.share) * y[strata == h].var(ddof=1) / m
        for h, (m, n) in enumerate([(10, 10), (20, 80)])
    ]
    assert two.variance == pytest.approx(sum(terms))
    noise = np.mean(right * (total - right) / (total**2 * (total - 1)))
    squares = sum(((y[strata == h] - y[strata == h].mean()) ** 2).sum() for h in (0, 1))
    # With one imagined item whose runs vary most.
    assert two.share == pytest.approx((noise * 30 + 0.25 / 4) / 31 / ((squares + 0.25) / (28 + 1)))


def test_one_run_each_has_no_finite_population_correction() -> None:
    right, strata = np.r_[np.zeros(12, int), np.ones(28, int)], np.zeros(40, int)
    one = expected(ItemRuns(right, np.ones(40, int)), strata, [40])
    assert not runs_sample(ItemRuns(right, np.ones(40, int)), strata, [40]).known
    without = stratified(1 - right, strata, [40], fpc=False)
    assert (one.value, one.standard_error) == pytest.approx((without.value, without.standard_error))
    assert (one.low, one.high) == pytest.approx((without.low, without.high), abs=2e-3)
    # "In these runs" nothing is left to estimate.
    assert stratified(1 - right, strata, [40]).low == pytest.approx(0.3)


def test_runs_that_always_agree_give_the_limits_of_items_alone() -> None:
    rng = np.random.default_rng(5)
    right = 8 * rng.integers(0, 2, 100)
    runs = ItemRuns(right, np.full(100, 8))
    two, items = expected(runs, np.zeros(100, int), [1000]), stratified(1 - right / 8, np.zeros(100, int), [1000])
    assert runs_sample(runs, np.zeros(100, int), [1000]).share < 0.01
    assert (two.low, two.high) == pytest.approx((items.low, items.high), abs=1e-3)


def test_more_runs_narrow_and_more_items_narrow() -> None:
    def width(items: int, runs: int) -> float:
        half = ItemRuns(np.full(items, runs) // 2, np.full(items, runs))
        some = ItemRuns(np.where(np.arange(items) % 2, half.right, 0), half.total)
        one = expected(some, np.zeros(items, int), [400])
        return one.high - one.low

    assert width(100, 8) < width(100, 2) and width(200, 4) < width(100, 4)


def test_real_trials_of_one_agent() -> None:
    """tau-bench, airline, gpt-4o: 50 tasks, 4 trials; published pass^1 .42, pass^4 .20, pass@4 .72."""
    table = pd.read_csv(HERE / "tau-bench-airline-gpt4o.csv").groupby("task").success.agg(["sum", "size"])
    runs, strata = ItemRuns(table["sum"], table["size"]), np.zeros(50, int)
    for (measure, k), published in {(MEAN, 1): 0.42, (ALL, 4): 0.20, (SOME, 4): 0.72}.items():
        loss = expected(runs, strata, [50], measure, k)
        assert 1 - loss.value == pytest.approx(published, abs=0.005)
        assert loss.low < loss.value < loss.high
    assert runs.flips.sum() == 26
    # Two trials of one agent do not differ: each alone leaves the other's accuracy inside its limits.
    first = pd.read_csv(HERE / "tau-bench-airline-gpt4o.csv").pivot(index="task", columns="run", values="success")
    for run in first:
        one = expected(ItemRuns(first[run], np.ones(50, int)), strata, [50])
        assert all(one.low <= 1 - first[other].mean() <= one.high for other in first)


def test_items_with_too_few_runs_do_not_count_for_more_tries() -> None:
    runs = ItemRuns([1, 2, 0, 3], [1, 4, 3, 4])
    two = runs_sample(runs, [0, 0, 0, 0], [9], ALL, 2)
    assert two.left_out == 1 and two.items.n_labels == 3
    with pytest.raises(DesignError, match="No item of stratum 1"):
        expected(runs, [1, 0, 0, 0], [5, 4], ALL, 2)


@pytest.mark.parametrize(
    ("right", "total", "said"),
    [
        ([1, 2], [1], "2 numbers of successes and 1 of runs"),
        ([1, 3], [1, 2], "item 1, with 3 successes of 2 runs"),
        ([0, 0], [1, 0], "item 1, with 0 successes of 0 runs"),
        ([0.5], [1], "whole numbers"),
    ],
)
def test_runs_that_cannot_be_are_refused(right: list[float], total: list[int], said: str) -> None:
    with pytest.raises(DesignError, match=said):
        ItemRuns(right, total)


def test_unknown_measures_are_refused() -> None:
    with pytest.raises(DesignError, match="no measure called “pass”"):
        ItemRuns([1], [1]).losses("pass")
    with pytest.raises(DesignError, match="at least 1"):
        ItemRuns([1], [1]).losses(SOME, 0)


@pytest.mark.parametrize(
    ("verdicts", "chance"),
    [
        ([[1], [0, 1], [0, 0, 1], [0, 0, 0]], 2 / 84),
        ([[1], [1], [1], [0, 0, 0]], 1 / 20),
        ([[1], [0, 1], [1], [0]], 4 / 10),  # an item with fewer runs fails
        ([[1], [], [0, 1], [1], [0]], 4 / 10),
        ([[0, 1], [0, 1], [0, 1]], 1),  # as many runs each: nothing stopped
        ([[1], [0, 1], [1, 0, 1]], 1),  # a run after a success
        ([[1], [0, 1], [0, 0]], 1),  # too few to tell
        ([[1], [1], [1], [1]], 1),
        ([], 1),
    ],
)
def test_runs_until_the_first_success_are_no_chance(verdicts: list[list[int]], chance: float) -> None:
    assert chance_of_stops([[bool(x) for x in one] for one in verdicts]) == pytest.approx(chance)


def test_chance_of_stops_is_that_of_runs_in_any_order() -> None:
    """All orders of the verdicts of five items, counted."""
    counts = [1, 2, 2, 3, 3]
    ends = np.cumsum(counts)
    looks = [np.split(np.isin(np.arange(11), ones), ends[:-1]) for ones in combinations(range(11), 4)]
    chances = np.array([chance_of_stops([one.tolist() for one in look]) for look in looks])
    for level in (0.01, 0.05):
        assert 0 < (chances <= level).mean() <= 2 * level


def test_best_number_of_runs_is_the_cheapest() -> None:
    """Against a search: the variance of a fixed budget, items and runs both free."""
    item, run, true, within = 5.0, 0.2, 0.1, 0.08
    best = runs_per_item(item, run, true + within / 3, within, 3)
    grid = np.linspace(1, 40, 4000)
    assert best == pytest.approx(grid[np.argmin((item + run * grid) * (true + within / grid))], rel=0.01)
    assert runs_per_item(5, 0.2, 0.1, 0.0) == 1 and runs_per_item(5, 0.2, 0.02, 0.08, 4) == float("inf")


@pytest.mark.parametrize("agent", AGENTS)
def test_intervals_cover_simulated_agents(agent: str) -> None:
    rounds = 100
    for cell in cells(agent)[::13]:
        share = coverage(cell, rounds)
        assert share >= 0.94 - 3.5 * np.sqrt(0.94 * 0.06 / rounds), cell


@pytest.mark.trial
@pytest.mark.parametrize("agent", AGENTS)
def test_intervals_cover_in_every_cell(agent: str) -> None:
    rounds = 2000
    low = [(coverage(cell, rounds), cell) for cell in cells(agent)]
    print(agent, len(low), min(low), np.mean([share for share, _ in low]))
    assert min(low)[0] >= 0.94 - 3 * np.sqrt(0.94 * 0.06 / rounds), min(low)
