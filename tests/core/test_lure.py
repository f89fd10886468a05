"""LURE against every possible ordered draw, against hand-derived weights, and on pools of every kind."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import lure
from core.errors import DesignError
from core.lure import estimates, proposal
from tests.core import plain_loops

LOSSES = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
SCORES = np.array([0.0, 0.3, 1.2, 0.3, 2.0, 0.9])
REAL = np.array([0.4, -1.5, 2.2, 0.1, 7.0, 0.0])


def ordered_draws(probability: np.ndarray, count: int) -> Iterator[tuple[tuple[int, ...], list[float], float]]:
    """Every ordered draw without replacement: items, their q_m, and the probability of the whole draw."""
    for items in itertools.permutations(range(probability.size), count):
        q, left = [], 1.0
        for item in items:
            q.append(probability[item] / left)
            left -= probability[item]
        yield items, [min(x, 1.0) for x in q], math.prod(q)


def exact_moments(losses: np.ndarray, probability: np.ndarray, count: int) -> tuple[float, float, float]:
    """Mean, variance and fourth central moment of LURE's estimate, from the whole enumeration."""
    draws = list(ordered_draws(probability, count))
    chance = np.array([p for _, _, p in draws])
    value = np.array([np.mean(weights(q, losses.size) * losses[list(items)]) for items, q, _ in draws])
    mean = float(chance @ value)
    return mean, float(chance @ (value - mean) ** 2), float(chance @ (value - mean) ** 4)


def weights(probabilities: Sequence[float], n_items: int) -> np.ndarray:
    """v_m = 1 + (N−M)/(N−m) (1/((N−m+1) q_m) − 1), 1 for m = N."""
    q = np.asarray(probabilities)
    after = n_items - np.arange(1.0, q.size + 1)
    return 1 + (n_items - q.size) * (1 / ((after + 1) * q) - 1) / np.maximum(after, 1)


def test_reference_vector() -> None:
    """N = 5, q = (.4, .3, .5): the weights one by one, from losses of which one is 1, and the estimate of 1, 0, 1."""
    q, losses = np.array([0.4, 0.3, 0.5]), np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1]], dtype=float)
    values = lure._all_budgets(losses, q, np.ones(3), np.array([3]), 5)[:, 0]
    np.testing.assert_allclose(3 * values[:3], [0.75, 0.888888889, 0.666666667], atol=1e-9)
    assert values[3] == pytest.approx(0.472222222, abs=1e-9)


@pytest.mark.parametrize("losses", [LOSSES, REAL])
@pytest.mark.parametrize("clip", [0.05, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("count", range(1, 7))
def test_every_ordered_draw_proves_the_estimate_unbiased(losses: np.ndarray, clip: float, count: int) -> None:
    mean, _, _ = exact_moments(losses, proposal(SCORES, clip), count)
    assert mean == pytest.approx(losses.mean(), abs=1e-12)


@pytest.mark.parametrize("losses", [LOSSES, REAL])
@pytest.mark.parametrize("clip", [0.1, 0.4])
def test_mean_and_variance_are_those_of_the_enumeration(losses: np.ndarray, clip: float) -> None:
    trials = 40_000
    simulated = estimates(losses, SCORES, range(1, 7), trials, clip, seed=5)
    for count in range(1, 6):
        _, variance, fourth = exact_moments(losses, proposal(SCORES, clip), count)
        squared = (simulated[:, count - 1] - losses.mean()) ** 2
        assert abs(squared.mean() - variance) < 4.5 * math.sqrt((fourth - variance**2) / trials)
        assert abs(simulated[:, count - 1].mean() - losses.mean()) < 4.5 * math.sqrt(variance / trials)


def test_plain_loops_compute_the_same() -> None:
    trials = 3000
    probability = proposal(SCORES, 0.1)
    plain = plain_loops.estimates(LOSSES, probability, [2, 4, 6], trials, seed=1)
    np.testing.assert_allclose(plain[:, 2], LOSSES.mean(), atol=1e-12)
    for column, count in enumerate((2, 4)):
        _, variance, fourth = exact_moments(LOSSES, probability, count)
        squared = (plain[:, column] - LOSSES.mean()) ** 2
        assert abs(squared.mean() - variance) < 4.5 * math.sqrt((fourth - variance**2) / trials)


@pytest.mark.parametrize("way", ["first arrivals", "race of some", "race of all"])
def test_first_arrivals_and_races_draw_in_the_order_of_the_definition(way: str) -> None:
    """Items and places are drawn with the probabilities of the sequential draw; left is what the definition says."""
    probability = proposal(SCORES, 0.1)
    count, rows = {"first arrivals": (2, 30_000), "race of some": (3, 30_000), "race of all": (6, 30_000)}[way]
    order = lure._Order.of(probability, count)
    if way == "first arrivals":
        # Three draws leave many rows short, so that topping up is used.
        parts = 64
        guide = np.searchsorted(order.cumulative, np.arange(parts) / parts, side="right")
        order = lure._Order(probability, order.cumulative, guide, count, 3, rows)
    assert bool(order.draws) == (way == "first arrivals")
    items, left = order.draw(np.random.default_rng(2), rows)
    assert items.shape == left.shape == (rows, count)
    assert all(len(set(row)) == count for row in items[:200].tolist())
    drawn = probability[items]
    np.testing.assert_allclose(left, 1.0 - (np.cumsum(drawn, axis=1) - drawn), atol=1e-12)
    counts = {pair: 0 for pair in itertools.permutations(range(6), 2)}
    for first, second in items[:, :2].tolist():
        counts[first, second] += 1
    for pair, _, chance in ordered_draws(probability, 2):
        assert abs(counts[pair] / rows - chance) < 4.5 * math.sqrt(chance * (1 - chance) / rows)


def test_a_large_pool_is_drawn_by_first_arrivals_without_repetition() -> None:
    rng = np.random.default_rng(0)
    probability = proposal(rng.gamma(0.3, size=3000))
    order = lure._Order.of(probability, 200)
    assert 200 <= order.draws <= 750
    items, left = order.draw(rng, 40)
    assert all(len(set(row)) == 200 for row in items.tolist())
    assert np.all(np.diff(left, axis=1) < 0) and np.all(left[:, 0] == 1) and np.all(left > 0)


@pytest.mark.parametrize("losses", [LOSSES, REAL, 1e9 + REAL])
def test_with_every_item_drawn_the_estimate_is_the_mean(losses: np.ndarray) -> None:
    values = estimates(losses, SCORES, [6], 50)
    np.testing.assert_allclose(values, losses.mean(), rtol=1e-12, atol=1e-12)


def test_with_every_item_of_a_large_pool_drawn_the_estimate_is_the_mean() -> None:
    rng = np.random.default_rng(1)
    losses = rng.normal(size=5000)
    values = estimates(losses, rng.gamma(0.2, size=5000), [5000, 4999, 10], 20, clip=1e-3)
    np.testing.assert_allclose(values[:, 0], losses.mean(), atol=1e-12)
    assert np.all(np.abs(values[:, 1] - losses.mean()) < 0.1)


def test_all_budgets_come_from_the_same_draws() -> None:
    rng = np.random.default_rng(3)
    losses, scores = rng.random(400), rng.random(400)
    together = estimates(losses, scores, [50, 5, 20], 30)
    np.testing.assert_array_equal(together[:, 1], estimates(losses, scores, [5, 50], 30)[:, 0])


@given(
    st.integers(2, 40).flatmap(
        lambda n: st.tuples(
            st.lists(st.floats(-5, 5), min_size=n, max_size=n),
            st.lists(st.floats(0, 10), min_size=n, max_size=n),
            st.integers(1, n),
        )
    ),
    st.floats(0.01, 1.0),
)
def test_estimates_are_the_weighted_means_of_the_definition(
    pool: tuple[list[float], list[float], int], clip: float
) -> None:
    losses, scores, count = np.array(pool[0]), np.array(pool[1]), pool[2]
    probability = proposal(scores, clip)
    order = lure._Order.of(probability, count)
    items, left = order.draw(np.random.default_rng(0), 5)
    expected = [
        np.mean(weights(np.minimum(probability[row] / rest, 1.0), losses.size) * losses[row])
        for row, rest in zip(items, left, strict=True)
    ]
    values = lure._all_budgets(losses[items], probability[items], left, np.array([count]), losses.size)[:, 0]
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)


def test_equal_scores_are_uniform_sampling() -> None:
    rng = np.random.default_rng(4)
    losses = (rng.random(500) < 0.3).astype(float)
    np.testing.assert_allclose(proposal(np.full(500, 0.7)), 1 / 500)
    values = estimates(losses, np.full(500, 0.7), [60], 4000)[:, 0]
    np.testing.assert_allclose(values * 60, np.rint(values * 60), atol=1e-9)
    exact = (1 - 60 / 500) * losses.var(ddof=1) / 60
    assert abs(values.var() / exact - 1) < 4.5 * math.sqrt(2 / 4000)


def test_proposal_mixes_with_uniform_and_never_falls_below_its_share() -> None:
    p = proposal([0.0, 1.0, 3.0], 0.1)
    np.testing.assert_allclose(p, [0.1 / 3, 0.9 / 4 + 0.1 / 3, 0.9 * 3 / 4 + 0.1 / 3])
    np.testing.assert_allclose(proposal([0.0, 1.0, 3.0], 1.0), 1 / 3)
    np.testing.assert_allclose(proposal([0.0, 0.0]), 0.5)
    np.testing.assert_allclose(proposal([1e-300, 3e-300], 0.0), [0.25, 0.75])
    np.testing.assert_allclose(proposal([1e300, 3e300], 0.0), [0.25, 0.75])


def test_an_item_without_a_score_counts_as_the_largest() -> None:
    np.testing.assert_array_equal(proposal([0.5, np.nan, 2.0]), proposal([0.5, 2.0, 2.0]))
    np.testing.assert_allclose(proposal([np.nan, np.nan]), 0.5)


def test_equal_seeds_give_equal_estimates_and_others_do_not() -> None:
    first = estimates(LOSSES, SCORES, [2, 4], 100, seed=1)
    np.testing.assert_array_equal(first, estimates(LOSSES, SCORES, [2, 4], 100, seed=1))
    assert np.any(first != estimates(LOSSES, SCORES, [2, 4], 100, seed=2))


def test_progress_ends_at_one() -> None:
    shares: list[float] = []
    estimates(np.zeros(2000), np.ones(2000), [2000], 400, progress=shares.append)
    assert len(shares) > 1 and shares == sorted(shares) and shares[-1] == 1


def test_nothing_asked_nothing_drawn() -> None:
    assert estimates(LOSSES, SCORES, [], 7).shape == (7, 0)
    assert estimates([0.25], [0.0], [1], 3).tolist() == [[0.25]] * 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": [-1.0] + [1.0] * 5}, "score of item 0 is -1"),
        ({"scores": [np.inf] + [1.0] * 5}, "score of item 0 is inf"),
        ({"scores": [1.0] * 5}, "6 losses for 5 scores"),
        ({"scores": []}, "no items"),
        ({"losses": [np.nan] + [1.0] * 5}, "1 of 6 losses are unknown"),
        ({"budgets": [0]}, "budget of 0 is outside 1 … 6"),
        ({"budgets": [3, 7]}, "budget of 7 is outside 1 … 6"),
        ({"budgets": [2.5]}, "whole number"),
        ({"clip": 0.0}, "1 items have a score of 0"),
        ({"clip": 1.5}, "clip is 1.5"),
        ({"clip": math.nan}, "clip is nan"),
        ({"trials": 0}, "trials is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"losses": LOSSES, "scores": SCORES, "budgets": [3]} | change
    with pytest.raises(DesignError, match=message):
        estimates(**arguments)  # type: ignore[arg-type]
