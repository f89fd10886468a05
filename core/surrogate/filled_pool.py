"""Stored generations → the pool with them, in memory or straight to a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..pool import writing
from ..pool.columns import COLUMNS, NUMBERS, TARGET_FIELDS, TARGETS, TEXT, TEXTS, Loose, leaf, models, targets_column
from ..pool.pool import Pool
from ..pool.problems import Problems
from ..pool.stored import StoredTable
from .faults import SurrogateError
from .job.store import JobRow, Store
from .meaning import judged_meanings, leaves, ordered, with_meanings

# What a surrogate's generations consist of.
_OF_GENERATIONS = {
    "generations": TEXTS,
    "generation_answers": TEXTS,
    "meanings": TEXTS,
    "logprobs": NUMBERS,
    "token_logprobs": NUMBERS,
}
# Items at a time: even those with long generations take little memory together.
_PIECE = 256
_IDS = 8_192
_FOREIGN = "The job {} belongs to another pool."


@dataclass(frozen=True, slots=True)
class Coverage:
    """The coverage of a job's items.

    Parameters
    ----------
    complete, partial, empty : int
        Items of the job with all k generations, with fewer, with none.
    """

    complete: int
    partial: int
    empty: int

    def __str__(self) -> str:
        return f"{self.complete:,} complete, {self.partial:,} partial and {self.empty:,} empty items"


def coverage(store: Store, job: str) -> Coverage:
    """Count the items of a job by what they have."""
    row = store.row(job)
    query = (
        "SELECT total(samples >= ?), count(*) FROM"
        " (SELECT count(*) AS samples FROM surrogate_generations WHERE job = ? GROUP BY position)"
    )
    complete, items = map(int, store.database.select(query, row.spec.sampling.k, row.number)[0])
    return Coverage(complete, items - complete, row.total - items)


def export(store: Store, pool: Pool, job: str, path: Path) -> Coverage:
    """Write the pool with a job's results (as :func:`pool_with` makes it), a few hundred items in memory at a time.

    Parameters
    ----------
    store, job
        Where the job is, and its id.
    pool : Pool
        The job's pool.
    path : Path
        The file, ``.jsonl``, ``.jsonl.gz`` or ``.parquet``.

    Returns
    -------
    Coverage
        How many items the job completed.

    Raises
    ------
    SurrogateError
        The job belongs to another pool, or has no generations yet.
    PoolError
        The file cannot be written.
    """
    writing.write_named(_pieces(pool, [_results(store, pool, job)]), path)
    return coverage(store, job)


def pool_with(store: Store, pool: Pool, job: str) -> Pool:
    """The pool with a surrogate's generations, or a target's answers, from a job.

    Generations replace those the pool had, with their log-probabilities if all of an item have them, and without
    the models' reasoning. A job for a part of the items (a list, a shard) leaves the others what they had. For a target
    see :func:`pool_with_targets`. A job that groups answers brings the meaning classes that follow from the verdicts so
    far.

    Raises
    ------
    SurrogateError
        The job belongs to another pool, or has no generations yet.
    """
    return _together(pool, [_results(store, pool, job)])


def pool_with_targets(store: Store, pool: Pool, jobs: Iterable[str]) -> Pool:
    """The pool with the answers of several jobs, one after another; the pool itself for none.

    A target's name is the job's, by default the model's. If a job answered an item, its text replaces an earlier
    answer or loss of the target; elsewhere they stay.

    Raises
    ------
    SurrogateError
        A job belongs to another pool, or has no generations yet.
    """
    answers = [_of_target(_Stored(store, pool, job)) for job in jobs]
    return _together(pool, answers) if answers else pool


class _Stored:
    """Generations of a job, piece by piece."""

    def __init__(self, store: Store, pool: Pool, job: str) -> None:
        self.row: JobRow = store.row(job)
        self._store, self.pool = store, pool
        if self.row.digest != pool.digest:
            raise SurrogateError(_FOREIGN.format(self.row.id))
        if not self._any("SELECT 1 FROM surrogate_generations WHERE job = ? LIMIT 1"):
            raise SurrogateError(f"The job {self.row.id} has no generations yet.")

    def has(self, column: str) -> bool:
        """Whether all generations of some item have a log-probability."""
        return self._any(
            "SELECT 1 FROM surrogate_generations WHERE job = ? GROUP BY position"
            f" HAVING count({column}) = count(*) LIMIT 1"
        )

    def others(self) -> NDArray[np.bool_]:
        """(N,) whether an item is none of the job's."""
        spec, size = self.row.spec, self.pool.n_items
        chosen = np.ones(size, dtype=bool)
        if spec.items is not None:
            chosen &= np.fromiter(map(frozenset(spec.items).__contains__, self._ids()), bool, size)
        if spec.shard is not None:
            chosen &= np.fromiter(map(spec.shard.has, self._ids()), bool, size)
        return ~chosen

    def answered(self) -> NDArray[np.bool_]:
        """(N,) whether an item has a generation."""
        answered = np.zeros(self.pool.n_items, dtype=bool)
        query = "SELECT DISTINCT position FROM surrogate_generations WHERE job = ?"
        rows = self._store.database.select(query, self.row.number)
        answered[np.fromiter((position for (position,) in rows), np.int64)] = True
        return answered

    def lists(self, start: int, size: int) -> list[list[Any]]:
        """Texts, log-probabilities and mean ones, a list for each of the items; None if one has nothing."""
        columns: list[list[Any]] = [[None] * size for _ in range(3)]
        texts, logprobs, token_logprobs = columns
        query = (
            "SELECT position, text, logprob, token_logprob FROM surrogate_generations"
            " WHERE job = ? AND position >= ? AND position < ? ORDER BY position, sample"
        )
        rows = self._store.database.select(query, self.row.number, start, start + size)
        for position, samples in groupby(rows, key=lambda sample: sample[0]):
            place = position - start
            _, texts[place], *numbers = zip(*samples, strict=True)
            logprobs[place], token_logprobs[place] = (None if None in sums else sums for sums in numbers)
        return columns

    def verdicts(self, start: int, size: int) -> list[float | None]:
        """The mean of a judge's verdicts on each of the items, 0 … 1; None if there is none."""
        means: list[float | None] = [None] * size
        query = (
            "SELECT position, avg(CAST(answer AS REAL)) FROM surrogate_generations"
            " WHERE job = ? AND position >= ? AND position < ? AND answer IS NOT NULL GROUP BY position"
        )
        for position, mean in self._store.database.select(query, self.row.number, start, start + size):
            means[position - start] = mean
        return means

    def _ids(self) -> Iterator[str]:
        """The ids of the pool's items, in its order."""
        for piece in _slices(self.pool, ["id"], _IDS):
            yield from piece.column("id").to_pylist()

    def _any(self, query: str) -> bool:
        return bool(self._store.database.select(query, self.row.number))


class _Results(NamedTuple):
    """The columns that a job replaces, and a function that adds what it brought to the items from a place on."""

    replaced: Sequence[str]
    add: Callable[[pa.Table, int], pa.Table]


def _results(store: Store, pool: Pool, job: str) -> _Results:
    row = store.row(job)
    if row.spec.grouping is not None:
        if row.digest != pool.digest:
            raise SurrogateError(_FOREIGN.format(row.id))
        return _Results(("meanings",), partial(with_meanings, meanings=judged_meanings(store, pool, row.spec)))
    stored = _Stored(store, pool, job)
    if row.spec.judge is not None:
        return _of_judge(stored)
    return _of_surrogate(stored) if row.spec.target is None else _of_target(stored)


def _of_surrogate(stored: _Stored) -> _Results:
    others, source = stored.others(), stored.pool.source
    numbers = {"logprobs": "logprob", "token_logprobs": "token_logprob"}
    kinds = {"generations": TEXTS} | {name: NUMBERS for name in numbers if stored.has(numbers[name])}
    # A column without any value left is no part of the pool.
    old = [name for name in _OF_GENERATIONS if others.any() and name in source.column_names]
    staying = [name for name in old if (_valid(source.column(name)) & others).any()]
    kinds |= {name: _OF_GENERATIONS[name] for name in staying}

    def add(piece: pa.Table, start: int) -> pa.Table:
        columns = {name: piece.column(name) for name in piece.column_names if name not in _OF_GENERATIONS}
        nothing = [None] * len(piece)
        fresh = dict(zip(("generations", *numbers), stored.lists(start, len(piece)), strict=True))
        for name, kind in kinds.items():
            before = piece.column(name).to_pylist() if name in staying else nothing
            rows = zip(others[start : start + len(piece)], before, fresh.get(name, nothing), strict=True)
            columns[name] = pa.chunked_array([pa.array([old if other else new for other, old, new in rows], kind)])
        return ordered(columns)

    return _Results([name for name in _OF_GENERATIONS if name not in staying], add)


def _of_judge(stored: _Stored) -> _Results:
    name = stored.row.spec.column

    def add(piece: pa.Table, start: int) -> pa.Table:
        verdicts = pa.array(stored.verdicts(start, len(piece)), pa.float64())
        return piece.append_column(name, pa.chunked_array([verdicts]))

    return _Results((name,), add)


def _of_target(stored: _Stored) -> _Results:
    name = stored.row.spec.target or stored.row.spec.model
    others = ~stored.answered()
    # A field without any value left is no part of the pool.
    parts = {"text"} | {
        part
        for part in TARGET_FIELDS
        if (column := leaf(stored.pool.source, name, part)) is not None and (_valid(column) & others).any()
    }

    def add(piece: pa.Table, start: int) -> pa.Table:
        texts = [texts and texts[0] for texts in stored.lists(start, len(piece))[0]]
        fresh = pa.chunked_array([pa.array(texts, TEXT)])
        targets = {}
        for model in dict.fromkeys([*models(piece), name]):
            for part, kind in TARGET_FIELDS.items():
                column = leaf(piece, model, part)
                if model == name and part in parts:
                    old = pa.chunked_array([pa.nulls(len(piece), kind)]) if column is None else column
                    new = fresh if part == "text" else pa.scalar(None, kind)
                    targets[model, part] = pc.if_else(fresh.is_valid(), new, old)
                elif model != name and column is not None:
                    targets[model, part] = column
        columns = {name: piece.column(name) for name in piece.column_names if name != TARGETS}
        return ordered(columns | {TARGETS: targets_column(targets)})

    return _Results((), add)


def _pieces(pool: Pool, results: Sequence[_Results]) -> Iterator[pa.Table]:
    """The pool's canonical table with the results, a few hundred items at a time."""
    start = 0
    replaced = {name for one in results for name in one.replaced}
    names = [name for name in pool.source.column_names if name not in replaced]
    for piece in _slices(pool, names, _PIECE):
        table = piece
        for one in results:
            table = one.add(table, start)
        yield table
        start += len(piece)


def _slices(pool: Pool, names: Sequence[str], rows: int) -> Iterator[pa.Table]:
    """Some columns of a pool, so many rows at a time."""
    if isinstance(pool.source, StoredTable):
        return pool.source.pieces(names, rows)
    table = pool.source.select(names)
    return (table.slice(start, rows) for start in range(0, pool.n_items, rows))


def _together(pool: Pool, results: Sequence[_Results]) -> Pool:
    table = pa.concat_tables(_pieces(pool, results))
    loose = Loose(
        columns={name: table.column(name) for name in COLUMNS if name in table.column_names},
        targets=leaves(table),
        extras={name: table.column(name) for name in table.column_names if name not in (*COLUMNS, TARGETS)},
    )
    return Pool.from_loose(loose, Problems(), pool.name)


def _valid(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    """(N,) whether there is a value."""
    return np.asarray(column.is_valid())
