"""Exact error, its proof by enumeration, its Monte-Carlo check, curves, and label savings."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.budgets import budget_grid
from core.errors import DesignError
from core.estimation import stratified, uniform
from core.exact import labels_for, stratified_mse
from core.methods import METHODS, method_allocations, method_moments, weights
from core.moments import Moments, moments
from core.simulated import split
from core.simulation import (
    Savings,
    exact_mse,
    label_savings,
    monte_carlo,
    monte_carlo_curve,
    relative_mse_curve,
    uniform_mse,
)
from core.stratification import METHODS as STRATIFIERS
from core.stratification import stratify
from core.trials import binary_trials
from tests.core.brute_force import samples

# The pool of the reference vectors: five strata, items correct in each.
SIZES = np.array([1400, 400, 400, 400, 400])
CORRECT = np.array([1358, 360, 312, 248, 180])
CONSISTENCY = np.array([1.0, 0.88, 0.74, 0.60, 0.45])
STRATA = np.repeat(np.arange(5), SIZES)
LOSSES = np.concatenate([np.repeat([0.0, 1.0], [k, n - k]) for n, k in zip(SIZES, CORRECT, strict=True)])

SMALL_SIGNAL = np.array([0.0, 0.0, 0.0, 0.0, 0.33, 0.33, 0.67, 0.9, 1.2, 1.2])
SMALL_BINARY = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0])
SMALL_REAL = np.array([0.3, -2.0, 0.1, 7.5, 1.0, 0.25, 0.0, 3.5, -1.25, 2.0])


def test_reference_pool() -> None:
    found = moments(LOSSES, STRATA)
    assert 1 - found.mean == pytest.approx(0.819333333333, abs=1e-12)
    expected = (0.170648177757, 0.300375704593, 0.41476508434, 0.485994317035, 0.498116754137)
    np.testing.assert_allclose(found.sds, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("budget", "error"), [(70, 0.00206600691236), (30, 0.00488649416472), (200, 0.000691019376829)]
)
def test_error_of_uniform(budget: int, error: float) -> None:
    assert uniform_mse(LOSSES, budget) == pytest.approx(error, rel=1e-11)


@pytest.mark.parametrize(
    ("allocation", "relative"),
    [
        ((25, 10, 11, 12, 12), 66.4030087934),
        ((18, 9, 13, 15, 15), 63.0245326511),
        ((33, 10, 9, 9, 9), 77.9931466859),
        ((14, 14, 14, 14, 14), 65.9872160551),
        ((11, 4, 5, 5, 5), 66.9903851014),
        ((8, 4, 5, 6, 7), 63.3922315808),
        ((52, 26, 36, 42, 44), 62.3889197677),
    ],
)
def test_relative_error_of_an_allocation(allocation: tuple[int, ...], relative: float) -> None:
    ratio = exact_mse(LOSSES, STRATA, allocation) / uniform_mse(LOSSES, sum(allocation))
    assert 100 * ratio == pytest.approx(relative, abs=1e-9)


def test_exact_error_of_the_papers_design() -> None:
    assert exact_mse(LOSSES, STRATA, (25, 10, 11, 12, 12)) == pytest.approx(0.00137189075169, rel=1e-11)
    assert exact_mse(LOSSES, STRATA, (18, 9, 13, 15, 15)) == pytest.approx(0.00130209120105, rel=1e-11)


@pytest.mark.parametrize(
    ("budget", "proxy", "oracle"),
    [
        (70, 66.4030087934, 63.0245326511),
        (30, 66.9903851014, 63.3922315808),
        (200, 65.9502104365, 62.3889197677),
    ],
)
def test_reference_points_of_the_curve(budget: int, proxy: float, oracle: float) -> None:
    found = relative_mse_curve(LOSSES, STRATA, CONSISTENCY, [budget]).set_index("method")["relative_mse"] * 100
    assert found["uniform"] == 100
    assert found["proxy-neyman"] == pytest.approx(proxy, abs=1e-9)
    assert found["oracle-neyman"] == pytest.approx(oracle, abs=1e-9)
    if budget == 70:
        assert found["proportional"] == pytest.approx(77.9931466859, abs=1e-9)
        assert found["equal"] == pytest.approx(65.9872160551, abs=1e-9)
        assert found["equal"] < found["proxy-neyman"]


@pytest.mark.parametrize(
    ("sizes", "sds", "labels", "variance"),
    [
        ((300, 400, 500, 200), (2, 5, 3, 1), (27, 88, 66, 9), 81423.232),
        ((3000, 4000, 5000, 2000), (1, 1, 1, 1), (96, 90, 70, 64), 677170.635),
        ((3000, 4000, 5000, 2000), (48, 79, 76, 16), (229, 400, 604, 51), 538073497.395),
    ],
)
def test_stratallos_variances(
    sizes: tuple[int, ...], sds: tuple[float, ...], labels: tuple[int, ...], variance: float
) -> None:
    n, s = np.array(sizes), np.array(sds, dtype=float)
    found = Moments(n, np.zeros(4), s**2 * (n - 1), False)
    assert stratified_mse(found, np.array([labels]))[0] * n.sum() ** 2 == pytest.approx(variance, abs=6e-4)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stratifier", STRATIFIERS)
@pytest.mark.parametrize("losses", [SMALL_BINARY, SMALL_REAL], ids=["binary", "real"])
@pytest.mark.parametrize("budget", [3, 5, 8])
def test_every_possible_sample_proves_the_estimate_unbiased_and_the_error_exact(
    losses: NDArray[np.float64], stratifier: str, method: str, budget: int
) -> None:
    strata = stratify(SMALL_SIGNAL, 1 if method == "uniform" else 3, stratifier)
    found = moments(losses, strata)
    consistency = np.array([1.0, 0.8, 0.5])[: found.sizes.size]
    allocation = method_allocations(found, consistency, method, [budget])[0]
    drawn = [stratified(losses[s], strata[s], found.sizes, bounded=False) for s in samples(strata, allocation)]
    values = np.array([e.value for e in drawn])
    assert values.size == math.prod(math.comb(n, m) for n, m in zip(found.sizes, allocation, strict=True))
    error = exact_mse(losses, strata, allocation)
    assert values.mean() == pytest.approx(losses.mean(), abs=1e-12)
    assert ((values - losses.mean()) ** 2).mean() == pytest.approx(error, abs=1e-12)
    if np.all((allocation >= 2) | (allocation == found.sizes)):
        assert np.mean([e.standard_error**2 for e in drawn]) == pytest.approx(error, abs=1e-12)


@pytest.mark.parametrize("budget", range(1, 11))
@pytest.mark.parametrize("losses", [SMALL_BINARY, SMALL_REAL], ids=["binary", "real"])
def test_uniform_by_enumeration(losses: NDArray[np.float64], budget: int) -> None:
    drawn = [uniform(losses[list(s)], 10, bounded=False) for s in itertools.combinations(range(10), budget)]
    values = np.array([e.value for e in drawn])
    assert values.mean() == pytest.approx(losses.mean(), abs=1e-12)
    assert ((values - losses.mean()) ** 2).mean() == pytest.approx(uniform_mse(losses, budget), abs=1e-12)
    if budget > 1:
        estimated = np.mean([e.standard_error**2 for e in drawn])
        assert estimated == pytest.approx(uniform_mse(losses, budget), abs=1e-12)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.floats(-5, 5)), min_size=1, max_size=7),
    st.data(),
)
def test_any_small_pool_by_enumeration(items: list[tuple[int, float]], data: st.DataObject) -> None:
    strata = np.unique([s for s, _ in items], return_inverse=True)[1]
    losses = np.array([x for _, x in items])
    sizes = np.bincount(strata)
    allocation = [data.draw(st.integers(1, int(n))) for n in sizes]
    values = np.array(
        [stratified(losses[s], strata[s], sizes, bounded=False).value for s in samples(strata, allocation)]
    )
    assert values.mean() == pytest.approx(losses.mean(), abs=1e-12)
    assert ((values - losses.mean()) ** 2).mean() == pytest.approx(exact_mse(losses, strata, allocation), abs=1e-12)


def pool(
    seed: int, binary: bool, n_items: int = 700
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Losses, strata and self-consistency of a made-up pool."""
    rng = np.random.default_rng(seed)
    signal = np.where(rng.random(n_items) < 0.4, 0.0, rng.integers(1, 23, n_items) / 10)
    risk = 0.05 + 0.2 * signal
    losses = (rng.random(n_items) < risk).astype(float) if binary else rng.gamma(0.5 + signal, 1.0)
    return losses, stratify(signal, 5), np.exp(-signal / 2)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("binary", [True, False], ids=["binary", "real"])
def test_monte_carlo_agrees_with_the_exact_error_everywhere(seed: int, binary: bool) -> None:
    losses, strata, consistency = pool(seed, binary, 700 if binary else 250)
    budgets = budget_grid(5, losses.size, 20)
    trials = 3000 if binary else 1000
    exact = relative_mse_curve(losses, strata, consistency, budgets)
    found = monte_carlo_curve(losses, strata, consistency, budgets, trials=trials, seed=seed)
    assert found[["method", "budget"]].equals(exact[["method", "budget"]])
    full = (exact["budget"] == losses.size).to_numpy()
    assert np.all(np.abs(found["mse"] - exact["mse"])[~full] <= 4 * found["standard_error"][~full])
    assert np.all(found["mse"][full] < 1e-28)
    assert np.all(exact["mse"][full] == 0)
    assert found["relative_mse"][full].isna().all()
    assert found["relative_standard_error"][full].isna().all()
    ratios = found["relative_standard_error"][~full] / found["standard_error"][~full]
    np.testing.assert_allclose(ratios, (found["relative_mse"] / found["mse"])[~full])
    assert (found["trials"] == trials).all()


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "real"])
def test_estimates_of_a_design_centre_on_the_truth_with_the_exact_error(binary: bool) -> None:
    losses, strata, _ = pool(7, binary, 300)
    allocation = np.minimum(np.bincount(strata), (9, 7, 8, 5, 6))
    estimates = monte_carlo(losses, strata, allocation, trials=5000, seed=3)
    error = exact_mse(losses, strata, allocation)
    assert estimates.shape == (5000,)
    assert abs(estimates.mean() - losses.mean()) <= 4 * math.sqrt(error / 5000)
    squared = (estimates - losses.mean()) ** 2
    assert abs(squared.mean() - error) <= 4 * squared.std() / math.sqrt(5000)


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "real"])
def test_equal_seeds_give_equal_estimates_and_others_do_not(binary: bool) -> None:
    losses, strata, consistency = pool(1, binary, 200)
    allocation = np.minimum(np.bincount(strata), 6)
    first, again, other = (monte_carlo(losses, strata, allocation, 200, seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    curves = [monte_carlo_curve(losses, strata, consistency, [20, 40], trials=100, seed=s) for s in (5, 5, 6)]
    pd.testing.assert_frame_equal(curves[0], curves[1])
    assert not curves[0]["mse"].equals(curves[2]["mse"])


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "real"])
def test_the_curve_simulates_the_designs_it_names(binary: bool) -> None:
    losses, strata, consistency = pool(3, binary, 120)
    found = moments(losses, strata)
    p = np.array([consistency[strata == h].mean() for h in range(5)])
    row = monte_carlo_curve(losses, strata, consistency, [30], methods=["power"], trials=300, seed=8).iloc[0]
    allocation = method_allocations(found, p, "power", [30])[0]
    estimates = monte_carlo(losses, strata, allocation, 300, 8)
    if binary:  # each method of a curve has random numbers of its own
        estimates = binary_trials(found.sizes, found.ones, allocation, 300, 8, METHODS.index("power"))
    squared = (estimates - losses.mean()) ** 2
    assert row["mse"] == pytest.approx(squared.mean(), rel=1e-9)
    assert row["standard_error"] == pytest.approx(squared.std(ddof=1) / math.sqrt(300), rel=1e-9)


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "real"])
@pytest.mark.parametrize("methods", [METHODS, ("uniform",), ("equal", "power")])
def test_progress_rises_to_one(binary: bool, methods: tuple[str, ...]) -> None:
    losses, strata, consistency = pool(1, binary, 100)
    shares: list[float] = []
    monte_carlo_curve(losses, strata, consistency, [10, 50], methods=methods, trials=20, progress=shares.append)
    assert shares[-1] == 1
    assert shares == sorted(shares)
    assert shares[0] > 0


def test_curves_keep_the_order_asked_for() -> None:
    for curve in (relative_mse_curve, monte_carlo_curve):
        found = curve(LOSSES, STRATA, CONSISTENCY, [200, 30], methods=["power", "uniform"])
        assert found["method"].tolist() == ["power", "power", "uniform", "uniform"]
        assert found["budget"].tolist() == [200, 30, 200, 30]
    assert relative_mse_curve(LOSSES, STRATA, CONSISTENCY, [30, 70]).columns.tolist() == [
        "method",
        "budget",
        "mse",
        "relative_mse",
    ]


@pytest.mark.parametrize("losses", [LOSSES, LOSSES + 0.5], ids=["binary", "real"])
def test_nothing_asked_nothing_simulated(losses: NDArray[np.float64]) -> None:
    for curve in (relative_mse_curve, monte_carlo_curve):
        assert len(curve(losses, STRATA, CONSISTENCY, [])) == 0
        assert len(curve(losses, STRATA, CONSISTENCY, [50], methods=[])) == 0
    assert monte_carlo_curve(losses, STRATA, CONSISTENCY, []).columns.tolist() == [
        "method",
        "budget",
        "mse",
        "standard_error",
        "relative_mse",
        "relative_standard_error",
        "trials",
    ]


def test_consistency_of_items_or_of_strata() -> None:
    budgets = [10, 70]
    by_item = relative_mse_curve(LOSSES, STRATA, CONSISTENCY[STRATA], budgets)
    pd.testing.assert_frame_equal(by_item, relative_mse_curve(LOSSES, STRATA, CONSISTENCY, budgets), rtol=1e-12)


@given(st.integers(0, 10**6), st.floats(0, 5))
def test_the_oracle_is_the_best_method_at_every_budget(seed: int, offset: float) -> None:
    losses, strata, consistency = pool(seed, seed % 2 == 0, 80)
    found = relative_mse_curve(losses, strata, consistency, budget_grid(5, 80, 8), offset)
    table = found.pivot(index="budget", columns="method", values="mse").drop(columns="uniform")
    assert np.all(table["oracle-neyman"].to_numpy()[:, None] <= table.to_numpy() * (1 + 1e-12))


@pytest.mark.parametrize("loss", [0.0, 1.0, 0.1, -7.3])
def test_constant_losses_have_no_ratio(loss: float) -> None:
    losses = np.full(60, loss)
    strata = np.repeat([0, 1, 2], [13, 20, 27])
    found = relative_mse_curve(losses, strata, [1.0, 0.7, 0.5], [3, 17, 60])
    assert (found["mse"] == 0).all()
    assert found["relative_mse"].isna().all()
    simulated = monte_carlo_curve(losses, strata, [1.0, 0.7, 0.5], [3, 17, 60], trials=50)
    np.testing.assert_allclose(simulated["mse"], 0, atol=1e-28)
    assert simulated["relative_mse"].isna().all()


def test_one_item() -> None:
    found = relative_mse_curve([1.0], [0], [0.4], [1])
    assert (found["mse"] == 0).all()
    assert exact_mse([0.3], [0], [1]) == 0


def test_losses_far_from_zero_have_the_same_error() -> None:
    losses, strata, _ = pool(4, False, 400)
    allocation = np.minimum(np.bincount(strata), 9)
    assert exact_mse(losses + 1e7, strata, allocation) == pytest.approx(exact_mse(losses, strata, allocation), rel=1e-7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", [0, 1])
def test_fewest_labels_against_a_linear_search(seed: int, method: str) -> None:
    losses, strata, consistency = pool(seed, True, 150)
    found = moments(losses, strata)
    p = np.array([consistency[strata == h].mean() for h in range(5)])
    every = np.arange(1 if method == "uniform" else 5, 151)
    errors = stratified_mse(method_moments(found, method), method_allocations(found, p, method, every))
    assert np.all(np.diff(errors) <= 1e-18)
    for goal in [0.0, *np.geomspace(1e-5, 0.3, 40).tolist(), *errors[::7].tolist()]:
        assert labels_for(found, p, method, goal) == every[errors <= goal * (1 + 1e-12)][0]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_label_savings_against_a_linear_search(seed: int) -> None:
    losses, strata, consistency = pool(seed, True, 150)
    found = moments(losses, strata)
    p = np.array([consistency[strata == h].mean() for h in range(5)])
    w = weights(found, p, "proxy-neyman", 0.75)
    every = np.arange(5, 151)
    errors = stratified_mse(found, method_allocations(found, p, "proxy-neyman", every))
    needed = []
    for budget in range(1, 151):
        got = label_savings(losses, strata, consistency, budget)
        expected = int(every[errors <= uniform_mse(losses, budget) * (1 + 1e-12)][0])
        assert got == Savings(expected, budget - expected, (budget - expected) / budget)
        needed.append(got.needed)
    assert np.all(np.diff(needed) >= 0)
    assert w.shape == (5,)


def test_savings_of_the_reference_pool() -> None:
    found = label_savings(LOSSES, STRATA, CONSISTENCY, 100)
    assert 60 <= found.needed <= 70
    assert found.fraction == found.saved / 100
    below, at = (
        float(relative_mse_curve(LOSSES, STRATA, CONSISTENCY, [m], methods=["proxy-neyman"])["mse"].iloc[0])
        for m in (found.needed - 1, found.needed)
    )
    assert at <= uniform_mse(LOSSES, 100) < below


def test_savings_are_negative_where_the_method_is_worse() -> None:
    """All the spread in a stratum whose generations agree, and none where they do not: the surrogate misleads."""
    losses = np.concatenate([np.tile([0.0, 1.0], 100), np.zeros(200)])
    strata = np.repeat([0, 1], 200)
    found = label_savings(losses, strata, np.array([1.0, 0.5]), 40, offset=0.0)
    assert found.saved < 0
    assert found.fraction == found.saved / 40
    assert label_savings(losses, strata, np.array([1.0, 0.5]), 400).needed <= 400


def test_savings_need_a_label_for_each_stratum() -> None:
    assert label_savings(LOSSES, STRATA, CONSISTENCY, 1) == Savings(5, -4, -4.0)


def test_budget_grid() -> None:
    grid = budget_grid(5, 3000)
    assert (grid[0], grid[-1]) == (5, 3000)
    assert np.all(np.diff(grid) > 0)
    assert budget_grid(1, 1).tolist() == [1]
    assert budget_grid(5, 7).tolist() == [5, 6, 7]


def test_split_gives_the_losses_of_each_stratum() -> None:
    parts = split([0.1, 0.2, 0.3, 0.4], [1, 0, 1, 2])
    assert [part.tolist() for part in parts] == [[0.2], [0.1, 0.3], [0.4]]


@pytest.mark.parametrize(
    ("allocation", "message"),
    [
        ((1, 1, 1, 1), "each of the 5 strata"),
        ((1, 1, 1, 1, 0), "Stratum 4 is given 0 labels: it must be between 1 and its 400 items"),
        ((1, 401, 1, 1, 1), "Stratum 1 is given 401 labels"),
        ((1, 1.5, 1, 1, 1), "whole number"),
        ((1, math.nan, 1, 1, 1), "whole number"),
    ],
)
def test_impossible_allocations_are_refused(allocation: tuple[float, ...], message: str) -> None:
    for function in (exact_mse, monte_carlo):
        with pytest.raises(DesignError, match=message):
            function(LOSSES, STRATA, allocation)


def test_errors_name_the_smallest_and_the_largest_budget() -> None:
    for curve in (relative_mse_curve, monte_carlo_curve):
        with pytest.raises(DesignError, match="smallest possible budget is 5"):
            curve(LOSSES, STRATA, CONSISTENCY, [4, 70])
        with pytest.raises(DesignError, match="3000 is the most"):
            curve(LOSSES, STRATA, CONSISTENCY, [70, 3001])
        with pytest.raises(DesignError, match="whole number of labels"):
            curve(LOSSES, STRATA, CONSISTENCY, [70.5])
        with pytest.raises(DesignError, match="no allocation called “best”"):
            curve(LOSSES, STRATA, CONSISTENCY, [70], methods=["best"])
        with pytest.raises(DesignError, match="1 of 3000 losses are unknown"):
            curve(np.where(np.arange(3000) == 8, np.nan, LOSSES), STRATA, CONSISTENCY, [70])
    with pytest.raises(DesignError, match="between 1 and its 3000 items"):
        uniform_mse(LOSSES, 3001)
    for budget in (0, 3001):
        with pytest.raises(DesignError, match="budget"):
            label_savings(LOSSES, STRATA, CONSISTENCY, budget)


def test_trials_and_seed_have_limits() -> None:
    assert monte_carlo(LOSSES, STRATA, (5, 5, 5, 5, 5), trials=1).shape == (1,)
    with pytest.raises(DesignError, match="trials is 0"):
        monte_carlo(LOSSES, STRATA, (5, 5, 5, 5, 5), trials=0)
    with pytest.raises(DesignError, match="trials is 1: a standard error needs at least 2"):
        monte_carlo_curve(LOSSES, STRATA, CONSISTENCY, [50], trials=1)
    with pytest.raises(DesignError, match="seed is -1"):
        monte_carlo(LOSSES, STRATA, (5, 5, 5, 5, 5), seed=-1)
