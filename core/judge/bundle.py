"""A judgement in a bundle: what is kept beside its study, and how it is computed again, number for number."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ManifestError
from ..pool.pool import Pool
from ..study.bundle import POINT, judge_facts, same
from ..study.bundle import reproduce as study_reproduce
from .answers import with_notes
from .columns import JudgeVerdicts
from .decision import JudgeDecision
from .judgement import Judgement
from .summary import differences, limits, numbers

# Which rule made the limits; bundles of other ones do not say.
_RULE = "tilted"


def facts_of(result: Judgement, decision: JudgeDecision) -> dict[str, Any]:
    """What is kept of a judgement, as JSON: thresholds, verdict, measures, and how other judges compare.

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
    facts, study = judge_facts(bundle), study_reproduce(bundle, pool)
    try:
        result = Judgement(study, _read(facts["other"], pool), _read(facts["beside"], pool))
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
