"""BFCL: ``result/<model>/…_result.json`` has the calls of a model, ``score/<model>/…_score.json`` its failures.

A score file names the failed entries alone, and the number of all: together with the results, what is not named is
right (:mod:`core.readers.resolve_ids`). It also brings the questions of the failed entries; ``BFCL_v4_<category>.json``
brings those of all, and the file of that name in ``possible_answer`` the calls that are right, which are shown.

Source: ShishirPatil/gorilla, bfcl-eval 2026.3.23, run; ``eval_checker/eval_runner.py`` and ``eval_runner_helper.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...files.open import Source, path_of, stem
from ...files.sniff import OBJECT, Beginning
from ...pool.problems import Problems
from ..joining import LOSS, MODEL
from ..json_records import filled, list_of, object_of, question_of, text_of, tool_lines
from ..model_outputs import Record, ResultsFormat
from ..resolve_ids import TOTAL, UNNAMED

_COUNTS = frozenset({"accuracy", "correct_count", "total_count"})
_USAGE = frozenset({"latency", "input_token_count", "output_token_count", "inference_log"})
_QUESTION = frozenset({"id", "question", "function"})
_TRUTH = frozenset({"id", "ground_truth"})
_FOLDERS = ("result", "score")
_FILE = re.compile(r"BFCL_(?:v\d+_)?(?P<category>.+?)(?:_(?:result|score))?")
_NUMBER = re.compile(r"[-_\d]+$")
_REMEDY = "Use the file as BFCL wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether the first line is a result, the counts of a score file, a question with functions, or its right calls."""
    keys = beginning.keys
    is_result = keys >= {"id", "result"} and bool(keys & _USAGE)
    return beginning.container == OBJECT and (is_result or keys >= _COUNTS or keys >= _QUESTION or keys == _TRUTH)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read one model's results or failures in one category, or the questions of one."""
    if beginning.keys >= _COUNTS:
        return _failures(source, problems)
    if beginning.keys == _TRUTH:
        problems.note(
            "BFCL’s possible_answer has the right calls. Outputs and scores are in the results and the scores of a run."
        )
    return _entries(source, problems)


FORMAT = ResultsFormat.declared("bfcl", recognises, outputs)


def _entries(source: Source, problems: Problems) -> Iterator[Record]:
    model, category = _path_names(source.name)
    for row, size, line in tool_lines(source, problems):
        name = text_of(object_of(line).get("id"))
        if name is None or line.keys().isdisjoint(("result", "question", "ground_truth")):
            problems.add("the line is neither a result nor a question of BFCL.", row, remedy=_REMEDY)
            continue
        record: dict[str, Any] = {MODEL: model or _file(source.name), "id": name}
        record["group"] = category or _NUMBER.sub("", name)
        if "result" in line:
            record |= {"generations": [text_of(line["result"]) or ""], "answer_kind": "text"}
            record |= {} if model else {UNNAMED: "yes"}
        yield row, {**record, **_question(line)}, size


def _failures(source: Source, problems: Problems) -> Iterator[Record]:
    """Return a row for the counts, and one for each failed entry."""
    model, category = _path_names(source.name)
    given = list(tool_lines(source, problems))
    if not given:
        return
    (first, _, counts), *failed = given
    total = object_of(counts).get("total_count")
    entry = next((object_of(line) for _, _, line in failed), {})
    model = model or (text_of(entry.get("model_name")) or _file(source.name)).replace("/", "_")
    category = category or text_of(entry.get("test_category")) or _NUMBER.sub("", str(entry.get("id", "")))
    if not isinstance(total, int) or total < len(failed) or not total:
        problems.add("the counts are not those of the failures below them.", first, "total_count", _REMEDY)
        return
    accuracy = object_of(counts).get("accuracy")
    if isinstance(accuracy, (int, float)) and not object_of(counts).keys() - _COUNTS:
        problems.tally.report(model, "accuracy", float(accuracy), 1 - len(failed) / total)
    yield first, {MODEL: model, "id": f"{category} counts", TOTAL: total, "group": category}, 0
    for row, size, line in failed:
        name = text_of(object_of(line).get("id"))
        if name is None:
            problems.add("the failure has no id.", row, "id", _REMEDY)
            continue
        yield row, {MODEL: model, "id": name, LOSS: 1.0, "group": category, **_question(line)}, size


def _question(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the question of an entry, and the calls that are right, as far as it has them."""
    prompt = line.get("prompt")
    asked = line.get("question", object_of(prompt).get("question", prompt))
    turns = [turn for turn in list_of(asked) if isinstance(turn, list)]
    right = text_of(line.get("possible_answer", line.get("ground_truth")))
    return filled({"prompt": "\n\n".join(filter(None, map(question_of, turns))) or None, "reference": right})


def _path_names(name: str) -> tuple[str | None, str | None]:
    """Take model and category from a path: “result/gpt-4o/live/BFCL_v4_live_simple_result.json”."""
    parts = path_of(name).parts
    folders = [place for place, part in enumerate(parts[:-2]) if part in _FOLDERS]
    match = _FILE.fullmatch(_file(name))
    return parts[folders[-1] + 1] if folders else None, match["category"] if match else None


def _file(name: str) -> str:
    return stem(path_of(name).name)
