"""EvalScope: ``reviews/<model>/<benchmark>_<subset>.jsonl`` and ``predictions/…``; repeats are the samples.

A review has the text, the answer that was read from it, the right answer and the scores, of which the main one counts;
a prediction has the text alone. Repeats of a review have one ``group_id``, those of a prediction the same messages. An
item is called by the ``id`` in its metadata, where the dataset has such.

Source: modelscope/evalscope 1.14.1, run; 1.0 to 1.14, ``api/evaluator/cache.py`` and ``api/metric/scorer.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from ..pool.problems import Problems
from ..pool.strict_json import StrictDecoder
from .answers import kind_of, letter_of, loss_of, question_of, said, text_of
from .beginning import OBJECT, Beginning
from .item_outputs import ItemOutputs, Output, total_logprob
from .joining import MODEL, TASK
from .json_records import lines
from .model_outputs import ModelOutputs, ResultsFormat
from .source import Source, stem
from .values import object_of, objects_in

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
    task = stem(path.name) if path.suffix else None
    outputs, prompts, names = ItemOutputs(problems.tally), dict[str, str](), dict[str, str]()
    for row, _, line in lines(source, problems, StrictDecoder(lenient=True)):
        try:
            chat = objects_in(line.get("messages"))
            given = line.get("sample_score") or {}
            facts = given.get("sample_metadata") if given else line.get("metadata")
            facts = object_of(facts)
            group = str(_group(line, given, chat, prompts))
            # Only where each item has its own: a dataset may have an id that means something else.
            named = text_of(facts.get("id")) or group
            record = {
                MODEL: _model(line, chat) or path.parent.name or stem(path.name),
                TASK: task,
                "id": named if names.setdefault(named, group) == group else group,
                "prompt": question_of(line.get("input") or _questions(chat) or None),
                "group": next((facts[key] for key in _GROUPS if isinstance(facts.get(key), str)), None),
            }
            if given:
                answer, output = _review(line, given["score"], facts)
                outputs.add(row, record | answer, output, _place(given))
            else:
                outputs.add(row, record, _prediction(line["model_output"]))
        except (KeyError, TypeError, AttributeError):
            problems.add("the line is neither a review nor a prediction of EvalScope.", row, remedy=_REMEDY)
    return outputs.records()


def _group(line: Mapping[str, Any], given: Mapping[str, Any], chat: list[Any], prompts: dict[str, str]) -> Any:
    """Return the number of the item that a line is about."""
    if given:
        return line["index"] if given.get("group_id") is None else given["group_id"]
    said_to = [[one.get("role"), one.get("content")] for one in _questions(chat)]
    return prompts.setdefault(json.dumps(said_to, sort_keys=True), str(len(prompts))) if said_to else line["index"]


def _questions(chat: list[Any]) -> list[Any]:
    return [one for one in chat if one.get("role") != "assistant"]


def _model(line: Mapping[str, Any], chat: list[Any]) -> str | None:
    """Return the model that a prediction names, or else the one that the last message is of."""
    return text_of(line.get("model")) or next((text_of(one.get("model")) for one in chat[::-1]), None)


def _place(given: Mapping[str, Any]) -> int | None:
    place = given.get("generation_index")
    return place if type(place) is int else None


def _review(
    line: Mapping[str, Any], score: Mapping[str, Any], facts: Mapping[str, Any]
) -> tuple[dict[str, Any], Output]:
    values = object_of(score.get("value"))
    main = values.get(str(score.get("main_score_name")), next(iter(values.values()), None))
    choices = facts.get("choices")
    choices = choices if isinstance(choices, list) and all(isinstance(one, str) for one in choices) else None
    target = line.get("target")
    if isinstance(target, list) and target:
        target = target[0]
    answer = letter_of(text_of(target), choices)
    read = text_of(score.get("extracted_prediction"))
    text = text_of(score.get("prediction")) or read or ""
    item = {"choices": choices, "answer": answer, "answer_kind": kind_of(answer, choices)}
    return item, Output(text, read if read != text else None, loss_of(main))


def _prediction(output: Any) -> Output | None:
    choices = output.get("choices") if isinstance(output, dict) else None
    if not choices or output.get("error"):
        return None
    text = said(choices[0]["message"].get("content")) or ""
    return Output(text, logprob=total_logprob(choices[0].get("logprobs")))
