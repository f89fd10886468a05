"""Exact error: reference numbers, its proof by enumeration of every sample, and extreme losses."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.allocation import METHODS
from core.allocation.ways import method_allocations
from core.errors import DesignError
from core.estimation import stratified, uniform
from core.simulation import exact_mse, monte_carlo, uniform_mse
from core.simulation.exact import stratified_mse
from core.stratification import METHODS as STRATIFIERS
from core.stratification import Moments, stratify
from core.stratification.moments import moments
from tests.core.brute_force import samples
from tests.core.simulation.conftest import LOSSES, STRATA, pool

SMALL_SIGNAL = np.array([0.0, 0.0, 0.0, 0.0, 0.33, 0.33, 0.67, 0.9, 1.2, 1.2])
SMALL_BINARY = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0])
SMALL_REAL = np.array([0.3, -2.0, 0.1, 7.5, 1.0, 0.25, 0.0, 3.5, -1.25, 2.0])


def test_reference_pool() -> None:
    strata_moments = moments(LOSSES, STRATA)
    assert 1 - strata_moments.mean == pytest.approx(0.819333333333, abs=1e-12)
    expected = (0.170648177757, 0.300375704593, 0.41476508434, 0.485994317035, 0.498116754137)
    np.testing.assert_allclose(strata_moments.sds, expected, rtol=0, atol=1e-12)


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
    strata_moments = Moments(n, np.zeros(4), s**2 * (n - 1), False)
    assert stratified_mse(strata_moments, np.array([labels]))[0] * n.sum() ** 2 == pytest.approx(variance, abs=6e-4)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stratifier", STRATIFIERS)
@pytest.mark.parametrize("losses", [SMALL_BINARY, SMALL_REAL], ids=["binary", "real"])
@pytest.mark.parametrize("budget", [3, pytest.param(5, marks=pytest.mark.trial), 8])
def test_every_possible_sample_proves_the_estimate_unbiased_and_the_error_exact(
    losses: NDArray[np.float64], stratifier: str, method: str, budget: int
) -> None:
    strata = stratify(SMALL_SIGNAL, 1 if method == "uniform" else 3, stratifier)
    strata_moments = moments(losses, strata)
    consistency = np.array([1.0, 0.8, 0.5])[: strata_moments.sizes.size]
    allocation = method_allocations(strata_moments, consistency, method, [budget])[0]
    drawn = [stratified(losses[s], strata[s], strata_moments.sizes, bounded=False) for s in samples(strata, allocation)]
    values = np.array([e.value for e in drawn])
    assert values.size == math.prod(math.comb(n, m) for n, m in zip(strata_moments.sizes, allocation, strict=True))
    error = exact_mse(losses, strata, allocation)
    assert values.mean() == pytest.approx(losses.mean(), abs=1e-12)
    assert ((values - losses.mean()) ** 2).mean() == pytest.approx(error, abs=1e-12)
    if np.all((allocation >= 2) | (allocation == strata_moments.sizes)):
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


def test_losses_far_from_zero_have_the_same_error() -> None:
    losses, strata, _ = pool(4, False, 400)
    allocation = np.minimum(np.bincount(strata), 9)
    assert exact_mse(losses + 1e7, strata, allocation) == pytest.approx(exact_mse(losses, strata, allocation), rel=1e-7)


@pytest.mark.parametrize(
    ("allocation", "message"),
    [
        ((1, 1, 1, 1), "each of the 5 strata"),
        ((1, 1, 1, 1, 0), r"Stratum 4 .* 400 labels.* Found 0"),
        ((1, 401, 1, 1, 1), r"Stratum 1 .* 400 labels.* Found 401"),
        ((1, 1.5, 1, 1, 1), "whole number"),
        ((1, math.nan, 1, 1, 1), "whole number"),
    ],
)
def test_impossible_allocations_are_refused(allocation: tuple[float, ...], message: str) -> None:
    for function in (exact_mse, monte_carlo):
        with pytest.raises(DesignError, match=message):
            function(LOSSES, STRATA, allocation)
