"""MMLU-Pro's published results: one zip per model, each with one JSON array of the model's outputs.

``pred``, the official parser's answer, is taken as it is (null: no answer), so the classes and losses are the official
ones; an output without an answer counts as wrong; the official script guesses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import PoolError, Problem
from ..files.archives import only_json
from ..files.open import MAX_ARRAY, Source, stem
from ..files.sniff import ARRAY, ZIP, Beginning
from ..pool.columns import TEXT, TEXTS
from ..pool.problems import Problems
from ..pool.records import native
from .joining import MODEL
from .json_records import load_array
from .model_outputs import ModelOutputs, ResultsFormat, each_alone

_TEXT_KEYS = ("generated_text", "model_outputs", "model_output", "cot")
_NEEDED = ("question_id", "question", "options", "answer", "pred")


def recognises(beginning: Beginning) -> bool:
    """Whether this is one model's zip, or the array of results in it."""
    keys = beginning.inner if beginning.container == ZIP else beginning.keys
    return beginning.container in (ZIP, ARRAY) and keys.issuperset(_NEEDED)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read one model's results; the source's name has the model's in it."""
    content = only_json(source) if beginning.container == ZIP else source.content(MAX_ARRAY)
    model = model_name(source.name)
    table = _compact(load_array(content), model, problems)
    problems.stop()
    problems.tally.take_all(table.num_rows)
    return ModelOutputs(table, tuple(problems.notes))


FORMAT = ResultsFormat(
    "MMLU-Pro results",
    recognises,
    outputs,
    {
        "id": "question_id",
        "prompt": "question",
        "choices": "options",
        "answer": "answer",
        "group": "category",
        "generations": "generated_text",
        "generation_answers": "pred",
    },
)


def model_name(file: str) -> str:
    """Take the model's name from a file's name: “model_outputs_gemma-7b_5shots.zip” → “gemma-7b”."""
    return stem(Path(file).name).removeprefix("model_outputs_").removesuffix("_5shots")


def _compact(array: list[Any], model: str, problems: Problems) -> pa.Table:
    """Read one model's file as columns, and add its problems to ``problems``."""
    if not array or not isinstance(array[0], dict) or not array[0].keys() >= set(_NEEDED):
        keys = ", ".join(list(array[0])[:12]) if array and isinstance(array[0], dict) else "none"
        message = f"these are not MMLU-Pro results: they need the keys {', '.join(_NEEDED)}; the keys are: {keys}."
        raise PoolError([Problem(message, remedy="Use the zip as TIGER-AI-Lab published it.")])
    rows = range(1, len(array) + 1)
    for row, record in enumerate(array, start=1):
        if not isinstance(record, dict):
            problems.add("the element is not an object.", row, remedy="Use the zip as published.")
    problems.stop()
    text_key = next((key for key in _TEXT_KEYS if key in array[0]), _TEXT_KEYS[0])
    names = {"id": "question_id", "prompt": "question", "answer": "answer", "group": "category"}
    columns = {
        name: native(name, [record.get(key) for record in array], TEXT, rows, problems, key)
        for name, key in {**names, "src": "src", "pred": "pred", "text": text_key}.items()
    }
    columns[MODEL] = pa.array([model] * len(array), TEXT)
    columns["answer_kind"] = pa.array(["mmlu-pro"] * len(array), TEXT)
    columns["generations"] = each_alone(columns.pop("text").fill_null(""))
    columns["generation_answers"] = each_alone(columns.pop("pred"))
    columns["choices"] = native("choices", [r.get("options") for r in array], TEXTS, rows, problems, "options")
    earlier: set[str | None] = {None}
    for row, name in enumerate(columns["id"].to_pylist(), start=1):
        if name in earlier:
            message = "the question_id is missing, or appears twice."
            problems.add(message, row, "question_id", "Use the zip as published.")
        earlier.add(name)
    return pa.table(columns)
