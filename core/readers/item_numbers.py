"""The numbers of a table's items, column by column, and whether a row below them sums these up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import inf, isclose, isfinite
from typing import Any

from ..files.foreign_names import plain_key
from .field_names import NAMES
from .total_shapes import is_sum, is_total_label, may_be_total_label
from .verdicts import number

# So many texts of a column at most are models, each of which has several rows.
_MODELS, _SEVERAL = 200, 3
# A longer text names neither a model nor a total.
_LONGEST = 200
# So many different cells of a column are kept at a time.
_MANY = 10_000
# “5 of 8” and “5/8”.
_SHARE = re.compile(r"(\d{1,9})\s*(?:/|of|out of|von|sur|de|di|su)\s*(\d{1,9})", re.IGNORECASE)
_OF_ITEMS = frozenset({*NAMES["prompt"], *NAMES["answer"], *NAMES["output"]})


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
        """Whether this is their sum or mean, and no number that an item has."""
        return not self.may_have(value) and self.sum_up_to(value)

    def may_have(self, value: float) -> bool:
        """Whether an item may have this number: it lies among theirs, and is whole if they are."""
        self._read()
        return self._lowest <= value <= self._highest and (value.is_integer() or not self._are_whole)

    def sum_up_to(self, value: float) -> bool:
        """Whether this is their sum or mean, perhaps in per cent, as it is rounded."""
        self._read()
        if not self._size:
            return False
        mean = self._total / self._size
        exponent = Decimal(str(value)).as_tuple().exponent
        half = 0.501 * 10.0**exponent if isinstance(exponent, int) else 0.0
        return any(isclose(value, one, rel_tol=1e-9, abs_tol=half) for one in (self._total, mean, 100 * mean))


class ItemNumbers:
    """The sums of the items' columns.

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
        labels = [name for name, value in row.items() if is_total_label(value)]
        if not labels and self._are_unlike(row):
            labels = [name for name, value in row.items() if may_be_total_label(value)]
        if self._name in row and self._name not in labels:
            return self._is_below(row)
        others = {name: _number(value) for name, value in row.items() if name not in labels}
        numbers = [value for value in others.values() if value is not None and isfinite(value)]
        if not numbers or len(numbers) < len(others):
            return False
        if any(plain_key(name) not in NAMES["output"] for name in labels):
            return not any(name in self.worded and plain_key(name) in _OF_ITEMS for name in others)
        if any(plain_key(name) in _OF_ITEMS for name in others):
            return False
        return all(
            self._columns[name].are_summed_up(value)
            if name in self._columns
            else is_sum(name) and name not in self._names
            for name, value in others.items()
            if value is not None
        )

    def _are_unlike(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has numbers, none of which an item has: parts among whole ones, or sums or means."""
        values = [(name, value) for name in self._columns if (value := _number(row.get(name))) is not None]
        return bool(values) and all(
            isfinite(value)
            and not self._columns[name].may_have(value)
            and (not value.is_integer() or self._columns[name].sum_up_to(value))
            for name, value in values
        )

    def _is_below(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has another label, such as “Correct answers:”, and numbers alone that no item has."""
        others = {name: _number(value) for name, value in row.items() if name != self._name}
        if not others or any(plain_key(name) in _OF_ITEMS for name in row):
            return False
        return all(
            value is not None
            and isfinite(value)
            and (name in self.worded or (name in self._columns and not self._columns[name].may_have(value)))
            for name, value in others.items()
        )


class GroupNumbers:
    """Sums of the numbers of each model’s items, in a table with a row for each item and model.

    Parameters
    ----------
    first : mapping of str to object
        The first row.
    """

    def __init__(self, first: Mapping[str, Any]) -> None:
        self._texts = {name: Counter[str]() for name, value in first.items() if _is_text(value)}
        self._names = [name for name, value in first.items() if number(value) is not None]
        self._columns = {name: _Numbers() for name in self._names}
        self._groups = dict[tuple[str, str], dict[str, _Numbers]]()

    def add(self, row: Mapping[str, Any]) -> None:
        """Add the texts and numbers of a row."""
        numbers = [(name, cell) for name in self._names if isinstance(cell := row.get(name), (str, int, float))]
        for name, cell in numbers:
            self._columns[name].add(cell)
        for column, texts in self._texts.items():
            text = row.get(column)
            if isinstance(text, str) and len(text) <= _LONGEST and (text in texts or len(texts) < _MANY):
                texts[text] += 1
                if len(texts) <= _MODELS:
                    group = self._groups.setdefault((column, text), {name: _Numbers() for name in self._names})
                    for name, cell in numbers:
                        group[name].add(cell)

    def may_sum_up(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has a label such as “Total” in the place of an item, a model that others have, and numbers."""
        return bool(self._parts(row))

    def are_summed_up(self, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Whether rows with such labels do: no item has one of the numbers, or all are sums or means of a model."""
        numbers = [(group, name, value) for row in rows for group, name, value in self._parts(row)]
        if any(not self._columns[name].may_have(value) for _, name, value in numbers):
            return True
        sums = all(
            group in self._groups and self._groups[group][name].sum_up_to(value) for group, name, value in numbers
        )
        return sums and any(value not in (0, 1) for *_, value in numbers)

    def _parts(self, row: Mapping[str, Any]) -> list[tuple[tuple[str, str], str, float]]:
        """List the model and the numbers of a row that may have totals; none of any other row."""
        texts = [(name, value) for name, value in row.items() if name in self._texts and isinstance(value, str)]
        labels = [(name, value) for name, value in texts if is_total_label(value) and not self._texts[name][value]]
        models = [one for one in texts if one not in labels]
        values = [(name, number(row.get(name))) for name in self._names if name in row]
        if len(labels) != 1 or plain_key(labels[0][0]) in _OF_ITEMS or not models:
            return []
        if any(self._texts[name][value] < _SEVERAL for name, value in models) or any(one is None for _, one in values):
            return []
        return [(models[0], name, value) for name, value in values if value is not None and isfinite(value)]


def _number(value: Any) -> float | None:
    """Return the number of a cell of totals, which may be a share such as “5 of 8”."""
    parts = _SHARE.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(parts[1]) / int(parts[2]) if parts and int(parts[2]) else number(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and number(value) is None
