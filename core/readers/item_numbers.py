"""The numbers of a table's items, column by column, and whether a row below them sums these up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from math import inf, isclose, isfinite
from typing import Any

from ..files.foreign_names import plain_key
from .field_names import NAMES, OUTPUT_NAMES
from .total_names import is_sum
from .verdicts import number

# Most words of what totals are called.
_LABEL = 3
# So many different cells of a column are kept at a time.
_MANY = 10_000
_OF_ITEMS = frozenset({*NAMES["prompt"], *NAMES["answer"], *OUTPUT_NAMES})


class _Numbers:
    """The numbers of one column, by their cells: few are different."""

    def __init__(self) -> None:
        self._cells = Counter[Any]()
        self._total, self._size = 0.0, 0
        self._lowest, self._highest, self._are_whole = inf, -inf, True

    def add(self, cell: Any) -> None:
        self._cells[cell] += 1
        if len(self._cells) > _MANY:
            self._read()

    def _read(self) -> None:
        for cell, times in self._cells.items():
            value = number(cell)
            if value is not None and isfinite(value):
                self._total += value * times
                self._size += times
                self._lowest, self._highest = min(self._lowest, value), max(self._highest, value)
                self._are_whole &= value.is_integer()
        self._cells.clear()

    def are_summed_up(self, value: float) -> bool:
        """Whether this is their sum or mean, perhaps in per cent, as it is rounded, and no number that an item has."""
        self._read()
        if not self._size or (self._lowest <= value <= self._highest and (value.is_integer() or not self._are_whole)):
            return False
        mean = self._total / self._size
        exponent = Decimal(str(value)).as_tuple().exponent
        half = 0.501 * 10.0**exponent if isinstance(exponent, int) else 0.0
        return any(isclose(value, one, rel_tol=1e-9, abs_tol=half) for one in (self._total, mean, 100 * mean))


class ItemNumbers:
    """What the columns of the items add up to.

    Parameters
    ----------
    first : mapping of str to object
        The first item: its numbers say which columns are summed up.
    """

    def __init__(self, first: Mapping[str, Any]) -> None:
        self.size, self._names = 0, set[str]()
        self._name = next(iter(first), "")
        self.worded = [name for name, value in first.items() if isinstance(value, str) and number(value) is None]
        self._columns = {name: _Numbers() for name, value in first.items() if number(value) is not None}

    def add(self, item: Mapping[str, Any]) -> None:
        """Add the numbers of an item."""
        self.size += 1
        self._names.update(item)
        for name, column in self._columns.items():
            cell = item.get(name)
            if isinstance(cell, (str, int, float)):
                column.add(cell)

    def are_summed_up(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has totals: a label such as “Total” beside numbers, or else only numbers that no item has.

        A row without a label that has a question, an answer or an output is an item; “Total” may be an output itself.
        """
        labels = [name for name, value in row.items() if _is_label(value)]
        if self._name in row and self._name not in labels:
            return False
        others = {name: number(value) for name, value in row.items() if name not in labels}
        numbers = [value for value in others.values() if value is not None and isfinite(value)]
        if not numbers or len(numbers) < len(others):
            return False
        if any(plain_key(name) not in OUTPUT_NAMES for name in labels):
            return others.keys().isdisjoint(self.worded)
        if any(plain_key(name) in _OF_ITEMS for name in others):
            return False
        return all(
            self._columns[name].are_summed_up(value)
            if name in self._columns
            else is_sum(name) and name not in self._names
            for name, value in others.items()
            if value is not None
        )


def _is_label(value: Any) -> bool:
    """Whether this is what totals are called: “Total”, “Average score”."""
    words = value.split() if isinstance(value, str) else []
    return 0 < len(words) <= _LABEL and is_sum(words[0])
