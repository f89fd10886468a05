"""Labels that the recommended design saved for the targets of a pool whose outcomes are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import NeymanError
from ..pool.pool import Pool
from ..pool.target_sets import compared_targets
from ..signals.entries import SIGNALS
from ..signals.quality import auroc
from ..words import counted, per_cent, share_span
from .leave_one_out import LABELS
from .prospect import Prospect
from .question import Question


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
        Share saved of the labels with which Uniform's interval is as narrow, in (−∞, 1).
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
    # What is saved for one pool and another is compared of items that count the same.
    pool = pool.weighted(None) if pool.weights is not None else pool
    budget = max(1, min(labels, pool.n_items // 3))
    rows = []
    targets = compared_targets(pool)
    for place, target in enumerate(targets):
        if progress is not None:
            progress(place / len(targets))
        asked = Prospect(pool, target, budget, Question(parser=parser, signal=signal))
        try:
            known, gain = asked.known, asked.gain
        except NeymanError:
            continue
        if known is None or gain is None or not asked.varies:
            continue
        share = asked.share
        along = math.nan if asked.uniform or not share else auroc(asked.profile.signal, known.losses)
        accuracy = 1 - float(known.losses.mean()) if share else math.nan
        rows.append(Saving(pool.name, target, budget, gain.saved, accuracy, along))
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
