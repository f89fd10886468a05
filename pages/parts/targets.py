"""The targets of a pool: those that its file knows, and those that were run on it since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.design import Plan
from core.labels import asked_pool
from core.pool import Pool
from pages.parts.app import kept, state

if TYPE_CHECKING:
    from core.surrogate import JobProgress, Store


def known(pool: Pool) -> Pool:
    """Return the pool with the answers of every target that was run on it; it has its own digest.

    Lists and labels belong to ``pool``, whose digest does not change when a target is run.
    """
    # Here, so that the first page does not wait for what only jobs use.
    from core.surrogate import pool_with_targets

    store = state.store()
    runs = tuple((job.id, job.generations) for job in reversed(_runs(store, pool)))
    if not runs:
        return pool
    return kept.once(
        "pools with runs",
        (str(store.folder), pool.digest, runs),
        lambda: pool_with_targets(store, pool, [job for job, _ in runs]),
        "Reading the target’s answers …",
    )


def asked(plan: Plan, pool: Pool) -> Pool:
    """Return the pool with what people judge by a plan's list: of a list that checks a judge, outputs and criteria."""
    judging = plan.design.judging
    if judging is None:
        return pool
    return kept.once("pools with runs", ("asked", plan.plan_id, pool.digest), lambda: asked_pool(judging, pool))


def _runs(store: Store, pool: Pool) -> list[JobProgress]:
    """List runs of targets on this pool that brought something, newest first."""
    from core.surrogate import jobs

    return [job for job in jobs(store, pool.digest) if job.spec.target and job.generations]
