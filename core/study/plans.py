"""The kept plans of a pool that have labels."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, replace

from ..answers import PARSER_VERSION, TITLES
from ..archive.archive import Archive
from ..design import manifest as manifests
from ..design.design import Design, Plan
from ..design.families import families, related
from ..design.manifest import Manifest
from ..errors import PoolError
from ..pool.pool import Pool
from ..words import counted, listed


@dataclass(frozen=True, slots=True, eq=False)
class KeptPlan:
    """A kept plan for which labels are kept too, under its own id or under that of a relative.

    Parameters
    ----------
    manifest : Manifest
        Manifest of the plan.
    labelled : int
        Items with a label, at most those planned.
    newest : str
        Time of the last label.
    of_pool : bool
        Whether it was drawn from this very pool, not from one with the same items and other generations or targets.
    """

    manifest: Manifest
    labelled: int
    newest: str
    of_pool: bool

    @property
    def plan_id(self) -> str:
        """Id of the plan."""
        return self.manifest.plan_id

    @property
    def design(self) -> Design:
        """Design of the plan."""
        return self.manifest.design


def kept_plans(archive: Archive, pool: Pool) -> list[KeptPlan]:
    """Plans on the items of a pool for which labels are kept, the newest first; without `damaged_plans`."""
    counts = archive.labels.counts()
    items: dict[str, int] = dict(zip(counts["plan_id"], counts["items"], strict=True))
    times: dict[str, str] = dict(zip(counts["plan_id"], counts["newest"], strict=True))
    designs = archive.plans.table(pool.items_digest)
    plans_of_pool = manifests.intact(designs["manifest"], pool.items_digest)
    of_pool = set(designs.loc[designs["digest"] == pool.digest, "plan_id"])
    relatives = families(plans_of_pool)
    plans: list[KeptPlan] = []
    totals: dict[frozenset[str], int] = {}
    for one in plans_of_pool:
        labelled = frozenset(name for name in relatives[one.plan_id] if name in items)
        if not labelled:
            continue
        if labelled not in totals:
            (first, *others) = labelled
            totals[labelled] = archive.labels.count(*labelled) if others else items[first]
        newest = max(times[name] for name in labelled)
        count = min(totals[labelled], one.n_labels)
        plans.append(KeptPlan(one, count, newest, one.plan_id in of_pool))
    return plans


def next_seed(archive: Archive, pool: Pool, below: int) -> int:
    """Return the seed of the next list of a pool in a home: that of the newest list that waits for its first label.

    If none is kept it is the same one until a list has labels.

    Parameters
    ----------
    archive : Archive
        The home; others have other seeds.
    pool : Pool
        The pool.
    below : int
        Seeds are from 0 to ``below`` − 1.
    """
    designs = archive.plans.table(pool.items_digest)
    labelled = set(archive.labels.counts()["plan_id"]) & set(designs["plan_id"])
    intact = manifests.intact(designs["manifest"], pool.items_digest)
    relatives = families(intact)
    waiting = [one.design.seed for one in intact if not labelled.intersection(relatives[one.plan_id])]
    newest = next((seed for seed in waiting if seed is not None), None)
    if newest is not None:
        return newest % below
    lists = {frozenset(relatives.get(one, (one,))) for one in labelled}
    told_apart = f"{archive.identity} {pool.items_digest} {len(lists)}"
    return int.from_bytes(hashlib.sha256(told_apart.encode()).digest()[:8]) % below


def plans_by_earlier_rules(archive: Archive, pool: Pool) -> str:
    """Say which kept plans of a pool were drawn when its answers were read by earlier rules; "" if none was.

    Such plans keep their strata. Only the answer kinds of the pool's items, or of a plan's design, count.
    """
    kinds: set[str | None] = {None}
    if "answer_kind" in pool.source.column_names:
        kinds |= set(pool.source.column("answer_kind").unique().to_pylist())
    changed, plans = dict[str, str](), 0
    for one in manifests.intact(archive.plans.table(pool.items_digest)["manifest"], pool.items_digest):
        used = {kind: v for kind, v in one.earlier_rules.items() if kind in kinds | {one.design.scheme.parser}}
        plans += bool(used)
        changed |= used
    if not plans:
        return ""
    rules = listed([f"“{TITLES[kind]}” ({old}, now {PARSER_VERSION[kind]})" for kind, old in changed.items()])
    drawn = counted(plans, "list was", "lists were")
    return (
        f"{drawn} drawn when answers were read by earlier rules: {rules}. Lists that are drawn already keep their "
        "strata and their labels. All numbers on this page are read by today’s rules."
    )


def damaged_plans(archive: Archive, pool: Pool) -> list[str]:
    """Ids of the plans on the items of a pool whose kept manifest is damaged."""
    designs = archive.plans.table(pool.items_digest)
    intact = {one.plan_id for one in manifests.intact(designs["manifest"], pool.items_digest)}
    return [plan_id for plan_id in designs["plan_id"] if plan_id not in intact]


def larger(archive: Archive, plan: Plan, family: tuple[str, ...], budget: int) -> Manifest | None:
    """Find the kept plan to go to for more labels of the same design.

    Parameters
    ----------
    archive : Archive
        Where plans are kept.
    plan : Plan
        The plan now.
    family : tuple of str
        Ids of plans of the same design.
    budget : int
        Labels wanted.

    Returns
    -------
    Manifest or None
        Of the smallest kept plan with at least ``budget`` labels, or else of the largest; None if none is larger
        than ``plan``.
    """
    designs = archive.plans.table(plan.items_digest)
    relatives = [
        m for m in manifests.intact(designs.loc[designs["plan_id"].isin(family), "manifest"]) if related(plan, m)
    ]
    more = sorted((m for m in relatives if m.design.budget > plan.design.budget), key=lambda m: m.design.budget)
    return next((m for m in more if m.design.budget >= budget), more[-1] if more else None)


def second_wave(archive: Archive, plan: Plan) -> Manifest | None:
    """Find the newest kept plan of the second wave that was drawn from the labels of a first one.

    Parameters
    ----------
    archive : Archive
        Where plans are kept.
    plan : Plan
        The first wave's.

    Returns
    -------
    Manifest or None
        None if none is kept.
    """
    stored = manifests.intact(archive.plans.table(plan.items_digest)["manifest"], plan.items_digest)
    return next((m for m in stored if m.earlier is not None and m.earlier.plan_id == plan.plan_id), None)


def kept_plan(archive: Archive, plan_id: str, pool: Pool) -> Plan:
    """Draw a kept plan on the items of a pool, as it was drawn, whatever generations the pool has got since.

    Parameters
    ----------
    archive : Archive
        Where the plan is kept, with its strata unless an earlier version kept it.
    plan_id : str
        Id of a plan on these items.
    pool : Pool
        A pool with the same items; it may have got other generations or targets since.

    Raises
    ------
    ManifestError
        As `core.design.manifest.reproduce`.
    """
    row = archive.plans.table(pool.items_digest).set_index("plan_id").loc[plan_id].to_dict()
    manifest = manifests.read(row["manifest"], pool.items_digest)
    stratum = archive.plans.strata(plan_id)
    if stratum is not None:
        return manifests.reproduce(manifest, pool, stratum=stratum)
    source = pool
    if manifest.pool_digest not in (None, pool.digest):
        # Kept by an earlier version, without its strata: they follow from the pool that it was drawn from.
        with suppress(PoolError):
            source = archive.pools.load(str(manifest.pool_digest))
    plan = manifests.reproduce(manifest, source)
    # From now on it needs that pool no more.
    archive.plans.save(plan_id, row["manifest"], row["digest"], row["created"], pool.items_digest, plan.stratum)
    return replace(plan, pool=pool)
