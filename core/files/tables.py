"""Tables as text, such as CSV: rows of cells, separated by commas, semicolons or tabs and quoted as spreadsheets do."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain, repeat

from ..errors import PoolError, Problem
from .open import MAX_BYTES, Source, too_large

# Twice as many as the largest leaderboard has models.
MAX_COLUMNS = 10_000
_DELIMITERS = ",;\t"
_SEPARATED = re.compile(r"sep=[,;\t]?", re.IGNORECASE)
_MAX_CELL = _MAX_LINE = 256 * 1024**2


class BadTable(Exception):
    """A table that cannot be read on.

    Parameters
    ----------
    message : str
        What is wrong, as a sentence that begins in lower case.
    row : int
        Where, from 1.
    remedy : str
        What to do.
    """

    def __init__(self, message: str, row: int, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.row = row
        self.remedy = remedy


def table_of(source: Source) -> tuple[str, Iterator[tuple[int, list[str]]]]:
    """Read a table row by row; as `table`, and :class:`core.errors.PoolError` at a byte that is no UTF-8."""
    return table(_lines(source))


def table(lines: Iterator[str]) -> tuple[str, Iterator[tuple[int, list[str]]]]:
    """Split lines, of which one is not blank, into rows that are not: the delimiter; places from 1 and cells.

    A first line such as “sep=;”, by which spreadsheets tell the delimiter, is as good as blank.

    Raises
    ------
    BadTable
        While the rows are read.
    """
    csv.field_size_limit(_MAX_CELL)
    blank = 0
    while not (first := next(lines)).strip("\r\n") or (_SEPARATED.fullmatch(first.strip()) and not blank):
        blank += 1
    delimiter = _delimiter(first)
    return delimiter, _rows(chain(repeat("\n", blank), [first], lines), delimiter)


def _lines(source: Source) -> Iterator[str]:
    """Read line by line: all of the text at once takes four bytes of memory a character."""
    try:
        with source.opened() as file:
            text, size = io.TextIOWrapper(file, encoding="utf-8", newline=""), 0
            while line := text.readline(_MAX_LINE):
                line = line if size else line.removeprefix("\ufeff")
                size += len(line)
                if len(line) == _MAX_LINE or size > MAX_BYTES:
                    raise too_large(_MAX_LINE if len(line) == _MAX_LINE else MAX_BYTES)
                yield line
    except UnicodeDecodeError:
        raise _wrong_byte(source.content(MAX_BYTES)) from None


def _wrong_byte(content: bytes) -> PoolError:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        message = f"byte {error.start + 1:,} of the file is not UTF-8."
        return PoolError([Problem(message, row, remedy="Save it as CSV UTF-8.")])
    return too_large(MAX_BYTES)


def _delimiter(line: str) -> str:
    """Choose the delimiter under which the first line has a column ``id``, or else the most columns."""
    first = line.rstrip("\r\n")
    headers = {mark: [cell.strip().strip('"') for cell in first.split(mark)] for mark in _DELIMITERS}
    return max(_DELIMITERS, key=lambda mark: ("id" in headers[mark], len(headers[mark])))


def _rows(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(row, cells) of the records that are not blank."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    row = 0
    try:
        for row, cells in enumerate(reader, start=1):
            if len(cells) > MAX_COLUMNS:
                message = f"there are more than {MAX_COLUMNS:,} columns."
                raise BadTable(message, row, "Keep those that Neyman reads: id, prompt, answer, outputs, models.")
            if any(map(str.strip, cells)):
                yield row, cells
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            message, remedy = "a quote is opened and never closed.", "Close it, or double every quote inside a cell."
        else:
            message, remedy = f"the quoting is broken ({error}).", "Double every quote inside a quoted cell."
        raise BadTable(message, row + 1, remedy) from None
