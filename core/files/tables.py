"""Tables as text, such as CSV: rows of cells, separated by a sign and quoted as spreadsheets do."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from ..errors import PoolError, Problem
from .open import MAX_BYTES, Position, Source, too_large

# Twice as many as the largest leaderboard has models.
MAX_COLUMNS = 10_000
_DELIMITERS = ",;\t"
# By which spreadsheets tell the delimiter.
_SEPARATED = re.compile(r"sep=([,;\t|]?)", re.IGNORECASE)
_IDS = frozenset({"id", "item_id"})
# Of a longer header the first MiB decides.
_HEADER = 1024**2
# In place of a carriage return that ends no line, which the csv module takes for one: a sign that no text has.
_MARK = "\ufdd0"
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
    """Split lines into rows that are not blank: the delimiter; places from 1 and cells.

    A first line such as “sep=;” names the delimiter; spreadsheets do not show it, and it is not counted. A carriage
    return ends a line only where the first line ends so: some programs write it inside cells without quotes.

    Raises
    ------
    BadTable
        While the rows are read.
    """
    csv.field_size_limit(_MAX_CELL)
    lines = _joined(lines)
    above, header, delimiter = list[str](), [next(lines, "")], ""
    while header[0] and not header[0].strip("\r\n"):
        above, header = [*above, "\n"], [next(lines, "")]
    if not above and (named := _SEPARATED.fullmatch(header[0].strip("\r\n "))):
        header, delimiter = [next(lines, "")], named[1]
    # A name in quotes may go on in the next line.
    quotes, size = header[0].count('"'), len(header[0])
    while quotes % 2 and size < _HEADER and (more := next(lines, "")):
        header.append(more)
        quotes, size = quotes + more.count('"'), size + len(more)
    delimiter = delimiter or _delimiter(header)
    return delimiter, _rows(chain(above, header, lines), delimiter)


def lines_of(text: str) -> Iterator[str]:
    """Split a text into lines with their ends."""
    return iter(io.StringIO(text, newline=""))


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Join lines that end with a carriage return alone, if the first one does not, with `_MARK` in its place."""
    held, ends_so = "", None
    for line in lines:
        if ends_so is None and line.endswith(("\r", "\n")):
            ends_so = line.endswith("\r")
        if ends_so or _MARK in line or line.endswith("\r"):
            line = line.replace(_MARK, f"{_MARK}0")
            if not ends_so and line.endswith("\r"):
                held += f"{line[:-1]}{_MARK}1"
                continue
        yield held + line
        held = ""
    if held:
        yield held


def _lines(source: Source) -> Iterator[str]:
    """Read line by line: all of the text at once takes four bytes of memory a character."""
    reach = Position(source.size)
    try:
        with source.opened(reports=True) as file:
            text, size = io.TextIOWrapper(file, encoding="utf-8", newline=""), 0
            while line := text.readline(_MAX_LINE):
                line = line if size else line.removeprefix("\ufeff")
                size += len(line)
                reach(size)
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


def _delimiter(lines: Sequence[str]) -> str:
    """Choose the delimiter under which the header, in so many lines, has a column of ids, or else the most columns.

    A bar is one if there is no other, but for a table of Markdown, in which each line begins with it.
    """
    headers = {mark: next(csv.reader(lines, delimiter=mark), []) for mark in _DELIMITERS}
    ids = {mark: not _IDS.isdisjoint(cell.strip().lower() for cell in headers[mark]) for mark in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda mark: (ids[mark], len(headers[mark])))
    return "|" if len(headers[best]) == 1 and "|" in lines[0].lstrip()[1:] and lines[0].lstrip()[0] != "|" else best


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
                yield row, [_unmarked(cell) if _MARK in cell else cell for cell in cells]
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            message, remedy = "a quote is opened and never closed.", "Close it, or double every quote inside a cell."
        else:
            message, remedy = f"the quoting is broken ({error}).", "Double every quote inside a quoted cell."
        raise BadTable(message, row + 1, remedy) from None


def _unmarked(cell: str) -> str:
    return cell.replace(f"{_MARK}1", "\r").replace(f"{_MARK}0", _MARK)
