"""Sections of the report beyond the one number, and the pieces of HTML that all of it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from core.figures import svg
from core.report import comparison as comparisons
from core.report import metrics as measures
from core.report import provenance as sources
from core.study.provenance import Provenance
from core.study.result import Result
from core.words import level, points, signed, span, value


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Make a table, with a head unless all its cells are empty; every text is escaped."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    start = f"<thead><tr>{top}</tr></thead>" if any(head) else ""
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table>{start}<tbody>{lines}</tbody></table></div>'


def paragraph(words: str, kind: str = "") -> str:
    """Make a paragraph, escaped; nothing for no words."""
    start = f'<p class="{kind}">' if kind else "<p>"
    return f"{start}{escape(words)}</p>" if words else ""


def comparison(result: Result) -> list[str]:
    """Show the comparison with another target; nothing where none was made."""
    pair = result.comparison
    if pair is None:
        return []
    start = ["<h2>Comparison with another target</h2>", paragraph(comparisons.headline(pair), "say")]
    notes = [paragraph(words, "soft") for words in comparisons.remarks(pair)]
    gap, unit = pair.gap, pair.unit
    if gap is None:
        return [*start, *notes]
    rows = [
        (str(r["label"]), value(r["value"], unit), span(r["low"], r["high"], unit))
        for r in pair.table().to_dict("records")
    ]
    limits = f"{signed(gap.low, unit)} to {signed(gap.high, unit)}{points(unit)}"
    difference = f"Difference: “{pair.names[0]}” minus “{pair.names[1]}”"
    rows.append((difference, f"{signed(gap.value, unit)}{points(unit)}", limits))
    return [
        *start,
        svg.intervals(pair.table(), lambda v: value(v, unit), unit, first=True),
        svg.difference(pair.gap_table(), lambda v: signed(v, unit), unit, pair.sides),
        paragraph(comparisons.beside_separate(pair)),
        table(["", "Value", f"{level(pair.confidence)} interval"], rows),
        *notes,
    ]


def metrics(result: Result) -> list[str]:
    """Precision, recall and F1 of one answer; nothing where none was chosen."""
    chosen = result.metrics
    if chosen is None:
        return []
    rows = chosen.table()
    cells = [
        (str(r["label"]), value(r["value"], True), span(r["low"], r["high"], True), f"{r['labels']:,}")
        for r in rows.to_dict("records")
    ]
    return [
        "<h2>Precision, recall, F1</h2>",
        paragraph(measures.headline(chosen), "say"),
        svg.intervals(rows, lambda v: value(v, True), True),
        table(["", "Value", f"{level(chosen.confidence)} interval", "Labels used"], cells),
        paragraph(measures.counts_in_words(chosen), "soft"),
    ]


def answered(result: Result) -> list[str]:
    """Accuracy where the target answered; nothing where it answered everything."""
    part = result.answered
    if part is None:
        return []
    return [
        "<h2>Where the model answered</h2>",
        paragraph(measures.answered_headline(part), "say"),
        svg.intervals(part.table(), lambda v: value(v, True), True),
    ]


def provenance(labels: Provenance | None) -> list[str]:
    """Where the labels come from; nothing where that is not known."""
    if labels is None:
        return []
    return ["<h2>Labels</h2>", *(paragraph(words) for words in sources.sentences(labels))]
