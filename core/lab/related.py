"""The related methods of the paper's discussion: GAT, AcTracer and control variates, to be compared with.

Source: the paper, section 2; docs/designs.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .. import lure
from ..allocation.rules import PROXY_NEYMAN, UNIFORM
from ..allocation.ways import ACTRACER, CONTROL_VARIATE, CONTROL_VARIATE_BEST, GAT
from ..design.scheme import PAPER, Scheme
from ..pool.pool import Pool
from ..signals.entropy import self_consistency
from ..simulation.exact import ratio, stratified_mse
from ..stratification.profiles import Outcome
from . import actracer, baselines, control_variates, gat
from .ablations import share_of
from .control_variates import Verdicts
from .settings import TRIALS


def exact(outcome: Outcome, predicted: Verdicts, budgets: Sequence[int], scheme: Scheme = PAPER) -> pd.DataFrame:
    """Exact error of Uniform, the paper's design, and control variates with the frozen and with the best coefficient.

    Parameters
    ----------
    outcome : Outcome
        The target's N known losses.
    predicted : Verdicts
        Of the same N items.
    budgets : (B,) int
        From H to N.
    scheme : Scheme
        The paper's design.

    Returns
    -------
    DataFrame
        Tidy: method, budget, mse, relative_mse, as of `core.lab.baselines.exact`.
    """
    paper = baselines.exact(outcome, budgets, scheme, (UNIFORM.name, PROXY_NEYMAN.name))
    uniform = stratified_mse(outcome.moments.pooled(), np.asarray(budgets, dtype=np.int64)[:, None])
    losses, z = outcome.losses, predicted.losses
    tables = [paper]
    best = control_variates.best_coefficient(losses, z)
    for method, coefficient in ((CONTROL_VARIATE.name, predicted.coefficient), (CONTROL_VARIATE_BEST.name, best)):
        mse = control_variates.exact_errors(losses, z, budgets, coefficient)
        cells = {"method": method, "budget": budgets, "mse": mse, "relative_mse": ratio(mse, uniform)}
        tables.append(pd.DataFrame(cells))
    return pd.concat(tables, ignore_index=True)


def simulated(
    pool: Pool,
    outcome: Outcome,
    known: NDArray[np.bool_],
    budgets: Sequence[int],
    trials: int = TRIALS,
    clip: float = 0.1,
    seed: int = 0,
    proxy: str | None = None,
    parser: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Simulated error and bias of GAT and AcTracer, as far as the pool has what they need.

    Parameters
    ----------
    pool : Pool
        The pool.
    outcome : Outcome
        The target's known losses.
    known : (N,) bool
        Where its loss is known.
    budgets : (B,) int
        From 1 to the number of known losses.
    trials : int
        T ≥ 2.
    clip : float
        LURE's share of Uniform, in (0, 1].
    seed : int
        Of the draws.
    proxy : str, optional
        The column of GAT's P(True).
    parser : str, optional
        Answer kind of the generations, whose self-consistency is AcTracer's confidence.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    DataFrame
        Tidy: as of `core.lab.baselines.simulated`, with bias (mean estimate less the truth) and bias_error. Empty if
        the pool has neither; NaN at budgets that AcTracer cannot begin with.
    """
    losses, budget = outcome.losses, np.asarray(budgets, dtype=np.int64)
    uniform = stratified_mse(outcome.moments.pooled(), budget[:, None])
    true, points = gat.proxy(pool, proxy), actracer.vectors(pool)
    methods: dict[str, Callable[[Callable[[float], None] | None], NDArray[np.float64]]] = {}
    if true is not None:
        scores = gat.scores(true[known])
        methods[GAT.name] = lambda share: lure.estimates(losses, scores, budget, trials, clip, seed, share)
    if points is not None:
        cluster = actracer.clusters(points[known], seed=seed)
        sure = self_consistency(pool.classes(parser))[known] if pool.n_generations else None
        methods[ACTRACER.name] = lambda share: actracer.estimates(
            losses, cluster, budgets, sure, trials, seed=seed, progress=share
        )
    rows = []
    for done, (method, draw) in enumerate(methods.items()):
        errors = draw(share_of(progress, done, len(methods))) - losses.mean()
        bias = {"bias": errors.mean(axis=0), "bias_error": errors.std(axis=0, ddof=1) / math.sqrt(trials)}
        rows.append(baselines.of_errors(method, budget, errors, uniform).assign(**bias))
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()


def lacks(pool: Pool, proxy: str | None = None) -> list[str]:
    """Return what the pool would need for the methods that are left out, a sentence each.

    Parameters
    ----------
    pool : Pool
        The pool.
    proxy : str, optional
        The column of GAT's P(True).
    """
    missing = [gat.LACKS] if gat.proxy(pool, proxy) is None else []
    return missing + ([actracer.LACKS] if actracer.vectors(pool) is None else [])
