"""Methods that correct a prediction by labels, and those that rest on a factor model of past outcomes.

With a predicted loss p̂ of every item and labels of some, the estimate is the mean prediction plus the mean error of the
predictions on the labels, as far as they are worth: λ mean(p̂) + mean(ℓ − λ p̂).

Source: Angelopoulos, Duchi & Zrnic 2023 (PPI++, arXiv:2311.01453), section 6 for λ; Fisch et al. 2024 (stratified
prediction-powered inference), section 4; Fogliato et al. 2024 (ssepy, arXiv:2406.07320), sections 3 and 4; Zrnic &
Candès 2024 (active statistical inference, arXiv:2403.03208), sections 4 and 7.2; Gligorić et al. 2025 (can unconfident
LLM annotations be used for confident conclusions?, arXiv:2408.15204), for the λ of ASI as GLIDE computes it.

The model is the two-parameter logistic of item response theory with failing as its outcome,

    P(model j fails item i) = σ(b_i + a_i θ_j),   θ ~ N(0, 1), a ~ N(1, ½²), b ~ N(b̄, 2²),

fitted to past outcomes by its posterior mode, items and models in turn. Items that every past model answered alike are
one kind of item: all that follows counts kinds.

Source: Wu, Nair & Candès 2026 (FAQ, arXiv:2601.20251), sections 3 and 4: here with one factor and fixed settings, while
the authors choose settings on held-out models. Polo et al. 2024 (tinyBenchmarks, arXiv:2402.14992), sections 3.2 and
3.3: here with the model above in place of their multidimensional one, which takes hundreds of models.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from ...allocation.optimum import allocate
from ...stratification.cuts import stratify
from .simulated_lists import Contest, Floats, Lists, positions, stratified_lists

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


# A factor model of past outcomes, and methods that rest on one: FAQ's adaptive queries, tinyBenchmarks' anchors.

_STEPS = 25
_SLOPE, _SLOPE_VARIANCE, _HEIGHT_VARIANCE = 1.0, 0.25, 4.0
# FAQ: share of Uniform, and share of the labels until which the ability is explored.
_EVEN_ODDS, _EXPLORE = 0.25, 0.1
_TINY = 1e-6
# tinyBenchmarks: clusterings that are tried, each with other first centres; a slight pull of θ to 0 keeps it finite.
_CLUSTERINGS, _MOVES, _PULL = 50, 25, 0.01
_FACTOR_CELLS = 500_000


@dataclass(frozen=True, slots=True, eq=False)
class FactorModel:
    """The fitted model, by kinds of items.

    Parameters
    ----------
    kind : (N,) int
        Kind of each item, 0 … L−1.
    counts : (L,) int
        Items of each kind.
    heights, slopes : (L,) float
        b and a.
    abilities : (J,) float
        θ of the past models; the higher, the more a model fails.
    """

    kind: NDArray[np.int64]
    counts: NDArray[np.int64]
    heights: Floats
    slopes: Floats
    abilities: Floats

    def chances(self, ability: Floats) -> Floats:
        """Predicted chance to fail each kind, (T, L), of models with these θ, (T,)."""
        return np.asarray(expit(self.heights + np.multiply.outer(ability, self.slopes)))


def factor_model(outcomes: Floats) -> FactorModel:
    """Fit the model.

    Parameters
    ----------
    outcomes : (N, J) float
        Losses of past models, 0 or 1, NaN if unknown.
    """
    kinds, kind, counts = np.unique(outcomes, axis=0, return_inverse=True, return_counts=True)
    known, y = ~np.isnan(kinds), np.nan_to_num(kinds)
    mass = known * counts[:, None]
    rate = (mass * y).sum(axis=0) / mass.sum(axis=0)
    ability = logit(np.clip(rate, 0.01, 0.99))
    middle = float(ability.mean())
    ability = (ability - middle) / max(float(ability.std()), 0.5)
    start = (known * y).sum(axis=1) + expit(middle)
    item = np.stack([logit(start / (known.sum(axis=1) + 1)), np.full(len(y), _SLOPE)], axis=1)
    aim, pull = np.array([middle, _SLOPE]), np.array([1 / _HEIGHT_VARIANCE, 1 / _SLOPE_VARIANCE])
    for _ in range(_STEPS):
        known_of = np.stack([np.ones_like(ability), ability], axis=1)
        chance = expit(item @ known_of.T)
        slope = (known * (y - chance)) @ known_of - (item - aim) * pull
        bend = np.einsum("lj,ja,jb->lab", known * chance * (1 - chance), known_of, known_of) + np.diag(pull)
        item = item + np.linalg.solve(bend, slope[..., None])[..., 0]
        chance = expit(item @ known_of.T)
        gain = (mass * (y - chance) * item[:, 1:]).sum(axis=0) - ability
        ability = ability + gain / ((mass * chance * (1 - chance) * item[:, 1:] ** 2).sum(axis=0) + 1)
    return FactorModel(kind.ravel(), counts, item[:, 0], item[:, 1], ability)


def faq_like(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """FAQ: M queries one after another, each label telling more of the target's ability.

    An item is queried with q ∝ √(p̂(1 − p̂)), at first mixed with how much its label would tell of the mean, a quarter
    of q even; φ = Σ p̂ + (ℓ − p̂)/q is unbiased at each query, and R̂ is its mean. Items may be queried again.
    """
    model = factor_model(contest.outcomes)
    prior = float(model.abilities.mean()), float(model.abilities.var(ddof=1)) if model.abilities.size > 1 else 1.0
    truth = np.bincount(model.kind, weights=contest.losses) / model.counts
    step = max(1, _FACTOR_CELLS // model.counts.size)
    rng = np.random.default_rng(seed)
    parts = [
        adaptive_queries(model, truth, prior, budget, min(step, rounds - start), rng)
        for start in range(0, rounds, step)
    ]
    return Lists.wald(*np.concatenate(parts, axis=1))


def adaptive_queries(
    model: FactorModel,
    truth: Floats,
    prior: tuple[float, float],
    budget: int,
    rounds: int,
    rng: np.random.Generator,
    even: float = _EVEN_ODDS,
) -> Floats:
    """Value and variance of FAQ's lists, (2, T).

    Parameters
    ----------
    model : FactorModel
        Of the past models.
    truth : (L,) float
        The target's mean loss on each kind of item.
    prior : (float, float)
        Mean and variance of the target's θ.
    budget, rounds : int
        M and T.
    rng : Generator
        Of the draws.
    even : float
        Share of Uniform in q.
    """
    # Single precision is enough for chances, and half the time.
    counts, slopes, heights = (x.astype(np.float32) for x in (model.counts, model.slopes, model.heights))
    n_items, rows = int(model.counts.sum()), np.arange(rounds)
    ability, spread = np.full(rounds, prior[0]), np.full(rounds, prior[1])
    sums, jumps, raised, totals = np.zeros(rounds), np.zeros(rounds), np.zeros(rounds), np.empty((budget, rounds))
    for query in range(budget):
        chance = np.clip(expit(heights + np.multiply.outer(ability.astype(np.float32), slopes)), _TINY, 1 - _TINY)
        doubt = chance * (1 - chance)
        score = np.sqrt(doubt)
        score /= (score @ counts)[:, None]
        explore = max(0.0, 1 - (query + 1) / (_EXPLORE * budget))
        if explore:
            told = doubt * slopes**2 / (1 + doubt * spread[:, None].astype(np.float32) * slopes**2)
            mass = (told @ counts)[:, None]
            score = (1 - explore) * score + explore * np.where(mass > 0, told / np.maximum(mass, _TINY), score)
        q = (1 - even) * score + even / n_items
        below = np.cumsum(q * counts, axis=1)
        at = np.minimum((below < (rng.random(rounds) * below[:, -1])[:, None]).sum(axis=1), counts.size - 1)
        loss = (rng.random(rounds) < truth[at]).astype(np.float64)
        here, odds = (x[rows, at].astype(np.float64) for x in (chance, q))
        jump = (loss - here) / odds
        totals[query] = chance @ counts
        sums, jumps, raised = sums + totals[query] + jump, jumps + jump**2, raised + loss / odds
        weight, slope = here * (1 - here), slopes[at]
        spread = spread / (1 + weight * spread * slope**2)
        ability = ability + spread * slope * (loss - here)
    squares = jumps / budget - ((raised / budget - totals) ** 2).mean(axis=0)
    return np.stack([sums / budget / n_items, np.maximum(squares, 0.0) / budget / n_items**2])


@dataclass(frozen=True, slots=True, eq=False)
class _Anchors:
    """Anchors of one clustering: kind of each, (M,), and the share of the items that it stands for, (M,)."""

    kinds: NDArray[np.int64]
    shares: Floats


def anchors(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """Anchor points of tinyBenchmarks: M clusters of items, one item near each centre, with its cluster's weight."""
    return Lists.bare(_anchored(contest, budget, rounds, seed)[0])


def p_irt(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """The p-IRT of tinyBenchmarks: the anchors' own losses, and what the model predicts for all other items."""
    return Lists.bare(_anchored(contest, budget, rounds, seed)[1])


def _anchored(contest: Contest, budget: int, rounds: int, seed: int) -> tuple[Floats, Floats]:
    """Estimates of both, (T,) each, from the same anchors."""
    model = factor_model(contest.outcomes)
    ones = np.bincount(model.kind, weights=contest.losses).astype(np.int64)
    rng, weighted, predicted = np.random.default_rng(seed), [], []
    for lists in np.array_split(np.arange(rounds), min(_CLUSTERINGS, rounds)):
        chosen = _clustered(model, budget, rng)
        losses = _losses(chosen, ones, model.counts, lists.size, rng)
        weighted.append(losses @ chosen.shares)
        predicted.append(predicted_means(model, chosen.kinds, losses))
    return np.concatenate(weighted), np.concatenate(predicted)


def predicted_means(model: FactorModel, kinds: NDArray[np.int64], losses: Floats) -> Floats:
    """p-IRT from the losses (T, M) of labelled items of these kinds (M,): fit θ by Newton's steps, predict the rest."""
    ability, slope = np.zeros(len(losses)), model.slopes[kinds]
    for _ in range(_STEPS):
        chance = expit(model.heights[kinds] + np.multiply.outer(ability, slope))
        gain = (losses - chance) @ slope - _PULL * ability
        ability = np.clip(ability + gain / ((chance * (1 - chance)) @ slope**2 + _PULL), -10, 10)
    rest = model.counts - np.bincount(kinds, minlength=model.counts.size)
    return np.asarray((losses.sum(axis=1) + model.chances(ability) @ rest) / model.counts.sum())


def _clustered(model: FactorModel, budget: int, rng: np.random.Generator) -> _Anchors:
    """Anchors by weighted k-means on (b, a); if there are fewer kinds than labels, in proportion to each kind."""
    counts, kinds = model.counts, np.arange(model.counts.size)
    if kinds.size <= budget:
        labels = allocate(counts, counts, budget)
        return _Anchors(np.repeat(kinds, labels), np.repeat(counts / counts.sum() / labels, labels))
    points = np.stack([model.heights, model.slopes], axis=1)
    centres = points[rng.choice(kinds, budget, replace=False, p=counts / counts.sum())]
    for _ in range(_MOVES):
        member = _distances(points, centres).argmin(axis=1)
        mass = np.bincount(member, weights=counts, minlength=budget)
        moved = np.stack([np.bincount(member, weights=counts * axis, minlength=budget) for axis in points.T], axis=1)
        centres = np.where(mass[:, None] > 0, moved / np.maximum(mass, 1)[:, None], centres)
    far = _distances(points, centres)
    member = far.argmin(axis=1)
    mass = np.bincount(member, weights=counts, minlength=budget)
    nearest = np.where(member[:, None] == np.arange(budget), far, np.inf).argmin(axis=0)
    return _Anchors(nearest[mass > 0], mass[mass > 0] / counts.sum())


def _distances(points: Floats, centres: Floats) -> Floats:
    return np.asarray((points**2).sum(axis=1)[:, None] - 2 * points @ centres.T + (centres**2).sum(axis=1))


def _losses(
    chosen: _Anchors, ones: NDArray[np.int64], counts: NDArray[np.int64], rounds: int, rng: np.random.Generator
) -> Floats:
    """Losses of the anchors, (T, M): items of a kind are drawn without replacement, in random order."""
    result = np.zeros((rounds, chosen.kinds.size))
    for kind in np.unique(chosen.kinds):
        places = np.flatnonzero(chosen.kinds == kind)
        wrong = rng.hypergeometric(ones[kind], counts[kind] - ones[kind], places.size, rounds)
        result[:, places] = np.arange(places.size) < wrong[:, None]
    return result
