"""Take a pool of a home off its lists. What people made of it stays, and is found again once it is read again."""

from __future__ import annotations

from dataclasses import dataclass

from ..archive import Archive
from ..errors import PoolError, Problem
from ..words import counted, listed, shown
from .job.store import ACTIVE, Store, state_of


@dataclass(frozen=True, slots=True)
class PoolHoldings:
    """Counts of a pool's plans, labels and generations in a home.

    Parameters
    ----------
    digest, name : str
        Of the pool.
    plans, labels : int
        Plans on its items, and the labelled items of each of them.
    generations : int
        Generations of runs on it.
    running : tuple of str
        Runs that are not over yet.
    """

    digest: str
    name: str
    plans: int
    labels: int
    generations: int
    running: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Sentence about everything that stays if the pool is forgotten."""
        parts = ((self.labels, "labelled item"), (self.plans, "plan"), (self.generations, "generation"))
        held = listed([counted(number, noun) for number, noun in parts if number])
        back = "Open its file again, and it is back."
        return f"{shown(self.name, 60)} holds {held}. They stay. {back}" if held else f"It holds no labels. {back}"


def pool_holdings(archive: Archive, store: Store, digest: str) -> PoolHoldings:
    """Count what a home holds of a pool.

    Parameters
    ----------
    archive, store : Archive, Store
        Of the home.
    digest : str
        The pool's, or at least 8 of its hex digits.

    Raises
    ------
    PoolError
        The home has no such pool, or several.
    """
    kept = archive.pools.row(digest)
    plans = set(archive.plans.table(kept.items)["plan_id"]) if kept.items is not None else set()
    counts = archive.labels.counts()
    labels = int(counts[counts["plan_id"].isin(plans)]["items"].sum())
    runs = [run for run in store.rows() if run.digest == kept.digest]
    running = tuple(run.id for run in runs if state_of(run) in (*ACTIVE, "waiting"))
    return PoolHoldings(kept.digest, kept.name, len(plans), labels, sum(run.generations for run in runs), running)


def forget_pool(archive: Archive, store: Store, digest: str) -> PoolHoldings:
    """Take a pool off the lists of a home, until it is saved again; return what the home holds of it.

    Raises
    ------
    PoolError
        As `pool_holdings`; or a run on the pool is not over.
    HomeError
        The home cannot be written.
    """
    held = pool_holdings(archive, store, digest)
    if held.running:
        message = f"{shown(held.name, 60)} cannot be forgotten: the run {held.running[0]} works on it."
        raise PoolError([Problem(message, remedy="Stop it, or wait until it is over.")])
    archive.pools.forget(held.digest)
    return held
