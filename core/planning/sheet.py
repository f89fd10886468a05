"""A plan as one HTML page: no script, no request to anywhere, the figure drawn inside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import pandas as pd

from ..allocation.rules import PROXY_NEYMAN
from ..allocation.ways import RECOMMENDED, WAYS
from ..words import bare

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2937; --paper: #fff; --soft: #6b7280; --rule: #d1d5db; --accent: #a8389f }
@media (prefers-color-scheme: dark) { :root { --ink: #e5e7eb; --paper: #111827; --soft: #9ca3af; --rule: #374151 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 46rem;
  margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.2rem } .say { font-size: 1.35rem; font-weight: 600 } .soft { color: var(--soft); font-size: .9rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem }
th, td { padding: .2rem .5rem; border-bottom: 1px solid var(--rule); text-align: right }
th:first-child, td:first-child { text-align: left }
svg { width: 100%; height: auto } svg text { font: 12px system-ui, sans-serif; fill: var(--soft) }
@page { margin: 16mm } @media print { body { margin: 0; font-size: 11pt } svg, tr { break-inside: avoid } }
"""
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _BOTTOM, _TOP = 720.0, 300.0, 46.0, 20.0, 34.0, 10.0
# Distances between the ticks of half-widths, of which there are at most so many.
_STEPS, _TICKS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2), 7


def sheet(labels: int, sentences: Sequence[str], rests_on: str, table: pd.DataFrame) -> str:
    """Write the plan.

    Parameters
    ----------
    labels : int
        M.
    sentences : sequence of str
        The answer, then further findings, a paragraph each.
    rests_on : str
        What it rests on.
    table : DataFrame
        Of `core.planning.curve`.
    """
    first, *others = sentences
    paragraphs = [
        f'<p class="say">{escape(first)}</p>',
        *(f"<p>{escape(sentence)}</p>" for sentence in others),
        _figure(table, labels),
        f'<p class="soft">{escape(rests_on)} ± is the half-width of the interval. Uniform draws every item with the '
        "same chance.</p>",
        _rows(table),
    ]
    head = f'<meta charset="utf-8"><title>Plan: {labels:,} labels</title><style>{_STYLE}</style>'
    body = f"<h1>Plan: how many labels are needed</h1>{''.join(paragraphs)}"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _figure(table: pd.DataFrame, labels: int) -> str:
    """Lines of half-widths over the logarithm of the labels, and the plan as a point."""
    budgets, most = table["budget"], float(table["half_width_high"].max())
    low, high = math.log(budgets.min()), math.log(max(budgets.max(), budgets.min() + 1))

    def place(budget: float, width: float) -> str:
        x = _LEFT + (_WIDTH - _LEFT - _RIGHT) * (math.log(budget) - low) / (high - low)
        y = _TOP + (_HEIGHT - _BOTTOM - _TOP) * (1 - width / most)
        return f"{x:.1f},{y:.1f}"

    recommended, ours = table[table["method"] == RECOMMENDED.name], RECOMMENDED.look.colour
    upper = [place(b, w) for b, w in zip(recommended["budget"], recommended["half_width_high"], strict=True)]
    lower = [place(b, w) for b, w in zip(recommended["budget"], recommended["half_width_low"], strict=True)]
    parts = [f'<polygon points="{" ".join([*upper, *lower[::-1]])}" fill="{ours}" fill-opacity=".15"/>']
    for method, rows in table.groupby("method", sort=False):
        colour, dash = WAYS[str(method)].look.colour, "6 3" if method == PROXY_NEYMAN.name else "none"
        points = " ".join(place(b, w) for b, w in zip(rows["budget"], rows["half_width"], strict=True))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dash}"/>'
        )
    for row, method in enumerate(_methods(table)):
        left, height = _WIDTH - 150, 20 + 16 * row
        ends = f'x1="{left - 24}" x2="{left - 6}" y1="{height}" y2="{height}"'
        parts.append(f'<line {ends} stroke="{WAYS[method].look.colour}" stroke-width="3"/>')
        parts.append(f'<text x="{left}" y="{height + 4}">{WAYS[method].plainly}</text>')
    base = _HEIGHT - _BOTTOM
    for budget in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000):
        if budgets.min() <= budget <= budgets.max():
            x = place(budget, 0).split(",")[0]
            parts.append(f'<text x="{x}" y="{base + 16:.0f}" text-anchor="middle">{budget:,}</text>')
    step = next((step for step in _STEPS if most <= _TICKS * step), _STEPS[-1])
    for width in (step * number for number in range(1, math.floor(most / step) + 1)):
        y = place(budgets.min(), width).split(",")[1]
        parts.append(f'<text x="{_LEFT - 6:.0f}" y="{y}" text-anchor="end">±{100 * width:g}</text>')
    parts.append(f'<text x="{_WIDTH / 2:.0f}" y="{_HEIGHT - 2:.0f}" text-anchor="middle">Labels (log scale)</text>')
    here = recommended[recommended["budget"] == labels]
    if len(here):
        x, y = place(labels, float(here["half_width"].iloc[0])).split(",")
        parts.append(f'<circle cx="{x}" cy="{y}" r="5" fill="{ours}"/>')
    title = "Forecast half-width in points against labels"
    return f'<svg viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img" aria-label="{title}">{"".join(parts)}</svg>'


def _methods(table: pd.DataFrame) -> list[str]:
    """The methods of a table, in the order of the catalogue."""
    return [method for method in WAYS if method in set(table["method"])]


def _rows(table: pd.DataFrame) -> str:
    """Half-widths of every method at each number of labels."""
    wide = table.pivot(index="budget", columns="method", values="half_width")
    wide = wide[_methods(table)]
    head = "".join(f"<th>{WAYS[str(method)].plainly}</th>" for method in wide.columns)
    rows = "".join(
        f"<tr><td>{budget:,}</td>{''.join(f'<td>±{bare(width, True)}</td>' for width in widths)}</tr>"
        for budget, *widths in wide.itertuples()
    )
    return f"<table><thead><tr><th>Labels</th>{head}</tr></thead><tbody>{rows}</tbody></table>"
