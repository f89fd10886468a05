"""Strata with few labels, or none: what they may be like beyond their labels.

Each stratum is joined by `PRIOR_LABELS` imagined labels distributed as the whole pool is estimated to be; if losses
lie in [0, 1], the pool itself by one, half a 0 and half a 1, so that no value counts as impossible. A stratum whose few
labels agree then counts neither as constant nor as mixed as the rest. For 0/1 losses with x
ones among m labels of a stratum this is the prior Beta(3 p, 3 (1 − p)), p the pool's share of ones.

Draws are the Bayesian bootstrap's (Rubin 1981) with these labels added: for 0/1 losses exactly the posterior
Beta(x + 3 p, m − x + 3 (1 − p)); their distance from the labels is shrunk by √(1 − m_h/N_h) for finite strata
(docs/method.md, 5.7 and 6.1). Of many strata with a few labels each, ordered by a signal, a logistic curve along it
says more than two labels do (6.4). A stratum without a label joins its nearest labelled neighbour, as if labels were
missing at random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, betaln, expit

from .working_model import SLOPE, places

Array = NDArray[np.float64]

PRIOR_LABELS = 3.0
# Draws of a range's ends; the seed is fixed, so that equal labels give equal ranges.
_DRAWS, _SEED = 400, 57
# Losses are put on a grid of so many steps between the least and the largest, which changes no variance to speak of.
_STEPS = 100
# The curve's slopes that are tried, and the shares of the spread around it that are: ρ with the prior Beta(1, 6).
_SLOPES = SLOPE * np.linspace(-4, 4, 33)
_OFF, _OFF_PRIOR = (np.arange(20) + 0.5) / 20, 6.0
# Risks of a curve keep this distance from 0 and 1.
_LEAST = 1e-9
# Relative error of a variance of doubles.
_ROUNDING = 1e-14
# The largest shift on the logit, and how often it is halved.
_MOST, _HALVED = 60.0, 40
# Beyond the share, what is left says too little of what is missing; what chance leaves so rarely is no chance.
_MOST_MISSING, _UNLIKELY = 0.5, 0.05
# From so few labels of a list's beginning there is no number: limits of fewer are wider than 40 points.
_FEWEST = 20


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


def along_the_curve(losses: Array, strata: NDArray[np.int64], sizes: NDArray[np.int64]) -> StrataDraws:
    """Means and variances of fine strata, drawn from what their few labels and the curve through all of them tell.

    The curve is logistic in the `core.estimation.working_model.places`, with the slope's prior that limits have. A
    stratum's mean varies around it, p̃_h, as Beta(c p̃_h, c (1 − p̃_h)), where ρ = 1/(c + 1) is the share of p̃_h (1 − p̃_h)
    that lies between strata: 0 if the curve is right, 1 if each stratum is pure. In each draw, slope and ρ come from
    their posterior by the likelihood of all labels (beta-binomial, at the estimated level), the level from
    Beta(M R̂ + ½, M (1 − R̂) + ½), and a stratum's mean from Beta(x_h + c p̃_h, m_h − x_h + c (1 − p̃_h)), x_h = m_h ℓ̄_h;
    its distance from the labels is shrunk by √(1 − m_h/N_h). Variances are those of 0/1 losses times the labels'
    dispersion. Slopes, ρ and levels are all their quantiles in random order: single draws move the median by some 4 %.

    Parameters
    ----------
    losses, strata, sizes
        As in `draws`, losses in [0, 1].

    Notes
    -----
    docs/method.md, 6.4.
    """
    counts = np.bincount(strata, minlength=sizes.size)
    ones = np.bincount(strata, weights=losses, minlength=sizes.size)
    zeros, means = counts - ones, ones / counts
    squares = np.bincount(strata, weights=(losses - means[strata]) ** 2, minlength=sizes.size)
    within = np.where(counts > 1, squares / np.maximum(counts - 1, 1), 0.0)
    share, labels, value = sizes / sizes.sum(), int(counts.sum()), float(means @ sizes) / int(sizes.sum())
    rng = np.random.default_rng(_SEED)
    quantiles = (np.arange(_DRAWS) + 0.5) / _DRAWS
    place = places(sizes[None].astype(np.float64))[0]
    place = place - place @ counts / labels
    lines = _SLOPES[:, None] * place / np.sqrt(place**2 @ counts / labels)
    tried = _shifted(lines, np.full(_SLOPES.size, (labels * value + 0.5) / (labels + 1)), share)[:, None]
    around = (1 / _OFF - 1)[:, None]
    likely = betaln(ones + around * tried, zeros + around * (1 - tried)) - betaln(around * tried, around * (1 - tried))
    likely = likely.sum(axis=2) - (_SLOPES[:, None] / SLOPE) ** 2 / 2 + (_OFF_PRIOR - 1) * np.log1p(-_OFF)
    chances = np.cumsum(np.exp(likely - likely.max()))
    slope, off = np.divmod(rng.permutation(np.searchsorted(chances, quantiles * chances[-1])), _OFF.size)
    level = rng.permutation(betaincinv(labels * value + 0.5, labels * (1 - value) + 0.5, quantiles))
    curves, weight = _shifted(lines[slope], level, share), around[off]
    drawn = rng.beta(ones + weight * curves, zeros + weight * (1 - curves))
    drawn = np.clip(means + np.sqrt(1 - counts / sizes) * (drawn - means), 0.0, 1.0)
    # Their variance over that of 0/1 losses with the same mean: at most 1, which these have, and exactly 0 if all
    # losses are equal, since rounding must not pass for a variance.
    binary = value * (1 - value)
    dispersion = min(float((within + (means - value) ** 2) @ share) / binary, 1.0) if binary > 0 else 1.0
    return StrataDraws(drawn, drawn * (1 - drawn) * (dispersion if dispersion > _ROUNDING else 0.0))


def _shifted(lines: Array, level: Array, share: Array) -> Array:
    """Curves parallel to lines (D, H) on the logit whose means over the pool are the levels (D,), by bisection."""
    low, high = np.full(level.size, -_MOST), np.full(level.size, _MOST)
    for _ in range(_HALVED):
        middle = (low + high) / 2
        above = expit(lines + middle[:, None]) @ share > level
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(np.clip(expit(lines + ((low + high) / 2)[:, None]), _LEAST, 1 - _LEAST))


def can_join(counts: NDArray[np.int64], planned: NDArray[np.int64]) -> bool:
    """Whether labels missing at random leave an estimate.

    Half of all labels have come back, half of the strata have some, and chance alone may have emptied the others: of H
    strata with m planned labels each, H q^m lose all of them if a share q is missing at random, and this is not below
    1/20 for any that did.

    Parameters
    ----------
    counts, planned : (H,) int
        Labels that came back, and those of the list.
    """
    missing = max(1.0 - float(counts.sum() / planned.sum()), 0.0)
    by_chance = counts.size * missing ** planned[counts == 0].astype(np.float64)
    return missing <= _MOST_MISSING and (counts > 0).mean() >= _MOST_MISSING and bool((by_chance >= _UNLIKELY).all())


def is_beginning(turns: NDArray[np.int64], spread: NDArray[np.int64], counts: NDArray[np.int64]) -> bool:
    """Whether labels are those of a list's beginning that is spread evenly over all strata, and enough for a number.

    Parameters
    ----------
    turns : (M,) int
        Stratum of each item of the list, in its order.
    spread : (H,) int
        Order of the strata of which every beginning is spread evenly.
    counts : (H,) int
        Items of each stratum that were labelled, or passed over.
    """
    many = int(counts.sum())
    first = turns[: min(many, spread.size)]
    as_listed = np.bincount(turns[:many], minlength=spread.size)
    return many >= _FEWEST and np.array_equal(first, spread[: first.size]) and np.array_equal(as_listed, counts)


def joined(counts: NDArray[np.int64], least: int = 1) -> NDArray[np.int64]:
    """Number of the stratum that each becomes, (H,), 0 … H′−1: labelled ones stay, in their order.

    A stratum without a label joins the labelled one whose number is nearest, of two as near the one with fewer labels,
    then stratum 0, 2, 4, … the lower and 1, 3, 5, … the higher: always the lower would call every pool a little better
    than it is. Strata are numbered along their signal, so neighbours are alike (docs/method.md, 5.10).

    Parameters
    ----------
    counts : (H,) int
        Labels m_h, at least one above 0.
    least : int
        Labels of each stratum. If one has fewer, it and those after it are one until they have as many, and what is
        left at the end belongs to the one before. Values of labels have no part in it.
    """
    labelled, own = np.flatnonzero(counts > 0), np.arange(counts.size)[:, None]
    # The distance decides, then the labels, then the side.
    apart = np.abs(own - labelled) * (counts.max() + 1) + counts[labelled]
    nearest = (2 * apart + ((labelled > own) == (own % 2 == 0))).argmin(axis=1)
    places, inside = [0], 0
    for labels in counts[labelled].tolist():
        inside = labels if inside >= least else inside + labels
        places.append(places[-1] + (inside >= least))
    # The last one may lack labels.
    blocks = np.minimum(places[:-1], max(places[-1] - 1, 0))
    return np.asarray(blocks[nearest])
