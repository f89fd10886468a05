"""How an interval is made, and its limits from an estimate and the variance of that estimate.

All functions work on arrays, so that thousands of simulated samples cost one call. With n_eff = p̂(1−p̂)/V̂ the
effective sample size (n_eff = M if V̂ = 0) and t_ν the quantile of Student's t, ν = M − H:

    wilson         Wilson's score limits for n_eff observations, t_ν                Wilson 1927; docs/method.md, 5.7
                   (modified for rare losses)                                       Brown, Cai & DasGupta 2001
    korn-graubard  Clopper–Pearson limits for n_eff (t_{M−1}/t_ν)² observations     Korn & Graubard 1998
    wald           p̂ ± t_ν SE, for comparison only

Losses without bounds have one interval, R̂ ± t_ν SE with Satterthwaite's ν. `within_pool` fits limits to a finite pool.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri, stdtrit

from ..errors import DesignError
from ..words import INTERVAL_METHODS
from .rare import furthest, least_of_a_count, of_others, score_limit
from .smoothing import smoothed
from .variance import conservative, fine, joined_df, short_strata, uneven, variance_terms

Array = NDArray[np.float64]

# Share of a step 1/N that is rounding of doubles.
_GRID = 1e-6
# In pools of fewer items a step 1/N is not small beside the width, however few are labelled.
_SMALL_POOL = 300
# Errors are concentrated if all that was seen of them lies in so large a share of the items.
_CONCENTRATED = 1 / 7


@dataclass(frozen=True, slots=True)
class Limits:
    """Lower and upper confidence limits, arrays of the estimates' shape."""

    low: Array
    high: Array


@dataclass(frozen=True, slots=True)
class Evidence:
    """What labels say of rare losses beyond their variance, arrays that broadcast against the estimates.

    Parameters
    ----------
    ones, zeros : float
        Labels of either kind.
    lean : float
        As of `Interval.variance`.
    low, high : float
        Limits of single strata, in fine ones of `_concentrated` too, which an interval reaches at least.
    counted : bool
        Whether the labels are 0 and 1 in few strata: how many there are of either kind then says what limits miss.
    """

    ones: Array | float = math.inf
    zeros: Array | float = math.inf
    lean: Array | float = math.nan
    low: Array | float = 1.0
    high: Array | float = 0.0
    counted: NDArray[np.bool_] | bool = False

    def outward(self, limits: Limits, plain: Limits, x: Array, v: Array, n: Array, t: Array, alpha: float) -> Limits:
        """Limits moved outward by what the labels say, (…).

        If all labels of each of few strata agree, but not those of all, only single strata have limits: the labels do
        not vary as those of one sample would.

        Parameters
        ----------
        limits, plain : Limits
            Of losses that are not counted, and Wilson's.
        x, v, n, t : (…) float
            Estimates, their variances, their effective sizes, and the quantile of the limits.
        alpha : float
            1 − confidence.
        """
        counted = np.asarray(self.counted)
        if counted.any():
            events = np.stack([np.broadcast_to(k, x.shape) for k in (self.ones, self.zeros)])
            shares, lowest = np.stack([x, 1 - x]), np.stack([plain.low, 1 - plain.high])
            low, less = least_of_a_count(shares, lowest, np.stack([n, n]), events, np.stack([t, t]), alpha)
            # Of no event z²/(n + z²) misses too often below 95 %, where z² is less than −ln(α/2).
            q = -math.log(alpha / 2)
            low, less = (np.where(of <= 0, np.minimum(at, n / (n + q)), at) for of, at in ((1 - x, low), (x, less)))
            limits = Limits(np.where(counted, low, limits.low), np.where(counted, 1 - less, limits.high))
        if np.isfinite(self.lean).any():
            lean = np.asarray(self.lean)
            low = score_limit(x, limits.low, n, t, lean, ~counted)
            limits = Limits(low, 1 - score_limit(1 - x, 1 - limits.high, n, t, -lean, ~counted))
        alone = counted & (v <= 0) & (np.asarray(self.ones) > 0) & (np.asarray(self.zeros) > 0)
        low, high = np.where(alone, 1.0, limits.low), np.where(alone, 0.0, limits.high)
        return Limits(np.minimum(low, self.low), np.maximum(high, self.high))


@dataclass(frozen=True, slots=True)
class Interval:
    """How a confidence interval is made.

    Parameters
    ----------
    name : str
        A key of `core.words.INTERVAL_METHODS`, for losses in [0, 1]. Losses without bounds always get Student's t.
    confidence : float
        In (0, 1).
    bounded : bool
        Whether losses lie in [0, 1].
    conservative : bool or None
        Whether limits are widened by `core.estimation.variance.conservative`, so that few labels that agree do not
        pass for certainty; None widens them if the labels are `core.estimation.variance.uneven`. Losses without
        bounds are never widened.

    Raises
    ------
    DesignError
        An unknown name, or a confidence outside (0, 1).
    """

    name: str = "wilson"
    confidence: float = 0.95
    bounded: bool = True
    conservative: bool | None = None

    def __post_init__(self) -> None:
        if self.name not in INTERVAL_METHODS:
            raise DesignError(
                f"There is no interval called “{self.name}”. Choose one of {', '.join(INTERVAL_METHODS)}."
            )
        if not 0 < self.confidence < 1:
            raise DesignError(f"The confidence level must lie between 0 and 1, such as 0.95. Found {self.confidence}.")

    @property
    def method(self) -> str:
        """The interval in words, as in `core.estimation.Estimate.method`."""
        return INTERVAL_METHODS[self.name] if self.bounded else "stratified t, Satterthwaite"

    def widens(self, counts: ArrayLike, sizes: ArrayLike) -> bool:
        """Whether the limits of a sample are the conservative ones.

        Parameters
        ----------
        counts, sizes : (H,) int
            Labels m_h and items N_h of each stratum.
        """
        return self.bounded and bool(uneven(counts, sizes) if self.conservative is None else self.conservative)

    def careful(self, counts: NDArray[np.int64], sizes: NDArray[np.int64], weights: ArrayLike) -> Interval:
        """Make the interval conservative if strata have far fewer labels than their design gives them.

        Parameters
        ----------
        counts, sizes, weights
            As in `core.estimation.variance.short_strata`.
        """
        return replace(self, conservative=True) if short_strata(counts, sizes, weights) else self

    def variance(
        self,
        counts: NDArray[np.int64],
        sizes: NDArray[np.int64],
        means: Array,
        variances: Array,
        widened: bool,
        fpc: bool = True,
    ) -> tuple[Array, Array, Array]:
        """Variance of stratified samples as limits need it, its degrees of freedom, and its lean, all (…).

        Parameters
        ----------
        counts, means, variances : (…, H)
            Labels m_h, mean losses ℓ̄_h and sample variances s_h².
        sizes : (H,) int
            Items N_h.
        widened : bool
            Whether it is `core.estimation.variance.conservative`; otherwise it is `core.estimation.smoothing.smoothed`,
            V̂ with M − H for Wald's limits, and V̂ with `core.estimation.variance.joined_df` for losses without bounds.
            Only that which is smoothed has a lean.
        fpc : bool
            As in `core.estimation.variance.variance_terms`.
        """
        if widened:
            variance, df = conservative(np.broadcast_to(counts, means.shape), sizes, means, variances, fpc)
            return variance, df, np.full(df.shape, math.nan)
        if self.bounded and self.name != "wald":
            return smoothed(counts, sizes, means, variances, fpc)
        terms = variance_terms(counts, variances, sizes, fpc)
        plain = np.broadcast_to(counts.sum(axis=-1) - sizes.size, terms.shape[:-1])
        df = plain if self.bounded else joined_df(terms, counts)
        return np.asarray(terms.sum(axis=-1)), df, np.full(df.shape, math.nan)

    def evidence(
        self,
        counts: NDArray[np.int64],
        sizes: NDArray[np.int64],
        means: Array,
        binary: ArrayLike,
        lean: Array | float = math.nan,
    ) -> Evidence | None:
        """What labels say of rare losses beyond their variance; None if limits follow their formula alone.

        They do if it was asked whether they are widened, and say nothing for losses between 0 and 1, of which a few
        say more than whether one is wrong.

        Parameters
        ----------
        counts, sizes : (H,) int
            Labels m_h and items N_h of each stratum.
        means : (…, H) float
            Mean losses ℓ̄_h.
        binary : bool
            Whether the losses are 0 and 1, (…).
        lean : float
            As of `variance`, (…).
        """
        if not self.bounded or self.name != "wilson" or self.conservative is not None:
            return None
        if fine(counts):
            alpha = 1 - self.confidence
            (low, high), (least, most) = (_concentrated(counts, sizes, share, alpha) for share in (means, 1 - means))
            single = self._of_single_strata(counts, sizes, np.where(np.asarray(binary)[..., None], means, 0.0))
            low = np.minimum(np.minimum(low, 1 - most), single.low)
            high = np.maximum(np.maximum(high, 1 - least), single.high)
            lean = np.where(binary, lean, math.nan)
            return Evidence(low=np.where(binary, low, 1.0), high=np.where(binary, high, 0.0), lean=lean)
        ones, counted = means @ counts, np.asarray(binary)
        told = Evidence(ones=ones, zeros=counts.sum() - ones, counted=counted)
        if counts.size == 1:
            return told
        single, agree = self._of_single_strata(counts, sizes, means), ((means <= 0) | (means >= 1)).any(axis=-1)
        low, high = np.where(counted, single.low, 1.0), np.where(counted, single.high, 0.0)
        return replace(told, low=low, high=high, lean=np.where(counted & agree, lean, math.nan))

    def _of_single_strata(self, counts: NDArray[np.int64], sizes: NDArray[np.int64], means: Array) -> Limits:
        """Limits as far out as those of single strata call for, (…), of losses of 0 and 1 (docs/method.md, 5.7).

        Parameters
        ----------
        counts, sizes, means
            As in `evidence`.
        """
        share, z = sizes / sizes.sum(), float(ndtri(0.5 + self.confidence / 2))
        square, joins = z * z, of_others(z)
        # As of no event in a whole sample.
        most = max(square, -math.log((1 - self.confidence) / 2))
        # Each number of labels with a loss of 1 that a stratum shows, once.
        last = np.cumsum(counts + 1)
        shown, which = np.unique(last - counts - 1 + np.rint(means * counts).astype(np.int64), return_inverse=True)
        of = np.searchsorted(last, shown, side="right")
        m, ones = counts[of], shown - (last - counts - 1)[of]
        p, left = ones / m, 1 - m / sizes[of]
        variance = p * (1 - p) * left / np.maximum(m - 1, 1)
        told = Evidence(ones=ones, zeros=m - ones, counted=True)
        limits = self.limits(p, variance, m, counts.sum() - counts.size, told)
        weight = np.where(variance > 0, 1.0, np.sqrt(left)) * share[of]
        terms, low, high = (
            values[which].reshape(means.shape)
            for values in (square * share[of] ** 2 * variance, weight * (p - limits.low), weight * (limits.high - p))
        )
        value, hidden = means @ share, share * np.sqrt(1 - counts / sizes)

        def reach(single: Array, none: NDArray[np.bool_]) -> Array:
            if fine(counts):
                return np.asarray(single.max(axis=-1))
            # A single label shows no variance, so all of its stratum's distance joins those of others.
            known = np.where(counts == 1, single**2 / joins, terms)
            return furthest(single, known, none @ hidden * most / (none @ counts + most), joins)

        below, above = reach(low, means >= 1), reach(high, means <= 0)
        return Limits(np.maximum(value - below, 0.0), np.minimum(value + above, 1.0))

    def limits(
        self,
        value: ArrayLike,
        variance: ArrayLike,
        labels: ArrayLike,
        df: ArrayLike,
        evidence: Evidence | None = None,
    ) -> Limits:
        """Confidence limits. All parameters broadcast against each other.

        Parameters
        ----------
        value : float
            Estimates, in [0, 1] if ``bounded``.
        variance : float
            Their estimated variances, ≥ 0; NaN means unknown.
        labels : int
            M, the sample size that counts if the variance is 0.
        df : float
            Degrees of freedom of the variance, as of `variance`; infinite ones give quantiles of the normal
            distribution.
        evidence : Evidence, optional
            Of `evidence`, for Wilson's limits.

        Returns
        -------
        Limits
            If ``bounded``, limits in [0, 1] that contain the value (Wald's may leave [0, 1], and have no width if
            the variance is 0), and 0 and 1 if the variance is unknown or has no degree of freedom. Otherwise ±inf
            there, and if the variance is 0.

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
        elif self.name == "wilson":
            n = effective_size(x, v, m)
            plain, alpha = _wilson(x, n, t), 1 - self.confidence
            limits = _for_rare(plain, x, n, alpha, known)
            if evidence is not None:
                limits = evidence.outward(limits, plain, x, v, n, t, alpha)
        else:
            ratio = np.minimum(stdtrit(np.maximum(m - 1, 1.0), 0.5 + self.confidence / 2) / t, 1.0)
            limits = _clopper_pearson(x, effective_size(x, v, m) * ratio**2, self.confidence)
        widest = (0.0, 1.0) if self.bounded else (-math.inf, math.inf)
        return Limits(np.where(known, limits.low, widest[0]), np.where(known, limits.high, widest[1]))


WILSON = Interval()


def within_pool(
    limits: Limits, value: ArrayLike, total: ArrayLike, labels: int, items: int, binary: ArrayLike, least: float = 0.0
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
        Whether the labelled losses are whole numbers. If they are, and M > N/2 or N < 300, limits are first rounded
        outward to multiples of 1/N, since the pool's mean is one. Rounding moves a limit by less than 1/N, which only
        then compares with the width of the interval.
    least : float
        The smallest loss that an item can have; the largest is 1.

    Returns
    -------
    Limits
        Inside [(Σℓ + (N−M) least)/N, (Σℓ + N−M)/N].

    Notes
    -----
    docs/method.md, 5.9.
    """
    low, high, open_items = limits.low, limits.high, items - labels
    if 2 * labels > items or items < _SMALL_POOL:
        low = np.where(binary, np.floor(low * items + _GRID) / items, low)
        high = np.where(binary, np.ceil(high * items - _GRID) / items, high)
    low = np.maximum(low, (np.asarray(total) + open_items * least) / items)
    high = np.minimum(high, (np.asarray(total) + open_items) / items)
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


def _for_rare(limits: Limits, p: Array, n: Array, alpha: float, where: NDArray[np.bool_]) -> Limits:
    """Lower limit at most the α quantile of Beta(x, n − x + 1) where x = n p ≤ 2 z², and the upper one accordingly.

    Wilson's lower limit from few events misses too often if they are rare (Brown, Cai & DasGupta 2001, 4.1.1). Of
    x < 2 z² events it lies below z²/n, the upper limit of none. Up to there no other limit misses on the other side,
    and this one may miss with all of α (docs/method.md, 5.7).
    """
    most = 2 * float(ndtri(1 - alpha / 2)) ** 2

    def outward(share: Array, limit: Array) -> Array:
        events = n * share
        # Less than one label's worth is no count of events.
        rare = where & (n >= 1) & (events > 0) & (events <= most)
        size = np.where(rare, n, 1.0)
        events = np.where(rare, events, 1.0)
        quantile = betaincinv(events, np.maximum(size - events, 0.0) + 1, alpha)
        return np.where(rare, np.minimum(limit, quantile), limit)

    return Limits(outward(p, limits.low), 1 - outward(1 - p, 1 - limits.high))


def _concentrated(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], means: Array, alpha: float
) -> tuple[Array, Array]:
    """What the mean may be, at least and at most, (…), if few strata showed all of it; 1 and 0 if these are not few.

    They are few up to a seventh of the items. With k of the n labels of these strata, their mean is at least the α
    quantile of Beta(k, n − k + 1), at a distance shrunk by √(1 − m_h/N_h): a few labels that agree in the riskiest
    strata say little of how much is wrong there. Of the other labels none is: the mean of their strata is at most
    1 − α^(1/(M − n)), at such a distance from 0 (docs/method.md, 5.7).

    Parameters
    ----------
    counts, sizes : (H,) int
        Labels m_h and items N_h of each stratum.
    means : (…, H) float
        Mean losses of 0 and 1.
    alpha : float
        The chance to miss.
    """
    some, share = means > 0, sizes / sizes.sum()
    k, n, within = np.maximum(means @ counts, 1.0), some @ counts, some @ share
    least, left = betaincinv(k, np.maximum(n - k, 0.0) + 1, alpha), share * np.sqrt(1 - counts / sizes)
    reach = np.maximum(means @ left - least * (some @ left), 0.0)
    elsewhere = (1 - alpha ** (1 / np.maximum(counts.sum() - n, 1))) * (~some @ left)
    few, value = (within > 0) & (within <= _CONCENTRATED), means @ share
    return np.where(few, value - reach, 1.0), np.where(few, value + elsewhere, 0.0)


def _clopper_pearson(p: Array, n: Array, confidence: float) -> Limits:
    """Beta quantiles for x = n p̂ successes; exactly 0 at p̂ = 0 and 1 at p̂ = 1."""
    x, tail = n * p, (1 - confidence) / 2
    none, all_ = x <= 0, n - x <= 0
    low = betaincinv(np.where(none, 1.0, x), n - x + 1, tail)
    high = betaincinv(x + 1, np.where(all_, 1.0, n - x), 1 - tail)
    return Limits(np.minimum(p, np.where(none, 0.0, low)), np.maximum(p, np.where(all_, 1.0, high)))
