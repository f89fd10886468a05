"""Simulated lists of a method: what each estimated, and what that says of the method."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...estimation.intervals import DEFAULT
from ...simulation.exact import stratified_mse
from ...stratification.moments import moments
from ..coverage import binary_samples
from .scenarios import Contest

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
