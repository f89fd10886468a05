"""Everything of a result as JSON, format ``neyman-result/2``: unknown numbers are null.

The number behind the slash rises if a key is renamed, dropped or says something else; new keys leave it as it is.
2: ``position`` of ``labels`` became ``pool_position`` (from 0), beside ``list_position`` (from 1); ``interval`` is "t"
if values have no bounds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from ..estimation.carried import CarriedSample
from ..estimation.top_ups import TopUp
from ..study.comparison import Comparison
from ..study.metrics import Answered, Metrics
from ..study.provenance import Provenance
from ..study.result import Result
from . import breakdown, comparison, metrics, provenance, sentences

FORMAT = "neyman-result/2"

_GIVEN = ("item_id", "annotator", "label", "kind", "target", "note", "status", "source", "created")


def report_json(result: Result, labels: Provenance | None = None, rows: pd.DataFrame | None = None) -> str:
    """Write the result as JSON text (UTF-8, two spaces' indent, keys in a fixed order).

    Parameters
    ----------
    result : Result
        What to write.
    labels : Provenance, optional
        Where labels come from.
    rows : DataFrame, optional
        Labels as they were given, with skips and decisions, of `Archive.labels.of`; without them ``labels_as_given`` is
        null.
    """
    document = {
        "format": FORMAT,
        "neyman": __version__,
        "made": result.made,
        "pool": {"name": result.pool, "n_items": result.n_items},
        "target": result.target,
        "plan_id": result.plan.plan_id,
        "measure": result.measure,
        "confidence": result.confidence,
        "interval": result.interval.name if result.bounded else "t",
        "estimate": asdict(result.estimate),
        "sentences": [sentences.headline(result), sentences.beside_uniform(result), *sentences.remarks(result)],
        "uniform": asdict(result.precision.uniform),
        "promise": None if result.promise is None else result.promise.summary_frame().to_dict("records")[0],
        "design_effect": result.precision.design_effect,
        "effective_size": result.precision.effective_size,
        "uniform_needed": result.precision.uniform_needed,
        "saved_range_80": [result.precision.saved_least, result.precision.saved_most],
        "intervals": result.intervals.to_dict("records"),
        "strata": result.strata_table.to_dict("records"),
        "groups": None if result.groups is None else result.groups.to_dict("records"),
        "findings": {"strata": breakdown.strata_finding(result), "groups": breakdown.groups_finding(result)},
        "top_up": _top_up(result.more),
        "comparison": _comparison(result.comparison),
        "metrics": _metrics(result.metrics),
        "answered": _answered(result.answered),
        "planned": result.planned,
        "missing": list(result.missing),
        "not_yet": list(result.not_yet),
        "labels": result.labels.to_dict("records"),
        "labels_as_given": None if rows is None else _as_given(rows),
        "people": None if labels is None else [{"name": name, "labels": count} for name, count in labels.people],
        "undecided": result.undecided,
        "carried": None if result.carried is None else _carried(result.carried),
        "without_verdict": result.n_open,
        "either_way": None if result.disputed is None else list(result.ends),
        "given_up": result.n_given_up,
        "worst_case": None if result.worst_case is None else list(result.worst_case),
        "earlier_budgets": list(result.earlier),
        "in_waves": None if result.in_waves is None else asdict(result.in_waves),
        "provenance": None if labels is None else asdict(labels) | {"sentences": provenance.sentences(labels)},
        "method": sentences.method(result),
        "manifest": result.manifest,
    }
    return json.dumps(_plain(document), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _comparison(pair: Comparison | None) -> dict[str, Any] | None:
    if pair is None:
        return None
    return asdict(pair) | {
        "shown_to_differ": pair.shown,
        "separate_standard_error": pair.separate_error,
        "sentences": [comparison.headline(pair), comparison.beside_separate(pair), *comparison.remarks(pair)],
    }


def _carried(sample: CarriedSample) -> dict[str, Any]:
    return {
        "known": sample.known,
        "share": sample.share,
        "follows": sample.follows,
        "audit": asdict(sample.audit),
        "log": asdict(sample.log),
        "unbiased": sample.unbiased,
    }


def _top_up(more: TopUp | None) -> dict[str, Any] | None:
    if more is None:
        return None
    numbers = asdict(more)
    return {"wanted": numbers.pop("half_width")} | numbers


def _metrics(chosen: Metrics | None) -> dict[str, Any] | None:
    if chosen is None:
        return None
    fields = {key: value for key, value in asdict(chosen).items() if key != "estimates"}
    return fields | {"rows": chosen.table().to_dict("records"), "sentences": [metrics.headline(chosen)]}


def _answered(part: Answered | None) -> dict[str, Any] | None:
    return None if part is None else asdict(part) | {"sentences": [metrics.answered_headline(part)]}


def _as_given(rows: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Who said what of which item, in the order in which it was given; what is not known is null."""
    table = rows.reindex(columns=list(_GIVEN)).astype(object)
    return table.where(table.notna(), None).to_dict("records")


def _plain(value: Any) -> Any:
    """Convert to JSON's own types, NaN and ±∞ to null."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value
