"""The pool of the reference vectors, and made-up pools of any seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.stratification import stratify

# The pool of the reference vectors: five strata, items correct in each.
SIZES = np.array([1400, 400, 400, 400, 400])
CORRECT = np.array([1358, 360, 312, 248, 180])
CONSISTENCY = np.array([1.0, 0.88, 0.74, 0.60, 0.45])
STRATA = np.repeat(np.arange(5), SIZES)
LOSSES = np.concatenate([np.repeat([0.0, 1.0], [k, n - k]) for n, k in zip(SIZES, CORRECT, strict=True)])


def pool(
    seed: int, binary: bool, n_items: int = 700
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Losses, strata and self-consistency of a made-up pool."""
    rng = np.random.default_rng(seed)
    signal = np.where(rng.random(n_items) < 0.4, 0.0, rng.integers(1, 23, n_items) / 10)
    risk = 0.05 + 0.2 * signal
    losses = (rng.random(n_items) < risk).astype(float) if binary else rng.gamma(0.5 + signal, 1.0)
    return losses, stratify(signal, 5), np.exp(-signal / 2)
