"""What to label first where strata have no label: never an item that no one will label."""

from __future__ import annotations

from core import labels
from core.design import Plan
from core.pool import Pool
from core.report import Labelled
from core.report.partial import partial
from core.stratification import Profile
from tests.core.report.conftest import members


def test_a_replacement_that_is_lost_itself_is_not_asked_for(pool: Pool, plan: Plan, seen: Profile) -> None:
    """All of the last stratum's items are lost, then the first of their replacements, then every other one."""
    member = members(plan, seen)
    last = plan.strata.n_strata - 1
    ids = pool.items.index.to_numpy(dtype=object)
    lost = [str(i) for i in plan.ids[plan.items["stratum"].to_numpy() == last]]
    spare = labels.replacements(plan, lost)
    offered = spare.loc[spare["stratum"] == last, "item_id"].astype(str).tolist()
    assert len(offered) >= 5
    places = plan.positions[member[plan.positions] != last]
    labelled = Labelled([str(ids[place]) for place in places], places, pool.losses("model")[places])
    for gone in (offered[:1], offered[::2]):
        found = partial(plan, labelled, member, spare, [*lost, *gone])
        assert found is not None and found.empty == (last,)
        assert found.first["item_id"].tolist() == [item for item in offered if item not in gone][:2]
