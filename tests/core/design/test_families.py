"""Which plans share their labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.archive import Archive
from core.design import Design, Plan, Scheme, families, family, first_plan_id, manifest
from core.pool import Pool
from tests.core.design.test_design import classes_of, design, pool_of
from tests.core.design.test_manifest import first_format

NOON = "2026-11-20T12:00:00+00:00"
THREE = Scheme(n_strata=3)
POOL, OTHER_ITEMS = pool_of(), pool_of(prompt="Another question?")
RICHER, REGENERATED = pool_of(target="another"), pool_of(classes=classes_of(seed=1))


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    archive = Archive(tmp_path)
    for pool in (POOL, OTHER_ITEMS, RICHER, REGENERATED):
        archive.pools.save(pool, NOON)
    return archive


def keep(archive: Archive, plan: Plan) -> str:
    assert plan.pool is not None
    archive.plans.save(
        plan.plan_id, manifest.write(plan, "pool"), plan.pool.digest, NOON, plan.items_digest, plan.stratum
    )
    return plan.plan_id


def keep_first_format(archive: Archive, pool: Pool, drawn: Design) -> str:
    """A plan as the first version kept it."""
    text = first_format(pool, drawn)
    archive.plans.save(json.loads(text)["plan_id"], text, pool.digest, NOON)
    return first_plan_id(pool.digest, drawn)


def relatives(archive: Archive, plan: Plan) -> set[str]:
    """Kept relatives of a plan."""
    name, *others = family(plan, archive.plans.table())
    assert name == plan.plan_id and others == sorted(others)
    return set(others) & set(archive.plans.table()["plan_id"])


def test_plans_that_differ_in_the_budget_alone_share_their_labels(archive: Archive) -> None:
    plans = [Design(budget, THREE, 0).draw(POOL) for budget in (8, 12, 20)]
    first, *others = [keep(archive, plan) for plan in plans]
    keep(archive, Design(12, THREE, 1).draw(POOL))
    keep(archive, design(12, n_strata=4).draw(POOL))
    keep(archive, Design(8, THREE, 0).draw(OTHER_ITEMS))
    assert relatives(archive, plans[0]) == set(others)
    manifests = [manifest.read(text) for text in archive.plans.table(POOL.items_digest)["manifest"]]
    assert set(families(manifests)[first]) == {first, *others} and families(manifests)[first][0] == first
    assert sorted(map(len, families(manifests).values())) == [1, 1, 3, 3, 3]


def test_a_plan_that_is_not_kept_has_relatives_too(archive: Archive) -> None:
    plan = Design(10, THREE, 0).draw(POOL)
    assert relatives(archive, plan) == set()
    other = keep(archive, Design(8, THREE, 0).draw(POOL))
    assert relatives(archive, plan) == {other}


def test_lists_handed_out_under_the_first_formats_name_come_back_to_the_plan(archive: Archive) -> None:
    drawn = Design(10, THREE, 0)
    assert family(drawn.draw(POOL), archive.plans.table())[1:] == (first_plan_id(POOL.digest, drawn),)


def test_plans_of_the_first_format_are_relatives_of_todays(archive: Archive) -> None:
    names = {keep_first_format(archive, POOL, Design(budget, THREE, 0)) for budget in (8, 12)}
    keep_first_format(archive, POOL, Design(12, THREE, 1))
    plan = Design(12, THREE, 0).draw(POOL)
    assert relatives(archive, plan) == names
    today = keep(archive, plan)
    manifests = [manifest.read(text) for text in archive.plans.table(POOL.items_digest)["manifest"]]
    assert all(set(families(manifests)[name]) == {*names, today} for name in (*names, today))


@pytest.mark.parametrize("first", [False, True])
def test_labels_stay_when_the_pool_gets_a_target(archive: Archive, first: bool) -> None:
    drawn = Design(8, THREE, 0)
    name = keep_first_format(archive, POOL, drawn) if first else keep(archive, drawn.draw(POOL))
    archive.labels.save(name, pd.DataFrame({"item_id": ["item 1"], "label": ["right"]}), NOON)
    plan = drawn.draw(RICHER)
    assert plan.plan_id == drawn.draw(POOL).plan_id and (plan.plan_id == name) != first
    assert len(archive.labels.of(*family(plan, archive.plans.table()))) == 1


@pytest.mark.parametrize("first", [False, True])
def test_strata_of_other_generations_make_another_family(archive: Archive, first: bool) -> None:
    drawn = Design(8, THREE, 0)
    name = keep_first_format(archive, POOL, drawn) if first else keep(archive, drawn.draw(POOL))
    plan = drawn.draw(REGENERATED)
    assert plan.plan_id != name and relatives(archive, plan) == set()


def test_a_plan_with_labels_is_still_drawn_when_the_pool_has_got_other_generations(archive: Archive) -> None:
    plan = Design(8, THREE, 0).draw(POOL)
    name = keep(archive, plan)
    row: Any = archive.plans.table(REGENERATED.items_digest).set_index("plan_id").loc[name]
    again = manifest.reproduce(manifest.read(row["manifest"]), REGENERATED, stratum=archive.plans.strata(name))
    assert again.ids.tolist() == plan.ids.tolist()
    assert relatives(archive, again.with_budget(9)) == {name}


def test_a_damaged_plan_is_nobodys_relative(archive: Archive) -> None:
    plan = design(8).draw(POOL)
    archive.plans.save("p0", "{}", POOL.digest, NOON, POOL.items_digest)
    other = keep(archive, design(12).draw(POOL))
    assert relatives(archive, plan) == {other}
