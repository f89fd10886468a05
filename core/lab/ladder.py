"""The ladder: what each piece of information saves on a pool whose target's outcomes are known.

Source: the paper's table of budget savings; docs/method.md, 3 and 4.

Uniform, the paper's design, and the designs that `core.design.recommend` gives from the surrogate alone, with the
target's answers, and with past results of other models; last, the best allocation for the strata of the highest rung
that there is. Errors have a closed form, but for designs in several waves, which are simulated.
Source: docs/designs.md, the ladder.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation import ways
from ..allocation.ways import (
    FROM_ANSWERS,
    FROM_PAST,
    FROM_SURROGATE,
    ON_STRATA,
    PROXY_NEYMAN,
    RECOMMENDED,
    RULES,
    UNIFORM,
    WAYS,
    Method,
    method_allocations,
)
from ..design.design import Design, Plan
from ..design.recommend import recommend
from ..design.scheme import INFEASIBLE, PAPER, Scheme
from ..pool.pool import Pool
from ..prospect.leave_one_out import known_items
from ..prospect.prospect import Prospect
from ..signals.past import answered, past_models
from ..simulation.exact import labels_for, stratified_mse
from ..simulation.replications import rounds
from ..stratification.moments import Moments, moments
from ..stratification.profiles import Outcome
from .ablations import stratified
from .settings import TRIALS

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


# What a recommendation may know, least first.
RECOMMENDED_STEP = (FROM_SURROGATE.name, FROM_ANSWERS.name, FROM_PAST.name)
BEST = ways.BEST.name
RUNGS = (UNIFORM.name, PROXY_NEYMAN.name, *RECOMMENDED_STEP, BEST)
_NOTHING = "Nothing is known of the items."
_PAPER = "The surrogate’s disagreement, as semantic entropy."
_BEST = "The true losses, in the strata above."


def ladder(
    pool: Pool,
    target: str,
    budgets: Sequence[int],
    scheme: Scheme = PAPER,
    trials: int = TRIALS,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Error of each rung at each budget. The losses of the target choose no design but that of the last rung.

    Parameters
    ----------
    pool : Pool
        A pool with the target's outcome; items whose loss is unknown are left out.
    target : str
        One of its targets.
    budgets : (B,) int
        From the number of strata of ``scheme`` to N.
    scheme : Scheme
        The rung "proxy-neyman", by default the paper's design; its parser reads the answers of every rung.
    trials : int
        T ≥ 2 simulated rounds of a design that has no closed form.
    seed : int
        Of those rounds.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    DataFrame
        Tidy: rung (of `RUNGS`), label, budget, mse, relative_mse (a ratio, 1 is Uniform; NaN if Uniform's error is
        0), exact, error (standard error of relative_mse, 0 if exact), uniform_needs (labels that Uniform needs for
        this error), saved (1 − budget/uniform_needs, NaN for Uniform itself), why (what it rests on). Rungs of
        `left_out` are missing.

    Raises
    ------
    DesignError
        No loss is known, or a budget does not fit.
    PoolError
        The pool has no such target.
    """
    pool.check_unweighted("Lab")
    part = known_items(pool, target, scheme.parser)
    losses = part.losses(target, scheme.parser)
    whole = moments(losses, np.zeros(losses.size, dtype=np.int64))
    missing = left_out(part, target, scheme.parser)
    names = [rung for rung in RUNGS if rung not in missing]
    rows: list[dict[str, object]] = []
    for done, budget in enumerate(budgets, start=1):
        uniform = float(stratified_mse(whole, np.array([[budget]]))[0])
        strata: Plan | None = None
        for rung in names:
            exact = True
            if rung == BEST and strata is not None:
                mse, error, why = best_error(strata, losses), 0.0, _BEST
            else:
                design = rung_design(rung, part, budget, target, scheme)
                plan = design.draw(part, seed=0)
                mse, error = design_error(plan, part, losses, trials, seed)
                why, strata, exact = design.why, plan, not design.scheme.in_waves
            rows.append(_row(rung, budget, mse, error, exact, uniform, whole, why))
        if progress is not None:
            progress(done / len(budgets))
    return pd.DataFrame(rows).sort_values(
        "rung", key=lambda rung: rung.map(RUNGS.index), kind="stable", ignore_index=True
    )


def left_out(pool: Pool, target: str, parser: str | None = None) -> dict[str, str]:
    """Rungs that a pool has no information for, each with the reason.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str
        One of its targets.
    parser : str, optional
        Answer kind for all items.
    """
    missing: dict[str, str] = {}
    if not pool.n_generations:
        no_surrogate = "the pool has no generations of a surrogate"
        missing |= dict.fromkeys((PROXY_NEYMAN.name, FROM_SURROGATE.name, FROM_ANSWERS.name), no_surrogate)
    elif not answered(pool, target, parser):
        missing[FROM_ANSWERS.name] = f"the pool has outcomes of “{target}” but not its answers"
    if not past_models(pool, target, parser=parser):
        missing[FROM_PAST.name] = "no other model’s outcome is known on 95\u00a0% of the items"
    if missing.keys() >= set(RECOMMENDED_STEP):
        missing[BEST] = "it needs the strata of a rung above"
    return missing


def rung_design(rung: str, pool: Pool, budget: int, target: str, scheme: Scheme = PAPER) -> Design:
    """The design of a rung.

    Parameters
    ----------
    rung : str
        One of `RUNGS` but the last, or another of `core.design.ALLOCATIONS` in the strata of ``scheme``.
    pool : Pool
        The pool.
    budget : int
        M ≥ 1.
    target : str
        The target; "recommended-surrogate" knows nothing of it.
    scheme : Scheme
        The design of "proxy-neyman"; its parser holds for all.
    """
    parser = scheme.parser
    if rung in RECOMMENDED_STEP:
        whom = None if rung == FROM_SURROGATE.name else target
        return recommend(pool, budget, whom, None if rung == FROM_PAST.name else (), parser=parser)
    if rung == UNIFORM.name:
        return Design(budget, Scheme(allocation=rung, parser=parser), why=_NOTHING)
    return Design(budget, scheme, why=_PAPER)


def design_error(
    plan: Plan, pool: Pool, losses: NDArray[np.float64], trials: int = TRIALS, seed: int = 0
) -> tuple[float, float]:
    """Mean squared error of a plan's design and its standard error, 0 if it is exact.

    Parameters
    ----------
    plan : Plan
        Of the design on the pool.
    pool : Pool
        The pool.
    losses : (N,) float
        The target's losses, all known.
    trials : int
        Rounds for a design in several waves.
    seed : int
        Of the rounds.
    """
    if not plan.design.scheme.in_waves:
        return float(stratified_mse(moments(losses, plan.stratum), plan.allocation[None, :])[0]), 0.0
    values = rounds(plan.design, pool, losses, trials, seed)["value"].to_numpy(dtype=np.float64)
    squared = (values - losses.mean()) ** 2
    return float(squared.mean()), float(squared.std(ddof=1)) / math.sqrt(trials)


def best_error(plan: Plan, losses: NDArray[np.float64]) -> float:
    """Mean squared error of the best allocation of a plan's labels to its strata, which needs the losses.

    Parameters
    ----------
    plan : Plan
        Of a design on the pool.
    losses : (N,) float
        The target's losses, all known.
    """
    population = moments(losses, plan.stratum)
    labels = method_allocations(population, plan.strata.consistency, INFEASIBLE, [plan.design.budget])
    return float(stratified_mse(population, labels)[0])


def _row(
    rung: str, budget: int, mse: float, error: float, exact: bool, uniform: float, whole: Moments, why: str
) -> dict[str, object]:
    needs = int(uniform_needs(whole, np.array([mse]))[0])
    return {
        "rung": rung,
        "label": WAYS[rung].title,
        "budget": budget,
        "mse": mse,
        "relative_mse": mse / uniform if uniform > 0 else math.nan,
        "exact": exact,
        "error": error / uniform if uniform > 0 else math.nan,
        "uniform_needs": needs,
        "saved": math.nan if rung == UNIFORM.name else 1 - budget / needs,
        "why": why,
    }
