"""Inspect: logs as ``.eval`` or as JSON, whole or sample by sample.

The answers that the scorer read are taken as they are; if it read none, or gives the whole text, texts are parsed.
The score is that of the first epoch: C is right, P half, I and N wrong; a number between 0 and 1 is itself. A sample
that was scored without an output keeps its score.

The score that counts is the headline that the task declares, or else that of the first scorer with a metric; of its
keys, the first with an accuracy, or else the first with a metric. A log that was not finished says what its scorers
measure. If several keys remain and nothing names one, the scores are unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ...errors import PoolError, Problem
from ...files.archives import opened
from ...files.jsontext import MAX_ARRAY_VALUES, BadJson, StrictDecoder, decoded
from ...files.open import MAX_ARRAY, Source
from ...files.sniff import OBJECT, ZIP, Beginning
from ...pool.account import WITHOUT_OUTPUT
from ...pool.problems import Problems, shown
from ..item_rows import total_logprob
from ..joining import LOSSES, MODEL, RUN, RUNS, TASK, scored
from ..json_records import filled, list_of, object_of, objects_in, texts_in, truth, whole
from ..model_outputs import Record, ResultsFormat
from ..verdicts import ScoreScale, number_of

_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"(?:.*/)?samples/.+\.json", re.DOTALL)
_MAX_SAMPLE = 256 * 1024**2
_REMEDY = "Use the log as Inspect wrote it."
_SAMPLES = "Choose the .eval file itself, or write all of it: inspect log dump FILE."
_GROUPS = ("category", "subject", "topic", "subset", "domain")
_MAX_FACTS = 30


def recognises(beginning: Beginning) -> bool:
    """Whether the members of a zip, or the keys of an object, are those of a log."""
    if beginning.container == ZIP:
        return any(name in beginning.keys for name in _HEADERS)
    return beginning.container == OBJECT and beginning.keys >= {"version", "status", "eval"}


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read the samples of a log."""
    log = _Log(problems)
    if beginning.container == ZIP:
        log.read_zip(source)
    else:
        log.read_json(source)
    problems.stop()
    for note in log.notes():
        problems.note(note)
    return log.records()


FORMAT = ResultsFormat.declared("inspect_eval", recognises, outputs)


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
        log = whole(source, self._problems, _REMEDY)
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
            self._problems.add(f"{shown(name)}: {error.message}", remedy=_REMEDY)
            return None

    def _head(self, header: Any) -> None:
        self._header = {name: part for name, part in object_of(header).items() if name != "samples"}
        evaluated = object_of(self._header.get("eval"))
        self._model, self._task, created = (_text(evaluated.get(key)) for key in ("model", "task", "created"))
        self._run = created and created[:19]
        # The start of a journal has no status: the run was ended before it could write the rest.
        self._status = (_text(header.get("status")) or "started") if isinstance(header, dict) else None
        if header is not None and self._model is None:
            self._problems.add("the log names no model.", remedy=_REMEDY)

    def _add(self, row: int, sample: Any) -> None:
        if sample is None:
            return
        if not isinstance(sample, dict) or not isinstance(sample.get("id"), (str, int)):
            self._problems.add("the sample has no id.", row, remedy=_REMEDY)
            return
        name, epoch = str(sample["id"]), sample.get("epoch", 1)
        if not isinstance(epoch, int):
            self._problems.add("the epoch is not a whole number.", row, "epoch", _REMEDY)
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

    def records(self) -> Iterator[Record]:
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
            samples = _samples(outputs, chosen)
            record = {key: value for key, value in item.items() if key != "row"}
            record |= {MODEL: self._model, TASK: self._task, RUN: self._run, "id": name, RUNS: len(outputs)}
            if len(outputs) > 1 and known:
                record[LOSSES] = [None if one is None else 1 - one for one in of_runs]
            record |= scored(share, chosen is not None and bool(samples["generations"])) | samples
            yield item["row"], record, sum(map(len, samples["generations"]))
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
    target = sample.get("target")
    if isinstance(target, list):
        target = target[0] if target else None
    metadata = object_of(sample.get("metadata")).items()
    facts = {key: value for key, value in metadata if isinstance(value, (str, int, float, bool)) and key}
    record = {
        "prompt": _prompt(sample.get("input"), object_of(sample.get("attachments"))),
        **truth(_text(target), texts_in(sample.get("choices"))),
        "group": next((_text(facts[key]) for key in _GROUPS if key in facts), None),
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
                name = next(name for name in _HEADERS if name in archive.names)
                return cls(source, _object(archive.read(name, _MAX_SAMPLE), name))
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
                    if _SAMPLE.fullmatch(name):
                        yield _object(archive.read(name, _MAX_SAMPLE), name)
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


# The score of a log that counts: which scorer, and which key of it if its values are objects.

_WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
LETTERS = frozenset(_WORDS)
_VERDICTS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MEANS = ("accuracy", "mean")
_SPREADS = frozenset({"stderr", "bootstrap_stderr", "std", "var", "ci"})


@dataclass(frozen=True, slots=True)
class InspectScore:
    """A score of a log.

    Parameters
    ----------
    scorer : str
        The scorer's name in the samples.
    key : str or None
        Which value counts if the scores are objects; None if they are not. May be a pattern, as “acc*”.
    """

    scorer: str
    key: str | None = None

    @classmethod
    def of(cls, header: Mapping[str, Any], scores: Sequence[Mapping[str, Any]]) -> InspectScore | None:
        """Choose the score that counts.

        Parameters
        ----------
        header : mapping of str to Any
            The log without its samples.
        scores : sequence of mappings
            The scores of each sample, by the names of scorers.

        Returns
        -------
        InspectScore or None
            None if no sample has a score.
        """
        scorers = list(dict.fromkeys(name for one in scores for name in one))
        candidates = (*_reported(header), *_declared(header), *map(cls, scorers))
        return next((one for one in candidates if one.scorer in scorers), None)

    @property
    def name(self) -> str:
        """The display name."""
        return self.scorer if self.key is None else f"{self.scorer}, {self.key}"

    def value(self, scores: Mapping[str, Any]) -> Any:
        """Look the score up among those of a sample; None if it has none, an object if no key is chosen."""
        value = object_of(scores.get(self.scorer)).get("value")
        if not isinstance(value, dict):
            return value
        key = self.scorer if self.key is None else self.key
        if self.key is None and len(value) == 1:
            return next(iter(value.values()))
        if key in value or self.key is None:
            return value.get(key, value)
        return next((one for name, one in value.items() if fnmatchcase(name, key)), None)

    def answer(self, scores: Mapping[str, Any]) -> Any:
        """Look up the answer that the scorer read."""
        return object_of(scores.get(self.scorer)).get("answer")

    def total(self, header: Mapping[str, Any]) -> tuple[str, float] | None:
        """Look up the mean of the score in the log's results: what it is called, and the value; None if it has none."""
        for score in objects_in(object_of(header.get("results")).get("scores")):
            named = score.get("scorer") == self.scorer and score.get("name") in (self.key, self.scorer)
            for metric in _MEANS if named and score.get("reducer") in (None, "mean") else ():
                value = object_of(object_of(score.get("metrics")).get(metric)).get("value")
                if isinstance(value, (int, float)) and 0 <= value <= 1:
                    return f"{metric} of {self.name}", float(value)
        return None

    def others(self, scores: Iterable[Mapping[str, Any]]) -> list[str]:
        """Name the other scores: scorers, and further keys of this one's values."""
        names = dict[str, None]()
        for one in scores:
            for scorer, score in one.items():
                value = object_of(score).get("value")
                if scorer != self.scorer:
                    names.setdefault(scorer)
                elif self.key is not None and isinstance(value, dict):
                    names |= dict.fromkeys(InspectScore(scorer, key).name for key in value)
        return [name for name in names if name != self.name]


def as_inspect(value: Any) -> float | None:
    """Read a value as Inspect does: its letters, verdicts in words, and numbers, also as texts."""
    if isinstance(value, str):
        known = _WORDS.get(value, _VERDICTS.get(value.lower()))
        if known is not None:
            return known
        try:
            value = float(value)
        except ValueError:
            return None
    return number_of(value)


def _reported(header: Mapping[str, Any]) -> Iterator[InspectScore]:
    """Scores of the results, the declared headline first, then those with a metric."""
    scores = objects_in(object_of(header.get("results")).get("scores"))
    declared = object_of(object_of(header.get("eval")).get("headline_metric"))
    headline = [one for one in scores if _is_headline(one, declared)] if declared else []
    measured = [one for one in scores if object_of(one.get("metrics")).keys() - _SPREADS]
    scorers = [str(one.get("scorer")) for one in measured]
    measured.sort(key=lambda one: (scorers.index(str(one.get("scorer"))), "accuracy" not in object_of(one["metrics"])))
    for score in (*headline, *measured):
        scorer, name = score.get("scorer"), score.get("name")
        if isinstance(scorer, str) and isinstance(name, str):
            yield InspectScore(scorer, None if name == scorer else name)


def _is_headline(score: Mapping[str, Any], declared: Mapping[str, Any]) -> bool:
    pairs = (("scorer", "scorer"), ("score", "name"), ("reducer", "reducer"))
    named = all(declared.get(field) in (None, score.get(own)) for field, own in pairs)
    return named and declared.get("metric") in (None, *object_of(score.get("metrics")))


def _declared(header: Mapping[str, Any]) -> Iterator[InspectScore]:
    """Return the measures of a log's scorers if it has no results."""
    for scorer in objects_in(object_of(header.get("eval")).get("scorers")):
        name, metrics = scorer.get("name"), scorer.get("metrics")
        if isinstance(name, str):
            for one in [metrics] if isinstance(metrics, dict) else list_of(metrics):
                # Of an object with a name, the name is a metric's; of any other, the keys are those of values.
                keys = [None] if not isinstance(one, dict) or isinstance(one.get("name"), str) else list(one)
                yield from (InspectScore(name, key) for key in keys)
