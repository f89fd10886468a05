"""Frames that designs are cut from before any label: a pool with its signal, or an assumed one without a pool.

Strata depend on the signal and the budget alone, never on what is believed. Each design at each budget is therefore cut
once, and kept as the numbers of items that each stratum has at each level of the signal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..allocation import ways
from ..allocation.ways import EQUAL, PROXY_NEYMAN, UNIFORM
from ..design.design import Design
from ..design.recommend import fine, recommend
from ..design.scheme import PAPER, Scheme, check_follows_weights, pool_profile, whole
from ..errors import DesignError
from ..estimation.intervals import DEFAULT, Interval
from ..estimation.mean import Weighing
from ..estimation.top_ups import half_widths
from ..estimation.variance import variance_terms
from ..estimation.weighting import WeightedStrata
from ..pool.pool import Pool
from ..stratification.equal_mass import bands
from ..stratification.profiles import EQUAL_MASS, Profile, Stratification, signal_profile
from ..words import PER_CENT

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

METHODS = (UNIFORM.name, PROXY_NEYMAN.name, ways.RECOMMENDED.name)
# Strata that are chosen, and stay whatever the budget.
CHOSEN = ways.CHOSEN.name
# The design of a gate that is looked at early. More strata leave betting less to learn.
GATE, GATE_STRATA = ways.GATE.name, 3
# What "very many" items are: the finite-population correction is gone.
VERY_MANY = 10**9
# Items that stand for all of a larger pool, evenly along the signal.
_REPRESENTATIVES = 20_000
# Levels of a signal that beliefs tell apart.
_LEVELS = 1000
# Of predicted risks, which count by their log-odds.
_LEAST_RISK = 0.001
# The assumed signal: the surrogate agrees with itself on 7 of 15 items; on the others the signal is spread evenly and
# the self-consistency falls from 1 to 0.4.
_AGREEING, _LEAST_CONSISTENCY, _ASSUMED_ITEMS = 7 / 15, 0.4, 6000
TYPICAL = "what is usually known of the items beforehand (a signal)"
ASSUMED = f"{TYPICAL}, equal on 47{PER_CENT} of them and spread evenly over the others"


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Strata of a pool that stay whatever the budget, such as those of a plan.

    Parameters
    ----------
    scheme : Scheme
        Of one wave: how labels are shared among them.
    strata : Stratification
        The H strata.
    stratum : (N,) int, or Profile
        Stratum of each item; or the profile that the strata are of, in which it is looked up.

    Raises
    ------
    DesignError
        The scheme has two waves.
    """

    scheme: Scheme
    strata: Stratification
    stratum: Whole | Profile

    def at(self, places: Whole | None = None) -> Whole:
        """Stratum of the items at these places, (n,), or of all, (N,)."""
        if isinstance(self.stratum, Profile):
            return self.stratum.stratum(self.strata, places)
        return self.stratum if places is None else self.stratum[places]

    def __post_init__(self) -> None:
        if self.scheme.in_waves:
            raise DesignError("Two waves cannot be forecast: the second follows the labels of the first.")


@dataclass(frozen=True, slots=True, eq=False)
class SamplingFrame:
    """N items with what is known of each before any label.

    Parameters
    ----------
    n_items : int
        N; `VERY_MANY` if the pool has no end.
    profile : Profile
        Of the recommended design's signal: n ≤ N items that stand for all.
    paper : Profile or None
        Of semantic entropy for the same items; None if it is not known.
    scheme : Scheme
        The recommended design's signal; its strata follow the budget (`core.design.fine`).
    signal : str
        The signal in words.
    values, items : (G,) float
        Levels of the signal that beliefs tell apart, ascending, and the items at each. Of a predicted risk, its
        log-odds.
    level : (n,) int
        Level of each item.
    places : (n,) int
        Places in the pool of the items that stand for all, ascending.
    chosen : Partition or None
        Strata to be forecast beside the designs.
    """

    n_items: int
    profile: Profile
    paper: Profile | None
    scheme: Scheme
    signal: str
    values: Array
    items: Array
    level: Whole
    places: Whole
    chosen: Partition | None = None

    @property
    def methods(self) -> tuple[str, ...]:
        """Designs that this frame allows, of `METHODS`, and `CHOSEN` if it has them."""
        # The paper's strata do not follow weights.
        paper = self.paper is not None and self.profile.weight is None
        known = tuple(one for one in METHODS if one != PROXY_NEYMAN.name or paper)
        return known if self.chosen is None else (*known, CHOSEN)

    def least(self, method: str) -> int:
        """Fewest labels that a method allows."""
        return self.chosen.strata.n_strata if method == CHOSEN and self.chosen is not None else 1

    @property
    def agreeing(self) -> float:
        """Share of the items on which the surrogate agrees with itself; NaN if that is not known."""
        return math.nan if self.paper is None else self.paper.agreeing

    def __repr__(self) -> str:
        many = "very many" if self.n_items >= VERY_MANY else f"{self.n_items:,}"
        return f"SamplingFrame of {many} items by {self.signal}"


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Strata of a design at one budget, with their labels.

    Parameters
    ----------
    counts, sizes : (H,) int
        Labels m_h and items N_h.
    first : (H,) int
        First of each stratum's entries in ``level``.
    level : (E,) int
        Levels of the signal at which a stratum has items, the first stratum first.
    share : (E,) float
        Share of the stratum's items that are at the level; with weights Σ w/(N_h u_h), u_h the largest of the stratum.
    squared : (E,) float or None
        With weights Σ (w/u_h)²/N_h of the items that are at the level.
    weighing : Weighing or None
        Scale of the strata if items count by their weights.
    """

    counts: Whole
    sizes: Whole
    first: Whole
    level: Whole
    share: Array
    squared: Array | None = None
    weighing: Weighing | None = None

    def moments(self, p: Array) -> tuple[Array, Array]:
        """Mean of p in each stratum and expected variance E[S_h²] of independent Bernoulli losses, both (…, H).

        Parameters
        ----------
        p : (…, G) float
            Probability of failing at each level.

        Notes
        -----
        E[S_h²] = mean(p(1 − p)) + Σ (p − p̄_h)²/(N_h − 1) (docs/planning.md, 2); with weights of (w/u_h) ℓ.
        """
        at, second = p[..., self.level], self.share if self.squared is None else self.squared
        means = np.add.reduceat(self.share * at, self.first, axis=-1)
        both = means if self.squared is None else np.add.reduceat(second * at, self.first, axis=-1)
        squares = np.add.reduceat(second * at**2, self.first, axis=-1)
        between = np.maximum(squares - means**2, 0.0) * self.sizes / np.maximum(self.sizes - 1, 1)
        return means, np.where(self.sizes > 1, np.maximum(both - squares, 0.0) + between, 0.0)

    def mse(self, p: Array) -> float:
        """Expected squared error under independent Bernoulli losses, exact."""
        weights = None if self.weighing is None else self.weighing.share
        return float(variance_terms(self.counts, self.moments(p)[1], self.sizes, weights=weights).sum())

    def half_width(self, p: Array | None, interval: Interval = DEFAULT) -> float:
        """Half-width of the interval at the expected means and variances of a belief (G,).

        None if nothing is believed: each stratum is then half right and half wrong.
        """
        return float(self._half_widths(*(self._halves if p is None else self.moments(p[None])), interval)[0])

    def with_worst(self, p: Array, interval: Interval = DEFAULT) -> Array:
        """`half_width` of several beliefs (D, G), and that of none after them, (D + 1,)."""
        means, variances = (np.concatenate(both) for both in zip(self.moments(p), self._halves, strict=True))
        return self._half_widths(means, variances, interval)

    @property
    def _halves(self) -> tuple[Array, Array]:
        if self.squared is not None:
            return self.moments(np.full((1, int(self.level.max()) + 1), 0.5))
        variances = 0.25 * self.sizes / np.maximum(self.sizes - 1, 1)
        return np.full((1, self.sizes.size), 0.5), variances[None]

    def _half_widths(self, means: Array, variances: Array, interval: Interval) -> Array:
        binary = self.weighing is None
        return half_widths(self.sizes, self.counts, means, variances, interval, binary, weighing=self.weighing)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedMean(Layout):
    """The weighted mean Σ w ℓ/Σ w of items that are drawn uniformly: of it as many labels of the mean of w (ℓ − θ).

    ``share`` is then Σ w/N of the items at each level, and ``squared`` Σ w²/N.
    """

    def moments(self, p: Array) -> tuple[Array, Array]:
        """θ and the variance of w (ℓ − θ), both (…, 1); ``p`` as in `Layout`."""
        assert self.squared is not None
        at = p[..., self.level]
        mean = (self.share * at).sum(axis=-1, keepdims=True)
        variance = (self.squared * (at * (1 - 2 * mean) + mean**2)).sum(axis=-1, keepdims=True)
        return mean, variance * self.sizes / np.maximum(self.sizes - 1, 1)

    def _half_widths(self, means: Array, variances: Array, interval: Interval) -> Array:
        error = variance_terms(self.counts, variances, self.sizes).sum(axis=-1)
        labels = int(self.counts.sum())
        limits = interval.limits(means[:, 0], error, labels, labels - 1)
        return np.asarray((limits.high - limits.low) / 2)


def pool_frame(
    pool: Pool, target: str | None = None, past: Sequence[str] | None = None, *, parser: str | None = None
) -> SamplingFrame:
    """Frame of a pool. The losses of ``target`` are never looked at.

    Parameters
    ----------
    pool : Pool
        The pool.
    target, past, parser : optional
        As in `core.design.recommend`.

    Raises
    ------
    DesignError
        As `core.design.recommend`.
    """
    return design_frame(pool, recommend(pool, pool.n_items, target, past, parser=parser))


def design_frame(
    pool: Pool, design: Design, profile: Profile | None = None, chosen: Partition | None = None
) -> SamplingFrame:
    """Frame of a pool along the signal of a design.

    Parameters
    ----------
    pool : Pool
        The pool.
    design : Design
        Its signal counts, and its p̂; the budget does not.
    profile : Profile, optional
        Of the pool under the design's scheme, if it is known already.
    chosen : Partition, optional
        Strata to be forecast beside the design.
    """
    scheme = design.scheme
    along = pool_profile(pool, scheme, design.risk) if profile is None else profile
    paper = pool_profile(pool, replace(PAPER, parser=scheme.parser)) if pool.n_generations else None
    words = "nothing that is known" if scheme.uniform else scheme.sorted_by
    return frame(pool.n_items, along, paper, scheme, words, chosen)


def assumed_frame(n_items: int | None = None) -> SamplingFrame:
    """Frame without a pool: a signal that is assumed, of the kind that a typical surrogate gives.

    Parameters
    ----------
    n_items : int, optional
        N ≥ 2; None is very many.

    Raises
    ------
    DesignError
        There are fewer than 2 items.
    """
    size = VERY_MANY if n_items is None else whole("number of items", n_items, 2)
    n = min(size, _ASSUMED_ITEMS)
    place = (np.arange(n) + 0.5) / n
    signal = np.maximum(place - _AGREEING, 0.0) / (1 - _AGREEING)
    along = signal_profile(signal, 1 - (1 - _LEAST_CONSISTENCY) * signal)
    return frame(size, along, along, PAPER, ASSUMED)


def frame(
    n_items: int, profile: Profile, paper: Profile | None, scheme: Scheme, signal: str, chosen: Partition | None = None
) -> SamplingFrame:
    """Frame from profiles; of a pool of more than 20,000 items, as many stand for all.

    Parameters
    ----------
    n_items, profile, paper, scheme, signal, chosen
        As in `SamplingFrame`.
    """
    size = profile.signal.size
    places = np.arange(size)
    if size > _REPRESENTATIVES:
        along = np.argsort(profile.levels.member, kind="stable")
        member = np.zeros(size, dtype=bool)
        member[along[np.linspace(0, size - 1, _REPRESENTATIVES).astype(np.int64)]] = True
        if chosen is not None and not _represented(chosen, np.flatnonzero(member)):
            # Each of its strata needs an item that stands for it.
            member[np.unique(chosen.at(), return_index=True)[1]] = True
        places = np.flatnonzero(member)
        profile, paper = profile.subset(member), None if paper is None else paper.subset(member)
    level, values, items = _joined_levels(profile)
    if profile.risk is not None and values[0] >= 0 and values[-1] <= 1:
        p = np.clip(values, _LEAST_RISK, 1 - _LEAST_RISK)
        values = np.log(p / (1 - p))
    return SamplingFrame(n_items, profile, paper, scheme, signal, values, items, level, places, chosen)


def beside(items: SamplingFrame, chosen: Partition) -> SamplingFrame | None:
    """The same frame with strata to be forecast beside the designs; None if no item stands for one of them."""
    return replace(items, chosen=chosen) if _represented(chosen, items.places) else None


def _represented(chosen: Partition, places: Whole) -> bool:
    return bool(np.bincount(chosen.at(places), minlength=chosen.strata.n_strata).all())


@lru_cache(maxsize=256)
def layout(frame: SamplingFrame, method: str, budget: int) -> Layout:
    """Strata and labels of a method at a budget.

    Parameters
    ----------
    frame : SamplingFrame
        The items.
    method : str
        One of `METHODS`, `CHOSEN` or `GATE`. The paper's design has no more strata than labels.
    budget : int
        M, 1 ≤ M ≤ N, and M ≥ H for `CHOSEN`.

    Raises
    ------
    DesignError
        The budget is out of its range, or the frame does not allow the method.
    """
    labels = whole("number of labels", budget, 1)
    if labels > frame.n_items:
        raise DesignError(f"A budget of {labels:,} is more than the {frame.n_items:,} items of the pool.")
    if method == UNIFORM.name:
        n_levels = frame.items.size
        sizes, share = np.array([frame.n_items]), frame.items / frame.items.sum()
        if frame.profile.weight is not None:
            return _weighted_mean(frame, labels)
        return Layout(np.array([labels]), sizes, np.zeros(1, dtype=np.int64), np.arange(n_levels), share)
    if method == CHOSEN and frame.chosen is not None:
        known = frame.chosen
        counts, stratum = known.scheme.allocate(known.strata, labels), known.at(frame.places)
        if frame.profile.weight is not None:
            check_follows_weights(known.scheme)
            among = _of_weights(frame.profile.weight, stratum, known.scheme)
            return _weighted(frame, counts, known.strata.sizes, among)
        return _crossed(frame, counts, known.strata.sizes, stratum)
    if method == PROXY_NEYMAN.name and frame.paper is not None:
        profile, scheme = frame.paper, replace(PAPER, n_strata=min(PAPER.n_strata, labels))
    elif method == ways.RECOMMENDED.name:
        profile, scheme = frame.profile, fine(frame.scheme, labels, frame.n_items)
    elif method == GATE:
        profile, scheme = frame.profile, gate_scheme(frame.scheme)
    else:
        raise DesignError(f"No forecast of “{method}” is possible here. Choose one of {', '.join(frame.methods)}.")
    strata = scheme.stratify(profile)
    scaled = _scaled(strata, frame.n_items)
    counts, stratum = _allocated(scheme, scaled, labels), profile.stratum(strata)
    if profile.weight is not None:
        return _weighted(frame, counts, scaled.sizes, _of_weights(profile.weight, stratum, scheme))
    return _crossed(frame, counts, scaled.sizes, stratum)


def _crossed(frame: SamplingFrame, counts: Whole, sizes: Whole, stratum: Whole) -> Layout:
    """Layout of strata, from that of each item that stands for all, (n,)."""
    n_levels = frame.items.size
    items = np.bincount(stratum * n_levels + frame.level)
    occupied = np.flatnonzero(items)
    of = occupied // n_levels
    share = items[occupied] / np.bincount(stratum)[of]
    return Layout(counts, sizes, np.flatnonzero(np.diff(of, prepend=-1)), occupied % n_levels, share)


def _of_weights(weight: Array, stratum: Whole, scheme: Scheme) -> WeightedStrata:
    return WeightedStrata.of(weight, stratum, bands(weight, scheme.n_strata))


def _weighted(frame: SamplingFrame, counts: Whole, sizes: Whole, strata: WeightedStrata) -> Layout:
    """`_crossed` of strata whose items have weights."""
    plain, stratum = _crossed(frame, counts, sizes, strata.stratum), strata.stratum
    scaled = strata.scaled(np.ones(stratum.size))
    cell = stratum * frame.items.size + frame.level
    occupied = np.unique(cell)
    of = strata.sizes[occupied // frame.items.size]
    sums, squares = (np.bincount(cell, one)[occupied] / of for one in (scaled, scaled**2))
    nothing = np.empty(0)
    weighing = Weighing(strata.share, 0.0, 0.0, 1.0, nothing, nothing, strata.bands)
    return replace(plain, share=sums, squared=squares, weighing=weighing)


def _weighted_mean(frame: SamplingFrame, labels: int) -> WeightedMean:
    weight, n_levels = frame.profile.weight, frame.items.size
    assert weight is not None
    scaled = weight / weight.mean()
    sums, squares = (np.bincount(frame.level, one, n_levels) / scaled.size for one in (scaled, scaled**2))
    first, level = np.zeros(1, dtype=np.int64), np.arange(n_levels)
    return WeightedMean(np.array([labels]), np.array([frame.n_items]), first, level, sums, squares)


def _allocated(scheme: Scheme, strata: Stratification, labels: int) -> Whole:
    """As `Scheme.allocate`; equal shares at once if every stratum has room for its own."""
    each, rest = divmod(labels, strata.n_strata)
    if scheme.allocation != EQUAL.name or each == 0 or each + 1 > int(strata.sizes.min()):
        return scheme.allocate(strata, labels)
    counts = np.full(strata.n_strata, each, dtype=np.int64)
    counts[scheme.turns(strata)[:rest]] += 1
    return counts


def gate_scheme(scheme: Scheme) -> Scheme:
    """Coarse strata of equal mass along a scheme's signal, labels in turn; Uniform stays Uniform."""
    if scheme.uniform:
        return scheme
    return replace(scheme, stratifier=EQUAL_MASS, n_strata=GATE_STRATA, allocation=EQUAL.name, waves=1)


def _scaled(strata: Stratification, n_items: int) -> Stratification:
    """Strata of all items that a stratum's representatives stand for."""
    represented = strata.n_items
    if represented == n_items:
        return strata
    ends = np.rint(np.cumsum(strata.sizes) * (n_items / represented)).astype(np.int64)
    return replace(strata, sizes=np.diff(ends, prepend=0))


def _joined_levels(profile: Profile) -> tuple[Whole, Array, Array]:
    """Level of each item, and values and numbers of items of at most `_LEVELS` levels; no signal counts as the top."""
    levels = profile.levels
    counts = levels.counts.astype(np.float64)
    top = np.max(levels.values, initial=0.0, where=~np.isnan(levels.values))
    values = np.nan_to_num(levels.values, nan=float(top))
    joined = np.arange(values.size)
    if values.size > _LEVELS:
        middle = (np.cumsum(counts) - counts / 2) / counts.sum()
        joined = np.unique(np.floor(middle * _LEVELS), return_inverse=True)[1]
    items = np.bincount(joined, counts).astype(np.float64)
    return joined[levels.member].astype(np.int64), np.bincount(joined, counts * values) / items, items
