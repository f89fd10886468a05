"""Inspect: logs as ``.eval`` or as JSON, whole or sample by sample.

The answers that the scorer read are taken as they are; if it read none, or gives the whole text, texts are parsed.
The score is that of the first epoch, by the scorer that :mod:`core.readers.inspect_scores` chooses: C is right, P half,
I and N wrong; a number between 0 and 1 is itself. A sample that was scored without an output keeps its score.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import PoolError, Problem
from ..files.archives import opened
from ..files.jsontext import MAX_ARRAY_VALUES, BadJson, StrictDecoder, decoded
from ..files.open import MAX_ARRAY, Source
from ..files.sniff import OBJECT, ZIP, Beginning
from ..pool.account import WITHOUT_OUTPUT
from ..pool.problems import Problems, shown
from .inspect_scores import LETTERS, InspectScore, as_inspect
from .item_rows import total_logprob
from .joining import LOSS, LOSSES, MODEL, RUN, RUNS, TASK, UNSCORED
from .json_records import filled, kind_of, list_of, object_of, objects_in, whole
from .model_outputs import ModelOutputs, ResultsFormat
from .verdicts import ScoreScale

_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"(?:.*/)?samples/.+\.json", re.DOTALL)
_MAX_SAMPLE = 256 * 1024**2
_SAMPLES = "Choose the .eval file itself, or write all of it: inspect log dump FILE."
_GROUPS = ("category", "subject", "topic", "subset", "domain")
_MAX_FACTS = 30


def recognises(beginning: Beginning) -> bool:
    """Whether the members of a zip, or the keys of an object, are those of a log."""
    if beginning.container == ZIP:
        return any(name in beginning.keys for name in _HEADERS)
    return beginning.container == OBJECT and beginning.keys >= {"version", "status", "eval"}


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read the samples of a log."""
    log = _Log(problems)
    if beginning.container == ZIP:
        log.read_zip(source)
    else:
        log.read_json(source)
    problems.stop()
    for note in log.notes():
        problems.note(note)
    return ModelOutputs.of(log.records(), problems)


FORMAT = ResultsFormat(
    "Inspect log",
    recognises,
    outputs,
    {
        "id": "sample id",
        "prompt": "input",
        "answer": "target",
        "generations": "output.completion of each epoch",
        "generation_answers": "scores.answer",
        "loss": "scores.value of the score that the log shows first",
    },
)


class _Log:
    """Collects samples by their ids, of which each epoch brings one."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._decoder = StrictDecoder(lenient=True)
        self._model: str | None = None
        self._task: str | None = None
        self._run: str | None = None
        self._items: dict[str, dict[str, Any]] = {}
        self._epochs: dict[str, dict[int, dict[str, Any]]] = {}
        self._header: dict[str, Any] = {}
        self._silent = Counter[str]()
        self._again = 0
        self._status: str | None = None

    def read_zip(self, source: Source) -> None:
        with opened(source) as archive:
            header = next(name for name in _HEADERS if name in archive.names)
            self._head(self._decoded(archive.read(header, _MAX_SAMPLE), header))
            samples = [name for name in archive.names if _SAMPLE.fullmatch(name)]
            for row, name in enumerate(self._problems.tally.records(samples), start=1):
                self._add(row, self._decoded(archive.read(name, _MAX_SAMPLE), name))

    def read_json(self, source: Source) -> None:
        log = whole(source, self._problems, "Use the log as Inspect wrote it.")
        self._head(log)
        given = object_of(log).get("samples")
        if isinstance(log, dict) and not given:
            header = "the file is the header of an Inspect log: it has totals but no items."
            self._problems.add("the log has no samples." if "samples" in log else header, remedy=_SAMPLES)
        samples = self._problems.tally.records(list_of(given))
        for row, sample in enumerate(samples, start=1):
            self._add(row, {} if sample is None else sample)

    def _decoded(self, content: bytes, name: str) -> Any:
        """Decode a member of the log; None, and a problem, if it is not JSON."""
        try:
            found = self._decoder.decode(decoded(content))
            return {} if found is None else found
        except BadJson as error:
            self._problems.add(f"{shown(name)}: {error.message}", remedy="Use the log as Inspect wrote it.")
            return None

    def _head(self, header: Any) -> None:
        self._header = {name: part for name, part in object_of(header).items() if name != "samples"}
        evaluated = object_of(self._header.get("eval"))
        self._model, self._task, created = (_text(evaluated.get(key)) for key in ("model", "task", "created"))
        self._run = created and created[:19]
        # The start of a journal has no status: the run was ended before it could write the rest.
        self._status = (_text(header.get("status")) or "started") if isinstance(header, dict) else None
        if header is not None and self._model is None:
            self._problems.add("the log names no model.", remedy="Use the log as Inspect wrote it.")

    def _add(self, row: int, sample: Any) -> None:
        if sample is None:
            return
        if not isinstance(sample, dict) or not isinstance(sample.get("id"), (str, int)):
            self._problems.add("the sample has no id.", row, remedy="Use the log as Inspect wrote it.")
            return
        name, epoch = str(sample["id"]), sample.get("epoch", 1)
        if not isinstance(epoch, int):
            self._problems.add("the epoch is not a whole number.", row, "epoch", "Use the log as Inspect wrote it.")
            return
        self._items.setdefault(name, {"row": row, **_item(sample)})
        output = _output(sample)
        if output is None:
            self._silent[_ending(sample)] += 1
            self._problems.tally.leave_out(WITHOUT_OUTPUT, row)
            return
        if self._epochs.setdefault(name, {}).setdefault(epoch, output) is output:
            self._problems.tally.take(row)
        else:
            self._again += 1
            self._problems.tally.repeat(row)

    def notes(self) -> Iterator[str]:
        if self._status not in (None, "success"):
            yield f"The run did not end: its status is {shown(str(self._status))}. Samples may be missing."
        if self._again:
            yield f"Samples with the id and epoch of an earlier one are left out: {self._again:,}."
        if self._silent:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self._silent.most_common())
            yield f"Samples with neither output nor score: {self._silent.total():,} ({reasons})."

    def records(self) -> Iterator[tuple[int, dict[str, Any], int]]:
        ordered = {name: [one for _, one in sorted(self._epochs.get(name, {}).items())] for name in self._items}
        scores = [output["scores"] for outputs in ordered.values() for output in outputs]
        chosen = InspectScore.of(self._header, scores)
        shares: list[float | None] = [None] * len(scores)
        if chosen is not None:
            values, others = [chosen.value(one) for one in scores], chosen.others(scores)
            shares = ScoreScale(chosen.name, as_inspect, LETTERS).right(values, self._problems, others)
        start, means = 0, list[float]()
        for name, item in self._items.items():
            outputs = ordered[name]
            share = shares[start] if outputs else None
            of_runs = shares[start : start + len(outputs)]
            known = [one for one in of_runs if one is not None]
            means += [sum(known) / len(known)] if known else []
            start += len(outputs)
            record = {key: value for key, value in item.items() if key != "row"}
            record |= {
                MODEL: self._model,
                TASK: self._task,
                RUN: self._run,
                "id": name,
                LOSS: None if share is None else 1 - share,
                RUNS: len(outputs),
            }
            if len(outputs) > 1 and known:
                record[LOSSES] = [None if one is None else 1 - one for one in of_runs]
            record |= _samples(outputs, chosen)
            if chosen is not None and share is None and record["generations"]:
                record[UNSCORED] = True
            yield item["row"], record, sum(map(len, record["generations"]))
        total = chosen and chosen.total(self._header)
        if total and means:
            self._problems.tally.report(self._model or "", *total, sum(means) / len(means))


def _samples(outputs: list[dict[str, Any]], chosen: InspectScore | None) -> dict[str, Any]:
    """Make the columns of an item's epochs: none if none has a text, else an empty one where a text is missing."""
    if all(output["text"] is None for output in outputs):
        return {"generations": []}
    texts = [output["text"] or "" for output in outputs]
    record: dict[str, Any] = {"generations": texts}
    answers = [None if chosen is None else _text(chosen.answer(output["scores"])) for output in outputs]
    # Scorers that look for the target in the text, or ask a model, give back the text.
    if any(_is_read(answer, text) for answer, text in zip(answers, texts, strict=True)):
        record["generation_answers"] = answers
    if all(output["logprob"] is not None for output in outputs):
        record["logprobs"] = [output["logprob"] for output in outputs]
    return record


def _ending(sample: Mapping[str, Any]) -> str:
    """Say why a sample ended."""
    limit = object_of(sample.get("limit")).get("type")
    if sample.get("error"):
        return "with an error"
    return f"at the limit of {limit}" if isinstance(limit, str) else "without a reason"


def _is_read(answer: str | None, text: str) -> bool:
    """Whether an answer is more than the text again; a single word may be both."""
    return answer is not None and (answer.strip() != text.strip() or len(answer.split()) == 1)


def _item(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Make the columns of an item, which are the same in every epoch."""
    choices = sample.get("choices")
    choices = choices if isinstance(choices, list) and all(isinstance(one, str) for one in choices) else None
    target = sample.get("target")
    if isinstance(target, list):
        target = target[0] if target else None
    metadata = object_of(sample.get("metadata")).items()
    facts = {key: value for key, value in metadata if isinstance(value, (str, int, float, bool)) and key}
    answer = _text(target)
    record = {
        "prompt": _prompt(sample.get("input"), object_of(sample.get("attachments"))),
        "choices": choices or None,
        "answer": answer,
        "group": next((_text(facts[key]) for key in _GROUPS if key in facts), None),
        "answer_kind": kind_of(answer, choices),
        **{f"metadata_{key}": value for key, value in list(facts.items())[:_MAX_FACTS] if key not in _GROUPS},
    }
    return filled(record)


def _prompt(given: Any, attachments: Mapping[str, Any]) -> str | None:
    """Return the question: the text, or that of the messages of the user."""
    if isinstance(given, list):
        messages = objects_in(given)
        questions = [message for message in messages if message.get("role") == "user"] or messages
        texts = [_content(message.get("content"), attachments) for message in questions]
        return "\n\n".join(text for text in texts if text) or None
    return _content(given, attachments)


def _content(content: Any, attachments: Mapping[str, Any]) -> str | None:
    if isinstance(content, list):
        parts = [_content(part.get("text"), attachments) for part in objects_in(content)]
        return "\n".join(part for part in parts if part) or None
    text = _text(content)
    if text is not None and text.startswith("attachment://"):
        return _text(attachments.get(text.removeprefix("attachment://"))) or text
    return text


def _output(sample: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return text, log-probability and scores of one epoch, None if it ended with neither an output nor a score."""
    output, attachments = object_of(sample.get("output")), object_of(sample.get("attachments"))
    choice = object_of(next(iter(list_of(output.get("choices"))), None))
    message = choice.get("message")
    text = _content(output.get("completion"), attachments)
    if text is None and isinstance(message, dict):
        text = _content(message.get("content"), attachments)
    judged = {key: score for key, score in object_of(sample.get("scores")).items() if isinstance(score, dict)}
    if text is None and choice and not sample.get("error"):
        text = ""
    if text is None and not judged:
        return None
    return {"text": text, "logprob": total_logprob(choice.get("logprobs")), "scores": judged}


def _text(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return str(value) if str(value).strip() else None


# Inspect logs as they are, sample by sample, for taking some of the samples out and for reading their scores.

_SAMPLE_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE_NAME = re.compile(r"(?:.*/)?samples/.+\.json", re.DOTALL)
_LARGEST = 256 * 1024**2
_REMEDY = "Use the log as Inspect wrote it."


@dataclass(frozen=True, slots=True)
class InspectLog:
    """A log: ``header`` without the samples, and whatever else it is packed with."""

    source: Source
    header: dict[str, Any]

    @classmethod
    def of(cls, path_or_bytes: str | Path | bytes, name: str | None = None) -> InspectLog | None:
        """Open a log, ``.eval`` or ``.json``; None for any other file.

        Parameters
        ----------
        path_or_bytes : str, Path or bytes
            Path of the file, or its content.
        name : str, optional
            Name of the file.

        Raises
        ------
        PoolError
            The file is empty or damaged.
        """
        source = Source.of(path_or_bytes, name)
        beginning = Beginning.of(source)
        if not recognises(beginning):
            return None
        if beginning.container == ZIP:
            with opened(source) as archive:
                name = next(name for name in _SAMPLE_HEADERS if name in archive.names)
                return cls(source, _object(archive.read(name, _LARGEST), name))
        return cls(source, {name: part for name, part in _whole(source).items() if name != "samples"})

    @property
    def model(self) -> str | None:
        """Name of the model."""
        return self._fact("model")

    @property
    def task(self) -> str | None:
        """Name of the task."""
        return self._fact("task")

    def samples(self) -> Iterator[dict[str, Any]]:
        """Read the samples one after another, each an object with an id; raises as :meth:`of`."""
        for number, sample in enumerate(self._samples(), start=1):
            if not isinstance(sample, dict) or not isinstance(sample.get("id"), (str, int)):
                raise PoolError([Problem("the sample has no id.", number, remedy=_REMEDY)])
            yield sample

    def _samples(self) -> Iterator[Any]:
        if Beginning.of(self.source).container == ZIP:
            with opened(self.source) as archive:
                for name in archive.names:
                    if _SAMPLE_NAME.fullmatch(name):
                        yield _object(archive.read(name, _LARGEST), name)
        else:
            yield from list_of(_whole(self.source).get("samples"))

    def _fact(self, name: str) -> str | None:
        fact = object_of(self.header.get("eval")).get(name)
        return fact if isinstance(fact, str) and fact.strip() else None


def _whole(source: Source) -> dict[str, Any]:
    return _object(source.content(MAX_ARRAY), source.name, MAX_ARRAY_VALUES)


def _object(content: bytes, name: str, most: int = MAX_ARRAY_VALUES) -> dict[str, Any]:
    problems = Problems()
    try:
        value = StrictDecoder(lenient=True).decode(decoded(content), most)
        if isinstance(value, dict):
            return value
        problems.add(f"{shown(name)} is not a JSON object.", remedy=_REMEDY)
    except BadJson as error:
        problems.add(f"{shown(name)}: {error.message}", remedy=_REMEDY)
    problems.stop()
    raise AssertionError
