"""Whole-number allocations: reference vectors, the plain greedy algorithm, and the optimum over all allocations."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.allocation import (
    allocate,
    allocate_many,
    bernoulli_proxy,
    equal,
    label_order,
    neyman,
    power,
    proportional,
    proxy_neyman,
)
from core.errors import DesignError
from tests.core.brute_force import allocations, greedy, objective

PAPER_SIZES = (1400, 400, 400, 400, 400)
SMALL_SIZES = (12, 47, 46, 47, 46)
CONSISTENCY = (1.0, 0.88, 0.74, 0.60, 0.45)
NO_BOUND = (10**6,) * 4


@pytest.mark.parametrize(
    ("budget", "labels"),
    [
        (5, (1, 1, 1, 1, 1)),
        (6, (2, 1, 1, 1, 1)),
        (7, (3, 1, 1, 1, 1)),
        (10, (3, 1, 2, 2, 2)),
        (22, (8, 3, 3, 4, 4)),
        (50, (18, 7, 8, 8, 9)),
        (70, (25, 10, 11, 12, 12)),
        (100, (35, 15, 16, 17, 17)),
        (200, (71, 29, 32, 34, 34)),
        (400, (142, 58, 65, 67, 68)),
        (800, (285, 117, 129, 134, 135)),
        (2900, (1300, 400, 400, 400, 400)),
        (3000, PAPER_SIZES),
    ],
)
def test_the_papers_rule(budget: int, labels: tuple[int, ...]) -> None:
    assert tuple(allocate(proxy_neyman(PAPER_SIZES, CONSISTENCY, 0.75), PAPER_SIZES, budget)) == labels


def test_rounding_the_largest_remainders_is_not_optimal() -> None:
    weights = proxy_neyman(PAPER_SIZES, CONSISTENCY, 0.75)
    assert objective(weights, (35, 15, 16, 17, 17)) == pytest.approx(87070.4, abs=0.05)
    assert objective(weights, (36, 14, 16, 17, 17)) == pytest.approx(87075.8, abs=0.05)


@pytest.mark.parametrize(
    ("budget", "labels"),
    [
        (5, (1, 1, 1, 1, 1)),
        (22, (1, 5, 5, 6, 5)),
        (30, (1, 7, 7, 8, 7)),
        (70, (3, 15, 17, 18, 17)),
        (150, (6, 33, 36, 38, 37)),
        (190, (8, 43, 46, 47, 46)),
        (198, SMALL_SIZES),
    ],
)
def test_the_papers_rule_on_a_small_pool(budget: int, labels: tuple[int, ...]) -> None:
    assert tuple(allocate(proxy_neyman(SMALL_SIZES, CONSISTENCY, 0.75), SMALL_SIZES, budget)) == labels


@pytest.mark.parametrize(
    ("budget", "labels"),
    [
        (10, (1, 3, 2, 2, 2)),
        (20, (2, 5, 5, 4, 4)),
        (40, (4, 9, 9, 9, 9)),
        (60, (20, 10, 10, 10, 10)),
        (130, (90, 10, 10, 10, 10)),
    ],
)
def test_the_oracle_stops_at_full_strata(budget: int, labels: tuple[int, ...]) -> None:
    sizes = (100, 10, 10, 10, 10)
    assert tuple(allocate(neyman(sizes, (0.02, 0.5, 0.49, 0.48, 0.45)), sizes, budget)) == labels


@pytest.mark.parametrize(
    ("sizes", "budget", "labels"),
    [
        (NO_BOUND, 896, (192, 256, 320, 128)),
        (NO_BOUND, 490, (105, 140, 175, 70)),
        ((300, 400, 200, 90), 490, (105, 140, 175, 70)),
        ((300, 400, 200, 10**6), 5000, (300, 400, 200, 4100)),
        ((300, 400, 200, 90), 596, (132, 176, 200, 88)),
        ((300, 400, 200, 90), 976, (294, 392, 200, 90)),
        ((300, 400, 200, 90), 990, (300, 400, 200, 90)),
    ],
)
def test_stratallos_own_tests_where_lower_bounds_do_not_bind(
    sizes: tuple[int, ...], budget: int, labels: tuple[int, ...]
) -> None:
    assert tuple(allocate((3000, 4000, 5000, 2000), sizes, budget)) == labels


def test_stratallos_readme() -> None:
    weights = neyman((3000, 4000, 5000, 2000), (48, 79, 76, 16))
    labels = allocate(weights, (300, 400, 800, 90), 1284)
    assert labels.tolist() == [229, 400, 604, 51]
    correction = 3000 * 48**2 + 4000 * 79**2 + 5000 * 76**2 + 2000 * 16**2
    assert objective(weights, labels) - correction == pytest.approx(538073497.395, abs=5e-4)


@st.composite
def problems(draw: st.DrawFn, most: int = 60, strata: int = 7) -> tuple[list[float], list[int], int]:
    """Weights (zeros, ties, and ranges of many orders of magnitude among them), sizes, and a budget."""
    sizes = draw(st.lists(st.integers(1, most), min_size=1, max_size=strata))
    weight = st.one_of(
        st.sampled_from([0.0, 1.0, 1.0, 2.0, math.sqrt(2), math.sqrt(6), 3.0]),
        st.floats(0.001, 10),
        st.floats(1e-90, 1e90),
    )
    weights = draw(st.lists(weight, min_size=len(sizes), max_size=len(sizes)))
    return weights, sizes, draw(st.integers(len(sizes), sum(sizes)))


@given(problems())
def test_equal_to_the_plain_greedy_algorithm(problem: tuple[list[float], list[int], int]) -> None:
    weights, sizes, budget = problem
    assert allocate(weights, sizes, budget).tolist() == greedy(weights, sizes, budget)


@given(st.lists(st.tuples(st.floats(0.01, 100), st.integers(1, 10**6)), min_size=1, max_size=9), st.data())
def test_large_strata_leave_nothing_to_gain_from_moving_a_label(
    strata: list[tuple[float, int]], data: st.DataObject
) -> None:
    """The optimality condition of a separable convex problem: the least gain taken is no less than the best refused."""
    weights, sizes = np.array([w for w, _ in strata]), np.array([n for _, n in strata])
    budget = data.draw(st.integers(sizes.size, int(sizes.sum())))
    labels = allocate(weights, sizes, budget)
    assert labels.sum() == budget
    assert np.all((labels >= 1) & (labels <= sizes))
    taken = [w / math.sqrt(m * (m - 1)) for w, m in zip(weights, labels.tolist(), strict=True) if m > 1]
    refused = [
        w / math.sqrt(m * (m + 1)) for w, m, n in zip(weights, labels.tolist(), sizes.tolist(), strict=True) if m < n
    ]
    if taken and refused:
        assert min(taken) >= max(refused) * (1 - 1e-12)


@given(problems(most=6, strata=4).filter(lambda p: max(p[0]) < 1e100 and min(p[0]) > 1e-100))
def test_no_allocation_is_better(problem: tuple[list[float], list[int], int]) -> None:
    weights, sizes, budget = problem
    best = min(objective(weights, labels) for labels in allocations(sizes, budget))
    assert objective(weights, allocate(weights, sizes, budget)) == pytest.approx(best, rel=1e-12)


@given(problems(most=12))
def test_larger_budgets_only_add_labels(problem: tuple[list[float], list[int], int]) -> None:
    weights, sizes, _ = problem
    budgets = np.arange(len(sizes), sum(sizes) + 1)
    every = allocate_many(weights, sizes, budgets)
    np.testing.assert_array_equal(every.sum(axis=1), budgets)
    assert np.all(np.diff(every, axis=0) >= 0)
    assert np.all((every >= 1) & (every <= sizes))


@given(problems(most=25))
def test_the_order_of_labels_is_an_allocation_wherever_it_is_cut(problem: tuple[list[float], list[int], int]) -> None:
    weights, sizes, budget = problem
    order = label_order(weights, allocate(weights, sizes, budget))
    assert order.size == budget
    for cut in range(len(sizes), budget + 1):
        head = np.bincount(order[:cut], minlength=len(sizes))
        np.testing.assert_array_equal(head, allocate(weights, sizes, cut))


@given(problems(), st.randoms(use_true_random=False))
def test_several_budgets_at_once_in_any_order(problem: tuple[list[float], list[int], int], random: object) -> None:
    weights, sizes, _ = problem
    budgets = sorted({*np.linspace(len(sizes), sum(sizes), 6).astype(int).tolist()})
    random.shuffle(budgets)  # type: ignore[attr-defined]
    each = [allocate(weights, sizes, budget) for budget in budgets]
    np.testing.assert_array_equal(allocate_many(weights, sizes, budgets), each)


@given(problems(), st.integers(-40, 40))
def test_only_the_ratios_of_weights_matter(problem: tuple[list[float], list[int], int], exponent: int) -> None:
    weights, sizes, budget = problem
    scaled = [w * 2.0**exponent for w in weights]
    if all(1e-290 < w < 1e290 or w == 0 for w in scaled):
        np.testing.assert_array_equal(allocate(scaled, sizes, budget), allocate(weights, sizes, budget))


def test_strata_of_weight_zero_wait_until_all_others_are_full() -> None:
    assert allocate((0.0, 1.0, 0.0), (5, 3, 5), 5).tolist() == [1, 3, 1]
    assert allocate((0.0, 1.0, 0.0), (5, 3, 5), 8).tolist() == [4, 3, 1]
    assert allocate((0.0, 0.0), (5, 3), 7).tolist() == [5, 2]


@pytest.mark.parametrize(
    ("weights", "labels"),
    [
        ((1e-90, 1.0, 1e90), [5, 10, 10]),
        ((1e-300, 1.0, 2.0), [5, 10, 10]),
        ((5e-324, 1e-310, 1e-315), [5, 10, 10]),
        ((1e-300, 1.0, 1e300), [10, 5, 10]),
    ],
)
def test_weights_of_any_range_cause_no_overflow(weights: tuple[float, ...], labels: list[int]) -> None:
    assert allocate(weights, (10, 10, 10), 25).tolist() == labels


def test_no_budget_at_all_is_no_row() -> None:
    assert allocate_many((1.0, 2.0), (4, 4), []).shape == (0, 2)


def test_a_million_items_and_many_strata_add_up() -> None:
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 40_000, 50)
    weights = rng.gamma(1.0, 1.0, 50) * sizes
    budgets = np.unique(np.geomspace(50, sizes.sum(), 30).astype(int))
    labels = allocate_many(weights, sizes, budgets)
    np.testing.assert_array_equal(labels.sum(axis=1), budgets)
    assert labels[3].tolist() == greedy(weights.tolist(), sizes.tolist(), int(budgets[3]))


def test_weights_of_the_rules() -> None:
    sizes = (1400, 400, 200)
    assert equal(sizes).tolist() == [1, 1, 1]
    np.testing.assert_allclose(proportional(sizes), [0.7, 0.2, 0.1])
    np.testing.assert_allclose(power(sizes), np.sqrt(sizes))
    np.testing.assert_allclose(proxy_neyman(sizes, (1.0, 0.5, 0.8), 0.75), [1050, 500, 230])
    np.testing.assert_allclose(bernoulli_proxy((1.0, 0.5, 0.8), 0.0), [0, 0.5, 0.4])
    np.testing.assert_allclose(neyman(sizes, (0.1, 0.2, 0.3)), [140, 80, 60])


@pytest.mark.parametrize(
    ("weights", "sizes", "budget", "message"),
    [
        ((1, 1, 1), (5, 5, 5), 2, "budget of 2 is too small for 3 strata: the smallest possible budget is 3"),
        ((1, 1, 1), (5, 5, 5), 16, "budget of 16 is more than the 15 items"),
        ((1, 1), (5, 0), 3, "Stratum 1 is empty"),
        ((1, -2.0), (5, 5), 3, "weight of stratum 1 is -2.0"),
        ((math.nan, 1), (5, 5), 3, "weight of stratum 0 is nan"),
        ((1, math.inf), (5, 5), 3, "weight of stratum 1 is inf"),
        ((1, 1), (5, 5, 5), 3, "one weight and one size for each stratum"),
        ((), (), 0, "one weight and one size for each stratum"),
        ((1, 1), (5, 5), 3.5, "whole number of labels"),
        ((1, 1), (5, 5), math.nan, "whole number of labels"),
        ((1, 1), (5, 5), math.inf, "whole number of labels"),
        ((1, 1), (5, 5), 10**30, "more than the 10 items"),
    ],
)
def test_errors_say_what_is_possible(
    weights: Sequence[float], sizes: Sequence[int], budget: float, message: str
) -> None:
    with pytest.raises(DesignError, match=message):
        allocate(weights, sizes, budget)  # type: ignore[arg-type]


@pytest.mark.parametrize("offset", [-0.1, math.nan, math.inf])
def test_the_offset_must_be_a_number_of_at_least_zero(offset: float) -> None:
    with pytest.raises(DesignError, match="at least 0"):
        proxy_neyman((5, 5), (0.5, 0.5), offset)


@pytest.mark.parametrize("bad", [-0.01, 1.01, math.nan])
def test_consistencies_are_shares(bad: float) -> None:
    with pytest.raises(DesignError, match="between 0 and 1"):
        proxy_neyman((5, 5), (0.5, bad))
