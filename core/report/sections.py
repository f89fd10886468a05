"""Sections of the report beyond the one number: comparison, metrics, where labels come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd

from ..figures import intervals
from ..study.provenance import Provenance
from ..study.result import Result
from ..words import gap_span, level, points, signed, span, value
from . import comparison as comparisons
from . import metrics as measures
from . import provenance as sources
from .blocks import Drawing, Fold, Paragraph, Table, drawing, fold


def comparison(result: Result) -> Iterator[Fold]:
    """Show the comparison with another target; nothing if none was made."""
    pair = result.comparison
    if pair is None:
        return
    title, start = "Comparison with another target", [Paragraph(comparisons.headline(pair), "say")]
    notes = [Paragraph(words, "soft") for words in comparisons.remarks(pair)]
    gap, unit = pair.gap, pair.unit
    if gap is None:
        yield from fold(title, [*start, *notes], "waits for labels")
        return
    rows = [
        (str(r["label"]), value(r["value"], unit), span(r["low"], r["high"], unit))
        for r in pair.table().to_dict("records")
    ]
    limits = gap_span(gap.low, gap.high, unit)
    difference = f"Difference: “{pair.names[0]}” minus “{pair.names[1]}”"
    rows.append((difference, f"{signed(gap.value, unit)}{points(unit)}", limits))
    gaps = pair.gap_table()
    parts = [
        *start,
        values_drawn(pair.table(), lambda v: value(v, unit), unit, first=True),
        Drawing(
            drawing(
                intervals.difference(gaps, unit, pair.sides, lambda v: signed(v, unit)),
                in_words(gaps, lambda v: signed(v, unit)),
            )
        ),
        Paragraph(comparisons.beside_separate(pair)),
        Table(["", "Value", f"{level(pair.confidence)} interval"], rows),
        *notes,
    ]
    yield from fold(title, parts, "on the same items")


def metrics(result: Result) -> Iterator[Fold]:
    """Precision, recall and F1 of one answer; nothing if none was chosen."""
    chosen = result.metrics
    if chosen is None:
        return
    rows = chosen.table()
    cells = [
        (str(r["label"]), value(r["value"], True), span(r["low"], r["high"], True), f"{r['labels']:,}")
        for r in rows.to_dict("records")
    ]
    parts = [
        Paragraph(measures.headline(chosen), "say"),
        values_drawn(rows, lambda v: value(v, True), True),
        Table(["", "Value", f"{level(chosen.confidence)} interval", "Labels used"], cells),
        Paragraph(measures.counts_in_words(chosen), "soft"),
    ]
    yield from fold("Precision, recall, F1", parts, f"of “{chosen.positive}”")


def answered(result: Result) -> Iterator[Fold]:
    """Accuracy where the target answered; nothing if it answered everything."""
    part = result.answered
    if part is None:
        return
    parts = [
        Paragraph(measures.answered_headline(part), "say"),
        values_drawn(part.table(), lambda v: value(v, True), True),
    ]
    yield from fold("Where the model answered", parts)


def provenance(labels: Provenance | None) -> Iterator[Fold]:
    """Where the labels come from; nothing if that is not known."""
    if labels is None:
        return
    parts = [Paragraph(words) for words in sources.sentences(labels)]
    yield from fold("Where the labels come from", parts)


def values_drawn(table: pd.DataFrame, number: Callable[[float], str], unit: bool, first: bool = False) -> Drawing:
    """Draw values with their intervals, each written at the right; ``first``: the first is accented."""
    figure = intervals.estimates(table, unit, first, written=number)
    return Drawing(drawing(figure, in_words(table, number)))


def in_words(table: pd.DataFrame, number: Callable[[float], str]) -> str:
    """Return a figure of values in words, for people who do not see it."""
    return "; ".join(f"{row['label']}: {number(float(row['value']))}" for row in table.to_dict("records"))
