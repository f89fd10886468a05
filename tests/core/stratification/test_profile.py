"""Profiles: a pool reduced to the distinct values of its signal gives the same strata, shares and moments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DesignError
from core.signals import self_consistency, semantic_entropy
from core.stratification import (
    METHODS,
    Stratification,
    merged_table,
    outcome,
    profile,
    signal_profile,
    stratify,
    stratum_table,
)
from core.stratification.moments import group_means, moments
from tests.core.wording import Saying

classes_of_pools = st.integers(1, 8).flatmap(
    lambda k: st.lists(st.lists(st.integers(-1, 3), min_size=k, max_size=k), min_size=1, max_size=40)
)


@given(classes_of_pools, st.integers(1, 7), st.sampled_from(METHODS))
def test_strata_are_those_of_the_items(classes: list[list[int]], h: int, method: str) -> None:
    signals = profile(classes)
    strata = signals.stratify(h, method)
    by_item = stratify(semantic_entropy(classes), h, method)
    np.testing.assert_array_equal(strata.of_level[signals.levels.member], by_item)
    np.testing.assert_array_equal(strata.sizes, np.bincount(by_item))
    np.testing.assert_allclose(strata.consistency, group_means(self_consistency(classes), by_item), atol=1e-14)
    assert np.all((strata.consistency >= 0) & (strata.consistency <= 1))
    assert strata.n_strata == by_item.max() + 1 <= h
    assert strata.n_items == len(classes)
    for stratum in range(strata.n_strata):
        inside = signals.signal[by_item == stratum]
        if np.isnan(inside).all():
            assert np.isnan(strata.low[stratum])
            assert np.isnan(strata.high[stratum])
        else:
            assert strata.low[stratum] == np.nanmin(inside)
            assert strata.high[stratum] == np.nanmax(inside)


@given(classes_of_pools, st.data())
def test_moments_of_levels_merge_into_moments_of_strata(classes: list[list[int]], data: st.DataObject) -> None:
    signals = profile(classes)
    losses = np.array(data.draw(st.lists(st.floats(-5, 5), min_size=len(classes), max_size=len(classes))))
    strata = signals.stratify(4)
    merged, direct = (
        signals.moments(losses).merge(strata.of_level),
        moments(losses, strata.of_level[signals.levels.member]),
    )
    np.testing.assert_array_equal(merged.sizes, direct.sizes)
    np.testing.assert_allclose(merged.means, direct.means, atol=1e-12)
    np.testing.assert_allclose(merged.squares, direct.squares, atol=1e-10)


@given(classes_of_pools, st.data())
def test_a_subset_is_a_pool_of_its_own(classes: list[list[int]], data: st.DataObject) -> None:
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(classes), max_size=len(classes))))
    signals = profile(classes)
    if not chosen.any():
        with pytest.raises(DesignError, match="no items"):
            signals.subset(chosen)
        return
    part, alone = signals.subset(chosen), profile(np.array(classes)[chosen])
    np.testing.assert_allclose(part.signal, alone.signal, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(part.stratify(3).of_level, alone.stratify(3).of_level)
    np.testing.assert_allclose(part.stratify(3).consistency, alone.stratify(3).consistency)


def test_an_item_without_generations_counts_as_undecided_in_the_highest_stratum() -> None:
    strata = profile([[0, 0], [0, 0], [0, 1], [-1, -1]]).stratify(2)
    assert strata.sizes.tolist() == [2, 2]
    assert strata.consistency.tolist() == [1.0, 0.5]
    assert strata.high[1] == pytest.approx(np.log(2))


def test_generations_agree_whatever_the_items_are_sorted_by() -> None:
    consistency = np.array([1.0, 1.0, 0.5, np.nan])
    for signal in ([0.0, 0.0, 0.7, np.nan], [0.3, 0.2, 0.0, 0.0]):
        assert signal_profile(np.array(signal), consistency).agreeing == 0.5


def test_no_items() -> None:
    with pytest.raises(DesignError, match="no items"):
        profile(np.empty((0, 5), dtype=int))


def test_outcome_of_a_target_known_everywhere() -> None:
    whole = profile([[0, 0], [0, 1], [0, 1]])
    simulated = outcome(whole, [0.0, 1.0, 0.0])
    assert simulated is not None
    assert simulated.profile is whole
    assert not simulated.partial
    assert simulated.moments.mean == pytest.approx(1 / 3)


def test_outcome_of_a_target_known_in_part_or_not_at_all() -> None:
    whole = profile([[0, 0], [0, 1], [0, 1], [0, 0]])
    simulated = outcome(whole, [np.nan, 1.0, 0.0, 0.0])
    assert simulated is not None
    assert simulated.partial
    assert (simulated.losses.tolist(), simulated.n_items) == ([1.0, 0.0, 0.0], 4)
    assert simulated.profile.signal.size == simulated.moments.n_items == 3
    assert outcome(whole, [np.nan] * 4) is None
    with pytest.raises(DesignError, match="3 losses for 4 items"):
        outcome(whole, [1.0, 0.0, 0.0])


def test_table_of_strata() -> None:
    signals = profile([[0, 0], [0, 0], [0, 0], [0, 1]])
    strata = signals.stratify(5)
    outcomes = signals.moments([0.0, 1.0, 0.0, 1.0]).merge(strata.of_level)
    table = stratum_table(strata, [2, 1], [0.75, 1.25], outcomes)
    assert table["items"].tolist() == [3, 1]
    assert table["share_of_pool"].tolist() == [0.75, 0.25]
    assert table["labels"].tolist() == [2, 1]
    np.testing.assert_allclose(table["share_of_budget"], [2 / 3, 1 / 3])
    np.testing.assert_allclose(table["inclusion_probability"], [2 / 3, 1])
    np.testing.assert_allclose(table["mean_loss"], [1 / 3, 1])
    np.testing.assert_allclose(table["sd"], [np.sqrt(1 / 3), 0])
    assert "sd" not in stratum_table(strata, [2, 1], [0.75, 1.25]).columns
    with pytest.raises(DesignError, match="3 entries for 2 strata"):
        stratum_table(strata, [2, 1, 1], [0.75, 1.25])


def test_profiles_strata_and_outcomes_show_themselves_in_short_tables() -> None:
    whole = profile([[0, 0, 0], [0, 1, 2], [0, 0, 1], [1, 1, 1]] * 1000)
    assert repr(whole) == Saying("4,000 items", "3 distinct signals")
    lines = repr(whole.stratify(3)).splitlines()
    assert "4,000 items" in lines[0] and lines[1].split()[:2] == ["N_h", "p_h"] and len(lines) == 2 + 3
    assert lines[2].split() == ["0", "2000", "1.000", "0.000", "0.000"]
    known = outcome(whole, [1.0, 0.0, 0.0, np.nan] * 1000)
    assert repr(known) == Saying("3,000 of 4,000 items", "mean loss 0.333")


@pytest.mark.parametrize(("n_strata", "rows", "each"), [(7, 7, 1), (20, 20, 1), (50, 17, 3), (500, 20, 25)])
def test_neighbouring_strata_are_merged_for_a_figure(n_strata: int, rows: int, each: int) -> None:
    rng = np.random.default_rng(n_strata)
    sizes = rng.integers(2, 9, n_strata)
    stratum = np.repeat(np.arange(n_strata), sizes)
    losses, risk = rng.random(stratum.size), rng.random(stratum.size)
    strata = Stratification(stratum, sizes, rng.random(n_strata), np.zeros(n_strata), np.ones(n_strata), by_item=True)
    table = stratum_table(strata, np.full(n_strata, 2), np.zeros(n_strata), moments(losses, stratum))
    merged = merged_table(table.assign(risk=np.bincount(stratum, risk) / sizes))
    assert len(merged) == rows
    coarse = stratum // each
    assert merged["items"].tolist() == np.bincount(coarse).tolist()
    assert merged["labels"].sum() == 2 * n_strata and merged["share_of_pool"].sum() == pytest.approx(1)
    for column, values in (("mean_loss", losses), ("risk", risk)):
        np.testing.assert_allclose(merged[column], [values[coarse == row].mean() for row in range(rows)])
    assert (merged["sd"] >= 0).all() and merged["sd"].max() <= table["sd"].max() + 1e-12
