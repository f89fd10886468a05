"""Cached calls of core. Keys are digests and small parameters, never arrays; results are shared and read-only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from core.allocation import METHODS
from core.design import Scheme
from core.memo import BoundedCache
from core.pool import Pool
from core.simulation import trials as monte_carlo
from core.stratification import Moments, Outcome, Profile, Stratification, outcome, profile
from pages.parts.app.progress import Progress

# Random numbers that a simulation may draw without a progress bar: about a second of work.
_QUIET_DRAWS = 30_000_000
_KEPT_SIMULATIONS = 1024
_MOST_STRATA = 10


@st.cache_resource(max_entries=6, show_spinner="Measuring the surrogate’s disagreement …")
def _profile(digest: str, kind: str | None, _pool: Pool) -> Profile:
    return profile(_pool.class_counts(kind))


@st.cache_resource(max_entries=24, show_spinner="Reading the target’s outcomes …")
def _outcome(digest: str, kind: str | None, target: str, _pool: Pool) -> Outcome | None:
    return outcome(_profile(digest, kind, _pool), _pool.losses(target, kind))


@st.cache_resource
def _simulations() -> BoundedCache[tuple[CurveKey, tuple[str, ...]], pd.DataFrame]:
    return BoundedCache(_KEPT_SIMULATIONS)


@st.cache_resource(max_entries=8, show_spinner=False)
def _prepared(budgets: tuple[int, ...], trials: int, seed: int) -> None:
    # Once, with the first figure: a move of H then finds its random numbers drawn, whatever H is.
    monte_carlo.prepare(budgets, len(METHODS), _MOST_STRATA, trials, seed)


@dataclass(frozen=True, slots=True)
class CurveKey:
    """All that a simulated curve depends on: digest of the pool, target, scheme, budgets, trials and seed."""

    digest: str
    target: str
    scheme: Scheme
    budgets: tuple[int, ...]
    trials: int
    seed: int


def pool_profile(pool: Pool, kind: str | None) -> Profile:
    """Signal and self-consistency of a pool under an answer kind."""
    texts = pool.n_items * pool.n_generations
    with Progress("Reading the answers", texts, "texts") as progress:
        # Read here, not in the cached call, which may not move a progress bar; the pool keeps what it read.
        pool.class_counts(kind, progress)
    return _profile(pool.digest, kind, pool)


def target_outcome(pool: Pool, kind: str | None, target: str) -> Outcome | None:
    """Return a target's outcome on a pool; None where no item's loss is known."""
    return _outcome(pool.digest, kind, target, pool)


def simulated(
    setting: CurveKey, known: Outcome, strata: Stratification, progress: Callable[[float], None]
) -> pd.DataFrame:
    """Return a simulated curve, kept where it was made before; ``progress`` is called where it takes a while."""
    moments: Moments = known.moments_in(strata)
    store = _simulations()

    def simulate(methods: tuple[str, ...], parts: list[NDArray[np.float64]] | None = None) -> pd.DataFrame:
        return monte_carlo.simulated_curve(
            moments,
            strata.consistency,
            np.array(setting.budgets),
            setting.scheme.offset,
            methods,
            setting.trials,
            setting.seed,
            parts,
            progress if parts is not None and is_slow(known, setting.trials) else None,
        )

    if not moments.binary:
        curve = store.get((setting, METHODS))
        if curve is None:
            parts = monte_carlo.split(known.losses, known.profile.stratum(strata))
            curve = store.put((setting, METHODS), simulate(METHODS, parts))
        return curve
    if len(setting.budgets) > 1:
        _prepared(setting.budgets, setting.trials, setting.seed)
    # What a method does not depend on leaves its curve as it is while a slider moves.
    keys = {method: (replace(setting, scheme=setting.scheme.relevant(method)), (method,)) for method in METHODS}
    curves = {method: curve for method, key in keys.items() if (curve := store.get(key)) is not None}
    missing = tuple(method for method in METHODS if method not in curves)
    if missing:
        rows, size = simulate(missing), len(setting.budgets)
        for place, method in enumerate(missing):
            curves[method] = store.put(keys[method], rows.iloc[place * size : (place + 1) * size])
    return pd.concat([curves[method] for method in METHODS], ignore_index=True)


def is_slow(known: Outcome, trials: int) -> bool:
    """Whether a simulation draws item by item and takes more than about a second."""
    return not known.moments.binary and known.losses.size * trials > _QUIET_DRAWS
