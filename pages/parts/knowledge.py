"""What is known of a pool's items before any label, and what each signal made of it is worth, cached."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from core.archive import Archive
from core.errors import NeymanError
from core.pool import Pool
from core.prospect import ELSEWHERE, Knowledge
from core.signals import SIGNALS, Given, Transfer, numeric_columns, past_models, transfer, worth
from pages.parts.app import state


@dataclass(frozen=True, slots=True)
class Basis:
    """What a recommended design rests on.

    Parameters
    ----------
    signal : str or None
        Of `core.signals.SIGNALS`, or `ELSEWHERE`; None is the best that is known.
    target, past, accuracy, column, parser
        As in `core.design.Scheme`.
    others : tuple of str
        Digests of the pools that `ELSEWHERE` learns from.
    gate : bool
        For a decision that may be looked at after every label: the strata are coarse.
    """

    signal: str | None = None
    target: str | None = None
    past: tuple[str, ...] | None = None
    accuracy: float | None = None
    column: str | None = None
    parser: str | None = None
    others: tuple[str, ...] = ()
    gate: bool = False


def known(pool: Pool, target: str | None, parser: str | None) -> Knowledge:
    """Return what is known of a pool's items; ``target``, ``parser``: as in `Basis`."""
    return _known(pool.digest, target, parser, pool)


def others(pool: Pool) -> tuple[str, ...]:
    """Return the digests of the archive's pools with targets, without those on the same items."""
    digests = tuple(digest for digest in state.with_targets(pool) if digest != pool.digest)
    return _on_other_items(str(state.archive().folder), pool.items_digest, digests)


def learned(pool: Pool, basis: Basis) -> Transfer:
    """Return the risk that the pools of ``basis.others`` predict."""
    return _learned(pool.digest, basis, pool)


def worths(pool: Pool, basis: Basis) -> pd.DataFrame:
    """Tabulate what each signal that the pool has is worth before any label, the best first."""
    return _worths(pool.digest, replace(basis, signal=None, others=others(pool)), pool)


@st.cache_data(max_entries=12, show_spinner=False)
def _on_other_items(folder: str, items_digest: str, digests: tuple[str, ...]) -> tuple[str, ...]:
    elsewhere = []
    for digest in digests:
        # One whose file is damaged is named where it is opened.
        with suppress(NeymanError):
            if Archive(folder).pools.load(digest).items_digest != items_digest:
                elsewhere.append(digest)
    return tuple(elsewhere)


@st.cache_resource(max_entries=12, show_spinner="Training a risk model on your other pools …")
def _learned(digest: str, basis: Basis, _pool: Pool) -> Transfer:
    pools = state.opened(_pool, basis.others)
    return transfer(pools, _pool, basis.target, basis.past, accuracy=basis.accuracy, parser=basis.parser)


@st.cache_resource(max_entries=24, show_spinner="Looking for what is known of the items …")
def _known(digest: str, target: str | None, parser: str | None, _pool: Pool) -> Knowledge:
    past, columns = past_models(_pool, target, None, parser), numeric_columns(_pool)
    there = tuple(signal.name for signal in SIGNALS.entries if signal.there(_pool, Given(target, parser=parser)))
    return Knowledge(there, past, columns)


@st.cache_data(max_entries=12, show_spinner="Trying each signal on models whose results are known …")
def _worths(digest: str, basis: Basis, _pool: Pool) -> pd.DataFrame:
    knowledge = known(_pool, basis.target, basis.parser)
    choices: list[tuple[str, str | None]] = []
    for name in knowledge.signals:
        choices += [(name, column) for column in (knowledge.columns if SIGNALS[name].of_column else (None,))]
    given: dict[str, Any] = {name: getattr(basis, name) for name in ("target", "past", "accuracy", "parser")}
    rows = []
    for name, column in choices:
        # A predicted risk needs answers or two past models; what the pool lacks is worth nothing.
        with suppress(NeymanError):
            rows.append((column or SIGNALS[name].noun, worth(_pool, name, column=column, **given)))
    if basis.others:
        with suppress(NeymanError):
            elsewhere = learned(_pool, replace(basis, signal=ELSEWHERE))
            rows.append(("risk by your other pools", elsewhere.worth(_pool, **given)))
    cells = [(name, one.error, one.low, one.high, one.why, one.how) for name, one in rows]
    table = pd.DataFrame(cells, columns=["signal", "error", "low", "high", "why", "how"])
    return table.sort_values("error", kind="stable")
