"""Monte Carlo: agreement with the exact error, seeds, progress, and limits."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from core.allocation import METHODS, budget_grid
from core.allocation.ways import method_allocations, stratum_consistency
from core.errors import DesignError
from core.simulation import exact_mse, monte_carlo, monte_carlo_curve, relative_mse_curve
from core.simulation.trials import binary_trials, simulated_curve, split
from core.stratification.moments import moments
from tests.core.simulation.conftest import CONSISTENCY, LOSSES, STRATA, pool


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("binary", [True, False], ids=["binary", "real"])
def test_monte_carlo_agrees_with_the_exact_error_everywhere(seed: int, binary: bool) -> None:
    losses, strata, consistency = pool(seed, binary, 700 if binary else 250)
    budgets = budget_grid(5, losses.size, 20)
    trials = 3000 if binary else 1000
    exact = relative_mse_curve(losses, strata, consistency, budgets)
    curve = monte_carlo_curve(losses, strata, consistency, budgets, trials=trials, seed=seed)
    assert curve[["method", "budget"]].equals(exact[["method", "budget"]])
    full = (exact["budget"] == losses.size).to_numpy()
    assert np.all(np.abs(curve["mse"] - exact["mse"])[~full] <= 4 * curve["standard_error"][~full])
    assert np.all(curve["mse"][full] < 1e-28)
    assert np.all(exact["mse"][full] == 0)
    assert curve["relative_mse"][full].isna().all()
    assert curve["relative_standard_error"][full].isna().all()
    ratios = curve["relative_standard_error"][~full] / curve["standard_error"][~full]
    np.testing.assert_allclose(ratios, (curve["relative_mse"] / curve["mse"])[~full])
    assert (curve["trials"] == trials).all()


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
    strata_moments = moments(losses, strata)
    p = np.array([consistency[strata == h].mean() for h in range(5)])
    row = monte_carlo_curve(losses, strata, consistency, [30], methods=["power"], trials=300, seed=8).iloc[0]
    allocation = method_allocations(strata_moments, p, "power", [30])[0]
    estimates = monte_carlo(losses, strata, allocation, 300, 8)
    if binary:  # each method of a curve has random numbers of its own
        estimates = binary_trials(strata_moments.sizes, strata_moments.ones, allocation, 300, 8, METHODS.index("power"))
    squared = (estimates - losses.mean()) ** 2
    assert row["mse"] == pytest.approx(squared.mean(), rel=1e-9)
    assert row["standard_error"] == pytest.approx(squared.std(ddof=1) / math.sqrt(300), rel=1e-9)


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "real"])
@pytest.mark.parametrize("methods", [METHODS, ("uniform",), ("equal", "power")])
def test_progress_rises_to_one(binary: bool, methods: tuple[str, ...]) -> None:
    losses, strata, consistency = pool(1, binary, 100)
    strata_moments, shares = moments(losses, strata), list[float]()
    p = stratum_consistency(consistency, strata, 5)
    simulated_curve(strata_moments, p, [10, 50], 0.75, methods, 20, 0, split(losses, strata), shares.append)
    assert shares[-1] == 1
    assert shares == sorted(shares)
    assert shares[0] > 0


def test_drawing_items_of_one_allocation_tells_its_progress() -> None:
    shares: list[float] = []
    scores = np.linspace(0, 1, 60)
    estimates = monte_carlo(scores, np.repeat([0, 1, 2], 20), [2, 2, 2], 50, progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1)
    assert np.array_equal(estimates, monte_carlo(scores, np.repeat([0, 1, 2], 20), [2, 2, 2], 50))


def test_split_gives_the_losses_of_each_stratum() -> None:
    parts = split([0.1, 0.2, 0.3, 0.4], [1, 0, 1, 2])
    assert [part.tolist() for part in parts] == [[0.2], [0.1, 0.3], [0.4]]


def test_trials_and_seed_have_limits() -> None:
    assert monte_carlo(LOSSES, STRATA, (5, 5, 5, 5, 5), trials=1).shape == (1,)
    with pytest.raises(DesignError, match="trials is 0"):
        monte_carlo(LOSSES, STRATA, (5, 5, 5, 5, 5), trials=0)
    with pytest.raises(DesignError, match=r"trials is 1\b.*at least 2"):
        monte_carlo_curve(LOSSES, STRATA, CONSISTENCY, [50], trials=1)
    with pytest.raises(DesignError, match="seed is -1"):
        monte_carlo(LOSSES, STRATA, (5, 5, 5, 5, 5), seed=-1)
