"""Labels needed for an interval of a wanted width, of the same design (docs/method.md, 6.4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri

from ..allocation.optimum import allocate_many
from ..errors import DesignError
from ..words import counted
from . import shrinkage
from .carried import CarriedSample, carried_limits
from .intervals import WILSON, Interval, Limits
from .mean import Sample
from .samples import Samples
from .smoothing import along_the_curve
from .variance import fine
from .waves import Waves

Array = NDArray[np.float64]

# The ends of an 80 % range and its middle, as quantiles of a χ² distribution.
_ENDS = (0.1, 0.5, 0.9)
# Quantiles of draws of the strata whose range holds the truth in 80 % of samples or more.
_NEEDED_ENDS = (0.03, 0.5, 0.97)
# Budgets at which intervals of imagined labels are held against their formula, and how many samples at each.
_BUDGETS, _IMAGINED = 12, 100
# Of variances of estimates, so that nothing is divided by 0.
_TINY = 1e-12


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

    def __repr__(self) -> str:
        said = ", ".join(filter(None, (self.more, self.depends, f"{self.total:,} in all")))
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
    interval: Interval = WILSON,
    current: float | None = None,
    in_waves: Waves | None = None,
    turns: ArrayLike | None = None,
    known: Callable[[], Foreseen] | None = None,
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
        The interval as planned; if it leaves open whether it is conservative, the labels at hand decide.
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
        (`core.estimation.shrinkage.draws`; if strata are fine, `core.estimation.smoothing.along_the_curve`):
        ``total`` is their median, ``least`` and ``most`` their 3 % and 97 % quantiles, in fine strata 10 % and 90 %;
        how often they hold what is true: docs/method.md, 6.4. For unbounded losses
        each stratum has its estimated variance, or the pooled one if its labels agree, and the range comes from an
        80 % interval of the variance (χ², Satterthwaite). No budget is below the smallest sample of the design that
        holds the labels at hand: what is missing comes first.

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
    widens = interval.widens(sample.counts, sample.sizes) if in_waves is None else in_waves.widens(interval)
    planned = replace(interval, conservative=widens)
    if current is None:
        moments = (sample.counts[None], sample.means[None], sample.variances[None])
        current = float(half_widths(sample.sizes, *moments, planned, in_waves)[0])
    if current <= half_width:
        return TopUp(half_width, current, labels, 0, labels, labels, True)
    weight, turn = _ordered(weights, turns)
    ends = _ENDS if fine(sample.counts) or not interval.bounded else _NEEDED_ENDS
    guesses, wider = foreseen(weights, sample, interval, in_waves, turns) if known is None else known()
    least, total, most = _fewest(weight, turn, sample, *guesses, half_width, planned, in_waves, wider, ends).tolist()
    # The labels at hand are known not to suffice.
    total = max(total, labels + 1)
    return TopUp(half_width, current, total, total - labels, min(least, total), max(most, total), False)


def foreseen(
    weights: ArrayLike,
    sample: Sample,
    interval: Interval,
    in_waves: Waves | None = None,
    turns: ArrayLike | None = None,
) -> Foreseen:
    """What further labels may find, and how much wider that makes intervals; parameters as of `top_up`."""
    guesses = _guesses(sample, interval.bounded)
    if in_waves is not None or interval.conservative is not None or interval.widens(sample.counts, sample.sizes):
        return guesses, None
    return guesses, _wider(*_ordered(weights, turns), sample, guesses[0], interval)


def _ordered(weights: ArrayLike, turns: ArrayLike | None) -> tuple[Array, NDArray[np.int64]]:
    weight = np.asarray(weights, dtype=np.float64)
    return weight, np.arange(weight.size) if turns is None else np.asarray(turns, dtype=np.int64)


def top_up_carried(
    weights: ArrayLike,
    carried: CarriedSample,
    half_width: float,
    shares: Callable[[int], tuple[int, int]],
    interval: Interval = WILSON,
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
        From a budget to its labels of open and of known items (`core.design.carried.Carried.shares`).

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
    planned = replace(interval, conservative=part is not None and interval.widens(part.counts, part.sizes))
    guesses = None if part is None else _guesses(part, bounded=True)
    rows = 1 if guesses is None else len(guesses[0])
    low, high = np.full(rows, labels + 1), np.full(rows, carried.n_items)
    while np.any(low < high):
        middle = (low + high) // 2
        budgets, place = np.unique(middle, return_inverse=True)
        split = np.array([shares(int(budget)) for budget in budgets])[place]
        of_open = np.zeros(rows)
        if part is not None and guesses is not None:
            of_each, among = np.unique(np.maximum(split[:, 0], part.sizes.size), return_inverse=True)
            counts = allocate_many(weights, part.sizes, of_each)[among]
            of_open = (1 - share) * half_widths(part.sizes, counts, *guesses, planned)
        audits = np.maximum(split[:, 1] + carried.log.n, 1)
        scale = audits / max(rate.n, 1)
        wrong = (rate.up * scale, rate.down * scale)
        sure = np.full(rows, carried.follows) | (split[:, 1] >= carried.known)
        uncertain = np.where(sure, 0.0, share)
        limits = carried_limits(0.0, (of_open, of_open), uncertain, audits, wrong, carried.level(interval))
        enough = (limits.high - limits.low) / 2 <= half_width
        low, high = np.where(enough, low, np.minimum(middle + 1, high)), np.where(enough, middle, high)
    least, total, most = np.quantile(low, _NEEDED_ENDS, method="inverted_cdf").tolist()
    return TopUp(half_width, now, total, total - labels, least, most, False)


def half_widths(
    sizes: NDArray[np.int64],
    counts: NDArray[np.int64],
    means: Array,
    variances: Array,
    interval: Interval,
    in_waves: Waves | None = None,
) -> Array:
    """Half the widths (D,) of the intervals of labels in strata whose means and variances are known.

    Parameters
    ----------
    sizes : (H,) int
        Items N_h.
    counts : (D, H) int
        Labels m_h.
    means, variances : (D, H) float
        ℓ̄_h and s_h².
    interval : Interval
        How limits are made; widened only if it is conservative.
    in_waves : Waves, optional
        As in `top_up`.
    """
    limits = (
        _limits(sizes, counts, means, variances, interval)
        if in_waves is None
        else in_waves.extended(counts[:, 1:], means[:, 1:], variances[:, 1:], interval)
    )
    return np.asarray(np.where((counts == sizes).all(axis=1), 0.0, (limits.high - limits.low) / 2))


def _limits(
    sizes: NDArray[np.int64], counts: NDArray[np.int64], means: Array, variances: Array, interval: Interval
) -> Limits:
    """Limits (D,) of one wave, as in `half_widths`."""
    variance, df, _ = interval.variance(counts, sizes, means, variances, bool(interval.conservative))
    value = means @ sizes / sizes.sum()
    return interval.limits(np.clip(value, 0.0, 1.0) if interval.bounded else value, variance, counts.sum(axis=1), df)


def _fewest(
    weights: Array,
    turn: NDArray[np.int64],
    sample: Sample,
    means: Array,
    variances: Array,
    half_width: float,
    interval: Interval,
    in_waves: Waves | None,
    wider: _Wider | None,
    quantiles: tuple[float, ...],
) -> NDArray[np.int64]:
    """Fewest labels in all, those at hand among them, at the quantiles of rows of means and variances (D, H).

    Each row that may be one of the quantiles is bisected: the half-width falls with each further label, but where
    strata cease to be fine, which is looked at first.
    """
    low = np.full(len(means), sample.n_labels, dtype=np.int64)
    high = np.full(len(means), int(sample.sizes.sum()), dtype=np.int64)
    places = np.ceil(np.array(quantiles) * len(means)).astype(np.int64) - 1

    def look(rows: NDArray[np.int64], middle: NDArray[np.int64]) -> None:
        budgets, place = np.unique(middle, return_inverse=True)
        counts = _shared(weights, turn, sample, budgets)[place]
        halves = half_widths(sample.sizes, counts, means[rows], variances[rows], interval, in_waves)
        enough = (halves * wider(middle) if wider else halves) <= half_width
        enough &= (counts >= sample.counts).all(axis=1)
        low[rows], high[rows] = np.where(enough, low[rows], middle + 1), np.where(enough, middle, high[rows])

    for jump in wider.jumps if wider else ():
        look(np.arange(len(means)), np.full(len(means), jump))
    while True:
        least, most = np.sort(low)[places], np.sort(high)[places]
        if np.all(least == most):
            return np.asarray(least)
        rows = np.flatnonzero(
            (low < high) & ((low[:, None] <= most) & (high[:, None] >= least) & (least < most)).any(axis=1)
        )
        look(rows, (low[rows] + high[rows]) // 2)


def _shared(weights: Array, turn: NDArray[np.int64], sample: Sample, budgets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Labels (B, H) of each stratum with each budget."""
    return allocate_many(weights[turn], sample.sizes[turn], budgets)[:, np.argsort(turn)]


@dataclass(frozen=True, slots=True)
class _Wider:
    """How many times as wide as by their formula intervals of more labels are, by what these say of rare losses.

    Parameters
    ----------
    budgets : (B,) int
        Labels in all.
    width : callable
        The mean width of the intervals of imagined labels at one of the budgets, by its place.
    formula : (B,) float
        What `half_widths` says of the pool they come from.
    jumps : (0,) or (1,) int
        The last budget with which strata are fine: with one label more, intervals may be wider.
    """

    budgets: NDArray[np.int64]
    width: Callable[[int], float]
    formula: Array
    jumps: NDArray[np.int64]
    _ratios: dict[int, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __call__(self, labels: NDArray[np.int64]) -> Array:
        """How many times as wide intervals of so many labels are, (…), by the budgets on either side."""
        left = np.clip(np.searchsorted(self.budgets, labels, side="right") - 1, 0, self.budgets.size - 1)
        # Most budgets are looked at for no number of labels, and each takes a while.
        for place in {*left.tolist(), *np.minimum(left + 1, self.budgets.size - 1).tolist()} - self._ratios.keys():
            self._ratios[place] = self.width(place) / (2 * float(self.formula[place]))
        ratios = [self._ratios.get(place, math.nan) for place in range(self.budgets.size)]
        return np.interp(labels, self.budgets, ratios)


# Means and variances that further labels may find, and how much wider than by their formula intervals are.
Foreseen: TypeAlias = tuple[tuple[Array, Array], "_Wider | None"]


def _wider(weights: Array, turn: NDArray[np.int64], sample: Sample, means: Array, interval: Interval) -> _Wider | None:
    """How much wider than `half_widths` the intervals are; None unless losses are 0 and 1 and limits Wilson's."""
    if not interval.bounded or interval.name != "wilson" or not np.isin(sample.losses, (0, 1)).all():
        return None
    ends = max(sample.n_labels, sample.sizes.size), int(sample.sizes.sum())
    few = np.arange(ends[0], ends[1])[: 4 * sample.sizes.size]
    jumps = ends[0] + np.flatnonzero(np.diff(fine(_shared(weights, turn, sample, few))))
    budgets = np.unique([*np.geomspace(*ends, _BUDGETS).astype(np.int64)[:-1], *jumps, *(jumps + 1)])
    allocations, sizes = _shared(weights, turn, sample, budgets), sample.sizes
    ones, rng = np.rint(means.mean(axis=0) * sizes).astype(np.int64), np.random.default_rng(0)
    spread = ones * (sizes - ones) / sizes / np.maximum(sizes - 1, 1)
    risk, spread = (np.tile(of_each, (budgets.size, 1)) for of_each in (ones / sizes, spread))
    formula = half_widths(sizes, allocations, risk, spread, replace(interval, conservative=False))
    every = [rng.hypergeometric(ones, sizes - ones, counts, (_IMAGINED, counts.size)) for counts in allocations]

    def mean_width(place: int) -> float:
        counts, drawn = allocations[place], every[place]
        table = Samples(counts, sizes, drawn / counts, drawn * (counts - drawn) / counts).estimates(interval)
        width, off = (table["high"] - table["low"]).to_numpy(), table["value"].to_numpy() - ones.sum() / sizes.sum()
        # Widths follow the values, whose mean is known.
        slope = np.cov(off, width)[0, 1] / max(off.var(ddof=1), _TINY)
        return float(width.mean() - slope * off.mean())

    return _Wider(budgets, mean_width, formula, jumps)


def _guesses(sample: Sample, bounded: bool) -> tuple[Array, Array]:
    """Means and variances that further labels may find: draws; without bounds the range's lower end, middle, upper."""
    if bounded:
        from_strata = along_the_curve if fine(sample.counts) else shrinkage.draws
        drawn = from_strata(sample.losses, sample.strata, sample.sizes)
        return drawn.means, drawn.variances
    df = sample.counts - 1
    pooled = float((sample.variances * df).sum() / max(int(df.sum()), 1))
    likely = np.where(sample.variances > 0, sample.variances, pooled)
    factors = np.ones(3)
    if sample.variance > 0:
        nu = sample.satterthwaite_df
        factors = np.array([nu / float(chdtri(nu, _ENDS[0])), 1.0, nu / float(chdtri(nu, _ENDS[2]))])
    return np.tile(sample.means, (3, 1)), factors[:, None] * likely
