"""Labels needed for an interval of a wanted width, of the same design (docs/method.md, 6.4)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri

from ..allocation.optimum import allocate_many
from ..errors import DesignError
from ..words import counted
from .carried import CarriedSample, recovered
from .intervals import DEFAULT, Interval
from .mean import Sample, Weighing
from .shrinkage import StrataDraws, along_the_curve, draws
from .variance import fine, satterthwaite, variance_terms
from .waves import Waves
from .working_model import IMAGINED

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

# The ends of an 80 % range and its middle, as quantiles of a χ² distribution.
_ENDS = (0.1, 0.5, 0.9)
# Quantiles of draws of the strata whose range holds the truth in 80 % of samples or more.
_NEEDED_ENDS = (0.03, 0.5, 0.97)
# Looks at a likely number of labels before a range is halved, and how far beyond it, as a share.
_GUESSES, _BEYOND = 4, 0.01


@dataclass(frozen=True, slots=True)
class TopUp:
    """Labels for a wanted half-width.

    Parameters
    ----------
    half_width, current : float
        The wanted half-width and that of the labels at hand.
    total, further : int
        Labels in all, and how many of them are new; while disputes are open, enough whichever way they are settled.
    least, most : int
        80 % range of ``total``; while disputes are open, over the ways of settling them too.
    reached : bool
        Whether the labels at hand suffice.
    disputes : int
        Open disputes. Their items count among the labels at hand.
    fewest : int
        New labels if disputes are settled in the way that needs fewest; ``further`` if none is open.
    without : int
        Items without a verdict, which are the first to be labelled.
    """

    half_width: float
    current: float
    total: int
    further: int
    least: int
    most: int
    reached: bool
    disputes: int = 0
    fewest: int = -1
    without: int = 0

    def __post_init__(self) -> None:
        if self.fewest < 0:
            object.__setattr__(self, "fewest", self.further)

    @property
    def more(self) -> str:
        """Number of new labels: “46 more labels”, or a range over the ways of settling disputes."""
        most = counted(self.further, "more label")
        return most if self.fewest == self.further else f"{self.fewest:,} to {most}"

    @property
    def depends(self) -> str:
        """Condition of the number of new labels: “depending on how 8 disputed items are settled”; or ""."""
        if not self.disputes:
            return ""
        items = counted(self.disputes, "disputed item is", "disputed items are")
        return f"{'whichever way' if self.fewest == self.further else 'depending on how'} {items} settled"

    @property
    def first(self) -> str:
        """The items that get the first of the new labels, in words: those without a verdict; or ""."""
        return f"the first on {counted(self.without, 'item')} without a verdict" if self.without else ""

    def beside(self, current: float, without: int) -> TopUp:
        """Return the labels of this plan while items have no verdict; these get the first of the new labels.

        Parameters
        ----------
        current : float
            Half-width of the labels at hand, whichever way these items would have gone.
        without : int
            How many there are.
        """
        if current <= self.half_width:
            return replace(self, current=current)
        more = max(without - self.further, 0)
        return replace(
            self,
            current=current,
            total=self.total + more,
            further=self.further + more,
            least=max(self.least, self.total - self.further + without),
            most=max(self.most, self.total + more),
            reached=False,
            fewest=max(self.fewest, without),
            without=without,
        )

    def __repr__(self) -> str:
        said = ", ".join(filter(None, (self.more, self.depends, f"{self.total:,} in all", self.first)))
        said += f" (80 % range {self.least:,} to {self.most:,})"
        return f"TopUp to ±{self.half_width:.3g} from ±{self.current:.3g}: {said}"


def whichever_way(ways: Sequence[TopUp], current: float, disputes: int) -> TopUp:
    """Return the labels that are enough whichever way disputes are settled.

    Parameters
    ----------
    ways : sequence of TopUp
        With the disputes settled in several ways: of the same half-width, and of the same number of labels at hand.
    current : float
        Half-width of the labels at hand, over both ways.
    disputes : int
        How many there are.
    """
    most = max(ways, key=lambda one: one.total)
    return replace(
        most,
        current=current,
        least=min(one.least for one in ways),
        most=max(one.most for one in ways),
        reached=current <= most.half_width,
        disputes=disputes,
        fewest=min(one.further for one in ways),
    )


def top_up(
    weights: ArrayLike,
    sample: Sample,
    half_width: float,
    interval: Interval = DEFAULT,
    current: float | None = None,
    in_waves: Waves | None = None,
    turns: ArrayLike | None = None,
    known: Callable[[], StrataDraws] | None = None,
) -> TopUp:
    """Fewest labels of the same design whose interval is expected to reach a wanted half-width.

    Parameters
    ----------
    weights : (H,) float
        Weights of the design (`core.design.Scheme.weights`).
    sample : Sample
        The labels at hand.
    half_width : float
        The wanted half-width of the interval, > 0, in the units of the loss (0.03 is three points).
    interval : Interval
        The interval as planned.
    current : float or None
        Half-width of the labels at hand; None computes it by the interval as planned.
    in_waves : Waves, optional
        The same labels, if they were taken in waves: stratum 0 of the sample is then what the earlier waves
        labelled, the others are the last wave's. Further labels go there, and the earlier waves' variance stays.
    turns : (H,) int, optional
        Order in which strata of equal weight get labels (`core.design.Plan.turns`); by default that of the strata.
    known : callable, optional
        Gives what `foreseen` returns, for whoever asks for several half-widths.

    Returns
    -------
    TopUp
        For losses in [0, 1] the labels are computed for each of many draws of what the strata may be like
        (`core.estimation.shrinkage.draws`; if strata are fine, `core.estimation.shrinkage.along_the_curve`):
        ``total`` is their median, ``least`` and ``most`` their 3 % and 97 % quantiles; how often they hold what is
        true: docs/method.md, 6.4. For unbounded losses each stratum has its estimated variance, or the pooled one if
        its labels agree, and the range comes from an 80 % interval of the variance (χ², Satterthwaite). No budget is
        below the smallest sample of the design that holds the labels at hand: what is missing comes first.

    Raises
    ------
    DesignError
        The wanted half-width is not above 0, or 1 or more for losses in [0, 1], or the labels give no variance.
    """
    if not 0 < half_width < math.inf:
        raise DesignError(f"The half-width must be above 0, such as 0.03. Found {half_width}.")
    if interval.bounded and half_width >= 1:
        raise DesignError(f"The half-width must be below 1. Found {half_width:g}. Give ±5 points as 0.05.")
    if math.isnan(sample.variance if in_waves is None else in_waves.variance):
        raise DesignError("One label per stratum gives no variance to plan from. Label more items first.")
    if not interval.bounded and not sample.variance > 0 and not sample.census:
        raise DesignError("The labels of each stratum agree and give no variance to plan from. Label more items first.")
    labels = sample.n_labels
    if current is None:
        now = (sample if in_waves is None else in_waves).estimate(interval)
        current = (now.high - now.low) / 2
    if current <= half_width:
        return TopUp(half_width, current, labels, 0, labels, labels, True)
    weight = np.asarray(weights, dtype=np.float64)
    turn = np.arange(weight.size) if turns is None else np.asarray(turns, dtype=np.int64)
    ends = _NEEDED_ENDS if interval.bounded else _ENDS
    drawn = foreseen(sample, interval) if known is None else known()

    def halves(rows: Whole, budgets: Whole) -> tuple[Array, NDArray[np.bool_]]:
        every, place = np.unique(budgets, return_inverse=True)
        counts = allocate_many(weight[turn], sample.sizes[turn], every)[:, np.argsort(turn)][place]
        guesses = drawn.means[rows], drawn.variances[rows]
        halves = half_widths(sample.sizes, counts, *guesses, interval, sample.binary, in_waves, sample.weighing)
        return halves, np.asarray((counts >= sample.counts).all(axis=1))

    least, total, most = _fewest(halves, half_width, (labels, int(sample.sizes.sum())), len(drawn.means), ends)
    # The labels at hand are known not to suffice.
    total = max(total, labels + 1)
    return TopUp(half_width, current, total, total - labels, min(least, total), max(most, total), False)


def foreseen(sample: Sample, interval: Interval) -> StrataDraws:
    """Return means and variances that further labels may find, (D, H) each.

    They are draws; without bounds the lower end, the middle and the upper end of a range.
    """
    if interval.bounded:
        from_strata = along_the_curve if fine(sample.counts) else draws
        return from_strata(sample.losses, sample.strata, sample.sizes)
    df = sample.counts - 1
    pooled = float((sample.variances * df).sum() / max(int(df.sum()), 1))
    likely = np.where(sample.variances > 0, sample.variances, pooled)
    factors = np.ones(3)
    if sample.variance > 0:
        nu = sample.satterthwaite_df
        factors = np.array([nu / float(chdtri(nu, _ENDS[0])), 1.0, nu / float(chdtri(nu, _ENDS[2]))])
    return StrataDraws(np.tile(sample.means, (3, 1)), factors[:, None] * likely)


def top_up_carried(
    weights: ArrayLike,
    carried: CarriedSample,
    half_width: float,
    shares: Callable[[int], tuple[int, int]],
    interval: Interval = DEFAULT,
    current: float | None = None,
) -> TopUp:
    """Fewest labels for a wanted half-width if verdicts were carried over; further audits find as many wrong ones.

    Parameters
    ----------
    weights : (H,) float
        Weights of the open items' strata.
    carried : CarriedSample
        The labels at hand.
    half_width, interval, current
        As in `top_up`.
    shares : callable
        From a budget to its labels of open and of known items (`core.design.known_verdicts.Carried.shares`).

    Raises
    ------
    DesignError
        As `top_up`.
    """
    if not 0 < half_width < 1:
        raise DesignError(f"The half-width must lie between 0 and 1, such as 0.03. Found {half_width:g}.")
    estimate = carried.estimate(interval)
    now = (estimate.high - estimate.low) / 2 if current is None else current
    labels = carried.n_labels
    if now <= half_width:
        return TopUp(half_width, now, labels, 0, labels, labels, True)
    part, rate, share = carried.open, carried.audited, carried.share
    if part is not None and math.isnan(part.variance):
        raise DesignError("One label per stratum gives no variance to plan from. Label more items first.")
    drawn = StrataDraws(np.zeros((1, 0)), np.zeros((1, 0))) if part is None else foreseen(part, interval)

    def halves(rows: Whole, budgets: Whole) -> tuple[Array, NDArray[np.bool_]]:
        every, place = np.unique(budgets, return_inverse=True)
        split = np.array([shares(int(budget)) for budget in every])[place]
        of_open = np.zeros(rows.size)
        if part is not None:
            of_each, among = np.unique(np.maximum(split[:, 0], part.sizes.size), return_inverse=True)
            counts = allocate_many(weights, part.sizes, of_each)[among]
            guesses = drawn.means[rows], drawn.variances[rows]
            of_open = (1 - share) * half_widths(part.sizes, counts, *guesses, interval, part.binary)
        audits = np.maximum(split[:, 1] + carried.log.n, 1)
        scale = audits / max(rate.n, 1)
        beside = np.zeros((2, rows.size))
        if not carried.follows:
            ends = carried.distances(interval, audits, rate.up * scale, rate.down * scale)
            beside = np.where(split[:, 1] >= carried.known, 0.0, share * np.stack(ends))
        limits = recovered(0.0, (of_open, of_open), (beside[0], beside[1]))
        return (limits.high - limits.low) / 2, np.ones(rows.size, dtype=bool)

    least, total, most = _fewest(halves, half_width, (labels + 1, carried.n_items), len(drawn.means), _NEEDED_ENDS)
    return TopUp(half_width, now, total, total - labels, least, most, False)


def half_widths(
    sizes: NDArray[np.int64],
    counts: NDArray[np.int64],
    means: Array,
    variances: Array,
    interval: Interval,
    binary: bool,
    in_waves: Waves | None = None,
    weighing: Weighing | None = None,
) -> Array:
    """Half-widths (D,) to expect of labels in strata whose means and variances are known.

    They are those of the sample to expect, in which m_h p_h labels of a stratum are 1, times what labels of a sample
    differ less from each other than that.

    Parameters
    ----------
    sizes : (H,) int
        Items N_h.
    counts : (H,) or (D, H) int
        Labels m_h.
    means, variances : (D, H) float
        ℓ̄_h and s_h².
    interval : Interval
        How limits are made.
    binary : bool
        As in `Interval.of_moments`.
    in_waves : Waves, optional
        As in `top_up`.
    weighing : Weighing, optional
        If items count by their weights: means and variances are then in units of its scale.
    """
    m, share = np.broadcast_to(counts, means.shape), None if weighing is None else weighing.share
    half, width_of = np.zeros(len(means)), np.ones(1)
    some = (m < sizes).any(axis=1)
    if not some.any():
        return half
    means, variances = means[some], variances[some]
    counts = counts if np.ndim(counts) == 1 else np.asarray(counts)[some]
    m = m[some]
    if in_waves is not None:
        limits = in_waves.extended(m[:, 1:], means[:, 1:], variances[:, 1:], interval, binary)
    elif interval.tilted:
        waves = 0 if weighing is None else weighing.bands
        limits = interval.of_moments(counts, sizes, means, variances, binary, waves=waves, weights=share)
        width_of = _of_samples(m, sizes, means, variances, share)
    else:
        terms, df = variance_terms(m, variances, sizes, weights=share), m.sum(axis=1) - sizes.size
        if not interval.bounded:
            df = satterthwaite(terms, np.maximum(m - 1, 1))
        value = means @ sizes / sizes.sum() if weighing is None else means @ weighing.share + weighing.shift
        value = np.clip(value, 0.0, 1.0) if interval.bounded else value
        limits = interval.limits(value, terms.sum(axis=1), m.sum(axis=1), df)
    width = width_of * (limits.high - limits.low) / 2
    # One label in each stratum shows no variance.
    half[some] = np.where((m > 1).any(axis=1), width, 0.5) if interval.bounded else width
    return half


def _of_samples(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], means: Array, variances: Array, weights: Array | None
) -> Array:
    """Mean half-width of samples over that of the sample to expect, (D,).

    Of m labels with a + b imagined ones at their mean, the mean varies by m s²/(m + a + b)², which their law lacks.
    """
    terms = variance_terms(counts, variances, sizes, weights=weights)
    imagined = IMAGINED.at_curve + IMAGINED.pooled(counts.astype(np.float64))
    lost = counts * (1 - counts / sizes) / (counts + imagined) ** 2
    total = terms.sum(axis=1)
    return np.asarray(np.sqrt(1 - (terms * lost).sum(axis=1) / np.where(total > 0, total, 1.0)))


def _fewest(
    halves: Callable[[Whole, Whole], tuple[Array, NDArray[np.bool_]]],
    half_width: float,
    ends: tuple[int, int],
    rows: int,
    quantiles: tuple[float, ...],
) -> list[int]:
    """Fewest labels in all at the quantiles of rows of what strata may be like.

    Each row that may be one of the quantiles is bisected: the half-width falls with each further label, about as the
    root of 1/M − 1/N, which narrows the range first.

    Parameters
    ----------
    halves : callable
        From rows (R,) and a number of labels for each to half-widths, and whether a list may have so few labels.
    half_width : float
        The wanted one.
    ends : (int, int)
        The fewest and the most labels there may be; the most are all items.
    rows : int
        How many there are.
    quantiles : tuple of float
        In (0, 1).
    """
    low, high = (np.full(rows, end, dtype=np.int64) for end in ends)
    likely, items = np.full(rows, 2.0 * ends[0]), ends[1]
    places = np.ceil(np.array(quantiles) * rows).astype(np.int64) - 1
    for step in itertools.count():
        least, most = np.sort(low)[places], np.sort(high)[places]
        if np.all(least == most):
            break
        chosen = np.flatnonzero(
            (low < high) & ((low[:, None] <= most) & (high[:, None] >= least) & (least < most)).any(axis=1)
        )
        middle = (low[chosen] + high[chosen]) // 2
        if step < _GUESSES:
            middle = np.clip(likely[chosen].astype(np.int64), low[chosen], high[chosen] - 1)
        found, possible = halves(chosen, middle)
        enough = (found <= half_width) & possible
        low[chosen], high[chosen] = np.where(enough, low[chosen], middle + 1), np.where(enough, middle, high[chosen])
        left = (1 / middle - 1 / items) * (half_width / np.maximum(found, half_width / items)) ** 2
        # A little beyond, so that the next look closes the other side.
        likely[chosen] = (1 - _BEYOND * (2 * enough - 1)) / (left + 1 / items)
    fewest: list[int] = least.tolist()
    return fewest
