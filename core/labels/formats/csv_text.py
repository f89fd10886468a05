"""Delimited text as a table, whatever separates its cells."""

from __future__ import annotations

import csv
import io
import re

from core.errors import LabelError
from core.labels.formats.label_file import called

_MAX_CELL = 2**27
# The first record, and what stands in quotes.
_QUOTED = re.compile(r'(?:^|(?<=[,;\t]))"(?:[^"]|"")*+"')
_HEADER = re.compile(rf"(?:{_QUOTED.pattern}|[^\r\n])*+")
_LINE_END = re.compile(r"\r\n?|\n")
_LONE_RETURN = re.compile(r"\r(?!\n)")


def rows_of(text: str, name: str | None) -> list[list[str]]:
    """The cells of each record; commas, semicolons or tabs separate them, whichever the header has most of.

    Raises
    ------
    LabelError : the quoting is broken; the row is named.
    """
    head = _HEADER.match(text)
    first = _QUOTED.sub("", head[0] if head else "")
    delimiter = max(",;\t", key=first.count)
    csv.field_size_limit(_MAX_CELL)
    text, mark = _marked_returns(text)
    table: list[list[str]] = []
    try:
        table.extend(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        # What was read before the error is in the table.
        row = len(table) + 1
        message = f"{called(name)} has broken quoting in row {row:,} ({error}): save it anew as CSV (UTF-8)."
        raise LabelError(message) from error
    if mark:
        table = [[cell.replace(mark, "\r") for cell in cells] for cells in table]
    return table


def _marked_returns(text: str) -> tuple[str, str]:
    """The text with a mark for each carriage return that ends no line, and the mark; "" where there is none.

    Some programs write one inside a cell without quotes.
    """
    end = _LINE_END.search(text)
    if end is None or end[0] == "\r" or not _LONE_RETURN.search(text):
        return text, ""
    mark = next(char for char in map(chr, range(0xE000, 0xF900)) if char not in text)
    return _LONE_RETURN.sub(mark, text), mark
