"""EvalScope: ``reviews/<model>/<benchmark>_<subset>.jsonl`` and ``predictions``, also before 0.17.

Source: modelscope/evalscope 0.5 to 0.16, ``evaluator/evaluator.py``.

A review has the text, the answer that was read from it, the right answer and the scores, of which the main one counts;
a prediction has the text alone. Lines stand in the order in which they were answered; their ``index`` numbers the
repeats of one item after the other. Of several lines with one index the last counts, as for EvalScope. An item is
called by the ``id`` in its metadata, if the dataset has such. The model is called as its folder, since the lines say
what its server calls it, and several may share that; runs of one model are distinguished by the folder above.

Lines of versions before 0.17 are read too.

Source: modelscope/evalscope 1.14.1, run; 1.0 to 1.14, ``api/evaluator/cache.py`` and ``api/metric/scorer.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from string import ascii_uppercase
from typing import Any

from ...files.open import Source, path_of, stem
from ...files.sniff import OBJECT, Beginning
from ...pool.problems import Problems
from ..field_names import last_name, prompt_rank
from ..item_rows import ItemOutputs, Output, total_logprob
from ..joining import MODEL, RUN, TASK
from ..json_records import (
    FileRow,
    first_text,
    letter_of,
    list_of,
    object_of,
    objects_in,
    question_of,
    said,
    text_of,
    texts_in,
    tool_lines,
    truth,
)
from ..model_outputs import Record, ResultsFormat
from ..verdicts import ScoreScale

_OF_ALL = frozenset({"choices", "raw_input"})
_METRIC = "result"


def is_early(keys: frozenset[str]) -> bool:
    """Whether a line with these keys is a review or a prediction of an early version."""
    return keys >= _OF_ALL and not {"sample_score", "model_output"} & keys


def renewed(line: Mapping[str, Any], place: int) -> Iterator[dict[str, Any]]:
    """Write a line as later versions do, a line for each choice; any other line stays.

    Parameters
    ----------
    line : mapping of str to Any
        The line.
    place : int
        Its place in the file, from 0, by which an item without a number is called.
    """
    if not is_early(frozenset(line)):
        yield dict(line)
        return
    asked, choices = object_of(line["raw_input"]), objects_in(line["choices"])
    index = line.get("index")
    number = index if type(index) is int else place
    question = _question(asked, object_of(line.get("origin_prompt")))
    common = {
        "model": text_of(object_of(line.get("model_spec")).get("model_id")) or text_of(line.get("model")),
        "messages": [{"role": "user", "content": question}] if question else [],
    }
    facts = {"subset": text_of(line.get("subset_name")), **asked, "choices": _options(asked)}
    if not choices:
        yield common | {"index": number, "model_output": None, "metadata": facts}
    for again, choice in enumerate(choices):
        one = {**common, "index": number * len(choices) + again}
        message = object_of(choice.get("message"))
        review = object_of(choice.get("review"))
        if review:
            result = review.get(_METRIC)
            values = result if isinstance(result, dict) else {_metric(line): result}
            score = {
                "value": values,
                "main_score_name": next(iter(values), _METRIC),
                "prediction": message.get("content"),
                "extracted_prediction": review.get("pred"),
            }
            of_sample = {"score": score, "group_id": number, "sample_metadata": facts}
            yield one | {"target": review.get("gold"), "sample_score": of_sample}
        else:
            yield one | {"model_output": {"choices": [choice]}, "metadata": facts}


def _question(asked: Mapping[str, Any], sent: Mapping[str, Any]) -> str | None:
    """Return the question of the dataset's row, or else what was sent to the model."""
    named = sorted((rank, key) for key in asked if (rank := prompt_rank(key)) is not None and asked[key])
    given = sent.get("data") or sent.get("messages") or sent.get("prompt")
    alone = given[0] if isinstance(given, list) and given and isinstance(given[0], str) else given
    return question_of(asked[named[0][1]]) if named else question_of(alone)


def _options(asked: Mapping[str, Any]) -> list[str] | None:
    """Return the options, which some datasets have under their letters."""
    listed = next((asked[key] for key in asked if last_name(key) in ("choices", "options")), None)
    options = list_of(listed) or [asked[letter] for letter in ascii_uppercase if letter in asked]
    return options if len(options) > 1 and all(isinstance(one, str) for one in options) else None


def _metric(line: Mapping[str, Any]) -> str:
    """Return what the reviewer calls its score."""
    named = list_of(object_of(line.get("reviewer_spec")).get("metric"))
    return named[0] if named and isinstance(named[0], str) else _METRIC


_GROUPS = ("category", "subject", "subset", "domain", "type")
_FOLDERS = ("reviews", "predictions")
# What early lines have beside choices and the row of the dataset.
_EARLY = frozenset({"answer_id", "review_id", "model_spec", "reviewed"})
_REMEDY = "Use the file as EvalScope wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether the first line is a review or a prediction."""
    keys = beginning.keys
    known = "index" in keys and bool({"sample_score", "model_output"} & keys)
    return beginning.container == OBJECT and (known or (is_early(keys) and bool(_EARLY & keys)))


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read one model's reviews or predictions of one subset."""
    given = _lines(source, problems)
    repeats = _repeats([line for _, line in given])
    named = _path_names(source.name)
    outputs, names, scores = ItemOutputs(problems.tally), dict[str, set[str | None]](), list[Any]()
    output: Output | None
    read, metrics = list[tuple[int, dict[str, Any], Output | None, int]](), set[str]()
    for row, line in given:
        try:
            review = line.get("sample_score") or {}
            facts = object_of(review.get("sample_metadata") if review else line.get("metadata"))
            chat, index = objects_in(line.get("messages")), line["index"]
            group = str(index // repeats if review.get("group_id") is None else review["group_id"])
            names.setdefault(group, set()).add(text_of(facts.get("id")))
            record = {
                **named,
                MODEL: named[MODEL] or _model(line, chat) or stem(source.name),
                "id": group,
                "prompt": question_of(line.get("input") or _questions(chat) or None),
                "group": first_text(facts, _GROUPS),
            }
            if review:
                answer, output, score = _review(line, review["score"], facts)
                metrics.add(str(review["score"].get("main_score_name")))
                read.append((row, record | answer, output, index))
                scores.append(score)
            else:
                read.append((row, record, _prediction(line["model_output"]), index))
                scores.append(None)
        except (KeyError, TypeError, AttributeError):
            problems.add("the line is neither a review nor a prediction of EvalScope.", row, remedy=_REMEDY)
    scale = ScoreScale(next(iter(metrics)) if len(metrics) == 1 else "the main score")
    shares, ids = scale.right(scores, problems) if metrics else scores, _ids(names)
    for (row, record, output, index), share, score in zip(read, shares, scores, strict=True):
        loss = None if share is None else 1 - share
        loss = None if share is None else 1 - share
        output = output and replace(output, loss=loss, unscored=loss is None and score is not None)
        outputs.add(row, record | {"id": ids.get(record["id"], record["id"])}, output, index)
    if len(metrics) == 1:
        task = str(named.get(TASK) or "")
        problems.tally.compare(read[0][1][MODEL], next(iter(metrics)), None, shares, task)
    silent = sum(output is None for _, _, output, _ in read)
    if silent:
        problems.note(f"Predictions that ended with an error, without an output: {silent:,}.")
    return outputs.records()


def _lines(source: Source, problems: Problems) -> list[FileRow]:
    """Return the last line of each index, in the order of the indices."""
    last: dict[int, FileRow] = {}
    seen = 0
    given = (
        (row, one)
        for place, (row, _, line) in enumerate(tool_lines(source, problems))
        for one in renewed(object_of(line), place)
    )
    for row, line in given:
        index = line.get("index")
        if type(index) is int:
            seen += 1
            if index in last:
                problems.tally.repeat(last[index][0])
            last[index] = (row, line)
        else:
            problems.add("the line is neither a review nor a prediction of EvalScope.", row, remedy=_REMEDY)
    if seen > len(last):
        problems.note(f"Lines with the same index as a later line are left out: {seen - len(last):,}.")
    return [line for _, line in sorted(last.items())]


def _repeats(given: Sequence[Mapping[str, Any]]) -> int:
    """Return how often each item was asked: the most neighbours of one question, if that fits all lines."""
    asked = [(line["index"], _asked(line)) for line in given]
    most = max((len(list(some)) for _, some in groupby(asked, key=itemgetter(1))), default=1)
    for size in range(most, 1, -1):
        questions: dict[int, str | None] = {}
        if all(text and questions.setdefault(index // size, text) == text for index, text in asked):
            return size
    return 1


def _asked(line: Mapping[str, Any]) -> str:
    chat = _questions(objects_in(line.get("messages")))
    return json.dumps([[one.get("role"), one.get("content")] for one in chat], sort_keys=True) if chat else ""


def _ids(names: Mapping[str, set[str | None]]) -> dict[str, str]:
    """Return the items' own ids, if each has one and no two have the same: an id may mean something else."""
    ids = {group: name for group, some in names.items() for name in some if name is not None}
    distinct = len(set(ids.values())) == len(names) and all(len(some) == 1 for some in names.values())
    return ids if distinct else {}


def _path_names(name: str) -> dict[str, Any]:
    """Take task, model and run from a path: “outputs/20260131/reviews/qwen/gsm8k_main.jsonl”."""
    path = path_of(name)
    parts = path.parts
    in_place = len(parts) > 2 and parts[-3] in _FOLDERS
    return {
        TASK: stem(path.name) if path.suffix else None,
        MODEL: parts[-2] if in_place else None,
        RUN: (parts[-4] if len(parts) > 3 else None) if in_place else stem(path.name),
    }


def _questions(chat: list[Any]) -> list[Any]:
    return [one for one in chat if one.get("role") != "assistant"]


def _model(line: Mapping[str, Any], chat: list[Any]) -> str | None:
    """Return the model that a prediction names, or else the one that the last message is of."""
    return text_of(line.get("model")) or next((text_of(one.get("model")) for one in chat[::-1]), None)


def _review(
    line: Mapping[str, Any], score: Mapping[str, Any], facts: Mapping[str, Any]
) -> tuple[dict[str, Any], Output, Any]:
    """Return what a review says of the item, the output, and its main score."""
    values = object_of(score.get("value"))
    main = values.get(str(score.get("main_score_name")), next(iter(values.values()), None))
    choices, target = texts_in(facts.get("choices")), line.get("target")
    answer = letter_of(text_of(target[0] if isinstance(target, list) and target else target), choices)
    read = text_of(score.get("extracted_prediction"))
    text = text_of(score.get("prediction")) or read or ""
    return truth(answer, choices), Output(text, read if read != text else None), main


def _prediction(output: Any) -> Output | None:
    choices = output.get("choices") if isinstance(output, dict) else None
    if not choices or output.get("error"):
        return None
    text = said(choices[0]["message"].get("content")) or ""
    return Output(text, logprob=total_logprob(choices[0].get("logprobs")))


FORMAT = ResultsFormat.declared("evalscope", recognises, outputs)
