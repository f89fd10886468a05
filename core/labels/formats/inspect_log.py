"""Inspect: the samples to grade as a log without scores, and graded logs.

``to_log`` writes a log (JSON) of the listed samples for ``inspect score``. Each sample's metadata has plan_id and
answers_of. In a graded log the label of a sample is its score: C is right, I and N are wrong, P is half; a number is
itself. Of several epochs the first that has a score counts. A scorer is an annotator.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from ...readers.inspect_samples import InspectLog
from ...readers.values import object_of
from ..kinds import RIGHT, RIGHT_WRONG, SCORE, WRONG
from ..targets import ANSWERS_OF
from .records import Row

_VALUES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_OF_ALL = ("results", "reductions", "samples")


def to_log(log: InspectLog, frame: pd.DataFrame) -> str:
    """Return the listed samples of a log, without scores, as a separate log.

    Parameters
    ----------
    log : InspectLog
        The target's log.
    frame : DataFrame
        Of `core.labels.request`.

    Returns
    -------
    str
        JSON, the samples in the list's order; of several epochs the first that has an output.
    """
    payload = [name for name in ("plan_id", ANSWERS_OF) if name in frame]
    rows = {str(row["item_id"]): row for row in frame[["item_id", *payload]].to_dict("records")}
    chosen: dict[str, dict[str, Any]] = {}
    for sample in log.samples():
        name = str(sample["id"])
        if name in rows and (name not in chosen or _rank(sample) < _rank(chosen[name])):
            facts = object_of(sample.get("metadata"))
            chosen[name] = {key: value for key, value in sample.items() if key != "scores"}
            chosen[name]["metadata"] = {**facts, **{key: rows[name][key] for key in payload}}
    samples = [chosen[name] for name in rows if name in chosen]
    header = {name: part for name, part in log.header.items() if name not in _OF_ALL}
    evaluated = dict(header.get("eval") or {})
    evaluated["dataset"] = {
        **(evaluated.get("dataset") or {}),
        "samples": len(samples),
        "sample_ids": [sample["id"] for sample in samples],
    }
    evaluated["config"] = {**(evaluated.get("config") or {}), "epochs": 1}
    return json.dumps({**header, "eval": evaluated, "samples": samples}, ensure_ascii=False)


def read_log(log: InspectLog) -> Iterator[Row]:
    """Yield a row for each sample and scorer of a graded log; a sample without any score has an empty one."""
    graded: dict[str, tuple[int, dict[str, Any]]] = {}
    for number, sample in enumerate(log.samples(), start=1):
        before = graded.get(str(sample["id"]))
        if before is None or _place(sample) < _place(before[1]):
            graded[str(sample["id"])] = (number, sample)
    values = [_value(score) for _, sample in graded.values() for score in _scores(sample).values()]
    verdicts = all(value in (0.0, 1.0) for value in values if value is not None)
    for name, (number, sample) in graded.items():
        payload = {**object_of(sample.get("metadata")), "item_id": name}
        scores = _scores(sample)
        if not scores:
            yield Row.of(number, payload, None)
        for scorer, score in scores.items():
            row = Row.of(number, payload, _label(_value(score), verdicts), scorer)
            yield row._replace(kind=RIGHT_WRONG.name if verdicts else SCORE.name) if row.problem is None else row


def _rank(sample: Mapping[str, Any]) -> tuple[bool, int]:
    """Place of a sample among those of the same id: epochs with an output go first."""
    answered = bool(object_of(sample.get("output")).get("choices")) and not sample.get("error")
    return not answered, _epoch(sample)


def _place(sample: Mapping[str, Any]) -> tuple[bool, int]:
    """Place of a sample among those of the same id: epochs with a score go first."""
    return not _scores(sample), _epoch(sample)


def _epoch(sample: Mapping[str, Any]) -> int:
    epoch = sample.get("epoch")
    return epoch if isinstance(epoch, int) else 1


def _scores(sample: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name): score for name, score in object_of(sample.get("scores")).items()}


def _value(score: Any) -> float | None:
    value = score.get("value") if isinstance(score, dict) else score
    if isinstance(value, dict):
        value = next(iter(value.values()), None)
    if isinstance(value, str):
        return _VALUES.get(value)
    return float(value) if isinstance(value, (bool, int, float)) and value == value else None


def _label(value: float | None, verdicts: bool) -> str | None:
    if value is None:
        return None
    return (RIGHT if value else WRONG) if verdicts else repr(value)
