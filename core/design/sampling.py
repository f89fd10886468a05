"""Samples of each stratum: the items with the smallest permanent random numbers (Ohlsson 1995)."""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray

from ..allocation import optimum
from ..pool.class_counts import blocks, tally

# Seeds that a plan draws for itself fit the seed's field on page Label.
_SEEDS = 2**31
# Standard deviations by which more items are sorted than are sampled.
_SPARE = 6


def some_seed() -> int:
    """Draw a seed for a plan that is given none."""
    return secrets.randbelow(_SEEDS)


def permanent_random_numbers(seed: int, n_items: int, wave: int = 1) -> NDArray[np.uint64]:
    """One fixed 64-bit random number for each item, a function of seed, wave and the item's place in the pool alone.

    Raw output of the PCG64 bit generator, whose stream NumPy guarantees for all versions (NEP 19). The second wave
    takes the next numbers of the stream: those of the first were large wherever an item was not drawn.
    """
    generator = np.random.PCG64(seed).advance((wave - 1) * n_items)
    return np.asarray(generator.random_raw(n_items), dtype=np.uint64)


def in_turn(
    weights: NDArray[np.float64], sizes: NDArray[np.int64], turn: NDArray[np.int64], budget: int
) -> NDArray[np.int64]:
    """Stratum of each label in turn, (M,), of the integer optimum; ``turn``: the order among strata of equal weight."""
    labels = optimum.allocate(weights[turn], sizes[turn], budget)
    return turn[optimum.label_order(weights[turn], labels)]


def sampled_positions(
    stratum: NDArray[np.int64], turns: NDArray[np.int64], labels: NDArray[np.int64], numbers: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Positions of the sampled items in labelling order, given the stratum of each label in turn."""
    sizes = tally(stratum, labels.size)
    # Of a large pool only what can be among the m_h smallest is sorted; by chance that may be too little.
    share = (labels + _SPARE * np.sqrt(labels) + _SPARE) / sizes
    bound = np.where(share < 1, share * 2.0**64, 0).astype(np.uint64)
    bound[share >= 1] = np.iinfo(np.uint64).max
    near = [block.start + np.flatnonzero(numbers[block] <= bound[stratum[block]]) for block in blocks(stratum.size)]
    candidates = np.concatenate(near)
    counts = np.bincount(stratum[candidates], minlength=sizes.size)
    if np.any(counts < labels):
        candidates, counts = np.arange(stratum.size), sizes
    ordered = candidates[np.lexsort((numbers[candidates], stratum[candidates]))]
    head = np.cumsum(counts) - counts
    turn_rank = np.empty(turns.size, dtype=np.int64)
    by_stratum = np.argsort(turns, kind="stable")
    turn_rank[by_stratum] = np.arange(turns.size) - np.repeat(np.cumsum(labels) - labels, labels)
    return np.asarray(ordered[head[turns] + turn_rank])
