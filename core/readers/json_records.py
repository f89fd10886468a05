"""JSON of pools: UTF-8, one record or an array of them; whatever is wrong has a sentence and its row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..files.jsontext import BadJson, StrictDecoder
from ..files.open import MAX_ARRAY, MAX_BYTES, UTF8_BOM, Source, too_large
from ..pool.problems import Problems

MAX_LINE = 64 * 1024**2
MAX_ARRAY_VALUES = 20_000_000
EXAMPLE = 'Write one object a line, such as {"id": "q1", "generations": ["A", "B"]}.'
_UTF8 = "Save the file as UTF-8."


def array(content: bytes, problems: Problems, decoder: StrictDecoder | None = None) -> Iterator[tuple[int, int, Any]]:
    """Decode a JSON array element by element: place from 1, number of characters, value.

    Elements that are refused are problems of their rows. If the array cannot be read on, that is the last problem.
    """
    try:
        text = decoded(content)
        del content
        for row, size, value in problems.tally.records((decoder or StrictDecoder()).elements(text, MAX_ARRAY_VALUES)):
            if isinstance(value, BadJson):
                problems.add(value.message, row, remedy=value.remedy or EXAMPLE)
            else:
                yield row, size, value
    except BadJson as error:
        problems.add(error.message, remedy=error.remedy or EXAMPLE)


def lines(source: Source, problems: Problems, decoder: StrictDecoder | None = None) -> Iterator[tuple[int, int, Any]]:
    """Parse the lines that are not blank: row, length and value; those that are refused are problems."""
    decoder = decoder or StrictDecoder()
    with source.opened() as file:
        row, position = 0, 0
        while line := file.readline(MAX_LINE):
            row += 1
            start, position = position, position + len(line)
            if len(line) == MAX_LINE or position > MAX_BYTES:
                raise too_large(MAX_LINE if len(line) == MAX_LINE else MAX_BYTES)
            if row == 1 and line.startswith(UTF8_BOM):
                start, line = start + len(UTF8_BOM), line.removeprefix(UTF8_BOM)
            if line.isspace():
                continue
            problems.tally.see()
            try:
                yield row, len(line), decoder.decode(decoded(line, start))
            except BadJson as error:
                problems.add(error.message, row, remedy=error.remedy or EXAMPLE)


def whole(source: Source, problems: Problems, remedy: str = "") -> Any:
    """Decode the file of a tool at once; None with a problem if it cannot be read."""
    try:
        return StrictDecoder(lenient=True).decode(decoded(source.content(MAX_ARRAY)), MAX_ARRAY_VALUES)
    except BadJson as error:
        problems.add(error.message, remedy=remedy or error.remedy)
        return None


def load_array(content: bytes) -> list[Any]:
    """Decode all of a JSON array; raises :class:`core.errors.PoolError` with every row that is refused."""
    problems = Problems()
    rows = array(content, problems)
    del content
    values = [value for _, _, value in rows]
    problems.stop()
    return values


def decoded(content: bytes, start: int = 0) -> str:
    """Decode text without a byte order mark, from its place ``start`` in the file; raises `BadJson` at a wrong byte."""
    try:
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise BadJson(f"byte {start + error.start + 1:,} of the file is not UTF-8.", _UTF8) from None
