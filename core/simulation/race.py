"""Two methods side by side: estimates of simulated rounds, counted in the bars of two histograms."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
