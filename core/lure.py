"""LURE: items drawn one after another by a score, and an estimate that undoes the choice.

Without replacement, item i is drawn with probability q ∝ a_i among those left, a_i a mixture of the score with Uniform.
The estimate from M draws, R̂ = (1/M) Σ_m v_m ℓ_m, is unbiased. Its weights are affine in N − M,

    v_m = 1 + (N−M) c_m,   c_m = (1/((N−m+1) q_m) − 1)/(N−m),

so one ordered draw and two cumulative sums, of ℓ_m and of c_m ℓ_m, give the estimate for every budget.

Source: Farquhar et al. 2021; Kossen et al. 2021; Berrada et al. 2025; docs/method.md, 3 and 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import DesignError

_Floats = NDArray[np.float64]
_Integers = NDArray[np.int64]

# Numbers in one array of a block of trials: blocks that stay in the CPU's cache are fastest.
_CELLS = 250_000
# Up to this share of the pool, drawing with replacement and dropping repetitions costs less than a pass over all items.
_DRAWS = 0.25
# Parts of the guide to the cumulative probabilities, at least, for each item of the pool.
_GUIDES = 4


def estimates(
    losses: ArrayLike,
    scores: ArrayLike,
    budgets: ArrayLike,
    trials: int = 3000,
    clip: float = 0.1,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> _Floats:
    """LURE's estimates of the mean loss, for all budgets of a trial from one ordered draw.

    Parameters
    ----------
    losses : (N,) float
        Finite losses of all items.
    scores : (N,) float
        Acquisition scores ≥ 0. NaN (no generation) counts as the largest score there is, and a pool without any
        positive score is drawn uniformly.
    budgets : (B,) int
        1 ≤ M ≤ N, in any order.
    trials : int
        T ≥ 1.
    clip : float
        Share of Uniform in the mixture, in [0, 1]: no item's probability at the first draw is below clip/N.
    seed : int
        At least 0; equal arguments give equal estimates.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    (T, B) float
        At M = N every v_m is 1 and the estimate is the pool's mean.

    Raises
    ------
    DesignError
        An unknown loss, a score that is negative or infinite, a budget outside 1 … N, a clip outside [0, 1], or a clip
        of 0 with a score of 0 (such an item could never be drawn, and the estimate would be biased).
    """
    loss, probability = np.asarray(losses, dtype=np.float64), proposal(scores, clip)
    budget = _checked(loss, probability, budgets, trials, seed)
    results = np.empty((trials, budget.size))
    if budget.size == 0:
        return results
    order = _Order.of(probability, int(budget.max()))
    rng = np.random.default_rng(seed)
    for part in batches(trials, order.rows, progress):
        items, left = order.draw(rng, part.stop - part.start)
        results[part] = _all_budgets(loss[items], probability[items], left, budget, loss.size)
    return results


def batches(trials: int, size: int, progress: Callable[[float], None] | None = None) -> Iterator[slice]:
    """Slices of at most ``size`` trials, in order; ``progress`` is called with the share done after each."""
    for start in range(0, trials, size):
        stop = min(start + size, trials)
        yield slice(start, stop)
        if progress is not None:
            progress(stop / trials)


def proposal(scores: ArrayLike, clip: float = 0.1) -> _Floats:
    """Probability of each item at the first draw, (1 − clip)·a_i/Σa + clip/N, (N,), above 0 and 1 in all.

    Parameters and errors are those of `estimates`.
    """
    score = np.asarray(scores, dtype=np.float64)
    if score.ndim != 1 or score.size == 0:
        raise DesignError("The pool has no items, so there is nothing to draw. Load a pool with at least one item.")
    if not 0 <= clip <= 1:
        raise DesignError(f"The clip is {clip}: it must be the share of Uniform in the draw, from 0 to 1.")
    if np.any((score < 0) | np.isinf(score)):
        bad = int(np.argmax((score < 0) | np.isinf(score)))
        raise DesignError(f"The score of item {bad} is {score[bad]}: it must be a number of at least 0.")
    largest = np.nanmax(score) if not np.isnan(score).all() else 0.0
    if largest == 0:
        return np.full(score.size, 1.0 / score.size)
    # Divided by the largest first, so that neither tiny nor huge scores lose their sum.
    share = np.where(np.isnan(score), 1.0, score / largest)
    mixture = (1.0 - clip) * (share / share.sum()) + clip / score.size
    if np.any(mixture == 0):
        raise DesignError(
            f"{int((mixture == 0).sum())} items have a score of 0 and could never be drawn. Choose a clip above 0."
        )
    return np.asarray(mixture / mixture.sum())


@dataclass(frozen=True, slots=True)
class _Order:
    """The ordered draw of some of N items without replacement, for many trials.

    Parameters
    ----------
    probability, cumulative : (N,) float
        Of each item at the first draw, and its sums.
    guide : (G,) int
        The item that a uniform number falls on at the start of each of G equal parts of [0, 1).
    count : int
        Items of a draw.
    draws : int
        Draws with replacement that hold ``count`` distinct items in nearly every trial; 0 if a race of all items
        costs less.
    rows : int
        Trials to draw together.
    """

    probability: _Floats
    cumulative: _Floats
    guide: _Integers
    count: int
    draws: int
    rows: int

    @staticmethod
    def of(probability: _Floats, count: int) -> _Order:
        draws = _draws_needed(probability, count)
        cumulative = np.cumsum(probability)
        cumulative /= cumulative[-1]
        # A power of two, so that a uniform number's part is exact.
        parts = 1 << (_GUIDES * probability.size).bit_length() if draws else 1
        guide = np.searchsorted(cumulative, np.arange(parts) / parts, side="right")
        return _Order(probability, cumulative, guide, count, draws, max(1, _CELLS // (draws or probability.size)))

    def draw(self, rng: np.random.Generator, rows: int) -> tuple[_Integers, _Floats]:
        """Items (rows, count) in the order of their draw, and the probability left just before each of them."""
        return self._first_arrivals(rng, rows) if self.draws else self._race(rng, rows)

    def _first_arrivals(self, rng: np.random.Generator, rows: int) -> tuple[_Integers, _Floats]:
        """Draws with replacement, repetitions dropped: what remains is the draw without replacement."""
        drawn = self._with_replacement(rng, rows, self.draws)
        items, distinct = _distinct(drawn, self.count)
        short = np.flatnonzero(distinct < self.count)
        drawn = drawn[short]
        while short.size:
            drawn = np.concatenate([drawn, self._with_replacement(rng, short.size, self.draws)], axis=1)
            items[short], distinct = _distinct(drawn, self.count)
            still = distinct < self.count
            short, drawn = short[still], drawn[still]
        taken = self.probability[items]
        # At most a quarter as many draws as items hold `count` distinct ones, so a good part of the probability is
        # left, and the difference keeps its digits.
        return items, 1.0 - (np.cumsum(taken, axis=1) - taken)

    def _with_replacement(self, rng: np.random.Generator, rows: int, draws: int) -> _Integers:
        uniform = rng.random(rows * draws)
        items = self.guide[(uniform * self.guide.size).astype(np.int64)]
        # Most numbers fall on the item on which their part begins; only the others are looked up.
        beyond = np.flatnonzero(self.cumulative[items] <= uniform)
        items[beyond] = np.searchsorted(self.cumulative, uniform[beyond], side="right")
        return items.reshape(rows, draws)

    def _race(self, rng: np.random.Generator, rows: int) -> tuple[_Integers, _Floats]:
        """Each item arrives after an exponential time of its rate: the order of arrival is the order of the draw."""
        arrival = rng.standard_exponential((rows, self.probability.size))
        arrival /= self.probability
        n_items = self.probability.size
        if self.count > n_items // 2:
            order = np.argsort(arrival, axis=1)
        else:
            order = np.argpartition(arrival, self.count, axis=1)
            first = order[:, : self.count]
            inner = np.argsort(np.take_along_axis(arrival, first, axis=1), axis=1)
            order[:, : self.count] = np.take_along_axis(first, inner, axis=1)
        ordered = self.probability[order]
        never = ordered[:, self.count :].sum(axis=1)
        # Summed from the end: exact if hardly anything is left.
        left = np.cumsum(ordered[:, self.count - 1 :: -1], axis=1)[:, ::-1]
        return order[:, : self.count], left + never[:, None]


def _all_budgets(drawn: _Floats, probability: _Floats, left: _Floats, budget: _Integers, n_items: int) -> _Floats:
    """Estimates (T, B) from the losses ``drawn`` (T, M), the items' probabilities and what was left before them."""
    plain = np.cumsum(drawn, axis=1)[:, budget - 1]
    corrected = np.cumsum(drawn * _slopes(left / probability, n_items), axis=1)[:, budget - 1]
    return np.asarray((plain + (n_items - budget) * corrected) / budget)


def _slopes(inverse: _Floats, n_items: int) -> _Floats:
    """c_m (…, M) from 1/q_m; 0 for m = N, where the weight is 1 whatever q."""
    after = n_items - np.arange(1.0, inverse.shape[-1] + 1.0)
    return np.asarray((inverse / (after + 1.0) - 1.0) / np.maximum(after, 1.0))


def _distinct(drawn: _Integers, count: int) -> tuple[_Integers, _Integers]:
    """First ``count`` distinct items of each row, in order, and how many there are in all (rows,).

    Sorting (item, place) brings repetitions together; sorting what is left by (place, item) restores the order. A row
    with fewer than ``count`` is filled with items that mean nothing.
    """
    places = max(drawn.shape[1] - 1, 1).bit_length()
    items = max(int(drawn.max()), 1).bit_length()
    kind = np.int32 if places + items < 31 else np.int64
    keys = np.sort(drawn.astype(kind) << places | np.arange(drawn.shape[1], dtype=kind), axis=1)
    item = keys >> places
    arrival = (keys & ((1 << places) - 1)) << items | item
    repeated = item[:, 1:] == item[:, :-1]
    arrival[:, 1:][repeated] = np.iinfo(kind).max
    arrival.sort(axis=1)
    return (arrival[:, :count] & ((1 << items) - 1)).astype(np.int64), drawn.shape[1] - repeated.sum(axis=1)


def _draws_needed(probability: _Floats, count: int) -> int:
    """Draws with replacement of which nearly always ``count`` are distinct; 0 if these are too many."""

    def enough(draws: int) -> bool:
        missed = np.exp(-draws * probability)
        return bool(count + 3.0 * np.sqrt((missed * (1.0 - missed)).sum()) <= (1.0 - missed).sum())

    low, high = count, int(_DRAWS * probability.size)
    if high < low or not enough(high):
        return 0
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def _checked(loss: _Floats, probability: _Floats, budgets: ArrayLike, trials: int, seed: int) -> _Integers:
    """Budgets as whole numbers; DesignError if anything does not fit."""
    if loss.shape != probability.shape:
        raise DesignError(f"There are {loss.size} losses for {probability.size} scores. Give one of each per item.")
    unknown = int((~np.isfinite(loss)).sum())
    if unknown:
        raise DesignError(f"{unknown} of {loss.size} losses are unknown (NaN or infinite). LURE needs every loss.")
    budget = np.asarray(budgets, dtype=np.float64)
    if budget.ndim != 1 or not np.all(np.isfinite(budget) & (budget == np.floor(budget))):
        raise DesignError("A budget must be a whole number of labels.")
    if np.any((budget < 1) | (budget > loss.size)):
        bad = int(budget[np.argmax((budget < 1) | (budget > loss.size))])
        raise DesignError(f"A budget of {bad} is outside 1 … {loss.size}, the number of items.")
    if trials < 1:
        raise DesignError(f"The number of trials is {trials}: it must be at least 1.")
    if seed < 0:
        raise DesignError(f"The seed is {seed}: it must be a whole number of at least 0.")
    return budget.astype(np.int64)
