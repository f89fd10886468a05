"""All numbers of an estimate, gathered once, so that page, report and JSON show the same."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..estimation.efficiency import Precision, precision, precision_carried
from ..estimation.mean import Estimate
from ..estimation.top_ups import TopUp
from ..estimation.waves import waves
from ..labels import requests
from ..prospect.promise import Promise
from ..words import INTERVAL_METHODS, RECOMMENDED, counted
from .comparison import Comparison
from .metrics import Answered, Metrics
from .outcomes import Outcomes, either


def unfinished(later: int, planned: int, precise: bool) -> str:
    """Say that the end of a list has no labels yet, and that what is done is a sample all the same.

    Parameters
    ----------
    later, planned : int
        Items that nobody has come to, and items of the list.
    precise : bool
        Whether there is an interval.
    """
    one = later == 1
    start = f"{later:,} of {counted(planned, 'planned label')} {'has' if one else 'have'} not been given yet."
    less = ", only less precise than planned" if precise else ""
    return (
        f"{start} {'It is' if one else 'They are'} the end of the list, and a list that is cut short is the sample of "
        f"a smaller budget: the estimate is sound{less}."
    )


@dataclass(frozen=True, eq=False, repr=False)
class Result(Outcomes):
    """Everything that can be said of an estimate; every stratum has a label.

    Parameters
    ----------
    pool : str
        Name of the pool.
    manifest : dict
        Manifest of the plan.
    groups : DataFrame or None
        Of `core.estimation.domains`; None if the pool has no groups.
    undecided : int
        Items without a label because those that people gave contradict each other.
    unusable : int
        Items of the plan whose label came back but cannot be read or compared.
    made : str
        When and by whom, in words, or empty.
    comparison : Comparison or None
        Another target on the same items, if one was chosen.
    metrics : Metrics or None
        Precision, recall and F1 of an answer, if one was chosen.
    answered : Answered or None
        Accuracy where the target answered; None if it answered everything.
    more : TopUp or None
        Labels for a wanted half-width, if one was chosen.
    given_up : (G,) int or None
        Places in the pool of items that were drawn, in either of two waves, and will get no label; None: none.
    earlier : tuple of int
        Budgets of the smaller lists that had labels before this list was handed out, ascending.
    promise : Promise or None
        What the list promised before its labels; None if nothing could be.
    decided : str
        What the labels say of a bar, in words; "" if none was asked for.
    not_yet : tuple of str
        Ids of the end of the list that nobody has come to.
    gradings : int or None
        Labels that people gave, of items with several each one; None: one of each item.
    varies : bool
        Whether the target answers differently each time, so that labels of one run leave open what others give.
    """

    pool: str = "pool"
    manifest: dict[str, Any] = field(default_factory=dict)
    groups: pd.DataFrame | None = None
    undecided: int = 0
    unusable: int = 0
    made: str = ""
    comparison: Comparison | None = None
    metrics: Metrics | None = None
    answered: Answered | None = None
    more: TopUp | None = None
    given_up: NDArray[np.int64] | None = None
    earlier: tuple[int, ...] = ()
    promise: Promise | None = None
    decided: str = ""
    not_yet: tuple[str, ...] = ()
    gradings: int | None = None
    varies: bool = False

    @property
    def n_items(self) -> int:
        """Items of the pool, N."""
        return self.plan.strata.n_items

    @property
    def planned(self) -> int:
        """Labels that the plan asks for."""
        return self.plan.ids.size

    @property
    def single(self) -> bool:
        """Whether each stratum has one label, which leaves no interval."""
        return bool(np.all(self.sample.counts == 1))

    @property
    def wider(self) -> bool:
        """Whether the interval is wider than Uniform’s with the same number of labels."""
        own, uniform = self.estimate, self.precision.uniform
        return own.high - own.low > uniform.high - uniform.low

    @property
    def uniform_labels(self) -> int | None:
        """Labels with which Uniform is as precise; None if the labels do not say.

        With fewer its standard error is larger, and its interval is wider.
        """
        needed, narrow = self.precision.uniform_needed, self._narrow
        return needed if needed is None or narrow is None else min(needed, narrow)

    @property
    def _narrow(self) -> int | None:
        own = self.estimate
        return self.precision.as_narrow(own.high - own.low, own.n_labels, self.n_items)

    @property
    def saved(self) -> float:
        """Share of Uniform's labels that these save, in (−∞, 1); NaN if it is unknown."""
        return math.nan if self.uniform_labels is None else 1 - self.estimate.n_labels / self.uniform_labels

    @property
    def saved_range(self) -> tuple[float, float]:
        """80 % range of `saved`, as of `Precision`, at most what the intervals show; NaN if it is unknown."""
        most = math.inf if self._narrow is None else 1 - self.estimate.n_labels / self._narrow
        least, largest = self.precision.saved_least, self.precision.saved_most
        return least if math.isnan(least) else min(least, most), largest if math.isnan(largest) else min(largest, most)

    @property
    def saves(self) -> bool:
        """Whether these labels show that the design saved any."""
        return self.saved_range[0] > 0 and self.saved > 0

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Ids of the plan whose label is not used, in the order of the list; known ties need none."""
        labelled = set(self.table["item_id"])
        if self.drawn is not None:
            labelled.update(self.listed.table["item_id"])
        return tuple(item for item in map(str, self.plan.ids) if item not in labelled)

    @property
    def n_absent(self) -> int:
        """Number of them that were passed over: nobody labelled them, they are not in dispute, and the list went on.

        Those without a verdict are apart.
        """
        return max(0, len(self.missing) - self.unusable - self.undecided - self.n_open - len(self.not_yet))

    @property
    def given_up_apart(self) -> NDArray[np.int64]:
        """Of ``given_up`` the items that are not among those without a verdict, for which the limits allow already."""
        given_up = np.array([], dtype=np.int64) if self.given_up is None else self.given_up
        allowed = [] if self.open is None else self.open["position"].tolist()
        return np.setdiff1d(given_up, [*self.positions.tolist(), *allowed])

    @property
    def n_given_up(self) -> int:
        """Items that were drawn and will get no label."""
        return 0 if self.given_up is None else self.given_up.size

    @cached_property
    def worst_case(self) -> tuple[float, float] | None:
        """Limits of the whole pool's value, whatever the items without a label would show; None if all have one."""
        if not self.given_up_apart.size or not self.bounded:
            return None
        if self.settled is not None:
            low, high = (one.worst_case for one in self.settled)
            return None if low is None or high is None else (low[0], high[1])
        plan, gone = self.plan, self.given_up_apart
        if self.carried is not None:
            places = np.r_[self.positions, gone]
            worst, best = (
                plan.with_carried(places, np.r_[self.values, np.full(gone.size, value)], losses=False)
                for value in (0.0, 1.0)
            )
            return worst.estimate(self.interval).low, best.estimate(self.interval).high
        if plan.earlier is None:
            return self.sample.worst_case(np.bincount(plan.stratum[gone], minlength=self.counts.size), self.interval)
        first, places = requests.given_up(plan.earlier, plan.pool_ids[gone]), np.r_[self.positions, gone]
        least, most = (
            plan.in_waves(places, np.r_[self.values, np.full(gone.size, value)], given_up=first).estimate(self.interval)
            for value in (0.0, 1.0)
        )
        return least.low, most.high

    @cached_property
    def in_waves(self) -> Estimate | None:
        """The estimate weighted by waves; None without `earlier` lists, or if a wave labelled no item of a stratum.

        None if items count by their weights.

        A wave is what a list adds to the one before it. The weights do not follow the labels: each wave but the last
        has a quarter of what the ones before leave (docs/method.md, 6.4). The first of two waves keeps its weight.
        """
        if not self.earlier or self.carried is not None or self.plan.design.weights is not None:
            return None
        if self.settled is not None:
            parts = [one.in_waves for one in (*self.settled, *(self.by_disputes or (replace(self, open=None),)))]
            known = [one for one in parts if one is not None]
            if len(known) < len(parts):
                return None
            return either(known[-1], known[:2], known[2:], self._ways)
        place = self.labels["list_position"].to_numpy(dtype=float)
        # A replacement is drawn from what the first lists left.
        wave = np.searchsorted(self.earlier, np.where(np.isnan(place), self.planned, place), side="left")
        parts, left, weight, missing = [], self.sample.sizes, 0.0, 0
        if self.waves is not None:
            first = self.waves.samples[0]
            plan = self.plan.earlier
            assert plan is not None
            parts, weight = [(first.losses, first.strata, first.sizes)], plan.ids.size / plan.design.budget
            missing = int(left[0] - first.n_labels)
            left, wave = np.r_[0, left[1:]], np.where(self.strata == 0, -1, wave)
        lists = len(parts)
        for number in range(len(self.earlier) + 1):
            member = wave == number
            counts = np.bincount(self.strata[member], minlength=left.size)
            occupied = left > 0
            if np.any(occupied & (counts == 0)):
                return None
            dense = np.cumsum(occupied) - 1
            parts.append((self.values[member], dense[self.strata[member]], left[occupied]))
            left = left - counts
            if not left.any():
                break
        lists = len(parts) - lists
        if lists < 2:
            return None
        weights = 0.25 * 0.75 ** np.arange(lists)
        weights[-1] *= 4
        weights = np.r_[[weight] * (len(parts) - lists), (1 - weight) * weights]
        weighted = waves(parts, weights, self.bounded, missing).estimate(self.interval)
        return replace(weighted, measure=self.estimate.measure)

    @cached_property
    def precision(self) -> Precision:
        """The sample beside a uniform one with the same number of labels."""
        if self.settled is not None:
            ends = [one.precision.uniform for one in self.settled]
            # What the design saved is what the labels say; items without a verdict widen limits alone.
            ways = [one.precision for one in self.by_disputes or (replace(self, open=None),)]
            least, most = ways[0], ways[-1]
            needed = least.uniform_needed, most.uniform_needed
            return Precision(
                either(least.uniform, ends, [one.uniform for one in ways], self._ways),
                max(least.design_effect, most.design_effect),
                min(least.effective_size, most.effective_size),
                None if needed[0] is None or needed[1] is None else min(needed[0], needed[1]),
                float(np.min([least.saved_least, most.saved_least])),
                float(np.max([least.saved_most, most.saved_most])),
            )
        if self.carried is not None:
            known = precision_carried(self.carried, self.interval)
            return replace(known, uniform=replace(known.uniform, measure=self.estimate.measure))
        known = precision(self.sample, self.interval, None if self.plan.earlier is None else self.estimate)
        return replace(known, uniform=replace(known.uniform, measure=self.estimate.measure))

    @property
    def beside_uniform(self) -> pd.DataFrame:
        """The two intervals of the main figure: label, value, least, most, low, high; NaN limits if there is none.

        While disputes are open, least and most are the value by either way of settling all of them.
        """
        both = {"This design": self.estimate, "Uniform": self.precision.uniform}
        rows = []
        for label, one in both.items():
            low, high = (one.low, one.high) if one.has_interval else (math.nan, math.nan)
            least, most = self.ends
            rows.append({"label": label, "value": one.value, "least": least, "most": most, "low": low, "high": high})
        return pd.DataFrame(rows)

    @property
    def intervals(self) -> pd.DataFrame:
        """The interval by every method: interval, label, low, high, width, recommended."""
        methods = INTERVAL_METHODS if self.bounded else {"t": self.estimate.method}
        rows = []
        for name, label in methods.items():
            one = replace(self, interval=replace(self.interval, name=name)).estimate if self.bounded else self.estimate
            limits = {"low": one.low, "high": one.high, "width": one.high - one.low}
            recommended = name in RECOMMENDED or not self.bounded
            rows.append({"interval": name, "label": label, **limits, "recommended": recommended})
        return pd.DataFrame(rows)

    @property
    def labels(self) -> pd.DataFrame:
        """A row for each label: its item, places, stratum and value.

        Columns: item_id, pool_position (from 0), list_position (from 1; None for a replacement), stratum, value.
        """
        listed = {item: place for place, item in enumerate(map(str, self.plan.ids), start=1)}
        places = pd.Series([listed.get(item) for item in self.table["item_id"]], dtype=object)
        return pd.DataFrame(
            {
                "item_id": self.table["item_id"],
                "pool_position": self.table["position"],
                "list_position": places,
                "stratum": self.table["stratum"],
                "value": self.table["value"],
            }
        )
