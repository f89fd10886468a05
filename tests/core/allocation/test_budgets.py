"""Budgets to look at: round, ascending, from the strata to the whole pool."""

from __future__ import annotations

import numpy as np
import pytest

from core.allocation import budget_grid, budget_options, default_budget, nearest


@pytest.mark.parametrize(("n_strata", "n_items"), [(1, 1), (1, 2), (5, 14), (5, 3000), (10, 1_000_000)])
def test_budgets_ascend_from_the_strata_to_the_pool(n_strata: int, n_items: int) -> None:
    for budgets in (budget_options(n_strata, n_items), budget_grid(n_strata, n_items).tolist()):
        assert budgets[0] == n_strata and budgets[-1] == n_items
        assert np.all(np.diff(budgets) > 0)


def test_the_slider_s_budgets_are_round() -> None:
    assert budget_options(5, 37) == [5, 6, 7, 8, 10, 15, 20, 25, 30, 37]


def test_the_nearest_of_two_at_one_distance_is_the_smaller() -> None:
    assert nearest([10, 20, 30], 15) == 10
    assert nearest([10, 20, 30], 16) == 20


@pytest.mark.parametrize(
    ("n_strata", "n_items", "budget"),
    # A third of 50 is 16, between the options 15 and 20; of 14 it is 4, below the five strata.
    [(5, 3000, 100), (5, 300, 100), (1, 50, 15), (5, 14, 5), (1, 1, 1), (2, 2, 2)],
)
def test_the_first_budget_is_a_hundred_or_a_third_of_a_small_pool(n_strata: int, n_items: int, budget: int) -> None:
    assert default_budget(n_strata, n_items) == budget
