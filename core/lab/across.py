"""Several pools side by side: every target at every budget, from Uniform to what `core.design.recommend` gives.

Source: the paper's grid of four benchmarks and its table of label savings; docs/designs.md, the ladder.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.ways import PROPORTIONAL, PROXY_NEYMAN, UNIFORM
from ..design.design import Design
from ..design.scheme import INFEASIBLE, PAPER, Scheme
from ..pool.compared import compared_targets
from ..pool.pool import Pool
from ..prospect.record import known_items
from ..simulation.exact import stratified_mse
from ..simulation.replications import rounds
from ..stratification.moments import moments
from .ladder import RECOMMENDED_STEP as RECOMMENDED
from .ladder import best_error, design_error, left_out, rung_design, uniform_needs
from .settings import TRIALS

BUDGETS = (50, 100, 200, 400)
PAPERS = PROXY_NEYMAN.name
METHODS = (UNIFORM.name, PROPORTIONAL.name, PAPERS, INFEASIBLE, *RECOMMENDED)
# Budgets above this share of the items are left out: with more, sampling is hardly worth it.
MOST = 1 / 3
ALL = "All pools"
# What shares the strata of the paper's design.
_STRATA = (PROPORTIONAL.name, PAPERS, INFEASIBLE)
_NO_ROUNDS = dict.fromkeys(("coverage", "coverage_error", "width", "bias", "bias_error"), math.nan)
_COLUMNS = (
    *("pool", "digest", "items", "target", "method", "budget"),
    *("mse", "relative_mse", "error", "uniform_needs", "saved", *_NO_ROUNDS),
)


def compare(
    pools: Sequence[Pool],
    budgets: Sequence[int] = BUDGETS,
    scheme: Scheme = PAPER,
    trials: int = 0,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Error of each method on every target of every pool.

    Parameters
    ----------
    pools : sequence of Pool
        Of more than 50 targets, 50 are compared (`core.pool.compared_targets`); those without a known outcome, or all
        of whose losses are equal, are left out.
    budgets : sequence of int
        Those from the number of strata to a third of the known outcomes are used.
    scheme : Scheme
        The paper's design, whose strata "proportional" and "oracle-neyman" share.
    trials : int
        T simulated rounds of every design that can be drawn, for coverage and bias; 0 simulates nothing.
    seed : int
        Of the rounds.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    DataFrame
        Tidy: pool, digest, items, target, method (of `METHODS`), budget, mse, relative_mse (a ratio), error (its
        standard error, 0 if it is exact), uniform_needs, saved (1 − budget/uniform_needs), coverage,
        coverage_error, width (mean), bias, bias_error; the last five NaN without rounds. Methods that a pool has no
        information for are missing.
    """
    pairs = [(pool, target) for pool in pools for target in compared_targets(pool)]
    rows: list[dict[str, object]] = []
    for done, (pool, target) in enumerate(pairs, start=1):
        rows += _rows(pool, target, budgets, scheme, trials, seed)
        if progress is not None:
            progress(done / len(pairs))
    return pd.DataFrame(rows, columns=_COLUMNS)


def means(table: pd.DataFrame) -> pd.DataFrame:
    """Mean relative error of each method: of each pool over its targets and budgets, and over all targets alike.

    Parameters
    ----------
    table : DataFrame
        Of `compare`.

    Returns
    -------
    DataFrame
        scope ("pool", or last "all pools"), pool (`ALL` of all), method, relative_mse, worst (the largest of a budget),
        targets (that have the method), and the least coverage and the largest |bias|/bias_error of a budget.
    """
    rows = table.assign(far=(table["bias"] / table["bias_error"]).abs())
    measures = {
        "relative_mse": ("relative_mse", "mean"),
        "worst": ("relative_mse", "max"),
        "coverage": ("coverage", "min"),
        "far": ("far", "max"),
    }
    of_target = rows.groupby(["digest", "pool", "target", "method"], sort=False).agg(**measures).reset_index()
    overall = {
        "relative_mse": ("relative_mse", "mean"),
        "worst": ("worst", "max"),
        "targets": ("target", "size"),
        "coverage": ("coverage", "min"),
        "far": ("far", "max"),
    }
    by_pool = (
        of_target.groupby(["digest", "pool", "method"], sort=False).agg(**overall).reset_index().assign(scope="pool")
    )
    whole = of_target.groupby("method", sort=False).agg(**overall).reset_index().assign(pool=ALL, scope="all pools")
    columns = ["scope", "pool", "method", *overall]
    return pd.concat([by_pool[columns], whole[columns]], ignore_index=True)


def savings(table: pd.DataFrame, budget: int = 100) -> pd.DataFrame:
    """Labels saved at equal error: the paper's design and the recommendation that knows most, on every target.

    Parameters
    ----------
    table : DataFrame
        Of `compare`.
    budget : int
        Number of labels; each target's nearest to it is taken.

    Returns
    -------
    DataFrame
        pool, items, target, budget, method, uniform_needs (labels that Uniform needs for the method's error), saved.
    """
    distance = np.abs(np.log(table["budget"].astype(np.float64) / budget))
    nearest = distance.groupby([table["digest"], table["target"]]).transform("min")
    at = table[distance == nearest]
    informed = at[at["method"].isin(RECOMMENDED)].groupby(["digest", "target"], sort=False).tail(1)
    rows = at.loc[sorted([*at.index[at["method"] == PAPERS], *informed.index])]
    columns = ["pool", "items", "target", "budget", "method", "uniform_needs", "saved"]
    return pd.DataFrame(rows, columns=columns).reset_index(drop=True)


def _rows(
    pool: Pool, target: str, budgets: Sequence[int], scheme: Scheme, trials: int, seed: int
) -> list[dict[str, object]]:
    """Rows of one target; none if its outcome is not known or leaves nothing to compare."""
    known = pool.losses(target, scheme.parser)
    known = known[np.isfinite(known)]
    if known.size == 0 or np.ptp(known) == 0:
        return []
    part = known_items(pool, target, scheme.parser)
    losses = part.losses(target, scheme.parser)
    whole = moments(losses, np.zeros(losses.size, dtype=np.int64))
    missing = left_out(part, target, scheme.parser)
    names = [method for method in METHODS if method not in missing and not (PAPERS in missing and method in _STRATA)]
    rows: list[dict[str, object]] = []
    for budget in budgets:
        if not scheme.n_strata <= budget <= MOST * losses.size:
            continue
        uniform = float(stratified_mse(whole, np.array([[budget]]))[0])
        for method in names:
            plan = _design(method, part, budget, target, scheme).draw(part, seed=0)
            if method == INFEASIBLE:
                mse, error = best_error(plan, losses), 0.0
            else:
                mse, error = design_error(plan, part, losses, trials or TRIALS, seed)
            row = {"pool": pool.name, "digest": pool.digest, "items": losses.size, "target": target}
            row |= {"method": method, "budget": budget, "mse": mse, "relative_mse": mse / uniform}
            needs = int(uniform_needs(whole, np.array([mse]))[0])
            row |= {"error": error / uniform, "uniform_needs": needs, "saved": 1 - budget / needs}
            simulated = trials and method != INFEASIBLE
            rows.append(row | (_simulated(plan.design, part, losses, trials, seed) if simulated else _NO_ROUNDS))
    return rows


def _design(method: str, pool: Pool, budget: int, target: str, scheme: Scheme) -> Design:
    """The design of a method; of "oracle-neyman" that whose strata it shares."""
    if method == PROPORTIONAL.name:
        return Design(budget, replace(scheme, allocation=method))
    return rung_design(PAPERS if method == INFEASIBLE else method, pool, budget, target, scheme)


def _simulated(design: Design, pool: Pool, losses: NDArray[np.float64], trials: int, seed: int) -> dict[str, float]:
    """Coverage, width and bias over simulated rounds of labelling."""
    drawn, truth = rounds(design, pool, losses, trials, seed), float(losses.mean())
    # An estimate that equals the truth up to rounding is covered even by an interval without width.
    covered = float(((drawn["low"] <= truth + 1e-12) & (drawn["high"] >= truth - 1e-12)).mean())
    return {
        "coverage": covered,
        "coverage_error": math.sqrt(covered * (1 - covered) / trials),
        "width": float((drawn["high"] - drawn["low"]).mean()),
        "bias": float(drawn["value"].mean()) - truth,
        "bias_error": float(drawn["value"].std(ddof=1)) / math.sqrt(trials),
    }
