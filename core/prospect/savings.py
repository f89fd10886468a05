"""Savings of the recommended design on other pools, by their known outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..allocation.optimum import uniform_size
from ..design.recommend import recommend, recommend_along
from ..design.scheme import pool_profile
from ..errors import NeymanError
from ..pool.pool import Pool
from ..pool.target_sets import compared_targets
from ..signals.entries import SIGNALS
from ..signals.quality import auroc
from ..simulation.exact import exact_mse
from ..words import counted, per_cent, share_span

# Labels at which savings are compared, or a third of a small pool.
LABELS = 100


@dataclass(frozen=True, slots=True)
class Saving:
    """Exact saving of the recommended design for one target of a pool.

    Parameters
    ----------
    pool, target : str
        Their names.
    labels : int
        M.
    saved : float
        Share of the labels that Uniform needs for the same error, in (−∞, 1).
    accuracy : float
        Of the target; NaN if losses are not 0 or 1.
    auroc : float
        Of the design's signal; NaN if losses are not 0 or 1.
    """

    pool: str
    target: str
    labels: int
    saved: float
    accuracy: float
    auroc: float


def savings(
    pool: Pool,
    labels: int = LABELS,
    parser: str | None = None,
    signal: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> list[Saving]:
    """Savings for each target whose outcome is known on every item and varies, of thousands for 50 of them.

    Parameters
    ----------
    pool : Pool
        The pool. The losses of a target are not used for its own design.
    labels : int
        M; at most a third of the items.
    parser : str, optional
        Answer kind of all items.
    signal : str, optional
        One of `core.signals.SIGNALS` that the designs follow, by default the recommended one. Targets for which the
        pool lacks it are left out.
    progress : callable, optional
        Called with the share done, in [0, 1].
    """
    budget = max(1, min(labels, pool.n_items // 3))
    rows = []
    targets = compared_targets(pool)
    for place, target in enumerate(targets):
        if progress is not None:
            progress(place / len(targets))
        losses = pool.losses(target, parser)
        if np.isnan(losses).any() or np.ptp(losses) == 0:
            continue
        try:
            if signal is None:
                design = recommend(pool, budget, target, parser=parser)
            else:
                design = recommend_along(pool, budget, signal, target, parser=parser)
            profile = pool_profile(pool, design.scheme, design.risk)
        except NeymanError:
            continue
        strata = design.scheme.stratify(profile)
        error = exact_mse(losses, profile.stratum(strata), design.scheme.allocate(strata, budget))
        variance = float(losses.var(ddof=1))
        needed = uniform_size(error, variance, pool.n_items)
        share = np.isin(losses, (0.0, 1.0)).all()
        accuracy = 1 - float(losses.mean()) if share else math.nan
        along = math.nan if design.scheme.uniform or not share else auroc(profile.signal, losses)
        rows.append(Saving(pool.name, target, budget, 1 - budget / needed, accuracy, along))
    return rows


def saved_by(rows: Sequence[Saving], signal: str | None = None) -> str:
    """Write what the recommended design saved for targets whose outcomes are known; "" for none.

    Parameters
    ----------
    rows : sequence of Saving
        Of one pool or several.
    signal : str, optional
        One of `core.signals.SIGNALS` that all the designs follow.
    """
    if not rows:
        return ""
    low, middle, high = np.quantile([row.saved for row in rows], [0.0, 0.5, 1.0])
    share = per_cent(middle)
    if len(rows) > 1:
        share = f"{share_span(low, high)} (median {share})"
    of = f"{counted(len(rows), 'target')} of {counted(len({row.pool for row in rows}), 'pool')}"
    like = "Pools" if signal is None else f"Pools like this one, sorted by {SIGNALS[signal].noun} too,"
    return f"{like} saved {share} of the labels that Uniform (a plain random sample) takes: {of}, exact."
