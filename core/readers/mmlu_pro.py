"""MMLU-Pro's published results: one zip per model, each with one JSON array of the model's outputs.

Several files become one pool: the answers of some models (a committee) stand in for the generations of a surrogate,
other models are targets. ``pred``, the official parser's answer, is taken as it is (null: no answer), so the classes
and losses are the official ones; an output without an answer counts as wrong, where the official script guesses.

    results = mmlu_pro.results({path.name: path for path in folder.glob("*.zip")})
    split = results.default_split()
    pool = results.pool(split.committee, split.targets)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import PoolError, Problem
from core.pool.columns import TEXT, TEXTS, Loose
from core.pool.pool import Pool
from core.pool.problems import Problems, shown
from core.pool.values import native
from core.readers._joining import Editions, by_number, interleaved
from core.readers._json import MAX_ARRAY, load_array
from core.readers._source import Source, stem
from core.readers._zip import only_json

_TEXT_KEYS = ("generated_text", "model_outputs", "model_output", "cot")
_NEEDED = ("question_id", "question", "options", "answer", "pred")


@dataclass(frozen=True, slots=True)
class Split:
    """The models that stand in for the surrogate, and those that are targets."""

    committee: tuple[str, ...]
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Outputs:
    """One model's outputs: ``texts`` and ``answers`` of its items, ``place`` of each question among them (−1: none)."""

    texts: pa.Array
    answers: pa.Array
    place: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ModelResults:
    """The results of several models on the same questions.

    Parameters
    ----------
    models : tuple of str
        The models, in the order given.
    accuracy : tuple of float
        Share of right answers among each model's items, 0…1.
    unparsed : tuple of int
        Number of outputs of each model without an answer.
    items : tuple of int
        Number of items of each model.
    notes : tuple of str
        Remarks about questions that some models lack, or have in another edition.
    """

    models: tuple[str, ...]
    accuracy: tuple[float, ...]
    unparsed: tuple[int, ...]
    items: tuple[int, ...]
    notes: tuple[str, ...]
    _questions: pa.Table
    _outputs: Mapping[str, _Outputs]

    def summary(self) -> pd.DataFrame:
        """List the models, most accurate first: model, items, accuracy, unparsed."""
        columns = {"model": self.models, "items": self.items, "accuracy": self.accuracy, "unparsed": self.unparsed}
        frame = pd.DataFrame(columns).sort_values("accuracy", ascending=False, kind="stable")
        return frame.reset_index(drop=True)

    def default_split(self) -> Split:
        """Make the two most accurate models targets (one where there are fewer than four), the others the committee."""
        ranked = self.summary()["model"].tolist()
        targets = ranked[: 2 if len(ranked) >= 4 else 1]
        return Split(tuple(name for name in self.models if name not in targets), tuple(targets))

    def pool(self, committee: Sequence[str], targets: Sequence[str], name: str = "MMLU-Pro") -> Pool:
        """Make the pool whose generations are the committee's outputs.

        Parameters
        ----------
        committee : sequence of str
            Models that stand in for the surrogate, in the order of the generations.
        targets : sequence of str
            Target models.
        name : str, default "MMLU-Pro"
            What the pool is called.

        Returns
        -------
        Pool

        Raises
        ------
        PoolError
            A model is unknown, named twice, or both in the committee and a target; or there is none at all.
        """
        self._check(committee, targets)
        chosen = [self._outputs[model] for model in (*committee, *targets)]
        chosen_rows = np.flatnonzero(np.any([outputs.place >= 0 for outputs in chosen], axis=0))
        questions = self._questions.take(chosen_rows)
        columns = {column: questions.column(column) for column in ("id", "prompt", "choices", "answer", "group")}
        columns["answer_kind"] = pa.chunked_array([pa.array(["mmlu-pro"] * len(chosen_rows), TEXT)])
        members = [self._outputs[model] for model in committee]
        if members:
            columns["generations"] = interleaved([(m.texts, m.place[chosen_rows]) for m in members])
            columns["generation_answers"] = interleaved([(m.answers, m.place[chosen_rows]) for m in members])
        loose = Loose(
            columns, self._targets(targets, chosen_rows, questions.column("answer")), {"src": questions.column("src")}
        )
        problems = Problems()
        for note in self.notes:
            problems.note(note)
        return Pool.from_loose(loose, problems, name)

    def _check(self, committee: Sequence[str], targets: Sequence[str]) -> None:
        problems = Problems()
        named = [*committee, *targets]
        if not named:
            problems.add("no model is chosen.", remedy="Choose a committee, targets, or both.")
        for model in dict.fromkeys(named):
            if model not in self._outputs:
                problems.add(f"there are no results of {shown(model)}.", remedy=f"There are: {', '.join(self.models)}.")
            elif model in committee and model in targets:
                problems.add(f"{shown(model)} is in the committee and a target.", remedy="Choose one of the two.")
            elif named.count(model) > 1:
                problems.add(f"{shown(model)} is chosen twice.", remedy="Choose it once.")
        problems.stop()

    def _targets(
        self, models: Sequence[str], questions: NDArray[np.int64], truth: pa.ChunkedArray
    ) -> dict[tuple[str, str], pa.ChunkedArray]:
        leaves = {}
        for model in models:
            outputs = self._outputs[model]
            place = outputs.place[questions]
            indices = pa.array(place, mask=place < 0)
            answers = outputs.answers.take(indices)
            wrong = np.asarray(answers.to_pandas() != truth.to_pandas(), dtype=np.float64)
            leaves[model, "text"] = pa.chunked_array([outputs.texts.take(indices)])
            leaves[model, "answer"] = pa.chunked_array([answers])
            leaves[model, "loss"] = pa.chunked_array([pa.array(wrong, mask=place < 0)])
        return leaves


@dataclass(frozen=True, slots=True, eq=False)
class ModelOutputs:
    """One model's file as columns: id, prompt, choices, answer, group, src, pred, text.

    Parameters
    ----------
    table : pyarrow.Table
        The columns, a row for each question.
    notes : tuple of str
        Remarks of the reader.
    """

    table: pa.Table
    notes: tuple[str, ...]


def outputs(content: bytes | Path, file: str) -> ModelOutputs:
    """Read one model's result file.

    Parameters
    ----------
    content : bytes or Path
        The file's content or path.
    file : str
        The file's name, which has the model's in it.

    Returns
    -------
    ModelOutputs

    Raises
    ------
    PoolError
        The file holds no results; its name stands before each problem.
    """
    problems = Problems()
    try:
        table = _compact(_array(Source.of(content, file)), model_name(file), problems)
    except PoolError as error:
        named = [replace(problem, message=f"{file}: {problem.message}") for problem in error.problems]
        raise PoolError(named, error.total) from None
    problems.stop()
    return ModelOutputs(table, tuple(problems.notes))


def results(
    files: Mapping[str, bytes | Path],
    progress: Callable[[float], None] | None = None,
    read_one: Callable[[bytes | Path, str], ModelOutputs] = outputs,
) -> ModelResults:
    """Read the result files of several models.

    Parameters
    ----------
    files : mapping of str to bytes or Path
        Content or path of each file by its name; a model's name is the file's without ``model_outputs_`` and
        ``_5shots``.
    progress : callable, optional
        Called after each file with the share of files read.
    read_one : callable
        Reads one of the files, in another process perhaps.

    Returns
    -------
    ModelResults

    Raises
    ------
    PoolError
        A file holds no results, or too many questions or answers of the files differ.
    """
    problems = Problems()
    if not files:
        raise PoolError([Problem("there is no result file.", remedy="Give one zip for each model.")])
    arrays = {}
    for done, (file, content) in enumerate(files.items()):
        if progress is not None and done:
            progress(done / len(files))
        model = model_name(file)
        if model in arrays:
            problems.add(f"there are two files of {shown(model)}.", remedy="Give one zip for each model.")
            continue
        try:
            one = read_one(content, file)
        except PoolError as error:
            for problem in error.problems:
                problems.add(problem.message, problem.row, problem.field, problem.remedy)
            continue
        arrays[model] = one.table
        for note in one.notes:
            problems.note(note)
    problems.stop()
    return _joined(arrays, problems)


def read(source: Source) -> Pool:
    """Read a pool with one model as its only target; see ``core.readers.read``."""
    return pool_of(_array(source), source.name)


def pool_of(array: list[Any], name: str) -> Pool:
    """Make the pool of one model's results: that model is the only target, there are no generations."""
    model = model_name(name)
    problems = Problems()
    outputs = _compact(array, model, problems)
    problems.stop()
    problems.note("One MMLU-Pro file gives one target. Open several together to make a committee of models.")
    return _joined({model: outputs}, problems).pool((), (model,), name)


def are_results(first: Any) -> bool:
    """Whether the first element of a JSON array looks like one of MMLU-Pro results."""
    return isinstance(first, dict) and all(key in first for key in _NEEDED)


def model_name(file: str) -> str:
    """Take the model's name from a file's name: “model_outputs_gemma-7b_5shots.zip” → “gemma-7b”."""
    return stem(Path(file).name).removeprefix("model_outputs_").removesuffix("_5shots")


def _array(source: Source) -> list[Any]:
    head = source.head()
    if head.startswith(b"PK"):
        return load_array(only_json(source))
    if head.lstrip().startswith(b"["):
        return load_array(source.content(MAX_ARRAY))
    remedy = "Use the zip as TIGER-AI-Lab published it."
    raise PoolError([Problem("the file is neither a zip nor a JSON array of MMLU-Pro results.", remedy=remedy)])


def _compact(array: list[Any], model: str, problems: Problems) -> pa.Table:
    """Read one model's file as columns, and add its problems to ``problems``."""
    if not array or not are_results(array[0]):
        keys = ", ".join(list(array[0])[:12]) if array and isinstance(array[0], dict) else "none"
        message = f"these are not MMLU-Pro results: they need the keys {', '.join(_NEEDED)}; the keys are: {keys}."
        raise PoolError([Problem(message, remedy="Use the zip as TIGER-AI-Lab published it.")])
    rows = range(1, len(array) + 1)
    for row, record in enumerate(array, start=1):
        if not isinstance(record, dict):
            problems.add(f"{model}: the element is not an object.", row, remedy="Use the zip as published.")
    problems.stop()
    text_key = next((key for key in _TEXT_KEYS if key in array[0]), _TEXT_KEYS[0])
    names = {"id": "question_id", "prompt": "question", "answer": "answer", "group": "category"}
    columns = {
        name: native(name, [record.get(key) for record in array], TEXT, rows, problems, f"{model} {key}")
        for name, key in {**names, "src": "src", "pred": "pred", "text": text_key}.items()
    }
    columns["text"] = columns["text"].fill_null("")
    columns["choices"] = native("choices", [r.get("options") for r in array], TEXTS, rows, problems, f"{model} options")
    earlier: set[str | None] = {None}
    for row, name in enumerate(columns["id"].to_pylist(), start=1):
        if name in earlier:
            message = f"{model}: the question_id is missing, or appears twice."
            problems.add(message, row, "question_id", "Use the zip as published.")
        earlier.add(name)
    return pa.table(columns)


def _joined(tables: Mapping[str, pa.Table], problems: Problems) -> ModelResults:
    """Join the files side by side, questions in the order of their numbers, in the edition of most files."""
    ids = [table.column("id").to_pylist() for table in tables.values()]
    index = {name: place for place, name in enumerate(sorted(set().union(*ids), key=by_number))}
    where = [np.array([index[name] for name in names], dtype=np.int64) for names in ids]
    every = pa.concat_tables(table.drop_columns(["pred", "text"]) for table in tables.values())
    editions = Editions.of(every, np.concatenate(where))
    questions = every.take(editions.prevailing)
    outputs, accuracy, unparsed, start = {}, [], [], 0
    for (model, table), places, names in zip(tables.items(), where, ids, strict=True):
        editions.check(model, slice(start, start + len(places)), places, names, problems)
        start += len(places)
        place = np.full(len(index), -1, dtype=np.int64)
        place[places] = np.arange(len(places))
        answers = table.column("pred").combine_chunks()
        truth = questions.column("answer").take(places)
        outputs[model] = _Outputs(table.column("text").combine_chunks(), answers, place)
        accuracy.append(float((answers.to_pandas() == truth.to_pandas()).mean()))
        unparsed.append(answers.null_count)
        if len(places) < len(index):
            problems.note(f"{model} lacks {len(index) - len(places):,} of {len(index):,} questions.")
    problems.stop()
    counts = tuple(map(len, ids))
    notes = tuple(problems.notes)
    return ModelResults(tuple(tables), tuple(accuracy), tuple(unparsed), counts, notes, questions, outputs)
