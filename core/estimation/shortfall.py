"""Strata that have far fewer labels than the design gives them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.allocation.optimum import allocate


def short_strata(counts: NDArray[np.int64], sizes: NDArray[np.int64], weights: ArrayLike) -> tuple[int, ...]:
    """Strata with less than two thirds of the labels that the design gives them in a sample of this size.

    Parameters
    ----------
    counts, sizes : (H,) m_h ≥ 1 and N_h. weights : (H,) of the design (`core.design.Design.weights`).
    """
    due = allocate(weights, sizes, int(counts.sum()))
    return tuple(np.flatnonzero(3 * counts < 2 * due).tolist())
