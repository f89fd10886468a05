"""The first page of the report: one screen, one sheet, for people who are no statisticians."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape

from ..figures import svg
from ..study.provenance import Provenance
from ..study.result import Result
from ..words import counted, level
from . import comparison as comparisons
from . import everyday, sentences
from .sections import paragraph


def front(result: Result, labels: Provenance | None, price: Callable[[int], str], items: str = "") -> list[str]:
    """Write the first page: the answer, its figure, what it took and saved, what it means, how it came about.

    Parameters
    ----------
    result : Result
        What to report.
    labels : Provenance or None
        Where labels come from.
    price : callable
        From a number of labels to what they cost in words.
    items : str
        Id of the element that lists the items behind the number; "" where they are not in the report.
    """
    about = " · ".join(part for part in (result.pool, f"plan {result.plan.plan_id}", result.made) if part)
    pair = result.comparison
    return [
        '<section class="first">',
        paragraph(about, "kicker"),
        *_answer(result),
        _figure(result),
        _facts(result, price),
        paragraph(everyday.basis(result), "basis"),
        *([] if pair is None else [paragraph(comparisons.headline(pair), "say")]),
        *(paragraph(words, "remark") for words in sentences.remarks(result)),
        *_sides(result, labels, items),
        "</section>",
    ]


def _answer(result: Result) -> list[str]:
    sure = f"{level(result.confidence)} interval: {sentences.limits(result)}"
    number = sentences.number(result, result.estimate.value)
    return [
        '<div class="answer"><div>',
        paragraph(number, "big"),
        paragraph(sure, "limits"),
        f"</div><h1>{escape(everyday.answer(result))}</h1></div>",
    ]


def _figure(result: Result) -> str:
    """The interval, and Uniform's below it where there is another design to compare."""
    table = result.beside_uniform.head(1 if result.sample.census or result.sample.sizes.size == 1 else 2)
    limits = [
        "no interval yet" if math.isnan(one["low"]) else sentences.span(result, float(one["low"]), float(one["high"]))
        for one in table.to_dict("records")
    ]
    labels = counted(result.estimate.n_labels, "label")
    table = table.assign(label=[f"{name}, {labels}" for name in ("This design", "Uniform")[: len(table)]])
    drawn = svg.compared(table, lambda value: sentences.number(result, value), limits, result.bounded)
    return f'<div class="figure">{drawn}</div>'


def _facts(result: Result, price: Callable[[int], str]) -> str:
    cells = "".join(
        f'<div><dt>{escape(fact.name)}</dt><dd class="number">{escape(fact.number)}</dd>'
        f'<dd class="note">{escape(fact.note)}</dd></div>'
        for fact in everyday.facts(result, price)
    )
    return f'<dl class="facts">{cells}</dl>'


def _sides(result: Result, labels: Provenance | None, items: str) -> list[str]:
    lines = "".join(f"<li>{escape(words)}</li>" for words in everyday.meaning(result))
    link = f'<a href="#{items}">See the {result.estimate.n_labels:,} questions behind it</a>' if items else ""
    return [
        '<div class="sides"><div><h2>What it means</h2>',
        f"<ul>{lines}</ul></div><div><h2>How it was done</h2>",
        paragraph(everyday.procedure(result, labels)),
        f'<p class="items">{link}</p></div></div>' if link else "</div></div>",
    ]
