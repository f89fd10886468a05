"""Confidence intervals: their methods, and the limits of each.

The limits of losses in [0, 1] are those of `core.estimation.tilting`. Two others are there to be compared with, made
from an estimate and its variance; so are those of an estimate that is not a mean of labels. With n_eff = p̂(1−p̂)/V̂ the
effective sample size (n_eff = M if V̂ = 0) and t_ν the quantile of Student's t, ν = M − H:

    korn-graubard  Clopper–Pearson limits for n_eff (t_{M−1}/t_ν)² observations     Korn & Graubard 1998
    wald           p̂ ± t_ν SE

Losses without bounds have one interval, R̂ ± t_ν SE with Satterthwaite's ν. All functions work on arrays, so that
thousands of simulated samples cost one call.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, stdtrit

from ..errors import DesignError
from ..words import INTERVAL_METHODS
from . import tilting
from .working_model import working_model

Array = NDArray[np.float64]

TILTED = "tilted"
# What earlier versions called the interval that is made unless another one is asked for.
_EARLIER = {"wilson": TILTED}
# Steps that scales have, as 1 over them; of finer ones and of none, losses count as on the last.
_STEPS = (1, 2, 3, 4)
_GRID = 1e-9
# In pools of fewer items a step 1/N is not small beside the width, however few are labelled.
_SMALL_POOL = 300


@dataclass(frozen=True, slots=True)
class Limits:
    """Lower and upper confidence limits, arrays of the estimates' shape."""

    low: Array
    high: Array


@dataclass(frozen=True, slots=True)
class Interval:
    """Rule by which a confidence interval is made.

    Parameters
    ----------
    name : str
        A key of `core.words.INTERVAL_METHODS`, for losses in [0, 1]; "wilson", as earlier versions called it, is
        "tilted". Losses without bounds always get Student's t.
    confidence : float
        In (0, 1).
    bounded : bool
        Whether losses lie in [0, 1].
    conservative : bool or None
        Without effect: tilted limits need no widening. Code and files of earlier versions name it.

    Raises
    ------
    DesignError
        An unknown name, or a confidence outside (0, 1).
    """

    name: str = TILTED
    confidence: float = 0.95
    bounded: bool = True
    conservative: bool | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _EARLIER.get(self.name, self.name))
        if self.name not in INTERVAL_METHODS:
            raise DesignError(
                f"There is no interval called “{self.name}”. Choose one of {', '.join(INTERVAL_METHODS)}."
            )
        if not 0 < self.confidence < 1:
            raise DesignError(f"The confidence level must lie between 0 and 1, such as 0.95. Found {self.confidence}.")

    @property
    def tilted(self) -> bool:
        """Whether limits are those of `core.estimation.tilting`."""
        return self.bounded and self.name == TILTED

    @property
    def method(self) -> str:
        """The interval in words, as in `core.estimation.Estimate.method`."""
        return INTERVAL_METHODS[self.name] if self.bounded else "stratified t, Satterthwaite"

    def of_labels(
        self,
        values: ArrayLike,
        tallies: ArrayLike,
        counts: ArrayLike,
        sizes: ArrayLike,
        *,
        finite: bool = True,
        waves: ArrayLike = 0,
        weights: ArrayLike | None = None,
        step: float | None = None,
        apart: ArrayLike = False,
        noise: float = 0.0,
    ) -> Limits:
        """Return tilted limits of R samples, (R,), not cut to what is possible.

        Parameters
        ----------
        values, tallies, counts, sizes, finite, waves, weights, apart, noise
            As in `core.estimation.working_model.working_model`, the tallies as its labels.
        step : float, optional
            The step of their scale; by default the largest one that all labels of a sample fit.
        """
        tally = np.asarray(tallies, dtype=np.float64)
        model = working_model(
            values, tally, counts, sizes, finite=finite, waves=waves, weights=weights, apart=apart, noise=noise
        )
        steps = step_of(np.asarray(values, dtype=np.float64), tally) if step is None else step
        return Limits(*tilting.limits(model, self.confidence, steps))

    def of_moments(
        self,
        counts: ArrayLike,
        sizes: ArrayLike,
        means: Array,
        variances: Array,
        binary: bool,
        *,
        waves: ArrayLike = 0,
        weights: ArrayLike | None = None,
    ) -> Limits:
        """Return tilted limits of the samples to expect from strata of known means and variances, (D,).

        Parameters
        ----------
        counts : (H,) or (D, H) int
            Labels m_h; not all of them are fully labelled.
        sizes : (H,) int
            Items N_h.
        means, variances : (D, H) float
            Mean losses in [0, 1], and variances.
        binary : bool
            Whether losses are 0 and 1, so that m_h p_h of m_h labels are 1 and variances follow. Otherwise a share
            φ_h = s_h²/(p_h (1 − p_h)) of the labels is 0 or 1, and the others lie at the mean.
        waves, weights
            As in `of_labels`.
        """
        p, m = np.clip(means, 0.0, 1.0), np.broadcast_to(counts, means.shape)
        if binary:
            tallies = np.stack([m * (1 - p), m * p], axis=-1)
            return self.of_labels([0.0, 1.0], tallies, counts, sizes, waves=waves, weights=weights)
        most = p * (1 - p)
        spread = np.where(most > 0, np.clip(variances / np.where(most > 0, most, 1.0), 0.0, 1.0), 1.0)
        values = np.stack([np.zeros_like(p), np.ones_like(p), p], axis=-1)
        tallies = np.stack([spread * (1 - p), spread * p, 1 - spread], axis=-1) * m[..., None]
        return self.of_labels(values, tallies, counts, sizes, waves=waves, weights=weights, step=tilting.LEAST_STEP)

    def limits(self, value: ArrayLike, variance: ArrayLike, labels: ArrayLike, df: ArrayLike) -> Limits:
        """Return limits made from an estimate and its variance; all parameters broadcast against each other.

        Parameters
        ----------
        value : float
            Estimates, in [0, 1] if ``bounded``.
        variance : float
            Their estimated variances, ≥ 0; NaN means unknown.
        labels : int
            M, the sample size that counts if the variance is 0.
        df : float
            Degrees of freedom of the variance.

        Returns
        -------
        Limits
            Those of an interval that is tilted are Wilson's with n_eff and t_ν (Wilson 1927). If ``bounded``, limits in
            [0, 1] that contain the value (Wald's may leave [0, 1], and have no width if the variance is 0), and 0 and 1
            if the variance is unknown or has no degree of freedom. Otherwise ±inf there, and if the variance is 0.

        Raises
        ------
        DesignError
            A bounded value outside [0, 1], or a variance below 0.
        """
        x, v, m, nu = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (value, variance, labels, df)))
        if np.any(v < 0) or (self.bounded and np.any((x < 0) | (x > 1))):
            raise DesignError("An estimate of losses in [0, 1] must lie in [0, 1], with a variance of at least 0.")
        known = np.isfinite(v) & (nu > 0)
        if not self.bounded:
            known &= v > 0
        v, nu = np.where(known, v, 0.0), np.where(known, nu, 1.0)
        t: Array = np.asarray(stdtrit(nu, 0.5 + self.confidence / 2), dtype=np.float64)
        if not self.bounded or self.name == "wald":
            half = t * np.sqrt(v)
            limits = Limits(x - half, x + half)
        elif self.tilted:
            limits = _wilson(x, effective_size(x, v, m), t)
        else:
            ratio = np.minimum(stdtrit(np.maximum(m - 1, 1.0), 0.5 + self.confidence / 2) / t, 1.0)
            limits = _clopper_pearson(x, effective_size(x, v, m) * ratio**2, self.confidence)
        widest = (0.0, 1.0) if self.bounded else (-np.inf, np.inf)
        return Limits(np.where(known, limits.low, widest[0]), np.where(known, limits.high, widest[1]))


DEFAULT = Interval()


def step_of(values: Array, tallies: Array) -> Array:
    """Return the step of the scale that the labels of each sample lie on, (R,): 1, ½, ⅓ or ¼, the largest of them.

    Parameters
    ----------
    values, tallies
        As in `Interval.of_labels`.
    """
    step = np.full(len(tallies), 1 / _STEPS[-1])
    for parts in _STEPS[-2::-1]:
        off = np.abs(values * parts - np.rint(values * parts)) > _GRID
        step[~((tallies > 0) & off).any(axis=(1, 2))] = 1 / parts
    return step


def within_pool(
    limits: Limits, value: ArrayLike, total: ArrayLike, labels: int, items: int, binary: ArrayLike
) -> Limits:
    """Limits of the mean of a finite pool, cut to what its labels leave possible; all arrays broadcast.

    Parameters
    ----------
    limits : Limits
        Of the pool's mean.
    value : float
        Its estimates; limits go on containing them.
    total : float
        Sums of the labelled losses.
    labels, items : int
        M and N.
    binary : bool
        Whether the losses are 0 and 1. If they are, and M > N/2 or N < 300, limits are rounded inward to multiples of
        1/N, since the pool's mean is one; if none lies between them they stay.

    Returns
    -------
    Limits
        Inside [Σℓ/N, (Σℓ + N−M)/N].

    Notes
    -----
    docs/method.md, 5.9.
    """
    low = np.maximum(limits.low, np.asarray(total) / items)
    high = np.minimum(limits.high, (np.asarray(total) + items - labels) / items)
    least, most = np.ceil(low * items - _GRID * items) / items, np.floor(high * items + _GRID * items) / items
    inward = np.asarray(binary) & (least <= most) & (2 * labels > items or items < _SMALL_POOL)
    low, high = np.where(inward, least, low), np.where(inward, most, high)
    return Limits(np.minimum(low, value), np.maximum(high, value))


def effective_size(value: ArrayLike, variance: ArrayLike, labels: ArrayLike) -> Array:
    """Size n_eff = p̂(1−p̂)/V̂ of a simple random sample of independent 0/1 losses with the same variance.

    Parameters
    ----------
    value : float
        Estimates p̂ in [0, 1].
    variance : float
        Their estimated variances V̂ ≥ 0.
    labels : int
        M, which is n_eff if V̂ = 0 or p̂(1−p̂) = 0.
    """
    p, v, m = (np.asarray(x, dtype=np.float64) for x in (value, variance, labels))
    binary = p * (1 - p)
    usable = (v > 0) & (binary > 0)
    return np.asarray(np.where(usable, binary / np.where(usable, v, 1.0), m))


def _wilson(p: Array, n: Array, t: Array) -> Limits:
    """Roots of n (p̂ − p)² = t² p (1 − p)."""
    # Below this size the limits are 0 and 1 anyway, and the squares would overflow.
    square = t * t / np.maximum(n, 1e-9)
    centre = (p + square / 2) / (1 + square)
    half = np.sqrt(square * (p * (1 - p) + square / 4)) / (1 + square)
    return Limits(np.minimum(p, np.maximum(0.0, centre - half)), np.maximum(p, np.minimum(1.0, centre + half)))


def binomial_limits(hits: int, count: int, confidence: float) -> tuple[float, float]:
    """Return Clopper–Pearson limits of a chance that came up ``hits`` times in ``count`` independent tries."""
    limits = _clopper_pearson(np.array(hits / count), np.array(float(count)), confidence)
    return float(limits.low), float(limits.high)


def _clopper_pearson(p: Array, n: Array, confidence: float) -> Limits:
    """Beta quantiles for x = n p̂ successes; exactly 0 at p̂ = 0 and 1 at p̂ = 1."""
    x, tail = n * p, (1 - confidence) / 2
    none, all_ = x <= 0, n - x <= 0
    low = betaincinv(np.where(none, 1.0, x), n - x + 1, tail)
    high = betaincinv(x + 1, np.where(all_, 1.0, n - x), 1 - tail)
    return Limits(np.minimum(p, np.where(none, 0.0, low)), np.maximum(p, np.where(all_, 1.0, high)))
