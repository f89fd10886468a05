"""Methods that correct a prediction by labels: PPI++, stratified PPI++, ssepy's strata, AIPW and ASI.

With a predicted loss p̂ of every item and labels of some, the estimate is the mean prediction plus the mean error of the
predictions on the labels, as far as they are worth: λ mean(p̂) + mean(ℓ − λ p̂).

Source: Angelopoulos, Duchi & Zrnic 2023 (PPI++, arXiv:2311.01453), section 6 for λ; Fisch et al. 2024 (stratified
prediction-powered inference), section 4; Fogliato et al. 2024 (ssepy, arXiv:2406.07320), sections 3 and 4; Zrnic &
Candès 2024 (active statistical inference, arXiv:2403.03208), sections 4 and 7.2; Gligorić et al. 2025 (can unconfident
LLM annotations be used for confident conclusions?, arXiv:2408.15204), for the λ of ASI as GLIDE computes it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...allocation.optimum import allocate
from ...stratification.cuts import stratify
from .lists import Floats, Lists, positions, stratified_lists
from .scenarios import Contest

# Strata of stratified PPI++ and of ssepy, as in the examples of both packages.
STRATA = 5
# ssepy takes no stratum for more certain than this.
_LEAST_VARIANCE = 0.05
# Share of Uniform in the probabilities of active sampling.
_EVEN = 0.5
# An uncertainty must be above 0; GLIDE warns where the largest is more than a thousand times the smallest.
_LEAST_DOUBT = 1e-3
_CELLS = 4_000_000


def power_tuned(
    losses: Floats, predicted: Floats, whole: Floats, ddof: int = 0, clipped: bool = True
) -> tuple[Floats, Floats]:
    """PPI++ of T uniform samples: value and variance, (T,) each.

    Parameters
    ----------
    losses, predicted : (T, M) float
        Of the labelled items.
    whole : (N,) float
        Predictions of all items; those without a label are the unlabelled sample.
    ddof : int
        0 for the variances of ppi_py, 1 for those of GLIDE.
    clipped : bool
        Whether λ is kept in [0, 1], as in ppi_py.
    """
    labels = losses.shape[1]
    rest = whole.size - labels
    middle = predicted.mean(axis=1)
    shifted = predicted - middle[:, None]
    covariance = ((losses - losses.mean(axis=1, keepdims=True)) * shifted).sum(axis=1) / (labels - ddof)
    spread = whole.var(ddof=1)
    weight = covariance / ((1 + labels / rest) * spread) if spread > 0 else np.zeros(len(losses))
    if clipped:
        weight = np.clip(weight, 0.0, 1.0)
    unlabelled = (whole.sum() - predicted.sum(axis=1)) / rest
    left = losses - weight[:, None] * predicted
    squares = np.maximum((whole**2).sum() - (predicted**2).sum(axis=1) - rest * unlabelled**2, 0.0)
    variance = left.var(axis=1, ddof=ddof) / labels + weight**2 * squares / (rest - ddof) / rest
    return weight * unlabelled + left.mean(axis=1), variance


def uniform_positions(contest: Contest, budget: int, rounds: int, seed: int) -> NDArray[np.int64]:
    """Uniform samples, (T, M)."""
    return positions(np.zeros(contest.losses.size, dtype=np.int64), np.array([budget]), rounds, seed)


def proportional(contest: Contest, budget: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Quantile strata of p̂, (N,), and labels in proportion to their sizes, (H,).

    As many as there can be up to five if p̂ is to vary in each, which GLIDE asks for.
    """
    for count in range(STRATA, 0, -1):
        stratum = stratify(contest.risk, count, "quantile")
        if all(np.ptp(contest.risk[stratum == h]) > 0 for h in range(int(stratum.max()) + 1)):
            break
    sizes = np.bincount(stratum)
    return stratum, allocate(sizes, sizes, budget)


def ppi(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """PPI++ on uniform samples."""
    drawn = uniform_positions(contest, budget, rounds, seed)
    return Lists.wald(*power_tuned(contest.losses[drawn], contest.risk[drawn], contest.risk))


def stratified_ppi(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """PPI++ in each of five strata of p̂ with proportional allocation, λ of each stratum its own."""
    stratum, labels = proportional(contest, budget)
    drawn = positions(stratum, labels, rounds, seed)
    value, variance, start = np.zeros(rounds), np.zeros(rounds), 0
    for h, count in enumerate(labels.tolist()):
        part, whole = drawn[:, start : start + count], contest.risk[stratum == h]
        share = whole.size / stratum.size
        own, spread = power_tuned(contest.losses[part], contest.risk[part], whole, ddof=1, clipped=False)
        value, variance, start = value + share * own, variance + share**2 * spread, start + count
    return Lists.wald(value, variance)


def ssepy_like(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """Strata of p̂ by k-means, Neyman allocation by p̂(1 − p̂), the stratified mean with its Wald interval."""
    stratum = stratify(contest.risk, STRATA, "k-means")
    sizes = np.bincount(stratum)
    middle = np.bincount(stratum, weights=contest.risk) / sizes
    spread = np.sqrt(np.maximum(middle * (1 - middle), _LEAST_VARIANCE))
    return stratified_lists(contest.losses, stratum, allocate(sizes * spread, sizes, budget), rounds, seed, wald=True)


def active_probabilities(risk: Floats, budget: int) -> Floats:
    """Chance of each item to be labelled, half of it ∝ √(p̂(1 − p̂)) and half even; M in all unless one is cut to 1."""
    doubt = np.sqrt(risk * (1 - risk))
    share = doubt / doubt.sum() if doubt.any() else np.full(risk.size, 1 / risk.size)
    return np.minimum(budget * ((1 - _EVEN) * share + _EVEN / risk.size), 1.0)


def aipw(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """AIPW with active sampling: each item is labelled or not by a coin, M labels on average.

    R̂ is the mean of x_i = p̂_i + (ℓ_i − p̂_i) ξ_i/π_i, its variance that of the x_i over N. Items with equal p̂ and
    equal losses are counted together: how many of them are labelled is binomial.
    """
    rng = np.random.default_rng(seed)
    kinds, counts = np.unique(np.stack([contest.risk, contest.losses]), axis=1, return_counts=True)
    risk, loss = kinds
    chance, n_items = active_probabilities(contest.risk, budget), contest.risk.size
    # The same formula for one item of each kind.
    chance = chance[np.unique(np.stack([contest.risk, contest.losses]), axis=1, return_index=True)[1]]
    value, variance = np.empty(rounds), np.empty(rounds)
    step = max(1, _CELLS // counts.size)
    for start in range(0, rounds, step):
        part = slice(start, min(start + step, rounds))
        labelled = rng.binomial(counts, chance, (part.stop - part.start, counts.size))
        jump = (loss - risk) / chance
        mean = (counts @ risk + labelled @ jump) / n_items
        squares = (counts @ risk**2 + labelled @ (2 * risk * jump + jump**2)) / n_items
        value[part], variance[part] = mean, (squares - mean**2) / n_items
    limits = Lists.wald(value, variance)
    error = float((counts * (1 - chance) / chance * (loss - risk) ** 2).sum()) / n_items**2
    return Lists(value, limits.low, limits.high, error)


def doubts(risk: Floats) -> Floats:
    """Uncertainty of each prediction, (N,), above 0: √(p̂(1 − p̂)), the root of its expected squared error."""
    doubt = np.sqrt(risk * (1 - risk))
    return np.asarray(np.maximum(doubt, _LEAST_DOUBT * (float(doubt.max()) or 1.0)))


def proportional_chances(doubt: Floats, budget: int) -> Floats:
    """Chances in (0, 1] that sum to M, (N,), with the least Σ u²/π: in proportion to u, but 1 where that exceeds 1."""
    certain = np.zeros(doubt.size, dtype=bool)
    while True:
        open_budget = budget - int(certain.sum())
        chance = np.where(certain, 1.0, open_budget * doubt / max(float(doubt[~certain].sum()), _LEAST_DOUBT))
        if not (above := chance > 1.0).any():
            return chance
        certain |= above


def asi(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """ASI with an active sampler, as GLIDE has them: coins ∝ √(p̂(1 − p̂)), at most M labels, λ tuned.

    Items are tossed in random order, and those after the M-th label are left out of the list and of its mean. With
    weights ξ_i/π_i the estimate is the mean of λ p̂_i + (ℓ_i − λ p̂_i) ξ_i/π_i over the n items that are left, its
    variance that of these values over n; λ is the slope of ℓ ξ/π on p̂ (ξ/π − 1).
    """
    rng, doubt = np.random.default_rng(seed), doubts(contest.risk)
    chances = proportional_chances(doubt, budget)
    value, variance = np.full(rounds, np.nan), np.full(rounds, np.nan)
    for number in range(rounds):
        order = rng.permutation(doubt.size)
        chance = chances[order]
        chosen = rng.random(doubt.size) < chance
        left = int(np.searchsorted(np.cumsum(chosen), budget, side="right"))
        weight, risk, loss = (chosen / chance)[:left], contest.risk[order[:left]], contest.losses[order[:left]]
        spread = np.cov(risk * (weight - 1), loss * weight)
        if spread[0, 0] > 0:
            tuned = spread[0, 1] / spread[0, 0]
            rectified = tuned * risk + weight * (loss - tuned * risk)
            value[number], variance[number] = rectified.mean(), rectified.var(ddof=1) / left
    return Lists.wald(value, variance)
