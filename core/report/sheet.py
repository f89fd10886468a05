"""A plan as one HTML page or one table, before any label: the answer, its costs, a release gate and a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..allocation.rules import UNIFORM
from ..allocation.ways import GATE, WAYS
from ..figures import planning as figures
from ..prospect import Differing, EarlyGate, GatePromise, PairPromise, Prospect
from ..words import bare, counted, level, per_cent
from .blocks import Drawing, Paragraph, Table, drawing, render

_HEIGHT = 330


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: its heading, "" for none, and blocks of `core.report.blocks`."""

    title: str
    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """What labels give, what they cost and what can be decided with them.

    Parameters
    ----------
    prospect : Prospect
        What is asked, at its budget.
    gate, early : GatePromise and EarlyGate, optional
        A release gate, decided once, and the same one checked after every label.
    pairs, differing : PairPromise and Differing, optional
        A comparison of targets, and the same one among the items alone on which their answers differ.
    saved : str
        What pools with known outcomes saved, in a sentence.
    """

    prospect: Prospect
    gate: GatePromise | None = None
    early: EarlyGate | None = None
    pairs: PairPromise | None = None
    differing: Differing | None = None
    saved: str = ""

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
            for Uniform, the surrogate's pass) and hours; question ("half-width", or what is decided). The number of
            labels of a gate that is checked after every label is a mean.
        """
        curve = self.prospect.half_width_curve().assign(question="half-width")
        table = pd.concat([curve, pd.DataFrame(list(self._decided()), columns=["method", "budget", "question"])])
        costs, size = self.prospect.question.costs, self.prospect.size
        surrogate = 0.0 if size is None else costs.surrogate_pass(size)
        money = [
            costs.money(budget) + (0.0 if method == UNIFORM.name else surrogate)
            for method, budget in zip(table["method"], table["budget"], strict=True)
        ]
        order = [name for name in curve.columns if name != "question"]
        hours = [costs.hours(budget) for budget in table["budget"]]
        return table.assign(money=money, hours=hours)[[*order, "money", "hours", "question"]].reset_index(drop=True)

    def _decided(self) -> Iterator[tuple[str, int, str]]:
        """Labels of decisions: method, budget, question."""
        if self.gate is not None and self.gate.labels is not None:
            bar = f"{per_cent(self.gate.rule.bar, 1)} ± {bare(self.gate.rule.band, True)}"
            yield UNIFORM.name, self.gate.labels, f"ship or hold at {bar}, decided once"
            if self.early is not None:
                for answer, runs in (("ship", self.early.ship), ("hold", self.early.hold)):
                    yield (
                        GATE.name,
                        round(runs.labels),
                        f"{answer} at {per_cent(runs.accuracy, 1)}, checked early, mean",
                    )
        if self.pairs is not None:
            points = f"{100 * self.pairs.difference:.3g} points between {self.pairs.rule.targets} targets"
            yield UNIFORM.name, self.pairs.labels, f"difference of {points}"
            if self.differing is not None and self.differing.labels is not None:
                yield UNIFORM.name, self.differing.labels, f"difference of {points}, where their answers differ"

    def _about(self) -> str:
        """Which items, and which target."""
        asked, size = self.prospect.question, self.prospect.size
        items = "very many items" if size is None else counted(size, "item")
        if not self.prospect.has_pool:
            return f"For a new pool of {items}"
        target = "" if asked.target is None else f", target “{asked.target}”"
        return f"“{self.prospect.pool.name}”, {items}{target}"

    def _sections(self) -> Iterator[Section]:
        prospect = self.prospect
        yield Section("", tuple(self._answer()))
        yield Section("What it costs", tuple(self._costs()))
        if self.gate is not None:
            yield Section("Ship or hold: a release gate", tuple(_gate(self.gate, self.early)))
        if self.pairs is not None:
            findings = [one.finding for one in (self.pairs, self.differing) if one is not None]
            yield Section("Compare targets", tuple(Paragraph(str(finding)) for finding in findings))
        if self.saved:
            yield Section("What pools with known outcomes saved", (Paragraph(self.saved),))
        table = prospect.half_width_curve()
        yield Section("Half-widths", (_widths(table, prospect.share),))

    def _answer(self) -> Iterator[Any]:
        prospect = self.prospect
        promise, table = prospect.promise, prospect.half_width_curve()
        if promise.half_width > 0:
            yield Paragraph(prospect.meaning)
        if prospect.share:
            shown, method = figures.planned(table, promise.labels), prospect.forecast_method
            figure = figures.half_widths(shown, promise.labels, None, _HEIGHT, method, promise.ranges)
            yield Drawing(drawing(figure, promise.sentence))
        yield Paragraph(promise.verdict)
        confidence = f"Intervals of {level(prospect.question.confidence)}."
        yield Paragraph(f"{prospect.explained} {confidence}", "soft")

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
