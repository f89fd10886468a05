"""The working model of a stratified sample: in each stratum, its own labels and a few imagined ones.

The limits of `core.estimation.tilting` ask how surprising the labels would be if the mean were μ. "If the mean were μ"
is this model, tilted. R̂ itself and the counts are of real labels alone; imagined ones only choose the path of the tilt.

Each stratum h with m_h labels of N_h items has the law F_h: its labels with weight 1 each, a imagined ones at the risk
q_h of a logistic curve through the strata, and b_h = min(m_h/12, b) at the risk r of the whole sample. For losses of 0
and 1, an imagined label at q is 0 or 1 with mean q. For others it is that with weight φ_h, the dispersion of the
stratum, and q itself with weight 1 − φ_h; one more imagined label for the whole sample, half 0 and half 1, keeps tails
from vanishing.

Source: Efron 1981 (least favourable family).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit, ndtri

Array = NDArray[np.float64]

# Standard deviation of the normal prior of the curve's slope.
SLOPE = 2.0
_ROUNDS = 60
# Below this move, one more step of Newton's method is exact to rounding.
_NEAR = 1e-8
# Logits beyond this one are as good as infinite.
_LONGEST = 700.0


@dataclass(frozen=True, slots=True)
class Imagined:
    """Numbers of imagined labels.

    Parameters
    ----------
    at_curve : float
        a, at the stratum's risk by the curve.
    at_pool : float
        b, the most at the risk of the whole sample; a stratum of m_h labels has min(m_h/12, b).
    """

    at_curve: float = 2.0
    at_pool: float = 1.5

    def pooled(self, counts: Array) -> Array:
        """Return b_h of strata with so many labels."""
        return np.minimum(counts / 12, self.at_pool)


IMAGINED = Imagined()


@dataclass(frozen=True, eq=False)
class SampleLaws:
    """The law of a label in each stratum of each sample, in arrays that begin with the samples."""

    def mirror(self) -> Self:
        """Return the laws of 1 − ℓ."""
        raise NotImplementedError

    def mirrored(self) -> Self:
        """Return the laws of ℓ, and below them those of 1 − ℓ, (2R, H)."""
        both = self, self.mirror()
        return replace(
            self, **{one.name: np.concatenate([getattr(law, one.name) for law in both]) for one in fields(self)}
        )

    def rows(self, chosen: NDArray[np.bool_]) -> Self:
        """Return the laws of some of the samples."""
        return replace(self, **{one.name: getattr(self, one.name)[chosen] for one in fields(self)})


@dataclass(frozen=True, eq=False)
class BinaryLaws(SampleLaws):
    """Laws of losses of 0 and 1.

    Parameters
    ----------
    odds : (R, H) float
        Logits of the probabilities of 1.
    """

    odds: Array

    @cached_property
    def _against(self) -> Array:
        return np.asarray(np.exp(np.minimum(-self.odds, _LONGEST)))

    @cached_property
    def mean(self) -> Array:
        """Means, (R, H)."""
        return 1 / (1 + self._against)

    @cached_property
    def gain(self) -> Array:
        """Means of 1 − ℓ, (R, H)."""
        return self._against * self.mean

    @property
    def spread(self) -> Array:
        """Variances, (R, H)."""
        return self.mean * self.gain

    def tilt(self, by: Array) -> BinaryLaws:
        """Return the laws with weights ∝ exp(by · ℓ), by (R, H)."""
        return BinaryLaws(self.odds + by)

    def descend(self, by: Array) -> tuple[Array, Array, Array]:
        """Return log E exp(by · ℓ) for by ≤ 0, and mean and variance of the tilted laws, (R, H) each."""
        ones = self.mean * np.exp(by)
        both = self.gain + ones
        growth = np.log1p(np.maximum(self.mean * np.expm1(by), -0.5))
        # Far from 1, the logarithm is exact itself.
        far = both < 0.5
        if far.any():
            growth[far] = np.log(both[far])
        mean = ones / both
        return growth, mean, mean * (self.gain / both)

    def mirror(self) -> BinaryLaws:
        """Return the laws of 1 − ℓ."""
        return BinaryLaws(-self.odds)


@dataclass(frozen=True, slots=True, eq=False)
class FiniteLaws(SampleLaws):
    """Laws of losses in [0, 1].

    Parameters
    ----------
    values, weights : (R, H, S) float
        Support of each law, and its probabilities.
    """

    values: Array
    weights: Array

    @property
    def mean(self) -> Array:
        """Means, (R, H)."""
        return np.asarray((self.weights * self.values).sum(axis=-1))

    @property
    def gain(self) -> Array:
        """Means of 1 − ℓ, (R, H)."""
        return np.asarray((self.weights * (1 - self.values)).sum(axis=-1))

    @property
    def spread(self) -> Array:
        """Variances, (R, H)."""
        return np.asarray((self.weights * (self.values - self.mean[..., None]) ** 2).sum(axis=-1))

    def tilt(self, by: Array) -> FiniteLaws:
        """Return the laws with weights ∝ exp(by · ℓ), by (R, H)."""
        exponent = by[..., None] * self.values
        exponent -= exponent.max(axis=-1, keepdims=True, where=self.weights > 0, initial=-np.inf)
        tilted = self.weights * np.exp(np.minimum(exponent, 0.0))
        return FiniteLaws(self.values, tilted / tilted.sum(axis=-1, keepdims=True))

    def descend(self, by: Array) -> tuple[Array, Array, Array]:
        """Return log E exp(by · ℓ) for by ≤ 0, and mean and variance of the tilted laws, (R, H) each."""
        growth = np.log1p((self.weights * np.expm1(by[..., None] * self.values)).sum(axis=-1))
        tilted = self.tilt(by)
        return growth, tilted.mean, tilted.spread

    def mirror(self) -> FiniteLaws:
        """Return the laws of 1 − ℓ."""
        return FiniteLaws(1 - self.values, self.weights)


Laws: TypeAlias = BinaryLaws | FiniteLaws


@dataclass(frozen=True, slots=True, eq=False)
class WorkingModel:
    """Laws of the strata of R samples that are not fully labelled, and the scale of their mean.

    Parameters
    ----------
    laws : Laws
        F_h of each sample.
    draws : (H,) or (R, H) float
        m'_h = m_h (N_h − 1)/(N_h − m_h): so many labels drawn with replacement vary as m_h drawn without.
    steps : (R, H) float
        u_h = w_h/w̄ with w_h = W_h/m'_h; 0 in a stratum that is fully labelled.
    unit : (R,) float
        w̄, the size of one step of the mean: the tilted mean is base + w̄ K'(t).
    base : (R,) float
        Share of the mean that is known: of strata that are fully labelled, and of earlier waves.
    rest : (R,) float
        Weight of the other strata.
    position : (R,) float
        (R̂ − base)/w̄.
    correction : (R,) float
        κ for κ₀ = 1: one step of a real label, in units of w̄.
    """

    laws: Laws
    draws: Array
    steps: Array
    unit: Array
    base: Array
    rest: Array
    position: Array
    correction: Array

    def total(self, each: Array) -> Array:
        """Return Σ m'_h x_h of each sample, (R,), from (R, H)."""
        if self.draws.ndim == 1:
            return np.asarray(each @ self.draws)
        return np.asarray(np.einsum("rh,rh->r", each, self.draws))

    @property
    def span(self) -> Array:
        """The largest value of K', Σ m'_h u_h, (R,)."""
        return self.total(self.steps)

    def mirror(self) -> WorkingModel:
        """Return the model of gains in place of losses; what is known stays as it is."""
        return replace(self, laws=self.laws.mirror(), position=self.span - self.position)

    def mirrored(self) -> WorkingModel:
        """Return the models of losses, and below them their mirror images, of 2R samples."""
        both = self, self.mirror()
        columns = {name: np.concatenate([getattr(one, name) for one in both]) for name in _COLUMNS}
        draws = self.draws if self.draws.ndim == 1 else np.concatenate([self.draws] * 2)
        return WorkingModel(self.laws.mirrored(), draws, **columns)

    def rows(self, chosen: NDArray[np.bool_]) -> WorkingModel:
        """Return the models of some of the samples."""
        columns = {name: getattr(self, name)[chosen] for name in _COLUMNS}
        draws = self.draws if self.draws.ndim == 1 else self.draws[chosen]
        return WorkingModel(self.laws.rows(chosen), draws, **columns)


# What a working model has of each sample beside its laws.
_COLUMNS = ("steps", "unit", "base", "rest", "position", "correction")


def places(sizes: Array, waves: ArrayLike = 0) -> Array:
    """Return the normal quantile of the middle of each stratum's place among the items of its wave, as the sizes.

    Parameters
    ----------
    sizes : (…, H) float
        Items N_h, wave after wave, in the order of risk.
    waves : (H,) int
        Wave of each stratum, ascending.
    """
    wave = np.broadcast_to(np.asarray(waves), sizes.shape[-1:])
    first, of_wave = np.unique(np.searchsorted(wave, wave), return_inverse=True)
    through = np.cumsum(sizes, axis=-1)
    inside = np.add.reduceat(sizes, first, axis=-1)
    starts = np.cumsum(inside, axis=-1) - inside
    return np.asarray(ndtri((through - sizes / 2 - starts[..., of_wave]) / inside[..., of_wave]))


def curve(counts: Array, place: Array, totals: Array) -> Array:
    """Return the risk q_h of each stratum by a logistic curve over the strata in order, (R, H).

    Parameters
    ----------
    counts : (1, H) or (R, H) float
        Labels m_h; 0 for a stratum that does not count.
    place : (1, H) or (R, H) float
        As `places`.
    totals : (R, H) float
        Sums of the losses.

    Notes
    -----
    q_h = expit(α + β z_h), z_h the place, centred and scaled with weights m_h; half a 0 and half a 1 more stand at
    z = 0.
    """
    labels = counts.sum(axis=-1)
    z = place - (_sums(counts, place) / labels)[:, None]
    spread = np.sqrt((counts * z**2).sum(axis=-1) / labels)[:, None]
    z = np.where(spread > 1e-12, z / np.where(spread > 1e-12, spread, 1.0), 0.0)
    # Σ m, Σ m z and Σ m z² of p and p (1 − p), each of all samples at once.
    along = counts * z
    powers = counts, along, along * z
    first, second = totals.sum(axis=-1) + 0.5, _sums(totals, z)
    level = logit(first / (labels + 1))
    slope = np.zeros_like(level)
    for _ in range(_ROUNDS):
        p, middle = _expit(level[:, None] + slope[:, None] * z), _expit(level)
        spreads = p * (1 - p)
        to_level = first - _sums(p, counts) - middle
        to_slope = second - _sums(p, along) - slope / SLOPE**2
        a, b, d = (_sums(spreads, power) for power in powers)
        a, d = a + middle * (1 - middle), d + 1 / SLOPE**2
        determinant = a * d - b * b
        moves = np.stack([(d * to_level - b * to_slope) / determinant, (a * to_slope - b * to_level) / determinant])
        largest = np.abs(moves).max(axis=0)
        level, slope = np.stack([level, slope]) + moves / np.maximum(1.0, largest / 1.5)
        if largest.max() < _NEAR:
            break
    return _expit(level[:, None] + slope[:, None] * z)


def _expit(logits: Array) -> Array:
    """Return 1/(1 + exp(−x)), several times as fast as SciPy's."""
    return np.asarray(1 / (1 + np.exp(np.minimum(-logits, _LONGEST))))


def _sums(each: Array, weights: Array) -> Array:
    """Return Σ w_h x_h of each sample, (R,); each of both is (R, H), or (1, H) for all."""
    return np.asarray(each @ weights[0] if len(weights) == 1 else np.einsum("rh,rh->r", each, weights))


def working_model(
    values: ArrayLike,
    labels: ArrayLike,
    counts: ArrayLike,
    sizes: ArrayLike,
    *,
    imagined: Imagined = IMAGINED,
    finite: bool = True,
    waves: ArrayLike = 0,
    weights: ArrayLike | None = None,
    apart: ArrayLike = False,
    noise: float = 0.0,
) -> WorkingModel:
    """Build the working model of R samples.

    Parameters
    ----------
    values : (S,) or (R, H, S) float
        Losses that labels may have, in [0, 1].
    labels : (R, H, S) float
        Labels with each of them; Σ over S is m_h.
    counts : (H,) or (R, H) int
        Labels 1 ≤ m_h ≤ N_h; in each sample, some stratum is not fully labelled.
    sizes : (H,) or (R, H) int
        Items N_h.
    imagined : Imagined
        The constants a and b.
    finite : bool
        Whether the mean is that of the items; otherwise it is that of all items that could have been among them.
    waves : (H,) int
        Wave of each stratum, ascending; each wave has its own order.
    weights : (H,) or (R, H) float, optional
        W_h; N_h/N by default.
    apart : bool or (H,) bool
        Strata that say nothing of the others, such as carried verdicts that are audited: their imagined labels are all
        at (x_h + ½)/(m_h + 1), with x_h the sum of their losses. Each is a wave.
    noise : float
        Share of the variance of an item's loss that its runs give, in [0, 1]; 0 if running it again gives it again.
        A stratum whose items are all labelled is not known then (`core.estimation.item_runs`).
    """
    label, n = np.asarray(labels, float), np.atleast_2d(np.asarray(sizes, float))
    value = np.broadcast_to(np.asarray(values, float), label.shape)
    m = np.atleast_2d(np.asarray(counts, float))
    share = np.atleast_2d(n / n.sum(axis=-1, keepdims=True) if weights is None else np.asarray(weights, float))
    everything = np.ones(np.broadcast_shapes(m.shape, n.shape), dtype=bool)
    partial = m < n if finite and not noise else everything
    means = (label * value).sum(axis=-1) / m
    base = (np.where(partial, 0.0, share) * means).sum(axis=-1)
    place, alone = places(n, waves), np.broadcast_to(apart, n.shape[-1:])
    if partial.all(axis=0).sum() < n.shape[-1] and (partial == partial[0]).all():
        # The strata that are fully labelled are the same in all samples.
        some = partial[0]
        label, value, means, m, share, n, place = (one[:, some] for one in (label, value, means, m, share, n, place))
        partial, alone = partial[:, some], alone[some]
    counted = np.where(partial & ~alone, m, 0.0)
    totals = means * counted
    all_labels = counted.sum(axis=-1)
    pool = ((totals.sum(axis=-1) + 0.5) / (all_labels + 1))[:, None]
    at_curve = np.broadcast_to(pool, totals.shape) if alone.all() else curve(counted, place, totals)
    pooled = imagined.pooled(m)
    inner = (label * value * (1 - value)).sum(axis=-1)
    if alone.any():
        own = (means * m + 0.5) / (m + 1)
        at_curve, pool = np.where(alone, own, at_curve), np.where(alone, own, pool)
    laws: Laws
    if not inner.any():
        ones = means * m + imagined.at_curve * at_curve + pooled * pool
        zeros = m - means * m + imagined.at_curve * (1 - at_curve) + pooled * (1 - pool)
        laws = BinaryLaws(np.log(ones) - np.log(zeros))
    else:
        spread = pool * (1 - pool)
        within = np.where(partial & ~alone, inner, 0.0).sum(axis=-1, keepdims=True)
        calm = np.minimum(1, within / ((all_labels + 1)[:, None] * spread))
        scatter = np.maximum(0, 1 - (inner + calm * spread) / ((m + 1) * spread))
        scatter = np.where((calm > 0) & ~alone, scatter, 1.0)
        extra = np.where(alone, 0.0, calm * m / np.maximum(all_labels, 1)[:, None])
        weight = m + imagined.at_curve + pooled + extra
        ones = scatter * (imagined.at_curve * at_curve + pooled * pool) + extra / 2
        zeros = scatter * (imagined.at_curve * (1 - at_curve) + pooled * (1 - pool)) + extra / 2
        still = 1 - scatter
        imagined_weights = np.stack([zeros, ones, still * imagined.at_curve, still * pooled], axis=-1)
        imagined_values = np.stack(
            [np.zeros_like(ones), np.ones_like(ones), at_curve, np.broadcast_to(pool, ones.shape)], axis=-1
        )
        laws = FiniteLaws(
            np.concatenate([value, imagined_values], axis=-1),
            np.concatenate([label, imagined_weights], axis=-1) / weight[..., None],
        )
    draws = m
    if finite:
        # Of a stratum of one item, labelled, all variance is that of its runs.
        pairs = np.maximum(n - 1, 1.0)
        draws = m * np.where(partial, pairs / np.where(partial, n - m + noise * pairs * m / n, 1.0), 1.0)
    scale = np.where(partial, share / draws, 0.0)
    variances = draws * scale**2 * laws.spread
    together = variances.sum(axis=-1)
    unit = (variances * scale).sum(axis=-1) / together
    return WorkingModel(
        laws,
        draws[0] if len(draws) == 1 else draws,
        scale / unit[:, None],
        unit,
        base,
        np.broadcast_to(np.where(partial, share, 0.0).sum(axis=-1), unit.shape),
        (np.where(partial, share, 0.0) * means).sum(axis=-1) / unit,
        (variances * np.where(partial, share / m, 0.0)).sum(axis=-1) / together / unit,
    )
