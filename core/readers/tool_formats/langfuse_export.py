"""Langfuse: exports as JSON, JSON Lines or CSV of observations, traces, datasets and their runs, also from its API.

===================  =================================================================================================
experiment items     ``/api/public/experiment-items``: item, input, output, expected output and scores of a run
observations         outputs of models; those with the same input are one item, and samples of it
traces               the same, if the outputs stand with the traces
dataset items        ids, questions and right answers of items
dataset run items    which trace belongs to which item: read with the observations or traces
===================  =================================================================================================

The score that counts is the same for all rows: the one called correct, or else the first that is a share and of which 1
is good. If there are generations, other observations are left out. Exports are newest first; samples are sorted by
their time.

Source: langfuse/langfuse v3 and v4 (November 2026), ``worker/src/features/database-read-stream``,
``packages/shared/src/server/repositories/observations_converters.ts``; the reference of the API (ExperimentItem).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...files.jsontext import BadJson, StrictDecoder
from ...files.open import Source, stem
from ...files.sniff import ARRAY, OBJECT, TABLE, Beginning
from ...pool.problems import Problems
from ..file_rows import rows_of
from ..item_rows import ItemOutputs, Output
from ..joining import MODEL
from ..json_records import (
    filled,
    first_text,
    loss_of,
    object_of,
    objects_in,
    question_of,
    said,
    text_of,
    tool_lines,
    truth,
)
from ..model_outputs import Record, ResultsFormat
from ..resolve_ids import LINK, TRACE
from ..verdicts import ScoreScale, in_order_of_names, number_of

_EXPERIMENT = frozenset({"experimentItemId", "traceId"})
_RUN_ITEM = frozenset({"datasetItemId", "traceId"})
_DATASET_ITEM = frozenset({"id", "datasetId", "input", "expectedOutput"})
_OBSERVATION = frozenset({"id", "traceId", "type", "startTime", "input", "output"})
_TRACE = frozenset({"id", "timestamp", "input", "output", "sessionId"})
_KINDS = (_EXPERIMENT, _RUN_ITEM, _DATASET_ITEM, _OBSERVATION, _TRACE)
_OF_A_RUN = frozenset({"datasetRunItems", "datasetName"})
_ANSWERS = ("expectedOutput", "expected_output", "expected", "answer", "target", "label")
_QUESTIONS = ("question", "prompt", "input", "query", "text", "message", "messages")
_GROUPS = ("category", "subject", "topic", "group")
_NO_SCORES = frozenset({"input", "output", "scores", "tags", "comments"})
_REMEDY = "Use the export as Langfuse wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether the keys, or the columns, are those of a table of Langfuse, or of a page of its API."""
    if beginning.container not in (ARRAY, OBJECT, TABLE):
        return False
    page = beginning.container == OBJECT and "data" in beginning.keys and _kind(beginning.inner) is not None
    return page or beginning.keys >= _OF_A_RUN or _kind(beginning.keys) is not None


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read one export."""
    rows = [(row, _decoded(line)) for row, line in _rows(source, beginning, problems)]
    kind = next((kind for kind in (_kind(line.keys()) for _, line in rows) if kind is not None), None)
    if kind in (_RUN_ITEM, _DATASET_ITEM):
        make = _link if kind is _RUN_ITEM else _item
        return ((row, make(line, row, problems), 0) for row, line in rows)
    return _records(rows, kind, source, problems)


FORMAT = ResultsFormat.declared("langfuse_export", recognises, outputs)


def _kind(keys: Iterable[str]) -> frozenset[str] | None:
    return next((kind for kind in _KINDS if kind <= frozenset(keys)), None)


def _rows(source: Source, beginning: Beginning, problems: Problems) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if beginning.container != OBJECT or _kind(beginning.keys) is None:
        yield from rows_of(source, problems)
        return
    yield from ((row, object_of(line)) for row, _, line in tool_lines(source, problems))


def _decoded(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """Read the JSON in the cells of a CSV file."""
    return {
        key: _value(cell) if isinstance(cell, str) and cell.startswith(("[", "{")) else cell
        for key, cell in line.items()
    }


def _value(cell: str) -> Any:
    try:
        return StrictDecoder(lenient=True).decode(cell)
    except BadJson:
        return cell


def _link(line: Mapping[str, Any], row: int, problems: Problems) -> dict[str, Any]:
    trace = text_of(line.get("traceId"))
    if trace is None:
        problems.add("the run's item has no trace.", row, "traceId", _REMEDY)
    # An item has a row in each run.
    return {"id": text_of(line.get("datasetItemId")), LINK: trace, MODEL: f"run {row}"}


def _item(line: Mapping[str, Any], row: int, problems: Problems) -> dict[str, Any]:
    return {
        "id": text_of(line.get("id")),
        MODEL: text_of(line.get("datasetName", line.get("datasetId"))),
        **_facts(line),
    }


def _facts(line: Mapping[str, Any]) -> dict[str, Any]:
    """Make the columns of an item."""
    given, metadata = line.get("input"), line.get("metadata")
    places = [part for part in (line, metadata, given) if isinstance(part, dict)]
    answer = next((_said(part[key]) for part in places for key in _ANSWERS if part.get(key) not in (None, "")), None)
    group = first_text(object_of(metadata), _GROUPS) or first_text(object_of(given), _GROUPS)
    return filled({"prompt": _question(given), "group": group, **truth(answer)})


def _question(given: Any) -> str | None:
    if isinstance(given, dict):
        given = next((given[key] for key in _QUESTIONS if given.get(key)), given)
    return question_of(given)


def _said(output: Any) -> str | None:
    """Return the text of an output: itself, or that of the message or of the only value in it."""
    if isinstance(output, list):
        messages = objects_in(output)
        return _said(messages[-1]) if messages else text_of(output)
    if isinstance(output, dict):
        choices = output.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            output = choices[0].get("message", choices[0])
        if isinstance(output, dict) and output.get("content") is not None:
            return said(output["content"])
        if isinstance(output, dict) and len(output) == 1:
            return text_of(next(iter(output.values())))
    return text_of(output)


def _records(
    rows: list[tuple[int, Mapping[str, Any]]], kind: frozenset[str] | None, source: Source, problems: Problems
) -> Iterator[Record]:
    chosen = _outputs_of(rows, kind)
    answers = {row for row, _ in chosen}
    for row, _ in rows:
        if row not in answers:
            problems.tally.leave_out("observations that are not answers to items", row)
    samples, names = ItemOutputs(problems.tally), dict[str, str]()
    shares = _shares(chosen, problems)
    for row, line in sorted(chosen, key=lambda pair: text_of(pair[1].get("startTime", pair[1].get("timestamp"))) or ""):
        name = _item_of(line)
        if name is None:
            # Outputs to an input that was not recorded are not known to be about the same.
            given, alone = line.get("input"), text_of(line.get("id")) or str(row)
            name = names.setdefault(json.dumps(given, sort_keys=True), alone) if given not in (None, "") else alone
        trace = text_of(line.get("id") if kind is _TRACE else line.get("traceId"))
        record = {MODEL: _model(line) or stem(source.name), "id": name, TRACE: trace, **_facts(line)}
        text = _said(line.get("output"))
        samples.add(row, record, None if text is None else Output.of(text, shares.get(row), row in shares))
    yield from samples.records()


def _outputs_of(
    rows: list[tuple[int, Mapping[str, Any]]], kind: frozenset[str] | None
) -> list[tuple[int, Mapping[str, Any]]]:
    """Choose the rows that answer an item: those that name it, or else those of models."""
    if kind is _EXPERIMENT:
        return rows
    of_items = [(row, line) for row, line in rows if _item_of(line) is not None]
    generations = [(row, line) for row, line in rows if line.get("type") == "GENERATION"]
    return of_items or generations or rows


def _item_of(line: Mapping[str, Any]) -> str | None:
    named = object_of(line.get("metadata")).get("dataset_item_id")
    return text_of(line.get("experimentItemId")) or text_of(named)


def _model(line: Mapping[str, Any]) -> str | None:
    run = object_of(line.get("metadata")).get("experiment_run_name")
    names = (line.get(key) for key in ("experimentName", "model", "providedModelName"))
    return next((name for name in (*names, run, line.get("name")) if isinstance(name, str) and name), None)


def _shares(rows: Sequence[tuple[int, Mapping[str, Any]]], problems: Problems) -> dict[int, float | None]:
    """Read the score of each row, the same one in all of them; none if no row has a score."""
    scores = {row: _scores(line) for row, line in rows}
    values: dict[str, list[Any]] = {}
    for one in scores.values():
        for name, value in one.items():
            values.setdefault(name, []).append(value)
    numeric = [name for name, some in values.items() if any(number_of(value) is not None for value in some)]
    shares = [name for name in numeric if all(loss_of(value) is not None for value in values[name])]
    ranked = [*in_order_of_names(shares), *in_order_of_names(numeric)]
    if not ranked:
        return {}
    others = [name for name in values if name != ranked[0]]
    given = [one.get(ranked[0]) for one in scores.values()]
    return dict(zip(scores, ScoreScale(ranked[0]).right(given, problems, others), strict=True))


def _scores(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores of a row by their names: of a list of them, and of columns with the values of one name."""
    scores = {str(one.get("name")): one.get("value") for one in objects_in(line.get("scores"))}
    lists = {key: one[0] for key, one in line.items() if key not in _NO_SCORES and isinstance(one, list) and one}
    return {**lists, **scores}
