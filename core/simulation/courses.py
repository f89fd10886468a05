"""Rounds of labelling as they unfold, and the estimates of two methods side by side."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..design.design import Design, drawn
from ..design.sampling import permanent_random_numbers, sampled_positions
from ..design.scheme import Scheme, whole
from ..errors import DesignError
from ..estimation.intervals import Interval
from ..pool.outcomes import in_unit
from ..stratification.profiles import Outcome, Stratification
from .replications import Samples, round_seeds

# Labels in each stratum on average from which on estimates are shown: two leave a variance.
_LEAST = 2


@dataclass(frozen=True, slots=True, eq=False)
class Courses:
    """T simulated rounds of labelling, label by label, of a design and of Uniform.

    Parameters
    ----------
    strata : Stratification
        The H strata of the design.
    stratum : (N,) int
        Stratum of each item.
    positions : (T, M) int
        Items of the design in labelling order, a row a round.
    uniform : (T, M) int
        Items drawn uniformly, in the same order.
    frames : DataFrame
        One row a round, method ("uniform", "design") and number of labels, ascending: round, method, labels, value,
        low, high.
    mean : float
        Mean loss of the pool, which both estimate.
    seeds : tuple of int
        Seed of each round: a plan of the design with it has the same items.
    """

    strata: Stratification
    stratum: NDArray[np.int64]
    positions: NDArray[np.int64]
    uniform: NDArray[np.int64]
    frames: pd.DataFrame
    mean: float
    seeds: tuple[int, ...]

    @property
    def typical(self) -> int:
        """The round in which either method misses the mean by most nearly its median miss; the first of equals."""
        last = self.frames[self.frames["labels"] == self.frames["labels"].max()]
        miss = (last.pivot(index="round", columns="method", values="value") - self.mean).abs()
        usual = miss.median()
        distance = ((miss - usual) / usual.where(usual > 0, 1.0)) ** 2
        return int(distance.sum(axis=1).to_numpy().argmin())

    @property
    def from_each(self) -> tuple[int, int]:
        """Fewest and most items that a round draws from a stratum."""
        counts = self._counts
        return int(counts.min()), int(counts.max())

    @property
    def stands_for(self) -> tuple[int, int]:
        """Fewest and most items that a label stands for, rounded."""
        items = self.strata.sizes / self._counts
        return round(float(items.min())), round(float(items.max()))

    @property
    def _counts(self) -> NDArray[np.int64]:
        return np.bincount(self.stratum[self.positions[0]], minlength=self.strata.n_strata)

    def __repr__(self) -> str:
        rounds, labels = self.positions.shape
        return f"Courses: {rounds:,} rounds of {labels:,} labels in {self.strata.n_strata} strata"


def courses(
    known: Outcome,
    scheme: Scheme,
    budget: int,
    rounds: int = 9,
    seed: int = 0,
    confidence: float = 0.95,
    frames: int | None = None,
) -> Courses:
    """Simulate rounds of labelling from a pool whose losses are known, label by label.

    The strata stay the same while labels come in, and every head of a plan's list is itself the plan of a smaller
    budget (docs/method.md, 5.5): each estimate is unbiased, and each interval is the one that an evaluation stopped
    there would report.

    Parameters
    ----------
    known : Outcome
        The target's losses, on the profile from which strata are cut.
    scheme : Scheme
        Of the design, in one wave.
    budget : int
        M ≥ 2H.
    rounds : int
        T ≥ 1.
    seed : int
        At least 0; equal arguments give equal rounds.
    confidence : float
        In (0, 1).
    frames : int, optional
        Numbers of labels at which there are estimates, at least 1: about evenly from 2H on, the last one M. By default
        all of them.

    Returns
    -------
    Courses
        Frames begin at 2H labels.

    Raises
    ------
    DesignError
        The scheme has two waves, or the budget is below 2H or above the number of items.
    """
    if scheme.in_waves:
        raise DesignError("Rounds are shown label by label in one wave. Give a Scheme(waves=1).")
    strata = scheme.stratify(known.profile)
    stratum, n_items = known.profile.stratum(strata), known.losses.size
    least = _LEAST * strata.n_strata
    if whole("budget", budget, 1) < least:
        raise DesignError(f"{strata.n_strata} strata need at least {least} labels. Found a budget of {budget:,}.")
    seeds = round_seeds(rounds, seed).tolist()
    first = drawn(Design(budget, scheme), "", np.empty(n_items, dtype=object), strata, stratum, seeds[0])
    turns, one = stratum[first.positions], np.zeros(n_items, dtype=np.int64)
    # Numbers of one round and method at a time; separate, so that the two methods' misses are independent.
    numbers = partial(permanent_random_numbers, n_items=n_items)
    positions = np.stack([sampled_positions(stratum, turns, first.allocation, numbers(s, wave=1)) for s in seeds])
    whole_pool = np.array([budget])
    uniform = np.stack([sampled_positions(one, one[:budget], whole_pool, numbers(s, wave=2)) for s in seeds])
    interval = Interval(confidence=confidence, bounded=in_unit(known.losses))
    # From the end, so that a single one is the last.
    at = set(np.linspace(budget, least, frames or budget - least + 1).round().astype(int).tolist())
    table = pd.concat(
        [
            _frames("uniform", known.losses[uniform], one[:budget], np.array([n_items]), at, interval),
            _frames("design", known.losses[positions], turns, strata.sizes, at, interval),
        ]
    )
    order = ["round", "method", "labels"]
    table = table.sort_values(order, kind="stable")[[*order, "value", "low", "high"]].reset_index(drop=True)
    return Courses(strata, stratum, positions, uniform, table, known.moments.mean, tuple(seeds))


def _frames(
    method: str,
    losses: NDArray[np.float64],
    turns: NDArray[np.int64],
    sizes: NDArray[np.int64],
    at: Collection[int],
    interval: Interval,
) -> pd.DataFrame:
    """Estimates of all rounds after so many labels.

    Parameters
    ----------
    method : str
        What the rows are called.
    losses : (T, M) float
        In labelling order.
    turns : (M,) int
        Stratum of each label in turn.
    sizes : (H,) int
        N_h.
    at : collection of int
        Numbers of labels.
    interval : Interval
        How limits are made.
    """
    rounds, tables, shown = losses.shape[0], list[pd.DataFrame](), list[int]()
    counts, binary = np.zeros(sizes.size, dtype=np.int64), bool(np.isin(losses, (0.0, 1.0)).all())
    means, squares = np.zeros((rounds, sizes.size)), np.zeros((rounds, sizes.size))
    for labels, (h, loss) in enumerate(zip(turns.tolist(), losses.T, strict=True), 1):
        # Welford 1962: equal losses leave a sum of squares of exactly 0.
        counts[h] += 1
        step = loss - means[:, h]
        means[:, h] += step / counts[h]
        squares[:, h] += step * (loss - means[:, h])
        if labels in at:
            here = None if binary else _by_stratum(losses[:, :labels], turns[:labels], counts)
            tables.append(Samples(counts.copy(), sizes, means.copy(), squares.copy(), here).estimates(interval))
            shown.append(labels)
    of_round = np.tile(np.arange(rounds), len(shown))
    return pd.concat(tables).assign(round=of_round, method=method, labels=np.repeat(shown, rounds))


def _by_stratum(
    losses: NDArray[np.float64], turns: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Losses (T, H, S) of the strata, NaN beyond m_h, from those in labelling order, (T, M)."""
    labelled = np.full((losses.shape[0], counts.size, int(counts.max())), np.nan)
    for stratum, count in enumerate(counts.tolist()):
        labelled[:, stratum, :count] = losses[:, turns == stratum]
    return labelled


# Bars of a histogram, about; and standard errors of Uniform on either side that they cover at most.
_BARS, _ERRORS = 45, 4.0
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Race:
    """Estimates of simulated rounds in bars of one width: of Uniform first, then of a design.

    Parameters
    ----------
    bars : (T,) int arrays, one a method
        Bar of each estimate, from 0 to ``count`` − 1.
    inside : (T,) bool arrays, one a method
        Whether the estimate is within ``tolerance`` of the truth.
    start, wide : float
        Where the bars begin, and the width of each: accuracies if losses are shares, else losses.
    count : int
        Number of bars.
    truth : float
        What both estimate, in the same unit.
    tolerance : float
        Uniform's root mean squared error with one significant digit, so that people remember it.
    """

    bars: tuple[NDArray[np.int64], ...]
    inside: tuple[NDArray[np.bool_], ...]
    start: float
    wide: float
    count: int
    truth: float
    tolerance: float

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of each method's estimates that are near the truth."""
        return tuple(float(near.mean()) for near in self.inside)

    @property
    def error(self) -> float:
        """The larger standard error of these shares."""
        return math.sqrt(max(p * (1 - p) for p in self.shares) / self.bars[0].size)

    @property
    def end(self) -> float:
        """Where the bars end."""
        return self.start + self.count * self.wide


def race(uniform: NDArray[np.float64], design: NDArray[np.float64], mean: float, budget: int, share: bool) -> Race:
    """Count estimates of a mean loss in bars.

    Parameters
    ----------
    uniform, design : (T,) float
        Estimates of Uniform, not all of them equal, and of a design.
    mean : float
        What both estimate.
    budget : int
        M of each round.
    share : bool
        Losses are 0 and 1: bars are then of accuracies.
    """
    draws = (uniform, design)
    tolerance = float(f"{float(np.sqrt(((uniform - mean) ** 2).mean())):.1g}")
    inside = tuple(np.abs(drawn - mean) <= tolerance * (1 + _ROUNDING) for drawn in draws)
    half_range = min(_ERRORS * float(uniform.std()), max(float(np.abs(drawn - mean).max()) for drawn in draws))
    wide = 2 * half_range / _BARS
    if share:
        # Uniform's estimates are whole numbers of wrong answers: a bar for each so many of them.
        wide = max(1, round(wide * budget)) / budget
    start = mean - half_range if not share else (math.floor((mean - half_range) / wide) - 0.5) * wide
    count = math.ceil((mean + half_range - start) / wide) + 1
    at = [np.floor((drawn - start) / wide + _ROUNDING).astype(np.int64) for drawn in draws]
    bars = tuple(np.clip(bar, 0, count - 1) for bar in at)
    if not share:
        return Race(bars, inside, start, wide, count, mean, tolerance)
    # People read an accuracy: the same from right to left.
    bars = tuple(count - 1 - bar for bar in bars)
    return Race(bars, inside, 1 - start - count * wide, wide, count, 1 - mean, tolerance)
