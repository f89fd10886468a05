"""Results of models on the same questions: whose samples stand in for the surrogate's, and who are targets.

``joined`` puts the outputs of several files (:mod:`core.readers.model_outputs`) side by side, and :class:`ModelResults`
makes a pool of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..pool.account import FileAccount, beside
from ..pool.columns import COLUMNS, RUN_LOSSES, RUN_TEXTS, TEXT, Loose, lengths
from ..pool.origin import Origin
from ..pool.outcomes import in_unit
from ..pool.pool import Pool
from ..pool.problems import Problems, shown
from ..pool.target_sets import ModelPair, named_versions
from .answer_letters import with_words_of_sentences
from .joining import (
    LOSS,
    LOSSES,
    MODEL,
    RUNS,
    TASK,
    UNSCORED,
    Editions,
    completed,
    in_order,
    interleaved,
    matched,
    values_of,
    with_column,
)
from .json_records import alike
from .matches import failed_outputs, few_matches, with_open_answers
from .model_outputs import OF_THE_OUTPUT, SAMPLES, ModelOutputs
from .option_orders import in_one_order
from .resolve_ids import CompositeIds, items_only, linked
from .runs import first_of, named_by_run, of_common_tasks

# What stands in place of a model beside items that no model answered.
_ITEMS = "items"


@dataclass(frozen=True, slots=True)
class Split:
    """The models that stand in for the surrogate, and those that are targets."""

    committee: tuple[str, ...]
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Outputs:
    """One model's rows, and ``place`` of each question among them (−1: none)."""

    rows: pa.Table
    place: NDArray[np.int64]
    loss: NDArray[np.float64]

    def lists(self, name: str) -> pa.ChunkedArray | None:
        """Return the samples' column ``name``, None if this model has none."""
        if name not in self.rows.column_names or self.rows.column(name).null_count == self.rows.num_rows:
            return None
        return self.rows.column(name)

    @property
    def runs(self) -> NDArray[np.int64]:
        """Number of runs in each row, also of those of which only the score is known."""
        runs = np.ones(len(self.rows), dtype=np.int64)
        if RUNS in self.rows.column_names:
            runs = np.array(self.rows.column(RUNS).fill_null(1).to_numpy(), dtype=np.int64)
        outputs = self.lists("generations")
        return runs if outputs is None else np.maximum(runs, lengths(outputs))

    def first(self, name: str, places: pa.Array) -> pa.Array:
        """Return the first sample's value on each of the chosen questions."""
        return _first(self.rows, name).take(places)


@dataclass(frozen=True, slots=True, eq=False)
class ModelResults:
    """The results of several models on the same questions.

    Parameters
    ----------
    models : tuple of str
        The models, in the order given.
    accuracy : tuple of float
        One less the mean loss of each model’s first samples; NaN if it is not known, or if losses lie outside 0 to 1.
    unparsed : tuple of int or None
        Number of items of each model whose first sample has no answer; None if the file has no answers that were
        read.
    items : tuple of int
        Number of items of each model.
    samples : tuple of int
        Most samples that each model has of one item.
    notes : tuple of str
        Remarks about questions that some models lack, or have in another edition.
    origin : Origin, optional
        What the files were recognized as.
    account : FileAccount, optional
        What became of the files' records.
    """

    models: tuple[str, ...]
    accuracy: tuple[float, ...]
    unparsed: tuple[int | None, ...]
    items: tuple[int, ...]
    samples: tuple[int, ...]
    notes: tuple[str, ...]
    _questions: pa.Table
    _outputs: Mapping[str, _Outputs]
    _listed: NDArray[np.bool_]
    origin: Origin | None = None
    account: FileAccount | None = None

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, without those that the account repeats."""
        return beside(self.account, self.notes)

    def known(self, model: str) -> tuple[float, int]:
        """Accuracy of a model's first samples, NaN if unknown, and the number of items that it is known of."""
        known = self._outputs[model].loss
        known = known[~np.isnan(known)]
        return (1 - float(known.mean()) if known.size else float("nan")), known.size

    def has_shares(self, model: str) -> bool:
        """Whether some outcome of a model's first samples lies between right and wrong."""
        loss = self._outputs[model].loss if model in self._outputs else np.empty(0)
        return bool(((loss > 0) & (loss < 1)).any())

    def summary(self) -> pd.DataFrame:
        """List the models, most accurate first: model, items, samples, accuracy, unparsed."""
        columns = {
            "model": self.models,
            "items": self.items,
            "samples": self.samples,
            "accuracy": self.accuracy,
            "unparsed": pd.array(self.unparsed, "Int64"),
        }
        frame = pd.DataFrame(columns).sort_values("accuracy", ascending=False, kind="stable")
        return frame.reset_index(drop=True)

    def default_split(self) -> Split:
        """Propose who is what.

        Models with several samples of an item stand in for the surrogate, the others are targets. If no model has
        several, the two most accurate are targets (one if there are fewer than four), the others the committee.
        Models of which only scores are known, as in a leaderboard, are targets, and so are versions of one model by
        their names: they err together. So are two models that the file compares.
        """
        several = tuple(name for name, count in zip(self.models, self.samples, strict=True) if count > 1)
        if several:
            return Split(several, tuple(name for name in self.models if name not in several))
        if named_versions(self.models) or any(ModelPair.of(name, self.models) for name in self.models):
            return Split((), self.models)
        answered = {name for name, count in zip(self.models, self.samples, strict=True) if count}
        # Unknown accuracies come last.
        by_accuracy = np.argsort(-np.array(self.accuracy), kind="stable").tolist()
        ranked = [self.models[place] for place in by_accuracy if self.models[place] in answered]
        best = ranked[: 2 if len(ranked) >= 4 else 1]
        targets = [name for name in self.models if name not in answered] + best
        return Split(tuple(name for name in self.models if name not in targets), tuple(targets))

    def _scores_runs(self, model: str) -> bool:
        """Whether further runs of a model are scored: it may be a target beside what its samples say of the items."""
        return self._outputs[model].lists(LOSSES) is not None

    def usual_pool(self, name: str | None = None) -> Pool:
        """Make the pool of the proposed roles; without another target, models whose runs are scored are targets too."""
        split = self.default_split()
        runs = tuple(filter(self._scores_runs, split.committee)) if not split.targets else ()
        return self.pool(split.committee, (*split.targets, *runs), name)

    def pool(self, committee: Sequence[str], targets: Sequence[str], name: str | None = None) -> Pool:
        """Make the pool whose generations are the committee's samples.

        Its items are those of the chosen models, and all of files that have items alone.

        Parameters
        ----------
        committee : sequence of str
            Models that stand in for the surrogate, in the order of the generations.
        targets : sequence of str
            Target models; the first sample of each is its single answer, and further ones are its runs.
        name : str, optional
            What the pool is called; by default as the tasks are, or else as the models.

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
        chosen_rows = np.flatnonzero(np.any([self._listed, *(outputs.place >= 0 for outputs in chosen)], axis=0))
        questions = self._questions.take(chosen_rows)
        columns = {column: questions.column(column) for column in questions.column_names if column in COLUMNS}
        members = [self._outputs[model] for model in committee]
        for column in SAMPLES:
            lists = [member.lists(column) for member in members]
            present = [one for one in lists if one is not None]
            # Answers that only some have parsed would stand beside others' that the pool parses by its own rules.
            if present and len(present) == len(lists):
                places = [member.place[chosen_rows] for member in members]
                columns[column] = interleaved(list(zip(present, places, strict=True)))
        extras = {column: questions.column(column) for column in questions.column_names if column not in COLUMNS}
        problems = Problems()
        # What a target has of the pool's items, the pool says itself.
        told = tuple(f"{model} lacks " for model in targets)
        for note in self.notes:
            if not note.startswith(told):
                problems.note(note)
        loose = with_words_of_sentences(Loose(columns, self._targets(targets, chosen_rows), extras), problems)
        loose = with_open_answers(loose, problems)
        problems.note(few_matches(loose))
        problems.note(failed_outputs(loose))
        pool = Pool.from_loose(loose, problems, name or self._name(), self.origin)
        notes = (*self._first_runs(targets, chosen_rows), *pool.notes)
        return replace(pool, notes=notes, account=self.account and self.account.of_items(pool.n_items))

    def _first_runs(self, targets: Sequence[str], questions: NDArray[np.int64]) -> list[str]:
        """Say of each target with several runs of an item that the first one counts; alike ones together."""
        said: dict[tuple[int, ...], list[str]] = {}
        for model in targets:
            place = self._outputs[model].place[questions]
            runs = tuple(self._outputs[model].runs[place[place >= 0]].tolist())
            if max(runs, default=0) > 1:
                said.setdefault(runs, []).append(model)
        return [first_of(runs, () if models == list(targets) else models) for runs, models in said.items()]

    def outputs(self) -> ModelOutputs:
        """Put the models' rows under one another, as one file that holds them all.

        The ids of several tasks have the task before them already, so it is no column any more.
        """
        tables = [self._outputs[model].rows for model in self.models]
        if self._listed.any():
            listed = self._questions.filter(pa.array(self._listed))
            tables.append(listed.append_column(MODEL, pa.array([_ITEMS] * len(listed), TEXT)))
        whole = pa.concat_tables(tables, promote_options="permissive")
        if TASK in whole.column_names and len(pc.unique(whole.column(TASK))) > 1:
            whole = whole.drop_columns([TASK])
        return ModelOutputs(whole, self.notes, self.origin, self.account)

    def _name(self) -> str:
        facts = self._questions
        if "answer_kind" in facts.column_names and set(facts.column("answer_kind").to_pylist()) == {"mmlu-pro"}:
            return "MMLU-Pro"
        return ", ".join([*dict.fromkeys(filter(None, values_of(facts, TASK)))][:3] or self.models[:3])

    def _check(self, committee: Sequence[str], targets: Sequence[str]) -> None:
        problems = Problems()
        named = [*committee, *targets]
        if not named:
            problems.add("no model is chosen.", remedy="Choose a committee, targets, or both.")
        for model in dict.fromkeys(named):
            if model not in self._outputs:
                problems.add(f"there are no results of {shown(model)}.", remedy=f"There are: {', '.join(self.models)}.")
            elif model in committee and model in targets and not self._scores_runs(model):
                problems.add(f"{shown(model)} is in the committee and a target.", remedy="Choose one of the two.")
            elif max(list(committee).count(model), list(targets).count(model)) > 1:
                problems.add(f"{shown(model)} is chosen twice.", remedy="Choose it once.")
            elif model in committee and not self.samples[self.models.index(model)]:
                problems.add(f"{shown(model)} has no outputs, only scores.", remedy="Choose it as a target.")
        problems.stop()

    def _targets(self, models: Sequence[str], questions: NDArray[np.int64]) -> dict[tuple[str, str], pa.ChunkedArray]:
        leaves = {}
        for model in models:
            outputs = self._outputs[model]
            place = outputs.place[questions]
            places = pa.array(place, mask=place < 0)
            leaves[model, "text"] = pa.chunked_array([outputs.first("generations", places)])
            leaves[model, "answer"] = pa.chunked_array([outputs.first("generation_answers", places)])
            loss = np.where(place < 0, np.nan, outputs.loss[place])
            leaves[model, "loss"] = pa.chunked_array([pa.array(loss, mask=np.isnan(loss))])
            if UNSCORED in outputs.rows.column_names:
                leaves[model, "unscored"] = outputs.rows.column(UNSCORED).take(places)
            if outputs.runs[place[place >= 0]].max(initial=1) > 1:
                # All runs, and what each of them was worth if the file says so.
                for field, name in ((RUN_TEXTS, "generations"), (RUN_LOSSES, LOSSES)):
                    if (lists := outputs.lists(name)) is not None:
                        leaves[model, field] = lists.take(places)
        return leaves


def joined(files: Sequence[ModelOutputs], notes: Iterable[str] = ()) -> ModelResults:
    """Put the models of all files side by side.

    Items are matched by their ids; if the ids of a file mean other questions, by their prompts (exact, or else
    without regard to case and white space).

    Parameters
    ----------
    files : sequence of ModelOutputs
        At least one.
    notes : iterable of str
        Remarks that were made before.

    Returns
    -------
    ModelResults

    Raises
    ------
    PoolError
        A model's items match none of the others', or too many questions or right answers differ.
    """
    problems = Problems()
    for note in chain(notes, *(file.notes for file in files)):
        problems.note(note)
    parts: Sequence[pa.Table] = linked([file.table for file in files], problems)
    problems.stop()
    parts = named_by_run(_apart(of_common_tasks(parts)), problems)
    tables = _by_model(parts, problems)
    problems.stop()
    records = sum(_records(table) for table in tables.values() if not items_only(table))
    tables = in_one_order(matched(tables, _places(parts), problems), problems)
    problems.stop()
    ids = [table.column("id").to_pylist() for table in tables.values()]
    index = {name: place for place, name in enumerate(in_order(ids))}
    where = [np.array([index[name] for name in names], dtype=np.int64) for names in ids]
    items = [
        table.drop_columns([name for name in table.column_names if name in OF_THE_OUTPUT]) for table in tables.values()
    ]
    every = pa.concat_tables(items, promote_options="permissive")
    editions = Editions.of(every, np.concatenate(where))
    questions = every.take(editions.prevailing)
    truth = questions.column("answer") if "answer" in questions.column_names else pa.nulls(len(index), TEXT)
    outputs, accuracy, unparsed, samples, counts, start = {}, [], [], [], [], 0
    listed, of_models = np.zeros(len(index), dtype=bool), [not items_only(table) for table in tables.values()]
    for (model, table), places, names, is_model in zip(tables.items(), where, ids, of_models, strict=True):
        editions.check(model, slice(start, start + len(places)), places, names, problems)
        start += len(places)
        if any(of_models) and not is_model:
            listed[places] = True
            continue
        place = np.full(len(index), -1, dtype=np.int64)
        place[places] = np.arange(len(places))
        answers = _first(table, "generation_answers")
        loss = _losses(table, answers, truth.take(pa.array(places)))
        outputs[model] = _Outputs(table, place, loss)
        known = loss[~np.isnan(loss)]
        accuracy.append(1 - float(known.mean()) if known.size and in_unit(known) else float("nan"))
        parsed = _parsed(table)
        unparsed.append(int((parsed & np.asarray(answers.is_null())).sum()) if parsed.any() else None)
        samples.append(
            int(lengths(table.column("generations")).max(initial=0)) if "generations" in table.column_names else 0
        )
        counts.append(len(places))
        if len(places) < len(index):
            problems.note(f"{model} lacks {len(index) - len(places):,} of {len(index):,} questions.")
    problems.stop()
    account = FileAccount.together([file.account for file in files], len(index))
    read = [file.table for file in files]
    implied = _scores(parts) - _scores(read)
    # Outputs that two files say alike, as predictions and their reviews, are outputs once.
    twice = _samples(tables.values()) - _samples(read)
    with_outputs = np.any([one.place >= 0 for one in outputs.values()] or [np.zeros(len(index), dtype=bool)], axis=0)
    # Of one file, its reader counts them.
    completing = sum(map(_records, read)) - records - int((~with_outputs).sum()) if len(files) > 1 else 0
    return ModelResults(
        tuple(outputs),
        tuple(accuracy),
        tuple(unparsed),
        tuple(counts),
        tuple(samples),
        tuple(problems.notes),
        questions,
        outputs,
        listed,
        _common([file.origin for file in files if file.origin is not None]),
        account and account.with_more(LOSS, implied).with_more("generations", twice).with_completing(completing),
    )


def _scores(tables: Sequence[pa.Table]) -> int:
    return sum(len(table) - table.column(LOSS).null_count for table in tables if LOSS in table.column_names)


def _samples(tables: Iterable[pa.Table]) -> int:
    columns = [table.column("generations") for table in tables if "generations" in table.column_names]
    return sum(int(lengths(column).sum()) for column in columns)


def _records(table: pa.Table) -> int:
    """Count the records that a file with such rows is likely to have: one for each output, or for a row without any."""
    if "generations" not in table.column_names:
        return len(table)
    return int(np.maximum(lengths(table.column("generations")), 1).sum())


def _common(origins: Sequence[Origin]) -> Origin | None:
    """Put the origins of several files together; their fields if all are of one format."""
    formats = dict.fromkeys(one.format for one in origins)
    if not formats:
        return None
    return origins[0] if len(formats) == 1 else Origin(" and ".join(formats))


def _first(table: pa.Table, name: str) -> pa.Array:
    """Return the first of each row's samples, null if there is none."""
    if name not in table.column_names:
        return pa.nulls(len(table), TEXT)
    chunks = []
    for lists in table.column(name).chunks:
        none = lengths(pa.chunked_array([lists])) == 0
        # By their places, so that the other samples are not copied.
        chunks.append(lists.values.take(pa.array(lists.offsets.to_numpy()[:-1], mask=none)).cast(TEXT))
    return pa.concat_arrays(chunks) if chunks else pa.nulls(0, TEXT)


def _parsed(table: pa.Table) -> NDArray[np.bool_]:
    """Return which rows have answers that the file read, of which the first may be none."""
    if "generation_answers" not in table.column_names:
        return np.zeros(table.num_rows, dtype=bool)
    return lengths(table.column("generation_answers")) > 0


def _losses(table: pa.Table, answers: pa.Array, truth: pa.ChunkedArray) -> NDArray[np.float64]:
    """Take the scores of the file, and if it has none, compare its parsed answers with the truth."""
    loss = np.full(table.num_rows, np.nan)
    if LOSS in table.column_names:
        loss = np.array(table.column(LOSS).to_numpy(), dtype=np.float64)
    unknown = np.isnan(loss) & _parsed(table)
    if UNSCORED in table.column_names:
        unknown &= ~np.asarray(pc.fill_null(table.column(UNSCORED), False))
    kinds = table.column("answer_kind") if "answer_kind" in table.column_names else pa.nulls(table.num_rows, TEXT)
    for place in np.flatnonzero(unknown & np.asarray(truth.is_valid())).tolist():
        answer, right = answers[place].as_py(), truth[place].as_py()
        loss[place] = float(answer is None or not alike(answer, right, kinds[place].as_py()))
    return loss


def _apart(tables: Sequence[pa.Table]) -> Sequence[pa.Table]:
    """Put the task before the ids if a model has several tasks, since each numbers its items.

    If each model has one task alone, the tools are likely to call the same task differently.
    """
    tasks = [set(values_of(table, TASK)) for table in tables]
    of_models: dict[str, set[str | None]] = {}
    for table, some in zip(tables, tasks, strict=True):
        for model in pc.unique(table.column(MODEL)).to_pylist():
            of_models.setdefault(model, set()).update(some - {None})
    if all(len(some) < 2 for some in of_models.values()):
        return tables
    names = {task for some in tasks for task in some if task is not None}
    may_be_one = any(one.startswith(f"{other}:") for one in names if ":" in one for other in names)
    ids = CompositeIds() if may_be_one else None
    return [table if None in some else _with_task(table, ids) for table, some in zip(tables, tasks, strict=True)]


def _with_task(table: pa.Table, composite: CompositeIds | None) -> pa.Table:
    """Put the task before each id, with care if ids of one task may look like those of another."""
    if composite is None:
        ids = pc.binary_join_element_wise(table.column(TASK), table.column("id"), ":").cast(TEXT)
    else:
        pairs = zip(table.column(TASK).to_pylist(), table.column("id").to_pylist(), strict=True)
        ids = pa.chunked_array([pa.array([*map(composite.of, pairs)], TEXT)])
    table = with_column(table, "id", ids)
    return table if "group" in table.column_names else table.append_column("group", table.column(TASK))


def _places(files: Sequence[pa.Table]) -> dict[str, list[int]]:
    """Return the places of the files that each model is in."""
    places: dict[str, list[int]] = {}
    for place, file in enumerate(files):
        for model in pc.unique(file.column(MODEL)).to_pylist():
            places.setdefault(model, []).append(place)
    return places


def _rows_by_model(file: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield each model of a file with its rows, in the order in which the models come first."""
    names = file.column(MODEL).combine_chunks().dictionary_encode()
    if len(names.dictionary) == 1:
        # It is taken as it is: sorting would copy all its texts.
        yield names.dictionary[0].as_py(), file
        return
    codes = names.indices.to_numpy()
    # Sorted once: to look through all rows for each of thousands of models takes minutes.
    by_model, start = file.take(pa.array(np.argsort(codes, kind="stable"))), 0
    for model, rows in zip(names.dictionary.to_pylist(), np.bincount(codes).tolist(), strict=True):
        yield model, by_model.slice(start, rows)
        start += rows


def _by_model(files: Sequence[pa.Table], problems: Problems) -> dict[str, pa.Table]:
    """Put the files of each model together; files of items without outputs come first, so that their ids stay."""
    tables: dict[str, list[pa.Table]] = {}
    for file in sorted(files, key=items_only, reverse=True):
        for model, rows in _rows_by_model(file):
            tables.setdefault(model, []).append(rows)
    parts = {}
    for model, some in tables.items():
        table = pa.concat_tables(some, promote_options="permissive")
        if len(some) > 1 and len(pc.unique(table.column("id"))) < table.num_rows:
            both = completed(some)
            if both is None:
                message = f"there are two files of {shown(model)}."
                problems.add(message, remedy="Give one file for each model, or rename one of them.")
            table = table if both is None else both
        parts[model] = table
    return parts
