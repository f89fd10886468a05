"""The targets of a pool: those that its file knows, and those that were run on it since."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.design import Plan
from core.labels import KINDS, asked_pool, is_code, pair_names, target_code
from core.pool import ModelPair, Pool, newest_first, with_models
from pages.parts.app import kept, state
from pages.parts.markup import plain
from pages.parts.widgets.controls import AGAINST, NEW_MODEL

if TYPE_CHECKING:
    from core.surrogate import JobProgress, Store


def known(pool: Pool) -> Pool:
    """Return the pool with every target that was run on it or that its labels name; it has its own digest.

    Lists and labels belong to ``pool``, whose digest does not change when a target is run.
    """
    # Here, so that the first page does not wait for what only jobs use.
    from core.surrogate import pool_with_targets

    store = state.store()
    runs = tuple((job.id, job.generations) for job in reversed(_runs(store, pool)))
    named = state.archive().labels.judged(pool.items_digest) if pool.targets else ()
    if not runs and pool.targets.keys() >= {*named}:
        return pool
    return kept.once(
        "pools with runs",
        (str(store.folder), pool.digest, runs, named),
        lambda: with_models(pool_with_targets(store, pool, [job for job, _ in runs]), named),
        "Reading the target’s answers …",
    )


def to_judge(pool: Pool, target: str | None, kind: str) -> tuple[str | None, Pool]:
    """Return the model that labels judge, and the pool with it; ask for the name of one that has not run.

    Parameters
    ----------
    pool : Pool
        The pool with its targets.
    target : str or None
        The chosen one; None for a model that has not run.
    kind : str
        Kind of label.
    """
    if KINDS[kind].compares:
        others = [name for name in comparable(pool) if name != target]
        other = AGAINST.of({name: name for name in others}).draw()
        return (None if target is None else ModelPair(target, other).name), pool
    if target is not None or not (pool.targets and KINDS[kind].judges):
        return target, pool
    name = NEW_MODEL.draw("Needed to keep its results", longest=80).strip()
    if is_code(name):
        st.error(plain(f"“{name}” is reserved. Give the model another name."), icon=":material/error:")
        name = ""
    return (name, with_models(pool, [name])) if name else (None, pool)


def single(pool: Pool) -> list[str]:
    """List the targets that are models, not pairs of which labels say which is better."""
    return [name for name in pool.targets if ModelPair.of(name, pool.targets) is None]


def comparable(pool: Pool) -> list[str]:
    """List the targets whose answers the pool has, newest first: people can compare two of them."""
    return [name for name in newest_first(pool.targets) if not pool.targets[name].is_silent]


def by_code(pool: Pool, kind: str, code: str | None) -> str | None:
    """Find the target, or for labels that compare the pair of targets, that a code stands for; None if none."""
    names = pair_names(comparable(pool)) if KINDS[kind].compares else pool.targets
    return next((one for one in names if target_code(one) == code), None)


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
