"""Delimited text as a table, whatever separates its cells."""

from __future__ import annotations

import csv
import io
import re

from ...errors import LabelError
from .label_file import called

_MAX_CELL = 2**27
_MAX_CELLS = 50_000_000
# Of a longer header the first MiB decides.
_HEADER_END = 2**20
# Text in quotes, the first record, and the ends of lines.
_QUOTED = re.compile(r'(?:^|(?<=[,;\t]))"(?>(?:[^"]++|"")*)"')
_HEADER = re.compile(rf'(?>(?:{_QUOTED.pattern}|[^"\r\n]++|")*)')
_LINE_END = re.compile(r"\r\n?|\n")
_LONE_RETURN = re.compile(r"\r(?!\n)")


def rows_of(text: str, name: str | None) -> list[list[str]]:
    """Return the cells of each record.

    Parameters
    ----------
    text : str
        The file; commas, semicolons or tabs separate its cells, whichever its header has most of.
    name : str or None
        Name of the file, for messages.

    Raises
    ------
    LabelError
        If there are too many cells, or the quotes are broken; then the row is named.
    """
    head = _HEADER.match(text, 0, _HEADER_END)
    header = _QUOTED.sub("", head[0] if head else "")
    delimiter = max(",;\t", key=header.count)
    if text.count(delimiter) > _MAX_CELLS:
        raise LabelError(
            f"{called(name)} has more than {_MAX_CELLS:,} cells. Keep only the columns `item_id` and `label`."
        )
    csv.field_size_limit(_MAX_CELL)
    text, mark = _marked_returns(text)
    table: list[list[str]] = []
    try:
        table.extend(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        # The records before the error are in the table.
        row = len(table) + 1
        raise LabelError(
            f"{called(name)} cannot be read. Row {row:,}: the quotes are broken ({error}). Save the file again as CSV "
            "(UTF-8)."
        ) from error
    if mark:
        table = [[cell.replace(mark, "\r") for cell in cells] for cells in table]
    return table


def _marked_returns(text: str) -> tuple[str, str]:
    """Return the text with a mark for each carriage return that ends no line, and the mark ("" if there is none).

    Some programs write one inside a cell without quotes.
    """
    end = _LINE_END.search(text)
    if end is None or end[0] == "\r" or not _LONE_RETURN.search(text):
        return text, ""
    mark = next(char for char in map(chr, range(0xE000, 0xF900)) if char not in text)
    return _LONE_RETURN.sub(mark, text), mark
