"""What strata may be like beyond their few labels.

Each stratum is joined by `PRIOR_LABELS` imagined labels distributed as the whole pool is estimated to be; if losses
lie in [0, 1], the pool itself by one, half a 0 and half a 1, so that no value counts as impossible. A stratum whose few
labels agree then counts neither as constant nor as mixed as the rest. For 0/1 losses with x
ones among m labels of a stratum this is the prior Beta(3 p, 3 (1 − p)), p the pool's share of ones.

Draws are the Bayesian bootstrap's (Rubin 1981) with these labels added: for 0/1 losses exactly the posterior
Beta(x + 3 p, m − x + 3 (1 − p)); their distance from the labels is shrunk by √(1 − m_h/N_h) for finite strata
(docs/method.md, 5.7 and 6.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PRIOR_LABELS = 3.0
# Draws of a range's ends; the seed is fixed, so that equal labels give equal ranges.
_DRAWS = 400
_SEED = 57
# Losses are put on a grid of so many steps between the least and the largest, which changes no variance to speak of.
_STEPS = 100


@dataclass(frozen=True, slots=True, eq=False)
class StrataDraws:
    """Strata as they may be.

    Parameters
    ----------
    means, variances : (D, H) float
        Of the losses in each draw of the strata.
    """

    means: Array
    variances: Array


def draws(losses: Array, strata: NDArray[np.int64], sizes: NDArray[np.int64], bounded: bool = True) -> StrataDraws:
    """Means and variances of the strata, drawn from what the labels leave possible.

    Parameters
    ----------
    losses, strata : (M,)
        The labels, at least one of each stratum.
    sizes : (H,) int
        Items N_h.
    bounded : bool
        Whether losses lie in [0, 1].
    """
    low, high = (0.0, 1.0) if bounded else (float(losses.min()), float(losses.max()))
    width = high - low or 1.0
    steps = np.rint((losses - low) / width * _STEPS).astype(np.int64)
    levels, place = np.unique(np.r_[steps, 0, _STEPS], return_inverse=True)
    cells = strata * levels.size + place[: losses.size]
    tallies = np.bincount(cells, minlength=sizes.size * levels.size).reshape(sizes.size, levels.size)
    counts = tallies.sum(axis=1, keepdims=True)
    observed = tallies / counts
    pool = sizes / sizes.sum() @ observed
    # Without bounds the ends are observed losses, and nothing need be added.
    added = np.zeros(levels.size)
    if bounded:
        added[[0, -1]] = 0.5
    pool = (losses.size * pool + added) / (losses.size + added.sum())
    rng = np.random.default_rng(_SEED)
    gammas = rng.standard_gamma(tallies + PRIOR_LABELS * pool, (_DRAWS, *tallies.shape))
    drawn = gammas / gammas.sum(axis=2, keepdims=True)
    drawn = observed + np.sqrt(1 - counts / sizes[:, None]) * (drawn - observed)
    values = low + width * levels / _STEPS
    means = drawn @ values
    squares = drawn @ (values - values.mean()) ** 2 - (means - values.mean()) ** 2
    return StrataDraws(means, np.maximum(squares, 0.0))
