"""OpenAI evals, the log of ``oaieval``: JSON Lines with the run, what happened to each sample, and the final report.

The output of a sample is the one that was matched, or else the first that was sampled: what follows is a grader's. Its
score is whether it matched, or else a metric.

Source: openai/evals 3.0.1, its recorder and its ``Includes`` and ``ModelBasedClassify`` run; ``record.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...files.foreign_names import plain_key
from ...files.open import Source, stem
from ...files.sniff import OBJECT, Beginning
from ...pool.problems import Problems, shown
from ...words import listed
from ..field_names import NAMES
from ..joining import MODEL, RUN, TASK, scored
from ..json_records import kind_of, list_of, object_of, question_of, text_of, tool_lines
from ..model_outputs import Record, ResultsFormat
from ..verdicts import ScoreScale

_EVENT = frozenset({"run_id", "event_id", "sample_id", "type", "data"})
_RUN = frozenset({"completion_fns", "eval_name", "base_eval", "model_name"})
_MATCH, _SAMPLING, _METRICS = "match", "sampling", "metrics"
_CORRECT = "correct"
_REMEDY = "Use the log as oaieval wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether the first line is the run, or an event of a log that lacks it."""
    keys = beginning.keys
    is_run = keys == {"spec"} and not beginning.inner.isdisjoint(_RUN)
    return beginning.container == OBJECT and (is_run or keys >= _EVENT)


@dataclass(slots=True)
class _Sample:
    """The events of a sample, gathered."""

    row: int
    is_sampled: bool = False
    prompt: str | None = None
    texts: list[str] = field(default_factory=list)
    right: str | None = None
    scores: dict[str, Any] = field(default_factory=dict)

    def add(self, kind: Any, data: Mapping[str, Any]) -> None:
        if kind == _SAMPLING and not self.is_sampled:
            self.is_sampled = True
            self.prompt = question_of(data.get("prompt"))
            self.texts = self.texts or _texts(data.get("sampled"))
        elif kind == _MATCH and _CORRECT not in self.scores:
            self.texts = _texts(data.get("sampled")) or self.texts
            expected = data.get("expected")
            self.right = text_of(expected[0] if isinstance(expected, list) and len(expected) == 1 else expected)
            self.scores = {**self.scores, _CORRECT: data.get(_CORRECT)}
        elif kind == _METRICS:
            self.scores = {**data, **self.scores}


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read one run."""
    run, report, samples = dict[str, Any](), dict[str, Any](), dict[str, _Sample]()
    for row, _, line in tool_lines(source, problems):
        known = object_of(line)
        if "spec" in known or "final_report" in known:
            run, report = {**run, **object_of(known.get("spec"))}, {**report, **object_of(known.get("final_report"))}
            problems.tally.complete(row)
            continue
        name = text_of(known.get("sample_id"))
        if name is None or not known.keys() >= {"type", "data"}:
            problems.add("the line is not an event of a sample.", row, remedy=_REMEDY)
            continue
        problems.tally.complete(row) if name in samples else problems.tally.take(row)
        samples.setdefault(name, _Sample(row)).add(known["type"], object_of(known["data"]))
    model = _model(run) or stem(source.name)
    named = {MODEL: model, TASK: text_of(run.get("eval_name")), RUN: text_of(run.get("created_at"))}
    return _records(samples, named, report, problems)


FORMAT = ResultsFormat.declared("openai_evals", recognises, outputs)


def _texts(sampled: Any) -> list[str]:
    return [text for one in (sampled if isinstance(sampled, list) else [sampled]) if (text := text_of(one)) is not None]


def _model(run: Mapping[str, Any]) -> str | None:
    """Return the first model of a run, which others may grade."""
    named = list_of(run.get("completion_fns")) or list_of(object_of(run.get("model_names")).get("completions"))
    return text_of(named[0] if named else run.get("model_name"))


def _records(
    samples: Mapping[str, _Sample], run: Mapping[str, str | None], report: Mapping[str, Any], problems: Problems
) -> Iterator[Record]:
    names = list(dict.fromkeys(name for one in samples.values() for name in one.scores))
    metric = _metric(names)
    if names and metric is None:
        problems.note(f"Metrics that do not say what is right are not read: {listed(list(map(shown, names)))}.")
    values = [one.scores.get(metric) if metric else None for one in samples.values()]
    scale = ScoreScale(metric or _CORRECT)
    shares = (scale.shares if metric in (None, _CORRECT) else scale.right)(values, problems)
    silent = sum(not one.texts and share is None for one, share in zip(samples.values(), shares, strict=True))
    if silent:
        problems.note(f"Samples that ended without an output have no score: {silent:,}.")
    total = "accuracy" if metric == _CORRECT else metric or ""
    if isinstance(reported := report.get(total), (int, float)):
        problems.tally.compare(str(run[MODEL]), total, float(reported), shares)
    for (name, one), share in zip(samples.items(), shares, strict=True):
        record: dict[str, Any] = {**run, "id": name, "prompt": one.prompt, "answer": one.right}
        record |= {"answer_kind": kind_of(one.right, None), "generations": one.texts}
        yield one.row, record | scored(share, bool(metric)), sum(map(len, one.texts))


def _metric(names: Sequence[str]) -> str | None:
    """Choose the score of all samples: whether they matched, or else the metric called as scores are."""
    ranks = {name: NAMES["score"].index(plain_key(name)) for name in names if plain_key(name) in NAMES["score"]}
    return _CORRECT if _CORRECT in names else min(ranks, key=ranks.__getitem__, default=None)
