"""Beliefs: the probabilities have the accuracy and the AUROC that are believed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DesignError
from core.prospect.prior import Range, belief, expected_auroc, risks


def pairs_auroc(signal: np.ndarray, items: np.ndarray, p: np.ndarray) -> float:
    """Every pair of levels, one failed and one passed, ties half."""
    larger = (signal[:, None] > signal[None, :]) + 0.5 * (signal[:, None] == signal[None, :])
    weight = (items * p)[:, None] * (items * (1 - p))[None, :]
    return float((larger * weight).sum() / weight.sum())


@given(
    st.lists(st.integers(1, 50), min_size=3, max_size=30),
    st.floats(0.05, 0.95),
    st.sampled_from([0.5, 0.56, 0.65, 0.7]),
)
def test_probabilities_have_the_believed_accuracy_and_auroc(counts: list[int], accuracy: float, auroc: float) -> None:
    signal, items = np.arange(len(counts), dtype=float) ** 1.5, np.array(counts, dtype=float)
    p = risks(signal, items, accuracy, auroc)
    steepest = risks(signal, items, accuracy, 0.9999)
    assert np.average(p, weights=items) == pytest.approx(1 - accuracy, abs=1e-9)
    assert np.all(np.diff(p) >= 0)
    reachable = min(auroc, expected_auroc(steepest, items))
    assert pairs_auroc(signal, items, p) == pytest.approx(reachable, abs=1e-6)
    assert expected_auroc(p, items) == pytest.approx(pairs_auroc(signal, items, p), abs=1e-12)


def test_ties_limit_the_auroc() -> None:
    # Half of the items at either level, half fail: at best all of the upper ones, AUROC 1; with a tie of all, 1/2.
    two = risks(np.array([0.0, 1.0]), np.array([50.0, 50.0]), 0.5, 0.9)
    one = risks(np.array([3.0]), np.array([100.0]), 0.7, 0.9)
    assert expected_auroc(two, np.array([50.0, 50.0])) == pytest.approx(0.9)
    assert one.tolist() == pytest.approx([0.3])
    # 90 items below and 10 above, 30 fail: all of the upper ones at best.
    items = np.array([90.0, 10.0])
    limit = risks(np.array([0.0, 1.0]), items, 0.7, 0.99)
    assert limit[1] == pytest.approx(1.0, abs=1e-6)
    assert expected_auroc(limit, items) < 0.7


@pytest.mark.parametrize("accuracy", [0.0, 1.0])
def test_a_target_that_is_always_right_or_wrong_has_one_probability(accuracy: float) -> None:
    assert set(risks(np.arange(5.0), np.ones(5), accuracy, 0.8).tolist()) == {1 - accuracy}


def test_a_number_has_a_range_and_a_word_an_auroc() -> None:
    one = belief(0.8, "strong")
    assert one.accuracy == Range(pytest.approx(0.75), 0.8, pytest.approx(0.85))
    assert one.auroc == Range(pytest.approx(0.65), 0.75, pytest.approx(0.85))
    assert belief((0.7, 0.8)).accuracy == Range(0.7, pytest.approx(0.75), 0.8)
    assert belief(0.98).accuracy.high == 1.0
    assert belief(0.5, 0.5).auroc.low == 0.5


def test_an_accuracy_of_one_half_is_an_extreme_where_it_is_believed_possible() -> None:
    assert 0.5 in {accuracy for accuracy, _ in belief((0.4, 0.7)).extremes}
    assert 0.5 not in {accuracy for accuracy, _ in belief((0.6, 0.7)).extremes}
    assert len(belief((0.6, 0.7)).extremes) == 4


@pytest.mark.parametrize(
    ("accuracy", "auroc"),
    [(1.2, 0.65), (-0.1, 0.65), ((0.8, 0.7), 0.65), (0.8, 0.3), (0.8, 1.0), (0.8, "splendid"), (float("nan"), 0.65)],
)
def test_beliefs_out_of_range_are_refused(accuracy: float, auroc: float) -> None:
    with pytest.raises(DesignError):
        belief(accuracy, auroc)
