"""Strata that got no label: each joins its nearest labelled neighbour, as if labels were missing at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Beyond the share, what is left says too little of what is missing; what chance leaves so rarely is no chance.
_MOST_MISSING, _UNLIKELY = 0.5, 0.05


def can_join(counts: NDArray[np.int64], planned: NDArray[np.int64]) -> bool:
    """Whether labels missing at random leave an estimate.

    Half of all labels have come back, half of the strata have some, and chance alone may have emptied the others: of H
    strata with m planned labels each, H q^m lose all of them if a share q is missing at random, and this is not below
    1/20 for any that did.

    Parameters
    ----------
    counts, planned : (H,) int
        Labels that came back, and those of the list.
    """
    missing = max(1.0 - float(counts.sum() / planned.sum()), 0.0)
    by_chance = counts.size * missing ** planned[counts == 0].astype(np.float64)
    return missing <= _MOST_MISSING and (counts > 0).mean() >= _MOST_MISSING and bool((by_chance >= _UNLIKELY).all())


def joined(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of the stratum that each becomes, (H,), 0 … H′−1: labelled ones stay, in their order.

    A stratum without a label joins the labelled one whose number is nearest, of two as near the one with fewer labels,
    then stratum 0, 2, 4, … the lower and 1, 3, 5, … the higher: always the lower would call every pool a little better
    than it is. Strata are numbered along their signal, so neighbours are alike (docs/method.md, 5.10).

    Parameters
    ----------
    counts : (H,) int
        Labels m_h, at least one above 0.
    """
    labelled, own = np.flatnonzero(counts > 0), np.arange(counts.size)[:, None]
    # The distance decides, then the labels, then the side.
    apart = np.abs(own - labelled) * (counts.max() + 1) + counts[labelled]
    return np.asarray((2 * apart + ((labelled > own) == (own % 2 == 0))).argmin(axis=1))
