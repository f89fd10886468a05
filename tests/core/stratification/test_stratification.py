"""Strata: a contiguous ascending partition with ties together, and each method against a slow version of its rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.errors import DesignError
from core.stratification import METHODS, cuts, stratify
from core.stratification.cuts import levels, stratify_levels
from tests.core.brute_force import interval_partitions, nearest_cuts, within_squares

lattice = st.sampled_from([0.0, 0.0, 0.0, 0.325, 0.5, 0.61, 0.8, 1.03, 1.2, 1.5, 2.3])
signals = st.lists(st.one_of(lattice, st.just(np.nan)), min_size=1, max_size=60).map(np.array)
finite_signals = st.lists(lattice, min_size=1, max_size=60).map(np.array)
numbers_of_strata = st.integers(1, 12)


def key(signal: NDArray[np.float64]) -> NDArray[np.float64]:
    """The signal with NaN as the largest value."""
    return np.where(np.isnan(signal), np.inf, signal)


@given(signals, numbers_of_strata, st.sampled_from(METHODS))
def test_strata_are_a_contiguous_ascending_partition(signal: NDArray[np.float64], h: int, method: str) -> None:
    strata = stratify(signal, h, method)
    assert strata.shape == signal.shape
    assert np.unique(strata).tolist() == list(range(int(strata.max()) + 1))
    assert strata.max() < h
    order = np.argsort(key(signal), kind="stable")
    assert np.all(np.diff(strata[order]) >= 0)
    for value in np.unique(key(signal)):
        assert np.unique(strata[key(signal) == value]).size == 1


@given(signals, numbers_of_strata, st.sampled_from(METHODS))
def test_the_order_of_the_items_does_not_matter(signal: NDArray[np.float64], h: int, method: str) -> None:
    np.testing.assert_array_equal(stratify(signal[::-1], h, method), stratify(signal, h, method)[::-1])


@given(signals, numbers_of_strata, st.sampled_from(METHODS))
def test_levels_carry_the_same_strata(signal: NDArray[np.float64], h: int, method: str) -> None:
    strata = levels(signal)
    assert strata.counts.sum() == signal.size
    np.testing.assert_array_equal(strata.values[strata.member], signal)
    np.testing.assert_array_equal(strata.values, np.unique(signal))
    np.testing.assert_array_equal(strata.counts, np.unique(signal, return_counts=True)[1])
    np.testing.assert_array_equal(stratify_levels(strata, h, method)[strata.member], stratify(signal, h, method))


@given(signals, st.integers(2, 12))
def test_adaptive_keeps_the_items_at_exactly_zero_apart(signal: NDArray[np.float64], h: int) -> None:
    strata = stratify(signal, h, "adaptive")
    zero = signal == 0
    if zero.any() and not zero.all():
        np.testing.assert_array_equal(strata == 0, zero)
        np.testing.assert_array_equal(strata[~zero] - 1, stratify(signal[~zero], h - 1, "quantile"))
    elif zero.all():
        assert (strata == 0).all()
    else:
        np.testing.assert_array_equal(strata, stratify(signal, h, "quantile"))


def test_a_value_of_almost_zero_is_not_zero() -> None:
    assert stratify([0.0, 5e-324, 1.0], 3).tolist() == [0, 1, 2]
    assert stratify([-0.0, 0.0, 1.0], 2).tolist() == [0, 0, 1]


def test_negative_values_leave_adaptive_without_a_stratum_of_zeros() -> None:
    signal = np.array([-1.0, 0.0, 0.0, 2.0, 3.0])
    np.testing.assert_array_equal(stratify(signal, 3, "adaptive"), stratify(signal, 3, "quantile"))


@given(st.lists(st.integers(1, 30), min_size=1, max_size=14), st.integers(1, 14))
def test_quantile_cuts_lie_nearest_to_the_ideal(counts: list[int], h: int) -> None:
    strata = stratify(np.repeat(np.arange(1.0, len(counts) + 1), counts), h, "quantile")
    first = np.unique(strata, return_index=True)[1][1:]
    cuts = np.repeat(np.arange(len(counts)), counts)[first].tolist()
    assert cuts == nearest_cuts(counts, h)


def test_quantile_without_ties_gives_equal_sizes() -> None:
    strata = stratify(np.random.default_rng(1).random(1000), 8, "quantile")
    assert np.bincount(strata).tolist() == [125] * 8


@given(finite_signals, st.integers(1, 10))
def test_equal_width_puts_each_item_into_the_interval_of_its_value(signal: NDArray[np.float64], h: int) -> None:
    strata = stratify(signal, h, "equal-width")
    low, high = signal.min(), signal.max()
    if low == high:
        assert (strata == 0).all()
        return
    position = (signal - low) / (high - low) * h
    bins = np.minimum(np.floor(position), h - 1)
    clear = np.abs(position - np.rint(position)) > 1e-9
    for a in np.flatnonzero(clear):
        same = clear & (bins == bins[a])
        assert np.unique(strata[same]).size == 1
        assert not np.any(strata[clear & (bins != bins[a])] == strata[a])


def test_equal_width_drops_empty_intervals() -> None:
    assert stratify([0.0, 0.1, 0.9, 1.0], 5, "equal-width").tolist() == [0, 0, 1, 1]
    assert stratify([0.0, 0.5, 1.0], 2, "equal-width").tolist() == [0, 1, 1]


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=9, unique=True).flatmap(
        lambda values: st.tuples(
            st.just(sorted(values)), st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values))
        )
    ),
    st.integers(1, 6),
)
def test_k_means_is_the_best_of_all_partitions_into_intervals(levels_: tuple[list[int], list[int]], h: int) -> None:
    values, counts = levels_
    signal = np.repeat(np.array(values, dtype=float), counts)
    strata = stratify(signal, h, "k-means")
    clusters = min(h, len(values))
    assert strata.max() + 1 == clusters
    best = min(
        within_squares(signal, np.repeat(partition, counts)) for partition in interval_partitions(len(values), clusters)
    )
    assert within_squares(signal, strata) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("h", [2, 5, 8])
def test_k_means_of_many_values_improves_on_quantiles_and_is_stable(seed: int, h: int) -> None:
    rng = np.random.default_rng(seed)
    signal = np.concatenate([rng.gamma(0.7, 1.0, 900), rng.choice([0.0, 1.0, 1.5], 400)])
    assert np.unique(signal).size > 600
    strata = stratify(signal, h, "k-means")
    assert within_squares(signal, strata) < within_squares(signal, stratify(signal, h, "quantile"))
    centres = np.array([signal[strata == c].mean() for c in range(strata.max() + 1)])
    nearest = np.abs(signal[:, None] - centres).argmin(axis=1)
    np.testing.assert_array_equal(strata, nearest)


def test_k_means_of_many_values_comes_near_the_optimum() -> None:
    rng = np.random.default_rng(9)
    signal = np.round(rng.gamma(0.7, 1.0, 3000), 2)
    exact = within_squares(signal, stratify(signal, 5, "k-means"))
    assert np.unique(signal).size <= 600
    jittered = signal + rng.uniform(-1e-6, 1e-6, signal.size)
    assert np.unique(jittered).size > 600
    assert within_squares(jittered, stratify(jittered, 5, "k-means")) < 1.25 * exact


@pytest.mark.parametrize("method", METHODS)
def test_items_without_a_signal_belong_to_the_highest_stratum(method: str) -> None:
    signal = np.array([0.0] * 6 + [0.3, 0.5, 0.5, 0.9, 1.2, 1.5, np.nan])
    strata = stratify(signal, 4, method)
    assert strata[-1] == strata.max()
    np.testing.assert_array_equal(stratify([np.nan] * 3, 4, method), [0, 0, 0])


def test_levels_of_few_values_are_those_of_sorting_the_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.pool.class_counts._BLOCK", 7)
    signal = np.random.default_rng(0).choice([0.0, -0.0, 1.5, -2.0, np.nan, 7.0], 100)
    few, many = cuts._few_levels(signal), cuts._many_levels(signal)
    for name in ("values", "counts", "member"):
        np.testing.assert_array_equal(getattr(few, name), getattr(many, name))
    np.testing.assert_array_equal(np.signbit(few.values), np.signbit(many.values))


def test_items_without_a_signal_are_never_with_certain_ones() -> None:
    assert stratify([0.0, 0.0, np.nan], 5).tolist() == [0, 0, 1]


@pytest.mark.parametrize("method", METHODS)
def test_degenerate_pools(method: str) -> None:
    assert stratify([0.7], 5, method).tolist() == [0]
    assert stratify([0.0] * 9, 5, method).tolist() == [0] * 9
    assert stratify([0.4] * 9, 5, method).tolist() == [0] * 9
    assert stratify([0.0, 0.4, 0.9], 1, method).tolist() == [0, 0, 0]
    assert stratify([0.9, 0.0, 0.4], 3, method).tolist() == [2, 0, 1]
    assert stratify([0.9, 0.0, 0.4], 10, method).tolist() == [2, 0, 1]


@pytest.mark.parametrize("method", METHODS)
def test_infinite_signals_are_refused(method: str) -> None:
    for bad in (np.inf, -np.inf):
        with pytest.raises(DesignError, match="infinite"):
            stratify([0.0, 1.0, bad], 2, method)


def test_errors_say_what_to_do() -> None:
    with pytest.raises(DesignError, match="no stratifier called “median”"):
        stratify([0.1], 2, "median")
    with pytest.raises(DesignError, match=r"strata is 0: .*at least 1"):
        stratify([0.1], 0)
    with pytest.raises(DesignError, match=r"1001: .*at most 1,000"):
        stratify([0.1], 1001)
    with pytest.raises(DesignError, match="no items"):
        stratify([], 2)
    with pytest.raises(ValueError, match=r"must be \(N,\)"):
        stratify([[0.1]], 2)
