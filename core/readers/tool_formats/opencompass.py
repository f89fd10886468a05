"""OpenCompass: ``predictions/<model>/<dataset>.json``, and the ``.jsonl`` that it writes meanwhile.

An object has a prediction for each number of an item: a text, or a list of samples. If the whole dataset was asked
``n`` times over, every prompt stands in the file so many times, and these are samples too. Of options whose perplexity
was compared, the one that was chosen is the answer.

Source: open-compass/opencompass 0.5.4, run; ``openicl/icl_inferencer/icl_base_inferencer.py`` and ``datasets/base.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...files.open import Source, path_of, stem
from ...files.sniff import OBJECT, Beginning
from ...pool.problems import Problems
from ..item_rows import ItemOutputs, Output
from ..joining import MODEL, TASK
from ..json_records import kind_of, object_of, question_of, text_of, tool_lines, whole
from ..model_outputs import Record, ResultsFormat

_LABEL = "label: "
_REMEDY = "Use the file as OpenCompass wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether the keys are the numbers of items, or those of one prediction."""
    keys = beginning.keys
    return beginning.container == OBJECT and (
        ("prediction" in beginning.inner and all(key.isdecimal() for key in keys))
        or keys >= {"idx", "prediction", "origin_prompt"}
    )


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read one model's predictions on one dataset."""
    path = path_of(source.name)
    named = {MODEL: path.parent.name or stem(path.name), TASK: stem(path.name) if path.parent.name else None}
    return _records(list(_rows(source, beginning, problems)), named, problems)


FORMAT = ResultsFormat.declared("opencompass", recognises, outputs)


def _rows(source: Source, beginning: Beginning, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    given: Iterable[tuple[str, Any]]
    if "idx" in beginning.keys:
        read = ((row, dict(object_of(line))) for row, _, line in tool_lines(source, problems))
        given = ((str(line.pop("idx", row)), line) for row, line in read)
    else:
        given = problems.tally.records(object_of(whole(source, problems, _REMEDY)).items())
    for row, (name, value) in enumerate(given, start=1):
        if isinstance(value, dict) and "prediction" in value:
            yield name, value
        else:
            problems.add("the item has no prediction.", row, "prediction", _REMEDY)


def _records(rows: list[tuple[str, dict[str, Any]]], named: Mapping[str, Any], problems: Problems) -> Iterator[Record]:
    size = _period([value for _, value in rows])
    if size < len(rows):
        problems.note(
            f"Each of {size:,} prompts appears {len(rows) // size} times in the file, so rows are read as samples."
        )
    samples = ItemOutputs(problems.tally)
    for row, (_, value) in enumerate(rows, start=1):
        name = rows[(row - 1) % size][0]
        answer = value.get("gold")
        right = text_of(answer[-1] if isinstance(answer, list) and answer else answer)
        prompt = value.get("origin_prompt")
        # Of several rounds, the last counts.
        last = prompt[-1] if isinstance(prompt, list) and prompt and isinstance(prompt[0], list) else None
        rounds = last is not None and isinstance(answer, list)
        options = [key.removeprefix(_LABEL) for key in value if key.startswith(_LABEL)]
        record = {
            **named,
            "id": name,
            "prompt": question_of(last if rounds else prompt),
            "answer": right,
            "answer_kind": kind_of(right, options or None),
        }
        samples.add(row, record, None)
        for text in _texts(value["prediction"], rounds):
            samples.add(row, record, Output(text, text if options else None))
    return samples.records()


def _texts(prediction: Any, rounds: bool) -> list[str]:
    given = prediction if isinstance(prediction, list) else [prediction]
    return [text_of(one) or "" for one in (given[-1:] if rounds else given)]


def _period(rows: list[dict[str, Any]]) -> int:
    """Return how many items there are if all of them are repeated in the same order, else the number of rows."""
    keys = [json.dumps([row.get("origin_prompt"), row.get("gold")], sort_keys=True) for row in rows]
    size = len(dict.fromkeys(keys))
    return size if size and all(key == keys[place % size] for place, key in enumerate(keys)) else max(len(rows), 1)
