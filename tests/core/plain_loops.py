"""LURE as published codes compute it: one Python loop over the trials and one over the draws.

At each draw the scores left are normalised, one item is drawn from them, and its probability kept; afterwards the
weights of each budget are computed afresh. NumPy does the work inside a draw, so the loops are no slower than need be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def estimates(
    losses: NDArray[np.float64], probability: NDArray[np.float64], budgets: Sequence[int], trials: int, seed: int
) -> NDArray[np.float64]:
    """The estimates of `core.lure.estimates`, (trials, budgets), from the first draw's ``probability`` (N,)."""
    rng = np.random.default_rng(seed)
    n_items = losses.size
    squares = np.empty((trials, len(budgets)))
    for trial in range(trials):
        left = np.arange(n_items)
        scores = probability.copy()
        drawn, chances = [], []
        for _ in range(max(budgets)):
            q = scores / scores.sum()
            position = int(rng.choice(left.size, p=q))
            drawn.append(losses[left[position]])
            chances.append(q[position])
            left = np.delete(left, position)
            scores = np.delete(scores, position)
        for column, budget in enumerate(budgets):
            total = 0.0
            for m in range(1, budget + 1):
                weight = 1.0
                if m < n_items:
                    weight += (n_items - budget) / (n_items - m) * (1 / ((n_items - m + 1) * chances[m - 1]) - 1)
                total += weight * drawn[m - 1]
            squares[trial, column] = total / budget
    return squares
