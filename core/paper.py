"""The method on one page: from the meaning classes of a pool's generations to an estimate of the target's risk.

This is Algorithm 1 of *Active Testing of Large Language Models via Approximate Neyman Allocation* (Liu, Zhang, Liu,
Zhu), in the paper's symbols and order; what the paper leaves open is decided as in docs/method.md, 5. It is plain and
slow on purpose: the packages beside it compute the same faster, for more designs, and are tested against it.

N items, k generations each, H strata of sizes N_h, M labels of which m_h go to stratum h; losses ℓ are any numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def semantic_entropy(classes: Ints) -> Floats:
    """SE_i = −Σ_c P_c ln P_c in nats, with P_c the share of item i's k generations in class c; (N, k) → (N,)."""
    shares = [np.unique(row, return_counts=True)[1] / row.size for row in classes]
    # Entropies that only rounding tells apart are equal.
    return np.round([-(p * np.log(p)).sum() for p in shares], 9) + 0.0


def self_consistency(classes: Ints) -> Floats:
    """SC_i = max_c P_c, the share of the most frequent class; (N, k) → (N,)."""
    return np.array([np.unique(row, return_counts=True)[1].max() / row.size for row in classes])


def adaptive_strata(entropy: Floats, H: int = 5) -> Ints:
    """Stratum 0 of the items with SE = 0, and H − 1 equal-quantile bins of the others; (N,) → (N,) in 0 … H' − 1.

    Equal entropies stay together: a cut goes where the number of items below it comes nearest to the ideal, and cuts
    that coincide merge. If no entropy is 0, all H strata are quantile bins.
    """
    certain = (entropy == 0) & (H > 1) & (entropy.max() > 0)
    rest, bins = entropy[~certain], H - 1 if certain.any() else H
    candidates = np.unique(rest)[1:]
    below = np.array([(rest < value).sum() for value in candidates])
    ideal = np.arange(1, bins) * rest.size / bins
    cuts = {candidates[np.abs(below - one).argmin()] for one in ideal if candidates.size}
    if certain.any():
        cuts.add(rest.min())
    return np.searchsorted(sorted(cuts), entropy, side="right")


def proxy_neyman(sizes: Ints, consistency: Floats, delta: float = 0.75) -> Floats:
    """Weights w_h = N_h (√(p_h (1 − p_h)) + δ), with p_h the mean self-consistency of stratum h; (H,) → (H,)."""
    return sizes * (np.sqrt(consistency * (1 - consistency)) + delta)


def allocate(weights: Floats, sizes: Ints, M: int) -> Ints:
    """The whole numbers m_h that minimise Σ w_h²/m_h with Σ m_h = M and 1 ≤ m_h ≤ N_h; (H,) → (H,).

    Greedy, which is optimal here: each next label goes to the stratum that gains most from it (Wright 2012).
    """
    m = np.ones(sizes.size, dtype=np.int64)
    while m.sum() < M:
        m[np.where(m < sizes, weights / np.sqrt(m * (m + 1)), -1.0).argmax()] += 1
    return m


def draw(strata: Ints, m: Ints, rng: np.random.Generator) -> Ints:
    """Positions of m_h items of each stratum, drawn uniformly without replacement; (M,)."""
    return np.concatenate([rng.choice(np.flatnonzero(strata == h), m[h], replace=False) for h in range(m.size)])


def estimate(losses: Floats, strata: Ints, sizes: Ints) -> float:
    """R̂ = Σ_h (N_h/N) ℓ̄_h from the losses (M,) of the labelled items and their strata (M,).

    This is the Horvitz–Thompson estimate with inclusion probabilities π_i = m_h/N_h: unbiased for every stratification
    and every allocation that were fixed before the labels.
    """
    means = [losses[strata == h].mean() for h in range(sizes.size)]
    return float(sizes @ means / sizes.sum())


def variance(losses: Floats, strata: Ints, m: Ints) -> float:
    """E (R̂ − R)² = Σ_h (N_h/N)² (1 − m_h/N_h) S_h²/m_h, from all losses (N,); S_h² has denominator N_h − 1."""
    total = 0.0
    for h in range(m.size):
        inside = losses[strata == h]
        spread = inside.var(ddof=1) if inside.size > 1 else 0.0
        total += (inside.size / losses.size) ** 2 * (1 - m[h] / inside.size) * spread / m[h]
    return total


def relative_error(losses: Floats, strata: Ints, m: Ints) -> float:
    """The squared error of the design divided by that of M items drawn uniformly from the whole pool."""
    uniform = variance(losses, np.zeros_like(strata), np.array([m.sum()]))
    return variance(losses, strata, m) / uniform
