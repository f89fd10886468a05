"""A plan as one HTML page or one table, before any label: the answer, its costs, an accuracy gate and a comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..allocation.rules import UNIFORM
from ..allocation.ways import WAYS
from ..figures import planning as figures
from ..prospect import Differing, EarlyGate, GatePromise, PairPromise, Prospect
from ..prospect.savings import Saving
from ..words import UNKNOWN, bare, counted, level, per_cent
from .blocks import Drawing, Paragraph, Table, drawing, render
from .decided import Decided, of_gate, of_pairs, of_savings

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
            ("half-width", or what is decided); and the other columns of `core.report.decided.Decided`.
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
        shown, method = figures.planned(table, promise.labels), prospect.forecast_method
        if prospect.share:
            figure = figures.half_widths(shown, promise.labels, None, _HEIGHT, method, promise.ranges)
            yield Drawing(drawing(figure, promise.sentence))
        yield Paragraph(promise.verdict)
        confidence = f"Intervals of {level(prospect.question.confidence)}."
        said = (prospect.explained, figures.shared_lines(shown, method), confidence)
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
        figure = figures.gate_chances(promise.chances, promise.rule.bar, promise.rule.band)
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
