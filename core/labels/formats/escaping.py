"""Cells of a list that a spreadsheet would run as a formula or turn into another value, out and back.

An apostrophe in front keeps a text unchanged in every spreadsheet, and `unescape` removes it.
"""

from __future__ import annotations

import json
import re
from itertools import dropwhile
from typing import Any
from unicodedata import category, normalize

import pandas as pd

# Spreadsheets run a cell as a formula when its first visible character is one of these, in whichever width or size.
_FORMULA = frozenset("=+-@")
# A spreadsheet shows such a number as it is.
_NEGATIVE = re.compile(r"-[1-9][0-9]{0,14}")
# Categories of Unicode that show nothing: controls, formats, spaces, marks; and the letters that show nothing.
_INVISIBLE = frozenset({"Cc", "Cf", "Cn", "Co", "Mc", "Me", "Mn", "Zl", "Zp", "Zs"})
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# Numbers that a spreadsheet leaves unchanged in CSV.
_WHOLE = re.compile(r"0|[1-9][0-9]{0,14}")
_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
# Texts that it turns into numbers, dates or times, and writes differently: 0012, 1e5, 1/2, 3-4, Mar 1.
_NUMBER = re.compile(r"(?!e)[\s\d.,:/%$€£¥()e+-]+(?:[ap]m?)?", re.IGNORECASE)
_DATE = re.compile(rf"(?:\d+[\s.,/-]*)?(?:{_MONTH})[\s\d.,/-]*", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_LONE = re.compile("[\ud800-\udfff]")
# Characters that are lost when a spreadsheet saves CSV again.
_LOST = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


def escape(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula; `unescape` removes it."""
    if _NEGATIVE.fullmatch(text):
        return text
    return "'" + text if _is_formula(text) or (text.startswith("'") and _is_retyped(text)) else text


def keep(text: str) -> str:
    """Put an apostrophe also before a text of which a spreadsheet that opens CSV would make a number or a date."""
    return "'" + text if _is_formula(text) or _is_retyped(text) else text


def unescape(text: str) -> str:
    """Return the text that `escape` or `keep` was given."""
    return text[1:] if text.startswith("'") and (_is_formula(text[1:]) or _is_retyped(text[1:])) else text


def keep_id(text: str) -> str:
    """Return an id for a cell of CSV: of `keep`, or as JSON text if a spreadsheet would lose part of it."""
    return json.dumps(text) if text.startswith('"') or _LOST.search(text) else keep(text)


def item_id(text: str) -> str:
    """Return the id in a cell without its apostrophe: JSON text is decoded."""
    if not text.startswith('"'):
        return text
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError):
        return text
    # No pool has an id with half of a surrogate pair.
    return decoded if isinstance(decoded, str) and _LONE.search(decoded) is None else text


def plain(value: Any) -> Any:
    """Return a cell of a frame as text, number, list or None."""
    if isinstance(value, str) or value is None:
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return list(value)
    return None if pd.isna(value) else value


def _is_formula(text: str) -> bool:
    """Whether a spreadsheet takes a cell for a formula, apostrophes in front aside: escaping twice loses nothing."""
    bare = text.lstrip("'")
    if bare.startswith(("\t", "\r")):
        return True
    visible = next(dropwhile(_is_invisible, bare), "")
    return not _FORMULA.isdisjoint(normalize("NFKC", visible))


def _is_invisible(char: str) -> bool:
    return category(char) in _INVISIBLE or char in _BLANK_LETTERS


def _is_retyped(text: str) -> bool:
    """Whether a spreadsheet that opens CSV changes a cell, apostrophes in front aside."""
    bare = text.lstrip("'")
    if bare.casefold() in ("true", "false"):
        return True
    if _DIGIT.search(bare) is None or _WHOLE.fullmatch(bare):
        return False
    return _NUMBER.fullmatch(bare) is not None or _DATE.fullmatch(bare) is not None
