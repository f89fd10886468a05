"""promptfoo: results as JSON (``--output results.json``), JSON Lines or CSV; repeats are the samples.

promptfoo numbers repeats like other tests, so tests with the same variables are one item. Each provider is a model, or
each pair of provider and prompt if a provider was asked one test by several. A pass is right. A result that failed
without an output is an empty one; a result that ended with an error has neither output nor score.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...files.open import Source
from ...files.sniff import OBJECT, TABLE, Beginning
from ...pool.account import WITHOUT_OUTPUT
from ...pool.problems import Problems
from ..csv_table import headed
from ..joining import LOSS, LOSSES, MODEL
from ..json_records import FileRow, filled, list_of, object_of, objects_in, text_of, tool_lines, truth, whole
from ..model_outputs import Record, ResultsFormat

_ROW = frozenset({"promptIdx", "testIdx", "provider", "vars"})
_QUESTIONS = ("question", "prompt", "input", "query", "text", "message")
_TRUTHS = ("expected", "answer", "target", "gold", "ideal", "label", "reference")
_GROUPS = ("category", "subject", "topic", "group")
_ERROR, _LABEL = 2, 40
_OUTPUT = re.compile(r"\[(?P<provider>.+?)\] (?P<prompt>.*)", re.DOTALL)
_REMEDY = "Use the file as promptfoo wrote it (--output results.json)."


def recognises(beginning: Beginning) -> bool:
    """Whether the keys are those of a file of results, or of one result a line, or the columns those of a table."""
    keys = beginning.keys
    if beginning.container == TABLE:
        return bool(beginning.rows) and bool(_columns(beginning.rows[0]))
    whole = "results" in keys and ("evalId" in keys or {"version", "timestamp"} <= keys)
    return beginning.container == OBJECT and (whole or keys >= _ROW)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read the results of all providers."""
    in_lines = beginning.container == TABLE or beginning.keys >= _ROW
    value = None if in_lines else object_of(whole(source, problems, _REMEDY)).get("results")
    rows = list(_rows(source, beginning, value, problems))
    problems.stop()
    _report(object_of(value), rows, problems)
    return _records(rows, problems)


FORMAT = ResultsFormat.declared("promptfoo", recognises, outputs)


def _rows(source: Source, beginning: Beginning, value: Any, problems: Problems) -> Iterator[FileRow]:
    if beginning.container == TABLE:
        yield from _of_table(source, problems)
        return
    if beginning.keys >= _ROW:
        given: list[tuple[int, Any]] = [(row, value) for row, _, value in tool_lines(source, problems)]
    else:
        results = value.get("results") if isinstance(value, dict) else value
        given = list(enumerate(problems.tally.records(list_of(results)), start=1))
    for row, value in given:
        if isinstance(value, dict) and _name(value.get("provider")) and isinstance(value.get("vars", {}), dict):
            yield row, value
        else:
            problems.add("the result has no provider, or its variables are not an object.", row, remedy=_REMEDY)


def _report(results: Mapping[str, Any], rows: Sequence[FileRow], problems: Problems) -> None:
    """Compare each provider's passes with those that the file counts, both without errors."""
    counts: dict[str, list[float]] = {}
    for prompt in objects_in(results.get("prompts")):
        metrics = object_of(prompt.get("metrics"))
        passed, failed = (metrics.get(key) for key in ("testPassCount", "testFailCount"))
        if isinstance(passed, int) and isinstance(failed, int):
            total = counts.setdefault(str(prompt.get("provider")), [0, 0])
            total[0], total[1] = total[0] + passed, total[1] + passed + failed
    own: dict[str, list[bool]] = {}
    for _, result in rows:
        text = text_of(object_of(result.get("response")).get("output"))
        if not _is_error(result, text) and isinstance(result.get("success"), bool):
            own.setdefault(str(_name(result["provider"])), []).append(result["success"])
    for provider, passes in own.items():
        passed, judged = counts.get(provider, (0, 0))
        if judged:
            problems.tally.compare(provider, "passes", passed / judged, passes)


def _columns(header: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return the columns with outputs, which two with status and score follow: place, provider, prompt."""
    return [
        (place, match["provider"], match["prompt"])
        for place, name in enumerate(header[:-2])
        if header[place + 1 : place + 3] == ["Status", "Score"] and (match := _OUTPUT.fullmatch(name))
    ]


def _of_table(source: Source, problems: Problems) -> Iterator[FileRow]:
    """Make the results of a table's rows, as they are in the other forms."""
    header, rows = headed(source, problems)
    columns = _columns(header)
    for row, cells in rows:
        if len(cells) != len(header):
            problems.add(f"there are {len(cells)} cells under {len(header)} columns.", row, remedy=_REMEDY)
            continue
        variables = dict(zip(header[: columns[0][0] if columns else 0], cells, strict=False))
        if not any(cells[place + 1] for place, _, _ in columns):
            problems.tally.leave_out("rows without a result", row)
        for index, (place, provider, prompt) in enumerate(columns):
            output, status = cells[place : place + 2]
            result = {"promptIdx": index, "provider": provider, "prompt": {"label": prompt}, "vars": variables}
            if status:
                reason = {"failureReason": _ERROR if status == "ERROR" else 0}
                yield row, result | reason | {"response": {"output": output}, "success": status == "PASS"}


def _records(rows: list[FileRow], problems: Problems) -> Iterator[Record]:
    """Put together the repeats of each test of each model."""
    models, names = _model_names(rows), _recorded_ids(rows)
    items: dict[str, str] = {}
    failed = silent = 0
    records: dict[tuple[str, str], FileRow] = {}
    for row, result in rows:
        model = models[_asked_by(result)]
        # Prompts that differ are other models' only; what is asked about is in the variables.
        key = _key(result)
        item = items.setdefault(key, names.get(key) or str(len(items) + 1))
        place, record = records.setdefault((model, item), (row, {MODEL: model, "id": item, **_item(result)}))
        text = text_of(object_of(result.get("response")).get("output"))
        if _is_error(result, text):
            failed += 1
            problems.tally.leave_out(WITHOUT_OUTPUT, row)
            continue
        problems.tally.take(row)
        silent += text is None
        loss = float(not result["success"]) if isinstance(result.get("success"), bool) else None
        if not record.setdefault("generations", []):
            record[LOSS] = loss
        record["generations"].append(text or "")
        record.setdefault(LOSSES, []).append(loss)
    if failed:
        problems.note(f"Results that ended with an error have no output and no score: {failed:,}.")
    if silent:
        problems.note(f"Results without an output that promptfoo judged count as empty outputs: {silent:,}.")
    for place, record in records.values():
        yield place, record, sum(map(len, record.get("generations", ())))


def _is_error(result: Mapping[str, Any], text: str | None) -> bool:
    """Whether a result has an error in place of an output; older versions say so of failed assertions too."""
    reason = result.get("failureReason")
    if reason is None:
        return text is None and (bool(result.get("error")) or "response" not in result)
    return bool(reason == _ERROR)


def _key(result: Mapping[str, Any]) -> str:
    """Return what all repeats of a test have in common."""
    variables = result.get("vars") or {}
    return json.dumps(variables, sort_keys=True) if variables else str(_raw(result))


def _recorded_ids(rows: list[FileRow]) -> dict[str, str]:
    """Return the tests' own ids, if each test has one and no other test has it: an id may mean something else."""
    ids = {_key(result): _recorded_id(result) for _, result in rows}
    known = {key: name for key, name in ids.items() if name is not None}
    return known if len(set(known.values())) == len(ids) else {}


def _model_names(rows: list[FileRow]) -> dict[tuple[str, str, Any], str]:
    """Name the models: a provider, and its prompt if one test was asked by several; those called alike are numbered."""
    asked: dict[tuple[str, str], set[tuple[str, str, Any]]] = {}
    for _, result in rows:
        asked.setdefault((str(_name(result["provider"])), _key(result)), set()).add(_asked_by(result))
    several = {provider for (provider, _), prompts in asked.items() if len(prompts) > 1}
    every = dict.fromkeys(_asked_by(result) for _, result in rows)
    # The label of an unnamed prompt is its whole text, which is the same for all tests.
    labels = Counter((provider, prompt[:_LABEL]) for provider, prompt, _ in every)
    names = {}
    for provider, prompt, place in every:
        label = prompt[:_LABEL]
        if labels[provider, label] > 1:
            label = f"{label} (prompt {place})"
        names[provider, prompt, place] = f"{provider}, {label}" if provider in several else provider
    return names


def _asked_by(result: Mapping[str, Any]) -> tuple[str, str, Any]:
    """Return the provider, the prompt's id or label, and its place, which repeats have in common."""
    prompt, place = object_of(result.get("prompt")), result.get("promptIdx")
    name = prompt.get("id") or prompt.get("label")
    named = name if isinstance(name, str) else f"prompt {place}"
    return str(_name(result["provider"])), named, place if isinstance(place, int) else None


def _item(result: Mapping[str, Any]) -> dict[str, Any]:
    variables = result.get("vars") or {}
    case = object_of(result.get("testCase"))
    facts = {**variables, **object_of(case.get("metadata"))}
    record = {
        "prompt": _first(variables, _QUESTIONS) or _raw(result),
        "group": _first(facts, _GROUPS),
        **truth(_first(facts, _TRUTHS) or _asserted(case)),
    }
    return filled(record)


def _first(facts: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Return the first of some facts that says anything, as a text."""
    return next(filter(None, (text_of(facts.get(name)) for name in names)), None)


def _asserted(case: Mapping[str, Any]) -> str | None:
    """Return what a test asserts that the output equals."""
    given = (one for one in objects_in(case.get("assert")) if one.get("type") in ("equals", "icontains", "contains"))
    return text_of(next(given, {}).get("value"))


def _recorded_id(result: Mapping[str, Any]) -> str | None:
    facts = object_of(object_of(result.get("testCase")).get("metadata")), object_of(result.get("vars"))
    return text_of(facts[0].get("id")) or text_of(facts[1].get("id"))


def _raw(result: Mapping[str, Any]) -> str | None:
    prompt = result.get("prompt")
    return text_of(prompt.get("raw") if isinstance(prompt, dict) else prompt)


def _name(provider: Any) -> str | None:
    if isinstance(provider, dict):
        return text_of(provider.get("label")) or text_of(provider.get("id"))
    return text_of(provider)
