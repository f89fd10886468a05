"""JSON from outside, read strictly, and as rows: what is wrong with a record is a ``BadJson``.

A record is refused if Python's own decoder would change it without a word or might never end: an object that names a
key twice, numbers that are not finite or that no float holds, nesting deeper than ``MAX_DEPTH``, more values than a
stated number. Depth and number of values are counted before anything is parsed: a few bytes of text may become a
hundred in memory.

Whatever is wrong with a row stands in its place, as a `core.files.jsontext.BadJson`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np

from ..words import shown
from .open import MAX_ARRAY, MAX_BYTES, UTF8_BOM, Position, Source, too_large

MAX_DEPTH = 100
MAX_VALUES = 1_000_000
_EXACT = 2.0**53
# A string may lack its end, so that a text of nothing but quotes is passed over once.
_STRINGS = re.compile(r'"[^"]*+"?')
_BYTE_STRINGS = re.compile(rb'"[^"]*+"?')
_NOT_SIGNS = bytes(set(range(256)) - set(b'[]{}"'))
_BLANK = re.compile(r"[ \t\n\r]*")


class BadJson(Exception):
    """A record that is refused.

    Parameters
    ----------
    message : str
        What is wrong, as a sentence that begins in lower case.
    remedy : str
        What to do; "" if it is plain.
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class NotJson(BadJson):
    """A text that is no JSON at all, or more than one value."""


def decode(text: str, most: int = MAX_VALUES) -> Any:
    """Decode one record; as `StrictDecoder.decode`, which is faster for many."""
    return StrictDecoder().decode(text, most)


def check_values(text: str, most: int) -> None:
    """Refuse JSON, one value or several, that holds too many values, before any of it is parsed.

    Raises
    ------
    BadJson
        It does.
    """
    if _signs(text) <= most:
        return
    unescaped = text.replace("\\\\", "").replace('\\"', "")
    if _signs(_STRINGS.sub("", unescaped)) > most:
        raise BadJson(f"this holds more than {most:,} values.", "Leave out what Neyman does not read, or split it.")


def _signs(text: str) -> int:
    """Return how many values a text may hold: each but the first follows a bracket or a comma."""
    return text.count("[") + text.count("{") + text.count(",")


def _check_size(text: str, most: int) -> None:
    # Together they are fewer than the shortest text that breaks a rule.
    if len(text) <= MAX_DEPTH:
        return
    check_values(text, most)
    if text.count("[") + text.count("{") > MAX_DEPTH:
        signs = np.frombuffer(_brackets(text), dtype=np.uint8)
        steps = np.where((signs == ord("[")) | (signs == ord("{")), np.int8(1), np.int8(-1))
        if np.cumsum(steps, dtype=np.int32).max(initial=0) > MAX_DEPTH:
            raise BadJson(f"this is nested too deeply (more than {MAX_DEPTH} levels).", "Flatten it or leave it out.")


def _brackets(text: str) -> bytes:
    """Return the brackets of a JSON text outside its strings; beyond a first backslash outside them, any."""
    data = text.encode("utf-8", "surrogatepass")
    # Escaped backslashes and quotes; then most strings are two quotes, since few hold brackets.
    signs = data.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _NOT_SIGNS).replace(b'""', b"")
    return _BYTE_STRINGS.sub(b"", signs)


class StrictDecoder:
    """Decodes one record after another; not for several threads at a time.

    Parameters
    ----------
    lenient : bool, default False
        For files of tools, which write NaN and digits without meaning: a number that is not finite is read as None, one
        that no float holds as the nearest.
    """

    def __init__(self, lenient: bool = False) -> None:
        self._lenient = lenient
        self._fault: BadJson | None = None
        self._scan = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_float=self._float,
            parse_int=self._whole,
            parse_constant=self._constant,
        ).raw_decode

    def decode(self, text: str, most: int = MAX_VALUES) -> Any:
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
        _check_size(text, most)
        value, end = self._value(text, _after_blank(text, 0))
        if isinstance(value, BadJson):
            raise value
        end = _after_blank(text, end)
        if end < len(text):
            raise _more_than_one(text, end)
        return value

    def several(self, text: str, most: int) -> list[tuple[int, Any]] | None:
        """Decode objects that stand one after another, with blanks, line breaks or commas between them.

        Parameters
        ----------
        text : str
            JSON values without an array around them.
        most : int
            Most values that all objects may hold together.

        Returns
        -------
        list or None
            Number of characters of each object, and the object: a `BadJson` for one that is refused. None if there are
            less than two, or if one of the values is no object.

        Raises
        ------
        BadJson
            A further value is no JSON, or they are too large together.
        """
        _check_size(text, most)
        values, position = list[tuple[int, Any]](), _after_blank(text, 0)
        while position < len(text):
            if not text.startswith("{", position):
                return None
            start = position
            try:
                value, position = self._value(text, start)
            except NotJson as error:
                if not values:
                    return None
                number = len(values) + 1
                raise NotJson(f"several JSON objects stand one after another; of object {number:,}, {error}") from None
            values.append((position - start, value))
            position = _after_blank(text, position)
            if text.startswith(",", position):
                position = _after_blank(text, position + 1)
        return values if len(values) > 1 else None

    def elements(self, text: str, most: int) -> Iterator[tuple[int, int, Any]]:
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
        _check_size(text, most)
        position, row = _after_blank(text, 0), 0
        if not text.startswith("[", position):
            raise NotJson("the JSON is not an array of objects.")
        position = _after_blank(text, position + 1)
        closed = text.startswith("]", position)
        while not closed:
            start, row = position, row + 1
            value, position = self._value(text, position)
            yield row, position - start, value
            position = _after_blank(text, position)
            closed = text.startswith("]", position)
            if not closed:
                if not text.startswith(",", position):
                    raise _not_json("Expecting ',' delimiter", position)
                position = _after_blank(text, position + 1)
        position = _after_blank(text, position + 1)
        if position < len(text):
            raise _more_than_one(text, position)

    def _value(self, text: str, position: int) -> tuple[Any, int]:
        """Return the value at ``position``, or what is wrong with it, and where it ends.

        Raises
        ------
        NotJson
            No value is there.
        """
        self._fault = None
        try:
            value, end = self._scan(text, position)
        except json.JSONDecodeError as error:
            # The line break that a control character is may be the row's own.
            ends = not text[error.pos :].strip()
            cut = ends and error.msg.startswith("Invalid control")
            raise _not_json(_CUT if cut else _ENDS if ends else error.msg, error.pos) from None
        return (value if self._fault is None else self._fault), end

    def _refuse(self, message: str, remedy: str) -> None:
        self._fault = self._fault or BadJson(message, remedy)

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

    def _float(self, text: str) -> float | None:
        value = float(text)
        if (-_EXACT < value < _EXACT and value) or _represents(value, text):
            return value
        if self._lenient:
            return value if math.isfinite(value) else None
        self._refuse(f"the number {shown(text, 30)} cannot be represented.", "Write it in quotes if it is a text.")
        return 0.0

    def _constant(self, name: str) -> float | None:
        if self._lenient:
            return None
        self._refuse(f"{name} is not a JSON number.", "Write null if a number is unknown.")
        return 0.0


def _represents(value: float, text: str) -> bool:
    """Whether a float says what the text says: neither infinite, nor 0 for something else, nor without its digits."""
    if not math.isfinite(value):
        return False
    return not text.lower().partition("e")[0].strip("-0.") if value == 0 else Decimal(text) == Decimal(repr(value))


_CUT, _ENDS = "the row ends inside a text", "the text ends before the value is complete"
# What Python's decoder calls it, and what it is; what is said in quotes stands there already.
_REASONS = {
    "Expecting value": "a value is missing or is not valid JSON",
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing after a key",
    "Expecting property name enclosed in double quotes": "a key is missing or not in double quotes",
    "Illegal trailing comma before end of object": "a comma stands before the closing brace",
    "Illegal trailing comma before end of array": "a comma stands before the closing bracket",
    "Unterminated string starting at": "a text has no closing quote",
    _CUT: "the row ends inside a text: the rest of it is missing",
    _ENDS: "the value is not complete: the rest of it is missing",
    "Invalid control character at": "a text holds a line break or another control character: write it as \\n",
    "Invalid \\escape": "a text holds a backslash that escapes nothing: double it",
    "Invalid \\uXXXX escape": "a text holds \\u without four hexadecimal digits",
    "Extra data": "something follows after the end",
}


def _not_json(reason: str, position: int) -> NotJson:
    known = _REASONS.get(reason.rstrip(": "), "it cannot be read")
    return NotJson(f"this is not JSON: at character {position + 1:,} {known}.")


def _more_than_one(text: str, position: int) -> NotJson:
    """Make the error of a text that goes on at ``position``, behind its value."""
    if text[position] not in "{[":
        return _not_json("Extra data", position)
    message = f"several JSON values stand one after another: at character {position + 1:,} another one begins."
    return NotJson(message, "Write one object a line, or one array of them all.")


def _after_blank(text: str, position: int) -> int:
    if text[position : position + 1] > " ":
        return position
    match = _BLANK.match(text, position)
    return match.end() if match else position


MAX_LINE = 64 * 1024**2
MAX_ARRAY_VALUES = 20_000_000
_UTF8 = "Save the file as UTF-8."


def lines_of(source: Source, decoder: StrictDecoder | None = None) -> Iterator[tuple[int, int, Any]]:
    """Decode the lines that are not blank: row, length in bytes, and value.

    Raises
    ------
    PoolError
        A line or the file is too large, or the file cannot be read.
    """
    decoder, reach = decoder or StrictDecoder(), Position(source.size)
    with source.opened(reports=True) as file:
        row, position = 0, 0
        while line := file.readline(MAX_LINE):
            row += 1
            start, position = position, position + len(line)
            reach(position)
            if len(line) == MAX_LINE or position > MAX_BYTES:
                raise too_large(MAX_LINE if len(line) == MAX_LINE else MAX_BYTES)
            if row == 1 and line.startswith(UTF8_BOM):
                start, line = start + len(UTF8_BOM), line.removeprefix(UTF8_BOM)
            if line.isspace():
                continue
            try:
                value = decoder.decode(decoded(line, start))
            except BadJson as error:
                value = error
            yield row, len(line), value


def several_of(source: Source, decoder: StrictDecoder | None = None) -> list[tuple[int, Any]] | None:
    """Decode objects one after another; None if the first line is a value itself, as in JSON Lines.

    Errors and the list are otherwise those of `StrictDecoder.several`.
    """
    decoder = decoder or StrictDecoder()
    _, _, first = next(lines_of(source, decoder), (0, 0, None))
    if not isinstance(first, NotJson):
        return None
    with source.opened() as file:
        content = file.read(MAX_ARRAY + 1)
    return None if len(content) > MAX_ARRAY else decoder.several(decoded(content), MAX_ARRAY_VALUES)


def records_of(source: Source, decoder: StrictDecoder | None = None) -> Iterator[tuple[int, int, Any]]:
    """Decode the lines that are not blank, or objects one after another: row, size, and value.

    Raises
    ------
    PoolError, BadJson
        As `lines_of` and `several_of`.
    """
    values = several_of(source, decoder)
    if values is None:
        yield from lines_of(source, decoder)
    else:
        yield from ((row, *value) for row, value in enumerate(values, start=1))


def decoded(content: bytes, start: int = 0) -> str:
    """Decode text without a byte order mark, from its place ``start`` in the file; raises `BadJson` at a wrong byte."""
    try:
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise BadJson(f"byte {start + error.start + 1:,} of the file is not UTF-8.", _UTF8) from None
