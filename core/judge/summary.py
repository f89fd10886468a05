"""A judgement for machines and for pull requests: JSON and Markdown."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

from .decision import JudgeDecision
from .judgement import Judgement
from .measures import KAPPA

_MEASURES = ("pass_rate", "tpr", "tnr", "agreement", "kappa", "precision_fail", "precision_pass", "bias")


def markdown(result: Judgement, decision: JudgeDecision) -> str:
    """Summarise a judgement for a pull request.

    Parameters
    ----------
    result : Judgement
        The judge against people's labels.
    decision : JudgeDecision
        The verdict.
    """
    rows = [f"| {' | '.join(row)} |" for row in rows_of(result)]
    notes = "".join(f"- {remark}\n" for remark in result.remarks)
    head = f"### {decision.sentence}\n\n{result.sentence}\n\n{result.title}.\n\n"
    return f"{head}| | | 95 % limits |\n|---|---|---|\n" + "\n".join(rows) + f"\n\n{notes}"


def as_json(result: Judgement, decision: JudgeDecision) -> str:
    """Write a judgement as one JSON object.

    Parameters
    ----------
    result, decision
        As in `markdown`.
    """
    numbers = {
        name: {field: _or_null(value) for field, value in asdict(getattr(result, name)).items()} for name in _MEASURES
    }
    document = {
        "verdict": decision.verdict,
        "thresholds": {"tpr": decision.tpr, "tnr": decision.tnr},
        "labels_needed": decision.needed,
        "judge": result.judge,
        "judge_only": result.judge_only,
        "measures": numbers,
        "confusion": result.confusion().to_dict("records"),
        "items": result.pair.size,
        "labels": result.n_labels,
        "failures_found": int(result.pair.found),
        "plan": result.study.plan.plan_id,
        "seed": result.study.plan.seed,
        "sentence": result.sentence,
        "decision": decision.sentence,
        "remarks": list(result.remarks),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def rows_of(result: Judgement) -> list[tuple[str, str, str]]:
    """Write each measure with its value and its limits."""
    return [
        (one["measure"], number(one["value"], one["measure"]), limits(one["low"], one["high"], one["measure"]))
        for one in result.measures_frame().to_dict("records")
    ]


def number(value: float, measure: str) -> str:
    """Write a measure's value: in per cent, κ as a number, “–” if there is none."""
    if math.isnan(value):
        return "–"
    return (f"{value:.2f}" if measure == KAPPA.title else f"{100 * value:.1f} %").replace("-", "−")


def limits(low: float, high: float, measure: str) -> str:
    """Write a measure's limits."""
    return f"{number(low, measure)} to {number(high, measure)}"


def _or_null(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value
