"""A confidence sequence by betting: limits that hold at every label at once, so that people may look and stop early.

Labels come in the plan's order. A block ends when each stratum that still had items has got a label since the block
began; strata and order are fixed beforehand, so blocks do not follow the labels. With r_h items of stratum h open when
block b begins, its value is Y_b = Σ_h r_h ȳ_hb / Σ_h r_h, ȳ_hb the mean of its labels there. Whatever the strata,

    E[Y_b | before] = (N μ − S_b)/(N − n_b) = μ_b

with n_b labels and their sum S_b before: the strata's own means cancel. Against a mean of at least m, the capital
Π_b (1 − θ + θ (1 − Y_b)/(1 − m_b)), 0 < θ < 1, is a non-negative supermartingale, m_b the μ_b of μ = m. It exceeds 1/α
with probability at most α, ever (Ville 1939). It falls as m does, so limits are found by bisection (Waudby-Smith &
Ramdas 2024, 4, without replacement; the blocks of strata: docs/planning.md, 6).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

# Bets are tuned to a mean so far from the null; others, half and twice as far, get a share of the capital.
DISTANCE = 0.05
_BETS = (0.5, 1.0, 2.0, 4.0)
_MOST, _STEPS, _ROUNDING = 0.95, 40, 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Labels in blocks, in the plan's order; further leading dimensions are further samples of the same plan.

    Parameters
    ----------
    values : (…, B) float
        Y_b, in [0, 1].
    before, after : (…, B) float
        Sums S_b of the values labelled before each block, and after it.
    starts, ends : (B,) int
        Labels before each block, and after it.
    n_items : int
        N.
    """

    values: Array
    before: Array
    after: Array
    starts: Whole
    ends: Whole
    n_items: int

    def conditional(self, mean: ArrayLike) -> Array:
        """Mean μ_b of each block if the pool has this one, (…, B)."""
        return np.asarray((self.n_items * np.asarray(mean) - self.before) / (self.n_items - self.starts))


def block_ends(strata: ArrayLike, sizes: ArrayLike) -> Whole:
    """Number of labels at the end of each block of a list, (B,).

    Parameters
    ----------
    strata : (M,) int
        Stratum of each label, in the plan's order.
    sizes : (H,) int
        Items N_h.
    """
    left = np.array(sizes, dtype=np.int64)
    waiting, ends = set(np.flatnonzero(left).tolist()), []
    for place, stratum in enumerate(np.asarray(strata).tolist(), start=1):
        left[stratum] -= 1
        waiting.discard(stratum)
        if not waiting:
            ends.append(place)
            waiting = set(np.flatnonzero(left).tolist())
    return np.array(ends, dtype=np.int64)


def blocks(values: ArrayLike, strata: ArrayLike, sizes: ArrayLike) -> Blocks:
    """Blocks of a labelled list.

    Parameters
    ----------
    values : (…, M) float
        Values in [0, 1] of the labels in the plan's order: its longest labelled beginning.
    strata : (M,) int
        Their strata.
    sizes : (H,) int
        Items N_h of each stratum.

    Raises
    ------
    DesignError
        A value lies outside [0, 1], or there are more labels than items in a stratum.
    """
    value, stratum, size = np.asarray(values, float), np.asarray(strata, dtype=np.int64), np.asarray(sizes)
    if (outside := value[~((value >= 0) & (value <= 1))]).size:
        raise DesignError(f"Labels of a confidence sequence lie between 0 and 1. Found {outside[0]:g}.")
    if np.any(np.bincount(stratum, minlength=size.size) > size):
        raise DesignError("A stratum has more labels than items. Remove duplicate labels.")
    ends = block_ends(stratum, size)
    starts = np.r_[0, ends[:-1]] if ends.size else ends
    summed = np.concatenate([np.zeros((*value.shape[:-1], 1)), np.cumsum(value, axis=-1)], axis=-1)
    means = np.empty((*value.shape[:-1], ends.size))
    left = size.astype(np.float64)
    for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        part = stratum[start:end]
        counts = np.bincount(part, minlength=size.size)
        weight = (left / left.sum())[part] / counts[part]
        means[..., number] = value[..., start:end] @ weight
        left = left - counts
    return Blocks(means, summed[..., starts], summed[..., ends], starts, ends, int(size.sum()))


def log_capital(blocks: Blocks, mean: ArrayLike, distance: float = DISTANCE) -> Array:
    """Logarithm of the capital won after each block by betting that the pool's mean is below ``mean``, (…, B).

    Parameters
    ----------
    blocks : Blocks
        The labels.
    mean : float
        The null: the pool's mean is at least this; broadcasts against the samples.
    distance : float
        How far below the mean is expected, above 0. It decides the power, not the error rate.

    Returns
    -------
    (…, B) float
        Infinite from where the labels exclude the null for sure.
    """
    conditional = blocks.conditional(np.asarray(mean, dtype=np.float64)[..., None])
    room = np.maximum(1.0 - conditional, 1e-12)
    growth = (1.0 - blocks.values) / room - 1.0
    kelly = distance / _variances(blocks)
    parts = [np.cumsum(np.log1p(np.minimum(bet * kelly * room, _MOST) * growth), axis=-1) for bet in _BETS]
    most = np.maximum.reduce(parts)
    capital = most + np.log(sum(np.exp(part - most) for part in parts) / len(_BETS))
    reachable = blocks.after + (blocks.n_items - blocks.ends)
    excluded = blocks.n_items * (np.asarray(mean)[..., None] - _ROUNDING) > reachable
    return np.where(np.maximum.accumulate(excluded, axis=-1), np.inf, capital)


def _variances(blocks: Blocks) -> Array:
    """Variance of a block's value as the blocks before it show it, with one imagined block of the widest, (…, B)."""
    y = blocks.values
    count = np.arange(y.shape[-1])
    total, squares = np.cumsum(y, axis=-1) - y, np.cumsum(y**2, axis=-1) - y**2
    within = np.maximum(squares - total**2 / np.maximum(count, 1), 0.0)
    widest = 0.25 / np.maximum(blocks.ends - blocks.starts, 1)
    return np.asarray((widest + within) / (1 + count))


def limits(blocks: Blocks, confidence: float = 0.95, distance: float = DISTANCE) -> tuple[Array, Array]:
    """Lower and upper limits of the pool's mean after each block, both (B,), which hold at all of them at once.

    Parameters
    ----------
    blocks : Blocks
        Of one sample.
    confidence : float
        In (0, 1); each side has half of the rest.
    distance : float
        As in `log_capital`.
    """
    side = (1 + confidence) / 2
    return 1.0 - upper(flipped(blocks), side, distance), upper(blocks, side, distance)


def upper(blocks: Blocks, confidence: float = 0.95, distance: float = DISTANCE) -> Array:
    """One-sided upper limits of the pool's mean after each block, (B,), which hold at all of them at once.

    Parameters
    ----------
    blocks : Blocks
        Of one sample.
    confidence : float
        In (0, 1).
    distance : float
        As in `log_capital`.
    """
    low, high = np.zeros(blocks.ends.size), np.ones(blocks.ends.size)
    rows = replace(blocks, values=blocks.values[None], before=blocks.before[None], after=blocks.after[None])
    enough = -np.log1p(-confidence)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        # Row by row, each block has another null: the capital after it is on the diagonal.
        won = np.diagonal(log_capital(rows, middle, distance))
        low, high = np.where(won >= enough, low, middle), np.where(won >= enough, middle, high)
    return np.minimum.accumulate(high) if high.size else high


def first(won: Array, confidence: float) -> Whole:
    """Index of the first block after which capital reaches 1/α, (…); the number of blocks if it never does.

    Parameters
    ----------
    won : (…, B) float
        Of `log_capital`.
    confidence : float
        1 − α.
    """
    reached = won >= -np.log1p(-confidence)
    return np.where(reached.any(axis=-1), reached.argmax(axis=-1), won.shape[-1])


def flipped(blocks: Blocks) -> Blocks:
    """The same labels with 1 − value, for bets that the mean is above the null."""
    before, after = blocks.starts - blocks.before, blocks.ends - blocks.after
    return replace(blocks, values=1.0 - blocks.values, before=before, after=after)
