"""HELM: ``scenario_state.json``, alone or in a zip of its run's folder; completions are the samples.

Perturbed copies of an instance, and all but the first set of in-context examples, are left out: they are other
questions, not other samples. What is mapped to an option (``output_mapping``) is the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.pool.problems import Problems
from core.pool.strict_json import BadJson, StrictDecoder
from core.readers._answers import kind_of
from core.readers._beginning import OBJECT, ZIP, Beginning
from core.readers._joining import MODEL, TASK
from core.readers._json import MAX_ARRAY, MAX_ARRAY_VALUES, decoded
from core.readers._source import Source
from core.readers._zip import opened
from core.readers.model_results import ModelOutputs, ResultsFormat

_FILE = "scenario_state.json"
_REMEDY = "Use scenario_state.json as HELM wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether this is a scenario's state, or a zip with one."""
    if beginning.container == ZIP:
        return any(name.rpartition("/")[2] == _FILE for name in beginning.keys)
    return beginning.container == OBJECT and beginning.keys >= {"adapter_spec", "request_states"}


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read the completions of every run in the file."""
    return ModelOutputs.of(_records(source, beginning, problems), problems)


FORMAT = ResultsFormat(
    "HELM scenario states",
    recognises,
    outputs,
    {
        "id": "instance.id",
        "prompt": "instance.input",
        "answer": "the reference tagged “correct”",
        "generations": "result.completions",
    },
)


def _records(source: Source, beginning: Beginning, problems: Problems) -> Iterator[tuple[int, dict[str, Any], int]]:
    if beginning.container == ZIP:
        with opened(source) as archive:
            states = [name for name in archive.names if name.rpartition("/")[2] == _FILE]
            for name in states:
                yield from _of_state(archive.read(name, MAX_ARRAY), problems)
    else:
        yield from _of_state(source.content(MAX_ARRAY), problems)


def _of_state(content: bytes, problems: Problems) -> Iterator[tuple[int, dict[str, Any], int]]:
    try:
        state = StrictDecoder(lenient=True).decode(decoded(content), MAX_ARRAY_VALUES)
    except BadJson as error:
        problems.add(error.message, remedy=_REMEDY)
        return
    adapter, scenario = (state.get(key) for key in ("adapter_spec", "scenario"))
    model = (adapter.get("model_deployment") or adapter.get("model")) if isinstance(adapter, dict) else None
    task = scenario.get("name") if isinstance(scenario, dict) else None
    requests = state.get("request_states")
    left_out = 0
    for row, request in enumerate(requests if isinstance(requests, list) else [], start=1):
        try:
            instance = request["instance"]
            if request.get("train_trial_index") or instance.get("perturbation"):
                left_out += 1
                continue
            record = _record(request, instance)
        except (KeyError, TypeError, AttributeError):
            problems.add("the request has no instance or no completions.", row, remedy=_REMEDY)
            continue
        yield row, {MODEL: model, TASK: task, **record}, sum(map(len, record["generations"]))
    if left_out:
        problems.note(f"Left out: {left_out:,} requests with perturbations or with other in-context examples.")


def _record(request: Mapping[str, Any], instance: Mapping[str, Any]) -> dict[str, Any]:
    references = [one for one in instance.get("references") or () if isinstance(one, dict)]
    options = {letter: str(text) for letter, text in (request.get("output_mapping") or {}).items()}
    right = next((one["output"]["text"] for one in references if "correct" in (one.get("tags") or ())), None)
    letter = next((letter for letter, text in options.items() if text == right), None)
    answer = letter or right
    completions = request["result"]["completions"]
    texts = [str(one["text"]) for one in completions]
    logprobs = [one.get("logprob") for one in completions]
    record = {
        "id": str(instance["id"]),
        "prompt": str(instance["input"]["text"]),
        "choices": list(options.values()) or None,
        "answer": answer,
        "group": instance.get("sub_split"),
        "answer_kind": kind_of(answer, list(options.values()) or None),
        "generations": texts,
        "logprobs": logprobs if all(isinstance(one, (int, float)) and one < 0 for one in logprobs) else None,
    }
    return {key: value for key, value in record.items() if value is not None}
