"""From weights, stratum sizes and a budget to whole numbers of labels; and the budgets to look at.

Every rule is the integer optimum of min Σ w_h²/m_h subject to Σ m_h = M, 1 ≤ m_h ≤ N_h, for its own weights w: with
w_h = N_h σ_h this is Neyman's allocation, with w_h a share it is the best whole-number version of that share
(Wright 2012; Friedrich et al. 2015; docs/method.md, 5.5).
"""

from __future__ import annotations

import heapq
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError

# Labels to begin with, on every page and in every command.
USUAL_BUDGET = 100


def budget_grid(n_strata: int, n_items: int, points: int = 40) -> NDArray[np.int64]:
    """Budgets from H to N in about equal steps of their logarithm, distinct whole numbers, both ends included."""
    steps = np.geomspace(max(n_strata, 1), max(n_items, 1), points)
    return np.unique(np.rint(steps).astype(np.int64))


def budget_options(n_strata: int, n_items: int) -> list[int]:
    """Round budgets from H to N for a slider, in about equal steps of their logarithm, both ends included."""
    steps = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8)
    round_numbers = {int(s * 10**p) for p in range(12) for s in steps if s * 10**p == int(s * 10**p)}
    low, high = min(n_strata, n_items), n_items
    return sorted({low, high} | {b for b in round_numbers if low < b < high})


def nearest(options: list[int], budget: int) -> int:
    """Option nearest to a budget, the smaller one of two that are equally near."""
    return min(options, key=lambda option: (abs(option - budget), option))


def default_budget(n_strata: int, n_items: int) -> int:
    """Budget to begin with: the option nearest to 100 labels, or to a third of a pool of fewer than 300 items."""
    return nearest(budget_options(n_strata, n_items), min(USUAL_BUDGET, max(n_items // 3, 1)))


# Labels that are put in order in the time that one more budget by itself takes.
_ORDERED = 1_000


def allocate(weights: ArrayLike, sizes: ArrayLike, budget: int) -> NDArray[np.int64]:
    """Labels of each stratum: the integer optimum of Σ w_h²/m_h.

    Parameters
    ----------
    weights : (H,) float
        Finite and at least 0; a stratum of weight 0 gets one label until all others are full.
    sizes : (H,) int
        Items N_h ≥ 1.
    budget : int
        M, H ≤ M ≤ Σ N_h.

    Returns
    -------
    (H,) int
        Σ m_h = M, 1 ≤ m_h ≤ N_h. Allocations of growing budgets are nested: no stratum ever loses a label.

    Raises
    ------
    DesignError
        The budget is below H (the message names H as the smallest possible) or above N, a size is below 1, a weight is
        negative or not finite, or the lengths differ.

    Notes
    -----
    The result equals the plain greedy algorithm (start at 1, give each next label to the first stratum with the largest
    w_h/√(m_h(m_h+1)) among those with m_h < N_h), but only the last labels, at most 3H/2, are looked for one by one.
    """
    return np.asarray(allocate_many(weights, sizes, [budget])[0])


def allocate_many(weights: ArrayLike, sizes: ArrayLike, budgets: ArrayLike) -> NDArray[np.int64]:
    """`allocate` for several budgets (B,) at once, in any order: (B, H) int."""
    weight, size = _checked(weights, sizes)
    budget = _checked_budgets(budgets, size)
    if size.size == 1:
        return budget[:, None]
    if budget.size < 2 or budget.max() > _ORDERED * budget.size:
        return np.array([_greedy(weight, size, one) for one in budget.tolist()], dtype=np.int64).reshape(-1, size.size)
    # A smaller budget gives the first labels of the largest one.
    places = np.argsort(budget, kind="stable")
    order = _order(weight, _greedy(weight, size, int(budget.max())))
    first = np.searchsorted(budget[places], np.arange(order.size), side="right")
    given = np.bincount(first * size.size + order, minlength=budget.size * size.size).reshape(budget.size, size.size)
    labels = np.empty_like(given)
    labels[places] = given.cumsum(axis=0)
    return labels


def label_order(weights: ArrayLike, allocation: ArrayLike) -> NDArray[np.int64]:
    """Stratum of each label in the order in which the greedy algorithm gives them, (M,) int.

    The first H labels are one for each stratum; the first M' ≥ H are exactly ``allocate`` with budget M', so a list
    worked off in this order is a valid sample of the design wherever it is cut after those H.

    Parameters
    ----------
    weights : (H,) float
        At least 0.
    allocation : (H,) int
        The result of `allocate` for these weights.
    """
    return _order(_scaled(np.asarray(weights, dtype=np.float64)), np.asarray(allocation, dtype=np.int64))


def equal(sizes: ArrayLike) -> NDArray[np.float64]:
    """Weights of Equal allocation, m_h = M/H: ones, (H,)."""
    return np.ones(np.asarray(sizes).size)


def proportional(sizes: ArrayLike) -> NDArray[np.float64]:
    """Weights of Proportional allocation, m_h ∝ N_h: shares of the pool, (H,)."""
    size = np.asarray(sizes, dtype=np.float64)
    return np.asarray(size / size.sum())


def power(sizes: ArrayLike) -> NDArray[np.float64]:
    """Weights of Power allocation, m_h ∝ √N_h, (H,) (Bankier 1988)."""
    return np.sqrt(np.asarray(sizes, dtype=np.float64))


def proxy_neyman(sizes: ArrayLike, consistency: ArrayLike, offset: float = 0.75) -> NDArray[np.float64]:
    """Weights of the paper's approximate Neyman allocation, N_h (√(p_h(1−p_h)) + δ), (H,).

    Parameters
    ----------
    sizes : (H,) int
        Items N_h ≥ 1.
    consistency : (H,) float
        Mean self-consistency p_h, in [0, 1].
    offset : float
        δ ≥ 0.

    Raises
    ------
    DesignError
        δ is negative or not finite, or a p_h lies outside [0, 1].

    Notes
    -----
    The paper, equation "allocation"; docs/method.md, 2.3.
    """
    return np.asarray(sizes, dtype=np.float64) * bernoulli_proxy(consistency, offset)


def bernoulli_proxy(consistency: ArrayLike, offset: float = 0.75) -> NDArray[np.float64]:
    """Stand-in of the paper for the strata's standard deviations, √(p_h(1−p_h)) + δ, (H,)."""
    p = np.asarray(consistency, dtype=np.float64)
    if not (np.isfinite(offset) and offset >= 0):
        raise DesignError(f"The offset δ is {offset}: it must be a number of at least 0.")
    if np.any(~((p >= 0) & (p <= 1))):
        raise DesignError("The mean self-consistency of a stratum must lie between 0 and 1.")
    return np.sqrt(p * (1.0 - p)) + offset


def neyman(sizes: ArrayLike, sd: ArrayLike) -> NDArray[np.float64]:
    """Weights of Neyman allocation, N_h σ_h, (H,). With the target's true σ_h this is the oracle.

    Parameters
    ----------
    sizes : (H,) int
        Items N_h ≥ 1.
    sd : (H,) float
        Standard deviations σ_h ≥ 0 of the losses.

    Notes
    -----
    Neyman 1934; the paper, section "Budget allocation".
    """
    return np.asarray(sizes, dtype=np.float64) * np.asarray(sd, dtype=np.float64)


def _order(weight: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """`label_order` of scaled weights."""
    stratum = np.repeat(np.arange(labels.size), labels)
    already = np.arange(stratum.size) - np.repeat(np.cumsum(labels) - labels, labels)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(already == 0, np.inf, weight[stratum] / np.sqrt(already * (already + 1.0)))
    # Of equal gains the first stratum's and its first label, in which order they are.
    return np.asarray(stratum[np.argsort(-gains, kind="stable")])


def _greedy(weight: NDArray[np.float64], size: NDArray[np.int64], budget: int) -> NDArray[np.int64]:
    """Labels of each stratum, (H,), by the greedy algorithm; strata that gain nothing take what is left in order."""
    labels = _greedy_prefix(weight, size, budget)
    missing = budget - int(labels.sum())
    w, n, m = weight.tolist(), size.tolist(), labels.tolist()
    waiting = [(-w[h] / math.sqrt(m[h] * (m[h] + 1.0)), h) for h in range(len(m)) if w[h] > 0 and m[h] < n[h]]
    heapq.heapify(waiting)
    while missing and waiting:
        h = waiting[0][1]
        m[h] += 1
        missing -= 1
        if m[h] < n[h]:
            heapq.heapreplace(waiting, (-w[h] / math.sqrt(m[h] * (m[h] + 1.0)), h))
        else:
            heapq.heappop(waiting)
    labels = np.array(m, dtype=np.int64)
    room = size - labels
    return np.asarray(labels + np.clip(missing - (np.cumsum(room) - room), 0, room))


def _greedy_prefix(weight: NDArray[np.float64], size: NDArray[np.int64], budget: int) -> NDArray[np.int64]:
    """State the greedy algorithm passes through on its way to the budget, at most 3H/2 labels before the end.

    At the threshold 1/λ the greedy algorithm has taken every label with w/√(m(m+1)) > 1/λ, that is
    1 + #{m ≥ 1 : m(m+1) < (λw)²} in each stratum. That number lies between λw − 1/2 and λw + 1, so λ from the
    real-valued solution Σ clip(λw, 1, N) = M − H never overshoots.
    """
    labels = np.ones(size.size, dtype=np.int64)
    positive = weight > 0
    w, n = weight[positive], size[positive]
    target = budget - size.size - int((~positive).sum())
    if target <= w.size or w.size == 0:
        return labels
    breakpoints = np.sort(np.concatenate([1.0 / w, n / w]))
    filled = np.clip(breakpoints[:, None] * w, 1.0, n).sum(axis=1)
    scaled = np.minimum(np.interp(target, filled, breakpoints) * w, n + 1.0)
    taken = np.ceil(np.sqrt(scaled * scaled + 0.25) - 0.5)
    labels[positive] = np.clip(taken, 1, n).astype(np.int64)
    return labels


def _checked(weights: ArrayLike, sizes: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    weight, size = np.asarray(weights, dtype=np.float64), np.asarray(sizes, dtype=np.int64)
    if weight.ndim != 1 or weight.shape != size.shape or size.size == 0:
        raise DesignError(
            f"There must be one weight and one size for each stratum. Found shapes {weight.shape} and {size.shape}."
        )
    if np.any(size < 1):
        raise DesignError(f"Stratum {int(np.argmax(size < 1))} is empty. Every stratum needs at least one item.")
    if np.any(~np.isfinite(weight) | (weight < 0)):
        bad = int(np.argmax(~np.isfinite(weight) | (weight < 0)))
        raise DesignError(f"The weight of stratum {bad} is {weight[bad]}: it must be a number of at least 0.")
    return _scaled(weight), size


def _scaled(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of at most 1; a power of two is exact, so ties between strata stay ties.

    A weight of less than 10⁻²⁰⁰ of the largest counts as 0: it waits for all others either way, and would overflow.
    """
    scaled = np.ldexp(weight, -np.frexp(weight.max())[1])
    return np.where(scaled < 1e-200, 0.0, scaled)


def _checked_budgets(budgets: ArrayLike, size: NDArray[np.int64]) -> NDArray[np.int64]:
    labels = np.asarray(budgets, dtype=np.float64)
    if labels.ndim != 1 or not np.all(np.isfinite(labels) & (labels == np.floor(labels))):
        raise DesignError("A budget must be a whole number of labels.")
    total = int(size.sum())
    if np.any(labels < size.size):
        raise DesignError(
            f"A budget of {int(labels.min())} is too small for {size.size} strata: "
            f"the smallest possible budget is {size.size}, one label for each stratum."
        )
    if np.any(labels > total):
        raise DesignError(
            f"A budget of {int(labels.max()):,} is more than the {total:,} items of the pool. Choose at most {total:,}."
        )
    return labels.astype(np.int64)


# Number of labels that a plain random sample takes for an error.

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
