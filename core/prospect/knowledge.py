"""Knowledge of a pool's items before any label, the worth of each signal made of it, and the design along one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..design.design import Design
from ..design.recommend import recommend, recommend_along
from ..design.scheme import pool_profile, pool_signal
from ..errors import NeymanError
from ..pool.pool import Pool
from ..signals.column_values import numeric_columns
from ..signals.entries import SIGNALS, offered
from ..signals.risk_transfer import Transfer
from ..signals.signal import Given
from ..signals.worth import worth
from ..stratification.profiles import Profile
from .question import ELSEWHERE, Question


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Signals, past models and columns that are known of a pool's items before any label.

    Parameters
    ----------
    signals : tuple of str
        Those of `core.signals.SIGNALS` that the pool has.
    past : tuple of str
        Models whose outcome is known, without the target.
    columns : tuple of str
        Columns of numbers.
    """

    signals: tuple[str, ...]
    past: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sorted:
    """A pool sorted along a signal, and the recommended design along it.

    Parameters
    ----------
    design : Design
        Of the budget N; another budget has other strata along the same signal.
    best : str
        The signal that is recommended, even if another one is asked for.
    profile : Profile
        Of the pool.
    how : str
        How the signal was made; "" if there is nothing to say.
    """

    design: Design
    best: str
    profile: Profile
    how: str


def knowledge(pool: Pool, target: str | None = None, parser: str | None = None) -> Knowledge:
    """Return what is known of a pool's items before any label; the losses of ``target`` are not looked at."""
    given = Given(target, parser=parser)
    there = tuple(signal.name for signal in SIGNALS.entries if signal.there(pool, given))
    return Knowledge(there, given.others(pool), numeric_columns(pool))


def worths(pool: Pool, question: Question, elsewhere: Transfer | None) -> pd.DataFrame:
    """Tabulate what each signal is worth before any label, the best first: signal, error, low, high, why, how.

    Parameters
    ----------
    pool : Pool
        The pool.
    question : Question
        Whose target's losses are not looked at.
    elsewhere : Transfer or None
        What other pools predict; None if there are none.
    """
    given: dict[str, Any] = {name: getattr(question, name) for name in ("target", "past", "accuracy", "parser")}
    rows = []
    for signal, made_from in offered(pool, Given(**given)):
        # A column may be one that cannot be used, and past models may have been chosen that do not predict anything.
        with suppress(NeymanError):
            column = made_from.column
            rows.append((column or signal.noun, worth(pool, signal.name, column=column, **given)))
    if elsewhere is not None:
        with suppress(NeymanError):
            rows.append(("risk by your other pools", elsewhere.worth(pool, **given)))
    once = "" if pool.weights is None else " Every item is counted once here."
    cells = [(name, one.error, one.low, one.high, one.why + once, one.how) for name, one in rows]
    table = pd.DataFrame(cells, columns=["signal", "error", "low", "high", "why", "how"])
    return table.sort_values("error", kind="stable", ignore_index=True)


def along(pool: Pool, question: Question, elsewhere: Transfer | None) -> Sorted:
    """Sort a pool along the signal that a question asks for; the losses of its target are not looked at.

    Parameters
    ----------
    pool : Pool
        The pool.
    question : Question
        What the design is to rest on.
    elsewhere : Transfer or None
        What other pools predict, for the signal `ELSEWHERE`.

    Raises
    ------
    DesignError, PoolError
        What is asked for cannot be used, such as a column that is empty.
    """
    size = pool.n_items
    design = recommend(pool, size, question.target, question.past, accuracy=question.accuracy, parser=question.parser)
    name = design.scheme.signal
    if question.signal == ELSEWHERE and elsewhere is not None:
        risk, target, past = elsewhere.model, question.target, question.past
        design = recommend(pool, size, target, past, accuracy=question.accuracy, risk=risk, parser=question.parser)
        design = replace(design, why=f"{design.why} {elsewhere.why}")
    elif question.signal not in (None, name):
        design = recommend_along(
            pool,
            size,
            str(question.signal),
            question.target,
            question.past,
            accuracy=question.accuracy,
            column=question.column,
            parser=question.parser,
        )
    if question.floor is not None and design.risk is not None:
        design = replace(design, scheme=replace(design.scheme, floor=question.floor))
    scheme = design.scheme
    how = "" if scheme.uniform or scheme.along.kept else pool_signal(pool, scheme).how
    return Sorted(design, name, pool_profile(pool, scheme, design.risk), how)
