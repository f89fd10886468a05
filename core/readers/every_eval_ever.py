"""every_eval_ever: instance-level records, ``<uuid>_samples.jsonl``, one line for each item and result.

``output.raw`` holds the samples, of a conversation the last message counts. An item that several metrics score stands
in several lines: the first result counts. The JSON file beside it has totals, no items.

Source: evaleval/every_eval_ever, ``instance_level_eval.schema.json`` 0.2.2 (also 0.2.1) and ``eval.schema.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import PoolError, Problem
from ..files.jsontext import StrictDecoder
from ..files.open import Source
from ..files.sniff import OBJECT, Beginning
from ..pool.problems import Problems, shown
from .answers import kind_of, letter_of, loss_of, text_of
from .item_outputs import ItemOutputs, Output
from .joining import MODEL, TASK
from .json_records import lines
from .model_outputs import ModelOutputs, ResultsFormat

_INSTANCE = frozenset({"schema_version", "evaluation_id", "model_id", "sample_id"})
_TOTALS = frozenset({"schema_version", "evaluation_id", "evaluation_results"})
_GROUPS = ("category", "subject", "topic", "subset", "domain")
_REMEDY = "Use a record of the schema instance_level_eval."


def recognises(beginning: Beginning) -> bool:
    """Whether the keys are those of an instance-level record, or of the totals beside it."""
    return beginning.container == OBJECT and (beginning.keys >= _INSTANCE or beginning.keys >= _TOTALS)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read the records of all models and evaluations in the file."""
    if not beginning.keys >= _INSTANCE:
        message = "this record of every_eval_ever has totals but no items."
        raise PoolError([Problem(message, remedy="Choose the file “…_samples.jsonl” that it names.")])
    return ModelOutputs.of(_records(source, problems), problems)


FORMAT = ResultsFormat(
    "every_eval_ever records",
    recognises,
    outputs,
    {
        "id": "sample_id",
        "prompt": "input.raw",
        "answer": "input.reference",
        "generations": "output.raw",
        "loss": "evaluation.score",
    },
)


def _records(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any], int]]:
    samples, scored, others = ItemOutputs(problems.tally), dict[tuple[str, str], tuple[Any, Any]](), dict[str, None]()
    scores = dict[tuple[str, str], list[float]]()
    for row, _, line in lines(source, problems, StrictDecoder(lenient=True)):
        try:
            model, name, evaluation = str(line["model_id"]), str(line["sample_id"]), str(line["evaluation_name"])
            record = {MODEL: model, TASK: evaluation, **_item(line)}
            outputs = _samples(line)
        except (KeyError, TypeError, AttributeError, ValueError):
            problems.add("the line is not an instance-level record.", row, remedy=_REMEDY)
            continue
        result = (evaluation, line.get("evaluation_result_id"))
        first, question = scored.setdefault((model, name), (result, record["prompt"]))
        if record["prompt"] != question:
            # Another evaluation numbers its items alike.
            name = f"{evaluation}:{name}"
            first, question = scored.setdefault((model, name), (result, record["prompt"]))
        if first != result:
            others.setdefault(" ".join(filter(None, map(text_of, result))))
            problems.tally.repeat(row)
            continue
        loss = outputs[0].loss if outputs else None
        if loss is not None:
            scores.setdefault((model, evaluation), []).append(1 - loss)
        samples.add(row, {**record, "id": name}, None)
        for sample in outputs:
            samples.add(row, {**record, "id": name}, sample)
    for (model, evaluation), shares in scores.items():
        problems.tally.report(model, "score", None, sum(shares) / len(shares), task=evaluation)
    if others:
        listed = ", ".join(shown(one) for one in list(others)[:5])
        problems.note(f"If an item has several results, the first counts, not {listed}.")
    yield from samples.records()


def _item(line: Mapping[str, Any]) -> dict[str, Any]:
    given = line["input"]
    choices = given.get("choices")
    choices = [str(one) for one in choices] if isinstance(choices, list) and choices else None
    reference = given.get("reference")
    answer = text_of(reference[0] if isinstance(reference, list) and reference else reference)
    answer = letter_of(answer, choices)
    facts = line.get("metadata")
    group = next((facts[key] for key in _GROUPS if isinstance(facts.get(key), str)), None) if facts else None
    return {
        "prompt": text_of(given["raw"]),
        "choices": choices,
        "answer": answer,
        "group": group,
        "answer_kind": kind_of(answer, choices),
    }


def _samples(line: Mapping[str, Any]) -> list[Output]:
    output, messages = line.get("output"), line.get("messages")
    if output is not None:
        raw = output["raw"]
        texts = [text_of(one) or "" for one in (raw if isinstance(raw, list) else [raw])]
    else:
        said = [one for one in messages or () if one.get("role") == "assistant" and text_of(one.get("content"))]
        texts = [text_of(said[-1]["content"]) or ""] if said else []
    marks = [one for one in line.get("answer_attribution") or () if one.get("is_terminal", True)]
    choices = line["input"].get("choices")
    answers = [letter_of(text_of(one.get("extracted_value")), choices or None) for one in marks]
    if len(answers) != len(texts):
        answers = [None] * len(texts)
    evaluation = line["evaluation"]
    loss = loss_of(evaluation.get("score"))
    if loss is None:
        loss = loss_of(evaluation.get("is_correct"))
    return [Output(text, answer, loss) for text, answer in zip(texts, answers, strict=True)]
