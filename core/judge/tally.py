"""A judge's verdicts and people's labels, counted, and the numbers that follow."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..design.judging import FAIL, PASS
from ..errors import DesignError, LabelError, NoLabelError
from ..estimation.mean import Estimate
from ..study.study import Study
from ..words import counted
from .columns import NO_JUDGE, JudgeVerdicts, verdicts_of
from .decision import TNR_LEAST, TPR_LEAST, UNDECIDED, JudgeDecision, decide
from .measures import AGREEMENT, BIAS, KAPPA, MEASURES, PASS_RATE, TNR, TPR, Z_TWO_SIDED, JudgeMeasure, VerdictPair
from .rates import NOTHING, VerdictSample, VerdictUnion, merged

ELSEWHERE = (
    "No label is of an item of this list. Labels of items that were chosen by hand, or by the judge’s verdict, cannot "
    "be used: nobody knows how likely each item was to be chosen. Rates from equal numbers of passes and failures are "
    "wrong by up to 35 points. Label the items of the list."
)
_METHOD = "tilted, over both classes of verdicts"
_OF_CLASS = "tilted, over one class of verdicts"


@dataclass(frozen=True, eq=False, repr=False)
class JudgeTally:
    """A judge's verdicts and people's labels.

    Parameters
    ----------
    study : Study
        A plan of `core.judge.judge` with its labels, read as right (pass) or wrong (fail).
    other : JudgeVerdicts or None
        Another judge on the same list; None: the one that the list was drawn for.

    Raises
    ------
    DesignError
        The plan checks no judge.
    LabelError
        Items with one of the verdicts wait for a first label.
    """

    study: Study
    other: JudgeVerdicts | None = None

    def __post_init__(self) -> None:
        if self.study.plan.design.judging is None:
            raise DesignError(NO_JUDGE)
        tied = self.verdicts.fails[self.study.pool.places(list(self.study.labels.ties))]
        if self._counted.empty and not tied.size:
            raise LabelError(ELSEWHERE)
        for verdict, part in ((FAIL, self.pair.fails), (PASS, self.pair.passes)):
            if not part.size or part.n_labels:
                continue
            says = "fails" if verdict == FAIL else "passes"
            why = f"No item that the judge {says} has a label yet. Label more of the list."
            if ties := int((tied == (verdict == FAIL)).sum()):
                which = "The labels of the only labelled item" if ties == 1 else f"The labels of all {ties:,} items"
                why = f"{which} that the judge {says} tie. Settle ties on page Estimate, or add a label that decides."
            raise NoLabelError(" ".join([why, *self.study.labels.to_check]))

    @property
    def judge(self) -> str:
        """The judge's name."""
        return self.verdicts.judge

    @cached_property
    def verdicts(self) -> JudgeVerdicts:
        """What the judge says of every item."""
        return verdicts_of(self.study.plan) if self.other is None else self.other

    @cached_property
    def labels(self) -> pd.DataFrame:
        """A row for each item whose label counts: item_id, judge ("pass" or "fail"), people (the same), stratum."""
        table = self._counted
        fails = self.verdicts.fails[table["position"]]
        people = np.where(table["value"] >= 0.5, PASS, FAIL)
        columns = {"item_id": table["item_id"], "judge": np.where(fails, FAIL, PASS), "people": people}
        return pd.DataFrame(columns).assign(stratum=table["stratum"])

    @cached_property
    def _counted(self) -> pd.DataFrame:
        """The labels of the list and of replacements of lost items; nobody knows the chances of any other item."""
        table, record = self.study.outcomes.table, self.study.labels
        return table[table["item_id"].isin({*record.ids, *record.due})].reset_index(drop=True)

    @property
    def elsewhere(self) -> int:
        """Labels of items that are not on the list, which do not count."""
        return len(self.study.outcomes.table) - len(self._counted)

    @property
    def n_labels(self) -> int:
        """Items whose label counts."""
        return len(self.labels)

    @cached_property
    def pair(self) -> VerdictPair:
        """The labels of both classes of verdicts."""
        of_fail, of_pass = (self.of_class(self.verdicts.fails == fails) for fails in (True, False))
        return VerdictPair(of_fail, of_pass)

    @cached_property
    def pairs(self) -> tuple[VerdictPair, ...]:
        """The labels, and the same with all items without a verdict passed or failed, those of either class apart.

        Limits that hold for each of these hold whichever way such items would have gone.
        """
        if self.open.empty:
            return (self.pair,)
        ways = []
        for of_fail, of_pass in product((0.0, 1.0), repeat=2):
            fails = self.verdicts.fails[self.open["position"]]
            table = pd.concat([self._counted, self.open.assign(value=np.where(fails, of_fail, of_pass))])
            ways.append(VerdictPair(*(self._of_class(self.verdicts.fails == one, table) for one in (True, False))))
        return (self.pair, *ways)

    @cached_property
    def open(self) -> pd.DataFrame:
        """Items of which people gave no verdict, or several that tie: item_id, position, stratum."""
        outcomes, columns = self.study.outcomes, ["item_id", "position", "stratum"]
        parts = [one[columns] for one in (outcomes.open, outcomes.disputed) if one is not None]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns, dtype=np.int64)

    def of_class(self, chosen: NDArray[np.bool_]) -> VerdictSample:
        """The labels of a class of items, such as those that two judges both fail.

        Parameters
        ----------
        chosen : (N,) bool
            The items.
        """
        return self._of_class(chosen, self._counted)

    def _of_class(self, chosen: NDArray[np.bool_], table: pd.DataFrame) -> VerdictSample:
        plan = self.study.plan
        count, verdicts = plan.strata.n_strata, np.array(plan.verdicts)
        there = table[chosen[table["position"]]]
        sizes = np.bincount(plan.stratum[chosen], minlength=count)
        labels = np.bincount(there["stratum"], minlength=count)
        fails = np.bincount(there["stratum"], weights=there["value"] < 0.5, minlength=count).astype(int)
        # What the list's judge fails and passes had other chances to be drawn: neither is joined with the other.
        parts = [
            merged(*(part[(verdicts == verdict) & (sizes > 0)].tolist() for part in (sizes, labels, fails)))
            for verdict in (FAIL, PASS)
        ]
        there_are = tuple(part for part in parts if part.size)
        return there_are[0] if len(there_are) == 1 else VerdictUnion.of(there_are) if there_are else parts[0]

    def estimate(self, measure: str, z: float = Z_TWO_SIDED) -> Estimate:
        """One of the measures.

        Parameters
        ----------
        measure : str
            Of `MEASURES`: "pass_rate", "tpr", "tnr", "agreement" or "kappa".
        z : float
            Of the normal distribution, for its limits.
        """
        of: JudgeMeasure = MEASURES[measure]
        ends = [pair.limits(of, z) for pair in self.pairs]
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        error = self.pair.standard_error(of)
        return Estimate(self.pair.value(of), self._error(error), low, high, self.n_labels, _METHOD, of.title)

    @property
    def pass_rate(self) -> Estimate:
        """Corrected pass rate: the share of all items that people pass."""
        return self.estimate(PASS_RATE.name)

    @property
    def tpr(self) -> Estimate:
        """Good answers passed: of the items that people pass, the share that the judge passes."""
        return self.estimate(TPR.name)

    @property
    def tnr(self) -> Estimate:
        """Failures caught: of the items that people fail, the share that the judge fails. NaN if none was found."""
        return self.estimate(TNR.name)

    @property
    def agreement(self) -> Estimate:
        """Share of all items on which judge and people say the same."""
        return self.estimate(AGREEMENT.name)

    @property
    def kappa(self) -> Estimate:
        """Cohen's κ."""
        return self.estimate(KAPPA.name)

    @property
    def precision_fail(self) -> Estimate:
        """Of the items that the judge fails, the share that people fail; NaN if it fails none."""
        one = self._passing(FAIL, "Precision of fail verdicts")
        return replace(one, value=1 - one.value, low=1 - one.high, high=1 - one.low)

    @property
    def precision_pass(self) -> Estimate:
        """Of the items that the judge passes, the share that people pass; NaN if it passes none."""
        return self._passing(PASS, "Precision of pass verdicts")

    @property
    def bias(self) -> Estimate:
        """Judge-only pass rate less the corrected one: how much the judge flatters."""
        one, own = self.pass_rate, self.judge_only
        error, labels = one.standard_error, self.n_labels
        return Estimate(own - one.value, error, own - one.high, own - one.low, labels, _METHOD, BIAS)

    @property
    def judge_only(self) -> float:
        """The judge's own pass rate, known of every item."""
        return self.pair.q

    def verdict(self, tpr: float = TPR_LEAST, tnr: float = TNR_LEAST) -> str:
        """Decide whether the judge can be trusted: "trusted", "not trusted" or "undecided".

        Parameters
        ----------
        tpr, tnr : float
            Least shares of good answers passed and of failures caught, in (0, 1).
        """
        return self.decide(tpr, tnr).verdict

    def decide(self, tpr: float = TPR_LEAST, tnr: float = TNR_LEAST) -> JudgeDecision:
        """The verdict with its sentence and the labels that are still needed; parameters as in `verdict`.

        It holds whichever way items without a verdict would have gone; if it does not, it is “undecided”.
        """
        own = decide(self.pair, self.n_labels, tpr, tnr)
        ways = [decide(pair, self.n_labels, tpr, tnr) for pair in self.pairs[1:]]
        if own.verdict == UNDECIDED or all(one.verdict == own.verdict for one in ways):
            return own
        return replace(own, verdict=UNDECIDED, below=(), without_verdict=len(self.open))

    def measures_frame(self) -> pd.DataFrame:
        """A row for each number: measure, value, low, high, labels; shares as fractions of 1."""
        rows: list[Estimate] = [self.pass_rate, self.tpr, self.tnr, self.agreement, self.kappa]
        rows += [self.precision_fail, self.precision_pass, self.bias]
        columns = ("measure", "value", "low", "high", "n_labels")
        table = pd.DataFrame([[getattr(one, name) for name in columns] for one in rows], columns=list(columns))
        return table.rename(columns={"n_labels": "labels"})

    def confusion(self) -> pd.DataFrame:
        """Confusion table of the whole pool, a row for each verdict of the judge and of people.

        Columns: judge, people, labels (items found so), share (of the pool, weighted) and items (the same, of N).
        """
        rows = []
        for verdict, part in ((PASS, self.pair.passes), (FAIL, self.pair.fails)):
            of_class = part.size / self.pair.size
            for people, rate, found in (
                (PASS, 1 - part.rate, part.n_labels - part.n_fails),
                (FAIL, part.rate, part.n_fails),
            ):
                rows.append((verdict, people, int(found), of_class * rate, part.size * rate))
        return pd.DataFrame(rows, columns=["judge", "people", "labels", "share", "items"])

    def balanced_frame(self) -> pd.DataFrame:
        """What equal numbers of both verdicts, without weights, would have read on average, beside these estimates.

        Columns: measure, value (weighted), balanced; a row each for the pass rate, TPR and TNR.
        """
        fails, passes = self.pair.fails.rate, self.pair.passes.rate
        plain = {
            PASS_RATE: 1 - (fails + passes) / 2,
            TPR: (1 - passes) / (2 - fails - passes) if fails + passes < 2 else math.nan,
            TNR: fails / (fails + passes) if fails + passes > 0 else math.nan,
        }
        rows = [(measure.title, self.pair.value(measure), balanced) for measure, balanced in plain.items()]
        return pd.DataFrame(rows, columns=["measure", "value", "balanced"])

    def by(self, column: str = "group") -> pd.DataFrame:
        """Corrected pass rates of groups of items, of `core.study.Study.by`."""
        return self.study.by(column)

    @property
    def title(self) -> str:
        """The judge, and how many labels, items and failures there are."""
        disputed = self.study.outcomes.disputed
        tied = "" if disputed is None else f", {len(disputed):,} in dispute"
        return (
            f"Judge “{self.judge}”: {counted(self.n_labels, 'label')} of {self.pair.size:,} items"
            f"{self.study.outcomes.without}{tied}, {counted(int(self.pair.found), 'failure')} found"
        )

    def _passing(self, verdict: str, title: str) -> Estimate:
        """The share that people pass of the items with a verdict of the judge."""
        part, *ways = (pair.fails if verdict == FAIL else pair.passes for pair in self.pairs)
        if not part.size:
            return Estimate(math.nan, math.nan, 0.0, 1.0, 0, _OF_CLASS, title)
        ends = [VerdictPair(one, NOTHING).limits(PASS_RATE) for one in (part, *ways)]
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        error = self._error(math.sqrt(part.variance))
        return Estimate(1 - part.rate, error, low, high, int(part.n_labels), _OF_CLASS, title)

    def _error(self, error: float) -> float:
        """Labels that agree give no variance, unless all are labelled."""
        return error if error > 0 or self.pair.whole else math.nan
