"""AcTracer: clusters of vectors, labels sent to clusters by an upper confidence bound. Its estimate is biased.

Each cluster begins with two labels. Every further one goes to the cluster with the largest

    B_k = (W_k/T_k) (σ̂_k + A/√T_k),   W_k = N_k/N,

where T_k labels of the cluster have the standard deviation σ̂_k. Inside a cluster, the next item is one of the level of
confidence that the labels so far lack most. The estimate is Σ_k W_k ℓ̄_k. How many labels a cluster gets depends on
their losses, and which items come first on their confidence, so its mean is not the pool's: `simulated` measures by how
much.

Source: Huang, Song, Hu, Juefei-Xu & Ma 2024, "Active Testing of Large Language Model via Multi-Stage Sampling";
Carpentier & Munos 2011 for the bound; docs/designs.md, AcTracer. The source clusters hidden states of the model; here
people bring the vectors, the clusters are plain k-means, and their number is given.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..lure import batches
from ..pool.pool import Pool
from ..signals.column_values import column_values

# A list of numbers for each item, or numeric columns whose names begin so.
VECTOR = "vector"
PREFIX = "vector:"
CLUSTERS = 10
# A of the bound.
EXPLORATION = 0.5
LACKS = (
    f"AcTracer is not shown: it needs a vector of each item, as a list of numbers “{VECTOR}” or as columns "
    f"“{PREFIX}1”, “{PREFIX}2”, …"
)
# Labels that each cluster begins with.
_FIRST = 2
_CELLS = 4_000_000


def vectors(pool: Pool) -> NDArray[np.float64] | None:
    """Vectors of a pool's items, (N, d); None if it has none.

    Parameters
    ----------
    pool : Pool
        With a key “vector”, a list of d numbers for each item, or numeric columns “vector:…”.

    Raises
    ------
    DesignError
        A vector is missing, has another length than the first, or does not consist of finite numbers.
    PoolError
        A column “vector:…” holds something else than numbers.
    """
    names = [name for name in pool.source.column_names if name.startswith(PREFIX)]
    if names:
        return _finite(np.column_stack([column_values(pool, name) for name in names]))
    if VECTOR not in pool.source.column_names:
        return None
    rows = []
    for row, text in enumerate(pool.source.column(VECTOR).to_pylist(), start=1):
        try:
            rows.append([float(number) for number in json.loads(text)])
        except (TypeError, ValueError) as error:
            raise DesignError(f"Row {row:,}: “{VECTOR}” must be a list of numbers, one list for each item.") from error
        if len(rows[-1]) != len(rows[0]) or not rows[0]:
            raise DesignError(f"Row {row:,}: “{VECTOR}” has {len(rows[-1])} numbers and that of row 1 {len(rows[0])}.")
    return _finite(np.array(rows, dtype=np.float64))


def clusters(points: ArrayLike, n_clusters: int = CLUSTERS, seed: int = 0) -> NDArray[np.int64]:
    """Cluster of each item by k-means on standardised coordinates.

    Parameters
    ----------
    points : (N, d) float
        Finite.
    n_clusters : int
        K ≥ 1; fewer result if clusters stay empty or there are fewer distinct points.
    seed : int
        Of the first centres (k-means++).

    Returns
    -------
    (N,) int
        0 … K′−1.
    """
    # Here, so that exact errors do not wait for SciPy.
    from scipy.cluster.vq import kmeans2

    values = np.asarray(points, dtype=np.float64)
    sd = values.std(axis=0)
    scaled = (values - values.mean(axis=0)) / np.where(sd > 0, sd, 1.0)
    distinct, nearest = np.unique(scaled, axis=0, return_inverse=True)
    if len(distinct) <= n_clusters:
        return nearest.ravel().astype(np.int64)
    with warnings.catch_warnings():
        # Clusters that stay empty are dropped.
        warnings.simplefilter("ignore", UserWarning)
        member = kmeans2(scaled, _centres(scaled, n_clusters, np.random.default_rng(seed)), iter=50, minit="matrix")[1]
    return np.unique(member, return_inverse=True)[1].astype(np.int64)


def estimates(
    losses: ArrayLike,
    cluster: ArrayLike,
    budgets: Sequence[int],
    confidence: ArrayLike | None = None,
    trials: int = 1000,
    exploration: float = EXPLORATION,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> NDArray[np.float64]:
    """Estimates of independent rounds of labelling.

    Parameters
    ----------
    losses : (N,) float
        Finite losses of all items.
    cluster : (N,) int
        Clusters 0 … K−1, none empty.
    budgets : (B,) int
        From 1 to N.
    confidence : (N,) float, optional
        The model's confidence in each item, with few distinct values, such as self-consistency; NaN counts as one more
        value. Without it, the items of a cluster are in random order.
    trials : int
        T ≥ 1.
    exploration : float
        A ≥ 0 of the bound.
    seed : int
        At least 0; equal arguments give equal estimates.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    (T, B) float
        NaN if the budget is below what the clusters begin with, two labels each.

    Raises
    ------
    DesignError
        The numbers of losses and clusters differ, a loss is unknown, or a budget does not fit.
    """
    loss, member = np.asarray(losses, dtype=np.float64), np.asarray(cluster, dtype=np.int64)
    budget = np.asarray(budgets, dtype=np.int64)
    if loss.shape != member.shape or not np.isfinite(loss).all():
        raise DesignError("AcTracer needs a cluster and a known loss for each item.")
    if np.any((budget < 1) | (budget > loss.size)):
        raise DesignError(f"A budget must lie between 1 and the {loss.size:,} items.")
    sure = np.zeros(loss.size) if confidence is None else np.asarray(confidence, dtype=np.float64)
    parts = [np.flatnonzero(member == k) for k in range(int(member.max()) + 1)]
    levels = [np.unique(sure[part], return_inverse=True)[1].ravel().astype(np.int64) for part in parts]
    turns = [_turns(np.bincount(one)) for one in levels]
    most = int(budget.max(initial=1))
    step = max(1, _CELLS // max(loss.size, 1))
    results = np.empty((trials, budget.size))
    rng = np.random.default_rng(seed)
    for batch in batches(trials, step, progress):
        drawn = [
            _in_order(loss[part], level, turn, batch.stop - batch.start, rng)
            for part, level, turn in zip(parts, levels, turns, strict=True)
        ]
        results[batch] = _rounds(drawn, most, exploration)[:, budget - 1]
    return results


def _rounds(drawn: list[NDArray[np.float64]], most: int, exploration: float) -> NDArray[np.float64]:
    """Estimates (T, M) after each label, from the losses (T, N_k) of each cluster in their order."""
    trials, sizes = len(drawn[0]), np.array([part.shape[1] for part in drawn])
    width = min(int(sizes.max()), most)
    losses = np.zeros((trials, sizes.size, width))
    for k, part in enumerate(drawn):
        losses[:, k, : part.shape[1]] = part[:, :width]
    shares, rows = sizes / sizes.sum(), np.arange(trials)
    first = np.minimum(_FIRST, sizes)
    begun = int(first.sum())
    values = np.full((trials, most), np.nan)
    count = np.tile(first, (trials, 1))
    head = np.arange(min(_FIRST, width)) < first[:, None]
    total = (losses[:, :, : head.shape[1]] * head).sum(axis=2)
    square = (losses[:, :, : head.shape[1]] ** 2 * head).sum(axis=2)
    if begun <= most:
        values[:, begun - 1] = total / count @ shares
    for label in range(begun, most):
        variance = np.maximum(square - total**2 / count, 0.0) / np.maximum(count - 1, 1)
        bound = shares / count * (np.sqrt(variance) + exploration / np.sqrt(count))
        k = np.where(count < sizes, bound, -1.0).argmax(axis=1)
        loss = losses[rows, k, count[rows, k]]
        count[rows, k] += 1
        total[rows, k] += loss
        square[rows, k] += loss**2
        values[:, label] = total / count @ shares
    return values


def _turns(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Level of each place of a cluster's list, (N_k,): the next is the one that the list so far lacks most.

    Parameters
    ----------
    counts : (L,) int
        Items of each level in the cluster.
    """
    shares, taken = counts / counts.sum(), np.zeros(counts.size)
    turns = np.empty(int(counts.sum()), dtype=np.int64)
    for place in range(turns.size):
        turns[place] = np.where(taken < counts, shares * (place + 1) - taken, -np.inf).argmax()
        taken[turns[place]] += 1
    return turns


def _in_order(
    losses: NDArray[np.float64],
    level: NDArray[np.int64],
    turns: NDArray[np.int64],
    trials: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Losses (T, N_k) of a cluster in the order of the levels, items of a level shuffled."""
    result = np.empty((trials, losses.size))
    for one in np.unique(level):
        items = losses[level == one]
        result[:, turns == one] = rng.permuted(np.broadcast_to(items, (trials, items.size)), axis=1)
    return result


def _centres(points: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """First centres by k-means++ (Arthur & Vassilvitskii 2007), (K, d), all distinct."""
    chosen = [points[rng.integers(len(points))]]
    distance = ((points - chosen[0]) ** 2).sum(axis=1)
    while len(chosen) < count:
        chosen.append(points[rng.choice(len(points), p=distance / distance.sum())])
        distance = np.minimum(distance, ((points - chosen[-1]) ** 2).sum(axis=1))
    return np.array(chosen)


def _finite(points: NDArray[np.float64]) -> NDArray[np.float64]:
    wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if wrong.size:
        raise DesignError(
            f"Row {wrong[0] + 1:,}: the vector is missing or infinite. Give finite numbers for each item."
        )
    return points
