"""Labels, precision and money of a plan by what may be known of the items: nothing, a cheap model's answers, and more.

What the pool has is read from it; what it lacks is forecast for a pool of its size with a signal that is worth what
such signals usually are (`core.signals.SIGNALS`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..allocation.ways import UNIFORM
from ..errors import DesignError
from ..signals.entries import SIGNALS
from ..simulation.findings import SMALL_SAVING
from ..words import UNKNOWN, counted, per_cent, share_span, width
from .forecast import fewest, labels_for, middle_risks
from .prior import Range
from .prospect import Prospect
from .question import ELSEWHERE, Payment, Question
from .sampling_frame import layout

NOTHING, POOR, SURROGATE, ANSWERS, PAST, BOTH = "nothing", "poor", "surrogate", "answers", "past", "both"
# What may be known, from the least on: its title, the signal that is made of it, and what that is usually worth.
_KINDS = {
    POOR: ("A poor model’s answers", "", "weak"),
    SURROGATE: ("A cheap model’s answers", "semantic-entropy", "typical"),
    ANSWERS: ("… and your model’s", "agreement", "strong"),
    PAST: ("Other models’ results", "past-results", "past results"),
    BOTH: ("Results and answers", "risk", ""),
}
_OF_SURROGATE = (POOR, SURROGATE, ANSWERS)


@dataclass(frozen=True, slots=True)
class PlanScenario:
    """A plan under one assumption about what is known of the items before any label.

    Parameters
    ----------
    name : str
        "nothing", "poor", "surrogate", "answers", "past", "both", or the signal that the plan rests on.
    title : str
        For people.
    prospect : Prospect
        The design that follows, at its number of labels; of "nothing", the prospect that is asked about.
    payment : Payment
        Its labels, those of a plain random sample that is as precise, and what they cost.
    half_width : float
        To expect of the interval.
    assumed : bool
        Whether the pool lacks it, so that a typical signal is assumed.
    own : bool
        Whether the plan rests on it now.
    """

    name: str
    title: str
    prospect: Prospect
    payment: Payment
    half_width: float
    assumed: bool
    own: bool

    @property
    def labels(self) -> int:
        """M."""
        return self.payment.labels

    @property
    def saved(self) -> float:
        """Share of a plain random sample's labels that are saved, in (−∞, 1); NaN if it is not known."""
        uniform = self.payment.uniform_labels
        return math.nan if uniform is None else 1 - self.labels / uniform

    @property
    def sentence(self) -> str:
        """The answer, “±3.0 points: 518 labels, 2,072 €, instead of 591”."""
        uniform, share = self.payment.uniform_labels, self.prospect.share
        precise = f"±{width(self.half_width, share)}" if self.half_width > 0 else "Exactly"
        paid = "".join(f", {one}" for one in (self.payment.words,) if one)
        saves = uniform is not None and uniform > self.labels
        return f"{precise}: {counted(self.labels, 'label')}{paid}{f', instead of {uniform:,}' if saves else ''}"

    @property
    def of_surrogate(self) -> bool:
        """Whether a cheap model has to answer first."""
        return self.name in _OF_SURROGATE

    @property
    def beside(self) -> str:
        """The width of a plain random sample, and the share of labels saved, in a sentence or two."""
        promise, uniform = self.prospect.promise, self.payment.uniform_labels
        if uniform is None or (promise.gain is not None and promise.gain.standard_error <= 0):
            return promise.verdict
        if self.name == NOTHING:
            return ""
        wide = f"Uniform (a plain random sample): ±{width(promise.uniform, self.prospect.share)}."
        if self.saved <= 0:
            return f"{wide} Knowing this saves no labels."
        share, span = per_cent(self.saved), ""
        if self.saved < SMALL_SAVING:
            return f"{wide} Knowing this hardly helps: {share} of the labels saved."
        if self.own and not promise.exact and promise.uniform_labels == uniform:
            between = share_span(promise.saved_low, promise.saved_high)
            span = "" if between == share else f" ({promise.ranges} {between})"
        saves = "saves" if promise.exact else "should save"
        return f"{wide} Choosing the items this way {saves} {share} of the labels{span}."

    @property
    def worth(self) -> str:
        """The price below which knowing this pays, in a sentence; "" if it saves nothing, or labels have no price."""
        limit = self.payment.break_even
        if self.name == NOTHING or not limit > 0:
            return ""
        whose = "Both models’ answers" if self.name == ANSWERS else "The cheap model’s answers"
        what = f"{whose} pay" if self.of_surrogate else "Knowing this pays"
        spent = self.payment.surrogate_pass
        beyond = f" They cost {self.payment.costs.amount(spent)}, so they do not pay." if spent > limit else ""
        return f"{what} as long as {'they cost' if self.of_surrogate else 'it costs'} less than " + (
            f"{self.payment.costs.amount(limit)}.{beyond}"
        )

    def __repr__(self) -> str:
        return f"PlanScenario “{self.title}”: {self.sentence}"


def scenarios(asked: Prospect, half_width: float | None = None, money: float | None = None) -> tuple[PlanScenario, ...]:
    """Return what may be known of the items, from nothing on, each with what the plan takes then.

    Parameters
    ----------
    asked : Prospect
        The recommended design, with beliefs and costs; its budget counts if nothing else is given.
    half_width : float, optional
        The wanted half-width, in (0, 1).
    money : float, optional
        The amount to spend.

    Raises
    ------
    DesignError
        Both are given, or as of `Prospect.for_half_width` and `Prospect.for_money`.
    """
    return tuple(_rows(asked, half_width, money))


def own_scenario(asked: Prospect, half_width: float) -> PlanScenario:
    """Return what the plan takes by what it rests on now, for a half-width; raises as `scenarios` does."""
    name = _own(asked)
    rows = {one.name: one for one in _rows(asked, half_width, None, name)}
    if name not in rows:
        raise DesignError(f"No number of labels gives ±{width(half_width, True)}. Choose a wider interval.")
    return rows[name]


def _rows(
    asked: Prospect, half_width: float | None, money: float | None, alone: str | None = None
) -> Iterator[PlanScenario]:
    """Give the rows of `scenarios`; or those of nothing and of one kind of knowledge alone."""
    if half_width is not None and money is not None:
        raise DesignError("Give a half-width or an amount of money, not both.")
    costs = asked.question.costs
    free = replace(costs, tokens=0.0)
    size = asked.size
    labels = _uniform_labels(asked, half_width, free.labels(money, asked.frame.n_items) if money is not None else None)
    wide = _uniform_half_width(asked, labels)
    nothing = Payment(free, labels, labels, size)
    own = _own(asked)
    yield PlanScenario(NOTHING, "Nothing (a random sample)", asked.at(labels), nothing, wide, False, own == NOTHING)
    for name, title, prospect, assumed in _known(asked, own):
        if alone not in (None, name):
            continue
        paid = costs if name in _OF_SURROGATE or (name == own and asked.has_pool) else free
        priced = prospect.asking(replace(prospect.question, costs=paid))
        # What cannot reach the precision, or for which the money does not suffice, is no way.
        try:
            if half_width is not None:
                at = priced.for_half_width(half_width)
            else:
                at = priced.for_money(money) if money is not None else priced.at(asked.budget)
            promise = at.promise
        except DesignError:
            continue
        uniform = labels if half_width is not None else promise.uniform_labels
        payment = Payment(paid, at.budget, uniform, size)
        yield PlanScenario(name, title, at, payment, promise.half_width, assumed, name == own)


def scenario_table(
    asked: Prospect | tuple[PlanScenario, ...], half_width: float | None = None, money: float | None = None
) -> pd.DataFrame:
    """Tabulate what a plan takes by what may be known of the items, from nothing on.

    Parameters
    ----------
    asked : Prospect, or tuple of PlanScenario
        As in `scenarios`, or what that returned.
    half_width, money : float, optional
        As in `scenarios`.

    Returns
    -------
    DataFrame
        One row a state of knowledge: known ("nothing", "poor", "surrogate", "answers", "past", "both", or the signal
        that the plan rests on), title, labels, half_width (a fraction), uniform_labels (of a plain random sample that
        is as precise), saved (share of these), money and hours (NaN without a price), break_even (the most that
        knowing it may cost, NaN without a price), assumed (whether the pool lacks it), own (whether the plan rests on
        it now).

    Raises
    ------
    DesignError
        As of `scenarios`.
    """
    rows = scenarios(asked, half_width, money) if isinstance(asked, Prospect) else asked
    table = pd.DataFrame([_row(one) for one in rows])
    return table.astype({"uniform_labels": "Int64"})


def _row(one: PlanScenario) -> dict[str, Any]:
    """A row of `scenario_table`."""
    payment, costs = one.payment, one.payment.costs
    priced = costs.each > 0
    return {
        "known": one.name,
        "title": one.title,
        "labels": one.labels,
        "half_width": one.half_width,
        "uniform_labels": payment.uniform_labels,
        "saved": one.saved,
        "money": payment.money if priced else math.nan,
        "hours": costs.hours(one.labels) if costs.minutes > 0 else math.nan,
        "break_even": payment.break_even if priced else math.nan,
        "assumed": one.assumed,
        "own": one.own,
    }


def grid(rows: tuple[PlanScenario, ...]) -> list[list[str]]:
    """Return the same as cells of text, their heads first: the first marks what the plan rests on now."""
    priced = any(one.payment.costs.each > 0 for one in rows)
    cells = [["", "Known of the items", "Labels", "Saved", "±", *(["Cost", "May cost up to"] if priced else [])]]
    for one in rows:
        costs, limit = one.payment.costs, one.payment.break_even
        paid = [costs.amount(one.payment.money), costs.amount(limit) if limit > 0 else UNKNOWN] if priced else []
        saved = UNKNOWN if one.name == NOTHING else per_cent(one.saved)
        title, precise = f"{one.title}{' (assumed)' * one.assumed}", width(one.half_width, one.prospect.share)
        cells.append(["→" if one.own else "", title, f"{one.labels:,}", saved, precise, *paid])
    return cells


def printed(rows: tuple[PlanScenario, ...]) -> str:
    """Return the same as a table for a terminal."""
    cells = grid(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        [text.ljust(n) if place < 2 else text.rjust(n) for place, (text, n) in enumerate(zip(row, widths, strict=True))]
        for row in cells
    ]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _own(asked: Prospect) -> str:
    """Name what the plan rests on."""
    if not asked.has_pool:
        auroc = asked.question.auroc
        if auroc is None:
            return SURROGATE
        return next((name for name, kind in _KINDS.items() if kind[2] and kind[2] == auroc), "believed")
    if asked.uniform:
        return NOTHING
    signal = ELSEWHERE if asked.question.signal == ELSEWHERE else asked.whole.scheme.signal
    return next((name for name, kind in _signals(asked).items() if kind == signal), signal)


def _signals(asked: Prospect) -> dict[str, str]:
    """Signal of each kind of knowledge that the pool has."""
    there = asked.knowledge.signals if asked.has_pool else ()
    made = {name: signal for name, (_, signal, _) in _KINDS.items() if signal in there}
    # Without answers, a predicted risk is how past results are used.
    if BOTH in made and asked.has_pool and not asked.pool.n_generations:
        made[PAST] = made.pop(BOTH)
    return made


def _known(asked: Prospect, own: str) -> Iterator[tuple[str, str, Prospect, bool]]:
    """Give name, title and prospect of each state of knowledge, and whether it is assumed."""
    question, made = asked.question, _signals(asked)
    if own != NOTHING and own not in _KINDS:
        titled = "What you believe of them" if not asked.has_pool else "Your other pools"
        yield own, titled if own not in SIGNALS else SIGNALS[own].title, asked, False
    for name, (title, _, usual) in _KINDS.items():
        if name == own and (asked.has_pool or question.auroc is not None):
            yield name, title, asked, False
        elif name in made:
            # What the pool has tells how well it works.
            other = replace(question, signal=made[name], column=None, auroc=None)
            yield name, title, asked.asking(other), False
        elif usual and asked.share and (name != POOR or SURROGATE not in made):
            accuracy, confidence = _accuracy(asked), question.confidence
            assumed = Question(n_items=asked.size, expected=accuracy, auroc=usual, confidence=confidence)
            yield name, title, Prospect(None, None, 1, assumed, memo=asked.memo), asked.has_pool


def _accuracy(asked: Prospect) -> float | tuple[float, float] | Range | None:
    """The accuracy that is assumed where the pool lacks a signal: that of the prospect."""
    if not asked.has_pool:
        return asked.question.expected
    return Range(asked.truth, asked.truth, asked.truth) if asked.known is not None else asked.belief.accuracy


def _uniform_half_width(asked: Prospect, labels: int) -> float:
    if asked.known is not None:
        return float(asked.half_widths_of(UNIFORM.name, [labels])[0])
    items = asked.frame
    return layout(items, UNIFORM.name, labels).half_width(middle_risks(items, asked.belief), asked.question.interval)


def _uniform_labels(asked: Prospect, half_width: float | None, paid: int | None) -> int:
    """Labels of a plain random sample: those of the wanted half-width, those that are paid, or the budget."""
    if half_width is None:
        return asked.budget if paid is None else paid
    if not 0 < half_width < 1:
        raise DesignError(f"A half-width lies between 0 and 1. Found {half_width:g}.")
    if asked.known is not None:
        labels = fewest(lambda many: _uniform_half_width(asked, many), 1, asked.n_items, half_width)
    else:
        items = asked.frame
        labels = labels_for(items, middle_risks(items, asked.belief), UNIFORM.name, half_width, asked.question.interval)
    if labels is None:
        raise DesignError(f"±{width(half_width, True)} take more than a million labels. Choose a wider interval.")
    return labels
