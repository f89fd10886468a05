"""Strata without a label: no estimate of the pool, but what is missing, what comes first, and what is known."""

from __future__ import annotations

import numpy as np
import pytest

from core import labels
from core.design import Plan
from core.estimation import Interval, stratified
from core.pool import Pool
from core.report import Labelled
from core.report.partial import Partial, headline, partial, reason, statement
from core.stratification import Profile
from core.words import SPACE
from tests.core.report.conftest import members


def made(pool: Pool, plan: Plan, seen: Profile, keep: list[int], **more: object) -> Partial | None:
    """The labels of these strata alone."""
    own = members(plan, seen)[plan.positions]
    places = plan.positions[np.isin(own, keep)]
    ids = [str(pool.items.index[place]) for place in places]
    return partial(plan, Labelled(ids, places, pool.losses("model")[places]), members(plan, seen), **more)


def test_with_a_label_in_every_stratum_there_is_nothing_to_say(pool: Pool, plan: Plan, seen: Profile) -> None:
    assert made(pool, plan, seen, list(range(plan.strata.n_strata))) is None


def test_the_labelled_strata_are_estimated_as_a_population_of_their_own(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen, [0, 2, 4], target="model")
    assert found is not None and found.empty == (1, 3)
    member = members(plan, seen)
    own = member[plan.positions]
    places = plan.positions[np.isin(own, [0, 2, 4])]
    strata = np.searchsorted([0, 2, 4], member[places])
    wanted = stratified(1 - pool.losses("model")[places], strata, plan.strata.sizes[[0, 2, 4]])
    assert found.estimate == wanted
    assert found.known == pytest.approx(plan.strata.sizes[[0, 2, 4]].sum() / 500)
    assert headline(found).startswith("Strata 1 and 3 have no label yet")
    assert f"{100 * (1 - found.known):.1f} % of the pool" in reason(found).replace(SPACE, " ")
    assert "“model”" in statement(found) and statement(found).endswith("This is no estimate of the whole pool.")


def test_the_first_items_are_the_plans_own_in_its_order(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen, [0, 1, 2])
    order = plan.items["stratum"].to_numpy()
    for h in (3, 4):
        mine = found.first.loc[found.first["stratum"] == h, "item_id"].tolist()
        assert mine == [str(i) for i in plan.ids[order == h][:2]]
    assert headline(found).startswith("Strata 3 and 4 have no label")


def test_lost_items_give_way_to_their_replacements(pool: Pool, plan: Plan, seen: Profile) -> None:
    lost = [str(i) for i in plan.ids[plan.items["stratum"].to_numpy() == 4]]
    spare = labels.replacements(plan, lost)
    found = made(pool, plan, seen, [0, 1, 2, 3], spare=spare, lost=lost)
    assert found.first["item_id"].tolist() == spare["item_id"].tolist()[:2]
    assert headline(found).startswith("Stratum 4 has no label yet")


def test_without_any_label_nothing_is_stated(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen, [], measure="loss", interval=Interval(bounded=False))
    assert found.estimate is None and statement(found) == "" and found.known == 0
    assert len(found.empty) == plan.strata.n_strata


def test_too_few_labels_for_an_interval(pool: Pool, plan: Plan, seen: Profile) -> None:
    place = plan.positions[:1]
    found = partial(plan, Labelled(["a"], place, np.zeros(1)), members(plan, seen))
    assert "1 label came back: too few for a statement" in statement(found)
