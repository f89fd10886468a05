"""A judgement for machines and for pull requests, as JSON and Markdown, and in a bundle.

What a bundle keeps beside its study is computed again from it, number for number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from .. import study
from ..errors import ManifestError
from ..estimation.mean import Estimate
from ..pool.pool import Pool
from ..study.bundle import POINT, judge_facts, same
from ..words import gap_span, signed
from ..words.documents import document
from .checklist import with_notes
from .decision import JudgeDecision
from .grades import HEAD, JudgeGrades
from .judge_verdicts import JudgeVerdicts
from .judgement import FIGURES, Judgement
from .measures import AGREEMENT, BIAS, KAPPA, PASS_RATE, TNR, TPR

# Which rule made the limits; bundles of other ones do not say.
_RULE = "tilted"


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
    table = f"{head}| | | 95 % limits |\n|---|---|---|\n" + "\n".join(rows) + f"\n\n{notes}"
    pair = result.comparison
    if pair is None:
        return table
    names = " | ".join(f"“{name}”" for name in pair.names)
    both = "\n".join(f"| {' | '.join(row)} |" for row in pair_rows(result))
    said = "".join(f"- {remark}\n" for remark in pair.remarks)
    return f"{table}\n{pair.sentence}\n\n| | {names} | Difference, points |\n|---|---|---|---|\n{both}\n\n{said}"


def as_json(result: Judgement, decision: JudgeDecision) -> str:
    """Write a judgement as one JSON object.

    Parameters
    ----------
    result, decision
        As in `markdown`.
    """
    facts = {
        "verdict": decision.verdict,
        "thresholds": {"tpr": decision.tpr, "tnr": decision.tnr},
        "labels_needed": decision.needed,
        "judge": result.judge,
        "judge_only": result.judge_only,
        "measures": numbers(result),
        "confusion": result.confusion().to_dict("records"),
        "items": result.pair.size,
        "labels": result.n_labels,
        "failures_found": int(result.pair.found),
        "plan": result.study.plan.plan_id,
        "seed": result.study.plan.seed,
        "sentence": result.sentence,
        "decision": decision.sentence,
        "remarks": list(result.remarks),
        "comparison": _comparison(result),
        "counted_once": None if result.counted_once is None else numbers(result.counted_once),
    }
    return document("neyman-judge/1", facts)


def grades_json(result: JudgeGrades, most_bias: float | None = None) -> str:
    """Write a judge that grades against people as one JSON object.

    Parameters
    ----------
    result : JudgeGrades
        The judge against people's grades.
    most_bias : float, optional
        As in `core.judge.JudgeGrades.verdict`; without it nothing is decided.
    """
    good, once = result.good, result.counted_once
    facts = {
        "verdict": None if most_bias is None else result.verdict(most_bias),
        "most_bias": most_bias,
        "judge": result.judge,
        "worst": result.scale.low,
        "best": result.scale.high,
        "judge_only": result.judge_only,
        "corrected": _estimate(result.corrected),
        "bias": _estimate(result.bias),
        "good_from": result.study.outcomes.good_from,
        "good": None if good is None else _estimate(good),
        "judge_good": None if good is None else result.judge_good,
        "calibration": result.calibration.to_dict("records"),
        "items": result.grades.size,
        "labels": result.n_labels,
        "plan": result.study.plan.plan_id,
        "seed": result.study.plan.seed,
        "sentence": result.sentence,
        "decision": None if most_bias is None else result.decision(most_bias),
        "remarks": list(result.remarks),
        "counted_once": None if once is None else _estimate(once),
    }
    return document("neyman-judge-grades/1", facts)


def grades_markdown(result: JudgeGrades, most_bias: float | None = None) -> str:
    """Summarise a judge that grades for a pull request; parameters as in `grades_json`."""
    head = result.lines[0] if most_bias is None else result.decision(most_bias)
    said = result.lines[1:] if most_bias is None else result.lines
    rows = "".join(f"| {' | '.join(row)} |\n" for row in result.rows())
    notes = "".join(f"- {remark}\n" for remark in result.remarks)
    table = f"| {' | '.join(HEAD)} |\n{'|---' * len(HEAD)}|\n{rows}"
    return f"### {head}\n\n{' '.join(said)}\n\n{result.title}.\n\n{table}\n{notes}"


def numbers(result: Judgement) -> dict[str, dict[str, object]]:
    """Every measure with its limits; what is not known is None."""
    return {name: _estimate(getattr(result, name)) for name in FIGURES}


def differences(result: Judgement) -> dict[str, dict[str, object]]:
    """Every difference of two judges with its limits, as of `numbers`; nothing without a comparison."""
    pair = result.comparison
    return {} if pair is None else {name: _estimate(getattr(pair, name)) for name in ("tpr", "tnr", "agreement")}


def _comparison(result: Judgement) -> dict[str, object] | None:
    pair, other = result.comparison, result.of_beside
    if pair is None or other is None:
        return None
    return {
        "judges": list(pair.names),
        "differences": differences(result),
        "judge_only": pair.pass_rate,
        "items_that_differ": pair.differ,
        "labelled_of_these": pair.labelled,
        "measures_of_other": numbers(other),
        "sentence": pair.sentence,
        "remarks": list(pair.remarks),
    }


def _estimate(one: Estimate) -> dict[str, object]:
    known = asdict(one).items()
    return {field: None if isinstance(value, float) and math.isnan(value) else value for field, value in known}


def rows_of(result: Judgement) -> list[tuple[str, str, str]]:
    """Write each measure with its value and its limits."""
    return [
        (one["measure"], number(one["value"], one["measure"]), limits(one["low"], one["high"], one["measure"]))
        for one in result.measures_frame().to_dict("records")
    ]


def pair_rows(result: Judgement) -> list[tuple[str, str, str, str]]:
    """Write what two judges pass and catch, and their differences; nothing without a comparison."""
    pair, other = result.comparison, result.of_beside
    if pair is None or other is None:
        return []

    def shown(one: Estimate) -> str:
        return f"{number(one.value, one.measure)} ({limits(one.low, one.high, one.measure)})"

    rows = [
        (of.title, shown(result.estimate(of.name)), shown(other.estimate(of.name)), _difference(gap))
        for of, gap in ((TPR, pair.tpr), (TNR, pair.tnr), (AGREEMENT, pair.agreement))
    ]
    own, others = number(result.judge_only, ""), number(other.judge_only, "")
    return [*rows, ("Judge-only pass rate", own, others, signed(pair.pass_rate, True))]


def _difference(gap: Estimate) -> str:
    if math.isnan(gap.value):
        return "–"
    return f"{signed(gap.value, True)} ({gap_span(gap.low, gap.high, True)})"


def criteria_frame(results: Mapping[str, Judgement]) -> pd.DataFrame:
    """Tabulate a judge on several criteria.

    Parameters
    ----------
    results : mapping of str to Judgement
        Of `core.judge.by_criterion`.

    Returns
    -------
    DataFrame
        A row for each criterion and measure (pass_rate, tpr, tnr): criterion, measure, value, low, high, and
        joint_low and joint_high, which hold for all criteria at once in 95 % of lists (Šidák).
    """
    joint = float(NormalDist().inv_cdf((1 + 0.95 ** (1 / max(len(results), 1))) / 2))
    rows = []
    for name, result in results.items():
        for of in (PASS_RATE, TPR, TNR):
            one, both = result.estimate(of.name), result.pair.limits(of, joint)
            rows.append((name, of.name, one.value, one.low, one.high, *both))
    return pd.DataFrame(rows, columns=["criterion", "measure", "value", "low", "high", "joint_low", "joint_high"])


def criteria_rows(results: Mapping[str, Judgement], tpr: float, tnr: float) -> list[tuple[str, ...]]:
    """Write a row for each criterion: its name, the pass rate, TPR and TNR with joint limits, and the verdict.

    Parameters
    ----------
    results
        As in `criteria_frame`.
    tpr, tnr : float
        Least shares of good answers passed and of failures caught.
    """
    rows = []
    for name, table in criteria_frame(results).groupby("criterion", sort=False):
        cells = [
            f"{number(one['value'], '')} ({limits(one['joint_low'], one['joint_high'], '')})"
            for one in table.to_dict("records")
        ]
        rows.append((str(name), *cells, results[str(name)].verdict(tpr, tnr).upper()))
    return rows


def number(value: float, measure: str) -> str:
    """Write a measure's value: in per cent, a bias in points, κ as a number, “–” if there is none."""
    if math.isnan(value):
        return "–"
    # Added 0 takes the sign from what is rounded to −0.
    rounded = round(value, 2) + 0.0 if measure == KAPPA.title else round(100 * value, 1) + 0.0
    unit = "points" if measure == BIAS else "%"
    return (f"{rounded:.2f}" if measure == KAPPA.title else f"{rounded:.1f} {unit}").replace("-", "−")


def limits(low: float, high: float, measure: str) -> str:
    """Write a measure's limits."""
    return f"{number(low, measure)} to {number(high, measure)}"


def facts_of(result: Judgement, decision: JudgeDecision) -> dict[str, Any]:
    """Return a judgement as JSON keeps it: thresholds, verdict, measures, and how other judges compare.

    Parameters
    ----------
    result : Judgement
        The judge against people's labels.
    decision : JudgeDecision
        The verdict, with what the judge was held against.
    """
    return {
        "tpr": decision.tpr,
        "tnr": decision.tnr,
        "verdict": decision.verdict,
        "rule": _RULE,
        "measures": numbers(result),
        "other": _written(result.other),
        "beside": _written(result.beside),
        "differences": differences(result),
    }


def reproduce(bundle: str | Path | bytes, pool: Pool) -> Judgement:
    """Compute a judge's numbers again from a bundle, and prove that they are the same.

    Parameters
    ----------
    bundle : path or bytes
        A zip that `core.report.report` made of a judgement.
    pool : Pool
        The pool that it was made from.

    Returns
    -------
    Judgement
        With every measure of the bundle, and every difference from another judge, bit for bit. Of a bundle whose
        version had another rule for limits, the estimates are the same; remarks say what its limits and verdict were.

    Raises
    ------
    ManifestError
        The file is no such bundle or damaged, the pool is another one, or a number is another one.
    LabelError
        The labels cannot be read.
    """
    facts, its_study = judge_facts(bundle), study.reproduce(bundle, pool)
    try:
        result = Judgement(its_study, _read(facts["other"], pool), _read(facts["beside"], pool))
        verdict = result.verdict(facts["tpr"], facts["tnr"])
        pairs: list[tuple[str, Any, Any]]
        pairs = [(name, facts["measures"][name], one) for name, one in numbers(result).items()]
        paired = differences(result) if "differences" in facts else {}  # Earlier bundles have none.
        pairs += [(f"difference in {name}", facts["differences"][name], one) for name, one in paired.items()]
        if facts.get("rule") == _RULE:
            differ = [name for name, stored, one in pairs if one != stored]
            differ += [] if verdict == facts["verdict"] else ["verdict"]
        else:
            differ = [name for name, stored, one in pairs if not all(same(stored[key], one[key]) for key in POINT)]
            result = with_notes(result, _before(facts["verdict"], verdict, pairs))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ManifestError(f"The bundle is damaged ({error}). Use the bundle as it was made.") from error
    if differ:
        raise ManifestError(f"The bundle says other numbers: {', '.join(differ)}. Use the same version.")
    return result


def _before(
    stored: str, verdict: str, pairs: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]]
) -> tuple[str, ...]:
    """Say what limits and which verdict a bundle has by the rule of the version that made it, and those of today."""
    lines = [
        f"{one['measure']}: {limits(old['low'], old['high'], one['measure'])}, today "
        f"{limits(one['low'], one['high'], one['measure'])}"
        for _, old, one in pairs
        if None not in (old["low"], one["low"]) and (old["low"], old["high"]) != (one["low"], one["high"])
    ]
    lines += [] if stored == verdict else [f"verdict: {stored}, today {verdict}"]
    return (f"The bundle’s limits are by the rule of the version that made it. {'; '.join(lines)}.",) if lines else ()


def _written(judge: JudgeVerdicts | None) -> dict[str, Any] | None:
    if judge is None:
        return None
    return {"judge": judge.judge, "target": judge.target, "fails": np.flatnonzero(judge.fails).tolist()}


def _read(facts: Mapping[str, Any] | None, pool: Pool) -> JudgeVerdicts | None:
    if facts is None:
        return None
    fails = np.zeros(pool.n_items, dtype=bool)
    fails[np.array(facts["fails"], dtype=np.int64)] = True
    return JudgeVerdicts(str(facts["judge"]), fails, target=str(facts["target"]))
