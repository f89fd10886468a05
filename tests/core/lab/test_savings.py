"""Savings are the fewest labels, on both sides."""

from __future__ import annotations

import numpy as np
import pytest

from core.allocation.ways import method_allocations
from core.design import Scheme
from core.lab.ladder import recommended, savings
from core.prospect import Prospect
from core.simulation.exact import stratified_mse, uniform_mse
from tests.core.lab.conftest import outcome_of

BUDGETS = (7, 40, 150, 290)


@pytest.mark.parametrize("kind", ["binary", "real"])
@pytest.mark.parametrize("offset", [0.0, 0.75])
def test_one_label_fewer_would_not_do(request, kind, offset):
    outcome = outcome_of(request.getfixturevalue(kind))
    strata = outcome.profile.stratify()
    moments = outcome.moments.merge(strata.of_level)

    def error(method: str, budget: int) -> float:
        whole = moments.pooled() if method == "uniform" else moments
        return float(
            stratified_mse(whole, method_allocations(moments, strata.consistency, method, [budget], offset))[0]
        )

    table = savings(outcome, BUDGETS, Scheme(offset=offset))
    for row in table.itertuples():
        goal = error("uniform", row.budget) * (1 + 1e-9)
        assert error(row.method, row.needs) <= goal
        assert row.needs == 5 or error(row.method, row.needs - 1) > goal * (1 - 2e-9)
        reached = error(row.method, row.budget) * (1 + 1e-9)
        assert error("uniform", row.uniform_needs) <= reached
        assert row.uniform_needs == 1 or error("uniform", row.uniform_needs - 1) > reached * (1 - 2e-9)
    np.testing.assert_array_equal(table["saved"], table["budget"] - table["needs"])
    np.testing.assert_allclose(table["fraction"], table["saved"] / table["budget"])


def test_with_every_item_labelled_nothing_is_saved(binary):
    table = savings(outcome_of(binary), [400])
    assert set(table["needs"]) == {400} and set(table["uniform_needs"]) == {400}


def test_the_recommended_design_needs_no_label_fewer(binary):
    losses, known = binary.losses("model"), outcome_of(binary)
    rows = recommended(Prospect(binary, "model"), known, (20, 60, 150))
    for budget, needs, uniform in rows[["budget", "needs", "uniform_needs"]].itertuples(index=False):
        goal = uniform_mse(losses, budget)
        at = Prospect(binary, "model").exact_curve([needs, needs - 1], ["recommended"])["mse"]
        assert at[0] <= goal * (1 + 1e-9) < at[1]
        error = Prospect(binary, "model").exact_curve([budget], ["recommended"])["mse"][0]
        assert uniform_mse(losses, uniform) <= error * (1 + 1e-9) < uniform_mse(losses, uniform - 1)
    assert (rows["saved"] == rows["budget"] - rows["needs"]).all()
