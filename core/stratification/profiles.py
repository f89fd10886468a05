"""A pool as stratification sees it: a signal and a self-consistency per item, reduced to the signal's distinct values.

Everything that a slider changes (stratifier, H, δ, budget) is computed from the few distinct values, so that a pool
of a million items answers as fast as one of a thousand.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..pool.class_counts import ClassCounts, blocks, class_counts, per_item, tally
from ..signals.entropy import self_consistency, semantic_entropy
from ..words.catalogue import Catalogue
from . import equal_mass
from .cuts import ADAPTIVE, CUTS, Levels, Stratifier, check_number, levels, stratify_levels
from .moments import Moments, moments

_EQUAL_MASS = Stratifier(
    name="equal-mass",
    title="Equal risk mass",
    about="fine parts of equal √(p̂(1−p̂)) + floor, which may split equal values by group (the recommended design's)",
    cut=None,
    choices=("floor",),
)
EQUAL_MASS = _EQUAL_MASS.name
STRATIFIERS = Catalogue("stratifier", (*CUTS.entries, _EQUAL_MASS))
# Without a calibrated risk the surrogate's own certainty stands in, and the floor is so many times as high.
_CAUTION = 5
# Beyond, fine strata are cut by sums over cells of equal items, which give the same strata up to rounding.
_MANY = 2_000_000


@dataclass(frozen=True, slots=True)
class Profile:
    """Signal and self-consistency of N items.

    Parameters
    ----------
    signal : (N,) float
        Ascending in risk, usually semantic entropy in nats; NaN if an item has none.
    consistency : (N,) float
        Self-consistency; NaN if an item has no generation.
    levels : Levels
        The signal's U distinct values.
    level_consistency : (U,) float
        Mean self-consistency at each of them; an item without generations counts as 1/2.
    risk : (N,) float or None
        Calibrated probability that the target fails an item, if there is one. Without it self-consistency decides
        the masses, with a floor five times as high: a surrogate may be certain and wrong.
    group : (N,) int or None
        Group of each item, 0 … G−1; None if the pool has no groups.
    weight : (N,) float or None
        Weight of each item, above 0; None if all count the same. Strata of equal mass are then cut in bands of items
        of like weight, and their masses are multiplied by it.
    """

    signal: NDArray[np.float64]
    consistency: NDArray[np.float64]
    levels: Levels
    level_consistency: NDArray[np.float64]
    risk: NDArray[np.float64] | None = None
    group: NDArray[np.int64] | None = None
    weight: NDArray[np.float64] | None = None
    _runs: dict[float, equal_mass.Runs] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def known(self) -> NDArray[np.float64]:
        """Signals of the items that have one."""
        return np.asarray(self.signal[np.isfinite(self.signal)])

    @property
    def mean(self) -> float:
        """Mean signal of the items that have one."""
        return float(np.nanmean(self.signal))

    @property
    def agreeing(self) -> float:
        """Share of the items on which all generations agree."""
        return float(np.mean(self.consistency == 1))

    def stratify(self, n_strata: int = 5, method: str = ADAPTIVE.name, floor: float = 1.0) -> Stratification:
        """Strata of the items.

        Parameters
        ----------
        n_strata : int
            H, the number of strata requested; at least 1.
        method : str
            One of `STRATIFIERS`: those of `core.stratification.stratify`, which keep equal signals together, or
            "equal-mass", which splits them by group and place in the pool.
        floor : float
            Of the masses of "equal-mass"; at least 0.

        Raises
        ------
        DesignError
            As `core.stratification.stratify`.
        """
        if STRATIFIERS[method].cut is None:
            return self._equal_mass(n_strata, floor)
        strata = stratify_levels(self.levels, n_strata, method)
        sizes = np.bincount(strata, weights=self.levels.counts)
        p = np.bincount(strata, weights=self.levels.counts * self.level_consistency) / sizes
        first = np.flatnonzero(np.diff(strata, prepend=-1))
        last = np.append(first[1:], strata.size) - 1
        # An item without a signal sits above every value: the stratum's range is that of the signals it has.
        top = np.where(np.isnan(self.levels.values[last]) & (last > first), last - 1, last)
        return Stratification(strata, sizes.astype(np.int64), p, self.levels.values[first], self.levels.values[top])

    def _equal_mass(self, n_strata: int, floor: float) -> Stratification:
        check_number(n_strata)
        if self.signal.size > _MANY and self.weight is None:
            return self._of_runs(n_strata, floor)
        order = equal_mass.order(self.levels, self.group, n_strata)
        if self.weight is not None:
            band = equal_mass.bands(self.weight, n_strata)
            order = equal_mass.order(self.levels, self.group, max(1, n_strata // (int(band.max()) + 1)))
            order = order[np.argsort(band[order], kind="stable")]
        certain, least = (self.consistency, _CAUTION * floor) if self.risk is None else (self.risk, floor)
        if certain is self.signal:
            mass = equal_mass.masses(self.levels.values, least)[self.levels.member[order]]
        else:
            mass = equal_mass.masses(certain, least)[order]
        if self.weight is None:
            strata = equal_mass.cut(mass, n_strata)
        else:
            strata = equal_mass.cut_in_bands(mass * self.weight[order], band[order], n_strata)
        first = np.r_[0, np.flatnonzero(strata[1:] != strata[:-1]) + 1]
        sizes, signal, p_sorted = np.diff(first, append=strata.size), self.signal[order], self.consistency[order]
        p = np.add.reduceat(np.where(np.isnan(p_sorted), 0.5, p_sorted), first) / sizes
        of_item = np.empty(strata.size, dtype=np.int64)
        of_item[order] = strata
        low, high = np.fmin.reduceat(signal, first), np.fmax.reduceat(signal, first)
        return Stratification(of_item, sizes.astype(np.int64), p, low, high, by_item=True)

    def _of_runs(self, n_strata: int, floor: float) -> Stratification:
        if floor not in self._runs:
            least = _CAUTION * floor if self.risk is None else floor
            self._runs.clear()
            self._runs[floor] = equal_mass.Runs.of(self.levels, self.group, self.consistency, self.risk, least)
        return FineStrata(self._runs[floor].cut(n_strata), self.levels.values)

    def stratum(self, strata: Stratification, places: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Stratum of each item, (N,), in strata of this profile; with ``places`` of the items there alone, (n,)."""
        if strata.by_item:
            return strata.of_level if places is None else strata.of_level[places]
        return strata.of_level[self.levels.member if places is None else self.levels.member[places]]

    def moments(self, losses: ArrayLike) -> Moments:
        """Moments of losses (N,) at each level of the signal, to be merged by `Stratification.of_level`."""
        return moments(losses, self.levels.member)

    def subset(self, member: NDArray[np.bool_]) -> Profile:
        """Profile of the items where ``member`` (N,) is True, as if they were the whole pool."""
        risk = None if self.risk is None else self.risk[member]
        group = None if self.group is None else self.group[member]
        part = signal_profile(self.signal[member], self.consistency[member], risk, group)
        return part if self.weight is None else replace(part, weight=self.weight[member])

    def __repr__(self) -> str:
        return f"Profile of {self.signal.size:,} items with {self.levels.values.size:,} distinct signals"


@dataclass(frozen=True, slots=True)
class Stratification:
    """H strata of a profile, ascending in the signal.

    Parameters
    ----------
    of_level : (U,) int
        Stratum of each level of the signal; with ``by_item`` (N,), the stratum of each item.
    sizes : (H,) int
        N_h ≥ 1.
    consistency : (H,) float
        p_h, the mean self-consistency.
    low, high : (H,) float
        Range of the signal; NaN if no item of the stratum has one.
    by_item : bool
        Whether strata split items of equal signal, so that each item has its own entry in ``of_level``.
    """

    of_level: NDArray[np.int64]
    sizes: NDArray[np.int64]
    consistency: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    by_item: bool = False

    @property
    def n_strata(self) -> int:
        """H, the number of strata that resulted."""
        return self.sizes.size

    @property
    def n_items(self) -> int:
        """N, the number of items."""
        return int(self.sizes.sum())

    def __repr__(self) -> str:
        table = pd.DataFrame(
            {"N_h": self.sizes, "p_h": self.consistency, "signal from": self.low, "to": self.high}
        ).to_string(float_format="{:.3f}".format, max_rows=20)
        return f"Stratification of {self.n_items:,} items\n{table}"


class FineStrata(Stratification):
    """Strata of equal mass of many items; their stratum takes much memory, and is found if it is asked for.

    Parameters
    ----------
    cut : FineCut
        The strata.
    values : (U,) float
        Of the signal's levels.
    """

    __slots__ = ("_cut", "_values")
    _cut: equal_mass.FineCut
    _values: NDArray[np.float64]

    def __init__(self, cut: equal_mass.FineCut, values: NDArray[np.float64]) -> None:
        low, high = cut.limits(values)
        given = {"sizes": cut.sizes, "consistency": cut.consistency, "low": low, "high": high, "by_item": True}
        for name, value in {**given, "_cut": cut, "_values": values}.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type[FineStrata], tuple[equal_mass.FineCut, NDArray[np.float64]]]:
        return type(self), (self._cut, self._values)

    @property
    def of_level(self) -> NDArray[np.int64]:
        """(N,) stratum of each item."""
        return self._cut.of_item()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The known losses of a target.

    Parameters
    ----------
    profile : Profile
        Of the items with a known loss, as if they were the whole pool.
    moments : Moments
        Of their losses at the levels of its signal.
    losses : (n,) float
        Their losses, n ≤ N.
    n_items : int
        N of the whole pool.
    """

    profile: Profile
    moments: Moments
    losses: NDArray[np.float64]
    n_items: int

    def moments_in(self, strata: Stratification) -> Moments:
        """Moments of the losses in strata of the profile."""
        if strata.by_item:
            return moments(self.losses, strata.of_level)
        return self.moments.merge(strata.of_level)

    @property
    def partial(self) -> bool:
        """Whether some items' losses are unknown."""
        return self.losses.size < self.n_items

    def __repr__(self) -> str:
        return f"Outcome on {self.losses.size:,} of {self.n_items:,} items, mean loss {self.moments.mean:.3f}"


def outcome(whole: Profile, losses: ArrayLike) -> Outcome | None:
    """Outcome of a target on a pool; None if no loss is known.

    Parameters
    ----------
    whole : Profile
        Of the pool.
    losses : (N,) float
        The target's losses, NaN if unknown.

    Raises
    ------
    DesignError
        There is not one loss for each item.
    """
    loss = np.asarray(losses, dtype=np.float64)
    if loss.shape != whole.signal.shape:
        raise DesignError(f"There are {loss.size} losses for {whole.signal.size} items. Give one loss for each item.")
    known = np.isfinite(loss)
    if not known.any():
        return None
    part, losses = (whole, loss) if known.all() else (whole.subset(known), loss[known])
    return Outcome(part, part.moments(losses), losses, loss.size)


def profile(classes: ArrayLike | ClassCounts, group: NDArray[np.int64] | None = None) -> Profile:
    """Profile of a pool from the meaning classes of its generations.

    Parameters
    ----------
    classes : (N, k) int or ClassCounts
        Meaning class of each generation, −1 where one is missing, or the sizes of the classes; N ≥ 1.
    group : (N,) int, optional
        Group of each item, 0 … G−1.

    Raises
    ------
    DesignError
        There are no items.
    """
    counts = classes if isinstance(classes, ClassCounts) else class_counts(classes)
    if counts.member.size == 0:
        return signal_profile(np.empty(0), np.empty(0))
    # The few divisions are sorted, not the items.
    each = replace(counts, member=np.arange(len(counts.distinct), dtype=np.int32))
    signal, distinct = semantic_entropy(counts), levels(semantic_entropy(each))
    member = per_item(distinct.member, counts.member)
    of_items = Levels(distinct.values, tally(member, distinct.values.size), member)
    consistency = self_consistency(counts)
    return Profile(signal, consistency, of_items, _level_consistency(consistency, of_items), None, group)


def stratum_table(
    strata: Stratification, allocation: ArrayLike, proxy: ArrayLike, outcome: Moments | None = None
) -> pd.DataFrame:
    """One row a stratum: what it holds, what it gets, and how well the proxy stands in for the truth.

    Parameters
    ----------
    strata : Stratification
        The H strata.
    allocation : (H,) int
        Labels m_h.
    proxy : (H,) float
        √(p_h(1−p_h)) + δ.
    outcome : Moments, optional
        Of the target's losses in the strata.

    Returns
    -------
    DataFrame
        stratum, se_low, se_high, items, share_of_pool, consistency, labels, share_of_budget, inclusion_probability,
        proxy, and with an outcome mean_loss and sd (σ_h, denominator N_h − 1).
    """
    labels = np.asarray(allocation, dtype=np.int64)
    if labels.shape != strata.sizes.shape:
        raise DesignError(f"The allocation has {labels.size} entries for {strata.n_strata} strata.")
    table = pd.DataFrame(
        {
            "stratum": np.arange(strata.n_strata),
            "se_low": strata.low,
            "se_high": strata.high,
            "items": strata.sizes,
            "share_of_pool": strata.sizes / strata.n_items,
            "consistency": strata.consistency,
            "labels": labels,
            "share_of_budget": labels / labels.sum(),
            "inclusion_probability": labels / strata.sizes,
            "proxy": np.asarray(proxy, dtype=np.float64),
        }
    )
    if outcome is not None:
        table = table.assign(mean_loss=outcome.means, sd=outcome.sds)
    return table


def merged_table(table: pd.DataFrame, most: int = 20) -> pd.DataFrame:
    """Merge neighbouring strata if there are more than a figure can show.

    Parameters
    ----------
    table : DataFrame
        Of `stratum_table`; also with risk, the mean p̂ of each stratum.
    most : int
        Rows at most, at least 1; each has as many strata as any other, but for the last.

    Returns
    -------
    DataFrame
        se_low, se_high, share_of_pool, items, labels, share_of_budget, inclusion_probability, and of risk, mean_loss,
        sd and consistency those in the table: means over the items, sd the root of their mean variance.
    """
    first = np.arange(0, len(table), -(-len(table) // most))
    items, counts = table["items"].to_numpy(), ("share_of_pool", "items", "labels", "share_of_budget")
    merged = {name: np.add.reduceat(table[name].to_numpy(), first) for name in counts}
    merged["se_low"] = np.fmin.reduceat(table["se_low"].to_numpy(), first)
    merged["se_high"] = np.fmax.reduceat(table["se_high"].to_numpy(), first)
    merged["inclusion_probability"] = merged["labels"] / merged["items"]
    for name, power in (("risk", 1), ("mean_loss", 1), ("sd", 2), ("consistency", 1)):
        if name in table:
            mean = np.add.reduceat(items * table[name].to_numpy() ** power, first) / merged["items"]
            merged[name] = mean ** (1 / power)
    return pd.DataFrame(merged)


def signal_profile(
    signal: NDArray[np.float64],
    consistency: NDArray[np.float64],
    risk: NDArray[np.float64] | None = None,
    group: NDArray[np.int64] | None = None,
) -> Profile:
    """Profile of a pool from any signal.

    Parameters
    ----------
    signal, consistency : (N,) float
        As in `Profile`.
    risk : (N,) float, optional
        As in `Profile`.
    group : (N,) int, optional
        As in `Profile`.

    Raises
    ------
    DesignError
        There are no items, or a signal is infinite.
    """
    distinct = levels(signal)
    return Profile(signal, consistency, distinct, _level_consistency(consistency, distinct), risk, group)


def _level_consistency(consistency: NDArray[np.float64], distinct: Levels) -> NDArray[np.float64]:
    """As `group_means`, without a copy of the items."""
    sums = np.zeros(distinct.values.size)
    for block in blocks(consistency.size):
        known = consistency[block]
        np.add.at(sums, distinct.member[block], np.where(np.isnan(known), 0.5, known))
    return np.asarray(sums / distinct.counts)
