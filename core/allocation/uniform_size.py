"""Number of labels that a plain random sample takes for an error."""

from __future__ import annotations

import math

# Forgives rounding: equal errors may be computed along two paths.
_ROUNDING = 1e-12


def uniform_size(error: float, variance: float, n_items: float) -> float:
    """Return the labels, not rounded, with which the mean of a uniform sample has a squared error.

    Parameters
    ----------
    error : float
        Squared error, (1/M − 1/N) S², at least 0.
    variance : float
        S² of the items, above 0.
    n_items : float
        N; ∞ is a pool without end.

    Notes
    -----
    Cochran 1977, 4.4. For a half-width h at normal limits the error is (h/z)²; a share saved is 1 − M/labels.
    """
    return 1.0 / (error / variance + 1.0 / n_items)


def uniform_needed(error: float, variance: float, n_items: int) -> int:
    """Return the fewest labels, from 1 to N, with which the mean of a uniform sample has no larger squared error.

    Parameters
    ----------
    error, variance, n_items
        As in `uniform_size`.
    """
    return min(max(math.ceil((1 - _ROUNDING) * uniform_size(error, variance, n_items)), 1), n_items)
