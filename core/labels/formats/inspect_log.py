"""Inspect: the samples to grade as a log without scores, and graded logs.

``to_log`` writes a log (JSON) of the listed samples for ``inspect score``. Each sample's metadata has plan_id and
answers_of. In a graded log the label of a sample is its score: C is right, I and N are wrong, P is half; a number is
itself, and another text is read as a cell of a list. Of several epochs the first that has a score counts. A scorer is
an annotator; each key is, if its scores are objects.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from ...errors import LabelError
from ...readers.json_records import object_of
from ...readers.tool_formats.inspect_eval import InspectLog, as_inspect
from ...words import listed
from ..kinds import RIGHT, RIGHT_WRONG, SCORE, WRONG
from ..rows import label_text
from ..targets import ANSWERS_OF
from .records import Row

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


def read_log(log: InspectLog, scorer: str | None = None) -> Iterator[Row]:
    """Yield a row for each sample and scorer of a graded log; a sample without any score has an empty one.

    Parameters
    ----------
    log : InspectLog
        The graded log.
    scorer : str, optional
        The only scorer that is read, or one of its keys: "grader.correct".

    Raises
    ------
    LabelError
        A score holds values under several keys and ``scorer`` does not choose one, or no sample has its score.
    """
    graded: dict[str, tuple[int, dict[str, Any]]] = {}
    for number, sample in enumerate(log.samples(), start=1):
        before = graded.get(str(sample["id"]))
        if before is None or _place(sample) < _place(before[1]):
            graded[str(sample["id"])] = (number, sample)
    scores_of = _values_of([_scores(sample) for _, sample in graded.values()], scorer)
    numbers = [as_inspect(value) for scores in scores_of for value in scores.values()]
    verdicts = all(number in (0.0, 1.0) for number in numbers if number is not None)
    for (name, (number, sample)), scores in zip(graded.items(), scores_of, strict=True):
        payload = {**object_of(sample.get("metadata")), "item_id": name, "prompt": _prompt(sample.get("input"))}
        if not scores:
            yield Row.of(number, payload, None)
        for who, value in scores.items():
            row = Row.of(number, payload, _label(value, verdicts), who)
            yield row._replace(kind=RIGHT_WRONG.name if verdicts else SCORE.name) if row.problem is None else row


def _prompt(given: Any) -> str | None:
    """Return what a sample asks: its text, or that of the last message of the user."""
    if isinstance(given, list):
        asked = [one.get("content") for one in given if isinstance(one, dict) and one.get("role") == "user"]
        given = asked[-1] if asked else None
    return given if isinstance(given, str) else None


def _values_of(samples: Sequence[Mapping[str, Any]], scorer: str | None) -> list[dict[str, Any]]:
    """Return the values of each sample by scorer, or by scorer and key where one has several keys."""
    given = [{name: _value(score) for name, score in one.items()} for one in samples]
    keys: dict[str, dict[str, None]] = {}
    for one in given:
        for name, value in one.items():
            keys.setdefault(name, {}).update(dict.fromkeys(value if isinstance(value, dict) else ()))
    several = {name: [f"{name}.{key}" for key in found] for name, found in keys.items() if len(found) > 1}
    read = [_by_key(one, several.keys()) for one in given]
    names = list(dict.fromkeys(name for one in read for name in one))
    if scorer is not None and names and scorer not in names:
        raise LabelError(f"The log has scores of {listed(names)}, none of “{scorer}”. Choose with --scorer.")
    if scorer is not None:
        return [{name: value for name, value in one.items() if name == scorer} for one in read]
    if several:
        name, parts = next(iter(several.items()))
        raise LabelError(
            f"The log has several values in each score of “{name}” ({listed(parts)}). Say which one is the label: "
            f"`neyman study estimate … --scorer {parts[0]}`, or core.labels.read(content, scorer={parts[0]!r}) in "
            "Python. On a page, use a log with one value a score."
        )
    return read


def _by_key(scores: Mapping[str, Any], several: Collection[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in scores.items():
        if not isinstance(value, dict):
            found[name] = value
        elif name in several:
            found |= {f"{name}.{key}": one for key, one in value.items()}
        else:
            found[name] = next(iter(value.values()), None)
    return found


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


def _value(score: Any) -> Any:
    return score.get("value") if isinstance(score, dict) else score


def _label(value: Any, verdicts: bool) -> str | None:
    number = as_inspect(value)
    if number is None:
        return label_text(value)
    return (RIGHT if number else WRONG) if verdicts else repr(number)
