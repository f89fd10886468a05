"""A loss of NaN among the drawn items is an error; items that have no loss yet are left out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.design import Design, Plan
from core.errors import DesignError
from core.pool import Pool

N = 60


@pytest.fixture(scope="module")
def plan() -> Plan:
    rows = [{"id": f"q{n}", "generations": list("AABC")[: 1 + n % 4] + ["A"] * (3 - n % 4)} for n in range(N)]
    return Design(20, n_strata=2, seed=1).draw(Pool.from_records(rows, "a pool"))


def given(plan: Plan, form: str, unknown: list[int]) -> Any:
    """Losses in which those of some drawn items, by their place in the list, are NaN."""
    losses = np.arange(N) % 3 / 2
    losses[plan.positions[unknown]] = math.nan
    series = pd.Series(losses, index=[f"q{n}" for n in range(N)])
    listed = series[[str(item) for item in plan.ids]]
    forms = {
        "array": losses,
        "list": losses.tolist(),
        "Series of all": series,
        "Series of the list": listed,
        "mapping": listed.to_dict(),
        "mapping with None": {item: None if math.isnan(loss) else loss for item, loss in listed.items()},
        "missing values": listed.astype("Float64"),
    }
    return forms[form]


FORMS = ("array", "list", "Series of all", "Series of the list", "mapping", "mapping with None", "missing values")


@pytest.mark.parametrize("unknown", [[0], [3, 7, 19]], ids=["one", "several"])
@pytest.mark.parametrize("form", FORMS)
def test_every_drawn_item_with_a_loss_of_nan_is_named(plan: Plan, form: str, unknown: list[int]) -> None:
    named = ", ".join(str(plan.ids[place]) for place in unknown)
    with pytest.raises(DesignError, match=f"a loss of NaN: {named}[.] Give"):
        plan.estimate(given(plan, form, unknown))
    assert plan.estimate(given(plan, form, [])).n_labels == 20


@pytest.mark.parametrize("form", ["Series of the list", "mapping"])
def test_an_item_that_is_not_there_has_no_label_yet(plan: Plan, form: str) -> None:
    losses = given(plan, form, [])
    for item in plan.ids[15:]:
        del losses[str(item)]
    assert plan.estimate(losses).n_labels == 15


def test_a_loss_of_nan_outside_the_list_does_not_matter(plan: Plan) -> None:
    losses = np.arange(N) % 3 / 2
    losses[np.setdiff1d(np.arange(N), plan.positions)] = math.nan
    assert plan.estimate(losses).n_labels == 20
