"""Texts that a spreadsheet would run as a formula, and values as plain Python."""

from __future__ import annotations

from typing import Any

import pandas as pd

# Spreadsheets run a cell as a formula when its first visible character is one of these (full-width forms included).
_FORMULA = "=+-@\t\r＝＋－＠"
_INVISIBLE = "".join(map(chr, range(33))) + "\u00a0\u200b\ufeff"


def escape(text: str) -> str:
    """``text`` with an apostrophe before it where a spreadsheet would take it for a formula; `unescape` inverts it."""
    return "'" + text if _is_formula(text) else text


def unescape(text: str) -> str:
    """The text that `escape` was given."""
    return text[1:] if text.startswith("'") and _is_formula(text[1:]) else text


def plain(value: Any) -> Any:
    """A cell of a frame as text, number, list or None."""
    if isinstance(value, str) or value is None:
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return list(value)
    return None if pd.isna(value) else value


def _is_formula(text: str) -> bool:
    """Whether a cell needs an apostrophe; apostrophes already there are escaped once more, so that nothing is lost."""
    bare = text.lstrip("'")
    if bare and bare[0] in _FORMULA:
        return True
    visible = bare.lstrip(_INVISIBLE)
    return bool(visible) and visible[0] in _FORMULA
