"""A judge that grades, against people's: bias, corrected mean, calibration (docs/judge.md, 8)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..design.design import Plan
from ..design.judging import LABELS_OF_A_STRATUM, Judging
from ..errors import DesignError, LabelError, NoLabelError
from ..estimation.mean import Estimate
from ..figures import intervals
from ..figures.plot import Plot
from ..labels.criteria import asked_kind
from ..labels.kinds import KINDS, scored
from ..pool.pool import Pool
from ..pool.problems import shown
from ..study.outcomes import in_unit, summary_frame
from ..study.study import Study
from ..words import counted, gap_span, listed, notebook, per_cent, signed, span, value
from ..words.scale import GradeScale, grade_span
from .decision import NOT_TRUSTED, TRUSTED, UNDECIDED
from .judge_verdicts import cell, items_named, judging_of, values_of, without_verdict

_ROUNDING = 1e-9
_MOST_SHOWN = 6


def grades_of(pool: Pool, column: str, scale: GradeScale) -> tuple[NDArray[np.float64], str]:
    """Read a judge's grades.

    Parameters
    ----------
    pool : Pool
        The pool.
    column : str
        A column of its items, or one of its targets, whose scores a judge gave.
    scale : GradeScale
        The judge's scale.

    Returns
    -------
    (N,) float, str
        The grade of every item, and the target whose scores they are; "" of a column.

    Raises
    ------
    DesignError
        There is no such column, or items have no grade or one off the scale: they are named.
    """
    values, target = values_of(pool, column)
    cells = list(map(cell, values))
    if missing := [place for place, one in enumerate(cells) if one is None]:
        raise DesignError(without_verdict(pool, column, missing))
    reads = KINDS[scored(scale)].reads
    read = {one: reads(one, None) for one in set(cells) if one is not None}
    bad = dict[str, list[str]]()
    for item, one in zip(pool.ids, cells, strict=True):
        if one is not None and ((number := read[one]) is None or not scale.has(float(number))):
            bad.setdefault(one, []).append(str(item))
    if bad:
        named = [f"{shown(one, 30)} ({counted(len(ids), 'item')}: {items_named(ids)})" for one, ids in bad.items()]
        more = [counted(len(bad) - _MOST_SHOWN, "other")] if len(bad) > _MOST_SHOWN else []
        raise DesignError(
            f"“{column}” holds what is no grade on the scale {scale}: {listed([*named[:_MOST_SHOWN], *more])}. Correct "
            "the file, or say the scale on which the judge grades."
        )
    return np.array([float(read[one] or 0) for one in cells if one is not None]), target


def own_mean(pool: Pool, column: str, scale: GradeScale | str) -> float:
    """Mean of a judge's grades; parameters and errors as of `grades_of`."""
    return float(np.average(grades_of(pool, column, GradeScale.read(scale))[0], weights=pool.weights))


def labels_by_grade(plan: Plan) -> dict[str, int]:
    """Labels of a list by the judge's grade, such as “1 to 2”, from the worst."""
    found = dict.fromkeys(plan.verdicts, 0)
    for grade, count in zip(plan.verdicts, plan.allocation.tolist(), strict=True):
        found[grade] += count
    return found


def grade_classes(
    grades: NDArray[np.float64], judging: Judging, budget: int, weights: NDArray[np.float64] | None = None
) -> list[NDArray[np.int64]]:
    """Return the places of the items of each class of grades, from the worst; neighbours share one that has 8 labels.

    Parameters
    ----------
    grades : (N,) float
        The judge's.
    judging : Judging
        How labels are shared between strata.
    budget : int
        M ≤ N, the labels.
    weights : (N,) float, optional
        Of the items; by default each counts once.
    """
    place = np.unique(grades, return_inverse=True)[1]
    sizes = np.bincount(place, weights=weights)
    least = float(LABELS_OF_A_STRATUM)
    while True:
        number = _joined(sizes * budget / sizes.sum(), least)[place]
        mass = None if weights is None else np.bincount(number, weights=weights).astype(np.float64)
        of_class = np.bincount(number).astype(np.int64)
        shares = judging.shares(of_class, budget, mass)
        # Heavy items may all be labelled, however few they are.
        enough = (
            shares >= LABELS_OF_A_STRATUM if mass is None else (shares >= LABELS_OF_A_STRATUM) | (shares == of_class)
        )
        if shares.size == 1 or enough.all():
            return [np.flatnonzero(number == one) for one in range(shares.size)]
        # Whole numbers of labels may be below their shares.
        least += 0.5


def _joined(amounts: NDArray[np.generic], least: float) -> NDArray[np.int64]:
    """Number the classes of neighbours, from 0: each has at least so much, or all are one."""
    numbers, number, amount = list[int](), 0, 0.0
    for one in amounts.tolist():
        if amount >= least - _ROUNDING:
            number, amount = number + 1, 0.0
        numbers.append(number)
        amount += one
    classes = np.array(numbers, dtype=np.int64)
    return np.minimum(classes, max(number - 1, 0)) if amount < least - _ROUNDING else classes


@dataclass(frozen=True, eq=False, repr=False)
class JudgeGrades:
    """A judge that grades, against people's grades on the same scale.

    Parameters
    ----------
    study : Study
        A plan of ``core.judge.judge(…, scale=…)`` with its labels; its estimate is the corrected mean.

    Raises
    ------
    DesignError
        The plan checks no judge that grades, or the least good grade is off the scale.
    NoLabelError
        Items of a stratum wait for a first label.
    """

    study: Study

    def __post_init__(self) -> None:
        if judging_of(self.study.plan).scale is None:
            raise DesignError("The judge of this list passes and fails: read its labels with neyman.judged.")
        if self.study.kind != asked_kind(judging_of(self.study.plan)):
            raise LabelError(f"These labels are no grades from {self.scale}. Read them with neyman.judge.graded.")
        if waiting := self.study.outcomes.waiting.tolist():
            names = listed(list(dict.fromkeys(self.study.plan.verdicts[one] for one in waiting)))
            why = f"No item that the judge grades {names} has a label yet. Label more of the list."
            raise NoLabelError(" ".join([why, *self.study.labels.to_check]))
        # A least good grade off the scale is refused at once.
        _ = self.study.outcomes.good

    @property
    def judge(self) -> str:
        """The judge's name."""
        return judging_of(self.study.plan).judge

    @property
    def scale(self) -> GradeScale:
        """The scale of its grades and of people's."""
        scale = judging_of(self.study.plan).scale
        assert scale is not None
        return scale

    @cached_property
    def grades(self) -> NDArray[np.float64]:
        """The judge's grade of every item, (N,)."""
        return grades_of(self.study.pool, self.judge, self.scale)[0]

    @property
    def n_labels(self) -> int:
        """Items whose label counts."""
        return len(self.study.outcomes.table)

    @property
    def judge_only(self) -> float:
        """The mean of the judge's grades, known of every item."""
        return float(np.average(self.grades, weights=self.study.plan.design.weights))

    @property
    def corrected(self) -> Estimate:
        """Corrected mean: people's mean grade of all items, Σ (N_c/N) ȳ_c over the judge's grades."""
        return replace(self.study.estimate(), measure="corrected mean")

    @property
    def counted_once(self) -> Estimate | None:
        """The corrected mean with every item counted once; None if items have no weights."""
        once = self.study.outcomes.counted_once
        return None if once is None else replace(in_unit(once, self.scale), measure="corrected mean")

    @property
    def bias(self) -> Estimate:
        """The judge's mean less the corrected one, in grades: above 0 it flatters."""
        one, own = self.corrected, self.judge_only
        return replace(one, value=own - one.value, low=own - one.high, high=own - one.low, measure="bias")

    @property
    def good(self) -> Estimate | None:
        """Share of all items that people grade so well or better; None of scores from 0 to 1."""
        return self.study.outcomes.good

    @property
    def judge_good(self) -> float:
        """The share that the judge grades so well or better; NaN of scores from 0 to 1."""
        good = self.study.outcomes.good_from
        at_least = self.grades >= (good or 0.0) - _ROUNDING * self.scale.span
        share = float(np.average(at_least, weights=self.study.plan.design.weights))
        return float("nan") if good is None else share

    @cached_property
    def calibration(self) -> pd.DataFrame:
        """Tabulate people's mean by the judge's grade, a row for each class of at least 8 labels, from the worst.

        Columns: grades (as “1 to 2”), judge (mean of the judge's grades there), items, labels, value (people's mean),
        low, high.
        """
        plan = self.study.plan
        # Strata of the same grades are of one class.
        ends = np.column_stack([plan.strata.low, plan.strata.high])
        _, first, of = np.unique(ends, axis=0, return_index=True, return_inverse=True)
        assert first.size
        labels = np.bincount(of.ravel(), weights=self.study.outcomes.counts)
        number = _joined(labels, LABELS_OF_A_STRATUM)[of.ravel()][plan.stratum]
        table = self.study.by(number).assign(group=lambda rows: rows["group"].astype(int)).sort_values("group")
        weights = self.study.plan.design.weights
        own = pd.Series(self.grades).groupby(number).agg(["min", "max", "mean"])
        if weights is not None:
            total = np.bincount(number, weights=weights)
            own["mean"] = np.bincount(number, weights=self.grades * np.asarray(weights)) / total
        names = [grade_span(*pair) for pair in zip(own["min"], own["max"], strict=True)]
        table = table[["items", "labels", "value", "low", "high"]].reset_index(drop=True)
        return pd.concat([pd.DataFrame({"grades": names, "judge": own["mean"].to_numpy()}), table], axis=1)

    def verdict(self, most_bias: float) -> str:
        """Decide whether the judge's mean can be trusted: "trusted", "not trusted" or "undecided".

        Parameters
        ----------
        most_bias : float
            How far the judge's mean may be from people's, in grades, above 0. It is trusted if all of the interval of
            the bias is within, and not trusted if none of it is.

        Raises
        ------
        DesignError
            It is no number above 0.
        """
        if not 0 < most_bias < float("inf"):
            raise DesignError(f"The largest bias must be a number of grades above 0. Found {most_bias:g}.")
        one = self.bias
        if -most_bias <= one.low and one.high <= most_bias:
            return TRUSTED
        return NOT_TRUSTED if one.low > most_bias or one.high < -most_bias else UNDECIDED

    def decision(self, most_bias: float) -> str:
        """Say what `verdict` decides and why."""
        verdict = self.verdict(most_bias)
        how = {TRUSTED: "within", NOT_TRUSTED: "beyond"}.get(verdict, "partly beyond")
        return f"{verdict.upper()}: the bias is {how} ±{most_bias:g}."

    def measures_frame(self) -> pd.DataFrame:
        """A row for each number: measure, value, low, high, labels; the share of good ones as a fraction of 1."""
        table = summary_frame(one for one in (self.corrected, self.bias, self.good) if one is not None)
        return table.drop(columns="standard_error").rename(columns={"n_labels": "labels"})

    @property
    def title(self) -> str:
        """The judge, and how many labels and items there are."""
        return f"Judge “{self.judge}”: {self.study.outcomes.given()} of {self.grades.size:,} items"

    @property
    def lines(self) -> tuple[str, ...]:
        """The corrected mean beside the judge's own, as a headline; then the bias, and the share of good ones."""
        outcomes, own = self.study.outcomes, self.scale.share(self.judge_only)
        one, unit = outcomes.estimate, outcomes.unit
        beside = value(own, unit, one.high - one.low)
        about = value(one.value, unit, one.high - one.low)
        says = "as the judge says" if beside == about else f"the judge says {beside}"
        gap, ends = own - one.value, gap_span(own - one.high, own - one.low, unit)
        which = "too high" if gap > 0 else "too low"
        biased = f"On average it grades {signed(abs(gap), unit).lstrip('+')} {which} (bias {ends})."
        if own - one.high <= 0 <= own - one.low:
            biased = f"Bias {signed(gap, unit)} ({ends}): it may be none."
        first = f"Corrected mean {about} ({span(one.low, one.high, unit)}); {says}."
        good = outcomes.shares_line
        shares = f"{good.removesuffix('.')}; the judge says {per_cent(self.judge_good, 1)}." if good else ""
        return tuple(filter(None, (first, biased, shares)))

    @property
    def sentence(self) -> str:
        """The lines as one text."""
        return " ".join(self.lines)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Reservations about these numbers, a sentence each."""
        return tuple(one for one in self.study.remarks if one != self.study.outcomes.shares_line)

    def rows(self) -> list[tuple[str, ...]]:
        """Write the calibration: the judge's grade, items, labels, people's mean, its limits."""
        unit, share = self.study.outcomes.unit, self.scale.share
        return [
            (
                row["grades"],
                f"{row['items']:,}",
                f"{row['labels']:,}",
                value(share(row["value"]), unit, share(row["high"]) - share(row["low"])),
                span(share(row["low"]), share(row["high"]), unit),
            )
            for row in self.calibration.to_dict("records")
        ]

    def shown(self) -> pd.DataFrame:
        """The same as a table of texts."""
        return pd.DataFrame(self.rows(), columns=HEAD)

    def plot(self) -> Plot:
        """Draw people's mean by the judge's grade, beside the diagonal of a judge that grades as people do."""
        return Plot(intervals.calibration(self.calibration, self.scale), self.title, self.lines)

    def __repr__(self) -> str:
        return "\n".join([self.title, *self.lines, self.shown().to_string(index=False), *self.remarks])

    def _repr_html_(self) -> str:
        return notebook.table(self.title, self.shown(), [*self.lines, *self.remarks])


# Heads of the columns of `JudgeGrades.rows`.
HEAD = ["The judge’s grade", "Items", "Labels", "People’s mean", "95 % limits"]
