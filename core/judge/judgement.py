"""A judge against people's labels: how good it is, what limits that, and the failures to read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..design.judging import FAIL, PASS
from ..errors import DesignError, LabelError, NoLabelError
from ..estimation.mean import Estimate
from ..figures import intervals
from ..figures.plot import Plot
from ..labels import reversals
from ..labels.cells import both_ways
from ..labels.formats.records import DECISION, NOBODY, POOL
from ..labels.kinds import RIGHT, WRONG
from ..labels.oddities import DECIDE
from ..labels.texts import columns_of
from ..labels.vocabulary import remark, statement, words_of, written
from ..pool.pool import Pool
from ..study.study import Study
from ..words import counted, listed, notebook, per_cent, share_span, value
from ..words.verdict_words import word_key
from .belief import SIMULATED_FROM, labels_for_ten_failures
from .decision import TNR_LEAST, TPR_LEAST, UNDECIDED, JudgeComparison, JudgeDecision, compare, decide
from .judge_verdicts import JudgeVerdicts, always, fault_words, judging_of, turned_words, verdicts_of
from .measures import BIAS, MEASURES, PASS_RATE, TNR, TPR, Z_TWO_SIDED, JudgeMeasure, VerdictPair
from .rates import NOTHING, VerdictSample, VerdictUnion, VerdictWeights, merged

# Words of people, read as they stand here if nothing else can be meant.
WORDS = {PASS: RIGHT, "passed": RIGHT, FAIL: WRONG, "failed": WRONG}
# These mean the same of every judge.
_PLAIN = frozenset({*WORDS, RIGHT, WRONG, "correct", "incorrect"})
MISSED, CAUGHT, ALARM = "missed failure", "caught failure", "false alarm"
# Every number with its limits.
FIGURES = ("pass_rate", "tpr", "tnr", "agreement", "kappa", "precision_fail", "precision_pass", "bias")
# With fewer failures found, their number is what matters.
FEW_FOUND = 5
# Of a sentence's limits, said once.
_LEVEL = f"{per_cent(0.95)} interval: "
# Items that two people should label, so that their errors show.
_TWICE = "Two blind labels for each item, and a third if they differ, would mend most of it."
ELSEWHERE = (
    "No label is of an item of this list. Labels of items that were chosen by hand, or by the judge’s verdict, cannot "
    "be used: nobody knows how likely each item was to be chosen. Rates from equal numbers of passes and failures are "
    "wrong by up to 35 points. Label the items of the list."
)
TWO_JUDGES = (
    "Two judges on one list are compared with every item counted the same, and the items of this plan have weights. "
    "Leave the second judge out, or draw a list without weights: pool.weighted(None)."
)
_METHOD = "tilted, over both classes of verdicts"
_OF_CLASS = "tilted, over one class of verdicts"


@dataclass(frozen=True, eq=False, repr=False)
class Judgement:
    """A judge against people's labels.

    Parameters
    ----------
    study : Study
        A plan of `core.judge.judge` with its labels, read as right (pass) or wrong (fail).
    other : JudgeVerdicts or None
        Another judge on the same list; None: the one that the list was drawn for.
    beside : JudgeVerdicts or None
        Another judge to compare with; None: no comparison.

    Raises
    ------
    DesignError
        The plan checks no judge, or there is another one and items have weights.
    LabelError
        Items with one of the verdicts wait for a first label.
    """

    study: Study
    other: JudgeVerdicts | None = None
    beside: JudgeVerdicts | None = None

    def __post_init__(self) -> None:
        judging_of(self.study.plan)
        if self.study.plan.design.weights is not None and not (self.other is None and self.beside is None):
            raise DesignError(TWO_JUDGES)
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
                why = f"{which} that the judge {says} tie. {DECIDE} On the pages, settle ties on page Estimate."
            raise NoLabelError(" ".join([why, *self.study.labels.to_check]))

    @property
    def judge(self) -> str:
        """The judge's name."""
        return self.verdicts.judge

    @cached_property
    def verdicts(self) -> JudgeVerdicts:
        """The judge's verdict on every item."""
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
            ways.append(VerdictPair(*(self.of_class(self.verdicts.fails == one, table) for one in (True, False))))
        return (self.pair, *ways)

    @cached_property
    def open(self) -> pd.DataFrame:
        """Items of which people gave no verdict, or several that tie: item_id, position, stratum."""
        outcomes, columns = self.study.outcomes, ["item_id", "position", "stratum"]
        parts = [one[columns] for one in (outcomes.open, outcomes.disputed) if one is not None]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns, dtype=np.int64)

    def of_class(self, chosen: NDArray[np.bool_], table: pd.DataFrame | None = None) -> VerdictSample:
        """The labels of a class of items, such as those that two judges both fail.

        Parameters
        ----------
        chosen : (N,) bool
            The items.
        table : DataFrame, optional
            Labels in place of those that count: position, stratum, value.
        """
        plan, table = self.study.plan, self._counted if table is None else table
        if plan.design.weights is not None:
            return self._weighted_class(chosen, table)
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

    def _weighted_class(self, chosen: NDArray[np.bool_], table: pd.DataFrame) -> VerdictSample:
        """`of_class` of one of the judge's verdicts, by the weights of the items."""
        plan, there = self.study.plan, table[chosen[table["position"]]]
        strata = plan.weighted_strata()
        numbers = np.unique(plan.stratum[chosen])
        if not numbers.size or there.empty:
            return merged((int(chosen.sum()),), (0,), (0,)) if numbers.size else NOTHING
        if waiting := int(numbers.size - np.isin(numbers, there["stratum"]).sum()):
            raise NoLabelError(
                f"{counted(waiting, 'stratum', 'strata')} of items of like weight {'has' if waiting == 1 else 'have'} "
                "no label yet. Label more of the list."
            )
        tops, mass = strata.tops, np.bincount(strata.stratum, weights=strata.weights)
        by_stratum = [there[there["stratum"] == number] for number in numbers]
        given = tuple(tuple(strata.weights[rows["position"]].tolist()) for rows in by_stratum)
        failed = tuple(tuple((rows["value"] < 0.5).tolist()) for rows in by_stratum)
        centre = float(plan.verdicts[numbers[0]] == FAIL)
        weights = VerdictWeights(tuple(mass[numbers].tolist()), tuple(tops[numbers].tolist()), given, failed, centre)
        labels, fails = tuple(map(len, failed)), tuple(map(sum, failed))
        return VerdictSample(tuple(strata.sizes[numbers].tolist()), labels, fails, weights)

    @cached_property
    def counted_once(self) -> Judgement | None:
        """The same labels with every item counted once; None if items have no weights."""
        plan, labels = self.study.plan, self.study.labels
        if plan.design.weights is None:
            return None
        once = replace(plan, design=replace(plan.design, weights=None))
        return replace(self, study=replace(self.study, labels=replace(labels, plan=once)))

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
        return self.estimate("agreement")

    @property
    def kappa(self) -> Estimate:
        """Cohen's κ."""
        return self.estimate("kappa")

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
    def weights_line(self) -> str:
        """Say that items count by their weights, and what the labels say with every item counted once; "" without."""
        once = self.counted_once
        if once is None:
            return self.study.before_weights
        rates = (once.pass_rate, once.tpr, once.tnr)
        said = [
            f"{one.measure[:1].lower()}{one.measure[1:]} {_shown(one)}" for one in rates if not math.isnan(one.value)
        ]
        return f"Items count by their weights. With every item counted once: {listed(said)}."

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
        columns = ["measure", "value", "low", "high", "n_labels"]
        rows = [asdict(getattr(self, name)) for name in FIGURES]
        return pd.DataFrame(rows, columns=columns).rename(columns={"n_labels": "labels"})

    def confusion(self) -> pd.DataFrame:
        """Confusion table of the whole pool, a row for each verdict of the judge and of people.

        Columns: judge, people, labels (items found so), share (of the pool, weighted) and items (the same, of N).
        """
        rows = []
        for verdict, part, of_class in zip((PASS, FAIL), self.pair.parts, self.pair.shares, strict=True):
            passed = part.n_labels - part.n_fails
            for people, rate, found in ((PASS, 1 - part.rate, passed), (FAIL, part.rate, part.n_fails)):
                rows.append((verdict, people, int(found), of_class * rate, part.mass * rate))
        return pd.DataFrame(rows, columns=["judge", "people", "labels", "share", "items"])

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

    @cached_property
    def comparison(self) -> JudgeComparison | None:
        """Comparison with the other judge on the same labelled items; None without another one."""
        return None if self.beside is None else compare(self.verdicts, self.beside, self.of_class, self.n_labels)

    @property
    def of_beside(self) -> Judgement | None:
        """The other judge against the same labels; None without another one."""
        return None if self.beside is None else Judgement(self.study, self.beside)

    def disagreements(self) -> pd.DataFrame:
        """The failures that were found and the false alarms, to read, the judge's mistakes first.

        Columns: what ("missed failure", "caught failure" or "false alarm"), item_id, judge, people, and what the pool
        has of the item: group, prompt, output, the judge's reason, and people's notes.
        """
        table = self.labels
        kinds = {(FAIL, PASS): MISSED, (PASS, FAIL): ALARM, (FAIL, FAIL): CAUGHT}
        what = [kinds.get(pair) for pair in zip(table["people"], table["judge"], strict=True)]
        chosen = table.assign(what=pd.Categorical(what, [MISSED, ALARM, CAUGHT])).dropna(subset="what")
        chosen = chosen.sort_values("what", kind="stable", ignore_index=True).astype({"what": object})
        chosen = chosen[["what", "item_id", "judge", "people"]]
        more = pd.DataFrame(_described(self, chosen["item_id"].tolist()), index=chosen.index, dtype=object)
        return pd.concat([chosen, more], axis=1)

    @property
    def sentence(self) -> str:
        """Say in one sentence how good the judge is, and what the pass rate is."""
        tpr = self.tpr
        good = f"The judge passes {per_cent(tpr.value)} of the good answers and"
        if math.isnan(tpr.value):
            good = "No good answer was found; the judge"
        return f"{good} {_caught(self)}; {_corrected(self)}."

    @property
    def lines(self) -> tuple[str, str]:
        """The corrected pass rate beside the judge's own, as a headline, and both rates below it."""
        rate, good, own = self.pass_rate, self.tpr, value(self.judge_only, True)
        beside = "as the judge says" if own == value(rate.value, True) else f"the judge says {own}"
        passed = f"it passes {per_cent(good.value)} of the good answers ({share_span(good.low, good.high)})"
        passed = "no good answer was found" if math.isnan(good.value) else passed
        caught = "No failure was found, so what it catches is not measurable"
        if not math.isnan(self.tnr.value):
            caught = f"The judge {_caught(self)}"
        return f"Corrected pass rate {_shown(rate)}; {beside}.", f"{caught}; {passed}."

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Reservations about these numbers, a sentence each: few failures, single annotators, a short list."""
        labels = self.study.labels
        # Of words, those that are always read so need no mention.
        words = tuple(word for word in words_of(labels.rows) if word.word not in WORDS)
        about = sounds_bad(self.study.pool, self.verdicts), _turned(self), _contradicted(self)
        of_files = filter(None, (*about, *labels.to_check, statement(words), *labels.left_out))
        weights = filter(None, [self.weights_line])
        return (*weights, *_of_failures(self), *_of_the_list(self), *_of_people(self), *of_files)

    def plot(self, tpr: float = TPR_LEAST, tnr: float = TNR_LEAST) -> Plot:
        """Draw the judge's own pass rate beside the corrected one, and both rates with their thresholds."""
        drawn = intervals.rates(figure_table(self, tpr, tnr))
        return Plot(drawn, self.title, self.lines)

    def __repr__(self) -> str:
        table = self.measures_frame()
        numbers = [f"{value:.3f}" if not math.isnan(value) else "–" for value in table["value"]]
        limits = [f"{low:.3f} to {high:.3f}" for low, high in zip(table["low"], table["high"], strict=True)]
        shown = pd.DataFrame({"measure": table["measure"], "value": numbers, "95 % limits": limits})
        text = shown.to_string(index=False, header=True).replace("-", "−")
        pair = [] if self.comparison is None else [repr(self.comparison)]
        return "\n".join([self.title, self.sentence, self.decide().sentence, text, *self.remarks, *pair])

    def _repr_html_(self) -> str:
        table = self.measures_frame().rename(columns={"low": "from", "high": "to"})
        pair = [] if self.comparison is None else [self.comparison.sentence, *self.comparison.remarks]
        notes = [self.sentence, self.decide().sentence, *self.remarks, *pair]
        return notebook.table(self.title, table, notes)


def _shown(one: Estimate) -> str:
    return f"{value(one.value, True)} ({share_span(one.low, one.high)})"


def _caught(one: Judgement) -> str:
    tnr = one.tnr
    if math.isnan(tnr.value):
        return "no failure was found, so what it catches is not measurable"
    return f"catches {per_cent(tnr.value)} of the failures ({_LEVEL}{share_span(tnr.low, tnr.high)}{_few(one)})"


def _few(one: Judgement) -> str:
    return f", {one.pair.found:.0f} found" if one.pair.found < FEW_FOUND else ""


def _corrected(one: Judgement) -> str:
    rate, own = one.pass_rate, value(one.judge_only, True)
    beside = f"as the judge’s own {own}" if own == value(rate.value, True) else f"not the judge’s {own}"
    return f"the pass rate is {_shown(rate)}, {beside}"


def balanced_sentence(one: Judgement) -> str:
    """Say what equal numbers of passes and fails, with plain rates, would have read on average."""
    fails, passes = one.pair.fails.rate, one.pair.passes.rate
    plain = {
        "pass": 1 - (fails + passes) / 2,
        "good": (1 - passes) / (2 - fails - passes) if fails + passes < 2 else math.nan,
        "caught": fails / (fails + passes) if fails + passes > 0 else math.nan,
    }
    shown = {name: value(rate, True) for name, rate in plain.items()}
    return (
        f"A sample of half passes and half fails, read without weights, misleads however large it is. It would say: "
        f"{shown['good']} of the good answers passed, {shown['caught']} of the failures caught, pass rate "
        f"{shown['pass']}."
    )


def truth_sentence(pair: VerdictPair) -> str:
    """Say what all of people's verdicts say of a judge."""
    good, caught, rate = (value(pair.value(measure), True) for measure in (TPR, TNR, PASS_RATE))
    return (
        f"People’s verdicts on all {counted(pair.size, 'item')} say: {good} of the good answers passed, {caught} of "
        f"the failures caught, pass rate {rate}."
    )


def sounds_bad(pool: Pool, judge: JudgeVerdicts) -> str:
    """Say that yes passes in a column whose name sounds as if yes were bad, with what to do; "" otherwise."""
    meant = fault_words(pool, judge)
    if not meant:
        return ""
    passing = listed([f"“{word}”" for word, meaning in meant.items() if meaning == FAIL])
    return (
        f"{passing} in “{judge.judge}” is read as pass, though the name sounds as if it meant fail. If it does, say "
        f"so: {both_ways(meant)}."
    )


def _turned(one: Judgement) -> str:
    """Say which words of people mean the opposite of the same words of the judge; "" if there are none."""
    turned = turned_words(one.study.pool, one.verdicts)
    rows = one.study.labels.rows
    given = [
        (label, written(note)) for label, note in zip(rows["label"], rows["note"], strict=True) if turned and label
    ]
    # A word that was given a meaning counts only where it keeps its usual one.
    usual = {
        word_key(text or label) for label, text in given if text is None or always(word_key(text)) == (label == RIGHT)
    }
    words = sorted(word for word in usual - _PLAIN if always(word) is not None)
    if not words:
        return ""
    means = listed([f"“{word}” as {PASS if always(word) else FAIL}" for word in words])
    same = "the same words" if turned.issuperset(words) else listed([f"“{word}”" for word in sorted(turned)])
    return (
        f"People’s labels are read as usual, {means}, where the judge’s column means the opposite by {same}. "
        f"If people meant what the judge means, replace their labels by {PASS} and {FAIL}."
    )


def _contradicted(one: Judgement) -> str:
    """Return a sentence if people's labels say the opposite of the judge, or fit other rows; else ""."""
    labels, rows = one.labels, one.study.labels.rows
    passes = (labels["judge"] == PASS).to_numpy()
    found = reversals.Signs(np.ones(passes.size, dtype=bool), passes, "that the judge passes")
    given = rows[rows["label"].notna() & rows["status"].isin([""])]
    remedy = reversals.remedy(given["label"], given["note"])
    return reversals.remark((labels["people"] == PASS).to_numpy(), found, remedy, labels["item_id"], rows)


def _of_failures(one: Judgement) -> Iterator[str]:
    pair, found = one.pair, int(one.pair.found)
    judging = one.study.plan.design.judging
    # The threshold is that of the judge of the list.
    threshold = None if judging is None or judging.judge != one.judge else judging.threshold
    if never := never_said(pair.fails.size, pair.passes.size, threshold):
        yield never
    if not found:
        low = one.pass_rate.low
        most = math.floor(pair.size * (1 - low) + 1e-9)
        # By weight, few items may be much.
        fail = "" if pair.weighted else f", so at most {counted(most, 'item fails', 'items fail')}"
        yield (
            f"No failure was found: whether the judge catches failures is not measurable. The pass rate is at least "
            f"{value(low, True)}{fail}.{_for_ten(one)}"
        )
    elif found < FEW_FOUND:
        yield f"“Failures caught” rests on {counted(found, 'failure')} found.{_for_ten(one)}"


def never_said(n_fail: int, n_pass: int, threshold: float | None = None) -> str:
    """Say which verdict a judge never gives, and what follows from that alone; "" if it gives both.

    Parameters
    ----------
    n_fail, n_pass : int
        How many items it fails and passes.
    threshold : float or None
        The score from which on it passes.
    """
    if n_fail and n_pass:
        return ""
    verdict, rates = (PASS, "TPR is 0 and TNR is 1") if n_fail else (FAIL, "TPR is 1 and TNR is 0")
    side = "below" if n_fail else "at or above"
    why = "" if threshold is None else f", since all its scores are {side} the threshold of {threshold:g}"
    return f"The judge never says {verdict}{why}: {rates} by that alone, whatever people say."


def _for_ten(one: Judgement) -> str:
    """Say how many labels would hold ten failures; "" with weights, or if the pool may not hold so many."""
    pair = one.pair
    if pair.weighted:
        return ""
    # Half a failure more: what was not found in a few labels may still be there.
    fails, passes = (
        (part.n_fails + 0.5) / (part.n_labels + 1) if part.size else 0.0 for part in (pair.fails, pair.passes)
    )
    needed = labels_for_ten_failures(pair.fails.size, pair.passes.size, (fails, passes))
    if needed is None or needed <= one.n_labels:
        return ""
    return f" About {counted(needed, 'label')} in all are expected to hold ten failures."


def _of_the_list(one: Judgement) -> Iterator[str]:
    listed_items = one.study.plan.ids.size
    if one.n_labels < listed_items:
        yield f"{one.n_labels:,} of {counted(listed_items, 'item')} of the list have a label that counts."
    account, voters = one.study.labels.account, one.study.labels.settlement.labels["voters"]
    if (again := account.repeated - int((voters - 1).sum())) > 0:
        yield (
            f"{counted(again, 'row repeats', 'rows repeat')} a label of the same person: "
            f"{account.sentence} If a program filled ids down, the items of these rows have no label."
        )
    if one.elsewhere:
        yield (
            f"{counted(one.elsewhere, 'label')} left out, of items that are not on the list: nobody knows how likely "
            "they were to be chosen."
        )
    if unknown := one.pair.fails.unknown + one.pair.passes.unknown:
        yield (
            f"{counted(unknown, 'item has', 'items have')} a pair of verdicts (of this judge and of the one that the "
            "list was drawn for) of which no label is known. Half of these items count as failures; limits allow for "
            "anything."
        )
    if one.n_labels < SIMULATED_FROM:
        yield f"Limits were tested by simulation with {SIMULATED_FROM} labels or more; this list has {one.n_labels:,}."


def _of_people(one: Judgement) -> Iterator[str]:
    rows = one.study.labels.rows
    given = rows[rows["label"].notna() & ~rows["annotator"].isin([DECISION, POOL])]
    if given.empty:
        return
    people = given.groupby("item_id")["annotator"].nunique()
    single = float((people < 2).mean())
    names = sorted(set(given["annotator"]) - {"", NOBODY})
    # All failures caught, or none found, cannot be an understatement.
    if single > 0 and one.tnr.value < 1:
        whose = (
            f"is probably understated: {per_cent(single)} of the labelled items have the label of one person"
            if names
            else "is probably understated if only one person labelled each item"
        )
        yield (
            f"“Failures caught” {whose}. Every slip makes a good answer look like a failure that the judge missed. "
            f"{_TWICE}"
        )
    if len(names) > 1:
        yield f"Labels of {listed(names)}."


def _described(one: Judgement, ids: list[str]) -> dict[str, list[object]]:
    """Return the pool's group, prompt, output and judge's reason of items, and people's notes."""
    pool, answers = one.study.pool, one.study.labels.answers
    rows = pool.rows(pool.places(ids))
    columns = {
        name: [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in rows[source]]
        for name, source in columns_of(pool, one.judge).items()
    }
    if answers:
        columns["output"] = [answers.get(item) for item in ids]
    notes = {row["item_id"]: note for row in one.study.labels.rows.to_dict("records") if (note := remark(row["note"]))}
    if notes:
        columns["note"] = [notes.get(item) for item in ids]
    return columns


def figure_table(one: Judgement, tpr: float, tnr: float) -> pd.DataFrame:
    """Rows of the figure: measure, label (the same), value, low, high, threshold (NaN if there is none)."""
    rows = [("Judge-only pass rate", one.judge_only, math.nan, math.nan, math.nan)]
    for rate, least in ((one.pass_rate, math.nan), (one.tpr, tpr), (one.tnr, tnr)):
        rows.append((rate.measure, rate.value, rate.low, rate.high, least))
    table = pd.DataFrame(rows, columns=["measure", "value", "low", "high", "threshold"])
    return table.assign(label=table["measure"])
