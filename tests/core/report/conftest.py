"""A pool, and a plan of 60 labels on it, for all that is said of labels."""

from __future__ import annotations

import numpy as np
import pytest

from core.design import Design, Plan
from core.pool import Pool
from core.profile import Profile, profile
from tests.core.lab.conftest import pool_of


@pytest.fixture(scope="module")
def pool() -> Pool:
    return pool_of(500, seed=3)


@pytest.fixture(scope="module")
def seen(pool: Pool) -> Profile:
    return profile(pool.classes())


@pytest.fixture(scope="module")
def plan(pool: Pool, seen: Profile) -> Plan:
    return Design(60, seed=5).plan(pool.digest, pool.items.index.to_numpy(dtype=object), seen)


def members(plan: Plan, seen: Profile) -> np.ndarray:
    return plan.strata.of_level[seen.levels.member]
