"""Lines of EvalScope before 0.17, whose reviews stand within the choices of an answer, in the form of later lines.

Source: modelscope/evalscope 0.5 to 0.16, ``evaluator/evaluator.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import ascii_uppercase
from typing import Any

from .answers import question_of, text_of
from .field_names import last_name, prompt_rank
from .values import list_of, object_of, objects_in

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
