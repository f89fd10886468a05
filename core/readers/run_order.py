"""The order of an item's runs: that of their numbers or times, else that of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise, takewhile
from typing import Any, TypeVar

from ..pool.problems import shown

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
