"""The formulas behind the report's numbers, each with its number here."""

from __future__ import annotations

import math

from markupsafe import Markup

from ..study.result import Result
from ..words import UNKNOWN, per_cent, share_span, significant
from . import sentences
from .blocks import Table

_FORMULAS = {
    "tilted": "values μ with r*(μ) between ∓z<sub>1−α/2</sub> (docs/method.md, 5.7)",
    "korn-graubard": "Clopper–Pearson’s limits of n (t<sub>M−1</sub>/t<sub>M−H</sub>)² labels",
    "wald": "Â ± t √V̂",
}


def formulas(result: Result) -> Table:
    """Write the formulas as a table: what, how, and its number here; in letters, since nothing may be loaded."""
    rows = [*_estimate(result), *_limits(result), *_uniform(result)]
    return Table((), [(name, Markup(formula), number) for name, formula, number in rows], look="formulas")


def _estimate(result: Result) -> list[tuple[str, str, str]]:
    estimate, sample = result.estimate, result.sample
    value = sentences.number(result, estimate.value)
    sizes = f"N = {result.n_items:,}, M = {estimate.n_labels:,}, H = {sample.sizes.size:,}"
    rows = [("Items, labels, strata", "N = Σ N<sub>h</sub>, M = Σ m<sub>h</sub>, h = 1 … H", sizes)]
    if result.waves is not None:
        shares = " and ".join(per_cent(share, 1) for share in result.waves.weights)
        rows.append(("Estimate", "Â = w<sub>1</sub> Â<sub>1</sub> + w<sub>2</sub> Â<sub>2</sub>", value))
        rows.append(("Weights of the waves", "w<sub>1</sub>, w<sub>2</sub>: shares of the labels", shares))
    elif result.carried is not None:
        formula = "Â = Σ v/N + (1 − W) Â<sub>open</sub> + W d̄<sub>audited</sub>, W = K/N (docs/method.md, 6.8)"
        rows.append(("Estimate", formula, value))
        rows.append(("Carried verdicts", "K", f"{result.carried.known:,}"))
    else:
        rows.append(
            ("Share of a stratum that is labelled", "π<sub>h</sub> = m<sub>h</sub> / N<sub>h</sub>", _chances(result))
        )
        rows.append(("Estimate", "Â = Σ (N<sub>h</sub>/N) ȳ<sub>h</sub>", value))
    variance = result.estimator.variance
    if result.carried is not None:
        formula = "V̂ = (1 − W)² V̂<sub>open</sub> + W² (1 − a/K) s<sub>d</sub>² / a"
    elif result.waves is None:
        formula = "V̂ = Σ (N<sub>h</sub>/N)² (1 − m<sub>h</sub>/N<sub>h</sub>) s<sub>h</sub>² / m<sub>h</sub>"
    else:
        formula = "V̂ = that of both waves (docs/method.md, 6.4)"
    rows.append(("Variance", formula, UNKNOWN if math.isnan(variance) else significant(variance, 3)))
    error = sentences.points(result, estimate.standard_error) if estimate.standard_error > 0 else UNKNOWN
    return [*rows, ("Standard error", "√V̂", error)]


def _limits(result: Result) -> list[tuple[str, str, str]]:
    limits, name = sentences.limits(result), f"Interval: {result.estimate.method}"
    if not result.bounded:
        return [(name, "Â ± t<sub>ν</sub> √V̂, ν by Satterthwaite", limits)]
    size = f"{result.precision.effective_size:,.1f}"
    rows = [("Effective labels", "n = Â (1 − Â) / V̂", size)]
    return [*rows, (name, _FORMULAS[result.interval.name], limits)]


def _uniform(result: Result) -> list[tuple[str, str, str]]:
    beside = result.precision
    if result.census or result.sample.sizes.size == 1 or beside.uniform_needed is None:
        return []
    error = sentences.points(result, beside.uniform.standard_error)
    return [
        ("Uniform’s standard error", "√((1 − M/N) Ŝ² / M)", error),
        ("Labels Uniform needs", "1 / (V̂/Ŝ² + 1/N)", f"{beside.uniform_needed:,}"),
    ]


def _chances(result: Result) -> str:
    chances = result.sample.counts / result.sample.sizes
    return share_span(float(chances.min()), float(chances.max()), 1)
