"""Labels needed and saved, against a linear search over every budget."""

from __future__ import annotations

import numpy as np
import pytest

from core.allocation import METHODS
from core.allocation.ways import method_allocations, method_moments, weights
from core.simulation import Savings, label_savings, relative_mse_curve, uniform_mse
from core.simulation.exact import labels_for, stratified_mse
from core.stratification.moments import moments
from tests.core.simulation.conftest import CONSISTENCY, LOSSES, STRATA, pool
from tests.core.wording import Saying


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", [0, 1])
def test_fewest_labels_against_a_linear_search(seed: int, method: str) -> None:
    losses, strata, consistency = pool(seed, True, 150)
    strata_moments = moments(losses, strata)
    p = np.array([consistency[strata == h].mean() for h in range(5)])
    every = np.arange(1 if method == "uniform" else 5, 151)
    errors = stratified_mse(
        method_moments(strata_moments, method), method_allocations(strata_moments, p, method, every)
    )
    assert np.all(np.diff(errors) <= 1e-18)
    for goal in [0.0, *np.geomspace(1e-5, 0.3, 40).tolist(), *errors[::7].tolist()]:
        assert labels_for(strata_moments, p, method, goal) == every[errors <= goal * (1 + 1e-12)][0]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_label_savings_against_a_linear_search(seed: int) -> None:
    losses, strata, consistency = pool(seed, True, 150)
    strata_moments = moments(losses, strata)
    p = np.array([consistency[strata == h].mean() for h in range(5)])
    w = weights(strata_moments.sizes, p, "proxy-neyman", 0.75)
    every = np.arange(5, 151)
    errors = stratified_mse(strata_moments, method_allocations(strata_moments, p, "proxy-neyman", every))
    needed = []
    for budget in range(1, 151):
        got = label_savings(losses, strata, consistency, budget)
        expected = int(every[errors <= uniform_mse(losses, budget) * (1 + 1e-12)][0])
        assert got == Savings(expected, budget - expected, (budget - expected) / budget)
        needed.append(got.needed)
    assert np.all(np.diff(needed) >= 0)
    assert w.shape == (5,)


def test_savings_of_the_reference_pool() -> None:
    savings = label_savings(LOSSES, STRATA, CONSISTENCY, 100)
    assert 60 <= savings.needed <= 70
    assert savings.fraction == savings.saved / 100
    below, at = (
        float(relative_mse_curve(LOSSES, STRATA, CONSISTENCY, [m], methods=["proxy-neyman"])["mse"].iloc[0])
        for m in (savings.needed - 1, savings.needed)
    )
    assert at <= uniform_mse(LOSSES, 100) < below


def test_savings_are_negative_where_the_method_is_worse() -> None:
    """All the spread in a stratum whose generations agree, and none if they do not: the surrogate misleads."""
    losses = np.concatenate([np.tile([0.0, 1.0], 100), np.zeros(200)])
    strata = np.repeat([0, 1], 200)
    savings = label_savings(losses, strata, np.array([1.0, 0.5]), 40, offset=0.0)
    assert savings.saved < 0
    assert savings.fraction == savings.saved / 40
    assert label_savings(losses, strata, np.array([1.0, 0.5]), 400).needed <= 400


def test_savings_need_a_label_for_each_stratum() -> None:
    assert label_savings(LOSSES, STRATA, CONSISTENCY, 1) == Savings(5, -4, -4.0)


def test_savings_show_themselves_in_a_line() -> None:
    assert repr(Savings(144, 56, 0.28)) == Saying("144 of 200 labels", "28.0% saved")
