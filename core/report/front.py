"""The first page of the report: one screen, one sheet, for people who are no statisticians."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..figures import intervals
from ..study.provenance import Provenance
from ..study.result import Result
from ..words import counted, level
from . import comparison as comparisons
from . import everyday, sentences
from .blocks import drawing
from .everyday import Fact
from .sections import in_words

# In its own pixels: on a phone its letters stay readable.
_WIDTH = 480


@dataclass(frozen=True, slots=True)
class Front:
    """The contents of the first page, as the template names them."""

    about: str
    number: str
    limits: str
    answer: str
    figure: Markup
    facts: Sequence[Fact]
    basis: str
    compared: str
    remarks: Sequence[str]
    meaning: Sequence[str]
    procedure: str
    items: str
    behind: str
    decided: str = ""


def front(result: Result, labels: Provenance | None, price: Callable[[int], str], items: str = "") -> Front:
    """Gather the first page: the answer, its figure, what it took and saved, what it means, how it came about.

    Parameters
    ----------
    result : Result
        What to report.
    labels : Provenance or None
        Where labels come from.
    price : callable
        From a number of labels to what they cost in words.
    items : str
        Id of the element that lists the items behind the number; "" if they are not in the report.
    """
    pair = result.comparison
    return Front(
        about=" · ".join(part for part in (result.pool, f"plan {result.plan.plan_id}", result.made) if part),
        number=sentences.main_number(result),
        limits=f"{level(result.confidence)} interval: {sentences.limits(result)}",
        answer=everyday.answer(result),
        figure=_figure(result),
        facts=everyday.facts(result, price),
        basis=everyday.basis(result),
        compared="" if pair is None else comparisons.headline(pair),
        remarks=sentences.remarks(result),
        meaning=everyday.meaning(result),
        procedure=everyday.procedure(result, labels),
        items=items,
        behind=f"See the {result.estimate.n_labels:,} questions behind it",
        decided=result.decided,
    )


def _figure(result: Result) -> Markup:
    """The interval, and Uniform's below it if there is another design to compare."""
    table = result.beside_uniform.head(1 if result.census or result.sample.sizes.size == 1 else 2)
    limits = [
        "no interval yet" if math.isnan(one["low"]) else sentences.span(result, float(one["low"]), float(one["high"]))
        for one in table.to_dict("records")
    ]
    labels = counted(result.estimate.n_labels, "label")
    table = table.assign(label=[f"{name}, {labels}" for name in ("This design", "Uniform")[: len(table)]])
    words = in_words(table, lambda value: sentences.number(result, value))
    return drawing(intervals.compared(table, limits, result.bounded), words, _WIDTH)
