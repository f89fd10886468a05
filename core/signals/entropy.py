"""Signals of the generations: semantic entropy, self-consistency, predictive entropy, agreement with the target.

Source: the paper, equations for SE and SC (Algorithm 1, step 1); docs/method.md, 2.1, 5.3 and 7.1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Two entropies nearer than this are the same number computed along two paths (for instance the answer counts
# 4,1,1,1,1,1,1 and 2,2,2,2,1,1, both with Σ c ln c = 8 ln 2); distinct entropies of small k lie many orders of
# magnitude further apart.
_SAME_ENTROPY = 1e-11


def semantic_entropy(classes: ArrayLike, logprobs: ArrayLike | None = None) -> NDArray[np.float64]:
    """Entropy of the distribution of meanings, SE_i = −Σ_c P_c ln P_c, in nats.

    Parameters
    ----------
    classes : (N, k) int
        Meaning class of each generation; any labels, −1 where a generation is missing.
    logprobs : (N, k) float, optional
        Sequence log-probability of each generation. Without it P_c is the frequency of class c among the item's
        generations (closed answer space); with it P_c = Σ_{s∈c} p(s), normalised over the item's generations
        (likelihood-weighted form).

    Returns
    -------
    (N,) float
        In [0, ln k]. Items with the same class counts, or with counts of equal entropy, get bit-identical values, so
        that ties are ties. NaN where an item has no generation; 0 for k = 1.

    Raises
    ------
    ValueError
        ``classes`` is not two-dimensional, ``logprobs`` has another shape, or a present generation's log-probability is
        NaN or +inf.

    Notes
    -----
    The paper, equation "SE"; Kuhn et al. 2023; docs/method.md, 2.1 and 5.3.
    """
    labels = _two_dimensional(classes)
    if labels.shape[0] == 0:
        return np.empty(0)
    if logprobs is None:
        return _entropy_of_counts(labels)
    return _entropy_of_likelihoods(labels, np.asarray(logprobs, dtype=np.float64))


def self_consistency(classes: ArrayLike) -> NDArray[np.float64]:
    """Share of the most frequent class, SC_i = max_c count_c / k.

    Parameters
    ----------
    classes : (N, k) int
        Meaning class of each generation, −1 where one is missing.

    Returns
    -------
    (N,) float
        In [1/k, 1]; the denominator is the number of generations the item has. NaN where it has none.

    Notes
    -----
    The paper, equation "SC"; Wang et al. 2022; docs/method.md, 2.1.
    """
    labels = _two_dimensional(classes)
    runs = _Runs(labels)
    largest = np.zeros(labels.shape[0])
    if runs.lengths.size:
        present = runs.per_item > 0
        largest[present] = np.maximum.reduceat(runs.lengths, runs.first[present])
    return _divide(largest, runs.generations)


def predictive_entropy(token_logprobs: ArrayLike) -> NDArray[np.float64]:
    """Token-averaged predictive entropy: minus the mean of the generations' mean token log-probabilities.

    Parameters
    ----------
    token_logprobs : (N, k) float
        Mean log-probability of each generation's tokens, ≤ 0; NaN where a generation is missing.

    Returns
    -------
    (N,) float
        At least 0, in nats per token; NaN where an item has no generation.

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
        Class of the target's answer in the same labelling, −1 where it is unknown.

    Returns
    -------
    (N,) float
        In [0, 1]; 0 for an answer that no generation gives. NaN where the target's answer is unknown or the item has
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
    return np.where(answers >= 0, _divide(same.astype(np.float64), (labels >= 0).sum(axis=1)), np.nan)


class _Runs:
    """Runs of equal labels in each row once the row is sorted: one run per class of an item."""

    __slots__ = ("first", "generations", "lengths", "per_item")

    def __init__(self, labels: NDArray[np.int64]) -> None:
        n_items, k = labels.shape
        ordered = np.sort(labels, axis=1)
        present = ordered >= 0
        starts = present.copy()
        if k > 1:
            starts[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
        self.generations = present.sum(axis=1)
        self.per_item = starts.sum(axis=1)
        self.first = np.cumsum(self.per_item) - self.per_item
        positions = np.flatnonzero(starts.ravel())
        row_ends = np.arange(1, n_items + 1) * k
        followers = np.append(positions[1:], n_items * k)
        self.lengths = np.minimum(followers, row_ends[positions // k]) - positions if k else np.empty(0, np.int64)

    def multisets(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Distinct multisets of class counts: index of an example row for each, and for each item which one it has."""
        k = int(self.generations.max(initial=0))
        if k * math.log2(k + 1) > 61:
            codes = self._codes_of_sorted_counts(k)
        else:
            weights = (k + 1) ** np.arange(k + 1, dtype=np.int64)
            totals = np.concatenate([[0], np.cumsum(weights[self.lengths])])
            codes = totals[self.first + self.per_item] - totals[self.first]
        _, example, member = np.unique(codes, return_index=True, return_inverse=True)
        return example, member

    def _codes_of_sorted_counts(self, k: int) -> NDArray[np.int64]:
        counts = np.zeros((self.per_item.size, k), dtype=np.int64)
        rows = np.repeat(np.arange(self.per_item.size), self.per_item)
        counts[rows, np.arange(self.lengths.size) - self.first[rows]] = self.lengths
        _, member = np.unique(np.sort(counts, axis=1), axis=0, return_inverse=True)
        return member.ravel().astype(np.int64)

    def counts_of(self, item: int) -> NDArray[np.int64]:
        return self.lengths[self.first[item] : self.first[item] + self.per_item[item]]


def _entropy_of_counts(labels: NDArray[np.int64]) -> NDArray[np.float64]:
    runs = _Runs(labels)
    example, member = runs.multisets()
    entropies = _merge_equal(np.array([_entropy(runs.counts_of(item)) for item in example.tolist()]))
    return entropies[member]


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
    """Probabilities that sum to 1 over the generations present; uniform where all of a row's are −inf."""
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
