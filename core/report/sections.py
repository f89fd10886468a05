"""Sections of the report beyond the one number, and the pieces of HTML that all of it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import zip_longest

from ..figures import svg
from ..study.provenance import Provenance
from ..study.result import Result
from ..words import level, points, signed, span, value
from . import comparison as comparisons
from . import metrics as measures
from . import provenance as sources


def table(head: Sequence[str], rows: Sequence[Sequence[str]], links: Sequence[str] = ()) -> str:
    """Make a table, which the arrow keys scroll where it is wide; every text is escaped.

    Parameters
    ----------
    head : sequence of str
        Its head; none where all are empty.
    rows : sequence of sequences of str
        Its cells.
    links : sequence of str
        Ids of the elements to which the first cells lead, "" for none; none at all by default.
    """
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    start = f"<thead><tr>{top}</tr></thead>" if any(head) else ""
    lines = "".join(
        f"<tr><td>{_linked(row[0], link)}</td>" + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) + "</tr>"
        for row, link in zip_longest(rows, links[: len(rows)], fillvalue="")
    )
    return f'<div class="wide" tabindex="0"><table>{start}<tbody>{lines}</tbody></table></div>'


def fold(title: str, parts: Sequence[str], hint: str = "") -> list[str]:
    """Make a section that is closed on a screen and open on paper; nothing for no parts."""
    if not any(parts):
        return []
    more = f'<span class="soft">{escape(hint)}</span>' if hint else ""
    return [f"<details><summary><h2>{escape(title)}</h2>{more}</summary>", *filter(None, parts), "</details>"]


def drawn(figure: str) -> str:
    """Put a figure of fixed proportions where a narrow screen can scroll it."""
    return f'<div class="scroll" tabindex="0">{figure}</div>'


def paragraph(words: str, kind: str = "") -> str:
    """Make a paragraph, escaped; nothing for no words."""
    start = f'<p class="{kind}">' if kind else "<p>"
    return f"{start}{escape(words)}</p>" if words else ""


def comparison(result: Result) -> list[str]:
    """Show the comparison with another target; nothing where none was made."""
    pair = result.comparison
    if pair is None:
        return []
    title, start = "Comparison with another target", [paragraph(comparisons.headline(pair), "say")]
    notes = [paragraph(words, "soft") for words in comparisons.remarks(pair)]
    gap, unit = pair.gap, pair.unit
    if gap is None:
        return fold(title, [*start, *notes], "waits for labels")
    rows = [
        (str(r["label"]), value(r["value"], unit), span(r["low"], r["high"], unit))
        for r in pair.table().to_dict("records")
    ]
    limits = f"{signed(gap.low, unit)} to {signed(gap.high, unit)}{points(unit)}"
    difference = f"Difference: “{pair.names[0]}” minus “{pair.names[1]}”"
    rows.append((difference, f"{signed(gap.value, unit)}{points(unit)}", limits))
    parts = [
        *start,
        drawn(svg.intervals(pair.table(), lambda v: value(v, unit), unit, first=True)),
        drawn(svg.difference(pair.gap_table(), lambda v: signed(v, unit), unit, pair.sides)),
        paragraph(comparisons.beside_separate(pair)),
        table(["", "Value", f"{level(pair.confidence)} interval"], rows),
        *notes,
    ]
    return fold(title, parts, "on the same items")


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
    parts = [
        paragraph(measures.headline(chosen), "say"),
        drawn(svg.intervals(rows, lambda v: value(v, True), True)),
        table(["", "Value", f"{level(chosen.confidence)} interval", "Labels used"], cells),
        paragraph(measures.counts_in_words(chosen), "soft"),
    ]
    return fold("Precision, recall, F1", parts, f"of “{chosen.positive}”")


def answered(result: Result) -> list[str]:
    """Accuracy where the target answered; nothing where it answered everything."""
    part = result.answered
    if part is None:
        return []
    parts = [
        paragraph(measures.answered_headline(part), "say"),
        drawn(svg.intervals(part.table(), lambda v: value(v, True), True)),
    ]
    return fold("Where the model answered", parts)


def provenance(labels: Provenance | None) -> list[str]:
    """Where the labels come from; nothing where that is not known."""
    if labels is None:
        return []
    parts = [paragraph(words) for words in sources.sentences(labels)]
    return fold("Where the labels come from", parts)


def _linked(words: str, link: str) -> str:
    return f'<a href="#{link}">{escape(words)}</a>' if link else escape(words)
