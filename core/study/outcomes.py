"""Outcomes of labels on a target, item by item: the sample from which everything is estimated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..design.design import Plan
from ..design.scheme import scattered
from ..errors import DesignError
from ..estimation.carried import CarriedSample
from ..estimation.intervals import DEFAULT, Interval, binomial_limits
from ..estimation.mean import Estimate, Sample, sample
from ..estimation.shrinkage import StrataDraws, can_join, is_beginning, joined
from ..estimation.top_ups import TopUp, foreseen, top_up, top_up_carried, whichever_way
from ..estimation.waves import Waves
from ..labels.kinds import KINDS
from ..labels.oddities import DECIDE
from ..words import counted, factor, listed, span, strata_named, value
from ..words.scale import GradeScale, Unit
from .begun_pairs import with_joined, with_ties, with_value

JOINED = "as if the missing labels were missing at random"
JOINED_OPEN = "with strata that have no verdict joined to their neighbours"
BEGUN = "with neighbouring strata joined until each has two labels"
# Labels of each stratum of a beginning, and the share of items without a verdict that leave it one.
_FEWEST, _MOST_PASSED_OVER = 2, 0.1
_ROUNDING = 1e-9
# A value above is a win, one as far below ½ a loss, all others are ties.
_SURE = 0.75
# Longer tables are cut in the middle.
_MOST_ROWS = 20


NO_WEIGHTED_PAIRS = (
    "Which of two answers is better counts every item the same, and the items of this plan have weights. Draw a list "
    "without weights: pool.weighted(None), or “No weights” on page Pool."
)


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes:
    """The labelled items of a plan with their values.

    Parameters
    ----------
    plan : Plan
        The plan that was labelled.
    table : DataFrame
        A row for each labelled item: item_id, position (in the pool, from 0), stratum, value (1 − loss).
    target : str
        The model whose answers the values judge; "" = not named.
    measure : str
        What values are called: "accuracy", "score" or "win rate".
    interval : Interval
        How intervals are made; not ``bounded``: values may lie outside 0 to 1.
    disputed : DataFrame or None
        Labelled items that are not in ``table``, because their annotators disagree: item_id, position, stratum, least
        and most (their value by either way of settling them). The estimate is the range over both ways; None: none.
    open : DataFrame or None
        Items of which people gave no verdict, with the columns of ``disputed``. The estimate is that of the others, and
        its limits hold whichever way these would have gone; None: none.
    n_open : int
        Items without a verdict, also if scores without bounds leave nothing to say of them.
    kind : str
        What a label says, of `core.labels.KINDS`; "" if it is not known.
    n_unlike : int
        Right answers that are compared as they are written, and equal no answer that a model gave.
    n_averaged : int
        Items of which one person gave several scores, of which the mean counts.
    threshold : float or None
        The grade from which on an answer is good; None: three quarters up the scale.
    drawn : Plan or None
        The plan as it was drawn, if ``plan`` knows more: the ties of a begun list of pairs (`with_ties`).
    """

    plan: Plan
    table: pd.DataFrame
    target: str = ""
    measure: str = "accuracy"
    interval: Interval = DEFAULT
    disputed: pd.DataFrame | None = None
    open: pd.DataFrame | None = None
    n_open: int = 0
    kind: str = ""
    n_unlike: int = 0
    n_averaged: int = 0
    threshold: float | None = None
    drawn: Plan | None = None

    @property
    def values(self) -> NDArray[np.float64]:
        """(M,) values of the labelled items."""
        return self.table["value"].to_numpy(dtype=np.float64)

    @property
    def positions(self) -> NDArray[np.int64]:
        """(M,) places of the labelled items in the pool."""
        return self.table["position"].to_numpy(dtype=np.int64)

    @property
    def strata(self) -> NDArray[np.int64]:
        """(M,) strata of the labelled items."""
        return self.table["stratum"].to_numpy(dtype=np.int64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """(H,) labels of each stratum."""
        return np.bincount(self.strata, minlength=self.plan.strata.n_strata)

    @property
    def waiting(self) -> NDArray[np.int64]:
        """Strata without a label, but for known items of which no verdict is audited."""
        planned = self.plan.allocation > 0 if self.plan.design.carried is not None else True
        return np.flatnonzero((self.counts == 0) & planned)

    @property
    def bounded(self) -> bool:
        """Whether values lie in [0, 1]."""
        return self.interval.bounded

    @property
    def unit(self) -> Unit:
        """Return the unit of values for people: per cent (True), plain numbers (False), or grades of a scale."""
        scale = KINDS[self.kind].scale if self.kind else None
        return self.bounded if scale is None else scale

    @property
    def confidence(self) -> float:
        """The level of the intervals."""
        return self.interval.confidence

    @cached_property
    def sample(self) -> Sample:
        """The stratified sample; raises :class:`core.errors.DesignError` if a stratum has no label.

        With carried verdicts, that of the open items; if every item is known, of the audited ones.
        """
        if self.carried is not None and self.carried.open is not None:
            return self.carried.open
        waiting = self.waiting
        tied = 0 if self.disputed is None else int(self.disputed["stratum"].isin(waiting).sum())
        if tied:
            have = counted(tied, "item has a tie", "items have ties")
            raise DesignError(f"No label of {strata_named(waiting)} counts yet: {have} to decide. {DECIDE}")
        if self.carried is not None:
            return sample(self.values, np.zeros_like(self.strata), self.plan.strata.sizes, self.bounded)
        if self.plan.design.weights is not None:
            if self._compares:
                raise DesignError(NO_WEIGHTED_PAIRS)
            return self.plan.sample(self.positions, self.values, self.bounded, values=True)
        return sample(self.values, self.strata, self.plan.strata.sizes, self.bounded)

    @cached_property
    def carried(self) -> CarriedSample | None:
        """The labels beside verdicts that were carried over; None for any other plan; raises as ``sample``."""
        if self.plan.design.carried is None:
            return None
        return self.plan.with_carried(self.positions, self.values, losses=False)

    @property
    def census(self) -> bool:
        """Whether nothing is left to estimate."""
        return self.sample.census and (self.carried is None or self.carried.exact)

    @cached_property
    def joined(self) -> Estimate | None:
        """The pool's mean value, provisional: strata without a label are joined to their neighbours.

        Of the beginning of a list of fine strata they are joined until each has two labels. Otherwise few labels are
        missing, as if at random. None if every stratum has a label, for waves and carried verdicts, and if too few
        labels came back (`core.estimation.shrinkage`). While disputes are open, as ``estimate``. No report, gate or
        bundle has it.
        """
        carried = self.plan.design.carried is not None and self.drawn is None
        if self.plan.earlier is not None or carried or not self.waiting.size:
            return None
        known = None if self.drawn is None else -1
        if not (self.begun or can_join(self.counts[:known], self.plan.allocation[:known])):
            return None

        def at(outcomes: Outcomes) -> Estimate:
            # With open items at their least or most, their strata have labels of their own.
            if not outcomes.waiting.size:
                return outcomes.estimate
            place = joined(outcomes.counts[:known], _FEWEST if self.begun else 1)
            labels = outcomes.positions, outcomes.values
            if known is None:
                one = self.plan.sample(*labels, self.bounded, values=True, joined=place).estimate(self.interval)
            else:
                one = with_joined(self.plan, place).with_carried(*labels, losses=False).estimate(self.interval)
            return replace(one, measure=mean_named(self.measure), method=f"{one.method}, {self.how_joined}")

        return self.either_way(at)

    @cached_property
    def begun(self) -> bool:
        """Whether `joined` is that of a list of fine strata, labelled from its top with few items passed over."""
        plan = self.drawn or self.plan
        at_random = self.drawn is None and can_join(self.counts, plan.allocation)
        if not plan.strata.by_item or plan.design.judging is not None or at_random:
            return False
        if self.open is not None and len(self.open) > _MOST_PASSED_OVER * len(self.table):
            return False
        listed = self.listed
        passed = [one["position"].to_numpy(dtype=np.int64) for one in (self.disputed, self.open) if one is not None]
        places = np.concatenate([listed.positions, *passed])
        counts = np.bincount(plan.stratum[places], minlength=plan.strata.n_strata)
        return is_beginning(plan.stratum[plan.positions], scattered(plan.strata.n_strata), counts)

    @cached_property
    def listed(self) -> Self:
        """These labels by the plan as it was drawn, with the known ties that stand among them on the list."""
        plan, ties = self.drawn, self.plan.design.carried
        if plan is None or ties is None:
            return self
        passed = [one["position"] for one in (self.disputed, self.open) if one is not None]
        there = np.isin(plan.positions, np.concatenate([self.positions, *passed]))
        first = plan.positions[: int(np.flatnonzero(there).max(initial=-1)) + 1]
        first = first[ties.known[first]]
        known = pd.DataFrame({"item_id": plan.pool_ids[first], "position": first, "value": 1.0 - ties.values[first]})
        table = pd.concat([self.table, known], ignore_index=True)
        return replace(self._in(plan), drawn=None, table=table.assign(stratum=plan.stratum[table["position"]]))

    def beside(self, ties: NDArray[np.bool_]) -> Self:
        """The labels of a begun list of pairs beside the known ties of the pool, (N,), of `core.study.begun_pairs`."""
        labels = replace(self, table=self.table[~ties[self.positions]].reset_index(drop=True))
        return replace(labels._in(with_ties(self.plan, ties)), drawn=self.plan)

    def _in(self, plan: Plan) -> Self:
        """These labels in the strata of another plan."""

        def there(rows: pd.DataFrame) -> pd.DataFrame:
            return rows.assign(stratum=plan.stratum[rows["position"].to_numpy(dtype=np.int64)])

        disputed, open_ = (None if rows is None else there(rows) for rows in (self.disputed, self.open))
        return replace(self, plan=plan, table=there(self.table), disputed=disputed, open=open_)

    @property
    def how_joined(self) -> str:
        """Basis of `joined`: items without a verdict are never taken for missing at random."""
        if self.begun:
            return BEGUN
        with_open = set() if self.open is None else set(self.open["stratum"].tolist())
        return JOINED if set(self.waiting.tolist()) - with_open else JOINED_OPEN

    @property
    def _weights(self) -> NDArray[np.float64]:
        """Allocation weights of the sample's strata."""
        return self.plan.weights if self.plan.weights.size else np.ones(1)

    @cached_property
    def waves(self) -> Waves | None:
        """Both waves of a second wave's plan, None for any other; raises as ``sample``."""
        return None if self.plan.earlier is None else self.plan.in_waves(self.positions, self.values, self.bounded)

    @property
    def estimator(self) -> Sample | Waves | CarriedSample:
        """The sample behind the estimate: one, both of two waves, or labels beside carried verdicts.

        Raises as ``sample``.
        """
        return self.carried or self.waves or self.sample

    @property
    def alone(self) -> Sample | None:
        """The sample if the estimate is made from it alone; None beside open items, waves or carried verdicts."""
        return self.sample if self.settled is None and self.estimator is self.sample else None

    @cached_property
    def settled(self) -> tuple[Self, Self] | None:
        """These labels with every open item at its least value, and at its most; None if none is open.

        Open are disputes, and items without a verdict.
        """
        if self.disputed is None and self.open is None:
            return None
        return self._settled("least"), self._settled("most")

    @cached_property
    def by_disputes(self) -> tuple[Self, Self] | None:
        """The same with the disputes alone settled; items without a verdict stay apart."""
        if self.disputed is None:
            return None
        decided = replace(self, open=None)
        return decided._settled("least"), decided._settled("most")

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The pool's mean value by either way of settling all disputes; the same twice if none is open."""
        least, most = self.by_disputes or (self, self)
        return least.estimator.value, most.estimator.value

    def either_way(self, estimate: Callable[[Self], Estimate]) -> Estimate:
        """Return what holds whichever way open items go.

        The value is that of the labels, while disputes are open the middle of both ways of settling them, with the
        larger standard error. The limits are the lower one with all open items at their least and the upper one with
        all at their most.

        Parameters
        ----------
        estimate : callable
            From labels to their estimate.
        """
        decided = estimate(self)
        if self.settled is None:
            return decided
        middle = [decided] if self.by_disputes is None else [estimate(one) for one in self.by_disputes]
        return either(decided, [estimate(one) for one in self.settled], middle, self._ways)

    @property
    def _ways(self) -> str:
        ways = (
            [] if self.disputed is None else [f"both ways of settling {counted(len(self.disputed), 'disputed item')}"]
        )
        if self.open is not None:
            ways.append(f"both verdicts on {counted(len(self.open), 'item without one', 'items without one')}")
        return f"range over {listed(ways)}"

    @cached_property
    def estimate(self) -> Estimate:
        """The pool's mean value with its interval; raises as ``sample``.

        While items are open, as `either_way`.
        """

        def of(labels: Outcomes) -> Estimate:
            one = labels.estimator.estimate(labels.interval)
            if labels.waves is not None:
                one = labels.sample.warned(one, labels.interval)
            return replace(one, measure=mean_named(labels.measure))

        return self.either_way(of)

    @property
    def good_from(self) -> float | None:
        """The grade from which on an answer is good; None if labels are no grades of a scale."""
        if not isinstance(self.unit, GradeScale):
            return None
        return self.unit.good if self.threshold is None else self.threshold

    @cached_property
    def good(self) -> Estimate | None:
        """The share of the items with the grade `threshold` or a better one; None if labels are no grades of a scale.

        Raises
        ------
        DesignError
            The threshold is off the scale.
        """
        grade = self.good_from
        if grade is None or not isinstance(self.unit, GradeScale):
            return None
        if not self.unit.low < grade <= self.unit.high:
            raise DesignError(f"Grades of {grade:g} or better tell nothing apart on a scale of {self.unit}.")
        at = self.unit.share(grade) - _ROUNDING
        return self._share(at, math.inf, f"share graded {grade:g} or better".replace("-", "−"))

    def _share(self, least: float, most: float, name: str) -> Estimate:
        """Estimate the share of the items whose value lies between two numbers."""

        def there(rows: pd.DataFrame, low: str, high: str) -> pd.DataFrame:
            inside = (rows[low] >= least) & (rows[high] <= most)
            met = (rows[high] >= least) & (rows[low] <= most)
            return rows.assign(**{low: inside.astype(float), high: met.astype(float)})

        disputed, open_ = (
            None if rows is None else there(rows, "least", "most") for rows in (self.disputed, self.open)
        )
        plan = self.plan if self.drawn is None else with_value(self.plan, float(least <= 0.5 <= most))
        of_items = there(self.table, "value", "value")
        share = replace(self, plan=plan, table=of_items, kind="", threshold=None, disputed=disputed, open=open_)
        return replace(share.estimate, measure=name)

    @cached_property
    def preferred(self) -> tuple[Estimate, ...]:
        """The shares of the items that the first target of a pair wins, ties and loses; () of other labels."""
        if not self._compares:
            return ()
        ends = ((_SURE, 1.0), (1 - _SURE, _SURE), (0.0, 1 - _SURE))
        return tuple(self._share(*both, name) for both, name in zip(ends, ("wins", "ties", "losses"), strict=True))

    @cached_property
    def first_preferred(self) -> Estimate | None:
        """Share of the labelled pairs without ties whose better answer is the one shown first; None without any.

        Their order is random: without a bias it is half, whichever target is better.
        """
        decided = np.abs(self.values - 0.5) > _SURE - 0.5
        count = int(decided.sum())
        if not self._compares or not count:
            return None
        first = (self.values > 0.5) != self.plan.swapped[self.positions]
        share = float(first[decided].mean())
        low, high = binomial_limits(round(share * count), count, self.confidence)
        error = math.sqrt(share * (1 - share) / count)
        return Estimate(share, error, low, high, count, "Clopper–Pearson", "the first answer is preferred")

    @cached_property
    def counted_once(self) -> Estimate | None:
        """The estimate with every item counted the same; None if items have no weights; raises as ``sample``."""
        if self.plan.design.weights is None:
            return None
        return replace(self, plan=replace(self.plan, design=replace(self.plan.design, weights=None))).estimate

    @property
    def weights_line(self) -> str:
        """Say that items count by their weights, and the estimate of `counted_once`; "" without weights."""
        if self.counted_once is None:
            return ""
        return f"Items count by their weights. With every item counted once: {self._in_words(self.counted_once)}."

    @property
    def _compares(self) -> bool:
        return bool(self.kind) and KINDS[self.kind].compares

    @property
    def shares_line(self) -> str:
        """Write `good`, or `preferred` with `first_preferred`, in sentences; "" of labels that have neither."""

        def said(one: Estimate) -> str:
            limits = f" ({span(one.low, one.high, True)})" if one.has_interval else ""
            return f"{value(one.value, True)}{limits}"

        if self.good is not None:
            return f"{self.good.measure.capitalize()}: {said(self.good)}."
        if not self.preferred:
            return ""
        line = ", ".join(f"{one.measure} {said(one)}" for one in self.preferred).capitalize()
        first = self.first_preferred
        if first is None:
            return f"{line}."
        biased = "" if first.low <= 0.5 <= first.high else ": people prefer a place, which the random order evens out"
        pairs = counted(first.n_labels, "pair")
        return f"{line}. Of {pairs} with a better answer, the one shown first is it in {said(first)}{biased}."

    def __repr__(self) -> str:
        """Show the estimate in a line and the strata, or why there is no estimate."""
        waiting = self.waiting
        if waiting.size:
            which = f"no label of {strata_named(waiting)}; {self.given(self._and_disputed)}"
            return f"{self.provisional}; {which}" if self.provisional else f"No estimate yet: {which}"
        columns = ["stratum", "items", "planned", "labels", "value", "sd"]
        return "\n".join(filter(None, (self.line(), text_of(self.shown_strata[columns]), self.estimate.warning)))

    @property
    def provisional(self) -> str:
        """The estimate of `joined` in words, with its basis; "" if there is none."""
        return "" if self.joined is None else f"{self._in_words(self.joined)}, provisional, {self.how_joined}"

    def line(self) -> str:
        """Write the estimate in a line: “Accuracy 76.5 % (70.0 % to 82.0 %), 100 labels (right or wrong)”."""
        number = span(*self.ends, self.unit) if self.ends[0] < self.ends[1] else None
        return f"{self._in_words(self.estimate, number)}, {self.given(self._and_disputed)}"

    @property
    def _and_disputed(self) -> str:
        """Number of ties, to follow a number of labels: “ and 1 disputed item”; "" for none."""
        return "" if self.disputed is None else f" and {counted(len(self.disputed), 'disputed item')}"

    def given(self, beside: str = "") -> str:
        """Say how many labels count, how many items have no verdict, and of what kind the labels are."""
        return f"{counted(len(self.table), 'label')}{self.without}{beside}{self.of_kind}"

    @property
    def of_kind(self) -> str:
        """The kind of the labels, for behind their number: “ (right or wrong)”; "" if it is not known."""
        unlike = f", {self.n_unlike:,} given by no model" if self.n_unlike else ""
        unlike += f", {self.n_averaged:,} of one person’s different scores" if self.n_averaged else ""
        return f" ({KINDS[self.kind].brief}{unlike})" if self.kind else ""

    @property
    def without(self) -> str:
        """Number of items without a verdict, to follow a number of labels: “, 1 without a verdict”; "" for none."""
        return f", {self.n_open:,} without a verdict" if self.n_open else ""

    def _in_words(self, estimate: Estimate, number: str | None = None) -> str:
        """Write an estimate as “Accuracy 76.5 % (70.0 % to 82.0 %)”."""
        width = estimate.high - estimate.low
        limits = span(estimate.low, estimate.high, self.unit) if estimate.has_interval else "no interval yet"
        return f"{estimate.measure.capitalize()} {number or value(estimate.value, self.unit, width)} ({limits})"

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.estimate.high - self.estimate.low) / 2

    def top_up(self, half_width: float) -> TopUp:
        """Labels for a wanted half-width on the scale of the measure.

        While disputes are open it is enough in each way of `resolved`. Items without a verdict need one, too.

        Raises
        ------
        DesignError
            The second of two waves is not drawn yet, or as `core.estimation.top_up`.
        """
        if self.plan.waits:
            raise DesignError("These labels are the first of two waves. Draw the second before you plan more labels.")
        if self.disputed is not None and self.resolved:
            ways = [one.top_up(half_width) for one in self.resolved]
            return whichever_way(ways, self.half_width, len(self.disputed)).beside(self.half_width, self.n_open)
        if self.open is not None:
            return replace(self, open=None, n_open=0).top_up(half_width).beside(self.half_width, self.n_open)
        now = self.half_width
        if self.drawn is not None and now > half_width:
            # The list goes on with ties among its items.
            more = self.listed.top_up(half_width)
            return more if more.reached else replace(more, current=now)
        if self.carried is not None and self.plan.design.carried is not None:
            shares = self.plan.design.carried.shares
            return top_up_carried(self._weights, self.carried, half_width, shares, self.interval, now)
        plan, turns = self.plan, self.plan.turns
        return top_up(
            plan.weights, self.sample, half_width, self.interval, now, self.waves, turns, lambda: self._foreseen
        )

    @cached_property
    def resolved(self) -> tuple[Self, ...]:
        """These labels with every dispute settled: as `by_disputes`, and as others of its stratum are, or not.

        The last two give about the fewest and the most labels for a width: labels of a stratum agree, or differ.
        """
        if self.disputed is None or self.by_disputes is None:
            return ()
        open_items, means = self.disputed, self.table.groupby("stratum")["value"].mean()
        likely = open_items["stratum"].map(means).fillna(self.table["value"].mean()) >= 0.5
        alike = open_items["most"].where(likely, open_items["least"])
        other = open_items["least"].where(likely, open_items["most"])
        either_way = replace(self, disputed=open_items.assign(alike=alike, other=other), open=None)
        return *self.by_disputes, either_way._settled("alike"), either_way._settled("other")

    @cached_property
    def _foreseen(self) -> StrataDraws:
        return foreseen(self.sample, self.interval)

    @cached_property
    def strata_table(self) -> pd.DataFrame:
        """A row for each stratum; the sd is the one used, pooled if the stratum has one label.

        Columns: stratum, se_low, se_high, items, share_of_pool, planned, labels, value, sd, share_of_variance.
        """
        sample, strata, waves = self.sample, self.plan.strata, self.waves
        terms, variance = sample.terms, self.estimator.variance
        if waves is not None:
            # What the first wave labelled is stratum 0, and its variance that of the first wave.
            terms = np.r_[waves.terms[0].sum() + waves.weights**2 @ waves.lacking, waves.terms[1]]
        means, sds = sample.means, np.sqrt(sample.variances)
        if self.carried is not None:
            rest = (1 - self.carried.share) ** 2 * (terms if self.carried.open is not None else terms[:0])
            terms = np.append(rest, max(variance - rest.sum(), 0.0))
            means, sds = (np.append(part[: strata.n_strata - 1], math.nan) for part in (means, sds))
            means[-1] = self.carried.known_value
        if sample.weighing is not None:
            weight, counted_in = sample.weighing.weights, sample.counts.size
            total = np.bincount(sample.strata, weights=weight * sample.weighing.losses, minlength=counted_in)
            means = total / np.bincount(sample.strata, weights=weight, minlength=counted_in)
        share = terms / variance if variance > 0 else np.full(terms.size, math.nan)
        return pd.DataFrame(
            {
                "stratum": np.arange(strata.n_strata),
                "se_low": strata.low,
                "se_high": strata.high,
                "items": strata.sizes,
                "share_of_pool": self.plan.shares,
                "planned": self.plan.allocation,
                "labels": self.counts,
                "value": means,
                "sd": sds,
                "share_of_variance": share,
            }
        )

    @property
    def shown_strata(self) -> pd.DataFrame:
        """`strata_table` with values and their spread in grades if these are shown on a scale."""
        table, unit = self.strata_table, self.unit
        if not isinstance(unit, GradeScale):
            return table
        return table.assign(value=unit.grade(table["value"]), sd=factor(unit) * table["sd"])

    def _settled(self, way: str) -> Self:
        """These labels with every open item at its least value, or at its most."""
        columns = ["item_id", "position", "stratum", "value"]
        parts = [one.rename(columns={way: "value"})[columns] for one in (self.disputed, self.open) if one is not None]
        return replace(self, table=pd.concat([self.table, *parts], ignore_index=True), disputed=None, open=None)


def in_unit(one: Estimate, unit: Unit, gap: bool = False) -> Estimate:
    """An estimate, or the difference of two (``gap``), in grades if values are shown on a scale; else as it is."""
    if not isinstance(unit, GradeScale):
        return one
    value, low, high = (factor(unit) * x if gap else unit.grade(x) for x in (one.value, one.low, one.high))
    return replace(one, value=value, low=low, high=high, standard_error=factor(unit) * one.standard_error)


def either(decided: Estimate, ends: Sequence[Estimate], middle: Sequence[Estimate], how: str) -> Estimate:
    """Return what holds whichever way open items go.

    Parameters
    ----------
    decided : Estimate
        Of the labels that count.
    ends : (Estimate, Estimate)
        With all open items at their least value, and at their most.
    middle : sequence of Estimate
        By both ways of settling disputes, or of the labels that count: their mean is the value.
    how : str
        What is open, for the method.
    """
    least, most = ends
    return replace(
        decided,
        value=sum(one.value for one in middle) / len(middle),
        standard_error=float(np.max([one.standard_error for one in middle])),
        low=min(least.low, most.low),
        high=max(least.high, most.high),
        method=f"{how}, {decided.method}",
    )


def mean_named(measure: str) -> str:
    """Return the name of a mean of values: "accuracy", "win rate", or "mean score" of scores."""
    return f"mean {measure}" if measure == "score" else measure


def summary_frame(estimates: Iterable[Estimate]) -> pd.DataFrame:
    """Tabulate estimates, a row each: measure, value, standard_error, low, high, n_labels."""
    columns = ["measure", "value", "standard_error", "low", "high", "n_labels"]
    return pd.DataFrame([[getattr(one, name) for name in columns] for one in estimates], columns=columns)


def text_of(table: pd.DataFrame) -> str:
    """Write a table as text with three digits behind the point; of more than 20 rows, the first and last ten."""
    return table.to_string(index=False, float_format="{:.3f}".format, max_rows=_MOST_ROWS)
