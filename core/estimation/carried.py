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
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from ..errors import DesignError
from .intervals import DEFAULT, Interval, Limits
from .mean import CENSUS, Estimate, Sample

Array = NDArray[np.float64]

FOLLOWS = "if the verdict follows from the answer"
# Rounding of losses that were added up.
_ROUNDING = 1e-9


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
        """How many carried verdicts were found wrong."""
        return self.up + self.down

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
        mean = (checked.up - checked.down) / checked.n
        spread = (checked.wrong / checked.n - mean**2) * checked.n / (checked.n - 1)
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
        middle, low, high = (0.0, 0.0, 0.0) if part is None else (part.value, part.low, part.high)
        limits = carried_limits(
            self.value,
            ((1 - self.share) * (middle - low), (1 - self.share) * (high - middle)),
            0.0 if self.exact else self.share,
            self.audited.n,
            (self.audited.up, self.audited.down),
            self.level(interval),
        )
        least, most = max(float(limits.low), 0.0), min(float(limits.high), 1.0)
        words = [] if part is None else [part.method]
        words.append("Clopper–Pearson limits of the audit" if not self.follows else FOLLOWS)
        estimate = Estimate(value, error, least, most, self.n_labels, ", ".join(words))
        return estimate if self.open is None else self.open.warned(estimate, interval, "the mean of the open items")

    def level(self, interval: Interval) -> float:
        """Level of the one-sided limits of what is wrong among carried verdicts."""
        return (1 + interval.confidence) / 2 if self.log.n else interval.confidence

    @property
    def exact(self) -> bool:
        """Whether the known part has no uncertainty: verdicts that follow from the answer, or were all audited."""
        return self.follows or self.audit.n == self.known

    def _with(self, checked: Audit) -> float:
        rest = 0.0 if self.open is None else (1 - self.share) * self.open.value
        found = 0.0 if self.follows or not checked.n else (checked.up - checked.down) / checked.n
        return self.total / self.n_items + rest + self.share * found


def carried_limits(
    value: ArrayLike,
    open_part: tuple[ArrayLike, ArrayLike],
    share: ArrayLike,
    n: ArrayLike,
    wrong: tuple[ArrayLike, ArrayLike],
    level: float,
) -> Limits:
    """Limits of R̂ by the method of variance estimates recovery; arrays broadcast, and nothing is cut to [0, 1].

    Parameters
    ----------
    value : float
        R̂.
    open_part : (float, float)
        (1 − W)(R̂_o − L_o) and (1 − W)(U_o − R̂_o).
    share : float
        W; 0 if nothing is uncertain about the known part.
    n : int
        The audits that count.
    wrong : (float, float)
        What they found, up and down as in `Audit`.
    level : float
        Of the one-sided limits of p⁺ and of p⁻: the confidence without a log, (1 + confidence)/2 with one.

    Notes
    -----
    Zou & Donner 2008; Clopper & Pearson 1934, for sums of fractional losses the same quantiles. One-sided limits of a
    lower level suffice without a log, if half of the labels may be audits (docs/method.md, 6.8).
    """
    count, up, down = (np.asarray(number, dtype=np.float64) for number in (n, *wrong))
    below, above, known = (np.asarray(part, dtype=np.float64) for part in (*open_part, share))
    (p_low, p_high), (q_low, q_high) = _exact_limits(up, count, level), _exact_limits(down, count, level)
    p, q = up / np.maximum(count, 1), down / np.maximum(count, 1)
    low = value - np.sqrt(below**2 + known**2 * ((q_high - q) ** 2 + (p - p_low) ** 2))
    high = value + np.sqrt(above**2 + known**2 * ((p_high - p) ** 2 + (q - q_low) ** 2))
    return Limits(low, high)


def _exact_limits(count: Array, n: Array, level: float) -> tuple[Array, Array]:
    """Clopper–Pearson limits of a share, each one-sided; 0 and 1 without any audit."""
    low = np.where(count > 0, betaincinv(np.maximum(count, 1e-300), n - count + 1, 1 - level), 0.0)
    high = np.where(count < n, betaincinv(count + 1, np.maximum(n - count, 1e-300), level), 1.0)
    return low, high
