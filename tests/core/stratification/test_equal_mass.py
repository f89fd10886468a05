"""Fine strata of equal risk mass."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.stratification.cuts import levels
from core.stratification.equal_mass import LEAST_ITEMS, cut, masses, order
from core.stratification.profiles import EQUAL_MASS, outcome, signal_profile

MASSES = arrays(np.float64, st.integers(1, 80), elements=st.floats(0, 1))


@given(MASSES, st.integers(1, 60))
def test_strata_partition_the_order_and_can_each_take_two_labels(mass, n_strata):
    strata = cut(mass, n_strata)
    sizes = np.bincount(strata)
    assert np.all(np.diff(strata) >= 0)
    assert sizes.size == max(1, min(n_strata, mass.size // LEAST_ITEMS))
    assert sizes.min() >= min(LEAST_ITEMS, mass.size)


@given(arrays(np.float64, st.integers(200, 400), elements=st.floats(0.5, 1)), st.integers(1, 20))
def test_masses_differ_by_less_than_an_item_from_their_share(mass, n_strata):
    summed = np.bincount(cut(mass, n_strata), weights=mass)
    # Each of the two cuts of a stratum is at most half an item from its place.
    assert np.all(np.abs(summed - mass.sum() / n_strata) <= mass.max() + 1e-9)


def test_equal_masses_make_equal_sizes():
    assert np.bincount(cut(np.ones(12), 4)).tolist() == [3, 3, 3, 3]


def test_uncertain_items_stand_in_smaller_strata():
    # 6 items of mass 1/2 and 6 of mass 1: the cuts that halve 9 stand at 4.5.
    assert np.bincount(cut(np.repeat([0.5, 1.0], 6), 3)).tolist() == [6, 3, 3]


def test_the_mass_is_the_standard_deviation_and_a_floor():
    np.testing.assert_allclose(masses([0.0, 0.5, 0.9, np.nan, 1.0], 0.25), [0.25, 0.75, 0.55, 0.75, 0.25])


def test_without_groups_the_order_is_the_signal_and_then_the_place():
    assert order(levels([0.3, 0.1, np.nan, 0.1, 0.2]), None, 4).tolist() == [1, 3, 4, 0, 2]


def test_items_of_a_group_stand_together_inside_a_slice_of_the_signal():
    signal = np.arange(16.0)
    group = np.tile([1, 0], 8)
    # Four strata: three slices, of 5, 6 and 5 items. Group 1 has the lower mean signal and comes first.
    assert order(levels(signal), group, 4).tolist() == [0, 2, 4, 1, 3, 6, 8, 10, 5, 7, 9, 12, 14, 11, 13, 15]


@given(
    arrays(np.float64, 60, elements=st.sampled_from([0.0, 0.5, 1.0, np.nan])),
    arrays(np.int64, 60, elements=st.integers(0, 4)),
    st.integers(1, 30),
)
def test_the_order_is_a_permutation_and_slices_ascend(signal, codes, n_strata):
    group = np.unique(codes, return_inverse=True)[1]
    positions = order(levels(signal), group, n_strata)
    assert sorted(positions.tolist()) == list(range(60))


@pytest.mark.parametrize("grouped", [False, True])
def test_a_profile_describes_its_fine_strata(grouped):
    rng = np.random.default_rng(0)
    signal, consistency = rng.random(50).round(1), rng.uniform(0.1, 1, 50)
    losses = (rng.random(50) < signal).astype(float)
    whole = signal_profile(signal, consistency, group=rng.integers(0, 3, 50) if grouped else None)
    strata = whole.stratify(7, EQUAL_MASS)
    stratum = whole.stratum(strata)
    assert strata.by_item and strata.n_strata == 7 and strata.n_items == 50
    for h in range(7):
        inside = stratum == h
        assert strata.sizes[h] == inside.sum()
        assert strata.consistency[h] == pytest.approx(consistency[inside].mean())
        assert (strata.low[h], strata.high[h]) == (signal[inside].min(), signal[inside].max())
    known = outcome(whole, losses)
    assert known is not None
    np.testing.assert_allclose(known.moments_in(strata).means, [losses[stratum == h].mean() for h in range(7)])


def test_predicted_risk_decides_the_masses_and_self_consistency_much_less():
    signal = np.linspace(0, 1, 400)
    doubtful = np.where(signal > 0.5, 0.5, 1.0)
    by_risk = signal_profile(signal, np.full(400, 0.5), risk=1 - doubtful).stratify(4, EQUAL_MASS, floor=0.5)
    by_consistency = signal_profile(signal, doubtful).stratify(4, EQUAL_MASS, floor=0.5)
    assert by_risk.sizes[0] / by_risk.sizes[-1] == pytest.approx(2, abs=0.1)
    assert by_consistency.sizes[0] / by_consistency.sizes[-1] == pytest.approx(3 / 2.5, abs=0.05)


@pytest.mark.parametrize("seed", range(12))
def test_cells_of_many_items_give_the_strata_of_the_items(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 400))
    signal = rng.integers(0, rng.integers(1, 12), size).astype(float)
    signal[rng.random(size) < 0.1 * (seed % 3)] = np.nan
    consistency = np.where(rng.random(size) < 0.05, np.nan, rng.random(size))
    group = None if seed % 4 == 0 else np.unique(rng.integers(0, 5, size), return_inverse=True)[1]
    profile = signal_profile(signal, consistency, rng.random(size) if seed % 2 else None, group)
    for n_strata in (1, 2, 7, 40):
        item_by_item = profile.stratify(n_strata, EQUAL_MASS, float(seed % 5 > 0))
        with monkeypatch.context() as patch:
            patch.setattr("core.stratification.profiles._MANY", 0)
            by_cells = profile.stratify(n_strata, EQUAL_MASS, float(seed % 5 > 0))
        np.testing.assert_array_equal(profile.stratum(by_cells), profile.stratum(item_by_item))
        np.testing.assert_array_equal(profile.stratum(by_cells, np.array([1, 0])), item_by_item.of_level[[1, 0]])
        for name in ("sizes", "low", "high"):
            np.testing.assert_array_equal(getattr(by_cells, name), getattr(item_by_item, name))
        np.testing.assert_allclose(by_cells.consistency, item_by_item.consistency)
        copied = copy.deepcopy(by_cells)
        np.testing.assert_array_equal(copied.of_level, by_cells.of_level)
        np.testing.assert_array_equal(copied.high, by_cells.high)
