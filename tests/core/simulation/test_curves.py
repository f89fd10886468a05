"""Curves over budgets: reference points, their order, and losses or budgets without a ratio."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.allocation import budget_grid
from core.errors import DesignError
from core.simulation import exact_mse, label_savings, monte_carlo_curve, relative_mse_curve, uniform_mse
from tests.core.simulation.conftest import CONSISTENCY, LOSSES, STRATA, pool


@pytest.mark.parametrize(
    ("budget", "proxy", "oracle"),
    [
        (70, 66.4030087934, 63.0245326511),
        (30, 66.9903851014, 63.3922315808),
        (200, 65.9502104365, 62.3889197677),
    ],
)
def test_reference_points_of_the_curve(budget: int, proxy: float, oracle: float) -> None:
    total = relative_mse_curve(LOSSES, STRATA, CONSISTENCY, [budget]).set_index("method")["relative_mse"] * 100
    assert total["uniform"] == 100
    assert total["proxy-neyman"] == pytest.approx(proxy, abs=1e-9)
    assert total["oracle-neyman"] == pytest.approx(oracle, abs=1e-9)
    if budget == 70:
        assert total["proportional"] == pytest.approx(77.9931466859, abs=1e-9)
        assert total["equal"] == pytest.approx(65.9872160551, abs=1e-9)
        assert total["equal"] < total["proxy-neyman"]


def test_curves_keep_the_order_asked_for() -> None:
    for curve in (relative_mse_curve, monte_carlo_curve):
        points = curve(LOSSES, STRATA, CONSISTENCY, [200, 30], methods=["power", "uniform"])
        assert points["method"].tolist() == ["power", "power", "uniform", "uniform"]
        assert points["budget"].tolist() == [200, 30, 200, 30]
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
    curve = relative_mse_curve(losses, strata, consistency, budget_grid(5, 80, 8), offset)
    table = curve.pivot(index="budget", columns="method", values="mse").drop(columns="uniform")
    assert np.all(table["oracle-neyman"].to_numpy()[:, None] <= table.to_numpy() * (1 + 1e-12))


@pytest.mark.parametrize("loss", [0.0, 1.0, 0.1, -7.3])
def test_constant_losses_have_no_ratio(loss: float) -> None:
    losses = np.full(60, loss)
    strata = np.repeat([0, 1, 2], [13, 20, 27])
    curve = relative_mse_curve(losses, strata, [1.0, 0.7, 0.5], [3, 17, 60])
    assert (curve["mse"] == 0).all()
    assert curve["relative_mse"].isna().all()
    simulated = monte_carlo_curve(losses, strata, [1.0, 0.7, 0.5], [3, 17, 60], trials=50)
    np.testing.assert_allclose(simulated["mse"], 0, atol=1e-28)
    assert simulated["relative_mse"].isna().all()


def test_one_item() -> None:
    curve = relative_mse_curve([1.0], [0], [0.4], [1])
    assert (curve["mse"] == 0).all()
    assert exact_mse([0.3], [0], [1]) == 0


def test_budget_grid() -> None:
    grid = budget_grid(5, 3000)
    assert (grid[0], grid[-1]) == (5, 3000)
    assert np.all(np.diff(grid) > 0)
    assert budget_grid(1, 1).tolist() == [1]
    assert budget_grid(5, 7).tolist() == [5, 6, 7]


def test_errors_name_the_smallest_and_the_largest_budget() -> None:
    for curve in (relative_mse_curve, monte_carlo_curve):
        with pytest.raises(DesignError, match="smallest possible budget is 5"):
            curve(LOSSES, STRATA, CONSISTENCY, [4, 70])
        with pytest.raises(DesignError, match=r"more than the 3,000 items.*at most 3,000"):
            curve(LOSSES, STRATA, CONSISTENCY, [70, 3001])
        with pytest.raises(DesignError, match="whole number of labels"):
            curve(LOSSES, STRATA, CONSISTENCY, [70.5])
        with pytest.raises(DesignError, match="no allocation called “best”"):
            curve(LOSSES, STRATA, CONSISTENCY, [70], methods=["best"])
        with pytest.raises(DesignError, match="1 of 3000 losses are unknown"):
            curve(np.where(np.arange(3000) == 8, np.nan, LOSSES), STRATA, CONSISTENCY, [70])
    with pytest.raises(DesignError, match=r"1 and 3000 labels.* Found 3001"):
        uniform_mse(LOSSES, 3001)
    for budget in (0, 3001):
        with pytest.raises(DesignError, match="budget"):
            label_savings(LOSSES, STRATA, CONSISTENCY, budget)
