"""HELM: ``scenario_state.json``, alone or in a zip of its run's folder; completions are the samples.

The runs of a suite number their instances alike: in a zip with several, each run is a task.
Perturbed copies of an instance, and all but the first set of in-context examples, are left out: they are other
questions, not other samples. What is mapped to an option (``output_mapping``) is the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...files.archives import opened
from ...files.jsontext import MAX_ARRAY_VALUES, BadJson, StrictDecoder, decoded
from ...files.open import MAX_ARRAY, Source
from ...files.sniff import OBJECT, ZIP, Beginning
from ...pool.problems import Problems
from ..joining import MODEL, TASK
from ..json_records import filled, list_of, object_of, objects_in, truth
from ..model_outputs import Record, ResultsFormat
from ..totals import helm_run, helm_totals

_FILE, _STATS = "scenario_state.json", "stats.json"
_OTHERS = "requests with perturbations or with other in-context examples"
_REMEDY = "Use scenario_state.json as HELM wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether this is a scenario's state, or a zip with one."""
    if beginning.container == ZIP:
        return any(name.rpartition("/")[2] == _FILE for name in beginning.keys)
    return beginning.container == OBJECT and beginning.keys >= {"adapter_spec", "request_states"}


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read the completions of every run in the file."""
    if beginning.container == ZIP:
        with opened(source) as archive:
            names = [name for name in archive.names if name.rpartition("/")[2] == _FILE]
            before = 0
            for name in archive.names:
                if name not in names and name.rpartition("/")[2] != _STATS:
                    problems.tally.skip(name)
            for name in names:
                state = _decoded(archive.read(name, MAX_ARRAY), problems)
                run = helm_run(name) if len(names) > 1 else None
                yield from _of_state(state, run, before, problems)
                stats = name.removesuffix(_FILE) + _STATS
                if stats in archive.names:
                    for total in helm_totals(_value(archive.read(stats, MAX_ARRAY)), *_named(state, run)):
                        problems.tally.report(total.model, total.metric, total.reported, None, task=total.task)
                before = problems.tally.seen
    else:
        yield from _of_state(_decoded(source.content(MAX_ARRAY), problems), None, 0, problems)


def _value(content: bytes) -> Any:
    """Decode the stats of a run; None if that cannot be done."""
    try:
        return StrictDecoder(lenient=True).decode(decoded(content), MAX_ARRAY_VALUES)
    except BadJson:
        return None


def _decoded(content: bytes, problems: Problems) -> dict[str, Any]:
    try:
        state = StrictDecoder(lenient=True).decode(decoded(content), MAX_ARRAY_VALUES)
    except BadJson as error:
        problems.add(error.message, remedy=_REMEDY)
        return {}
    return object_of(state)


def _model(state: Mapping[str, Any]) -> str | None:
    adapter = object_of(state.get("adapter_spec"))
    return adapter.get("model_deployment") or adapter.get("model")


def _named(state: Mapping[str, Any], run: str | None) -> tuple[str, str]:
    """Return model and task of a run."""
    return _model(state) or "", run or str(object_of(state.get("scenario")).get("name") or "")


def _of_state(state: Mapping[str, Any], run: str | None, before: int, problems: Problems) -> Iterator[Record]:
    """Read a run; the requests of those ``before`` it are numbered first."""
    task = run or object_of(state.get("scenario")).get("name")
    for row, request in enumerate(problems.tally.records(list_of(state.get("request_states"))), start=1):
        try:
            instance = request["instance"]
            if request.get("train_trial_index") or instance.get("perturbation"):
                problems.tally.leave_out(_OTHERS, before + row)
                continue
            record = _record(request, instance)
        except (KeyError, TypeError, AttributeError):
            problems.add("the request has no instance or no completions.", row, remedy=_REMEDY)
            continue
        yield before + row, {MODEL: _model(state), TASK: task, **record}, sum(map(len, record["generations"]))


def _record(request: Mapping[str, Any], instance: Mapping[str, Any]) -> dict[str, Any]:
    references = objects_in(instance.get("references"))
    options = {letter: str(text) for letter, text in (request.get("output_mapping") or {}).items()}
    right = next((one["output"]["text"] for one in references if "correct" in (one.get("tags") or ())), None)
    letter = next((letter for letter, text in options.items() if text == right), None)
    completions = request["result"]["completions"]
    texts = [str(one["text"]) for one in completions]
    logprobs = [one.get("logprob") for one in completions]
    record = {
        "id": str(instance["id"]),
        "prompt": str(instance["input"]["text"]),
        "group": instance.get("sub_split"),
        **truth(letter or right, list(options.values()) or None),
        "generations": texts,
        "logprobs": logprobs if all(isinstance(one, (int, float)) and one < 0 for one in logprobs) else None,
    }
    return filled(record)


FORMAT = ResultsFormat.declared("helm", recognises, outputs)
