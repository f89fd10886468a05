"""What Lab keeps between reruns: simulations, and signals of every surrogate. Keys are digests and small parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core.lab import ablations, baselines, signals_compared, strata_map
from core.lab import coverage as intervals
from core.lab import settings as tables
from core.pool import Pool
from core.stratification import Outcome
from pages.parts.lab.controls import LabSettings
from pages.parts.progress import Progress

_KEPT = 64


@dataclass(frozen=True, slots=True)
class Seen:
    """What Lab looks at: pool, target with its outcome, and the budgets, ascending, that fit it."""

    pool: Pool
    target: str
    outcome: Outcome
    budgets: tuple[int, ...]


@st.cache_resource
def _frames() -> OrderedDict[tuple[object, ...], pd.DataFrame]:
    # Not st.cache_data: a cached function may not move a progress bar that stands outside of it.
    return OrderedDict()


def lure_scores(seen: Seen, settings: LabSettings) -> dict[str, np.ndarray]:
    """Acquisition scores of the items whose outcome is known."""
    known = np.isfinite(seen.pool.losses(seen.target, settings.scheme.parser))
    return baselines.scores(seen.pool, seen.outcome, known)


def lure(seen: Seen, settings: LabSettings, scores: dict[str, np.ndarray]) -> pd.DataFrame:
    """LURE's simulated errors; read-only."""

    def make() -> pd.DataFrame:
        with Progress("Simulating LURE", settings.trials * len(scores), "trials") as progress:
            return baselines.simulated(
                seen.outcome.losses, scores, seen.budgets, settings.trials, settings.clip, settings.seed, progress
            )

    return _kept(("lure", *_key(seen), settings.scheme.parser, settings.trials, settings.clip, settings.seed), make)


def coverage(seen: Seen, settings: LabSettings) -> pd.DataFrame:
    """Coverage and width of each interval at each budget; read-only."""

    def make() -> pd.DataFrame:
        parts = []
        with Progress("Drawing samples", len(seen.budgets) * intervals.TRIALS, "samples") as progress:
            for done, budget in enumerate(seen.budgets, start=1):
                parts.append(intervals.coverage(seen.outcome, [budget], settings.scheme, seed=settings.seed))
                progress(done / len(seen.budgets))
        return pd.concat(parts, ignore_index=True)

    return _kept(("coverage", *_key(seen), settings.scheme, settings.seed), make)


def simulated(seen: Seen, settings: LabSettings, table: str) -> pd.DataFrame:
    """Monte-Carlo values of one table of ablations; read-only."""
    columns = tables.variants(table, settings.scheme)

    def make() -> pd.DataFrame:
        with Progress("Simulating every cell", settings.trials * len(columns), "trials") as progress:
            return ablations.simulated(seen.outcome, columns, seen.budgets, settings.trials, settings.seed, progress)

    return _kept((table, *_key(seen), settings.scheme, settings.trials, settings.seed), make)


def simulated_map(seen: Seen, settings: LabSettings, budget: int) -> pd.DataFrame:
    """Monte-Carlo values of the map; read-only."""
    cells = len(strata_map.STRATA) * len(strata_map.OFFSETS)

    def make() -> pd.DataFrame:
        with Progress("Simulating every cell", cells, "cells") as progress:
            return strata_map.simulated(
                seen.outcome, budget, settings.scheme, trials=settings.trials, seed=settings.seed, progress=progress
            )

    return _kept(("map", *_key(seen), budget, settings.scheme, settings.trials, settings.seed), make)


def signals(seen: Seen, settings: LabSettings) -> pd.DataFrame:
    """Every signal against every target; read-only."""

    def make() -> pd.DataFrame:
        with st.spinner("Reading the signals …", show_time=True):
            found = signals_compared.signals(seen.pool, settings.scheme.parser)
        targets = list(seen.pool.targets)
        with Progress("Comparing the signals", len(found) * len(targets), "comparisons") as progress:
            return signals_compared.compare(seen.pool, found, targets, seen.budgets, settings.scheme, progress)

    return _kept(("signals", seen.pool.digest, seen.budgets, settings.scheme), make)


def _key(seen: Seen) -> tuple[object, ...]:
    return seen.pool.digest, seen.target, seen.budgets


def _kept(key: tuple[object, ...], make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    store = _frames()
    if key not in store:
        store[key] = make()
        while len(store) > _KEPT:
            store.popitem(last=False)
    return store[key]
