"""lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, one line for each doc and filter.

``resps`` holds the outputs, several where the task repeats: they are the samples, and their answers are parsed again,
because the harness parses the first alone. Of a task by log-likelihood the option of highest likelihood is the answer.
The score is that of the first filter which is no majority vote: it belongs to the first sample. Ids are the ``doc_id``
that ``lm_eval --samples`` takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from string import ascii_uppercase
from typing import Any

import pyarrow as pa

from core.pool.columns import NUMBER
from core.pool.problems import Problems, shown
from core.pool.strict_json import StrictDecoder
from core.readers._answers import kind_of
from core.readers._beginning import OBJECT, Beginning
from core.readers._joining import LOSS, MODEL, TASK
from core.readers._json import lines
from core.readers._source import Source, stem
from core.readers.model_results import ModelOutputs, ResultsFormat

_NEEDED = ("doc_id", "doc", "resps", "filtered_resps")
_FILE = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)")
_QUESTIONS = ("question", "Question", "query", "problem", "prompt", "input", "goal", "sentence")
_OPTIONS = ("options", "choices", "endings")
_GROUPS = ("category", "subject", "subset", "topic")
_METRICS = ("exact_match", "acc", "acc_norm", "pass@1")
_REMEDY = "Use the file as lm-evaluation-harness wrote it (--log_samples)."


def recognises(beginning: Beginning) -> bool:
    """Whether the first line is one doc with its outputs."""
    return beginning.container == OBJECT and beginning.keys.issuperset(_NEEDED)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read one model's outputs on one task."""
    reader = _Reader(source, problems)
    read = ModelOutputs.of(reader.records(), problems)
    scores = [reader.losses.get(name) for name in read.table.column("id").to_pylist()]
    column = pa.chunked_array([pa.array(scores, NUMBER)])
    table = read.table.set_column(read.table.column_names.index(LOSS), LOSS, column)
    return ModelOutputs(table, (*read.notes, *reader.remarks()))


FORMAT = ResultsFormat(
    "lm-evaluation-harness samples",
    recognises,
    outputs,
    {
        "id": "doc_id",
        "prompt": "doc, or else arguments",
        "answer": "target",
        "generations": "resps",
        "loss": "the first metric of the first filter",
    },
)


def model_and_task(file: str) -> tuple[str, str | None]:
    """Take model and task from a file's name.

    “org__gpt/samples_gsm8k_2026-01-31T10-00-00.0.jsonl” → “org/gpt”, “gsm8k”. Without a folder, the model is called by
    the run's date; a file of another name is its model's, and has no task.
    """
    path = PurePosixPath(file.replace("\\", "/"))
    match = _FILE.match(path.name)
    model = path.parent.name.replace("__", "/")
    if match is None:
        return model or stem(path.name).removeprefix("samples_"), None
    return model or f"lm-eval {match['date'][:16]}", match["task"]


class _Reader:
    """Reads the lines; ``losses`` are those of each doc once all are read."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self.losses: dict[str, float | None] = {}
        self._source, self._problems = source, problems
        self._filters: dict[str, None] = {}
        self._model, self._task = model_and_task(source.name)
        self._docs: set[str] = set()

    def records(self) -> Iterator[tuple[int, dict[str, Any], int]]:
        for row, size, line in lines(self._source, self._problems, StrictDecoder(lenient=True)):
            if not isinstance(line, dict) or not line.keys() >= set(_NEEDED) or not isinstance(line["doc"], dict):
                self._problems.add("the line is no sample of lm-evaluation-harness.", row, remedy=_REMEDY)
                continue
            name, kind = str(line["doc_id"]), str(line.get("filter") or "none")
            self._score(name, kind, line)
            if name in self._docs:
                continue
            self._docs.add(name)
            try:
                record = _item(line) | _samples(line)
            except (TypeError, ValueError, KeyError, IndexError, AttributeError):
                message = "“resps” holds neither texts nor log-likelihoods of options."
                self._problems.add(message, row, "resps", _REMEDY)
                continue
            yield row, {MODEL: self._model, "id": name, TASK: self._task, **record}, size

    def _score(self, name: str, kind: str, line: dict[str, Any]) -> None:
        self._filters.setdefault(kind)
        if kind == self._first_filter():
            metrics = [*_METRICS, *(line.get("metrics") or ())]
            score = next((line[m] for m in metrics if isinstance(line.get(m), (int, float))), None)
            self.losses[name] = 1 - float(score) if score is not None and 0 <= score <= 1 else None

    def _first_filter(self) -> str | None:
        return next((one for one in self._filters if not one.startswith("maj")), None)

    def remarks(self) -> list[str]:
        scored = self._first_filter()
        others = [shown(one) for one in self._filters if one != scored]
        if scored is None:
            return ["The file has scores of majority votes only, so the losses of single answers are not known."]
        return [f"Scores are those of the filter {shown(scored)}, not of {', '.join(others)}."] if others else []


def _item(line: dict[str, Any]) -> dict[str, Any]:
    """Make the native columns of a doc."""
    doc = line["doc"]
    question = next((doc[key] for key in _QUESTIONS if isinstance(doc.get(key), str) and doc[key].strip()), None)
    options = next((doc[key] for key in _OPTIONS if key in doc), None)
    if isinstance(options, dict):
        options = options.get("text")
    choices = options if isinstance(options, list) and all(isinstance(one, str) for one in options) else None
    answer = _truth(line.get("target"), choices)
    group = next((doc[key] for key in _GROUPS if isinstance(doc.get(key), str)), None)
    record = {
        "prompt": question or _asked(line),
        "choices": choices,
        "answer": answer,
        "group": group,
        "answer_kind": kind_of(answer, choices),
    }
    return {name: value for name, value in record.items() if value is not None}


def _asked(line: dict[str, Any]) -> str | None:
    """Return the prompt as the model got it."""
    arguments = line.get("arguments")
    if isinstance(arguments, dict):
        arguments = next(iter(arguments.values()), None)
        first = arguments.get("arg_0") if isinstance(arguments, dict) else None
    else:  # Before version 0.4.3: a list of lists.
        first = arguments[0][0] if isinstance(arguments, list) and arguments and arguments[0] else None
    return first if isinstance(first, str) else None


def _truth(target: Any, choices: list[str] | None) -> str | None:
    """Return the right answer; the number of an option becomes its letter."""
    text = str(target).strip() if isinstance(target, (str, int)) and not isinstance(target, bool) else ""
    if choices and text.isdecimal() and int(text) < min(len(choices), 26) and text not in choices:
        return ascii_uppercase[int(text)]
    return text or None


def _samples(line: dict[str, Any]) -> dict[str, Any]:
    """Return the outputs: all texts of the one request, or the likeliest of the options that were asked about."""
    outputs = line["resps"]
    texts = outputs[0]
    if all(isinstance(text, str) for text in texts) and len(outputs) == 1:
        return {"generations": texts}
    likelihoods = [float(option[0][0]) for option in outputs]
    if len(likelihoods) < 2:
        raise ValueError
    letter = ascii_uppercase[max(range(len(likelihoods)), key=likelihoods.__getitem__)]
    return {"generations": [letter], "generation_answers": [letter]}
