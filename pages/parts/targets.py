"""The targets of a pool: those that its file knows, and those that were run on it since."""

from __future__ import annotations

import streamlit as st

from core.pool import Pool
from core.surrogate import JobProgress, Store, jobs, pool_with_targets
from pages.parts.app import state


def known(pool: Pool) -> Pool:
    """Return the pool with the answers of every target that was run on it; it has its own digest.

    Lists and labels belong to ``pool``, whose digest does not change when a target is run.
    """
    runs = tuple((job.id, job.generations) for job in reversed(_runs(pool)))
    return _with_runs(str(state.archive().folder), pool.digest, runs, pool) if runs else pool


def _runs(pool: Pool) -> list[JobProgress]:
    """List runs of targets on this pool that brought something, newest first."""
    return [job for job in jobs(Store(state.archive().folder), pool.digest) if job.spec.target and job.generations]


@st.cache_resource(max_entries=3, show_spinner="Reading the target’s answers …")
def _with_runs(folder: str, digest: str, runs: tuple[tuple[str, int], ...], _pool: Pool) -> Pool:
    return pool_with_targets(Store(folder), _pool, [job for job, _ in runs])
