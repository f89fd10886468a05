"""Signals of the generations: semantic entropy, self-consistency, predictive entropy, agreement with the target.

Source: the paper, equations for SE and SC (Algorithm 1, step 1); docs/method.md, 2.1, 5.3 and 7.1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..pool.class_counts import ClassCounts, blocks, class_counts, per_item

# Two entropies nearer than this are the same number computed along two paths (for instance the answer counts
# 4,1,1,1,1,1,1 and 2,2,2,2,1,1, both with Σ c ln c = 8 ln 2); distinct entropies of small k lie many orders of
# magnitude further apart.
_SAME_ENTROPY = 1e-11


def semantic_entropy(classes: ArrayLike | ClassCounts, logprobs: ArrayLike | None = None) -> NDArray[np.float64]:
    """Entropy of the distribution of meanings, SE_i = −Σ_c P_c ln P_c, in nats.

    Parameters
    ----------
    classes : (N, k) int or ClassCounts
        Meaning class of each generation; any labels, −1 if a generation is missing. Without ``logprobs``, the sizes
        of the classes say as much.
    logprobs : (N, k) float, optional
        Sequence log-probability of each generation. Without it P_c is the frequency of class c among the item's
        generations (closed answer space); with it P_c = Σ_{s∈c} p(s), normalised over the item's generations
        (likelihood-weighted form).

    Returns
    -------
    (N,) float
        In [0, ln k]. Items with the same class counts, or with counts of equal entropy, get bit-identical values, so
        that ties are ties. NaN if an item has no generation; 0 for k = 1.

    Raises
    ------
    ValueError
        ``classes`` is not two-dimensional, ``logprobs`` has another shape, or a present generation's log-probability is
        NaN or +inf.

    Notes
    -----
    The paper, equation "SE"; Kuhn et al. 2023; docs/method.md, 2.1 and 5.3.
    """
    if isinstance(classes, ClassCounts):
        return _entropy_of_counts(classes)
    labels = _two_dimensional(classes)
    if labels.shape[0] == 0:
        return np.empty(0)
    if logprobs is None:
        return _entropy_of_counts(class_counts(labels))
    return _entropy_of_likelihoods(labels, np.asarray(logprobs, dtype=np.float64))


def mean_entropy(classes: ArrayLike) -> float:
    """Mean semantic entropy in nats of the items that have generations; ``classes`` as in `semantic_entropy`."""
    return float(np.nanmean(semantic_entropy(classes)))


def self_consistency(classes: ArrayLike | ClassCounts) -> NDArray[np.float64]:
    """Share of the most frequent class, SC_i = max_c count_c / k.

    Parameters
    ----------
    classes : (N, k) int or ClassCounts
        Meaning class of each generation, −1 where one is missing; or the sizes of the classes.

    Returns
    -------
    (N,) float
        In [1/k, 1]; the denominator is the number of generations the item has. NaN if it has none.

    Notes
    -----
    The paper, equation "SC"; Wang et al. 2022; docs/method.md, 2.1.
    """
    counts = classes if isinstance(classes, ClassCounts) else class_counts(classes)
    return per_item(_divide(counts.largest.astype(np.float64), counts.generations), counts.member)


def predictive_entropy(token_logprobs: ArrayLike) -> NDArray[np.float64]:
    """Token-averaged predictive entropy: minus the mean of the generations' mean token log-probabilities.

    Parameters
    ----------
    token_logprobs : (N, k) float
        Mean log-probability of each generation's tokens, ≤ 0; NaN if a generation is missing.

    Returns
    -------
    (N,) float
        At least 0, in nats per token; NaN if an item has no generation.

    Notes
    -----
    The acquisition score of PE-LURE; docs/method.md, 2.1 and 3.
    """
    means = np.asarray(token_logprobs, dtype=np.float64)
    if means.ndim != 2:
        raise ValueError(f"token_logprobs must be (N, k), got shape {means.shape}")
    present = ~np.isnan(means)
    return _divide(-np.where(present, means, 0.0).sum(axis=1), present.sum(axis=1))


def agreement(classes: ArrayLike, target_classes: ArrayLike) -> NDArray[np.float64]:
    """Share of an item's generations that give the target's own answer.

    Parameters
    ----------
    classes : (N, k) int
        Meaning class of each generation, −1 where one is missing.
    target_classes : (N,) int
        Class of the target's answer in the same labelling, −1 if it is unknown.

    Returns
    -------
    (N,) float
        In [0, 1]; 0 for an answer that no generation gives. NaN if the target's answer is unknown or the item has
        no generation. Equal shares are bit-identical.

    Raises
    ------
    ValueError
        ``classes`` is not two-dimensional, or ``target_classes`` has not one entry for each item.

    Notes
    -----
    docs/method.md, 7.1.
    """
    labels = _two_dimensional(classes)
    answers = np.asarray(target_classes)
    if answers.shape != labels.shape[:1]:
        raise ValueError(f"target_classes must be ({labels.shape[0]},), got shape {answers.shape}")
    same = ((labels == answers[:, None]) & (labels >= 0)).sum(axis=1)
    return share_agreeing(np.where(answers >= 0, same, -1), class_counts(labels))


def share_agreeing(agreeing: NDArray[np.integer[Any]], counts: ClassCounts) -> NDArray[np.float64]:
    """`agreement` from counts.

    Parameters
    ----------
    agreeing : (N,) int
        Generations that give the target's answer, −1 if it is unknown (`Pool.agreeing`).
    counts : ClassCounts
        Of the N items.

    Returns
    -------
    (N,) float
    """
    # Few shares are possible: they are divided once, and looked up for each item.
    shape = (int(agreeing.max(initial=0)) + 2, len(counts.distinct))
    same = np.broadcast_to(np.arange(-1.0, shape[0] - 1)[:, None], shape)
    shares = _divide(same, np.broadcast_to(counts.generations, shape))
    shares[0] = np.nan
    of_items = np.empty(agreeing.size)
    for block in blocks(agreeing.size):
        of_items[block] = shares[agreeing[block] + 1, counts.member[block]]
    return of_items


def _entropy_of_counts(counts: ClassCounts) -> NDArray[np.float64]:
    entropies = np.array([_entropy(sizes[sizes > 0]) for sizes in counts.distinct])
    return per_item(_merge_equal(entropies), counts.member)


def _entropy(counts: NDArray[np.int64]) -> float:
    """Entropy ln n − (Σ c ln c)/n of the class counts c of one item, n = Σ c; NaN for n = 0."""
    n = int(counts.sum())
    if n == 0:
        return math.nan
    if counts.size == 1:
        return 0.0
    return math.log(n) - math.fsum(c * math.log(c) for c in sorted(counts.tolist())) / n


def _merge_equal(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values nearer than ``_SAME_ENTROPY`` to their smaller neighbour take its value; NaN stays NaN."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    leaders = np.concatenate([[True], ~(np.diff(ordered) < _SAME_ENTROPY)])
    merged = np.empty_like(values)
    merged[order] = ordered[leaders][np.cumsum(leaders) - 1]
    return merged


def _entropy_of_likelihoods(labels: NDArray[np.int64], logprobs: NDArray[np.float64]) -> NDArray[np.float64]:
    if logprobs.shape != labels.shape:
        raise ValueError(f"logprobs must have the shape of classes, {labels.shape}, got {logprobs.shape}")
    present = labels >= 0
    if np.any(np.isnan(logprobs[present]) | (logprobs[present] == np.inf)):
        raise ValueError("logprobs of present generations must be finite or −inf")
    weights = _normalised(np.where(present, logprobs, -np.inf), present)
    n_items, k = labels.shape
    order = np.argsort(labels, axis=1, kind="stable")
    ordered = np.take_along_axis(labels, order, axis=1)
    mass = np.take_along_axis(weights, order, axis=1)
    starts = np.ones((n_items, k), dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    run = np.cumsum(starts.ravel()) - 1
    share = np.minimum(np.bincount(run, weights=mass.ravel()), 1.0)
    owner = np.flatnonzero(starts.ravel()) // k
    terms = np.where(share > 0, -share * np.log(np.where(share > 0, share, 1.0)), 0.0)
    entropy = np.bincount(owner, weights=terms, minlength=n_items)
    # A class that holds all the probability has a share of 1 only up to rounding; its entropy is exactly 0.
    one_class = np.bincount(owner, weights=share > 0, minlength=n_items) == 1
    entropy[one_class] = 0.0
    entropy[~present.any(axis=1)] = np.nan
    return np.asarray(entropy)


def _normalised(logprobs: NDArray[np.float64], present: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Probabilities that sum to 1 over the generations present; uniform if all of a row's are −inf."""
    peak = logprobs.max(axis=1, keepdims=True, initial=-np.inf)
    hopeless = ~np.isfinite(peak)
    weights = np.where(hopeless, present, np.exp(logprobs - np.where(hopeless, 0.0, peak)))
    total = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0))


def _two_dimensional(classes: ArrayLike) -> NDArray[np.int64]:
    labels = np.asarray(classes)
    if labels.ndim != 2:
        raise ValueError(f"classes must be (N, k), got shape {labels.shape}")
    return labels


def _divide(numerator: NDArray[np.float64], denominator: NDArray[np.int64]) -> NDArray[np.float64]:
    shares = np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator > 0)
    return np.asarray(shares)
