"""Several runs of a target on each item: trials, attempts, epochs, seeds. The first run of each item counts.

A run is never an item, and never a sample of a surrogate because it is scored. `RunCounts` has how many runs each item
has, and the sentence that stands first in what a pool says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..files import foreign_names as foreign
from ..files.foreign_names import plain_key
from ..pool.problems import shown
from ..words import counted, listed
from .field_names import last_key, words_of

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
_FOREIGN = frozenset(map(plain_key, foreign.names(foreign.RUN)))
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
        """First remark of a pool with runs: its items, and of how many runs the first counts; or nothing."""
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
    """Say of how many runs of each item the first counts, “15 items, the first of 4 runs of each.”; "" for one run.

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
    return named + f"{counted(len(runs), 'item')}, the first of {number} runs of each."
