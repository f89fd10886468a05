"""Several runs of a target on each item: what tells them apart, their order and their names.

A run is never an item, and never a sample of a surrogate because it is scored. All runs are kept; the first is the
target's single answer. `RunCounts` has how many runs each item has, and the sentence that stands first in what a pool
says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise, takewhile
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from ..files import foreign_names
from ..files.foreign_names import plain_key
from ..pool.columns import TEXT
from ..pool.problems import Problems, shown
from ..words import counted, listed
from .field_names import last_key, words_of
from .joining import LOSS, MODEL, RUN, TASK

# Why the records of further runs are left out if nothing of them is read.
FURTHER_RUNS = "further runs of the same items"
_WORDS = frozenset(
    {"run", "trial", "attempt", "epoch", "seed", "repeat", "repetition", "rep", "replicate", "replica", "rollout"}
    | {"iteration", "iter", "try", "retry", "episode"}
)
# Words beside one of these in the name of what numbers the runs, and beside “sample” in that of what numbers samples.
_BESIDE = frozenset({"id", "no", "nr", "num", "number", "index", "idx", "name", "random", "eval", "agent", "n", "the"})
_COUNTED = frozenset({"sample", "completion", "generation"})
_PLACES = frozenset({"no", "nr", "num", "number", "index", "idx"})
_FOREIGN = frozenset(map(plain_key, foreign_names.names(foreign_names.RUN)))
_COLUMN = re.compile(
    r"(?P<before>(?:.*[\s_:/.-])?)(?P<word>[a-z]+?)s?[\s_-]?(?P<number>\d{1,4})(?P<after>(?:[\s_:/.-].*)?)"
)
_LISTED = re.compile(r"([^.\[\]]+)\[\]")
# What one list of scores is called that has one for each run.
_LISTS = frozenset({"gradedlist", "grades", "rewards", "successes", "passes", "trials", "runs", "attempts"})
_MOST_NAMED = 6


def names_a_run(path: str) -> bool:
    """Whether a path is called as what numbers or names the runs of an item: “trial”, “run_id”, “attempt no.”."""
    words = words_of(path)[-1]
    rest = [word for word in words if word not in _WORDS and not word.isdecimal()]
    if plain_key(last_key(path)) in _FOREIGN:
        return True
    if len(rest) < len(words) and _BESIDE.issuperset(rest):
        return True
    return not _COUNTED.isdisjoint(words) and not _PLACES.isdisjoint(words) and {*words} - _COUNTED <= _PLACES


def columns_of_runs(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that hold one run each, as “run_1” and “run_2” or “trial 1 success”, by their numbers.

    There are at least two, or none.
    """
    series: dict[tuple[str, str, str], dict[int, str]] = {}
    for path in paths:
        match = _COLUMN.fullmatch(path.casefold())
        if match and match["word"] in _WORDS:
            series.setdefault((match["before"], match["word"], match["after"]), {})[int(match["number"])] = path
    best = max(series.values(), key=len, default={})
    return tuple(best[number] for number in sorted(best)) if len(best) > 1 else ()


def holds_runs(path: str) -> bool:
    """Whether a path of lists is called as one value for each run: “graded_list”, “trials[].success”."""
    lists = [words_of(key)[-1] for key in _LISTED.findall(path)]
    return plain_key(last_key(path)) in _LISTS or any(
        {word.removesuffix("s") for word in words} & _WORDS for words in lists
    )


class RunCounts:
    """Counts the runs of each item, and the first runs that are not scored although a further one is."""

    def __init__(self) -> None:
        self._runs = list[int]()
        self._open = list[int]()

    def add(self, runs: int, row: int = 0, is_open: bool = False) -> None:
        """Count an item with so many runs; ``row`` is the place of its first, which is not scored if ``is_open``."""
        self._runs.append(runs)
        if is_open:
            self._open.append(row)

    @property
    def sentence(self) -> str:
        """First remark of a pool with runs: its items and their runs, and for what the first counts; or nothing."""
        return first_of(self._runs)

    @property
    def remark(self) -> str:
        """Name the items whose first run has no score, as no other run is taken in its place; "" for none."""
        if not self._open:
            return ""
        named = [f"{row:,}" for row in self._open[:_MOST_NAMED]] + ["others"] * (len(self._open) > _MOST_NAMED)
        rows = f"{'row' if len(self._open) == 1 else 'rows'} {listed(named)}"
        return (
            f"The first run of {counted(len(self._open), 'item')} has no score ({rows}). A further run is not taken in "
            "its place, so right or wrong stays open."
        )


def first_of(runs: Sequence[int], models: Sequence[str] = ()) -> str:
    """Say how many runs the items have, “15 items × 4 runs. …”, and for what the first counts; "" for one run.

    Parameters
    ----------
    runs : sequence of int
        Number of runs of each item.
    models : sequence of str
        The targets of which this is said, if there are others.
    """
    most = max(runs, default=0)
    if most < 2:
        return ""
    number = f"{most:,}" if min(runs) == most else f"{min(runs):,} to {most:,}"
    named = f"{listed([shown(name) for name in models])}: " if models else ""
    return named + f"{counted(len(runs), 'item')} × {number} runs. Where one answer is needed, the first run counts."


# The order of an item's runs: that of their numbers or times, else that of the file.

_Row = TypeVar("_Row")
_Key = tuple[tuple[int, int, str], ...]
_NUMBER = re.compile(r"-?\d{1,12}")
_DIGITS = re.compile(r"\d+")
# “2025-08-29T12:30”, “run_20250829_123000”.
_TIME = re.compile(r"(?<!\d)20\d\d[-_./]?[01]\d[-_./]?[0-3]\d")
# Numbers of runs leave few out: those of an item span at most so many times as many. Others are evenly spaced.
_SPAN, _FEWEST_STEPS = 2, 3


class RunOrder:
    """The order that the names of runs give them, which is none if they are hashes or drawn numbers, such as seeds.

    Parameters
    ----------
    items : iterable of sequence
        For each item what names its runs, in the order of the file.
    """

    def __init__(self, items: Iterable[Sequence[Any]]) -> None:
        several = [names for names in ([*map(_name, values)] for values in items) if len({*names}) > 1]
        self._middles: Callable[[Sequence[str]], list[str]] | None = None
        if _are_numbers([_middles(names) for names in several]):
            self._middles = _middles
        elif _are_times({name for names in several for name in names}):
            self._middles = list
        ascend = all(_ascend(_middles(names)) for names in several)
        self._is_open = self._middles is None and not ascend

    def ordered(self, rows: Sequence[_Row], run_of: Callable[[_Row], Any]) -> list[_Row]:
        """Put the rows of one item in the order of their runs."""
        names = [_name(run_of(row)) for row in rows]
        if self._middles is None or len({*names}) < 2:
            return list(rows)
        keys = [_natural(key) for key in self._middles(names)]
        return [rows[place] for place in sorted(range(len(rows)), key=lambda place: keys[place])]

    def remark(self, path: str) -> str:
        """Say that the file's order counts, since its runs have no other; "" if they have, or if both are the same."""
        if not self._is_open:
            return ""
        return (
            f"{shown(path)} gives the runs no order (neither numbers from 0 or 1 on nor times), so the first run of an "
            "item is its first row in the file. If another one came first, sort the rows."
        )


def in_order_of_runs(
    rows: Sequence[_Row], item_of: Callable[[_Row], Hashable], run_of: Callable[[_Row], Any]
) -> tuple[list[_Row], RunOrder]:
    """Put the rows of each item in the order of its runs.

    The first row of an item stands where it stood, so that the order of the items stays too.

    Returns
    -------
    tuple of list and RunOrder
    """
    places: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(item_of(row), []).append(place)
    order = RunOrder([run_of(rows[place]) for place in some] for some in places.values())
    ordered = list(rows)
    for some in places.values():
        for place, row in zip(some, order.ordered([rows[one] for one in some], run_of), strict=True):
            ordered[place] = row
    return ordered, order


def _name(value: Any) -> str:
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if is_whole else value).strip().casefold()


def _ascend(names: Sequence[str]) -> bool:
    """Whether the file's order is that of numbers or letters, whatever they mean."""
    plain = all(map(_NUMBER.fullmatch, names)) or all(len(name) == 1 and name.isalpha() for name in names)
    return plain and list(names) == sorted(names, key=_natural)


def _natural(name: str) -> _Key:
    """Return a key that puts “run 10” behind “run 9”."""
    if _NUMBER.fullmatch(name):
        return ((0, int(name), ""),)
    parts = re.split(r"(\d+)", name)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def _middles(names: Sequence[str]) -> list[str]:
    """Return the names without what all begin and end with, of which no number is cut: “2” of “t1.2-of-4”."""
    start = _alike(names)
    while start and any(name[start - 1 : start].isdecimal() for name in names):
        start -= 1
    rests = [name[start:] for name in names]
    end = _alike([rest[::-1] for rest in rests])
    while end and any(rest[-end].isdecimal() for rest in rests):
        end -= 1
    return [rest[: len(rest) - end] for rest in rests]


def _alike(names: Sequence[str]) -> int:
    """Return how many characters all begin with."""
    return sum(1 for _ in takewhile(lambda chars: len({*chars}) == 1, zip(*names, strict=False)))


def _are_numbers(items: Sequence[Sequence[str]]) -> bool:
    """Whether the runs of all items are counted: by the same few numbers, or by evenly spaced ones."""
    if not all(_NUMBER.fullmatch(name) for names in items for name in names):
        return False
    numbers = sorted({int(name) for names in items for name in names})
    if not numbers:
        return False
    most = max(len({*names}) for names in items)
    steps = {after - before for before, after in pairwise(numbers)}
    evenly = len(numbers) >= _FEWEST_STEPS and len(steps) == 1
    return evenly or numbers[-1] - numbers[0] < _SPAN * most


def _are_times(names: set[str]) -> bool:
    return len({_DIGITS.sub(lambda one: "0" * len(one[0]), name) for name in names}) == 1 and all(
        map(_TIME.search, names)
    )


# Several runs of one model on the same items: told apart by the names of the runs, if their outputs differ.


def named_by_run(files: Sequence[pa.Table], problems: Problems) -> list[pa.Table]:
    """Add the name of its run to a model of which several runs answer one item differently.

    Parameters
    ----------
    files : sequence of pyarrow.Table
        Those of ``ModelOutputs``, one for each file, with a column ``run_of_model`` if the file names its run.
    problems : Problems
        Where models with several runs are noted.

    Returns
    -------
    list of pyarrow.Table
        The files in their order.
    """
    runs: dict[str, dict[str, list[int]]] = {}
    for place, file in enumerate(files):
        models, names = (_only(file, column) for column in (MODEL, RUN))
        if models is not None and names is not None:
            runs.setdefault(models, {}).setdefault(names, []).append(place)
    results = list(files)
    for model, places in runs.items():
        if len(places) > 1 and _are_others([[files[place] for place in some] for some in places.values()]):
            problems.note(f"Runs of {shown(model)} with different outputs are separate models: {len(places)}.")
            for run, some in places.items():
                for place in some:
                    results[place] = _with(files[place], MODEL, f"{model} ({run})")
    return results


def of_common_tasks(files: Sequence[pa.Table]) -> list[pa.Table]:
    """Give files that are alone in naming task and run, each by its own name, one task if they ask one model the same.

    Parameters
    ----------
    files : sequence of pyarrow.Table
        As for :func:`named_by_run`.

    Returns
    -------
    list of pyarrow.Table
        The files in their order.
    """
    results, tasks = list(files), dict[tuple[str | None, frozenset[str]], str]()
    for place, file in enumerate(files):
        task = _only(file, TASK)
        if task is not None and task == _only(file, RUN) and "prompt" in file.column_names:
            asked = frozenset(text for text in file.column("prompt").to_pylist() if text)
            task = tasks.setdefault((_only(file, MODEL), asked), task)
            results[place] = _with(file, TASK, task)
    return results


def _with(file: pa.Table, column: str, value: str) -> pa.Table:
    """Return a file with one value in all of a column."""
    values = pa.chunked_array([pa.array([value] * len(file), TEXT)])
    return file.set_column(file.column_names.index(column), column, values)


def _only(file: pa.Table, column: str) -> str | None:
    """Return the only value of a column, None if there is none."""
    values = pc.unique(file.column(column)).to_pylist() if column in file.column_names else []
    return values[0] if len(values) == 1 else None


def _are_others(runs: Sequence[Sequence[pa.Table]]) -> bool:
    """Whether an item has other outputs, or another score, in another run."""
    for column in ("generations", LOSS):
        known: dict[str, object] = {}
        for table in (table for run in runs for table in run if column in table.column_names):
            for name, value in zip(table.column("id").to_pylist(), table.column(column).to_pylist(), strict=True):
                if value is not None and known.setdefault(name, value) != value:
                    return True
    return False
