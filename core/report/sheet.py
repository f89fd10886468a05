"""A plan as one HTML page or one table, before any label: the answer, its costs, an accuracy gate and a comparison."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from ..allocation.ways import GATE, RECOMMENDED, UNIFORM, WAYS
from ..figures import planning
from ..prospect import Differing, EarlyGate, GatePromise, PairPromise, Prospect
from ..prospect.promise import Saving
from ..words import UNKNOWN, bare, counted, level, per_cent
from .blocks import Drawing, Paragraph, Table, drawing, render

_HEIGHT = 330


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: its heading, "" for none, and blocks of `core.report.blocks`."""

    title: str
    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A plan's summary: the precision of its labels, their cost, and the decisions that they allow.

    Parameters
    ----------
    prospect : Prospect
        What is asked, at its budget.
    gate, early : GatePromise and EarlyGate, optional
        An accuracy gate, decided once, and the same one checked after every label.
    pairs, differing : PairPromise and Differing, optional
        A comparison of targets, and the same one among the items alone on which their answers differ.
    saved : str
        What pools with known outcomes saved, in a sentence.
    savings : sequence of Saving
        The same, target by target. Pools other than the prospect's are not named in what is handed out.
    """

    prospect: Prospect
    gate: GatePromise | None = None
    early: EarlyGate | None = None
    pairs: PairPromise | None = None
    differing: Differing | None = None
    saved: str = ""
    savings: Sequence[Saving] = ()

    def html(self) -> str:
        """Write one HTML page: no script, no request to anywhere, figures drawn inside; every text is escaped."""
        promise = self.prospect.promise
        values = {
            "title": f"Plan: {counted(promise.labels, 'label')}",
            "about": self._about(),
            "answer": promise.sentence,
            "sections": [section for section in self._sections() if section.parts],
        }
        return render("sheet.html", values)

    def frame(self) -> pd.DataFrame:
        """Tabulate half-widths over budgets and what decisions take, each with its costs.

        Returns
        -------
        DataFrame
            Tidy: the columns of `Prospect.half_width_curve`; money (of labels, the target's answers to them and, but
            for Uniform, the surrogate's pass; NaN without a price) and hours (NaN if no time is given); question
            ("half-width", or what is decided); and the other columns of `core.report.sheet.Decided`.
        """
        curve = self.prospect.half_width_curve().assign(question="half-width")
        decided = pd.DataFrame(list(self._decided()), columns=list(Decided._fields))
        kept = [name for name in decided if name in curve or decided[name].notna().any()]
        table = pd.concat([curve, decided[kept].astype({"budget": "Int64"})], ignore_index=True)
        costs = [self._price(method, labels) for method, labels in zip(table["method"], table["budget"], strict=True)]
        table = table.assign(money=[money for money, _ in costs], hours=[hours for _, hours in costs])
        order = [*curve.columns.drop("question"), "money", "hours", "question"]
        return table[[*order, *(name for name in kept if name not in order)]]

    def _price(self, method: str, labels: Any) -> tuple[float, float]:
        """Money and hours of so many labels; NaN for what has no price."""
        if pd.isna(labels):
            return math.nan, math.nan
        costs, size = self.prospect.question.costs, self.prospect.size
        surrogate = 0.0 if size is None or method == UNIFORM.name else costs.surrogate_pass(size)
        money, hours = costs.money(labels) + surrogate, costs.hours(labels)
        return money if money > 0 else math.nan, hours if hours > 0 else math.nan

    def _decided(self) -> Iterator[Decided]:
        if self.gate is not None:
            yield from of_gate(self.gate, self.early)
        if self.pairs is not None:
            yield from of_pairs(self.pairs, self.differing)
        yield from of_savings(self._handed_out())

    def _handed_out(self) -> list[Saving]:
        """The savings without the names of pools and models that whoever gets the page need not know."""
        own = self.prospect.pool.name if self.prospect.has_pool else None
        others = {name: place for place, name in enumerate(dict.fromkeys(one.pool for one in self.savings), 1)}
        return [
            one if one.pool == own else replace(one, pool=f"pool {others[one.pool]}", target="a model")
            for one in self.savings
        ]

    def _about(self) -> str:
        """Return the items and the target, in words."""
        asked, size = self.prospect.question, self.prospect.size
        items = "very many items" if size is None else counted(size, "item")
        if not self.prospect.has_pool:
            return f"For a new pool of {items}"
        target = "" if asked.target is None else f", tested model “{asked.target}”"
        return f"“{self.prospect.pool.name}”, {items}{target}"

    def _sections(self) -> Iterator[Section]:
        prospect = self.prospect
        yield Section("", tuple(self._answer()))
        yield Section("What it costs", tuple(self._costs()))
        if self.gate is not None:
            yield Section("Ship or hold: an accuracy gate", tuple(_gate(self.gate, self.early)))
        if self.pairs is not None:
            findings = [one.finding for one in (self.pairs, self.differing) if one is not None]
            words = [Paragraph(str(finding)) for finding in findings]
            yield Section("Compare models", (*words, Paragraph(self.pairs.about, "soft")))
        if self.saved:
            yield Section("What pools with known outcomes saved", (Paragraph(self.saved), _saved(self._handed_out())))
        table = prospect.half_width_curve()
        yield Section("Half-widths", (_widths(table, prospect.share),))

    def _answer(self) -> Iterator[Any]:
        prospect = self.prospect
        promise, table = prospect.promise, prospect.half_width_curve()
        if promise.half_width > 0:
            yield Paragraph(prospect.meaning)
        shown, method = planning.planned(table, promise.labels), prospect.forecast_method
        if prospect.share:
            figure = planning.half_widths(shown, promise.labels, None, _HEIGHT, method, promise.ranges)
            yield Drawing(drawing(figure, promise.sentence))
        yield Paragraph(promise.verdict)
        confidence = f"Intervals of {level(prospect.question.confidence)}."
        said = (prospect.explained, planning.shared_lines(shown, method), confidence)
        yield Paragraph(" ".join(filter(None, said)), "soft")

    def _costs(self) -> Iterator[Any]:
        """The bill of the plan, and that of Uniform for the same precision."""
        promise, costs = self.prospect.promise, self.prospect.question.costs
        bill = costs.bill(promise.labels, self.prospect.size)
        if not bill:
            return
        rows = [("Number of labels", f"{promise.labels:,}"), *bill]
        if promise.uniform_labels is not None:
            uniform = costs.spent(promise.uniform_labels)
            rows.append((f"Uniform, {counted(promise.uniform_labels, 'label')} for the same precision", uniform or "–"))
        yield Table(("", ""), rows)


def _gate(promise: GatePromise, early: EarlyGate | None) -> Iterator[Any]:
    yield Paragraph(str(promise.finding))
    yield Paragraph(str(promise.of_planned))
    if promise.labels is not None:
        figure = planning.gate_chances(promise.chances, promise.rule.bar, promise.rule.band)
        yield Drawing(drawing(figure, "Chance of ship, hold and unclear against the true accuracy."))
    if early is not None:
        yield Paragraph(str(early.finding))
    if promise.labels is not None:
        yield Paragraph(promise.about, "soft")


def _saved(savings: Sequence[Saving]) -> Table:
    """Return the table of savings on each pool and target."""
    rows = [
        (
            one.pool,
            one.target,
            f"{one.labels:,}",
            per_cent(one.saved, 1),
            UNKNOWN if math.isnan(one.accuracy) else per_cent(one.accuracy, 1),
            UNKNOWN if math.isnan(one.auroc) else f"{one.auroc:.2f}",
        )
        for one in savings
    ]
    return Table(("Pool", "Target", "Labels", "Labels saved", "Accuracy", "AUROC"), rows)


def _widths(table: pd.DataFrame, share: bool) -> Table:
    """Half-widths of every method at each number of labels."""
    wide = table.pivot(index="budget", columns="method", values="half_width")
    wide = wide[[method for method in WAYS if method in wide.columns]]
    head = ["Labels", *(WAYS[str(method)].plainly for method in wide.columns)]
    rows = [
        (f"{budget:,}", *("–" if width != width else f"±{bare(width, share)}" for width in widths))
        for budget, *widths in wide.itertuples()
    ]
    return Table(head, rows)


# Decisions that labels allow, as rows of a plan's table: every number that page Plan shows of them.


class Decided(NamedTuple):
    """A number of labels and what it decides; None for what does not apply.

    Parameters
    ----------
    question : str
        What is decided, in words.
    method : str
        How the items are drawn, of `core.allocation.ways.WAYS`.
    budget : int or None
        Number of labels; None if it takes more than 100,000.
    accuracy : float or None
        True accuracy for which the chance holds, or the accuracy of a target whose outcome is known.
    answer : str or None
        What is answered: "ship", "hold" or "unclear".
    chance : float or None
        Of this answer, or of detecting the difference.
    difference : float or None
        Of two accuracies.
    half_width : float or None
        Of the interval.
    saved : float or None
        Share of Uniform's labels.
    auroc : float or None
        Of the design's signal.
    """

    question: str
    method: str
    budget: int | None
    accuracy: float | None = None
    answer: str | None = None
    chance: float | None = None
    difference: float | None = None
    half_width: float | None = None
    saved: float | None = None
    auroc: float | None = None


def of_gate(promise: GatePromise, early: EarlyGate | None) -> Iterator[Decided]:
    """Give what an accuracy gate takes, what the plan's labels decide, and each chance of the figure."""
    rule = promise.rule
    asked = f"ship or hold at {per_cent(rule.bar, 1)} ± {bare(rule.band, True)}"
    once = f"{asked}, decided once"
    yield Decided(once, UNIFORM.name, promise.labels, chance=rule.power)
    labels, ends = min(promise.planned, rule.items), (min(rule.bar + rule.band, 1.0), max(rule.bar - rule.band, 0.0))
    for row, answer in zip(rule.chances(labels, ends).to_dict("records"), ("ship", "hold"), strict=True):
        about = f"{once}, with the plan’s labels"
        yield Decided(about, UNIFORM.name, labels, row["accuracy"], answer, row[answer])
    if promise.labels is not None:
        for row in promise.chances.to_dict("records"):
            for answer in ("ship", "hold", "unclear"):
                figure = f"{once}, chances"
                yield Decided(figure, UNIFORM.name, promise.labels, row["accuracy"], answer, row[answer])
    if early is not None:
        yield from _of_early(f"{asked}, checked after every label", early)


def _of_early(asked: str, early: EarlyGate) -> Iterator[Decided]:
    for answer, runs in (("ship", early.ship), ("hold", early.hold)):
        yield Decided(f"{asked}, mean", GATE.name, round(runs.labels), runs.accuracy, answer, runs.decided)
    yield Decided(f"{asked}, at most", GATE.name, early.promise.most)
    if early.recommended is not None:
        for method, labels in ((GATE.name, early.promise.labels), (RECOMMENDED.name, early.recommended)):
            yield Decided("half-width of the gate’s list", method, labels, half_width=early.half_width)


def of_pairs(promise: PairPromise, differing: Differing | None) -> Iterator[Decided]:
    """Give what a comparison of targets takes, and the smallest difference that the plan's labels detect."""
    rule, about = promise.rule, f"difference between {promise.rule.targets} targets"
    yield Decided(about, UNIFORM.name, promise.labels, chance=rule.power, difference=promise.difference)
    least = f"{about}, the smallest for the plan’s labels"
    yield Decided(least, UNIFORM.name, promise.budget, chance=rule.power, difference=promise.detectable)
    if differing is not None:
        where = (
            f"difference between “{differing.first}” and “{differing.second}” on the {per_cent(differing.share, 1)} of "
            "the items where their answers differ"
        )
        if differing.labels is not None:
            yield Decided(where, UNIFORM.name, differing.labels, chance=rule.power, difference=promise.difference)


def of_savings(savings: Iterable[Saving]) -> Iterator[Decided]:
    """Give what the recommended design saved on pools with known outcomes."""
    for one in savings:
        about = f"saved on “{one.pool}”, target “{one.target}”"
        yield Decided(about, RECOMMENDED.name, one.labels, accuracy=one.accuracy, saved=one.saved, auroc=one.auroc)
