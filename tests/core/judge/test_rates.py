"""The share that people fail in one class of verdicts: strata with few labels, whole classes, bounds."""

from __future__ import annotations

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
    assert sample.whole and sample.rate == 0.25 and sample.variance == 0
