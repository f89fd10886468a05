"""every_eval_ever: instance-level records, ``<uuid>_samples.jsonl``, one line for each item and result.

``output.raw`` holds the samples, of a conversation the last message counts. An item that several metrics score stands
in several lines: the first result counts. The JSON file beside it has totals, no items.

Source: evaleval/every_eval_ever, ``instance_level_eval.schema.json`` 0.2.2 (also 0.2.1) and ``eval.schema.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import PoolError, Problem
from ...files.open import Source
from ...files.sniff import Beginning
from ...pool.problems import Problems, shown
from ..item_rows import ItemOutputs, Output
from ..joining import MODEL, TASK, scored
from ..json_records import first_text, letter_of, text_of, tool_lines, truth
from ..model_outputs import Record, ResultsFormat, has_keys
from ..verdicts import ScoreScale

_INSTANCE = frozenset({"schema_version", "evaluation_id", "model_id", "sample_id"})
_TOTALS = frozenset({"schema_version", "evaluation_id", "evaluation_results"})
_GROUPS = ("category", "subject", "topic", "subset", "domain")
_REMEDY = "Use a record of the schema instance_level_eval."


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read the records of all models and evaluations in the file."""
    if not beginning.keys >= _INSTANCE:
        message = "this record of every_eval_ever has totals but no items."
        raise PoolError([Problem(message, remedy="Choose the file “…_samples.jsonl” that it names.")])
    return _records(source, problems)


FORMAT = ResultsFormat.declared("every_eval_ever", has_keys(_INSTANCE, _TOTALS), outputs)


def _records(source: Source, problems: Problems) -> Iterator[Record]:
    samples, known, others = ItemOutputs(problems.tally), dict[tuple[str, str], tuple[Any, Any]](), dict[str, None]()
    scores = dict[tuple[str, str], tuple[str, Mapping[str, Any]]]()
    for row, _, line in tool_lines(source, problems):
        try:
            model, name, evaluation = str(line["model_id"]), str(line["sample_id"]), str(line["evaluation_name"])
            record = {MODEL: model, TASK: evaluation, **_item(line)}
            outputs = _samples(line)
            line["evaluation"].get("score")
        except (KeyError, TypeError, AttributeError, ValueError):
            problems.add("the line is not an instance-level record.", row, remedy=_REMEDY)
            continue
        result = (evaluation, line.get("evaluation_result_id"))
        first, question = known.setdefault((model, name), (result, record["prompt"]))
        if record["prompt"] != question:
            # Another evaluation numbers its items alike.
            name = f"{evaluation}:{name}"
            first, question = known.setdefault((model, name), (result, record["prompt"]))
        if first != result:
            others.setdefault(" ".join(filter(None, map(text_of, result))))
            problems.tally.repeat(row)
            continue
        if outputs:
            scores.setdefault((model, name), (evaluation, line["evaluation"]))
        samples.add(row, {**record, "id": name}, None)
        for sample in outputs:
            samples.add(row, {**record, "id": name}, sample)
    shares = _shares(scores, problems)
    if others:
        listed = ", ".join(shown(one) for one in list(others)[:5])
        problems.note(f"If an item has several results, the first counts, not {listed}.")
    for row, record, size in samples.records():
        key = (record[MODEL], record["id"])
        yield row, record | scored(shares.get(key), key in shares), size


def _shares(
    results: Mapping[tuple[str, str], tuple[str, Mapping[str, Any]]], problems: Problems
) -> dict[tuple[str, str], float | None]:
    """Read the results of each model and item that has any: the score, or else whether it is correct."""
    shares = dict[tuple[str, str], float | None]()
    known = dict[tuple[str, str], list[float | None]]()
    for evaluation in dict.fromkeys(evaluation for evaluation, _ in results.values()):
        given = {key: result for key, (name, result) in results.items() if name == evaluation}
        values = [one.get("score") if one.get("score") is not None else one.get("is_correct") for one in given.values()]
        read = zip(given, values, ScoreScale(evaluation).shares(values, problems), strict=True)
        for (model, item), value, share in read:
            if value is not None:
                shares[model, item] = share
            known.setdefault((model, evaluation), []).append(share)
    for (model, evaluation), some in known.items():
        problems.tally.compare(model, "score", None, some, evaluation)
    return shares


def _item(line: Mapping[str, Any]) -> dict[str, Any]:
    given = line["input"]
    choices = given.get("choices")
    choices = [str(one) for one in choices] if isinstance(choices, list) and choices else None
    reference = given.get("reference")
    answer = text_of(reference[0] if isinstance(reference, list) and reference else reference)
    group = first_text(line.get("metadata") or {}, _GROUPS)
    return {"prompt": text_of(given["raw"]), "group": group, **truth(letter_of(answer, choices), choices)}


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
    return [Output(text, answer) for text, answer in zip(texts, answers, strict=True)]
