"""Estimates of a pool in which the verdicts of some items are carried over from equal answers that were graded before.

The items are *known* (K of N, with carried losses v_i) or *open*. Of the known ones, a are audited: labelled as if
nothing were known, which shows by how much carried verdicts are wrong, d_i = ℓ_i − v_i. With W = K/N, the open part's
estimate R̂_o, and p± the mean positive and negative parts of d over the audits,

    R̂ = Σ v_i/N + (1 − W) R̂_o + W (p⁺ − p⁻)

Audits of earlier lists of the same pool and grading may be added to p± (the *log*): carried verdicts are then assumed
to err as often as in the log. Without it R̂ is the difference estimator, unbiased whatever the carried verdicts are
(Särndal et al. 1992, 6.3; docs/method.md, 6.8).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from .intervals import DEFAULT, Interval, Limits
from .mean import CENSUS, Estimate, Sample, tallied

Array = NDArray[np.float64]

FOLLOWS = "if the verdict follows from the answer"
# Rounding of losses that were added up, and items of a stratum of which nothing is drawn out.
_ROUNDING, _WITHOUT_END = 1e-9, 1e15


@dataclass(frozen=True, slots=True)
class Audit:
    """Carried verdicts that were checked, and by how much they were wrong.

    Parameters
    ----------
    n : int
        How many were checked.
    up, down : float
        Σ max(ℓ − v, 0) and Σ max(v − ℓ, 0): of verdicts that are right or wrong, how many were carried as right and
        found wrong, and the other way round.

    Raises
    ------
    DesignError
        A number is below 0, or more was found than there are audits.
    """

    n: int = 0
    up: float = 0.0
    down: float = 0.0

    def __post_init__(self) -> None:
        if self.n < 0 or min(self.up, self.down) < 0 or self.up + self.down > self.n + _ROUNDING:
            raise DesignError(
                f"An audit finds from 0 to n wrong verdicts. Found {self.up:g} and {self.down:g} of {self.n}."
            )

    @classmethod
    def of(cls, losses: ArrayLike, carried: ArrayLike) -> Audit:
        """Count an audit's finding.

        Parameters
        ----------
        losses, carried : (a,) float
            Losses of the audited items as labelled, and as carried; both in [0, 1].
        """
        gaps = np.asarray(losses, dtype=np.float64) - np.asarray(carried, dtype=np.float64)
        return cls(gaps.size, float(np.maximum(gaps, 0.0).sum()), float(np.maximum(-gaps, 0.0).sum()))

    @property
    def wrong(self) -> float:
        """Number of carried verdicts that were found wrong."""
        return self.up + self.down

    @property
    def shift(self) -> float:
        """Mean of d over the audits; 0 without any."""
        return (self.up - self.down) / self.n if self.n else 0.0

    def __add__(self, other: Audit) -> Audit:
        return Audit(self.n + other.n, self.up + other.up, self.down + other.down)


@dataclass(frozen=True, slots=True, eq=False)
class CarriedSample:
    """The labels of a list with carried verdicts, in the numbers that the estimate needs.

    Parameters
    ----------
    open : Sample or None
        Labels of the open items in their strata; None if every item is known.
    total : float
        Σ v_i over the known items.
    known : int
        K.
    audit : Audit
        Of this list.
    log : Audit
        Of earlier lists.
    follows : bool
        Whether the verdict follows from the answer, so that nothing is audited.
    """

    open: Sample | None
    total: float
    known: int
    audit: Audit = Audit()
    log: Audit = Audit()
    follows: bool = False

    @property
    def n_items(self) -> int:
        """N."""
        return self.known + (0 if self.open is None else int(self.open.sizes.sum()))

    @property
    def n_labels(self) -> int:
        """Labels of this list, audits included."""
        return self.audit.n + (0 if self.open is None else self.open.n_labels)

    @property
    def share(self) -> float:
        """W = K/N."""
        return self.known / self.n_items

    @property
    def audited(self) -> Audit:
        """The audits that count: all known items if they were all audited, otherwise the log too."""
        return self.audit if self.exact else self.audit + self.log

    @property
    def known_value(self) -> float:
        """Estimated mean of the known items: their carried verdicts, corrected by the audits that count."""
        rest = 0.0 if self.open is None else (1 - self.share) * self.open.value
        return (self.value - rest) / self.share if self.known else math.nan

    @property
    def value(self) -> float:
        """R̂."""
        return self._with(self.audited)

    @property
    def unbiased(self) -> float:
        """R̂ without the log."""
        return self._with(self.audit)

    @property
    def pooled(self) -> bool:
        """Whether a stratum of one label took the pooled variance."""
        return self.open is not None and self.open.pooled

    @property
    def variance(self) -> float:
        """V̂ of R̂; NaN if the open labels give no variance, or nothing was audited that should have been."""
        checked = self.audited
        rest = (1 - self.share) ** 2 * (0.0 if self.open is None else self.open.variance)
        if self.exact:
            return rest
        if checked.n < 2:
            return math.nan
        # Of verdicts that are right or wrong exactly Σ (d − d̄)²/(n − 1), of others at least that.
        spread = (checked.wrong / checked.n - checked.shift**2) * checked.n / (checked.n - 1)
        left = 1 - self.audit.n / self.known if checked.n == self.audit.n else 1.0
        return rest + self.share**2 * left * max(spread, 0.0) / checked.n

    def estimate(self, interval: Interval = DEFAULT) -> Estimate:
        """Estimate with its limits.

        Parameters
        ----------
        interval : Interval
            Of the open part; its confidence is that of the whole.

        Raises
        ------
        DesignError
            Losses without bounds.
        """
        if not interval.bounded:
            raise DesignError("Verdicts are carried over for losses between 0 and 1 only.")
        value, error = min(max(self.value, 0.0), 1.0), math.sqrt(self.variance)
        part = None if self.open is None else self.open.estimate(interval)
        if self.exact and (part is None or part.method == CENSUS):
            return Estimate(value, 0.0, value, value, self.n_labels, CENSUS)
        words = [] if part is None else [part.method]
        words.append("audited verdicts as strata" if not self.follows else FOLLOWS)
        limits = self.limits(interval)
        least, most = max(float(limits.low), 0.0), min(float(limits.high), 1.0)
        estimate = Estimate(value, error, min(least, value), max(most, value), self.n_labels, ", ".join(words))
        return estimate if self.open is None else self.open.warned(estimate, interval, "the mean of the open items")

    def limits(self, interval: Interval = DEFAULT) -> Limits:
        """Limits of R̂, not cut to [0, 1]."""
        if self.exact:
            one = None if self.open is None else self.open.estimate(interval)
            low, high = (0.0, 0.0) if one is None else (one.low - one.value, one.high - one.value)
            return Limits(np.array(self.value + (1 - self.share) * low), np.array(self.value + (1 - self.share) * high))
        checked = self.audited
        if not interval.tilted or not checked.n or math.isnan(self.variance):
            value, labels = min(max(self.value, 0.0), 1.0), self.n_labels
            return interval.limits(value, self.variance, max(labels, 1), max(labels - 1, 1))
        part = None
        if self.open is not None:
            values, kind = np.unique(self.open.losses, return_inverse=True)
            tallies = tallied(self.open.strata, kind, self.open.sizes.size, values.size)
            part = values, tallies[None].astype(np.float64), self.open.counts, self.open.sizes
        strata = AuditedStrata(self.total, self.known, self.n_items, bool(self.log.n))
        limits = strata.limits(interval, checked.n, [checked.up], [checked.down], part)
        return Limits(limits.low[0], limits.high[0])

    def distances(self, interval: Interval, audits: ArrayLike, up: ArrayLike, down: ArrayLike) -> tuple[Array, Array]:
        """Distances of the limits of the known items' mean from it, (R,) each, were so many audits to find so many.

        Parameters
        ----------
        interval : Interval
            Bounded.
        audits, up, down : (R,)
            As in `AuditedStrata.limits`.
        """
        strata = AuditedStrata(self.total, self.known, self.known, bool(self.log.n))
        limits = strata.limits(replace(interval, name=DEFAULT.name), audits, up, down)
        middle = self.total / self.known + (np.asarray(up) - np.asarray(down)) / np.asarray(audits)
        return np.maximum(middle - limits.low, 0.0), np.maximum(limits.high - middle, 0.0)

    @property
    def exact(self) -> bool:
        """Whether the known part has no uncertainty: verdicts that follow from the answer, or were all audited."""
        return self.follows or self.audit.n == self.known

    def _with(self, checked: Audit) -> float:
        rest = 0.0 if self.open is None else (1 - self.share) * self.open.value
        return self.total / self.n_items + rest + self.share * (0.0 if self.follows else checked.shift)


@dataclass(frozen=True, slots=True)
class AuditedStrata:
    """Two strata of known items, carried as right and carried as wrong, with the audits as their labels.

    R̂ has x⁺/n and x⁻/n of all n audits, however many fell on verdicts of either kind. So both strata have n labels of K
    items, of which x⁺, and n − x⁻, are 1. Imagined labels of the working model are at their own rates, with the log
    counted as labels. A stratum without items, Σ (1 − v) or Σ v of them, is left out. Limits of all items are as far
    from the estimate as those of the known ones alone, or farther.

    Parameters
    ----------
    total : float
        Σ v_i over the known items.
    known, n_items : int
        K and N.
    logged : bool
        Whether audits of earlier lists are among them, so that they are drawn from more than these items.
    """

    total: float
    known: int
    n_items: int
    logged: bool

    def limits(
        self,
        interval: Interval,
        audits: ArrayLike,
        up: ArrayLike,
        down: ArrayLike,
        open_part: tuple[Array, Array, ArrayLike, ArrayLike] | None = None,
    ) -> Limits:
        """Return tilted limits of R samples, (R,), of the mean of all items, or of Σ ℓ/N over the known ones alone.

        Parameters
        ----------
        interval : Interval
            Tilted.
        audits : int or (R,) int
            n ≥ 1.
        up, down : (R,) float
            x⁺ and x⁻.
        open_part : (values, tallies, counts, sizes), optional
            Labels of the open items: values (S,), tallies (R, H, S), counts (H,) or (R, H), sizes (H,).
        """
        there = np.array([self.known - self.total, self.total]) > _ROUNDING
        wrong = np.stack([np.asarray(up, dtype=np.float64), np.asarray(down, dtype=np.float64)], axis=-1)
        labels = np.broadcast_to(np.asarray(audits, dtype=np.float64)[..., None], wrong.shape)
        ones = np.where([True, False], wrong, labels - wrong)[:, there]
        counts, weights = labels[:, there], np.full(there.sum(), self.known / self.n_items)
        sizes = np.full(there.sum(), _WITHOUT_END if self.logged else max(self.known, counts.max()))
        tallies, values, places = np.stack([counts - ones, ones], axis=-1), np.array([0.0, 1.0]), np.zeros(0)
        if open_part is not None:
            others, of_open, of_each, open_sizes = open_part
            places, inside = np.zeros(len(open_sizes)), ~np.isin(others, values)  # type: ignore[arg-type]
            columns = [of_open[..., others == end].sum(axis=-1, keepdims=True) for end in values]
            of_open = np.concatenate([*columns, of_open[..., inside]], axis=-1)
            values = np.r_[values, others[inside]]
            tallies = np.concatenate([tallies, np.zeros((*counts.shape, int(inside.sum())))], axis=-1)
            tallies = np.concatenate([of_open, tallies], axis=1)
            counts = np.concatenate([np.broadcast_to(of_each, of_open.shape[:2]), counts], axis=1)
            sizes = np.r_[open_sizes, sizes]
            weights = np.r_[np.asarray(open_sizes) / self.n_items, weights]
        waves = np.r_[places, 1 + np.arange(there.sum())].astype(np.int64)
        limits = interval.of_labels(values, tallies, counts, sizes, waves=waves, weights=weights, apart=waves > 0)
        known = (self.total - self.known * there[1]) / self.n_items
        low, high = limits.low + known, limits.high + known
        if open_part is not None:
            # Beside others, audits that find nothing would pass for certainty: both are never nearer than they alone.
            alone = self.limits(interval, audits, up, down)
            rest = (of_open @ values / of_each) @ weights[: len(places)]
            low, high = np.minimum(low, rest + alone.low), np.maximum(high, rest + alone.high)
        return Limits(low, high)


def recovered(value: ArrayLike, one: tuple[ArrayLike, ArrayLike], other: tuple[ArrayLike, ArrayLike]) -> Limits:
    """Limits of a sum of two estimates from the distances of theirs; arrays broadcast, and nothing is cut to [0, 1].

    Parameters
    ----------
    value : float
        The sum.
    one, other : (float, float)
        Distances of the lower and of the upper limit of each.

    Notes
    -----
    Method of variance estimates recovery, Zou & Donner 2008.
    """
    (low, high), (left, right) = one, other
    return Limits(np.asarray(value - np.hypot(low, left)), np.asarray(value + np.hypot(high, right)))
