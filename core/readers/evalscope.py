"""EvalScope: ``reviews/<model>/<benchmark>_<subset>.jsonl`` and ``predictions/…``; repeats are the samples.

A review has the text, the answer that was read from it, the right answer and the scores, of which the main one counts;
a prediction has the text alone. Repeats of a review have one ``group_id``, those of a prediction the same messages.

Source: modelscope/evalscope 1.x, ``api/evaluator/cache.py`` (ModelResult, ReviewResult), ``api/metric/scorer.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from core.pool.problems import Problems
from core.pool.strict_json import StrictDecoder
from core.readers._answers import asked, kind_of, letter_of, loss_of, said, text_of
from core.readers._beginning import OBJECT, Beginning
from core.readers._item_outputs import ItemOutputs, Output, total_logprob
from core.readers._joining import MODEL, TASK
from core.readers._json import lines
from core.readers._source import Source, stem
from core.readers.model_results import ModelOutputs, ResultsFormat

_GROUPS = ("category", "subject", "subset", "domain", "type")
_REMEDY = "Use the file as EvalScope wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether the first line is a review or a prediction."""
    keys = beginning.keys
    return beginning.container == OBJECT and "index" in keys and bool({"sample_score", "model_output"} & keys)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read one model's reviews or predictions of one subset."""
    return ModelOutputs.of(_records(source, problems), problems)


FORMAT = ResultsFormat(
    "EvalScope reviews and predictions",
    recognises,
    outputs,
    {
        "prompt": "messages or input",
        "answer": "target",
        "generations": "sample_score.score.prediction, each repeat a sample",
        "generation_answers": "sample_score.score.extracted_prediction",
        "loss": "the main score",
    },
)


def _records(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any], int]]:
    path = PurePosixPath(source.name.replace("\\", "/"))
    samples, items = ItemOutputs(), dict[str, str]()
    for row, _, line in lines(source, problems, StrictDecoder(lenient=True)):
        try:
            record, sample = _review(line) if "sample_score" in line else _prediction(line, items)
        except (KeyError, TypeError, AttributeError):
            problems.add("the line is neither a review nor a prediction of EvalScope.", row, remedy=_REMEDY)
            continue
        model = text_of(line.get("model")) or path.parent.name or stem(path.name)
        samples.add(row, {MODEL: model, TASK: stem(path.name) if path.suffix else None, **record}, sample)
    return samples.records()


def _review(line: Mapping[str, Any]) -> tuple[dict[str, Any], Output]:
    given = line["sample_score"]
    score, facts = given["score"], given.get("sample_metadata")
    facts = facts if isinstance(facts, dict) else {}
    values = score.get("value")
    values = values if isinstance(values, dict) else {}
    main = values.get(score.get("main_score_name"), next(iter(values.values()), None))
    choices = facts.get("choices")
    choices = choices if isinstance(choices, list) and all(isinstance(one, str) for one in choices) else None
    answer = letter_of(text_of(line.get("target")), choices)
    group = given.get("group_id")
    record = {
        "id": str(line["index"] if group is None else group),
        "prompt": asked(line.get("input")),
        "choices": choices,
        "answer": answer,
        "group": next((facts[key] for key in _GROUPS if isinstance(facts.get(key), str)), None),
        "answer_kind": kind_of(answer, choices),
    }
    read = text_of(score.get("extracted_prediction"))
    text = text_of(score.get("prediction")) or read or ""
    return record, Output(text, read if read != text else None, loss_of(main))


def _prediction(line: Mapping[str, Any], items: dict[str, str]) -> tuple[dict[str, Any], Output | None]:
    chat = [one for one in line.get("messages") or () if isinstance(one, dict) and one.get("role") != "assistant"]
    key = json.dumps([[one.get("role"), one.get("content")] for one in chat], sort_keys=True) if chat else ""
    name = items.setdefault(key, str(len(items))) if chat else str(line["index"])
    record = {"id": name, "prompt": asked(chat or None)}
    output = line["model_output"]
    choices = output.get("choices") if isinstance(output, dict) else None
    if not choices or output.get("error"):
        return record, None
    text = said(choices[0]["message"].get("content")) or ""
    return record, Output(text, logprob=total_logprob(choices[0].get("logprobs")))
