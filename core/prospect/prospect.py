"""The prospect of a design on a pool before any label: the one object that is shown before labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from ..allocation.optimum import USUAL_BUDGET, budget_options
from ..allocation.ways import PROXY_NEYMAN, RECOMMENDED, UNIFORM, WAYS
from ..design.scheme import PAPER
from ..errors import DesignError, NeymanError
from ..gates.accuracy_gate import UNCLEAR, Gate, simulate
from ..pool.pool import Pool
from ..signals.past import answered
from ..words import counted, level, per_cent, width
from .curves import Compared, apart
from .decisions import Differing, EarlyGate, EarlyRuns, Finding, GatePromise, KnownPair, PairPromise
from .forecast import curve, fewest, from_labels, grid, labels_for, middle_risks, risks_of, textbook_size
from .leave_one_out import KnownPart, Likeness, Record, as_good_as, known_items, likeness, record
from .memo import Memo
from .pairs import Pairing, answers_differ
from .prior import Belief, belief
from .promise import Promise
from .proposal import Pools
from .question import USUALLY, Payment, Pilot, Question
from .sampling_frame import (
    ASSUMED,
    CHOSEN,
    GATE,
    TYPICAL,
    VERY_MANY,
    Partition,
    SamplingFrame,
    assumed_frame,
    beside,
    design_frame,
    layout,
)

# Budget at which curves end, unless more is looked at.
_CURVE_END = 1000
# Simulated runs of a gate that is looked at early, and the most labels of its test with a fixed number.
_TRIALS, _MOST_SIMULATED = 120, 2000
_SORTING = "Sorting the items by what is known …"


class Prospect(Compared):
    """A design on a pool before any label: its promise, its curves, and what can be decided.

    Nothing is computed before it is asked for, and nothing twice: what depends on the budget alone is all that `at`
    computes again. The losses of the target decide no design; if they are known, errors are exact.

    Parameters
    ----------
    pool : Pool or None
        The pool; None for one that is not there yet, of which only forecasts are possible.
    target : str, optional
        The model to be evaluated; by default the question's.
    budget : int
        M, from 1 to N.
    question : Question, optional
        What is asked, believed and paid.
    others : sequence of Pool, or callable
        Pools on other items that the signal `core.prospect.ELSEWHERE` learns from; or what opens those of some digests.
    earlier : callable, optional
        Reads what earlier labels say of the target.
    memo : Memo, optional
        Where results are kept; by default a new one.

    Raises
    ------
    DesignError
        The budget is out of its range.
    """

    __slots__ = ()

    def __init__(
        self,
        pool: Pool | None,
        target: str | None = None,
        budget: int = USUAL_BUDGET,
        question: Question | None = None,
        *,
        others: Pools = (),
        earlier: Callable[[], Pilot | None] | None = None,
        memo: Memo | None = None,
    ) -> None:
        asked = Question() if question is None else question
        super().__init__(
            pool, budget, asked if target is None else replace(asked, target=target), others, earlier, memo
        )

    def __repr__(self) -> str:
        name = "a pool that is not there yet" if not self.has_pool else f"“{self.pool.name}”"
        try:
            return f"Prospect of {name}: {self.promise.sentence} {self.promise.rests_on}"
        except NeymanError as error:
            return f"Prospect of {name}: {counted(self.budget, 'label')}. {error}"

    @property
    def promise(self) -> Promise:
        """Precision that the labels give: by the target's outcome if it is known for this design, else forecast."""
        gain = self.gain
        if gain is None:
            return self.forecast
        own = float(self.half_widths([self.budget])[0])
        uniform = float(self.half_widths_of(UNIFORM.name, [self.budget])[0])
        payment = Payment(self.question.costs, gain.budget, gain.uniform_needed, self.n_items)
        rests_on = (
            f"The outcome of “{self.question.target}” is known on every item: what is saved follows from it, and ± is "
            "the half-width to expect. A sample may give another one."
        )
        return Promise(payment, own, own, own, uniform, rests_on, self.share, gain)

    @property
    def forecast(self) -> Promise:
        """The promise as it is forecast, whatever outcome is known.

        Raises
        ------
        DesignError
            The budget is out of the range of the design.
        """
        asked = self.question
        measured = self.ranks or (asked.auroc is None and self.record is not None)
        usual = self.frame, self.belief, self.budget, asked.costs, asked.interval, self.forecast_method
        return from_labels(*usual, measured, self.rests_on)

    @property
    def forecast_method(self) -> str:
        """Name of the design among the rows of a forecast."""
        return RECOMMENDED.name if self._is_usual else CHOSEN

    def forecast_curve(self, budgets: Sequence[int] | None = None) -> pd.DataFrame:
        """Forecast half-widths over budgets, as of `core.prospect.forecast.curve`, whatever outcome is known."""
        items = self.frame
        return curve(
            items, self.belief, grid(items, self.budget) if budgets is None else budgets, self.question.interval
        )

    @property
    def size(self) -> int | None:
        """The number of items, also of a pool that is not there yet; None for very many."""
        return self.pool.n_items if self.has_pool else self.question.n_items

    @property
    def record(self) -> Record | None:
        """Record of the models whose outcomes are known, each left out once; None without any."""
        if not self.has_pool:
            return None
        pool, basis, own = self.pool, self.question.basis, self._sorted
        elsewhere = self._learned(basis) if basis.others else None
        title = "Trying the design on models whose results are known …"
        return self.memo.once("record", self._key, lambda: record(pool, basis, own, elsewhere), title)

    @property
    def belief(self) -> Belief:
        """Belief about the target and the signal."""
        asked = self.question
        seen = self.record if asked.auroc is None or asked.expected is None else None
        scheme = self._sorted.design.scheme if self.has_pool else PAPER
        auroc = scheme.along.usual if seen is None else seen.auroc
        shown = self.likeness if seen is None else seen
        accuracy = USUALLY if shown is None else shown.accuracy
        usual, part = belief(accuracy, auroc), self.part
        if part is not None:
            ranked = part.ranking(self._fitted(part), usual.auroc, seen is not None) if self.ranks else usual.auroc
            usual = Belief(part.accuracy(usual.accuracy), ranked)
        return belief(
            usual.accuracy if asked.expected is None else asked.expected,
            usual.auroc if asked.auroc is None else asked.auroc,
        )

    @property
    def part(self) -> KnownPart | None:
        """Known part of the target's outcome if it is known on some items alone; else None."""
        known = self.outcome
        return None if known is None or not known.partial else KnownPart(str(self.question.target), known)

    @property
    def ranks(self) -> bool:
        """Whether known outcomes of some items say how well the signal ranks them, and the question does not."""
        part = self.part
        asked = part is not None and part.ranks and self.question.auroc is None
        return asked and not self._sorted.design.scheme.uniform

    def _fitted(self, part: KnownPart) -> float:
        """The AUROC with which the model of forecasts has the exact error of the design on the known items."""
        pool, own, parser = self.pool, self._sorted, self.question.parser
        key = (*self._key, "part")
        return self.memo.once("part", key, lambda: as_good_as(own, pool.losses(part.target, parser)), _SORTING)

    @property
    def evidence(self) -> Prospect | None:
        """The same question about the items alone whose outcome is known, as a pool of their own; None if all are."""
        part = self.part
        if part is None:
            return None
        pool, target, parser = self.pool, part.target, self.question.parser
        key, other = (pool.digest, target, parser), self.asking(self.question)
        other._pool = self.memo.once("known items", key, lambda: known_items(pool, target, parser))
        other._earlier, other.budget = None, min(self.budget, other.n_items)
        return other

    @property
    def likeness(self) -> Likeness | None:
        """Accuracy of the target as answers let one assume it; None if they are not known."""
        if not self.has_pool:
            return None
        pool, basis, own = self.pool, self.question.basis, self._sorted
        return self.memo.once("likeness", self._key, lambda: likeness(pool, basis, own))

    @property
    def rests_on(self) -> str:
        """Grounds of the forecast, in a sentence."""
        asked, seen = self.question, self.record
        shown = self.likeness if asked.expected is None and seen is None else None
        models = 0 if seen is None or asked.auroc is not None else seen.models
        accuracy_too = seen is not None and asked.expected is None
        signal = "" if self.has_pool and self.uniform else self.frame.signal if self.has_pool else TYPICAL
        # A first sight of it explains it.
        signal = PAPER.along.said_plainly() if signal == PAPER.along.noun else signal
        why, part = "" if shown is None else shown.why, self.part
        known = "" if part is None or asked.expected is not None or not part.is_share else part.said
        return self.belief.rests_on(signal, models, accuracy_too, why, known, self.ranks)

    @property
    def frame(self) -> SamplingFrame:
        """Frame of the forecasts: the items along the recommended design's signal, and this design beside it."""
        if not self.has_pool:
            size = self.question.n_items
            return self.memo.once("frame", ("assumed", size), lambda: assumed_frame(size))
        if not self._is_usual:
            key = (*self._along, self.question.basis, self.scheme, self._drawn and self._drawn.plan_id)
            return self.memo.once("frame", key, self._beside)
        pool, design, profile = self.pool, self.whole, self.profile
        return self.memo.once("frame", self._along, lambda: design_frame(pool, design, profile), _SORTING)

    def _beside(self) -> SamplingFrame:
        """The frame of the recommended design with this one's strata beside it."""
        usual = self.asking(replace(self.question, scheme=None, gate=False))
        if self._drawn is None:
            strata = self.design.scheme.stratify(self.profile)
            chosen = Partition(self.design.scheme, strata, self.profile)
        else:
            chosen = Partition(self._drawn.design.scheme, self._drawn.strata, self._drawn.stratum)
        # Most strata need no items to stand for them but those that stand for the pool.
        frame = beside(usual.frame, chosen)
        return design_frame(self.pool, usual.whole, usual.profile, chosen) if frame is None else frame

    @property
    def _is_usual(self) -> bool:
        """Whether this is the recommended design."""
        return self.question.scheme is None and not self.question.gate and self._drawn is None

    @property
    def meaning(self) -> str:
        """Explain "±" to somebody who has never heard of it."""
        return (
            f"± is the margin: {level(self.question.confidence)} of such evaluations come that close to the true "
            f"{self.measure}."
        )

    @property
    def explained(self) -> str:
        """Grounds of the promise, and the choice of its items."""
        return f"{self.promise.rests_on} {self.approach}"

    @property
    def approach(self) -> str:
        """The choice of the items, and the textbook's number of labels, in sentences."""
        promise, known = self.promise, self.has_pool
        if known and self.uniform:
            text = "Nothing is known of these items before any label, so the recommended design draws them uniformly."
        else:
            text = "The recommended design labels more of the items that your model probably gets wrong."
            text += f" It sorts them by {self.signal}." if known else f" It assumes {ASSUMED}."
        if known and self.pool.n_generations:
            agreeing = per_cent(self.profile.agreeing)
            text += f" Another model’s answers agree with each other on {agreeing} of the items."
        if 0 < promise.half_width < 1 and self.share and not (known and self.pool.weights is not None):
            accuracy = self.truth if promise.exact else self.belief.accuracy.middle
            labels = textbook_size(promise.half_width, accuracy, self.size, self.question.confidence)
            text += f" The textbook’s formula for Uniform: {labels:,} labels."
        if not known or self.pool.n_generations:
            text += " The paper’s design has five groups of items, by how much another model’s answers disagree."
        return text

    def curve(self, budgets: Sequence[int] | None = None, methods: Sequence[str] | None = None) -> pd.DataFrame:
        """Errors over budgets: exact if the outcome is known, else forecast.

        Parameters
        ----------
        budgets : sequence of int, optional
            Ascending; by default about 20, this one among them.
        methods : sequence of str, optional
            Any of the rules of `core.allocation`, "recommended" and "gate"; by default the design and those beside it.

        Returns
        -------
        DataFrame
            Tidy. Exact: method, budget, mse, relative_mse, margin, label_share, uniform_labels, as of
            `core.simulation.in_units`, and half_width, to expect of the interval. Forecast: as of
            `core.prospect.forecast.curve`.

        Raises
        ------
        DesignError
            There is no such method.
        """
        if self.known is not None:
            lines = [
                part.assign(half_width=self.half_widths_of(str(name), part["budget"].tolist()))
                for name, part in self.exact_curve(budgets, methods).groupby("method", sort=False)
            ]
            return pd.concat(lines, ignore_index=True)
        table = self.forecast_curve(budgets)
        return table if methods is None else table[table["method"].isin([WAYS[name].name for name in methods])]

    def half_width_curve(self) -> pd.DataFrame:
        """Half-widths over budgets as of `core.prospect.forecast.curve`, by the target's outcome if it is known."""
        if self.gain is None:
            return self.forecast_curve()
        size, method = self.n_items, self.forecast_method
        most = min(size, max(_CURVE_END, 2 * self.budget))
        usual_budgets = budget_options(min(max(self.least, 10), most), most)[::2]
        budgets = sorted({*apart(usual_budgets, self.budget), self.budget, most})
        usual = self if self._is_usual else self.asking(self.question.of_best)
        half = self.half_widths_of(UNIFORM.name, budgets)
        tables = {UNIFORM.name: pd.DataFrame({"method": UNIFORM.name, "budget": budgets, "half_width": half})}
        # The last of a name counts: the design asked about may be one of the others.
        for name, design in ((PROXY_NEYMAN.name, usual._paper), (RECOMMENDED.name, usual), (method, self)):
            if design is not None:
                at = [budget for budget in budgets if budget >= design.least]
                tables[name] = pd.DataFrame({"method": name, "budget": at, "half_width": design.half_widths(at)})
        table = pd.concat(tables.values(), ignore_index=True)
        return table.assign(half_width_low=table["half_width"], half_width_high=table["half_width"])

    def for_half_width(self, half_width: float) -> Prospect:
        """Return the same question with the fewest labels that give a half-width, by the outcome if it is known.

        Parameters
        ----------
        half_width : float
            Above 0, as a fraction if losses are shares: 0.03 is 3 points.

        Raises
        ------
        DesignError
            More than a million labels are needed, or the half-width is out of its range.
        """
        if not 0 < half_width < 1:
            raise DesignError(f"A half-width lies between 0 and 1. Found {half_width:g}.")
        if self.known is None:
            risks = middle_risks(self.frame, self.belief)
            labels = labels_for(self.frame, risks, self.forecast_method, half_width, self.question.interval)
        else:
            labels = fewest(lambda many: float(self.half_widths([many])[0]), self.least, self.n_items, half_width)
        if labels is None:
            raise DesignError(f"±{width(half_width, True)} take more than a million labels. Choose a wider interval.")
        return self.at(labels)

    def for_money(self, money: float) -> Prospect:
        """Return the same question with the labels that an amount of money pays for, after the surrogate's pass.

        Raises
        ------
        DesignError
            A label costs nothing, or the money does not pay for one.
        """
        costs, items = self.question.costs, self.frame
        fixed = 0.0 if items.n_items >= VERY_MANY else costs.surrogate_pass(items.n_items)
        return self.at(costs.labels(money, items.n_items, fixed))

    def gate(self, bar: float, band: float = 0.05, power: float = 0.8) -> GatePromise:
        """Return what an accuracy gate on these items takes, decided once; parameters as of `core.gates.Gate`.

        Raises
        ------
        DesignError
            A parameter is out of its range.
        """
        self._check_unweighted("The number of labels for a gate")
        rule = Gate(bar, band, power=power, n_items=self.size)
        return GatePromise(rule, self.memo.once("gates", rule, rule.labels), self.question.costs, self.budget)

    def _check_unweighted(self, what: str) -> None:
        if self.has_pool:
            self.pool.check_unweighted(what)

    def gate_known(self, rule: Gate) -> Finding | None:
        """Decision by known outcomes, without a label; None unless the accuracy is known on every item."""
        fact = self.fact
        if fact is None or not fact.share:
            return None
        word, side = ("Ship", "at least") if fact.mean >= rule.bar else ("Hold", "below")
        return Finding(
            f"{word}: {fact.title}",
            f", {side} {per_cent(rule.bar, 1)}. No labels are needed for that. What labels would take if it were not "
            "known:",
        )

    def gate_checked_early(self, promise: GatePromise) -> EarlyGate | None:
        """Return what a gate takes that is checked after every label, as its accuracy and signal are believed.

        None if that cannot be simulated: beyond 2,000 labels, or for a band that reaches 0 or 1.
        """
        rule, belief, items = promise.rule, self.belief, self._key if self.has_pool else self.size
        ends = rule.bar + rule.band, rule.bar - rule.band
        if promise.labels is None or promise.labels > _MOST_SIMULATED or not all(0 < end < 1 for end in ends):
            return None
        key = (rule, belief, items, self.question.interval)
        early = self.memo.once("early gates", key, lambda: self._checked_early(promise, promise.labels or 0))
        return replace(early, promise=promise)

    def _checked_early(self, promise: GatePromise, labels: int) -> EarlyGate:
        rule, frame, belief, interval = promise.rule, self.frame, self.belief, self.question.interval

        cut = layout(frame, GATE, min(promise.most, frame.n_items))

        def runs(accuracy: float) -> EarlyRuns:
            right = 1 - cut.moments(risks_of(frame, accuracy, belief.auroc.middle))[0]
            table = simulate(rule, cut.sizes, right, promise.most, _TRIALS)
            return EarlyRuns(accuracy, float(table["labels"].mean()), float((table["answer"] != UNCLEAR).mean()))

        ship, hold = runs(rule.bar + rule.band), runs(rule.bar - rule.band)
        if self.has_pool and self.uniform:
            return EarlyGate(ship, hold, promise, math.nan, None)
        risks = middle_risks(frame, belief)
        half = layout(frame, GATE, labels).half_width(risks, interval)
        fine = labels_for(frame, risks, RECOMMENDED.name, half, interval) if half > 0 else None
        return EarlyGate(ship, hold, promise, half, fine)

    def pairs(self, agreement: float, difference: float, targets: int = 2) -> PairPromise:
        """Return what a comparison of targets on these items takes.

        Parameters
        ----------
        agreement : float
            Believed share of the items that both get right or both wrong, in [0, 1).
        difference : float
            Of the accuracies, above 0 and at most 1 − agreement.
        targets : int
            At least 2; all pairs are compared at once.

        Raises
        ------
        DesignError
            A parameter is out of its range.
        """
        self._check_unweighted("The number of labels for a comparison")
        rule = Pairing(agreement, confidence=self.question.confidence, targets=targets, n_items=self.size)
        needed = rule.labels(difference)
        return PairPromise(rule, difference, needed, self.budget, rule.detectable(self.budget), self.question.costs)

    @property
    def known_pair(self) -> KnownPair | None:
        """Both targets of a pool that has two, if every outcome of both is known to be right or wrong; else None."""
        fact = self.fact
        if fact is None or len(self.pool.targets) != 2 or len(fact.others) != 1:
            return None
        ((second, other),) = fact.others
        parser = self.question.parser
        alike = self.pool.losses(fact.target, parser) == self.pool.losses(second, parser)
        return KnownPair(fact.target, second, float(alike.mean()), fact.mean - other)

    @property
    def answered(self) -> tuple[str, ...]:
        """Targets whose answers can be compared with the surrogate's, the question's first."""
        pool, asked = self.pool, self.question
        known = [name for name in pool.targets if pool.n_generations and answered(pool, name, asked.parser)]
        return tuple(sorted(known, key=lambda name: name != asked.target))

    def differing(self, promise: PairPromise, first: str, second: str) -> Differing:
        """Return what a comparison of two targets takes among the items alone on which their answers differ.

        Raises
        ------
        DesignError
            The answers of a target are known nowhere.
        """
        share = float(answers_differ(self.pool, first, second, self.question.parser).mean())
        enough = share >= max(promise.rule.discordant, 1e-9)
        labels = replace(promise.rule, differing=share).labels(promise.difference) if enough else None
        return Differing(first, second, share, labels, promise.costs)
