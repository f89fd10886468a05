"""A result as one HTML file: no script, no request to anywhere, figures drawn inside, made for screen and paper."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable
from html import escape
from pathlib import Path
from typing import Any

from core import __version__
from core.errors import DesignError
from core.figures import svg
from core.report import breakdown, partial, sections, sentences
from core.report.document import report_json
from core.report.sections import paragraph, table
from core.study.provenance import Provenance
from core.study.result import Result
from core.study.study import Study
from core.words import UNKNOWN, counted, half, level, per_cent

# Shares of the present half-width for which the report says how many labels more would be needed.
_NARROWER = (0.75, 0.5, 0.25)
_MISSING_SHOWN = 200

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2937; --paper: #ffffff; --soft: #6b7280; --rule: #d1d5db;
  --accent: #0072b2 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e5e7eb; --paper: #111827; --soft: #9ca3af; --rule: #374151; --accent: #56b4e9 }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 46rem;
  margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word }
h1 { font-size: 1.3rem; margin-bottom: 0 } h2 { font-size: 1.1rem; margin-top: 2.2rem }
.big { font-size: 4rem; font-weight: 650; line-height: 1.1; margin: 1rem 0 0; color: var(--accent) }
.limits { font-size: 1.25rem; margin: 0 0 1rem } .say { font-size: 1.15rem } .soft { color: var(--soft) }
.remark { border-left: 4px solid var(--accent); padding: .2rem .8rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--rule); text-align: right }
td { white-space: nowrap } td:first-child { white-space: normal }
th:first-child, td:first-child { text-align: left } .wide { overflow-x: auto }
svg { width: 100%; height: auto; margin: .6rem 0 } svg text { font: 14px system-ui, sans-serif; fill: var(--ink) }
svg text.small { font-size: 12px; fill: var(--soft) } svg line.grid { stroke: var(--rule); stroke-width: 1 }
svg line.accent { stroke: var(--accent); stroke-width: 3 } svg line.quiet { stroke: var(--soft); stroke-width: 3 }
svg line.zero { stroke: var(--soft); stroke-width: 2; stroke-dasharray: 4 4 }
svg .accent { fill: var(--accent) } svg .quiet { fill: var(--soft) }
pre { white-space: pre-wrap; font-size: .75rem; border: 1px solid var(--rule); padding: .8rem }
@page { margin: 18mm }
@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; --soft: #555; --rule: #bbb; --accent: #0072b2 }
  body { max-width: none; margin: 0; font-size: 11pt } h2 { break-after: avoid }
  svg, tr, .remark { break-inside: avoid } h2 + p { break-after: avoid }
  /* Paper cannot be scrolled sideways. */
  .wide { overflow: visible; break-inside: avoid } table { font-size: 8.5pt } th, td { padding: .2rem .35rem }
  td:last-child { white-space: normal; overflow-wrap: normal }
  * { print-color-adjust: exact }
}
"""


def report(
    study: Study,
    path: str | Path,
    other: str | None = None,
    positive: str | None = None,
    half_width: float | None = None,
    made: str = "",
) -> Path:
    """Write the report of a study as one HTML file, or as JSON where the path ends in ".json".

    Parameters
    ----------
    study : Study
        A plan with its labels.
    path : path
        Where to write: ".html", ".htm" or ".json".
    other, positive, half_width, made
        As in `core.study.Study.result`.

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    DesignError
        The path has another ending, ``study`` is none, or as `core.study.Study.result`.
    """
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in (".html", ".htm", ".json"):
        raise DesignError(f"A report is HTML or JSON. Let “{file.name}” end in .html or .json.")
    if not isinstance(study, Study):
        raise DesignError(f"A report is about a study, as `labelled` gives it. Found a {type(study).__name__}.")
    waiting = study.partial()
    if waiting is not None:
        raise DesignError(f"{partial.headline(waiting)} `study.partial()` has what the labels show so far.")
    result, labels = study.result(other, positive, half_width, made), study.provenance()
    text = report_json(result, labels, study.rows) if ending == ".json" else report_html(result, labels)
    file.write_text(text, encoding="utf-8")
    return file


def report_html(
    result: Result, labels: Provenance | None = None, price: Callable[[int], str] = lambda count: ""
) -> str:
    """Write the report as one HTML document; every text that comes from a pool, a label or a manifest is escaped.

    Parameters
    ----------
    result : Result
        What to report.
    labels : Provenance, optional
        Where labels come from, shown as a section.
    price : callable
        From a number of labels to what they cost in words; "" where no price is known.
    """
    title = f"{sentences.name(result)} of {result.target or 'the model'} on {result.pool}"
    body = [
        f"<h1>{escape(title)}</h1>",
        _facts(result, price),
        *_number(result),
        *_uniform(result),
        *sections.comparison(result),
        *sections.metrics(result),
        *sections.answered(result),
        *_strata(result),
        *_groups(result),
        *_missing(result),
        *_more(result, price),
        *_intervals(result),
        *sections.provenance(labels),
        *_method(result),
    ]
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n"
        "</html>\n"
    )


def _facts(result: Result, price: Callable[[int], str]) -> str:
    labels, items = counted(result.estimate.n_labels, "label"), counted(result.n_items, "item")
    money = price(result.estimate.n_labels)
    words = f"Plan {result.plan.plan_id} · {labels}{f' ({money})' if money else ''} · {items}"
    return f'<p class="soft">{escape(" · ".join([words, result.made]) if result.made else words)}</p>'


def _number(result: Result) -> list[str]:
    estimate = result.estimate
    sure = f"{level(result.confidence)} interval: {sentences.limits(result)}"
    notes = [f'<p class="remark">{escape(words)}</p>' for words in sentences.remarks(result)]
    return [
        f'<p class="big">{escape(sentences.number(result, estimate.value))}</p>',
        f'<p class="limits">{escape(sure)}</p>',
        f'<p class="say">{escape(sentences.headline(result))}</p>',
        *notes,
    ]


def _uniform(result: Result) -> list[str]:
    beside = result.precision
    rows = [
        ("Standard error", _error(result, result.estimate.standard_error)),
        ("Uniform’s standard error", _error(result, beside.uniform.standard_error)),
        ("Design effect", "–" if math.isnan(beside.design_effect) else f"{beside.design_effect:.3f}"),
        ("Labels Uniform would need, about", "–" if beside.uniform_needed is None else f"{beside.uniform_needed:,}"),
    ]
    if beside.saved_least > 0 and beside.saved(result.estimate.n_labels) > 0:
        rows.append(
            ("Share of labels saved, 80 % range", f"{per_cent(beside.saved_least)} to {per_cent(beside.saved_most)}")
        )
    if result.bounded:
        rows.insert(3, ("Effective sample size", f"{beside.effective_size:,.1f}"))
    return [
        "<h2>Compared with Uniform</h2>",
        f"<p>{escape(sentences.beside_uniform(result))}</p>",
        svg.intervals(result.beside_uniform, lambda v: sentences.number(result, v), result.bounded, first=True),
        table(["", ""], rows),
    ]


def _error(result: Result, error: float) -> str:
    """Write a standard error; “–” where labels show none."""
    return sentences.points(result, error) if error > 0 or result.sample.census else "–"


def _strata(result: Result) -> list[str]:
    signal = "Entropy (nats)" if sentences.along_entropy(result) else "Signal"
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
    finding = paragraph(breakdown.strata_finding(result), "say")
    return ["<h2>Strata</h2>", finding, svg.shares(result.strata_table), table(head, rows)]


def _groups(result: Result) -> list[str]:
    if result.groups is None or result.groups.empty:
        return []
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
    return [
        "<h2>Groups</h2>",
        paragraph(breakdown.groups_finding(result), "say"),
        paragraph(words),
        svg.intervals(breakdown.group_intervals(result), lambda v: sentences.number(result, v), result.bounded),
        table([*head, "Estimator", "Model-based", "Model-based interval"], rows),
    ]


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


def _missing(result: Result) -> list[str]:
    if not result.missing:
        return []
    shown = ", ".join(result.missing[:_MISSING_SHOWN])
    rest = len(result.missing) - _MISSING_SHOWN
    more = f" and {rest:,} more" if rest > 0 else ""
    return ["<h2>Labels still missing</h2>", f"<p>{escape(shown + more)}</p>"]


def _more(result: Result, price: Callable[[int], str]) -> list[str]:
    if not 0 < result.half_width < math.inf or not result.estimate.has_interval:
        return []
    if result.plan.waits:
        return ["<h2>More precision</h2>", paragraph(sentences.second_wave(result))]
    rows, chosen = [], [] if result.more is None else [result.more]
    # Rounded as the page rounds what it proposes, so that both say the same.
    narrower = [result.top_up(half(share * result.half_width, result.bounded)) for share in _NARROWER]
    for plan in {plan.half_width: plan for plan in [*chosen, *narrower]}.values():
        likely = f"{plan.least - result.estimate.n_labels:,} to {plan.most - result.estimate.n_labels:,}"
        money = price(plan.further)
        further = f"{plan.further:,}{f' ({money})' if money else ''}"
        rows.append((sentences.points(result, plan.half_width), further, likely))
    width = sentences.points(result, result.half_width)
    now = f"The half-width of the interval is {width} now. Every label so far counts."
    head = ["Wanted half-width", "Further labels", f"Likely range ({level(0.8)})"]
    return ["<h2>More precision</h2>", f"<p>{escape(now)}</p>", table(head, rows)]


def _intervals(result: Result) -> list[str]:
    rows = [
        (
            str(r["label"]) + ("" if r["recommended"] else " (for comparison only)"),
            sentences.span(result, float(r["low"]), float(r["high"])),
        )
        for r in result.intervals.to_dict("records")
    ]
    return [f"<h2>Other intervals, {level(result.confidence)}</h2>", table(["Interval", "Limits"], rows)]


def _method(result: Result) -> list[str]:
    manifest = json.dumps(result.manifest, ensure_ascii=False, indent=2)
    return [
        "<h2>Method</h2>",
        *(f"<p>{escape(words)}</p>" for words in sentences.method(result)),
        "<h2>Manifest</h2>",
        f'<p class="soft">Neyman {escape(__version__)} draws the same sample again from the pool and this text.</p>',
        f"<pre>{escape(manifest)}</pre>",
    ]


def _signal_range(low: float, high: float) -> str:
    if math.isnan(low):
        return "none"
    return f"{low:.2f}" if low == high else f"{low:.2f}–{high:.2f}"
