"""Everything of a result as JSON, format ``neyman-result/2``: unknown numbers are null.

The number behind the slash rises where a key is renamed, dropped or says something else; new keys leave it as it is.
2: ``position`` of ``labels`` became ``pool_position`` (from 0), beside ``list_position`` (from 1); ``interval`` is "t"
where values have no bounds.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from core import __version__
from core.report import breakdown, comparison, metrics, provenance, sentences
from core.report.comparison import Comparison
from core.report.metrics import Answered, Metrics
from core.report.provenance import Provenance
from core.report.result import Result

FORMAT = "neyman-result/2"

_GIVEN = ("item_id", "annotator", "label", "kind", "target", "note", "status", "source", "created")


def report_json(found: Result, given: Provenance | None = None, rows: pd.DataFrame | None = None) -> str:
    """The result as JSON text (UTF-8, two spaces' indent, keys in a fixed order).

    ``given``: where labels come from. ``rows``: of `Archive.labels`, the labels as they were given, with skips and
    decisions; without them ``labels_as_given`` is null.
    """
    document = {
        "format": FORMAT,
        "neyman": __version__,
        "made": found.made,
        "pool": {"name": found.pool, "n_items": found.n_items},
        "target": found.target,
        "plan_id": found.plan_id,
        "measure": found.measure,
        "confidence": found.confidence,
        "interval": found.interval.name if found.bounded else "t",
        "estimate": asdict(found.estimate),
        "sentences": [sentences.headline(found), sentences.beside_uniform(found), *sentences.remarks(found)],
        "uniform": asdict(found.precision.uniform),
        "design_effect": found.precision.design_effect,
        "effective_size": found.precision.effective_size,
        "uniform_needed": found.precision.uniform_needed,
        "saved_range_80": [found.precision.saved_least, found.precision.saved_most],
        "intervals": _records(found.intervals),
        "strata": _records(found.strata),
        "groups": None if found.groups is None else _records(found.groups),
        "findings": {"strata": breakdown.strata_finding(found), "groups": breakdown.groups_finding(found)},
        "top_up": None if found.more is None else asdict(found.more),
        "comparison": _comparison(found.comparison),
        "metrics": _metrics(found.metrics),
        "answered": _answered(found.answered),
        "planned": found.planned,
        "missing": list(found.missing),
        "labels": _records(found.labels),
        "labels_as_given": None if rows is None else _as_given(rows),
        "people": None if given is None else [{"name": name, "labels": count} for name, count in given.people],
        "undecided": found.undecided,
        "short_strata": list(found.short),
        "uneven": found.uneven,
        "provenance": None if given is None else asdict(given) | {"sentences": provenance.sentences(given)},
        "method": sentences.method(found),
        "manifest": found.manifest,
    }
    return json.dumps(_plain(document), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _comparison(found: Comparison | None) -> dict[str, Any] | None:
    if found is None:
        return None
    own = asdict(found)
    return own | {
        "shown_to_differ": found.shown,
        "separate_standard_error": found.separate_error,
        "sentences": [comparison.headline(found), comparison.beside_separate(found), *comparison.remarks(found)],
    }


def _metrics(found: Metrics | None) -> dict[str, Any] | None:
    if found is None:
        return None
    own = {key: value for key, value in asdict(found).items() if key != "estimates"}
    return own | {"rows": _records(found.table()), "sentences": [metrics.headline(found)]}


def _answered(found: Answered | None) -> dict[str, Any] | None:
    return None if found is None else asdict(found) | {"sentences": [metrics.answered_headline(found)]}


def _as_given(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Who said what of which item, in the order in which it was given; what is not known is null."""
    own = rows.reindex(columns=list(_GIVEN)).astype(object)
    return _records(own.where(own.notna(), None))


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: Any) -> Any:
    """The same in JSON's own types; NaN and ±∞ as null."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value
