"""Waves of labels: unbiased over every path although later waves follow earlier labels, and what they agree with."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from core.errors import DesignError
from core.estimation import Interval, stratified
from core.estimation.contrasts import difference, ratio
from core.estimation.waves import Waves, estimates_in_waves, waves
from tests.core.brute_force import samples

LOSSES = np.array([1, 0, 0, 1, 0.5, 0, 1, 0, 1.0])
Part = tuple[np.ndarray, np.ndarray, np.ndarray]


def follow_up(rest: np.ndarray, labelled: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """Strata and sizes of the next wave, which follow the labels known: more, and other strata, after more errors."""
    if labelled.sum() >= 2:
        return (np.arange(rest.size) % 2), (2, 2)
    if labelled.sum() >= 1:
        return (np.arange(rest.size) > 1).astype(np.int64), (2, 2)
    return np.zeros(rest.size, dtype=np.int64), (3,)


def paths(weights: tuple[float, ...]) -> list[tuple[float, float, float]]:
    """Probability, R̂ and V̂ of every path of waves: 2 + 2 labels of nine items, then as `follow_up` says."""
    first = np.repeat([0, 1], [5, 4])
    estimates: list[tuple[float, float, float]] = []

    def go_on(chance: float, parts: list[Part], rest: np.ndarray, strata: np.ndarray, counts: tuple[int, ...]) -> None:
        choices = list(samples(strata, counts))
        for drawn in choices:
            part = (LOSSES[rest[drawn]], strata[drawn], np.bincount(strata))
            known, left = [*parts, part], np.delete(rest, drawn)
            if len(known) == len(weights):
                joined = waves(known, weights)
                estimates.append((chance / len(choices), joined.value, joined.variance))
            else:
                labelled = np.concatenate([one[0] for one in known])
                go_on(chance / len(choices), known, left, *follow_up(left, labelled))

    go_on(1.0, [], np.arange(9), first, (2, 2))
    return estimates


@pytest.mark.parametrize("weight", [0.0, 0.25, 0.7])
def test_two_waves_are_unbiased_over_every_path_and_so_is_their_variance(weight: float) -> None:
    chance, value, variance = np.array(paths((weight, 1 - weight))).T
    assert chance.sum() == pytest.approx(1, abs=1e-12) and chance.size > 200
    truth = LOSSES.mean()
    assert chance @ value == pytest.approx(truth, abs=1e-12)
    assert chance @ variance == pytest.approx(chance @ (value - truth) ** 2, abs=1e-12)


def test_pooling_such_waves_would_be_biased() -> None:
    """The plain mean over labels whose number follows the first ones: what the weights are for."""
    first, total, chance = np.arange(9), 0.0, 1 / 36
    for drawn in itertools.combinations(first, 2):
        labelled, rest = LOSSES[list(drawn)], np.delete(LOSSES, drawn)
        more = 1 if labelled.sum() > 1 else 6
        total += chance * np.mean(
            [np.mean([*labelled, *rest[list(second)]]) for second in itertools.combinations(range(7), more)]
        )
    assert abs(total - LOSSES.mean()) > 0.005


def test_three_waves_are_unbiased_over_every_path() -> None:
    losses, weights, total, chances = np.array([1, 0, 1, 0, 0, 0, 1.0]), (0.2, 0.3, 0.5), 0.0, 0.0
    variance, square = 0.0, 0.0
    for one in itertools.combinations(range(7), 2):
        rest = np.delete(np.arange(7), one)
        more = 2 if losses[list(one)].any() else 3
        for two in (seconds := list(itertools.combinations(rest, more))):
            last = np.setdiff1d(rest, two)
            count = 2 if losses[list(two)].sum() == 1 else last.size
            for three in (thirds := list(itertools.combinations(last, count))):
                drawn = ((one, 7), (two, 5), (three, last.size))
                joined = waves([(losses[list(p)], np.zeros(len(p), dtype=int), [n]) for p, n in drawn], weights)
                chance = 1 / (21 * len(seconds) * len(thirds))
                chances, total = chances + chance, total + chance * joined.value
                variance, square = variance + chance * joined.variance, square + chance * (joined.value - 3 / 7) ** 2
    assert chances == pytest.approx(1) and total == pytest.approx(3 / 7, abs=1e-12)
    assert variance == pytest.approx(square, abs=1e-12)


def weights_of(labelled: Waves) -> np.ndarray:
    """Return the weight of each label in the estimate."""
    return np.array([labelled.of(one).value for one in np.eye(labelled.n_labels)])


def test_one_wave_is_a_stratified_sample() -> None:
    losses, strata = np.array([1, 0, 0, 1, 0, 1, 1.0]), np.repeat([0, 1], [4, 3])
    one, alone = waves([(losses, strata, (40, 30))]), stratified(losses, strata, (40, 30))
    estimate = one.estimate()
    assert (estimate.value, estimate.standard_error) == pytest.approx((alone.value, alone.standard_error))
    np.testing.assert_allclose(weights_of(one).sum(), 1)
    assert weights_of(one) @ losses == pytest.approx(alone.value)


def test_the_weights_of_the_labels_give_the_estimate() -> None:
    rng = np.random.default_rng(3)
    parts = [(rng.random(6), np.repeat([0, 1, 2], 2), (30, 20, 50)), (rng.random(8), np.repeat([0, 1], 4), (54, 40))]
    both = waves(parts, (0.25, 0.75))
    losses = np.concatenate([part[0] for part in parts])
    assert weights_of(both) @ losses == pytest.approx(both.value) and weights_of(both).sum() == pytest.approx(1)
    first = stratified(*parts[0])
    second = (parts[0][0].sum() + 94 * stratified(*parts[1]).value) / 100
    assert both.values == pytest.approx([first.value, second])
    error = stratified(*parts[1]).standard_error * 0.94
    assert both.variance == pytest.approx(first.standard_error**2 / 16 + 9 / 16 * error**2)


def test_the_mean_of_a_group_is_a_ratio_with_the_weights_of_the_waves() -> None:
    rng = np.random.default_rng(7)
    parts = [(rng.random(6), np.repeat([0, 1, 2], 2), (30, 20, 50)), (rng.random(8), np.repeat([0, 1], 4), (54, 40))]
    both, member = waves(parts, (0.25, 0.75)), np.arange(14) % 3 > 0
    losses, weights = np.concatenate([part[0] for part in parts]), weights_of(both)
    group, everything = (ratio(losses * alone, alone, [], [], in_waves=both) for alone in (member, np.ones(14)))
    assert group.value == pytest.approx((weights * member) @ losses / (weights @ member)) and group.n_labels == 9
    assert everything.value == pytest.approx(both.value)
    assert everything.standard_error == pytest.approx(both.variance**0.5)
    assert group.low < group.value < group.high and "2 waves" in group.method
    headline = both.estimate()
    assert (everything.low, everything.high) == pytest.approx((headline.low, headline.high))
    alike = ratio(0.7 * member, member, [], [], in_waves=both)
    assert alike.standard_error == 0 and alike.low < 0.5 and alike.high > 0.8
    one = np.arange(14) == 3
    assert not ratio(losses * one, one, [], [], in_waves=both).has_interval, "one label has no variance"


def test_a_label_that_is_missing_by_now_is_stood_for_by_the_others_without_bias() -> None:
    """Four of nine items are labelled, then as `follow_up` says, and then one of the four is forgotten at random."""
    first, rows = np.repeat([0, 1], [5, 4]), []
    for drawn in (firsts := list(samples(first, (2, 2)))):
        rest = np.delete(np.arange(9), drawn)
        strata, counts = follow_up(rest, LOSSES[drawn])
        for taken in (seconds := list(samples(strata, counts))):
            last = (LOSSES[rest[taken]], strata[taken], np.bincount(strata))
            whole = waves([(LOSSES[drawn], first[drawn], (5, 4)), last], (0.3, 0.7))
            for gone in range(4):
                chosen = np.arange(whole.n_labels) != gone
                left = whole.only(chosen)
                labelled = np.delete(drawn, gone)
                again = waves([(LOSSES[labelled], first[labelled], (5, 4)), last], (0.3, 0.7), missing=1)
                losses = np.r_[LOSSES[labelled], last[0]]
                assert left.value == again.value == pytest.approx(weights_of(left) @ losses)
                assert left.variance == again.variance and weights_of(left).sum() == pytest.approx(1)
                rows.append((1 / len(firsts) / len(seconds) / 4, left.value, left.lacking[1]))
    chance, value, lacking = np.array(rows).T
    assert chance.sum() == pytest.approx(1) and chance @ value == pytest.approx(LOSSES.mean(), abs=1e-12)
    assert lacking.max() > 0
    with pytest.raises(DesignError, match="Wave 1: No item of stratum 0"):
        whole.only(np.arange(whole.n_labels) > 1)


def test_labels_may_be_given_in_any_order() -> None:
    rng = np.random.default_rng(3)
    losses, wave = rng.random(14), rng.permutation(np.repeat([0, 1], [6, 8]))
    strata = np.empty(14, dtype=int)
    strata[wave == 0], strata[wave == 1] = np.repeat([0, 1, 2], 2), np.repeat([0, 1], 4)
    sizes = [(30, 20, 50), (54, 40)]
    sorted_ = waves([(losses[wave == j], strata[wave == j], sizes[j]) for j in (0, 1)], (0.25, 0.75))
    order = np.argsort(wave, kind="stable")
    mixed = replace(sorted_, order=order)
    assert weights_of(mixed) @ losses == pytest.approx(sorted_.value)
    assert mixed.of(losses).estimate() == sorted_.estimate()
    other, member = rng.random(14), rng.random(14) < 0.5
    for call in (difference, ratio):
        x = member if call is ratio else other
        y = losses * member if call is ratio else losses
        one, two = call(y, x, [], [], in_waves=mixed), call(y[order], x[order], [], [], in_waves=sorted_)
        assert replace(one, standard_error=0) == replace(two, standard_error=0)
        assert one.standard_error == pytest.approx(two.standard_error, rel=0, abs=0, nan_ok=True)
    assert mixed.only(member).value == pytest.approx(sorted_.only(member[order]).value)
    assert np.unique(np.column_stack([mixed.strata, wave, strata]), axis=0).shape == (5, 3)


def test_one_wave_alone_gives_the_differences_and_ratios_of_a_sample() -> None:
    rng = np.random.default_rng(6)
    first, second = (rng.random((2, 12)) < 0.5).astype(float)
    strata, sizes = np.repeat([0, 1], 6), (60, 40)
    one = waves([(first, strata, sizes)])
    for call, args in ((difference, (first, second)), (ratio, (first * second, second))):
        assert call(*args, strata, sizes) == call(*args, [], [], in_waves=one)


def test_limits_hold_the_value_where_weights_are_uneven() -> None:
    parts = [([1.0, 0, 0, 0, 1, 0], [0, 0, 0, 1, 1, 1], (300, 300)), ([0.0] * 4, [0, 0, 1, 1], (500, 94))]
    both = waves(parts, (0.5, 0.5))
    estimate = both.estimate()
    assert "2 waves" in estimate.method and estimate.low < estimate.value < estimate.high
    free = both.estimate(Interval(bounded=False))
    assert free.low < free.value < free.high and "Satterthwaite" in free.method


def test_one_stratum_whose_labels_differ_does_not_decide_the_width() -> None:
    """Two labels in each of 24 strata, as fine strata have, and a single label of them is wrong."""
    first, second = np.zeros(12), np.zeros(36)
    second[7] = 1
    parts = [
        (first, np.repeat(np.arange(6), 2), [100] * 6),
        (second, np.repeat(np.arange(18), 2), [33] * 12 + [32] * 6),
    ]
    both = waves(parts, (0.25, 0.75))
    assert both.satterthwaite_df == 1
    assert both.estimate().high < 0.2


def test_a_census_in_waves_is_exact() -> None:
    both = waves([([1.0, 0.0], [0, 0], [5]), ([1.0, 1.0, 0.0], [0, 1, 1], [1, 2])], (0.4, 0.6))
    estimate = both.estimate()
    assert (estimate.value, estimate.standard_error) == (0.6, 0.0) and estimate.method.startswith("census")
    right, tells = np.array([0.0, 1, 0, 0, 1]), np.array([1.0, 1, 1, 0, 1])
    known = {
        difference(both.losses, right, [], [], in_waves=both): 0.2,
        ratio(right, tells, [], [], in_waves=both): 0.5,
        ratio(both.losses, np.ones(5), [], [], in_waves=both): 0.6,
    }
    for one, truth in known.items():
        assert one.value == one.low == one.high == pytest.approx(truth) and one.method == estimate.method


def test_a_wave_without_a_variance_has_no_interval() -> None:
    estimate = waves([([1.0, 0, 1], [0, 0, 0], [9]), ([1.0], [0], [6])], (0.3, 0.7)).estimate()
    assert not estimate.has_interval and (estimate.low, estimate.high) == (0.0, 1.0)


@pytest.mark.parametrize(
    "interval", [Interval(), Interval("wald"), Interval(bounded=False)], ids=["tilted", "wald", "t"]
)
def test_many_are_estimated_as_each_is_alone(interval: Interval) -> None:
    """Of strata that are as many with other sizes, fewer strata, scores, a full stratum, a census, a lonely label."""
    given: list[list[tuple[list[float], list[int], list[int]]]] = [
        [([1.0, 0, 0, 1], [0, 0, 1, 1], [30, 30]), ([0.0, 0, 1, 1], [0, 0, 1, 1], [40, 16])],
        [([1.0, 0, 0, 0], [0, 0, 1, 1], [30, 30]), ([1.0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [20, 36])],
        [([1.0, 0, 0, 0], [0, 0, 1, 1], [30, 30]), ([1.0, 0, 0, 1], [0, 0, 1, 1], [54, 2])],
        [([1.0, 0, 0, 1], [0, 0, 1, 1], [30, 30]), ([0.0, 0, 1, 1], [0, 0, 0, 0], [56])],
        [([0.2, 0, 0, 1], [0, 0, 1, 1], [30, 30]), ([0.0, 0, 0.7, 1], [0, 0, 1, 1], [40, 16])],
        [([1.0, 0.0], [0, 0], [5]), ([1.0, 1.0, 0.0], [0, 1, 1], [1, 2])],
        [([1.0, 0, 1], [0, 0, 0], [9]), ([1.0], [0], [6])],
    ]
    many = [waves(parts, (0.3, 0.7)) for parts in given]
    for one, alone in zip(estimates_in_waves(many, interval), [one.estimate(interval) for one in many], strict=True):
        assert replace(one, low=0.0, high=0.0) == replace(alone, low=0.0, high=0.0)
        assert (one.low, one.high) == pytest.approx((alone.low, alone.high), rel=1e-9)


@pytest.mark.parametrize(
    ("parts", "weights", "message"),
    [
        ([], None, "no wave"),
        ([([1.0, 0.0], [0, 0], [9])], (0.5, 0.5), "1 weight"),
        ([([1.0, 0.0], [0, 0], [9])], (0.5,), "sum of 1"),
        ([([1.0, 0.0], [0, 0], [9]), ([1.0, 0.0], [0, 0], [9])], None, "wave 2 hold 9 items, but 7"),
    ],
)
def test_wave_errors(parts: list[Part], weights: tuple[float, ...] | None, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        waves(parts, weights)
