"""Forecast of what a budget buys before any label, from what is believed of the judge (docs/judge.md, 4)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import bdtrik, betaincinv

from ..design.judging import class_labels, n_strata
from ..errors import DesignError
from ..words import counted
from .measures import KAPPA, MEASURES, PASS_RATE, TNR, TPR, JudgeMeasure, VerdictPair, limits_of
from .rates import NOTHING, VerdictSample

NO_FORECAST = "Items count by their weights: how precise the result will be is not forecast."
# A judge fails some good answers and passes some bad ones, whatever is believed.
_LEAST_RATE = 0.005
_FAIL_RANGE = (0.02, 0.9)
# Good answers, and failures, that what is usually believed of a judge counts as.
AS_MANY = 4.0
# Likely lists that a forecast is the mean of, and its range the extremes.
_LISTS = 48
# How well a risk sorts failures in a class: real ones lie between .5 and .75.
_AUROC = 0.65
# Least m·p·(1 − p) of a class from which on strata count; a share p of its m labels is expected to fail.
_ENOUGH = 10
# Budgets that were simulated begin here.
SIMULATED_FROM = 50
_WANTED = (TNR, TPR, PASS_RATE)
# The root of g⁵ = g + 1, whose powers spread points evenly in four dimensions.
_GOLDEN = 1.1673039782614187


@dataclass(frozen=True, slots=True)
class JudgeBelief:
    """Beliefs about a judge before any label.

    Parameters
    ----------
    tpr, tnr : float
        Shares of the good answers that it passes and of the failures that it catches, in [0, 1].
    fails : float or None
        Share of the items that people would fail, in (0, 1); None: what the judge's own pass rate implies.
    risk : bool
        Whether the list has strata along a risk, which is believed to sort failures by an AUROC of .65 in each class.
    worth : (float, float)
        Good answers and failures that would say as much of either rate: how far a forecast's range reaches.

    Raises
    ------
    DesignError
        A share lies outside its range.
    """

    tpr: float = 0.9
    tnr: float = 0.8
    fails: float | None = None
    risk: bool = False
    worth: tuple[float, float] = (AS_MANY, AS_MANY)

    def __post_init__(self) -> None:
        for name, value in (("TPR", self.tpr), ("TNR", self.tnr)):
            if not 0 <= value <= 1:
                raise DesignError(f"The expected {name} must lie between 0 and 1. Found {value:g}.")
        if self.fails is not None and not 0 < self.fails < 1:
            raise DesignError(f"The expected share of failures must lie between 0 and 1. Found {self.fails:g}.")

    def failing(self, u: float) -> float:
        """φ, the share of items that people would fail, given the share u of fail verdicts."""
        if self.fails is not None:
            return self.fails
        better_than_chance = self.tpr + self.tnr - 1
        implied = (u - 1 + self.tpr) / better_than_chance if better_than_chance > 0 else u
        return min(max(implied, _FAIL_RANGE[0]), _FAIL_RANGE[1])

    def rates(self, u: float) -> tuple[float, float]:
        """p_F and p_P, the shares of fail and of pass verdicts that people would fail."""
        failing = self.failing(u)
        of_fails = failing * self.tnr / u if u > 0 else 0.0
        of_passes = failing * (1 - self.tnr) / (1 - u) if u < 1 else 0.0
        return _inside(of_fails), _inside(of_passes)


@dataclass(frozen=True, slots=True)
class JudgeForecast:
    """Expected findings of a list of a budget.

    Parameters
    ----------
    budget : int
        M.
    pair : VerdictPair
        The labels as they are expected, one stratum a class, or several along a risk.
    belief : JudgeBelief
        What is believed of the judge.
    """

    budget: int
    pair: VerdictPair
    belief: JudgeBelief

    @property
    def failures(self) -> float:
        """Failing items that the list is expected to hold."""
        return self.pair.found

    def half_width(self, measure: JudgeMeasure) -> float:
        """Half the width of the interval that is expected, if the judge is as believed."""
        return float(_half_widths(self, (measure,), False).mean())

    def half_widths(self, measure: JudgeMeasure) -> tuple[float, float]:
        """The range of half the width, if what is believed of the judge is no surer than it is worth."""
        halves = _half_widths(self, (measure,), True)
        return float(halves.min()), float(halves.max())

    @property
    def headline(self) -> str:
        """Say how precisely the pass rate will be known."""
        return f"You will know the corrected pass rate within ±{100 * self.half_width(PASS_RATE):.0f} points."

    @property
    def more(self) -> str:
        """Say what else the list is expected to say, and how far that reaches."""
        low, high = (f"{100 * half:.0f}" for half in self.half_widths(TNR))
        labels, failures = counted(self.budget, "label"), counted(round(self.failures), "failure")
        width = f"±{100 * self.half_width(TNR):.0f} points (±{low} to ±{high})"
        return f"Expect {failures} among {labels}, and the share of failures caught within {width}."


def forecast(n_fail: int, n_pass: int, budget: int, belief: JudgeBelief = JudgeBelief()) -> JudgeForecast:
    """Forecast what a list of a budget says.

    Parameters
    ----------
    n_fail, n_pass : int
        Items that the judge fails and passes.
    budget : int
        M, at most all items.
    belief : JudgeBelief
        What is believed of the judge.

    Raises
    ------
    DesignError
        The budget is below 1 or above the number of items.
    """
    n_items = n_fail + n_pass
    if not 1 <= budget <= n_items:
        raise DesignError(f"The budget must lie between 1 and the number of items, {n_items:,}. Found {budget:,}.")
    return _expected(n_fail, n_pass, budget, belief.rates(n_fail / n_items), belief)


def forecasts(n_fail: int, n_pass: int, budgets: Iterable[int], belief: JudgeBelief = JudgeBelief()) -> pd.DataFrame:
    """Forecast for several budgets.

    Returns
    -------
    DataFrame
        A row a budget: budget, failures (expected in the list), and half-widths as fractions of 1: tnr, tpr, pass_rate,
        kappa.
    """
    rows = []
    for budget in budgets:
        one = forecast(n_fail, n_pass, budget, belief)
        halves = _half_widths(one, (*_WANTED, KAPPA), False).mean(axis=0)
        names = [of.name for of in (*_WANTED, KAPPA)]
        rows.append({"budget": budget, "failures": one.failures, **dict(zip(names, halves.tolist(), strict=True))})
    return pd.DataFrame(rows)


def budgets(n_items: int) -> list[int]:
    """Round numbers of labels, from 20 or all items to all items."""
    steps = (20, 30, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1_000, 1_500, 2_000, 3_000, 5_000)
    return [*(step for step in steps if step < n_items), min(n_items, steps[-1] * 2)]


def precisions(n_fail: int, n_pass: int, belief: JudgeBelief = JudgeBelief()) -> pd.DataFrame:
    """Labels for half-widths of 20, 15, 10 and 5 points.

    Returns
    -------
    DataFrame
        A row a half-width: half_width (fraction of 1), and the labels for it of tnr, tpr and pass_rate; None if no
        number of labels is expected to suffice.
    """
    rows = [
        {"half_width": width, **{one.name: labels_for(n_fail, n_pass, one.name, width, belief) for one in _WANTED}}
        for width in (0.2, 0.15, 0.1, 0.05)
    ]
    return pd.DataFrame(rows).astype({one.name: "Int64" for one in _WANTED})


def labels_for(
    n_fail: int, n_pass: int, measure: str, half_width: float, belief: JudgeBelief = JudgeBelief()
) -> int | None:
    """Find the fewest labels with which an interval is expected to be no wider than ±w.

    Parameters
    ----------
    n_fail, n_pass, belief
        As in `forecast`.
    measure : str
        Of `MEASURES`.
    half_width : float
        w in (0, 1).

    Returns
    -------
    int or None
        In steps of 5; None if not even all labels but one suffice.
    """
    if not 0 < half_width < 1:
        raise DesignError(f"The half-width must lie between 0 and 1, such as 0.1 for ten points. Found {half_width:g}.")
    of = MEASURES[measure]
    return _first(
        n_fail + n_pass, 20, lambda m: forecast(n_fail, n_pass, m, belief).half_width(of) <= half_width + 1e-9
    )


def labels_for_ten_failures(n_fail: int, n_pass: int, rates: tuple[float, float]) -> int | None:
    """Find the fewest labels that are expected to hold ten failures.

    Parameters
    ----------
    n_fail, n_pass
        As in `forecast`.
    rates : (float, float)
        p_F and p_P.

    Returns
    -------
    int or None
        In steps of 5; None if the pool is not expected to hold them.
    """
    return _first(n_fail + n_pass, 5, lambda m: _expected(n_fail, n_pass, m, rates).failures >= 10 - 1e-9)


def labels_to_decide(pair: VerdictPair, from_budget: int, holds: Callable[[VerdictPair], bool]) -> int | None:
    """Find the fewest labels with which a decision is expected, if the rates stay as they are.

    Parameters
    ----------
    pair : VerdictPair
        The labels so far.
    from_budget : int
        How many they are.
    holds : callable
        Whether labels decide.

    Returns
    -------
    int or None
        In steps of 5; None if not even all labels but one decide.
    """
    sizes, rates = (pair.fails.size, pair.passes.size), (pair.fails.rate, pair.passes.rate)
    start = from_budget - from_budget % 5 + 5
    return _first(pair.size, start, lambda m: holds(_expected(*sizes, m, rates).pair))


def _expected(
    n_fail: int, n_pass: int, budget: int, rates: tuple[float, float], belief: JudgeBelief = JudgeBelief()
) -> JudgeForecast:
    of_each = zip((n_fail, n_pass), class_labels(n_fail, n_pass, budget), rates, strict=True)
    return JudgeForecast(budget, VerdictPair(*(_sample(*one, belief.risk) for one in of_each)), belief)


@lru_cache(maxsize=64)
def _half_widths(one: JudgeForecast, measures: tuple[JudgeMeasure, ...], doubted: bool) -> NDArray[np.float64]:
    """Return half the widths of K measures' limits of R likely lists, (R, K).

    Lists are spread evenly (Roberts 2018) over quantiles of the failures found in either class and, if doubted, of both
    rates of the judge.
    """
    belief, classes = one.belief, (one.pair.fails, one.pair.passes)
    at = (0.5 + np.outer(np.arange(_LISTS), _GOLDEN ** -np.arange(1.0, 5.0))) % 1
    rates = [belief.rates(one.pair.u)] * _LISTS
    if doubted:
        believed = zip((belief.tpr, belief.tnr), belief.worth, at.T[2:], strict=True)
        # As after so many labels if any rate were as likely as another.
        both = [betaincinv(1 + worth * share, 1 + worth * (1 - share), q) for share, worth, q in believed]
        rates = [replace(belief, tpr=tpr, tnr=tnr).rates(one.pair.u) for tpr, tnr in np.transpose(both).tolist()]
    drawn = []
    for part, rate, q in zip(classes, np.transpose(rates), at.T, strict=False):
        labels = max(round(part.n_labels), 1)
        mean, left = labels * rate, max(part.size - labels, 0) / max(part.size - 1, 1)
        found = np.rint(mean + (np.ceil(bdtrik(q, labels, rate)) - mean) * left**0.5) / labels
        drawn.append([_sample(part.size, labels, x, belief.risk, len(part.sizes)) for x in found])
    pairs = [VerdictPair(*two) for two in zip(*drawn, strict=True)]
    return np.asarray(np.diff(limits_of(pairs, measures))[..., 0] / 2)


def _sample(size: int, labels: int, rate: float, risk: bool, strata: int | None = None) -> VerdictSample:
    """A class as it is expected; along a risk its rate rises evenly, if there are enough failures to see it."""
    if not size:
        return NOTHING
    strata = strata or (n_strata(labels) if risk and labels < size else 1)
    ends = [size * place // strata for place in range(strata + 1)]
    sizes = tuple(end - start for start, end in pairwise(ends))
    shares = [labels * one / size for one in sizes]
    steps = [2 * place / (strata - 1) - 1 for place in range(strata)] if strata > 1 else [0.0]
    # Between equal strata at rates p(1 + δc), AUROC − ½ = δ Σ (c_i − c_j) / (2 G² (1 − p)) over pairs i > j.
    gaps = sum(above - below for below, above in combinations(steps, 2))
    sorts = gaps and labels * rate * (1 - rate) >= _ENOUGH
    slope = (_AUROC - 0.5) * 2 * strata**2 * (1 - rate) / gaps if sorts else 0.0
    fails = tuple(share * rate * (1 + slope * step) for share, step in zip(shares, steps, strict=True))
    return VerdictSample(sizes, tuple(shares), fails)


def _first(n_items: int, start: int, holds: Callable[[int], bool]) -> int | None:
    """The smallest budget in steps of 5 at which something holds that holds at every larger one."""
    budgets = range(start, n_items, 5)
    if not budgets or not holds(budgets[-1]):
        return None
    return budgets[bisect_left(budgets, True, key=holds)]


def _inside(rate: float) -> float:
    return min(max(rate, _LEAST_RATE), 1 - _LEAST_RATE)
