"""The bank of a home: it grows by itself from the pools and the labels that are kept there.

Each pool and each labelled plan is a source, taken in once and again when it has changed. A source is written in one
transaction, and what is taken in is there in the pools and the labels anyway: a process that is killed loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ..archive.archive import Archive
from ..archive.verdicts import FORGOTTEN
from ..errors import NeymanError
from ..pool.pool import Pool
from ..study.labelling import Labelling
from ..study.plans import kept_plan
from ..study.readings import readings
from ..study.study import Study
from .bank import Bank

# Rises where verdicts are taken in otherwise, so that every source is taken in again.
_VERSION = "1"


def gather(archive: Archive, created: str | None = None) -> Bank:
    """Take in what is new in a home, and return its bank.

    Parameters
    ----------
    archive : Archive
        The home.
    created : str, optional
        ISO time of this moment; without it the home stays as it is.

    Raises
    ------
    HomeError
        The home cannot be read or written.
    """
    known, taken = archive.verdicts.states(), list[Bank]()
    for source, state, date in _sources(archive):
        if known.get(source) in (state, FORGOTTEN):
            continue
        # A damaged pool or plan has no verdicts; it is named where it is opened.
        with suppress(NeymanError):
            bank = _taken(archive, source, date)
            if created is None:
                taken.append(bank)
            else:
                archive.verdicts.save(source, state, bank.to_bytes(), created)
    parts = [Bank.read(part.content) for part in archive.verdicts.all().values() if part.state != FORGOTTEN]
    return Bank.of(*parts, *taken)


def _sources(archive: Archive) -> Iterator[tuple[str, str, str]]:
    """Pools and labelled plans: source, state, and ISO date."""
    pools = archive.pools.table()
    for digest, created in zip(pools["digest"], pools["created"], strict=True):
        yield f"pool {digest}", _VERSION, str(created)[:10]
    for plan_id, items, newest in archive.labels.counts().itertuples(index=False, name=None):
        yield f"plan {plan_id}", f"{_VERSION} {items} {newest}", str(newest)[:10]


def _taken(archive: Archive, source: str, date: str) -> Bank:
    kind, _, name = source.partition(" ")
    if kind == "pool":
        return Bank.of(archive.pools.load(name), date=date)
    plans = archive.plans.table()
    digest = plans.loc[plans["plan_id"] == name, "digest"]
    if digest.empty:
        return Bank.of()
    pool: Pool = archive.pools.load(str(digest.iloc[0]))
    labels = Labelling.load(archive, kept_plan(archive, name, pool), pool)
    bank = Bank.of()
    for reading in readings(labels.log):
        targets = list(pool.targets) if reading.kind == "gold" else [reading.target]
        for target in targets:
            with suppress(NeymanError):
                study = Study(labels.about(type(reading)(reading.kind, target)))
                bank = bank | Bank.of(study, date=date)
    return bank
