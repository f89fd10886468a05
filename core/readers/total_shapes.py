"""Totals by names, shapes and numbers, of whatever tool: rows of models, benchmarks or metrics, or below items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from math import inf, isclose, isfinite
from statistics import fmean, median
from typing import Any, NamedTuple, TypeAlias

from ..files.foreign_names import plain_key
from .field_names import NAMES, WORDS, words_of
from .json_records import objects_in
from .model_names import is_of_family
from .verdicts import number

# Most words of the label of totals.
_LABEL = 3
_SUMS = frozenset(map(plain_key, WORDS["sums"]))
_MAYBE_SUMS = frozenset(map(plain_key, WORDS["maybe-sums"]))
# “arc_challenge”, “mmlu (5-shot)” and “gpqa-diamond” are benchmarks; “mmlu_17” and “gsm8k/3” are items.
_OF_A_BENCHMARK = re.compile(
    rf"(?:{'|'.join(NAMES['benchmark'])})"
    r"(?:[\s_:/|(-]+(?:[^\W\d]|[\s_:/|()@-]|\d+[\s_-]?shots?|v\d|pass@\d+|plus)*\+?)?",
    re.IGNORECASE,
)
# What a column sums up may be rounded, and a share may be per cent.
_SUMMED: tuple[Callable[[Sequence[float]], float], ...] = (sum, fmean, median, min, max)
_ROUNDED, _MOSTLY = {1: 0.011, 100: 0.6}, 0.9


def is_sum(name: str) -> bool:
    """Whether a row or a column of this name sums up others: “Total”, “average”, “Durchschnitt”."""
    return plain_key(name) in _SUMS


def is_total_label(value: object) -> bool:
    """Whether this is what totals are called: “Total”, “Average score”, “TOTAL (n=40)”."""
    return is_sum(_first_word(value))


def may_be_total_label(value: object) -> bool:
    """Whether totals may be called so, and items too: “All”, “Ergebnis”, “Score”."""
    return plain_key(_first_word(value)) in _MAYBE_SUMS


def are_benchmarks(names: Collection[str]) -> bool:
    """Whether at least half of some names are those of benchmarks, each of which has many items."""
    return bool(names) and 2 * sum(_OF_A_BENCHMARK.fullmatch(name.strip()) is not None for name in names) >= len(names)


def sums_up(totals: Sequence[str], parts: Sequence[Sequence[str]]) -> bool:
    """Whether most cells of a column are a sum, a mean, a median, the least or the most of those beside them.

    Parameters
    ----------
    totals : sequence of str
        The cell of each row.
    parts : sequence of sequence of str
        The cells beside it.
    """
    numbers = [
        (number(total), [one for cell in some if (one := number(cell)) is not None])
        for total, some in zip(totals, parts, strict=True)
    ]
    known = [(total, some) for total, some in numbers if total is not None and some]
    return bool(known) and any(
        sum(_is_near(total, of(some)) for total, some in known) >= _MOSTLY * len(known) for of in _SUMMED
    )


def _first_word(value: object) -> str:
    """Return the first word of a label, "" for longer texts and what is none."""
    words = value.split() if isinstance(value, str) else []
    return words[0] if 0 < len(words) <= _LABEL else ""


def _is_near(total: float, value: float) -> bool:
    return any(abs(total - scale * value) <= most for scale, most in _ROUNDED.items())


Path: TypeAlias = tuple[str, ...]
Row: TypeAlias = Mapping[Path, Any]

_MODELS = frozenset({*NAMES["model"], "models"}) - {"zipfile", "provider", "providerid"}
_METRIC_COLUMNS = frozenset({"metric", "metrics", "metricname"})
_NUMBER = re.compile(r"\W*[-+]?\d*[.,]?\d+(?:[eE][-+]?\d+)?\W*(?:±.*)?|nan|n/a|none|-*|–|—", re.IGNORECASE)
# Names of what is known of many items together, never of one.
_METRIC = re.compile(
    r"(.*[_ ,@/-])?acc(uracy|uracies)?([_ ,@/-].*)?|.*std_?err.*|.*pass@\d+.*|pass_at_\d+|(win|pass|error)[_ ]?rate"
    r"|overall.*|average.*|avg|(macro|micro)[_ -].*|eval_.*|.*(correct|total|samples?)_count|.*perplexity.*|.*agreement"
    r"|n(um)?_(samples|questions|correct|total)|total(_\w+)?",
    re.IGNORECASE,
)
_NAMES = frozenset({"alias", "name", "model", "dataset", "metric", "task", "split"})
# What items have, whatever its value, and as texts.
_ITEM = frozenset(
    {"id", "prompt", "question", "input", "output", "answer", "generations", "prediction", "response", "text"}
) | {"correct"}
_TEXTS_OF_AN_ITEM = frozenset({*NAMES["prompt"], *NAMES["answer"], *NAMES["output"]})
_PARTS = WORDS["benchmarks"] | {
    "task",
    "tasks",
    "taskname",
    "name",
    "eval",
    "evaluation",
    "subject",
    "subset",
    "category",
    "",
}
_SHORT, _MOST_PARTS, _LIMITS = 200, 100, 3
# So many keys that differ in their numbers alone are those of items: “q1”, “q2” …
_FEWEST_NUMBERED = 6
_DIGITS = re.compile(r"\d+")


def by_path(value: Mapping[str, Any], outer: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield what an object holds, by the keys that lead there."""
    for key, one in value.items():
        if isinstance(one, dict) and one:
            yield from by_path(one, (*outer, key))
        else:
            yield (*outer, key), one


def are_of_models(rows: Sequence[Row]) -> bool:
    """Whether rows have the name of a model each, and besides nothing but numbers and at most two other names.

    Beside a metric that is a mean of many items, there may be more.
    """
    header = _header(rows)
    named = next((path for path in header if plain_key(path[-1]) in _MODELS), None)
    named = named or next((path for path in header if _are_families([row.get(path) for row in rows])), None)
    if len(rows) < 2 or named is None or {_lower(path) for path in header} & _ITEM:
        return False
    numbers = [path for path in header if all(_is_number(row.get(path)) for row in rows)]
    names = [row.get(named) for row in rows]
    distinct = all(isinstance(one, str) for one in names) and len(set(names)) == len(names)
    # A benchmark may be called anything; what a model has of one item is 0 or 1.
    means = any(_is_mean(row.get(path)) for path in numbers for row in rows)
    metrics = [path for path in numbers if _METRIC.fullmatch(path[-1])]
    measured = bool(metrics) or (means and len(numbers) == len(header) - 1)
    is_board = any(_is_mean(row.get(path)) for path in metrics for row in rows) and not any(map(_has_an_item, rows))
    return distinct and measured and named not in numbers and (is_board or len(numbers) >= len(header) - 3)


def are_of_benchmarks(rows: Sequence[Row]) -> bool:
    """Whether rows have a benchmark each, or a part of one with the number of its items, and else numbers alone.

    A row may name its model, metric and split, too.
    """
    header = _header(rows)
    plain = {path: plain_key(path[-1]) for path in header}
    counts = [path for path in header if plain[path] in WORDS["counts"] or _counts_right(rows, path)]
    if not rows or (set(map(_lower, header)) & _ITEM) - {"id", *map(_lower, counts)}:
        return False
    several = any((number(row.get(path)) or 0) > 1 for path in counts for row in rows)
    for named in [path for path in header if plain[path] in _PARTS]:
        beside = [
            path for path in header if plain[path] in _MODELS | _METRIC_COLUMNS | WORDS["of-parts"] and path != named
        ]
        measured = [path for path in header if path not in (named, *beside, *counts) and plain[path] != "id"]
        keys = {tuple(str(row.get(path)) for path in (named, *beside)) for row in rows}
        cells = [row.get(path) for path in (*measured, *counts) for row in rows]
        known = plain[named] in WORDS["benchmarks"] or are_benchmarks({str(row.get(named)) for row in rows})
        means = any(_is_mean(row.get(path)) for path in measured for row in rows)
        if measured and means and len(keys) == len(rows) and all(map(_is_number, cells)) and (known or several):
            return True
    return False


def are_of_runs(rows: Sequence[Row]) -> bool:
    """Whether rows have the number or the name of a run each, and besides nothing but means and sums of many items."""
    header = _header(rows)
    named = [path for path in header if _names_a_whole_run(path[-1])]
    plain = {path: plain_key(path[-1]) for path in header}
    facts = [path for path in header if path not in named and plain[path] in _PARTS | _MODELS | WORDS["of-parts"]]
    measured = [path for path in header if path not in named and path not in facts]
    counted = [path for path in measured if plain[path] in WORDS["counts"] or _counts_right(rows, path)]
    several = any((number(row.get(path)) or 0) > 1 for path in counted for row in rows)
    # Beside the number of its items, a run may have other numbers, such as its cost.
    are_metrics = several or all(_METRIC.fullmatch(path[-1]) for path in measured)
    keys = {tuple(str(row.get(path)) for path in (*named, *facts)) for row in rows}
    metrics = [path for path in measured if _METRIC.fullmatch(path[-1]) or (several and plain[path] in NAMES["score"])]
    is_measured = len(counted) > 1 or any(_is_mean(row.get(path)) for path in metrics for row in rows)
    cells = [row.get(path) for path in measured for row in rows]
    return bool(named) and is_measured and are_metrics and len(keys) == len(rows) and all(map(_is_number, cells))


def _names_a_whole_run(name: str) -> bool:
    words = {*words_of(name)[-1]}
    return words <= WORDS["whole-runs"] | WORDS["naming"] and not words <= WORDS["naming"]


def holds_benchmarks(row: Row) -> bool:
    """Whether an object holds a list of parts with totals each, and besides names and numbers alone."""
    lists = {path: objects_in(one) for path, one in row.items() if isinstance(one, list)}
    parts = [[dict(by_path(one)) for one in some] for some in lists.values()]
    rest = {path: one for path, one in row.items() if path not in lists}
    of_no_item = all(map(_is_plain, rest.values())) and not _has_an_item(rest)
    return bool(parts) and all(some and are_of_benchmarks(some) for some in parts) and of_no_item


def are_of_metrics(rows: Sequence[Row]) -> bool:
    """Whether rows have the name of a metric each, and besides nothing but numbers."""
    header = _header(rows)
    named = next((path for path in header if plain_key(path[-1]) in _METRIC_COLUMNS), None)
    names = [row.get(named) for row in rows] if named is not None else []
    others = [row.get(path) for path in header if path != named for row in rows]
    return len(header) > 1 and 0 < len(names) == len(set(map(str, names))) and all(map(_is_number, others))


def is_of_metrics(row: Row, is_alone: bool = True) -> bool:
    """Whether an object has numbers of many items, and names, but nothing of a single item.

    One that is not alone in its file or zip may be an item of many, and has to name a metric or a benchmark.
    """
    outer = Counter(path[0] for path in row)
    parts = {path[0] for path in row if len(path) > 1}
    if len(parts) > _MOST_PARTS or _has_an_item(row) or not all(map(_is_plain, row.values())):
        return False
    numbers = [path for path, one in row.items() if isinstance(one, (int, float, str)) and number(one) is not None]
    known = any(_METRIC.fullmatch(path[-1]) or are_benchmarks(path[-2:]) for path in numbers)
    # One record a key is a file of items, unless it says metrics.
    if min(map(len, row), default=0) > 1 and len(outer) > 1:
        metrics = [path for path in numbers if _METRIC.fullmatch(path[-1])]
        # “q1”, “q2” … whose accuracy is 0 or 1 are items.
        known = any(_is_mean(row[path]) for path in metrics) if _are_numbered(metrics) else known
        return known and not any(isinstance(one, str) and _lower(path) not in _NAMES for path, one in row.items())
    return known or (is_alone and any(_is_mean(row[path]) for path in numbers) and not _are_numbered(numbers))


def _are_families(names: Sequence[Any]) -> bool:
    return all(isinstance(one, str) and len(one) < _SHORT and is_of_family(one) for one in names)


def _counts_right(rows: Sequence[Row], path: Path) -> bool:
    """Whether a column such as “correct” counts, and is no verdict on one item."""
    numbers = [number(row.get(path)) for row in rows]
    return plain_key(path[-1]) in WORDS["rights"] and None not in numbers and max(filter(None, numbers), default=0) > 1


def _header(rows: Sequence[Row]) -> list[Path]:
    return list(dict.fromkeys(chain.from_iterable(rows)))


def _lower(path: Path) -> str:
    return path[-1].strip().lower()


def _is_mean(value: Any) -> bool:
    """Whether this is a number that one item has in no score: neither 0 nor 1."""
    return number(value) not in (None, 0, 1)


def _has_an_item(row: Row) -> bool:
    return any(
        _lower(path) in _ITEM
        or (isinstance(one, str) and (plain_key(path[-1]) in _TEXTS_OF_AN_ITEM or one.rstrip().endswith(("?", "？"))))
        for path, one in row.items()
    )


def _are_numbered(paths: Sequence[Path]) -> bool:
    """Whether many paths differ in their numbers alone."""
    alike = Counter(tuple(_DIGITS.sub("0", key) for key in path) for path in paths)
    return max(alike.values(), default=0) >= _FEWEST_NUMBERED


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return _NUMBER.fullmatch(value.strip()) is not None
    return value is None or isinstance(value, (int, float))


def _is_plain(value: Any) -> bool:
    """Whether this is a number, a short text, or the limits of an interval."""
    if isinstance(value, (list, dict)):
        return len(value) <= _LIMITS and all(type(one) in (int, float) for one in value)
    return _is_number(value) or len(value) <= _SHORT


# The numbers of a table's items, column by column, and whether a row below them sums these up.

# So many texts of a column at most are models, each of which has several rows.
_MOST_MODELS, _SEVERAL = 200, 3
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
        if not self._names.isdisjoint(others) and any(is_sum(name) and name not in self._names for name in others):
            return not any(name in row for name in self.worded)
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
                if len(texts) <= _MOST_MODELS:
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


class Stated(NamedTuple):
    """A share of right answers that a file states beside its list of items, and of how many items; None if of neither.

    ``metric`` is its name there, ``digits`` are the decimals that it has as a share.
    """

    metric: str = ""
    share: float | None = None
    digits: int = 4
    size: int | None = None

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Stated:
        """Read the totals around the list of items in an object, not those of parts of it."""
        numbers = dict[str, Any]()
        level: Mapping[str, Any] | None = value
        while level is not None:
            held = {key: one for key, one in level.items() if isinstance(one, dict)}
            sides = [one for key, one in held.items() if plain_key(key) in WORDS["summaries"] and not _holds_list(one)]
            for side in (level, *sides):
                numbers |= {plain_key(key): one for key, one in side.items() if type(one) in (int, float)} | numbers
            inner = [one for one in held.values() if _holds_list(one)]
            level = inner[0] if len(inner) == 1 else None
        size = next((one for key, one in numbers.items() if key in WORDS["counts"] and type(one) is int), None)
        right = next((one for key, one in numbers.items() if key in WORDS["rights"] and type(one) is int), None)
        for key, one in numbers.items():
            if key in WORDS["shares"] and 0 <= one <= 100:
                decimals = len(repr(one).partition(".")[2])
                in_per_cent = one > 1
                return cls(key, one / 100 if in_per_cent else one, decimals + 2 * in_per_cent, size)
        if size and right is not None and 0 <= right <= size:
            return cls("accuracy", right / size, 4, size)
        return cls(size=size)


def _holds_list(value: Mapping[str, Any]) -> bool:
    """Whether an object, or one within it, holds a list of objects."""
    return any(bool(objects_in(one)) or (isinstance(one, dict) and _holds_list(one)) for one in value.values())
