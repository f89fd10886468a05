"""Scenarios in which methods are compared, and simulated lists of a method in each of them.

`SCENARIOS` says which target and which past models a pool gives for each situation. The methods see the past models'
outcomes and answers, the target's own answers if the pool has them, and never its losses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...design.recommend import recommend
from ...estimation.intervals import DEFAULT
from ...pool.pool import Pool
from ...signals.past import past_losses, past_risk
from ...simulation.exact import stratified_mse
from ...stratification.moments import moments
from ..coverage import binary_samples

# Models that are "similar": at least so many, on both sides of the target.
_SEVERAL = 3
# By how much a target is stronger than the best of its past models, in accuracy.
STRONGER_BY = 0.05
_FEW = 2


@dataclass(frozen=True, slots=True)
class Scenario:
    """A situation in which methods are compared.

    Parameters
    ----------
    name : str
        In frames.
    title : str
        As people read it.
    meaning : str
        Who is the target, and who are the past models.
    place : callable
        From the number of models to the target's place by accuracy, 0 for the best.
    past : callable
        From the pool, the target and the other models, most accurate first, to the past models; () if there are not
        enough of them.
    """

    name: str
    title: str
    meaning: str
    place: Callable[[int], int]
    past: Callable[[Pool, str, Sequence[str]], Sequence[str]]


def _best(models: int) -> int:
    return 0


def _second(models: int) -> int:
    return 1


def _middle(models: int) -> int:
    return models // 2


def _similar(pool: Pool, target: str, others: Sequence[str]) -> Sequence[str]:
    return others if len(others) >= _SEVERAL else ()


def _weaker(pool: Pool, target: str, others: Sequence[str]) -> Sequence[str]:
    own = float(pool.losses(target).mean())
    return [name for name in others if pool.losses(name).mean() >= own + STRONGER_BY]


def _few(pool: Pool, target: str, others: Sequence[str]) -> Sequence[str]:
    return [name for name in past_of(pool, target, len(pool.targets)) if name in others][:_FEW]


SCENARIOS = (
    Scenario(
        "similar",
        "Similar models",
        "The target is the second most accurate model; all the others, at least three, are past models.",
        _second,
        _similar,
    ),
    Scenario(
        "stronger",
        "A stronger target than all past models",
        "The target is the most accurate model; past models are those at least five points less accurate.",
        _best,
        _weaker,
    ),
    Scenario(
        "few",
        "Few past models",
        "The target is the second most accurate model; past models are the two next less accurate ones, or the only "
        "other one.",
        _second,
        _few,
    ),
    Scenario(
        "middle",
        "A middle target",
        "The target is the model in the middle by accuracy; all the others, at least three, are past models.",
        _middle,
        _similar,
    ),
)


def past_of(pool: Pool, target: str, count: int, parser: str | None = None) -> tuple[str, ...]:
    """The models nearest in accuracy below a target, or else above it, as its past versions.

    Parameters
    ----------
    pool : Pool
        With outcomes.
    target : str
        The target.
    count : int
        How many.
    parser : str, optional
        Answer kind of all items.
    """
    rate = {name: float(np.nanmean(pool.losses(name, parser))) for name in pool.targets}
    others = [name for name in pool.targets if name != target and not np.isnan(rate[name])]
    worse = sorted((name for name in others if rate[name] >= rate[target]), key=lambda name: rate[name])
    better = sorted((name for name in others if rate[name] < rate[target]), key=lambda name: -rate[name])
    return tuple([*worse, *better][:count])


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """A target with what is known of it before any label, and its losses for the simulation.

    Parameters
    ----------
    pool : Pool
        The pool.
    scenario : Scenario
        The situation.
    target : str
        The model that is evaluated.
    past : tuple of str
        The past models.
    losses : (N,) float
        The target's, 0 or 1, all known.
    risk : (N,) float
        p̂, predicted from past results and answers as Neyman's own design predicts it: every method that needs a
        prediction is given this one.
    """

    pool: Pool
    scenario: Scenario
    target: str
    past: tuple[str, ...]
    losses: NDArray[np.float64]
    risk: NDArray[np.float64]

    @property
    def outcomes(self) -> NDArray[np.float64]:
        """Losses of the past models, (N, J)."""
        return past_losses(self.pool, self.target, self.past)

    @property
    def mean(self) -> float:
        """The mean loss, which is estimated."""
        return float(self.losses.mean())


def contests(pool: Pool, target: str | None = None) -> list[Contest]:
    """The contests of a pool, one for each scenario that it has enough models for.

    Parameters
    ----------
    pool : Pool
        Models whose outcome is not known on every item, or is neither right nor wrong, are left out, and so are
        targets that are right, or wrong, on all items: every method is exact there.
    target : str, optional
        The target of every contest, by default the one at the scenario's place. Scenarios that differ in nothing but
        the target are then one contest, the first.
    """
    accuracy = {name: 1 - loss.mean() for name in pool.targets if np.isin(loss := pool.losses(name), (0.0, 1.0)).all()}
    models = sorted(accuracy, key=lambda name: -accuracy[name])
    found: list[Contest] = []
    for scenario in SCENARIOS:
        place = scenario.place(len(models))
        who = target or "".join(models[place : place + 1])
        if accuracy.get(who, 0) in (0, 1):
            continue
        past = tuple(scenario.past(pool, who, [name for name in models if name != who]))
        if not past or any((who, scenario.past) == (one.target, one.scenario.past) for one in found):
            continue
        predicted = recommend(pool, 1, who, past).risk
        risk = past_risk(past_losses(pool, who, past)) if predicted is None else np.array(predicted)
        found.append(Contest(pool, scenario, who, past, pool.losses(who), risk))
    return found


Floats = NDArray[np.float64]
Z = NormalDist().inv_cdf(0.5 + DEFAULT.confidence / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Estimates of T simulated lists.

    Parameters
    ----------
    value : (T,) float
        NaN if the method refused.
    low, high : (T,) float
        Limits of its 95 % interval; NaN if the method gives none.
    exact : float or None
        The mean squared error, if it has a closed form.
    """

    value: Floats
    low: Floats
    high: Floats
    exact: float | None = None

    @classmethod
    def of(cls, frame: pd.DataFrame, exact: float | None = None) -> Lists:
        """The columns value, low and high of a frame."""
        value, low, high = (frame[name].to_numpy(dtype=np.float64) for name in ("value", "low", "high"))
        return cls(value, low, high, exact)

    @classmethod
    def bare(cls, value: Floats) -> Lists:
        """Estimates without intervals."""
        nothing = np.full(value.size, math.nan)
        return cls(value, nothing, nothing)

    @classmethod
    def wald(cls, value: Floats, variance: Floats) -> Lists:
        """Estimates with limits value ± 1.96 standard errors."""
        reach = Z * np.sqrt(np.maximum(variance, 0.0))
        return cls(value, value - reach, value + reach)


Simulate = Callable[[Contest, int, int, int], Lists]


def measures(lists: Lists, mean: float, uniform: float) -> dict[str, float]:
    """Error, bias, coverage, width and refusals of a method's lists.

    Parameters
    ----------
    lists : Lists
        Of the method.
    mean : float
        The truth.
    uniform : float
        Uniform's exact mean squared error.

    Returns
    -------
    dict
        relative_mse and error (its standard error; 0 if it is exact), bias, bias_error, coverage, coverage_error,
        width (mean), width_error, refused (share of the lists). NaN if the method gives none.
    """
    given = ~np.isnan(lists.value)
    kept = int(given.sum())
    row = dict.fromkeys(
        ("relative_mse", "error", "bias", "bias_error", "coverage", "coverage_error", "width", "width_error"), math.nan
    )
    row["refused"] = 1.0 - float(given.mean())
    if kept < 2:
        return row
    miss, low, high = lists.value[given] - mean, lists.low[given], lists.high[given]
    squares = miss**2 / uniform
    row |= {"relative_mse": float(squares.mean()), "error": float(squares.std(ddof=1)) / math.sqrt(kept)}
    row |= {"bias": float(miss.mean()), "bias_error": float(miss.std(ddof=1)) / math.sqrt(kept)}
    if lists.exact is not None:
        row |= {"relative_mse": lists.exact / uniform, "error": 0.0}
    if not np.isnan(low).any():
        # An estimate that equals the truth up to rounding is covered even by an interval without width.
        covered = float(((low <= mean + 1e-12) & (high >= mean - 1e-12)).mean())
        row |= {"coverage": covered, "coverage_error": math.sqrt(covered * (1 - covered) / kept)}
        row |= {"width": float((high - low).mean()), "width_error": float((high - low).std(ddof=1)) / math.sqrt(kept)}
    return row


def stratified_lists(
    losses: Floats, stratum: ArrayLike, labels: NDArray[np.int64], rounds: int, seed: int, wald: bool = False
) -> Lists:
    """Lists of a stratified sample: the numbers wrong are hypergeometric, and the error has a closed form.

    Parameters
    ----------
    losses : (N,) float
        0 or 1.
    stratum : (N,) int
        0 … H−1.
    labels : (H,) int
        m_h.
    rounds : int
        T.
    seed : int
        Of the draws.
    wald : bool
        Whether the limits are ± 1.96 standard errors instead of Neyman's own.
    """
    inside = moments(losses, np.asarray(stratum, dtype=np.int64))
    frame = binary_samples(inside.sizes, inside.ones, labels, rounds, seed).estimates(DEFAULT)
    exact = float(stratified_mse(inside, labels[None, :])[0])
    if not wald:
        return Lists.of(frame, exact)
    value, error = (frame[name].to_numpy(dtype=np.float64) for name in ("value", "standard_error"))
    limits = Lists.wald(value, error**2)
    return Lists(value, limits.low, limits.high, exact)


def positions(stratum: NDArray[np.int64], labels: NDArray[np.int64], rounds: int, seed: int) -> NDArray[np.int64]:
    """Items of T stratified samples without replacement, (T, M), stratum after stratum.

    Parameters
    ----------
    stratum : (N,) int
        0 … H−1.
    labels : (H,) int
        m_h.
    rounds, seed
        As in `stratified_lists`.
    """
    rng = np.random.default_rng(seed)
    parts = []
    for h, count in enumerate(labels.tolist()):
        inside = np.flatnonzero(stratum == h)
        parts.append(np.stack([inside[rng.choice(inside.size, count, replace=False)] for _ in range(rounds)]))
    return np.concatenate(parts, axis=1)
