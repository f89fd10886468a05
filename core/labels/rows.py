"""Tables of labels as texts, which is how labels are read, counted and kept.

A number or a truth value becomes the text that JSON has for it, so that a label is the same label whichever tool it
comes from. Rows with anything else are listed in an error.
"""

from __future__ import annotations

import gc
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd

from ..errors import LabelError
from ..pool.pool import Pool
from ..pool.problems import shown

# The status of a row that withdraws the label before it.
WITHDRAWN = "withdrawn"
_COLUMNS = ("item_id", "label", "annotator", "plan_id", "note", "status", "target", "source", "kind")
_TEXTS = frozenset({str, type(None)})
_LISTED = 5
_WITH_FRACTION = re.compile(r"[0-9]+\.0+")


class Several(str):
    """Two or more answers to a question that takes one, joined for display."""

    __slots__ = ()


@contextmanager
def without_collection() -> Iterator[None]:
    """Pause Python's search for reference cycles while many records are made.

    Records have no cycles, and searching 100,000 of them again and again takes longer than reading them.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def label_text(value: Any) -> str | None:
    """Return a label as text, None for nothing.

    Numbers and truth values become what JSON writes for them, a list of one entry becomes that entry, a longer list a
    `Several`.
    """
    if type(value) is str:
        return None if not value or value.isspace() else text_of(value)
    if isinstance(value, list):
        entries = [text for text in map(label_text, value) if text is not None]
        return Several(" | ".join(entries)) if len(entries) > 1 else (entries[0] if entries else None)
    if isinstance(value, dict):
        return label_text(value["value"]) if "value" in value else text_of(json.dumps(value, ensure_ascii=False))
    text = text_of(value)
    return None if text is None or not text.strip() else text


def text_of(value: Any) -> str | None:
    """Return a value as text, None for nothing; whole numbers have no fraction, lone surrogates become “?”."""
    if type(value) is str:
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    text = value if isinstance(value, str) else str(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def id_text(value: Any) -> str | None:
    """Return an item's id as text, None if it is neither text nor a finite number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else text_of(value)


def id_problem(value: Any) -> str | None:
    """Return why a value is no item's id, None if it is one."""
    if isinstance(value, str) and not _are_ids([value]):
        return "`item_id` contains half of a surrogate pair."
    return "`item_id` must be text or a number." if id_text(value) is None else None


def spelled(rows: pd.DataFrame, pool: Pool) -> pd.DataFrame:
    """Give ids that the pool writes in another form of Unicode (é as one character or two) the pool's spelling.

    So have whole numbers that a program wrote with a fraction, “7.0” of item “7”, and ids with other blanks at their
    ends, if only one item has them without blanks.
    """
    ids = _with_the_blanks_of(rows["item_id"], pool)
    rows = rows if ids is rows["item_id"] else rows.assign(item_id=ids)
    decimal = ids[[_WITH_FRACTION.fullmatch(text) is not None for text in ids]]
    whole = decimal.str.partition(".")[0] if len(decimal) else decimal
    mended = whole[(pool.places(decimal) < 0) & (pool.places(whole) >= 0)] if len(decimal) else decimal
    if len(mended):
        ids = ids.where(~ids.index.isin(mended.index), mended)
        rows = rows.assign(item_id=ids)
    strange = ids[[not text.isascii() for text in ids]]
    lacking = strange[pool.places(strange) < 0] if len(strange) else strange
    if lacking.empty:
        return rows
    known = {normalize("NFC", text): text for text in pool.ids if not text.isascii()}
    return rows.assign(item_id=ids.where(~ids.index.isin(lacking.index), [_as_in(known, text) for text in ids]))


def _with_the_blanks_of(ids: pd.Series, pool: Pool) -> pd.Series:
    """Return ids with the blanks at their ends that the pool's have."""
    lacking = ids[pool.places(ids) < 0] if len(ids) else ids
    if lacking.empty:
        return ids
    bare = [text.strip() for text in lacking]
    wanted, known = set(bare), dict[str, list[str]]()
    for text in pool.ids:
        if text.strip() in wanted:
            known.setdefault(text.strip(), []).append(str(text))
    found = {
        place: known[text][0] for place, text in zip(lacking.index, bare, strict=True) if len(known.get(text, ())) == 1
    }
    if not found:
        return ids
    return pd.Series([found.get(place, text) for place, text in ids.items()], index=ids.index, dtype=object)


def _as_in(known: Mapping[str, str], text: str) -> str:
    return text if text.isascii() else known.get(normalize("NFC", text), text)


def as_texts(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the table with text or None in each column of labels: ``rows`` itself if it is so already.

    Raises
    ------
    LabelError
        If the columns item_id or label are missing, a column stands there twice, a row has no id, or a value is neither
        text nor a number nor a truth value (the rows are listed).
    """
    _check_columns(rows)
    problems: dict[int, str] = {}
    columns: dict[str, list[str | None]] = {}
    for name in _COLUMNS:
        if name not in rows.columns:
            continue
        values = rows[name].tolist()
        if set(map(type, values)) <= _TEXTS and (name != "item_id" or _are_ids(values)):
            continue
        columns[name] = []
        for place, value in enumerate(map(_plain, values)):
            problem = _problem(name, value)
            if problem is not None:
                problems.setdefault(place, problem)
            columns[name].append(value if isinstance(value, str) else None if problem else text_of(value))
    if problems:
        numbers = row_numbers(rows)
        listed = problem_list([(numbers[place] or place + 1, problem) for place, problem in sorted(problems.items())])
        raise LabelError(f"{listed} No label was taken from this table.")
    texts = {name: pd.Series(values, index=rows.index, dtype=object) for name, values in columns.items()}
    return rows.assign(**texts) if texts else rows


def problem_list(problems: Sequence[tuple[int, str]]) -> str:
    """Return “Row 2: … Row 3: …” for the number and problem of each row, the first five of them."""
    listed = " ".join(f"Row {row:,}: {problem}" for row, problem in problems[:_LISTED])
    rest = len(problems) - _LISTED
    return listed if rest < 1 else f"{listed} {rest:,} more {'row has' if rest == 1 else 'rows have'} such a problem."


def ids_as_texts(ids: Iterable[Any]) -> list[str]:
    """Return the ids of items as texts.

    Raises
    ------
    LabelError
        If an id is neither text nor a number.
    """
    given = list(ids)
    if set(map(type, given)) <= {str}:
        return given
    given = [_plain(value) for value in given]
    texts = [id_text(value) for value in given]
    if None in texts:
        place = texts.index(None)
        raise LabelError(f"Item id {place + 1:,} must be text or a number. Found {shown(str(given[place]), 30)}.")
    return [str(item) for item in texts]


def column(rows: pd.DataFrame, name: str) -> list[Any]:
    """Return a column of texts, with None for missing values, or for all if the column is missing."""
    if name not in rows.columns:
        return [None] * len(rows)
    return [None if value is None or value != value else value for value in rows[name].tolist()]


def row_numbers(rows: pd.DataFrame) -> list[int]:
    """Return the number of each row in its file, 0 for a row that comes from no file."""
    values = rows["row"].tolist() if "row" in rows.columns else [0] * len(rows)
    if set(map(type, values)) <= {int}:
        return values
    plain = map(_plain, values)
    return [int(number) if isinstance(number, int | float) and math.isfinite(number) else 0 for number in plain]


def named_rows(rows: Iterable[int]) -> str:
    """Return “row 3” or “rows 2–5, 7”: numbers with runs of three or more as their ends."""
    numbers = sorted({*rows})
    runs: list[list[int]] = []
    for row in numbers:
        if runs and row == runs[-1][-1] + 1:
            runs[-1].append(row)
        else:
            runs.append([row])
    ends = [[f"{run[0]:,}–{run[-1]:,}"] if len(run) > 2 else [f"{one:,}" for one in run] for run in runs]
    return f"row{'' if len(numbers) == 1 else 's'} {', '.join(text for run in ends for text in run)}"


def _check_columns(rows: pd.DataFrame) -> None:
    names = list(rows.columns)
    missing = [name for name in ("item_id", "label") if name not in names]
    if missing and len(rows):
        listed = ", ".join(shown(str(name), 30) for name in names[:8]) or "no columns"
        expected = " and ".join(f"`{name}`" for name in missing)
        raise LabelError(f"The table of labels has no column {expected}. It has {listed}.")
    twice = [name for name in _COLUMNS if names.count(name) > 1]
    if twice:
        raise LabelError(f"The table of labels has two columns `{twice[0]}`: remove one of them.")


def _are_ids(values: Sequence[str | None]) -> bool:
    """Whether no id is missing, and all can be stored as UTF-8."""
    try:
        "".join(value for value in values if value is not None).encode()
    except UnicodeEncodeError:
        return False
    return None not in values


def _plain(value: Any) -> Any:
    """Return a value without the types of NumPy and pandas, None for nothing."""
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    return None if value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value) else value


def _problem(name: str, value: Any) -> str | None:
    """Return why a value of this column is not text, None if it is."""
    if value is None:
        return "`item_id` is missing." if name == "item_id" else None
    problem = id_problem(value) if name == "item_id" else None
    if problem is None and isinstance(value, str | bool | int | float):
        return None
    given = "" if isinstance(value, str) else f" Found {shown(str(value), 30)}."
    return f"{problem or f'`{name}` must be text or a number.'}{given}"
