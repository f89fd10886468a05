"""Weighted means: algebra by enumeration of every sample, and limits by simulation."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from core.estimation.contrasts import difference, ratio
from core.estimation.groups import RATIO, WITHIN, domains
from core.estimation.intervals import Interval
from core.estimation.mean import sample
from core.estimation.weighting import WeightedLabels, WeightedStrata

RNG = np.random.default_rng(11)


def strata_of(n_items: int = 11, n_strata: int = 3) -> WeightedStrata:
    weights = RNG.lognormal(0, 1, n_items)
    stratum = np.sort(np.r_[np.arange(n_strata), RNG.integers(0, n_strata, n_items - n_strata)])
    return WeightedStrata(weights / weights.mean(), stratum, np.zeros(n_items, dtype=np.int64))


def every_sample(strata: WeightedStrata, each: int = 2):
    """Positions of every sample with so many items of each stratum, or all of it."""
    parts = [np.flatnonzero(strata.stratum == h) for h in range(strata.sizes.size)]
    yield from (np.concatenate(one) for one in product(*(combinations(part, min(each, part.size)) for part in parts)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("binary", [True, False])
def test_every_sample_together_gives_the_weighted_mean_and_its_variance(seed, binary):
    rng = np.random.default_rng(seed)
    strata = strata_of()
    losses = rng.integers(0, 2, 11).astype(float) if binary else rng.random(11)
    truth = strata.weights @ losses / 11
    samples = [strata.sample(losses[at], at) for at in every_sample(strata)]
    values = np.array([one.value for one in samples])
    assert values.mean() == pytest.approx(truth, abs=1e-12)
    assert np.mean([one.variance for one in samples]) == pytest.approx(values.var(), abs=1e-12)


def test_values_are_the_other_side_of_losses():
    strata, losses = strata_of(), RNG.random(11)
    for at in list(every_sample(strata))[:40]:
        loss, value = strata.sample(losses[at], at), strata.sample(1 - losses[at], at, centre=1.0)
        one, other = loss.estimate(), value.estimate()
        assert loss.value == pytest.approx(1 - value.value, abs=1e-12)
        assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-6)
        assert one.standard_error == pytest.approx(other.standard_error)
        assert loss.whatever() == pytest.approx([1 - end for end in reversed(value.whatever())], abs=1e-9)


def test_equal_weights_are_none():
    stratum, losses = np.repeat([0, 1, 2], 10), RNG.integers(0, 2, 30).astype(float)
    strata, at = WeightedStrata(np.ones(30), stratum, np.zeros(30, dtype=np.int64)), np.arange(0, 30, 3)
    one, plain = strata.sample(losses[at], at), sample(losses[at], stratum[at], [10, 10, 10])
    assert one.value == pytest.approx(plain.value)
    assert one.variance == pytest.approx(plain.variance)
    limits, other = one.limits(), plain.limits()
    assert (limits.low, limits.high) == pytest.approx((other.low, other.high), abs=1e-9)


def test_limits_stay_within_what_labels_leave_possible():
    strata, losses = strata_of(), RNG.integers(0, 2, 11).astype(float)
    for at in list(every_sample(strata, 3))[:60]:
        one = strata.sample(losses[at], at).estimate()
        rest = np.delete(strata.weights, at).sum() / 11
        known = strata.weights[at] @ losses[at] / 11
        assert known - 1e-12 <= one.low <= one.high <= max(known + rest, one.value) + 1e-12


def test_a_census_is_exact():
    strata, losses = strata_of(), RNG.random(11)
    one = strata.sample(losses, np.arange(11)).estimate()
    assert (one.value, one.low, one.high) == pytest.approx((strata.weights @ losses / 11,) * 3)


@pytest.mark.parametrize("truth", [0.1, 0.5])
def test_limits_hold_by_simulation(truth):
    """300 items, weights of CV 1.8 in four strata; 95 % limits contain the truth in 94 % of samples or more."""
    rng = np.random.default_rng(3)
    weights = np.sort(rng.lognormal(0, 1.2, 300))
    strata = WeightedStrata(weights / weights.mean(), np.repeat(np.arange(4), 75), np.repeat(np.arange(4), 75))
    losses = (rng.random(300) < truth).astype(float)
    mean, inside, trials = strata.weights @ losses / 300, 0, 500
    for _ in range(trials):
        at = np.concatenate([rng.choice(np.flatnonzero(strata.stratum == h), 12, replace=False) for h in range(4)])
        one = strata.sample(losses[at], at).estimate()
        inside += one.low <= mean <= one.high
    # Four standard errors of the simulation below 94 %.
    assert inside / trials >= 0.94 - 4 * np.sqrt(0.94 * 0.06 / trials)


def test_ratios_and_differences_of_every_sample():
    strata = strata_of(12)
    first, second = RNG.integers(0, 2, (2, 12)).astype(float)
    gaps, truth = [], strata.weights @ (first - second) / 12
    for at in every_sample(strata):
        labels, member = WeightedLabels(strata, at), strata.stratum[at]
        one = difference(first[at], second[at], member, strata.sizes, in_waves=labels)
        gaps.append(one.value)
        assert -1 <= one.low <= one.high <= 1
        share = ratio(first[at], np.ones(at.size), member, strata.sizes, in_waves=labels)
        by_hand = np.zeros(3)
        for number, y in enumerate((strata.weights * first, strata.weights)):
            means = [y[at][member == h].mean() for h in range(3)]
            by_hand[number] = strata.sizes @ means
        assert share.value == pytest.approx(by_hand[0] / by_hand[1])
        assert share.low - 1e-9 <= share.value <= share.high + 1e-9
    # Limits of each are cut; the estimates themselves are not.
    inner = [gap for gap in gaps if abs(gap) < 1]
    assert len(inner) < len(gaps) or np.mean(gaps) == pytest.approx(truth, abs=1e-9)


def test_a_ratio_of_equal_weights_is_that_without():
    stratum, rng = np.repeat([0, 1], 40), np.random.default_rng(1)
    strata, at = WeightedStrata(np.ones(80), stratum, np.zeros(80, dtype=np.int64)), np.arange(0, 80, 4)
    y, x = rng.integers(0, 2, (2, at.size)).astype(float)
    plain = ratio(y * x, x, stratum[at], [40, 40])
    own = ratio(y * x, x, stratum[at], [40, 40], in_waves=WeightedLabels(strata, at))
    assert (own.value, own.standard_error) == pytest.approx((plain.value, plain.standard_error))
    # In steps of a scale only without weights, whose limits are a little shorter.
    assert own.low == pytest.approx(plain.low, abs=0.03)
    assert own.high == pytest.approx(plain.high, abs=0.03)


@pytest.mark.parametrize("each", [2, 5])
def test_groups_count_their_items_by_weight(each):
    """Over many samples the estimate of a group is its weighted mean, within four standard errors."""
    rng = np.random.default_rng(each)
    weights, group = rng.lognormal(0, 1, 120), np.array(["a", "b", "b"] * 40)
    strata = WeightedStrata(weights / weights.mean(), np.repeat(np.arange(4), 30), np.repeat(np.arange(4), 30))
    values = (rng.random(120) < 0.7).astype(float)
    tables = []
    for _ in range(100):
        at = np.concatenate(
            [rng.choice(np.flatnonzero(strata.stratum == h), 3 * each, replace=False) for h in range(4)]
        )
        labels = WeightedLabels(strata, at)
        tables.append(domains(values[at], at, strata.stratum, group, Interval(), in_waves=labels))
    table = pd.concat(tables)
    assert set(table["estimator"]) <= {WITHIN, RATIO}
    for name, part in table.groupby("group"):
        member = group == name
        truth = np.average(values[member], weights=weights[member])
        error = part["value"].std() / np.sqrt(len(part))
        # A ratio has a bias of the order of its variance.
        assert abs(part["value"].mean() - truth) < 4 * error + part["value"].var()
        assert ((part["low"] <= truth) & (truth <= part["high"])).mean() > 0.91
    assert table["model_value"].isna().all()


def test_targets_that_agree_have_no_difference_and_sides_are_the_same() -> None:
    rng = np.random.default_rng(4)
    strata = WeightedStrata.of(rng.lognormal(0, 1, 60), np.repeat([0, 1, 2], 20), np.zeros(60, dtype=np.int64))
    at = np.concatenate([rng.choice(np.arange(20) + 20 * h, 6, replace=False) for h in range(3)])
    labels, first, second = WeightedLabels(strata, at), rng.integers(0, 2, 18), rng.integers(0, 2, 18)
    parts = strata.stratum[at], strata.sizes
    assert difference(first, first, *parts, in_waves=labels).value == 0
    one, other = (difference(*two, *parts, in_waves=labels) for two in ((first, second), (second, first)))
    assert one.value == pytest.approx(-other.value) and one.low == pytest.approx(-other.high)
    means = [strata.sample(losses.astype(float), at).value for losses in (first, second)]
    assert one.value == pytest.approx(means[0] - means[1])
