"""Moments of groups: against direct computation, merged against direct, and with digits to spare."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.errors import DesignError
from core.stratification.moments import checked_groups, group_means, moments
from tests.core.wording import Saying

Grouped = tuple[NDArray[np.float64], NDArray[np.int64]]


@st.composite
def grouped(draw: st.DrawFn, binary: bool = False) -> Grouped:
    """Losses and groups 0 … G−1, none of them empty."""
    groups = draw(st.lists(st.integers(0, 6), min_size=1, max_size=40))
    contiguous = np.unique(groups, return_inverse=True)[1]
    loss = st.sampled_from([0.0, 1.0]) if binary else st.floats(-1000, 1000)
    return np.array(draw(st.lists(loss, min_size=len(groups), max_size=len(groups)))), contiguous


@given(st.one_of(grouped(), grouped(binary=True)))
def test_moments_of_each_group(problem: Grouped) -> None:
    losses, groups = problem
    strata_moments = moments(losses, groups)
    assert strata_moments.n_items == losses.size
    assert strata_moments.mean == pytest.approx(losses.mean(), abs=1e-12 * (1 + np.abs(losses).max()))
    scale = 1 + np.abs(losses).max() ** 2
    for g in range(strata_moments.sizes.size):
        inside = losses[groups == g]
        assert strata_moments.sizes[g] == inside.size
        assert strata_moments.means[g] == pytest.approx(inside.mean(), abs=1e-12 * scale)
        spread = inside.var(ddof=1) if inside.size > 1 else 0.0
        assert strata_moments.variances[g] == pytest.approx(spread, abs=1e-11 * scale)
        assert strata_moments.sds[g] == pytest.approx(math.sqrt(spread), abs=1e-5 * scale)
    assert np.all(strata_moments.squares >= 0)


@given(st.one_of(grouped(), grouped(binary=True)), st.data())
def test_merged_moments_are_those_of_the_merged_groups(problem: Grouped, data: st.DataObject) -> None:
    losses, groups = problem
    fine = moments(losses, groups)
    coarse = data.draw(st.lists(st.integers(0, 3), min_size=fine.sizes.size, max_size=fine.sizes.size))
    target = np.unique(coarse, return_inverse=True)[1]
    merged, direct = fine.merge(target), moments(losses, target[groups])
    scale = 1 + np.abs(losses).max() ** 2
    np.testing.assert_array_equal(merged.sizes, direct.sizes)
    np.testing.assert_allclose(merged.means, direct.means, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(merged.squares, direct.squares, rtol=0, atol=1e-10 * scale)
    assert merged.binary == direct.binary
    if merged.binary:
        np.testing.assert_array_equal(merged.ones, np.bincount(target[groups], weights=losses))


@given(grouped(binary=True))
def test_ones_are_counted(problem: Grouped) -> None:
    losses, groups = problem
    strata_moments = moments(losses, groups)
    assert strata_moments.binary
    np.testing.assert_array_equal(strata_moments.ones, np.bincount(groups, weights=losses))


def test_pooled_is_the_whole_pool() -> None:
    losses = np.array([0.0, 1.0, 2.0, 4.0])
    pooled = moments(losses, [0, 1, 1, 0]).pooled()
    assert pooled.sizes.tolist() == [4]
    assert pooled.means[0] == 1.75
    assert pooled.variances[0] == pytest.approx(losses.var(ddof=1), rel=1e-15)


def test_losses_far_from_zero_keep_their_digits() -> None:
    rng = np.random.default_rng(3)
    small, groups = rng.random(5000), rng.integers(0, 4, 5000)
    near, far = moments(small, groups), moments(small + 1e8, groups)
    np.testing.assert_allclose(far.squares, near.squares, rtol=1e-7)
    np.testing.assert_allclose(far.merge([0, 1, 0, 1]).squares, near.merge([0, 1, 0, 1]).squares, rtol=1e-7)


@given(st.floats(-1e6, 1e6), st.lists(st.integers(0, 4), min_size=1, max_size=50))
def test_equal_losses_have_no_spread_at_all(loss: float, groups: list[int]) -> None:
    """Rounding of the mean must not leave a spread behind, of which ratios would then be taken."""
    contiguous = np.unique(groups, return_inverse=True)[1]
    strata_moments = moments(np.full(len(groups), loss), contiguous)
    assert (strata_moments.squares == 0).all()
    assert (strata_moments.means == loss).all()
    assert strata_moments.pooled().squares[0] == 0


def test_losses_that_differ_between_groups_only_have_no_spread_within() -> None:
    strata_moments = moments(np.repeat([0.1, 0.7, 0.3], [3, 6, 7]), np.repeat([0, 1, 2], [3, 6, 7]))
    assert strata_moments.squares.tolist() == [0, 0, 0]
    assert strata_moments.means.tolist() == [0.1, 0.7, 0.3]


def test_a_group_of_one_item_has_variance_zero() -> None:
    assert moments([0.3, 0.9, 0.1], [1, 0, 0]).variances.tolist() == [pytest.approx(0.32), 0.0]


@pytest.mark.parametrize(
    ("losses", "binary"), [([0, 1, 1], True), ([0, 0, 0], True), ([0, 0.5, 1], False), ([2, 2, 2], False)]
)
def test_binary_means_zeros_and_ones_only(losses: list[float], binary: bool) -> None:
    assert moments(losses, [0, 0, 1]).binary is binary


def test_group_means_count_a_missing_value_as_one_half() -> None:
    np.testing.assert_allclose(group_means([1.0, 0.8, np.nan, np.nan], [0, 0, 0, 1]), [2.3 / 3, 0.5])


@pytest.mark.parametrize(("losses", "constant"), [([1.0, 1.0, 1.0], True), ([0.0, 0.0, 1.0], False)])
def test_losses_are_constant_where_no_item_differs_also_between_groups(losses: list[float], constant: bool) -> None:
    assert moments(losses, [0, 0, 1]).constant == constant


def test_moments_show_themselves_in_a_line() -> None:
    assert repr(moments([1.0, 0.0, 1.0, 1.0], [0, 0, 1, 1])) == Saying("4 0/1 losses", "2 groups", "0.750")


@pytest.mark.parametrize(
    ("losses", "groups", "message"),
    [
        ([0, math.nan, math.inf, 1], [0, 0, 1, 1], "2 of 4 losses are unknown"),
        ([0, 1], [0, 0, 1], "2 losses for 3 items"),
        ([0, 1, 1], [0, 2, 2], "without gaps"),
        ([0, 1], [0, -1], "negative"),
        ([], [], "no items"),
        ([0.0, 1.0], [0.0, 1.0], "whole numbers"),
    ],
)
def test_errors_say_what_is_wrong(losses: list[float], groups: list[float], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        moments(losses, groups if groups else np.array(groups, dtype=int))


def test_a_far_too_large_stratum_number_is_refused_before_memory_is_taken() -> None:
    with pytest.raises(DesignError, match="without gaps"):
        checked_groups([0, 2**60])


def test_values_and_groups_must_be_as_many() -> None:
    with pytest.raises(DesignError, match="3 values for 2 items"):
        group_means([1.0, 1.0, 1.0], [0, 0])
