"""JSON of pools: UTF-8, one record or an array of them; and native JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..files.jsontext import MAX_ARRAY_VALUES, BadJson, StrictDecoder, decoded, records_of, several_of
from ..files.open import MAX_ARRAY, UTF8_BOM, Position, Source
from ..pool.columns import Completion, as_it_is
from ..pool.pool import Pool
from ..pool.problems import Problems
from ..pool.records import MOST_COLUMNS, Records

EXAMPLE = 'Write one object a line, such as {"id": "q1", "generations": ["A", "B"]}.'


def array(content: bytes, problems: Problems, decoder: StrictDecoder | None = None) -> Iterator[tuple[int, int, Any]]:
    """Decode a JSON array element by element: place from 1, number of characters, value.

    Elements that are refused are problems of their rows. If the array cannot be read on, that is the last problem.
    """
    try:
        text = decoded(content)
        del content
        reach, position = Position(len(text)), 0
        for row, size, value in problems.tally.records((decoder or StrictDecoder()).elements(text, MAX_ARRAY_VALUES)):
            position += size
            reach(position)
            if isinstance(value, BadJson):
                problems.add(value.message, row, remedy=value.remedy or EXAMPLE)
            else:
                yield row, size, value
    except BadJson as error:
        problems.add(error.message, remedy=error.remedy or EXAMPLE)


def lines(source: Source, problems: Problems, decoder: StrictDecoder | None = None) -> Iterator[tuple[int, int, Any]]:
    """Decode the lines that are not blank, or objects one after another: row, length and value.

    Those that are refused are problems.
    """
    try:
        for row, size, value in problems.tally.records(records_of(source, decoder)):
            if isinstance(value, BadJson):
                problems.add(value.message, row, remedy=value.remedy or EXAMPLE)
            else:
                yield row, size, value
    except BadJson as error:
        problems.add(error.message, remedy=error.remedy or EXAMPLE)


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


# Native JSON Lines: one item a line (or one JSON array of items), UTF-8, optionally gzipped.

_SHORT = 64


def read(source: Source, complete: Completion = as_it_is) -> Pool:
    """Read a pool; see ``core.readers.read``. ``complete`` adds to its columns."""
    problems = Problems()
    problems.note(source.remark)
    records = Records(problems)
    if source.head().lstrip().startswith(b"["):
        what, rows = "element", array(source.content(MAX_ARRAY), problems)
    else:
        what, rows = "line", lines(source, problems)
        if _is_one_object(source):
            problems.add("the file is one JSON object over several lines, not a list of items.", remedy=EXAMPLE)
            problems.stop()
    for row, size, record in rows:
        if isinstance(record, dict) and len(record) > MOST_COLUMNS:
            problems.add(f"there are {len(record):,} keys.", row, remedy=f"Keep at most {MOST_COLUMNS:,}.")
            problems.stop()
        elif isinstance(record, dict):
            records.add(row, record, size)
        else:
            problems.add(f"the {what} is not a JSON object.", row, remedy=EXAMPLE)
    return Pool.from_loose(complete(records.loose().composed(), problems), problems, source.name)


def _is_one_object(source: Source) -> bool:
    """Whether the first line does nothing but open an object, and no other follows it."""
    with source.opened() as file:
        line = file.readline(_SHORT).removeprefix(UTF8_BOM)
    try:
        return line.endswith(b"\n") and line.strip() == b"{" and several_of(source) is None
    except BadJson:
        return False
