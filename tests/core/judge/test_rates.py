"""The share that people fail in one class of verdicts: strata with few labels, whole classes, bounds."""

from __future__ import annotations

import math

import pytest

from core.judge.rates import VerdictSample, merged


def test_a_stratum_with_fewer_than_two_labels_joins_its_neighbour() -> None:
    sample = merged([10, 20, 30], [4, 1, 6], [1, 1, 2])
    assert sample == VerdictSample((30, 30), (5, 6), (2, 2))


def test_a_last_stratum_without_labels_joins_the_one_before() -> None:
    assert merged([10, 20], [4, 0], [1, 0]) == VerdictSample((30,), (4,), (1,))


def test_first_strata_without_labels_join_the_ones_behind() -> None:
    assert merged([10, 20, 5], [0, 0, 3], [0, 0, 1]) == VerdictSample((35,), (3,), (1,))


def test_a_stratum_of_one_item_that_is_labelled_is_whole() -> None:
    assert merged([1, 20], [1, 4], [1, 0]) == VerdictSample((1, 20), (1, 4), (1, 0))


def test_a_whole_class_is_known() -> None:
    sample = VerdictSample((8, 4), (8, 4), (2, 1))
    assert sample.limits(1.96) == (0.25, 0.25) and math.isinf(sample.effective)


def test_limits_stay_within_what_the_labels_leave_possible() -> None:
    low, high = VerdictSample((100,), (90,), (9,)).limits(1.96)
    assert 0.09 <= low <= 0.1 <= high <= 0.19
    assert low * 100 == pytest.approx(round(low * 100)) and high * 100 == pytest.approx(round(high * 100))


def test_a_rare_failure_has_the_lower_limit_of_the_poisson_distribution() -> None:
    # n p = 1 of an endless class: the 5 % quantile is −log 0.95.
    sample = VerdictSample((10**9,), (50,), (1,))
    assert sample.spread(1.959964)[0] == pytest.approx(-math.log(0.95) / 50, rel=0.05)


def test_alone_a_class_has_limits_that_every_truth_stays_within() -> None:
    """Against all numbers of fails that a class of 40 may hold: each is outside in at most 2.5 % of samples a side."""
    size, labels = 40, 12
    limits = [VerdictSample((size,), (labels,), (found,)).limits(1.959964) for found in range(labels + 1)]
    for fails in range(size + 1):
        chances = [
            math.comb(fails, found) * math.comb(size - fails, labels - found) / math.comb(size, labels)
            for found in range(labels + 1)
        ]
        above = sum(chance for chance, (low, _) in zip(chances, limits, strict=True) if low > fails / size + 1e-9)
        below = sum(chance for chance, (_, high) in zip(chances, limits, strict=True) if high < fails / size - 1e-9)
        assert max(above, below) <= 0.025


def test_beside_another_class_limits_stay_wilsons() -> None:
    sample = VerdictSample((268,), (68,), (0,))
    assert sample.spread(1.959964)[1] < sample.spread(1.959964, alone=True)[1] == sample.limits(1.959964)[1]
