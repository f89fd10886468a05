"""A pool, a plan of 60 labels on it, and results of its labels, for all that is said of labels."""

from __future__ import annotations

import numpy as np
import pytest

from core.design import Design, Plan, manifest
from core.pool import Pool
from core.report import Labelled, Result, result
from core.stratification import Profile, profile
from tests.core.lab.conftest import pool_of

NASTY = "<script>alert(1)</script> & \"q\" 'x' =1+1 😀"


@pytest.fixture(scope="module")
def pool() -> Pool:
    return pool_of(500, seed=3)


@pytest.fixture(scope="module")
def seen(pool: Pool) -> Profile:
    return profile(pool.classes())


@pytest.fixture(scope="module")
def plan(pool: Pool, seen: Profile) -> Plan:
    return Design(60, seed=5).draw(pool, profile=seen)


def members(plan: Plan, seen: Profile) -> np.ndarray:
    return plan.stratum


def made(pool: Pool, plan: Plan, seen: Profile, first: int = 60, **more) -> Result:
    """The result of the plan's first labels, in groups of which one bears a name that would run as a script."""
    places = plan.positions[:first]
    labelled = Labelled([str(i) for i in plan.ids[:first]], places, pool.losses("model")[places])
    groups = [NASTY if i % 3 == 0 else None if i % 3 == 1 else "law" for i in range(500)]
    given = {"groups": groups, "target": "model", "manifest": manifest.write(plan, NASTY)} | more
    return result(plan, NASTY, labelled, members(plan, seen), **given)


def part_of(pool: Pool, plan: Plan, seen: Profile, keep: np.ndarray, **more) -> Result:
    places = plan.positions[keep]
    labelled = Labelled([str(i) for i in plan.ids[keep]], places, pool.losses("model")[places])
    return result(plan, "p", labelled, members(plan, seen), **more)
