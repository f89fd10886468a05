"""Earlier labels as a belief about a target's accuracy, for the design of the next plan."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress

from ..archive.archive import Archive
from ..errors import NeymanError
from ..pool.pool import Pool
from ..prospect.question import Pilot
from .labelling import Labelling
from .outcomes import Outcomes
from .plans import kept_plan, kept_plans
from .readings import readings
from .study import Study


def pilot(archive: Archive, pool: Pool, target: str | None) -> Pilot | None:
    """Find the estimate of a target with the most labels, the newest of these; its known outcomes are not looked at.

    Parameters
    ----------
    archive : Archive
        Where plans and labels are kept.
    pool : Pool
        The pool. Kept pools of the same name count as earlier versions of it.
    target : str or None
        The target; None if its labels name none, since it is no target of the pool.

    Returns
    -------
    Pilot or None
        None if no labelled plan gives an estimate of this target.
    """
    best: Pilot | None = None
    for version in _versions(archive, pool):
        for one in sorted(kept_plans(archive, version), key=lambda one: -one.labelled):
            if best is not None and best.n_labels >= one.labelled:
                break
            # Damaged plans and strata without a label leave no estimate; another plan may have one.
            with suppress(NeymanError):
                plan = kept_plan(archive, one.plan_id, version)
                if target is None and plan.design.judging is not None:
                    continue
                labels = Labelling.load(archive, plan, version, target=target)
                for reading in readings(labels.log):
                    # Right answers serve every target.
                    if reading.kind == "gold" or reading.target == (target or ""):
                        with suppress(NeymanError):
                            outcomes = Study(labels.about(reading)).outcomes
                            if best is None or outcomes.estimate.n_labels > best.n_labels:
                                best = _pilot(outcomes, plan.plan_id, version is pool)
    return best


def _pilot(outcomes: Outcomes, plan_id: str, here: bool) -> Pilot:
    estimate = outcomes.estimate
    low, high = (estimate.low, estimate.high) if estimate.has_interval else (math.nan, math.nan)
    share, open_items = estimate.measure == "accuracy", 0 if outcomes.disputed is None else len(outcomes.disputed)
    least, most = outcomes.ends if open_items else (math.nan, math.nan)
    return Pilot(estimate.value, estimate.n_labels, plan_id, low, high, here, share, open_items, least, most)


def _versions(archive: Archive, pool: Pool) -> Iterator[Pool]:
    """The pool, then other kept ones of the same name, without those with the same items."""
    yield pool
    digests = {pool.items_digest}
    rows = archive.pools.table()
    for digest in rows.loc[rows["name"] == pool.name, "digest"]:
        with suppress(NeymanError):
            version = archive.pools.load(digest)
            if version.items_digest not in digests:
                digests.add(version.items_digest)
                yield version
