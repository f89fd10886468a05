"""A result as one HTML file: no script, no request to anywhere, figures drawn inside, made for screen and paper.

The first screen and sheet is for people who are no statisticians; everything else stands behind folds, open on paper.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from .. import __version__
from ..figures import intervals, strata
from ..study.provenance import Provenance
from ..study.result import Result
from ..words import UNKNOWN, counted, half, level, per_cent, share_span
from . import details, everyday, sections, sentences
from .blocks import Drawing, Fold, Paragraph, Table, Text, drawing, fold, render
from .details import Behind, formulas
from .everyday import Fact
from .sections import in_words

# Shares of the present half-width for which the report says how many labels more would be needed.
_NARROWER = (0.75, 0.5, 0.25)
_MISSING_SHOWN = 200
_NUMBERS = re.compile(r"\[[-+.,\deE\s]+\]")


def report_html(
    result: Result,
    labels: Provenance | None = None,
    price: Callable[[int], str] = lambda count: "",
    items: pd.DataFrame | None = None,
) -> str:
    """Write the report as one HTML document; every text that comes from a pool, a label or a manifest is escaped.

    Parameters
    ----------
    result : Result
        What to report.
    labels : Provenance, optional
        Where labels come from, shown as a section.
    price : callable
        From a number of labels to what they cost in words; "" if no price is known.
    items : DataFrame, optional
        The items behind the estimate, of `core.study.judged_items`, to which the numbers then lead.
    """
    behind = "" if items is None else details.ANCHOR
    folds = [
        *_groups(result, items),
        *([] if items is None else fold("Items in full", details.examples(result, items), details.hint(result, items))),
        *sections.comparison(result),
        *sections.metrics(result),
        *sections.answered(result),
        *_uniform(result),
        *_promised(result),
        *_strata(result, items),
        *_more(result, price),
        *_missing(result),
        *_method(result),
        *sections.provenance(labels),
        *manifest(result.manifest),
    ]
    values = {
        "title": f"{sentences.name(result)} of {result.target or 'the model'} on {result.pool}",
        "method": result.plan.design.scheme.method,
        "front": front(result, labels, price, behind),
        "folds": folds,
    }
    return render("report.html", values)


def _uniform(result: Result) -> Iterator[Fold]:
    beside, needed = result.precision, result.uniform_labels
    rows = [
        ("Standard error", _error(result, result.estimate.standard_error)),
        ("Uniform’s standard error", _error(result, beside.uniform.standard_error)),
        ("Design effect", "–" if math.isnan(beside.design_effect) else f"{beside.design_effect:.3f}"),
        ("Labels Uniform would need, about", "–" if needed is None or result.wider else f"{needed:,}"),
    ]
    if result.saves:
        rows.append(("Share of labels saved, 80 % range", share_span(*result.saved_range)))
    if result.bounded:
        rows.insert(3, ("Effective sample size, as if the pool were endless", f"{beside.effective_size:,.1f}"))
    yield from fold("Compared with Uniform", [Paragraph(sentences.beside_uniform(result)), Table(["", ""], rows)])


def _promised(result: Result) -> Iterator[Fold]:
    """Return the promise of the list before its labels, and its basis."""
    if result.promise is not None and (words := everyday.before_labels(result)):
        parts = [
            Paragraph(result.promise.statement, "say"),
            Paragraph(words),
            Paragraph(result.promise.rests_on, "soft"),
        ]
        yield from fold("Promised before the labels", parts, "a forecast")


def _error(result: Result, error: float) -> str:
    """Write a standard error; “–” if labels show none."""
    return sentences.points(result, error) if error > 0 or result.census else "–"


def _strata(result: Result, items: pd.DataFrame | None) -> Iterator[Fold]:
    signal = "Entropy (nats)" if sentences.along_entropy(result) else "Signal, which sorts the items"
    head = ["Stratum", signal, "Items", "Share of pool", "Planned", "Labels", sentences.name(result), "SD"]
    head.append("Share of variance")
    rows = [
        (
            str(r["stratum"]),
            _signal_range(float(r["se_low"]), float(r["se_high"])),
            f"{r['items']:,}",
            per_cent(r["share_of_pool"], 1),
            f"{r['planned']:,}",
            f"{r['labels']:,}",
            sentences.number(result, float(r["value"])),
            "–" if math.isnan(r["sd"]) else f"{r['sd']:.3f}",
            per_cent(r["share_of_variance"]),
        )
        for r in result.strata_table.to_dict("records")
    ]
    parts = [
        Paragraph(details.strata_finding(result), "say"),
        Drawing(drawing(strata.shares(result.strata_table), "Share of pool and of labels in each stratum")),
        *_leading(result, items, "stratum", head, rows),
    ]
    yield from fold("Strata (groups of items)", parts, f"{len(rows):,}")


def _groups(result: Result, items: pd.DataFrame | None) -> Iterator[Fold]:
    if result.groups is None or result.groups.empty:
        return
    groups = result.groups
    rows = [
        (
            str(r["group"]),
            f"{r['items']:,}",
            f"{r['labels']:,}",
            sentences.number(result, float(r["value"])),
            _limits(result, r),
            str(r["estimator"]),
            sentences.number(result, float(r["model_value"])),
            _model_limits(result, r),
        )
        for r in groups.to_dict("records")
    ]
    without = int((groups["labels"] == 0).sum())
    head = ["Group", "Items", "Labels", sentences.name(result), "Interval"]
    words = f"{without} of {len(groups)} groups have no label, so they have no estimate." if without else ""
    head += ["Estimator", "Model-based", "Model-based interval"]
    intervals = details.group_intervals(result)
    parts = [
        Paragraph(details.groups_finding(result), "say"),
        Paragraph(words),
        sections.values_drawn(intervals, lambda v: sentences.number(result, v), result.unit),
        *_leading(result, items, "group", head, rows),
    ]
    yield from fold("Groups of the pool", parts, f"{len(groups):,}")


def _leading(
    result: Result, items: pd.DataFrame | None, kind: str, head: Sequence[str], rows: Sequence[tuple[str, ...]]
) -> list[Table | Behind]:
    """Write a table whose rows lead to their items, and the items."""
    if items is None:
        return [Table(head, rows)]
    labelled = set(items[kind].astype(str))
    links = [details.anchor(kind, place) if row[0] in labelled else "" for place, row in enumerate(rows)]
    return [Table(head, rows, links), *details.behind(result, items, kind, [row[0] for row in rows])]


def _limits(result: Result, row: dict[Hashable, Any]) -> str:
    """Write the interval of a group, or why it has none."""
    if not row["labels"]:
        return "no labels"
    low, high = float(row["low"]), float(row["high"])
    return sentences.span(result, low, high) if math.isfinite(high - low) else "no interval yet"


def _model_limits(result: Result, row: dict[Hashable, Any]) -> str:
    """Write the interval of a group's model-based estimate, or “–”."""
    low, high = float(row["model_low"]), float(row["model_high"])
    return sentences.span(result, low, high) if math.isfinite(high - low) else UNKNOWN


def _missing(result: Result) -> Iterator[Fold]:
    """Ids of the list whose label is not used: those that nobody has come to, and the others."""
    apart = {*result.not_yet, *([] if result.disputed is None else result.disputed["item_id"])}
    passed = [item for item in result.missing if item not in apart]
    for title, ids in (("Labels still missing", passed), ("Not labelled yet", result.not_yet)):
        if ids:
            rest = len(ids) - _MISSING_SHOWN
            more = f" and {rest:,} more" if rest > 0 else ""
            yield from fold(title, [Paragraph(", ".join(ids[:_MISSING_SHOWN]) + more)], f"{len(ids):,}")


def _more(result: Result, price: Callable[[int], str]) -> Iterator[Fold]:
    if not 0 < result.half_width < math.inf or not result.estimate.has_interval:
        return
    if result.plan.waits:
        yield from fold("More precision", [Paragraph(sentences.second_wave(result))])
        return
    rows, chosen = [], [] if result.more is None else [result.more]
    # Rounded as the page rounds what it proposes, so that both say the same.
    narrower = [result.top_up(half(share * result.half_width, result.unit)) for share in _NARROWER]
    for plan in {plan.half_width: plan for plan in [*chosen, *narrower]}.values():
        given, money = plan.total - plan.further, price(plan.further)
        likely = f"{plan.least - given:,} to {plan.most - given:,}"
        further = f"{plan.fewest:,} to {plan.further:,}" if plan.fewest < plan.further else f"{plan.further:,}"
        further += f" ({money})" if money else ""
        rows.append((sentences.points(result, plan.half_width), further, likely))
    width = sentences.points(result, result.half_width)
    now = f"The half-width of the interval is {width} now. Every label so far counts."
    if result.disputed is not None:
        now += " Decide the disputed items first: they need no new label. How many more it takes depends on that."
    if result.n_open:
        now += f" The first of the labels below are for {counted(result.n_open, 'item')} without a verdict."
    head = ["Half-width", "More labels", f"Likely range ({level(0.8)})"]
    yield from fold("More precision", [Paragraph(now), Table(head, rows)])


def _method(result: Result) -> Iterator[Fold]:
    rows = [
        (
            str(r["label"]) + ("" if r["recommended"] else " (for comparison only)"),
            sentences.span(result, float(r["low"]), float(r["high"])),
        )
        for r in result.intervals.to_dict("records")
    ]
    parts = [
        Paragraph(sentences.headline(result), "say"),
        *map(Paragraph, sentences.method(result)),
        formulas(result),
        Table([f"Other intervals, {level(result.confidence)}", "Limits"], rows),
    ]
    yield from fold("Method", parts, "with formulas")


def manifest(facts: Mapping[str, Any]) -> Iterator[Fold]:
    """Write the manifest of a plan, from which its sample is drawn again."""
    text = json.dumps(facts, ensure_ascii=False, indent=2)
    # The risk of each item in one line, not in one each.
    text = _NUMBERS.sub(lambda numbers: " ".join(numbers[0].split()), text)
    note = f"Neyman {__version__} draws the same sample again from the pool and this text."
    yield from fold("Manifest (reproduces the plan)", [Paragraph(note, "soft"), Text(text)], "pool, plan and versions")


def _signal_range(low: float, high: float) -> str:
    if math.isnan(low):
        return "none"
    return f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"


# The first page of the report: one screen, one sheet, for people who are no statisticians.

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
        compared="" if pair is None else sections.comparison_headline(pair),
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
    return drawing(intervals.compared(table, limits, result.unit), words, _WIDTH)
