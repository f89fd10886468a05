"""A result as one HTML file: no script, no request to anywhere, figures drawn inside, made for screen and paper."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from html import escape
from typing import Any

from core import __version__
from core.figures import svg
from core.report import breakdown, sections, sentences
from core.report.markup import paragraph, table
from core.report.provenance import Provenance
from core.report.result import Result
from core.words import counted, half, level, per_cent

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


def report_html(found: Result, given: Provenance | None = None) -> str:
    """The report as one HTML document; every text that comes from a pool, a label or a manifest is escaped.

    ``given``: where the labels come from, for a section of its own.
    """
    title = f"{sentences.name(found)} of {found.target or 'the model'} on {found.pool}"
    body = [
        f"<h1>{escape(title)}</h1>",
        _facts(found),
        *_number(found),
        *_uniform(found),
        *sections.comparison(found),
        *sections.metrics(found),
        *sections.answered(found),
        *_strata(found),
        *_groups(found),
        *_missing(found),
        *_more(found),
        *_intervals(found),
        *sections.labels(given),
        *_method(found),
    ]
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n"
        "</html>\n"
    )


def _facts(found: Result) -> str:
    labels, items = counted(found.estimate.n_labels, "label"), counted(found.n_items, "item")
    words = f"Plan {found.plan_id} · {labels} · {items}"
    return f'<p class="soft">{escape(" · ".join([words, found.made]) if found.made else words)}</p>'


def _number(found: Result) -> list[str]:
    own = found.estimate
    sure = f"{level(found.confidence)} interval: {sentences.limits(found)}"
    said = [f'<p class="remark">{escape(words)}</p>' for words in sentences.remarks(found)]
    return [
        f'<p class="big">{escape(sentences.number(found, own.value))}</p>',
        f'<p class="limits">{escape(sure)}</p>',
        f'<p class="say">{escape(sentences.headline(found))}</p>',
        *said,
    ]


def _uniform(found: Result) -> list[str]:
    seen = found.precision
    rows = [
        ("Standard error", _error(found, found.estimate.standard_error)),
        ("Uniform’s standard error", _error(found, seen.uniform.standard_error)),
        ("Design effect", "–" if math.isnan(seen.design_effect) else f"{seen.design_effect:.3f}"),
        ("Labels Uniform would need, about", "–" if seen.uniform_needed is None else f"{seen.uniform_needed:,}"),
    ]
    if seen.saved_least > 0 and seen.saved(found.estimate.n_labels) > 0:
        rows.append(
            ("Share of labels saved, 80 % range", f"{per_cent(seen.saved_least)} to {per_cent(seen.saved_most)}")
        )
    if found.bounded:
        rows.insert(3, ("Effective sample size", f"{seen.effective_size:,.1f}"))
    return [
        "<h2>Beside Uniform</h2>",
        f"<p>{escape(sentences.beside_uniform(found))}</p>",
        svg.intervals(found.beside_uniform, lambda v: sentences.number(found, v), found.bounded, first=True),
        table(["", ""], rows),
    ]


def _error(found: Result, error: float) -> str:
    """A standard error; “–” where none could be seen."""
    return sentences.points(found, error) if error > 0 or found.sample.census else "–"


def _strata(found: Result) -> list[str]:
    head = ["Stratum", "Entropy (nats)", "Items", "Share of pool", "Planned", "Labels", sentences.name(found), "Spread"]
    head.append("Share of variance")
    rows = [
        (
            str(r["stratum"]),
            _entropies(float(r["se_low"]), float(r["se_high"])),
            f"{r['items']:,}",
            per_cent(r["share_of_pool"], 1),
            f"{r['planned']:,}",
            f"{r['labels']:,}",
            sentences.number(found, float(r["value"])),
            "–" if math.isnan(r["sd"]) else f"{r['sd']:.3f}",
            per_cent(r["share_of_variance"]),
        )
        for r in found.strata.to_dict("records")
    ]
    finding = paragraph(breakdown.strata_finding(found), "say")
    return ["<h2>Strata</h2>", finding, svg.shares(found.strata), table(head, rows)]


def _groups(found: Result) -> list[str]:
    if found.groups is None or found.groups.empty:
        return []
    own = found.groups
    rows = [
        (
            str(r["group"]),
            f"{r['items']:,}",
            f"{r['labels']:,}",
            sentences.number(found, float(r["value"])),
            _limits(found, r),
            str(r["estimator"]),
        )
        for r in own.to_dict("records")
    ]
    without = int((own["labels"] == 0).sum())
    words = f"{without} of {len(own)} groups have no label, so nothing can be said of them." if without else ""
    return [
        "<h2>Groups</h2>",
        paragraph(breakdown.groups_finding(found), "say"),
        paragraph(words),
        svg.intervals(breakdown.group_intervals(found), lambda v: sentences.number(found, v), found.bounded),
        table(["Group", "Items", "Labels", sentences.name(found), "Interval", "Estimator"], rows),
    ]


def _limits(found: Result, row: dict[Hashable, Any]) -> str:
    """A group's interval, or why it has none."""
    if not row["labels"]:
        return "no labels"
    low, high = float(row["low"]), float(row["high"])
    return sentences.span(found, low, high) if math.isfinite(high - low) else "no interval yet"


def _missing(found: Result) -> list[str]:
    if not found.missing:
        return []
    shown = ", ".join(found.missing[:_MISSING_SHOWN])
    rest = len(found.missing) - _MISSING_SHOWN
    more = f" and {rest:,} more" if rest > 0 else ""
    return ["<h2>Labels still missing</h2>", f"<p>{escape(shown + more)}</p>"]


def _more(found: Result) -> list[str]:
    if not 0 < found.half_width < math.inf or not found.estimate.has_interval:
        return []
    rows = []
    for share in _NARROWER:
        # Rounded as the page rounds what it proposes, so that both say the same.
        plan = found.top_up(half(share * found.half_width, found.bounded))
        likely = f"{plan.least - found.estimate.n_labels:,} to {plan.most - found.estimate.n_labels:,}"
        rows.append((sentences.points(found, plan.wanted), f"{plan.further:,}", likely))
    now = f"Half the interval’s width is {sentences.points(found, found.half_width)} now. Every label at hand is kept."
    head = ["Half-width wanted", "Further labels", f"Likely range ({level(0.8)})"]
    return ["<h2>More precision</h2>", f"<p>{escape(now)}</p>", table(head, rows)]


def _intervals(found: Result) -> list[str]:
    rows = [
        (
            str(r["label"]) + ("" if r["recommended"] else " (for comparison only)"),
            sentences.span(found, float(r["low"]), float(r["high"])),
        )
        for r in found.intervals.to_dict("records")
    ]
    return [f"<h2>Other intervals, {level(found.confidence)}</h2>", table(["Interval", "Limits"], rows)]


def _method(found: Result) -> list[str]:
    manifest = json.dumps(found.manifest, ensure_ascii=False, indent=2)
    return [
        "<h2>Method</h2>",
        *(f"<p>{escape(words)}</p>" for words in sentences.method(found)),
        "<h2>Manifest</h2>",
        f'<p class="soft">Neyman {escape(__version__)} draws the same sample again from the pool and this text.</p>',
        f"<pre>{escape(manifest)}</pre>",
    ]


def _entropies(low: float, high: float) -> str:
    if math.isnan(low):
        return "none"
    return f"{low:.2f}" if low == high else f"{low:.2f}–{high:.2f}"
