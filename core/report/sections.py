"""The report's sections beyond the one number: another target beside it, other metrics, only what was answered."""

from __future__ import annotations

from core.figures import svg
from core.report import comparison as compared
from core.report import metrics as measured
from core.report.markup import paragraph, table
from core.report.provenance import Provenance, sentences
from core.report.result import Result
from core.words import level, points, signed, span, value


def comparison(found: Result) -> list[str]:
    """The comparison with another target; nothing where none was made."""
    own = found.comparison
    if own is None:
        return []
    start = ["<h2>Beside another target</h2>", paragraph(compared.headline(own), "say")]
    notes = [paragraph(words, "soft") for words in compared.remarks(own)]
    if own.gap is None:
        return [*start, *notes]
    reach = f"{signed(own.gap.low, own.unit)} to {signed(own.gap.high, own.unit)}{points(own.unit)}"
    rows = [
        *(
            (str(r["label"]), value(r["value"], own.unit), span(r["low"], r["high"], own.unit))
            for r in own.table().to_dict("records")
        ),
        (
            f"Difference: “{own.names[0]}” less “{own.names[1]}”",
            f"{signed(own.gap.value, own.unit)}{points(own.unit)}",
            reach,
        ),
    ]
    return [
        *start,
        svg.intervals(own.table(), lambda v: value(v, own.unit), own.unit, first=True),
        svg.difference(own.gap_table(), lambda v: signed(v, own.unit), own.unit, own.sides),
        paragraph(compared.beside_separate(own)),
        table(["", "Value", f"{level(own.confidence)} interval"], rows),
        *notes,
    ]


def metrics(found: Result) -> list[str]:
    """Precision, recall and F1 of one answer; nothing where they were not asked for."""
    own = found.metrics
    if own is None:
        return []
    rows = own.table()
    cells = [
        (str(r["label"]), value(r["value"], True), span(r["low"], r["high"], True), f"{r['labels']:,}")
        for r in rows.to_dict("records")
    ]
    return [
        "<h2>Precision, recall, F1</h2>",
        paragraph(measured.headline(own), "say"),
        svg.intervals(rows, lambda v: value(v, True), True),
        table(["", "Value", f"{level(own.confidence)} interval", "Labels that tell of it"], cells),
        paragraph(measured.counts_in_words(own), "soft"),
    ]


def answered(found: Result) -> list[str]:
    """Accuracy where the target answered; nothing where it answered everything."""
    own = found.answered
    if own is None:
        return []
    return [
        "<h2>Where the model answered</h2>",
        paragraph(measured.answered_headline(own), "say"),
        svg.intervals(own.table(), lambda v: value(v, True), True),
    ]


def labels(given: Provenance | None) -> list[str]:
    """Where the labels come from; nothing where that was not given."""
    if given is None:
        return []
    return ["<h2>Labels</h2>", *(paragraph(words) for words in sentences(given))]
