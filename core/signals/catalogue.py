"""The catalogue of signals: those that `core.signals.entries` declares.

Source: docs/method.md, 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

from numpy.typing import ArrayLike

from ..pool.pool import Pool
from ..words.catalogue import Catalogue
from . import entries
from .columns import numeric_columns
from .risk import RiskModel
from .signal import Given, Signal, SignalReading


def _declared() -> list[Signal]:
    """The signals in the order of `recommend`, then those that it never chooses, by name."""
    signals = (declared for declared in vars(entries).values() if isinstance(declared, Signal))
    return sorted(signals, key=lambda signal: (inf if signal.order is None else signal.order, signal.name))


SIGNALS = Catalogue("signal", _declared())


def signal(
    pool: Pool,
    name: str,
    *,
    target: str | None = None,
    past: Sequence[str] | None = None,
    accuracy: float | None = None,
    column: str | None = None,
    parser: str | None = None,
    risk: RiskModel | ArrayLike | None = None,
) -> SignalReading:
    """Make a signal of a pool. The losses of ``target`` are never looked at.

    Parameters
    ----------
    pool : Pool
        The pool of N items.
    name : str
        One of `core.signals.SIGNALS`, such as "semantic-entropy" or "agreement"; ``SIGNALS[name]`` says what it is.
    target : str, optional
        The model that is to be evaluated.
    past : sequence of str, optional
        The models of "past-results", and those that orient a column. By default all other targets whose outcome is
        known on at least 95 % of the items; an empty sequence means none.
    accuracy : float, optional
        The accuracy that the target is believed to have: models near it count most in "past-results".
    column : str, optional
        The column of "column".
    parser : str, optional
        A kind of `core.answers` for all items; by default each item's own.
    risk : RiskModel or (N,) float, optional
        The model of "risk", or predicted risks from elsewhere. By default that of `core.signals.risk_model`.

    Returns
    -------
    SignalReading

    Raises
    ------
    DesignError
        There is no signal of this name, or what it needs was not given or does not fit.
    PoolError
        The pool does not have what the signal is made of.
    """
    return SIGNALS[name].read(pool, Given(target, past, accuracy, column, parser, risk))


def offered(pool: Pool, given: Given | None = None) -> Iterator[tuple[Signal, Given]]:
    """Every signal that the pool offers, with what it is made from; each column of numbers is a signal.

    Parameters
    ----------
    pool : Pool
        The pool.
    given : Given, optional
        What signals may be made from; its column does not count.
    """
    known = Given() if given is None else replace(given, column=None)
    for one in SIGNALS.entries:
        if one.there(pool, known):
            columns: Sequence[str | None] = numeric_columns(pool) if one.of_column else (None,)
            yield from ((one, replace(known, column=column)) for column in columns)
