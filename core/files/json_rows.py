"""JSON as rows: one value a line, the elements of an array, or objects one after another.

Whatever is wrong with a row stands in its place, as a `core.files.jsontext.BadJson`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .jsontext import BadJson, NotJson, StrictDecoder
from .open import MAX_ARRAY, MAX_BYTES, UTF8_BOM, Source, too_large
from .progress import Position

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
