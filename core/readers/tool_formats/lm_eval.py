"""lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, one line for each document.

A log does not say which. The outputs that the tool scored as right do: they are the digits, or else the option that
stands there, by its letter or its text. If none is right, what the outputs look like decides.

``resps`` holds the outputs, several if the task repeats: they are the samples, and their answers are parsed again,
because the harness parses the first alone. Of a task by log-likelihood the option of highest likelihood is the answer.
The score is that of the first filter which is no majority vote: it belongs to the first sample. Metrics that are better
when they are low are no scores. Ids are the ``doc_id`` that ``lm_eval --samples`` takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from string import ascii_uppercase
from typing import Any

import numpy as np
import pyarrow as pa

from ...errors import Problem
from ...files.open import Source, path_of, stem
from ...files.sniff import OBJECT, Beginning
from ...pool.columns import NUMBER
from ...pool.problems import Problems, shown
from ..field_names import is_fault
from ..joining import LOSS, MODEL, RUN, TASK, UNSCORED, with_values
from ..json_records import filled, first_text, letter_of, list_of, texts_in, tool_lines, truth
from ..model_outputs import ModelOutputs, Record, ResultsFormat
from ..verdicts import shares_of

_LETTER = re.compile(r"\W*([A-Z])\W*")


@dataclass(slots=True)
class NumberedGold:
    """Collects the right answers that may be places, and what speaks for either reading."""

    letters: dict[str, str] = field(default_factory=dict)
    _places: list[int] = field(default_factory=lambda: [0, 0])
    _digits: list[int] = field(default_factory=lambda: [0, 0])

    def add(self, name: str, gold: str, choices: Sequence[str] | None, output: str | None, right: bool) -> None:
        """Take one item.

        Parameters
        ----------
        name : str
            The item's id.
        gold : str
            Its right answer.
        choices : sequence of str or None
            Its options.
        output : str or None
            The answer that the tool read from the first output; None if it read none.
        right : bool
            Whether the tool scored that as right.
        """
        size = min(len(choices or ()), len(ascii_uppercase))
        if choices is None or not gold.isdecimal() or int(gold) >= size or gold in choices:
            return
        letter = self.letters[name] = ascii_uppercase[int(gold)]
        said = (output or "").strip()
        read = _LETTER.fullmatch(said)
        if right:
            self._places[0] += (read is not None and read[1] == letter) or said == choices[int(gold)].strip()
            self._digits[0] += said == gold
        self._places[1] += (read is not None and read[1] in ascii_uppercase[:size]) or said in choices
        self._digits[1] += said.isdecimal()

    @property
    def are_places(self) -> bool:
        """Whether the digits are places of options, from 0."""
        return (self._places[0], self._places[1]) > (self._digits[0], self._digits[1])

    def columns(self, names: Sequence[str], table: pa.Table) -> pa.Table:
        """Return a table of the items with letters as right answers, if the digits are places."""
        if not self.letters or not self.are_places:
            return table
        for column, of_letter in (("answer", self.letters), ("answer_kind", dict.fromkeys(self.letters, "choice"))):
            values = table.column(column).to_pylist()
            values = [of_letter.get(name, value) for name, value in zip(names, values, strict=True)]
            table = with_values(table, column, values)
        return table


# Metrics of tasks that measure texts, in which nothing is answered.
_OF_TEXTS = frozenset({"word_perplexity", "byte_perplexity", "bits_per_byte"})
_NEEDED = ("doc_id", "doc", "resps", "filtered_resps")
_FILE = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)")
_QUESTIONS = ("question", "Question", "query", "problem", "prompt", "input", "goal", "sentence")
# What a question is about, if the doc has it apart.
_PASSAGES = ("passage", "context", "article", "paragraph", "story", "support", "premise")
_OPTIONS = ("options", "choices", "endings")
_GROUPS = ("category", "subject", "subset", "topic")
_METRICS = ("exact_match", "acc", "acc_norm", "pass@1")
_LOWER_IS_BETTER = re.compile(r"brier|perplexity|bits_per|\bter\b|\bwer\b|error|loss|toxic", re.IGNORECASE)
# Stands for a score where outputs are written alone (--predict_only).
_NO_SCORE = "bypass"
_REMEDY = "Use the file as lm-evaluation-harness wrote it (--log_samples)."


def recognises(beginning: Beginning) -> bool:
    """Whether the first line is one doc with its outputs."""
    return beginning.container == OBJECT and beginning.keys.issuperset(_NEEDED)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read one model's outputs on one task."""
    reader = _Reader(source, problems)
    records = reader.records()
    first = list(islice(records, 1))
    if reader.is_of_texts:
        message = "the file has perplexities of texts, but no outputs that are right or wrong."
        return ModelOutputs.of_totals((), Problem(message, remedy="Choose the samples of another task."))
    read = ModelOutputs.of(chain(first, records), problems)
    shares = shares_of(reader.scores, problems)
    reader.report([one for one in shares.values() if one is not None])
    names = read.table.column("id").to_pylist()
    known = [None if (share := shares.get(name)) is None else 1 - share for name in names]
    table = with_values(read.table, LOSS, known, NUMBER)
    left_open = np.array([name in shares and shares[name] is None for name in names], dtype=bool)
    if left_open.any():
        table = table.append_column(UNSCORED, pa.array(left_open, mask=~left_open))
    table = reader.gold.columns(names, table)
    return replace(read, table=table, notes=(*problems.notes, *reader.remarks()))


FORMAT = ResultsFormat.declared("lm_eval", recognises, outputs)


def model_and_task(file: str) -> tuple[str, str | None]:
    """Take model and task from a file's name.

    “org__gpt/samples_gsm8k_2026-01-31T10-00-00.0.jsonl” → “org/gpt”, “gsm8k”. Without a folder, the model is called by
    the run's date; a file of another name is its model's, and has no task.
    """
    path = path_of(file)
    match = _FILE.match(path.name)
    if match is None:
        return stem(path.name).removeprefix("samples_"), None
    model = path.parent.name.replace("__", "/")
    return model or f"lm-eval {match['date'][:16]}", match["task"]


class _Reader:
    """Reads the lines; once all are read, ``scores`` (each with its metric) and ``gold`` are those of the docs."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self.scores: dict[str, tuple[str, float]] = {}
        self.is_of_texts = False
        self.gold = NumberedGold()
        self._source, self._problems = source, problems
        self._filters: dict[str, int] = {}
        self._model, self._task = model_and_task(source.name)
        dated = _FILE.match(path_of(source.name).name)
        self._run = dated["date"][:19] if dated else None
        # Of each doc: what it says, by a hash, and bits of the filters that it stands with.
        self._contents: dict[str, int] = {}
        self._metrics = set[str | None]()
        self._stands: dict[str, int] = {}

    def records(self) -> Iterator[Record]:
        for row, size, line in tool_lines(self._source, self._problems):
            if not isinstance(line, dict) or not line.keys() >= set(_NEEDED) or not isinstance(line["doc"], dict):
                self._problems.add("the line is not a sample of lm-evaluation-harness.", row, remedy=_REMEDY)
                continue
            name, kind = str(line["doc_id"]), str(line.get("filter") or "none")
            metrics = list_of(line.get("metrics"))
            if metrics and all(str(one) in _OF_TEXTS for one in metrics):
                self.is_of_texts = True
                return
            if line["doc_id"] is None:
                self._problems.add("the doc has no id.", row, "doc_id", _REMEDY)
                continue
            is_new, content = name not in self._contents, hash(_frozen([line["doc"], line["resps"]]))
            if self._contents.setdefault(name, content) != content:
                message = f"an earlier row has another question or other outputs of doc {shown(name)}."
                self._problems.add(message, row, "doc_id", "Use one file for each task and run, as they were written.")
                continue
            self._score(name, kind, line)
            if not is_new:
                self._problems.tally.repeat(row)
                continue
            try:
                record = _item(line) | _samples(line)
            except (TypeError, ValueError, KeyError, IndexError, AttributeError):
                message = "“resps” holds neither texts nor log-likelihoods of options."
                self._problems.add(message, row, "resps", _REMEDY)
                continue
            if "generation_answers" not in record and "answer" in record:
                read, right = list_of(line["filtered_resps"])[:1], line.get(_metric_of(line) or "") == 1
                output = read[0] if read and isinstance(read[0], str) else None
                self.gold.add(name, record["answer"], record.get("choices"), output, right)
            yield row, {MODEL: self._model, "id": name, TASK: self._task, RUN: self._run, **record}, size

    def _score(self, name: str, kind: str, line: dict[str, Any]) -> None:
        self._filters.setdefault(kind, len(self._filters))
        bit = 1 << self._filters[kind]
        if self._stands.get(name, 0) & bit:
            self._problems.note("Lines that repeat an earlier one are left out.")
        elif kind == self._first_filter():
            metric = _metric_of(line)
            self._metrics.add(metric)
            if metric is not None:
                self.scores[name] = (metric, line[metric])
        self._stands[name] = self._stands.get(name, 0) | bit

    def report(self, shares: Sequence[float]) -> None:
        """Give the mean of the scores for the total in the file of results, if it is the mean of one metric."""
        metric = next(iter(self._metrics), None)
        if shares and len(self._metrics) == 1 and metric in _METRICS and self._task is not None:
            name = f"{metric},{self._first_filter()}"
            self._problems.tally.report(self._model, name, None, sum(shares) / len(shares), task=self._task)

    def _first_filter(self) -> str | None:
        return next((one for one in self._filters if not one.startswith("maj")), None)

    def remarks(self) -> list[str]:
        scored = self._first_filter()
        others = [shown(one) for one in self._filters if one != scored]
        if scored is None:
            return ["The file has scores of majority votes only, so the losses of single answers are not known."]
        return [f"Scores are those of the filter {shown(scored)}, not of {', '.join(others)}."] if others else []


def _is_low(metric: str) -> bool:
    return is_fault(metric) or bool(_LOWER_IS_BETTER.search(metric))


def _metric_of(line: dict[str, Any]) -> str | None:
    """Return the name of the first metric of which high is good."""
    metrics = [one for one in list_of(line.get("metrics")) if isinstance(one, str) and one != _NO_SCORE]
    metrics = [one for one in metrics if not _is_low(one)]
    return next((one for one in (*_METRICS, *metrics) if isinstance(line.get(one), (int, float))), None)


def _frozen(value: Any) -> Any:
    """Return what can be hashed in place of lists and objects."""
    if isinstance(value, dict):
        return tuple((key, _frozen(one)) for key, one in value.items())
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return value if value == value else None  # NaN differs from itself.


def _item(line: dict[str, Any]) -> dict[str, Any]:
    """Make the native columns of a doc."""
    doc, likelihoods = line["doc"], _is_of_options(line["resps"])
    filled_in = {key: text for key, text in doc.items() if isinstance(text, str) and text.strip()}
    question, passage = first_text(filled_in, _QUESTIONS), first_text(filled_in, _PASSAGES)
    options = next((doc[key] for key in _OPTIONS if key in doc), None)
    choices = texts_in(options.get("text") if isinstance(options, dict) else options)
    if choices is None and likelihoods:
        choices = _continuations(line)
    record = {
        **truth(_truth(line.get("target"), choices, likelihoods), choices),
        "prompt": "\n\n".join(filter(None, (passage, question))) if question else _sent_prompt(line),
        "group": first_text(doc, _GROUPS),
        **({"answer_kind": "choice"} if likelihoods else {}),
    }
    return filled(record)


def _is_of_options(outputs: Any) -> bool:
    """Whether the outputs are likelihoods of several options, not texts."""
    first = next(iter(list_of(outputs)), None)
    return len(list_of(outputs)) > 1 and isinstance(next(iter(list_of(first)), None), list)


def _requests(line: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Return prompt and continuation, or settings, of each request."""
    arguments = line.get("arguments")
    if isinstance(arguments, dict):
        return [(one.get("arg_0"), one.get("arg_1")) for one in arguments.values() if isinstance(one, dict)]
    # Before version 0.4.3: a list of lists.
    lists = (one for one in list_of(arguments) if isinstance(one, list) and one)
    return [(one[0], one[1] if len(one) > 1 else None) for one in lists]


def _of_the_question(line: dict[str, Any], requests: list[Any]) -> list[Any]:
    """Leave out the requests without the question, which follow the others if mutual information is measured."""
    is_doubled = any(str(metric).endswith("mutual_info") for metric in list_of(line.get("metrics")))
    return requests[: len(requests) // 2] if is_doubled and len(requests) % 2 == 0 else requests


def _continuations(line: dict[str, Any]) -> list[str] | None:
    """Return the options of a task by log-likelihood, if they are all that differs between its requests."""
    requests = _of_the_question(line, _requests(line))
    prompts, texts = {str(prompt) for prompt, _ in requests}, [text for _, text in requests if isinstance(text, str)]
    options = [text.strip() for text in texts]
    return options if len(prompts) == 1 and 1 < len(set(options)) == len(options) == len(requests) else None


def _sent_prompt(line: dict[str, Any]) -> str | None:
    """Return the prompt as the model got it."""
    first = next((prompt for prompt, _ in _requests(line)), None)
    return first if isinstance(first, str) else None


def _truth(target: Any, choices: list[str] | None, likelihoods: bool) -> str | None:
    """Return the right answer; of a task by log-likelihood an option becomes its letter."""
    text = str(target).strip() if isinstance(target, (str, int)) and not isinstance(target, bool) else ""
    if likelihoods and text.isdecimal() and int(text) < min(len(choices or ascii_uppercase), 26):
        return ascii_uppercase[int(text)]
    return (letter_of(text, choices) if likelihoods else text) or None


def _samples(line: dict[str, Any]) -> dict[str, Any]:
    """Return the outputs: all texts of the one request, or the likeliest of the options that were asked about."""
    outputs = line["resps"]
    texts = outputs[0]
    if len(outputs) == 1 and all(text is None or isinstance(text, str) for text in texts):
        return {"generations": [text or "" for text in texts]}
    likelihoods = [float(option[0][0]) for option in _of_the_question(line, outputs)]
    if len(likelihoods) == 1:
        # Of a single continuation, as of LAMBADA, it is known whether the model would say it.
        says_it = str(texts[0][1]) == "True"
        return {"generations": [text for _, text in _requests(line)[:1] if says_it and isinstance(text, str)]}
    letter = ascii_uppercase[max(range(len(likelihoods)), key=likelihoods.__getitem__)]
    return {"generations": [letter], "generation_answers": [letter]}
