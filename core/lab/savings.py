"""Label savings, both ways, from the exact curves.

Source: the paper's table of budget savings; docs/method.md, 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.method import Method
from ..allocation.methods import method_allocations
from ..allocation.rules import ON_STRATA, RULES
from ..allocation.ways import RECOMMENDED
from ..design.scheme import PAPER, Scheme
from ..prospect.prospect import Prospect
from ..simulation.exact import labels_for, stratified_mse
from ..stratification.moments import Moments
from ..stratification.profiles import Outcome
from .ablations import stratified

Integers = NDArray[np.int64]


def savings(
    outcome: Outcome, budgets: Sequence[int], scheme: Scheme = PAPER, methods: Sequence[str] = ON_STRATA
) -> pd.DataFrame:
    """Return the savings of each method at each budget.

    The error of every method falls with each further label, so bisection on its exact curve finds the labels it needs;
    Uniform's curve is solved for them.

    Parameters
    ----------
    outcome : Outcome
        The target's known losses.
    budgets : (B,) int
        M, from H to N.
    scheme : Scheme
        Stratifier, H and δ.
    methods : sequence of str
        Of `core.allocation.RULES`.

    Returns
    -------
    DataFrame
        Tidy: method, label, budget, uniform_needs (labels Uniform needs for the method's error with M labels), needs
        (labels the method needs for Uniform's error with M labels; never fewer than there are strata), saved =
        M − needs, fraction = saved/M (negative if the method is worse).
    """
    strata, moments = stratified(outcome, scheme)
    budget = np.asarray(budgets, dtype=np.int64)
    uniform = stratified_mse(moments.pooled(), budget[:, None])
    rows = []
    for method in methods:
        errors = stratified_mse(moments, method_allocations(moments, strata.consistency, method, budget, scheme.offset))
        needs = [labels_for(moments, strata.consistency, method, float(e), scheme.offset) for e in uniform]
        rows.append(_saved(RULES[method], budget, uniform_needs(moments.pooled(), errors), needs))
    return pd.concat(rows, ignore_index=True)


def recommended(
    prospect: Prospect,
    outcome: Outcome,
    budgets: Sequence[int],
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Return the savings of the recommended design at each budget; columns as of `savings`.

    Its strata follow the budget, so its error may rise by a hair with a further label: bisection finds a budget with
    the wanted error, one label below which the error is larger.

    Parameters
    ----------
    prospect : Prospect
        Of the target.
    outcome : Outcome
        The target's known losses.
    budgets : (B,) int
        M, from 2 to N.
    progress : callable, optional
        Called with the share done.
    """
    pool = outcome.moments.pooled()
    budget = np.asarray(budgets, dtype=np.int64)
    uniform = stratified_mse(pool, budget[:, None])
    least = prospect.least

    def error(labels: int) -> float:
        return float(prospect.exact_curve([labels], [RECOMMENDED.name])["mse"].iloc[0])

    needs, errors = [], []
    for done, (labels, goal) in enumerate(zip(budget.tolist(), uniform.tolist(), strict=True), start=1):
        errors.append(error(max(labels, least)))
        low, high = (least, labels) if errors[-1] <= goal else (labels, pool.n_items)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if error(middle) <= goal * (1 + 1e-12) else (middle + 1, high)
        needs.append(max(low, least))
        if progress is not None:
            progress(done / budget.size)
    return _saved(RECOMMENDED, budget, uniform_needs(pool, np.array(errors)), needs)


def _saved(method: Method, budget: Integers, uniform: Integers, needs: Sequence[int]) -> pd.DataFrame:
    saved = budget - np.asarray(needs, dtype=np.int64)
    return pd.DataFrame(
        {
            "method": method.name,
            "label": method.title,
            "budget": budget,
            "uniform_needs": uniform,
            "needs": needs,
            "saved": saved,
            "fraction": saved / budget,
        }
    )


def uniform_needs(pool: Moments, errors: NDArray[np.float64]) -> NDArray[np.int64]:
    """Fewest labels M with which Uniform's error (1/M − 1/N) S² is at most each error, rounding as in `labels_for`.

    Parameters
    ----------
    pool : Moments
        Of the whole pool as one stratum.
    errors : (A,) float
        Squared errors, at least 0.
    """
    variance, n_items = float(pool.variances[0]), pool.n_items
    if variance == 0:
        return np.ones(errors.size, dtype=np.int64)
    needed = np.ceil(1.0 / (errors * (1 + 1e-12) / variance + 1.0 / n_items))
    return np.clip(needed, 1, n_items).astype(np.int64)
