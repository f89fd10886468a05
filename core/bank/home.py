"""The bank of a home: it grows by itself from the pools and the labels that are kept there.

Each pool and each labelled plan is a source, taken in once and again when it has changed. A source is written in one
transaction, and what is taken in is there in the pools and the labels anyway: a process that is killed loses nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pandas as pd

from ..archive.archive import Archive
from ..archive.verdict_store import FORGOTTEN
from ..errors import NeymanError
from ..pool.pool import Pool
from ..study.labelling import Labelling
from ..study.plans import kept_plan
from ..study.readings import readings
from ..study.study import Study
from .bank import Bank

# Parts that people make, and the switch.
CORRECTED, REMOVED, IMPORTED, OFF = "corrections", "removals", "import", "off"
# Rises if verdicts are taken in otherwise, so that every source is taken in again.
_VERSION = "2"


def gather(archive: Archive, created: str | None = None, beside: Bank | None = None) -> Bank:
    """Take in what is new in a home, and return its bank.

    Parameters
    ----------
    archive : Archive
        The home.
    created : str, optional
        ISO time of this moment; without it the home stays as it is.
    beside : Bank, optional
        Verdicts that the home does not keep, such as those of the bundled pools.

    Raises
    ------
    HomeError
        The home cannot be read or written.
    """
    known, taken = archive.verdicts.states(), list[Bank]()
    if known.get(OFF) == OFF:
        return Bank.of()
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
    parts = archive.verdicts.all()
    own = {name: Bank.read(parts[name].content) for name in (CORRECTED, REMOVED) if name in parts}
    sources = [
        name for name, part in parts.items() if part.state != FORGOTTEN and name not in (CORRECTED, REMOVED, OFF)
    ]
    # Of a verdict that both have, the home's own comes after the imported one and counts.
    sources.sort(key=lambda source: not source.startswith(IMPORTED))
    others = [Bank.of() if beside is None else beside, *(Bank.read(parts[source].content) for source in sources)]
    # What somebody said of a single verdict stands above its source, whenever that is taken in again.
    bank = Bank.of(*others, *taken, own.get(CORRECTED, Bank.of()))
    return bank.without(own[REMOVED]) if REMOVED in own else bank


def correct(archive: Archive, rows: pd.DataFrame, loss: float, created: str) -> None:
    """Put another verdict in place of some, whatever their source goes on saying.

    Parameters
    ----------
    archive : Archive
        The home.
    rows : DataFrame
        Of its bank.
    loss : float
        In [0, 1].
    created : str
        ISO time of this moment.
    """
    every = np.ones(len(rows), dtype=bool)
    _add(archive, CORRECTED, Bank(rows.reset_index(drop=True)).corrected(every, loss, created[:10]), created)


def remove(archive: Archive, rows: pd.DataFrame, created: str) -> None:
    """Take verdicts out of a home's bank, whatever their source goes on saying; parameters as of `correct`."""
    _add(archive, REMOVED, Bank(rows.reset_index(drop=True)), created)


def take_in(archive: Archive, bank: Bank, created: str) -> None:
    """Merge a bank that was imported into a home's.

    Parameters
    ----------
    archive : Archive
        The home.
    bank : Bank
        The other bank. Verdicts that both have stay as the home has them.
    created : str
        ISO time of this moment.
    """
    content = bank.to_bytes()
    source = f"{IMPORTED} {hashlib.sha256(content).hexdigest()[:16]}"
    archive.verdicts.remember(source)
    archive.verdicts.save(source, IMPORTED, content, created)


def switch(archive: Archive, on: bool, created: str) -> None:
    """Have a home use its bank, or leave it alone; nothing in it is lost; parameters as of `correct`."""
    archive.verdicts.save(OFF, "on" if on else OFF, b"", created)


def is_on(archive: Archive) -> bool:
    """Whether a home uses its bank."""
    return archive.verdicts.states().get(OFF) != OFF


def edits(archive: Archive) -> tuple[tuple[str, str], ...]:
    """Return what people have said of a home's bank; equal if nothing of it has changed.

    Parameters
    ----------
    archive : Archive
        The home.
    """
    people = (CORRECTED, REMOVED, OFF, IMPORTED)
    states = sorted(archive.verdicts.states().items())
    return tuple(one for one in states if one[0].startswith(people) or one[1] == FORGOTTEN)


def _add(archive: Archive, part: str, bank: Bank, created: str) -> None:
    """Add rows to one of the parts that people make."""
    before = archive.verdicts.all().get(part)
    whole = bank if before is None else Bank.read(before.content) | bank
    content = whole.to_bytes()
    archive.verdicts.save(part, hashlib.sha256(content).hexdigest()[:16], content, created)


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
