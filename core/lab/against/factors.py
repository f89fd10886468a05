"""A factor model of past outcomes, and methods that rest on one: FAQ's adaptive queries, tinyBenchmarks' anchors.

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
from .lists import Floats, Lists
from .scenarios import Contest

_STEPS = 25
_SLOPE, _SLOPE_VARIANCE, _HEIGHT_VARIANCE = 1.0, 0.25, 4.0
# FAQ: share of Uniform, and share of the labels until which the ability is explored.
_EVEN, _EXPLORE = 0.25, 0.1
_TINY = 1e-6
# tinyBenchmarks: clusterings that are tried, each with other first centres; a slight pull of θ to 0 keeps it finite.
_CLUSTERINGS, _MOVES, _PULL = 50, 25, 0.01
_CELLS = 500_000


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
    step = max(1, _CELLS // model.counts.size)
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
    even: float = _EVEN,
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
