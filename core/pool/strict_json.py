"""JSON from outside, read strictly: by pools and labels alike, and what is wrong with a record is a ``BadJson``.

A record is refused where Python's own decoder would change it without a word or might never end: an object that names a
key twice, numbers that are not finite or that no float holds, nesting deeper than ``MAX_DEPTH``, more values than a
stated number. Depth and number of values are counted before anything is parsed: a few bytes of text may become a
hundred in memory.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np

from core.pool.problems import shown

MAX_DEPTH = 100
MAX_VALUES = 1_000_000
_EXACT = 2.0**53
# A string may lack its end, so that a text of nothing but quotes is passed over once.
_STRINGS = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_BLANK = re.compile(r"[ \t\n\r]*")


class BadJson(Exception):
    """A record that is refused.

    Parameters
    ----------
    message : str
        What is wrong, as a sentence that begins in lower case.
    remedy : str
        What to do; "" where it is plain.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class NotJson(BadJson):
    """A text that is no JSON at all, or more than one value."""


def decode(text: str, most: int = MAX_VALUES) -> Any:
    """Decode a record.

    Parameters
    ----------
    text : str
        One JSON value.
    most : int, default 1,000,000
        Most values that it may hold.

    Returns
    -------
    Any
        The value.

    Raises
    ------
    BadJson
        With the first fault.
    """
    check_values(text, most)
    _check_depth(text)
    decoder = _Decoder()
    value, end = decoder.read(text, _after_blank(text, 0))
    if decoder.fault is not None:
        raise decoder.fault
    end = _after_blank(text, end)
    if end < len(text):
        raise _not_json("Extra data", end)
    return value


def elements(text: str, most: int) -> Iterator[tuple[int, int, Any]]:
    """Decode the elements of an array one by one, so that a fault in one of them leaves the others.

    Parameters
    ----------
    text : str
        A JSON array.
    most : int
        Most values that all elements may hold together.

    Yields
    ------
    tuple
        Place of the element from 1, number of its characters, and the element: a `BadJson` for one that is refused.

    Raises
    ------
    BadJson
        The text is no array, ends early, or is too large; no element follows.
    """
    check_values(text, most)
    _check_depth(text)
    position = _after_blank(text, 0)
    if not text.startswith("[", position):
        raise NotJson("the JSON is not an array of objects.")
    decoder, row = _Decoder(), 0
    position = _after_blank(text, position + 1)
    closed = text.startswith("]", position)
    while not closed:
        start, row = position, row + 1
        value, position = decoder.read(text, position)
        yield row, position - start, value if decoder.fault is None else decoder.fault
        position = _after_blank(text, position)
        closed = text.startswith("]", position)
        if not closed:
            if not text.startswith(",", position):
                raise _not_json("Expecting ',' delimiter", position)
            position = _after_blank(text, position + 1)
    position = _after_blank(text, position + 1)
    if position < len(text):
        raise _not_json("Extra data", position)


def check_values(text: str, most: int) -> None:
    """Refuse JSON, one value or several, that holds too many values, before any of it is parsed.

    Raises
    ------
    BadJson
        It does.
    """
    if text.count("[") + text.count("{") + text.count(",") > most:
        bare = _without_strings(text)
        if bare.count(b"[") + bare.count(b"{") + bare.count(b",") > most:
            raise BadJson(f"this holds more than {most:,} values.", "Leave out what Neyman does not read, or split it.")


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    signs = np.frombuffer(_without_strings(text).translate(None, _NOT_BRACKETS), dtype=np.uint8)
    steps = np.where((signs == ord("[")) | (signs == ord("{")), np.int8(1), np.int8(-1))
    if np.cumsum(steps, dtype=np.int32).max(initial=0) > MAX_DEPTH:
        raise BadJson(f"this is nested too deeply (more than {MAX_DEPTH} levels).", "Flatten it or leave it out.")


def _without_strings(text: str) -> bytes:
    """Return JSON without its texts, whose brackets and commas do not count."""
    return _STRINGS.sub("", text).encode("utf-8", "surrogatepass")


class _Decoder:
    """Reads one value after another; ``fault`` is the first thing wrong with the last, which is read to its end."""

    def __init__(self) -> None:
        self.fault: BadJson | None = None
        self._scan = json.JSONDecoder(
            object_pairs_hook=self._object, parse_float=self._float, parse_int=self._whole, parse_constant=self._constant
        ).raw_decode

    def read(self, text: str, position: int) -> tuple[Any, int]:
        """Return the value at ``position`` and where it ends; raises `BadJson` where no value is."""
        self.fault = None
        try:
            return self._scan(text, position)
        except json.JSONDecodeError as error:
            raise _not_json(error.msg, error.pos) from None

    def _refuse(self, message: str, remedy: str) -> None:
        self.fault = self.fault or BadJson(message, remedy)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            self._refuse(f"the key {shown(twice)} appears twice in one object.", "Keep one of them.")
        return record

    def _whole(self, text: str) -> int:
        try:
            return int(text)
        except ValueError:
            self._refuse("a number has too many digits.", "Write it in quotes if it is a text.")
            return 0

    def _float(self, text: str) -> float:
        value = float(text)
        if (-_EXACT < value < _EXACT and value) or _represents(value, text):
            return value
        self._refuse(f"the number {shown(text, 30)} cannot be represented.", "Write it in quotes if it is a text.")
        return 0.0

    def _constant(self, name: str) -> float:
        self._refuse(f"{name} is no number of JSON.", "Write null where a number is unknown.")
        return 0.0


def _represents(value: float, text: str) -> bool:
    """Whether a float says what the text says: neither without end, nor 0 for something else, nor without its digits."""
    if not math.isfinite(value):
        return False
    return not text.lower().partition("e")[0].strip("-0.") if value == 0 else Decimal(text) == Decimal(repr(value))


def _not_json(reason: str, position: int) -> NotJson:
    return NotJson(f"this is not JSON ({reason}, character {position + 1:,}).")


def _after_blank(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position
