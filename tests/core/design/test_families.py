"""Which plans share their labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.archive import Archive
from core.design import Design, manifest
from core.errors import ManifestError
from core.labels import family
from core.stratification import profile

NOON = "2026-11-20T12:00:00+00:00"
IDS = np.array([f"q{i}" for i in range(30)], dtype=object)
KNOWN = profile(np.random.default_rng(1).integers(0, 4, (30, 5)))
HERE, THERE = "ab" * 32, "cd" * 32


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path)


def kept(archive: Archive, design: Design, digest: str = HERE) -> str:
    plan = design.plan(digest, IDS, KNOWN)
    archive.save_design(plan.plan_id, manifest.write(plan, "pool"), digest, NOON)
    return plan.plan_id


def test_plans_that_differ_in_the_budget_alone_share_their_labels(archive: Archive) -> None:
    alike = [kept(archive, Design(budget, n_strata=3)) for budget in (8, 12, 20)]
    kept(archive, Design(12, n_strata=3, seed=1))
    kept(archive, Design(12, n_strata=4))
    kept(archive, Design(8, n_strata=3), THERE)
    first, *others = alike
    assert family(first, Design(8, n_strata=3), archive.designs()) == (first, *sorted(others))


def test_a_plan_that_is_not_kept_has_relatives_too(archive: Archive) -> None:
    design = Design(10, n_strata=3)
    name = design.plan(HERE, IDS, KNOWN).plan_id
    assert family(name, design, archive.designs()) == (name,)
    other = kept(archive, Design(8, n_strata=3))
    assert family(name, design, archive.designs()) == (name, other)


def test_a_damaged_relative_is_told(archive: Archive) -> None:
    name = kept(archive, Design(8))
    archive.save_design("p0", "{}", HERE, NOON)
    with pytest.raises(ManifestError, match="not a plan's manifest"):
        family(name, Design(8), archive.designs())
