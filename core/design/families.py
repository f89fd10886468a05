"""Families of plans, which share their labels: the same scheme, seed and strata on the same items, with another budget.

A larger budget only adds items to the list, so the labels of one plan of a family are labels of all others. Labels of
the first of two waves are labels of the second as well.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from . import manifest
from .design import Plan
from .manifest import Manifest
from .plan_ids import first_plan_id, plan_id


def family(plan: Plan, designs: pd.DataFrame) -> tuple[str, ...]:
    """Find the plans that share their labels with a plan.

    Parameters
    ----------
    plan : Plan
        The plan, kept or not.
    designs : DataFrame
        Of `Archive.plans.table`: plan_id, items_digest, manifest; plans on other items may be among them.

    Returns
    -------
    tuple of str
        The plan's id, then in ascending order those of its first wave, of kept relatives of either, and the id that
        ``neyman-plan/1`` gave it: lists handed out under that id may still come back. A plan with a damaged manifest is
        nobody's relative.
    """
    kept = zip(designs["items_digest"], designs["manifest"], strict=True)
    there = [text for items, text in kept if items == plan.items_digest]
    relatives = {other.plan_id for other in manifest.intact(there) if related(plan, other)}
    if plan.earlier is not None:
        relatives.update(family(plan.earlier, designs))
    elif plan.pool is not None:
        relatives.add(first_plan_id(plan.pool.digest, plan.design))
    return (plan.plan_id, *sorted(relatives - {plan.plan_id}))


def relatives(plan: Plan, names: Collection[str]) -> tuple[str, ...]:
    """Select the plan ids, of several, that the plan's scheme, seed and strata have with another budget."""
    others = set(names) - {plan.plan_id}
    if not others:
        return ()
    strata, first = plan.strata_digest, plan.earlier
    known: list[str] = [] if first is None else sorted(({first.plan_id} & others) | {*relatives(first, others)})
    for budget in range(plan.least_budget, plan.strata.n_items + 1):
        if others <= {*known}:
            break
        design = replace(plan.design, budget=budget)
        ids = {plan_id(plan.items_digest, strata, design, None if first is None else first.plan_id)}
        if plan.pool is not None:
            ids.add(first_plan_id(plan.pool.digest, design))
        known += sorted(ids & others)
    return tuple(known)


def families(manifests: Sequence[Manifest]) -> dict[str, tuple[str, ...]]:
    """Find the relatives of each of several plans on the same items.

    Returns
    -------
    dict of str to tuple of str
        For each plan id: the id, then in ascending order those of its relatives among these plans, and of its first
        wave's.
    """
    alike: dict[object, list[Manifest]] = {}
    for one in manifests:
        alike.setdefault((one.design.scheme, one.design.seed), []).append(one)
    relatives = {
        one.plan_id: {other.plan_id for other in group if other is not one and related(one, other)}
        for group in alike.values()
        for one in group
    }
    for one in manifests:
        if one.earlier is not None:
            first = one.earlier.plan_id
            relatives[one.plan_id] |= relatives.get(first, set()) | ({first} & relatives.keys())
    return {name: (name, *sorted(others)) for name, others in relatives.items()}


def related(one: Plan | Manifest, other: Plan | Manifest) -> bool:
    """Whether two plans on the same items differ at most in the budget.

    A ``neyman-plan/1`` manifest has no digest of its strata: their sizes and self-consistencies are compared instead.
    """
    if any(getattr(one.design, name) != getattr(other.design, name) for name in ("scheme", "seed", "judging")):
        return False
    digests = one.strata_digest, other.strata_digest
    if None not in digests:
        return digests[0] == digests[1]
    if not np.array_equal(one.strata.sizes, other.strata.sizes):
        return False
    # NumPy's allclose takes ten times as long, and every pair of kept plans comes here.
    return bool(np.abs(one.strata.consistency - other.strata.consistency).max() <= 1e-9)
