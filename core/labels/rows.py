"""A table of labels as texts, which is how labels are read, counted and kept.

A number or a truth value becomes the text that JSON has for it, so that a label is the same label on every way it
comes. What is neither text nor number is told with its rows.
"""

from __future__ import annotations

import gc
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from core.errors import LabelError
from core.pool.problems import shown

# A row of this status takes back what held before, and holds no more.
WITHDRAWN = "withdrawn"
_COLUMNS = ("item_id", "label", "annotator", "plan_id", "note", "status", "target", "source", "kind")
_TEXTS = frozenset({str, type(None)})
_TOLD = 5


class Several(str):
    """Two answers or more where one was asked for, joined for display."""

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
    """A label as text: numbers and truth values as JSON writes them, a list of one as its entry; None for nothing."""
    if type(value) is str:
        return None if not value or value.isspace() else text_of(value)
    if isinstance(value, list):
        entries = [text for text in map(label_text, value) if text is not None]
        return Several(" | ".join(entries)) if len(entries) > 1 else (entries[0] if entries else None)
    if isinstance(value, dict):
        return label_text(value["value"]) if "value" in value else json.dumps(value, ensure_ascii=False)
    text = text_of(value)
    return None if text is None or not text.strip() else text


def text_of(value: Any) -> str | None:
    """A value as text, None for nothing; whole numbers without a fraction, lone surrogates replaced."""
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
    """An item's id as text, None where it is neither text nor a finite number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else text_of(value)


def as_texts(rows: pd.DataFrame) -> pd.DataFrame:
    """The table with text or None in its columns of labels: ``rows`` itself where nothing else is in them.

    Raises
    ------
    LabelError : there is no column item_id or label, or two of one name; rows without an id; values that are neither
        text nor numbers nor truth values (all rows are told).
    """
    _check_columns(rows)
    problems: dict[int, str] = {}
    changed: dict[str, list[str | None]] = {}
    for name in _COLUMNS:
        if name not in rows.columns:
            continue
        values = rows[name].tolist()
        if set(map(type, values)) <= _TEXTS and (name != "item_id" or _are_ids(values)):
            continue
        changed[name] = []
        for place, value in enumerate(map(_plain, values)):
            problem = _problem(name, value)
            if problem is not None:
                problems.setdefault(place, problem)
            changed[name].append(value if isinstance(value, str) else None if problem else text_of(value))
    if problems:
        raise LabelError(_told(problems, row_numbers(rows)))
    made = {name: pd.Series(values, index=rows.index, dtype=object) for name, values in changed.items()}
    return rows.assign(**made) if made else rows


def ids_as_texts(ids: Iterable[Any]) -> list[str]:
    """Ids of items as texts.

    Raises
    ------
    LabelError : some are neither text nor numbers.
    """
    given = list(ids)
    if set(map(type, given)) <= {str}:
        return given
    given = [_plain(value) for value in given]
    found = [value if type(value) is str else id_text(value) for value in given]
    if None in found:
        place = found.index(None)
        raise LabelError(
            f"Id {place + 1:,} of the list is no text ({shown(str(given[place]), 30)}): give the items' ids."
        )
    return [str(item) for item in found]


def column(rows: pd.DataFrame, name: str) -> list[Any]:
    """A column of texts; None where it is missing or empty."""
    if name not in rows.columns:
        return [None] * len(rows)
    return [None if value is None or value != value else value for value in rows[name].tolist()]


def row_numbers(rows: pd.DataFrame) -> list[int]:
    """The number of each row in its file; 0 where it came from none."""
    values = rows["row"].tolist() if "row" in rows.columns else [0] * len(rows)
    if set(map(type, values)) <= {int}:
        return values
    plain = map(_plain, values)
    return [int(number) if isinstance(number, int | float) and math.isfinite(number) else 0 for number in plain]


def _check_columns(rows: pd.DataFrame) -> None:
    names = list(rows.columns)
    lacking = [name for name in ("item_id", "label") if name not in names]
    if lacking and len(rows):
        told = ", ".join(shown(str(name), 30) for name in names[:8]) or "none"
        wanted = " and ".join(f"“{name}”" for name in lacking)
        raise LabelError(f"The table of labels has no column {wanted} (it has {told}): name its columns so.")
    twice = [name for name in _COLUMNS if names.count(name) > 1]
    if twice:
        raise LabelError(f"The table of labels has two columns “{twice[0]}”: leave one of them out.")


def _are_ids(values: Sequence[str | None]) -> bool:
    """Whether all of these texts can be kept, and none is missing."""
    try:
        "".join(value for value in values if value is not None).encode()
    except UnicodeEncodeError:
        return False
    return None not in values


def _plain(value: Any) -> Any:
    """A value without NumPy's and pandas' types; None for nothing."""
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    return None if value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value) else value


def _problem(name: str, value: Any) -> str | None:
    """Why a value of this column is no text; None where it is one."""
    if value is None:
        return "there is no item_id" if name == "item_id" else None
    if name == "item_id" and isinstance(value, str) and not _are_ids([value]):
        return "item_id holds half a surrogate pair"
    fits = id_text(value) is not None if name == "item_id" else isinstance(value, str | bool | int | float)
    return None if fits else f"{name} is neither text nor a number ({shown(str(value), 30)})"


def _told(problems: dict[int, str], numbers: Sequence[int]) -> str:
    where = [(numbers[place] or place + 1, problem) for place, problem in sorted(problems.items())]
    told = "; ".join(f"row {row:,}: {problem}" for row, problem in where[:_TOLD])
    more = f" ({len(where) - _TOLD:,} more rows like these)" if len(where) > _TOLD else ""
    return f"These labels cannot be taken: {told}{more}. Nothing was kept: give ids and labels as texts or numbers."
