"""Cached calls of core. Keys are digests and small parameters, never arrays; results are shared and read-only."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core.methods import METHODS
from core.moments import Moments
from core.pool import Pool
from core.profile import Outcome, Profile, Stratification, outcome, profile
from core.simulated import simulated_curve, split
from pages.parts.progress import Progress

# Random numbers that a simulation may draw without a progress bar: about a second of work.
_QUIET_DRAWS = 30_000_000
_KEPT_SIMULATIONS = 256


@st.cache_resource(max_entries=6, show_spinner="Measuring the surrogate’s disagreement …")
def _profile(digest: str, kind: str | None, _pool: Pool) -> Profile:
    return profile(_pool.classes(kind))


@st.cache_resource(max_entries=24, show_spinner="Reading the target’s outcomes …")
def _outcome(digest: str, kind: str | None, target: str, _pool: Pool) -> Outcome | None:
    return outcome(_profile(digest, kind, _pool), _pool.losses(target, kind))


@st.cache_resource
def _simulations() -> OrderedDict[Simulation, pd.DataFrame]:
    # Not st.cache_data: a cached function may not move a progress bar that stands outside of it.
    return OrderedDict()


@dataclass(frozen=True, slots=True)
class Simulation:
    """All that a simulated curve depends on."""

    digest: str
    kind: str | None
    target: str
    stratifier: str
    n_strata: int
    offset: float
    budgets: tuple[int, ...]
    trials: int
    seed: int


def pool_profile(pool: Pool, kind: str | None) -> Profile:
    """Signal and self-consistency of a pool under an answer kind."""
    texts = pool.n_items * pool.n_generations
    with Progress("Reading the answers", texts, "texts") as progress:
        # Read here, not in the cached call, which may not move a progress bar; the pool keeps what it read.
        pool.classes(kind, progress)
    return _profile(pool.digest, kind, pool)


def target_outcome(pool: Pool, kind: str | None, target: str) -> Outcome | None:
    """A target's outcome on a pool; None where no item's loss is known."""
    return _outcome(pool.digest, kind, target, pool)


def simulated(
    wanted: Simulation, found: Outcome, strata: Stratification, progress: Callable[[float], None]
) -> pd.DataFrame:
    """Simulated curve, from the cache where it was made before; ``progress`` is called only where it takes a while."""
    store = _simulations()
    if wanted not in store:
        moments: Moments = found.moments.merge(strata.of_level)
        parts = None if moments.binary else split(found.losses, strata.of_level[found.profile.levels.member])
        store[wanted] = simulated_curve(
            moments,
            strata.consistency,
            np.array(wanted.budgets),
            wanted.offset,
            METHODS,
            wanted.trials,
            wanted.seed,
            parts,
            progress if is_slow(found, wanted.trials) else None,
        )
        while len(store) > _KEPT_SIMULATIONS:
            store.popitem(last=False)
    return store[wanted]


def is_slow(found: Outcome, trials: int) -> bool:
    """Whether a simulation draws item by item and takes more than about a second."""
    return not found.moments.binary and found.losses.size * trials > _QUIET_DRAWS
