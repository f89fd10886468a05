"""A plan as one HTML page or one table, before any label: the answer, what may be known, costs, an accuracy gate."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from ..allocation.ways import GATE, RECOMMENDED, UNIFORM
from ..figures import planning
from ..prospect import NOTHING, Differing, EarlyGate, GatePromise, PairPromise, PlanScenario, Prospect, scenarios
from ..prospect.scenarios import grid
from ..words import bare, counted, per_cent
from .blocks import Drawing, Paragraph, Table, drawing, render

_HEIGHT = 250


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
    rows : tuple of PlanScenario
        What may be known of the items; by default those of the prospect's labels.
    chosen : PlanScenario, optional
        The row that the page is about; by default what the plan rests on now.
    note : str
        Stands beside the items, such as what is assumed of prices.
    """

    prospect: Prospect
    gate: GatePromise | None = None
    early: EarlyGate | None = None
    pairs: PairPromise | None = None
    differing: Differing | None = None
    rows: tuple[PlanScenario, ...] = ()
    chosen: PlanScenario | None = None
    note: str = ""

    def html(self) -> str:
        """Write one HTML page: no script, no request to anywhere, figures drawn inside; every text is escaped."""
        rows = self.rows or scenarios(self.prospect)
        chosen = self.chosen or next(one for one in rows if one.own)
        values = {
            "title": f"Plan: {counted(chosen.labels, 'label')}",
            "about": self._about(),
            "answer": chosen.sentence,
            "sections": [section for section in self._sections(rows, chosen) if section.parts],
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

    def _about(self) -> str:
        """Return the items and the target, in words."""
        asked, size = self.prospect.question, self.prospect.size
        items = "very many items" if size is None else counted(size, "item")
        if not self.prospect.has_pool:
            said = f"For a new pool of {items}"
        else:
            target = "" if asked.target is None else f", tested model “{asked.target}”"
            said = f"“{self.prospect.pool.name}”, {items}{target}"
        return ", ".join(filter(None, (said, self.note)))

    def _sections(self, rows: tuple[PlanScenario, ...], chosen: PlanScenario) -> Iterator[Section]:
        yield Section("", tuple(_answer(chosen)))
        yield Section("What may be known of the items", (_known(rows, chosen),))
        yield Section("What it costs", tuple(_costs(chosen)))
        if self.gate is not None:
            said = str(self.gate.finding), str(self.gate.of_planned)
            yield Section("Ship or hold: an accuracy gate", tuple(map(Paragraph, said)))


def _answer(chosen: PlanScenario) -> Iterator[Any]:
    prospect = chosen.prospect
    method = UNIFORM.name if chosen.name == NOTHING else prospect.forecast_method
    yield Paragraph(f"{chosen.beside} {prospect.meaning}".strip())
    if prospect.share:
        shown = planning.planned(prospect.half_width_curve(), chosen.labels, method)
        figure = planning.half_widths(shown, chosen.labels, None, _HEIGHT, method, prospect.promise.ranges)
        yield Drawing(drawing(figure, chosen.sentence))
    yield Paragraph(chosen.worth)
    yield Paragraph(prospect.explained, "soft")


def _known(rows: tuple[PlanScenario, ...], chosen: PlanScenario) -> Table:
    """Tabulate what may be known of the items, the row of the page marked."""
    head, *cells = grid(rows)
    marked = [("→ " * (one is chosen) + row[1], *row[2:]) for one, row in zip(rows, cells, strict=True)]
    return Table(head[1:], marked)


def _costs(chosen: PlanScenario) -> Iterator[Table]:
    """Give the bill of the plan, if there is more on it than the title says."""
    payment = chosen.payment
    bill = payment.costs.bill(payment.labels, payment.n_items)
    if len(bill) > 2:
        yield Table(("", ""), [("Number of labels", f"{payment.labels:,}"), *bill])


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
