"""Sheets of an Excel workbook from outside, read safely: by pools and labels alike.

Two libraries read them. calamine is ten times as fast, but lays a sheet out as a full rectangle: one cell at its far
end would take all memory and end the process. It gets the workbooks that `_suits_calamine` admits, openpyxl the others.
Neither resolves entities, and nothing is unpacked beyond a limit.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from xml.parsers import expat

import numpy as np

_MAX_UNPACKED = 512 * 1024**2
# Of the text that cells show: many may show the same.
_MAX_SHOWN = 512 * 1024**2
_MAX_ROWS = 1_048_576

# What only openpyxl reads: cells that do not name their place first, prefixes (which may stand for any namespace),
# errors such as #N/A, dates as texts, and whole numbers that a float cannot hold.
_OPENPYXL = (
    re.compile(rb'<c(?! r="[A-Z]{1,3}[1-9][0-9]{0,6}"[ />])[\s/>]'),
    re.compile(rb"<[^\s<>/]+:c[\s/>]"),
    re.compile(rb"""t=["'][ed]["']"""),
    re.compile(rb"<v>-?[0-9]{16,}<"),
)
_PREFIX = rb"(?:[\w.-]+:)?"
# The texts that cells share, and the places among them that cells refer to.
_SHARED = re.compile(rb"<%bsi\b[^>]*?(?:/>|>.*?</%bsi\s*>)" % (_PREFIX, _PREFIX), re.DOTALL)
_SHARED_PART = re.compile(rb"<%bsst[\s/>]" % _PREFIX)
_REFERENCE = re.compile(rb"""<%bc\s[^>]*?\bt=["']s["'][^>]*>\s*<%bv[^>]*>\s*([0-9]{1,9})\b""" % (_PREFIX, _PREFIX))
_COLUMN, _ROW = re.compile(rb'<c r="([A-Z]+)'), re.compile(rb'<c r="[A-Z]+([0-9]+)')
# The largest rectangle: so many times its cells, and so many more.
_SPARSE, _SPARE = 5, 1_000_000


class BadWorkbook(Exception):
    """A workbook that cannot be read.

    Parameters
    ----------
    message : str
        What is wrong, as a sentence.
    too_large : bool, default False
        Whether it is only too large.
    """

    def __init__(self, message: str, too_large: bool = False) -> None:
        super().__init__(message)
        self.too_large = too_large


class DateText(str):
    """A date in ISO 8601."""

    __slots__ = ()


class Merged(str):
    """Nothing, in a cell that shows the text of the cell it is merged with."""

    __slots__ = ()


def first_sheet(content: bytes, suits: Callable[[Collection[str]], bool]) -> list[list[Any]] | None:
    """Read the first sheet whose header suits.

    Parameters
    ----------
    content : bytes
        The workbook.
    suits : callable
        Whether a sheet is meant, by the names in its first row, in lower case without blanks around.

    Returns
    -------
    list of list or None
        Its rows, header first and none longer; cells are text (`DateText` for a date), number, time, duration, `Merged`
        (from calamine only) or None. None if no sheet suits.

    Raises
    ------
    BadWorkbook
        The content is not a workbook, is damaged or too large.
    """
    try:
        sheet = _chosen(content, suits)
    except (BadWorkbook, MemoryError):
        raise
    except Exception as error:
        # openpyxl raises any kind of error for a damaged file.
        raise BadWorkbook("This workbook cannot be read.") from error
    if sheet is None:
        return None
    width = len(sheet[0])
    # Texts are not passed to `_value`: a call for each cell takes longer than everything else.
    return [
        [(value or None) if type(value) is str else _value(value) for value in row] + [None] * (width - len(row))
        for row in sheet
    ]


def _value(value: Any) -> Any:
    if isinstance(value, datetime) and value == datetime(value.year, value.month, value.day):
        value = value.date()
    return DateText(value.isoformat()) if isinstance(value, date) else value


def _chosen(content: bytes, suits: Callable[[Collection[str]], bool]) -> list[list[Any]] | None:
    members = _unpacked(content)
    if all(map(_suits_calamine, members.values())):
        try:
            return _first(_fast_sheets(members), suits)
        except BaseException as error:
            # openpyxl may read what calamine does not. A panic in calamine is not an Exception.
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
    return _first(_slow_sheets(content), suits)


def _first(
    sheets: Iterator[Iterable[Sequence[Any]]], suits: Callable[[Collection[str]], bool]
) -> list[list[Any]] | None:
    for sheet in sheets:
        rows = iter(sheet)
        header = list(next(rows, ()))
        while header and header[-1] in (None, ""):
            header.pop()
        if suits([str(name).strip().lower() for name in header]):
            # A sheet reaches as far to the right as it was ever touched.
            return [header, *(list(row[: len(header)]) for row in rows)]
    return None


def _unpacked(content: bytes) -> dict[str, bytes]:
    """Return the parts of a workbook that hold text, unless they are too large: a small zip may unpack to anything."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > _MAX_UNPACKED:
            raise _too_large(f"unpacks to more than {_MAX_UNPACKED // 1024**2:,} MiB")
        parts = {m.filename: archive.read(m) for m in members if m.filename.endswith((".xml", ".rels"))}
    if _shown_size(parts.values()) > _MAX_SHOWN:
        raise _too_large(f"shows more than {_MAX_SHOWN // 1024**2:,} MiB of text in its cells")
    return parts


def _shown_size(parts: Collection[bytes]) -> int:
    """Return how many bytes of shared texts the cells show, before anything is made of them."""
    sizes = [len(text) for part in parts if _SHARED_PART.search(part) for text in _SHARED.findall(part)]
    if sum(sizes) == 0:
        return 0
    shown = np.zeros(len(sizes), dtype=np.int64)
    for part in parts:
        places = np.array(_REFERENCE.findall(part), dtype=np.int64)
        shown += np.bincount(places[places < len(sizes)], minlength=len(sizes))
    return int(shown @ np.array(sizes, dtype=np.int64))


def _too_large(what: str) -> BadWorkbook:
    return BadWorkbook(f"This workbook {what}.", too_large=True)


def _suits_calamine(part: bytes) -> bool:
    """Whether calamine reads a part as openpyxl does, without running out of memory.

    It does where the part is sound XML, every cell names its place, and the rectangle around them is not mostly empty.
    """
    # In UTF-16 no pattern matches.
    if b"\0" in part or any(pattern.search(part) for pattern in _OPENPYXL):
        return False
    try:
        # An attribute that stands twice is an error: the patterns see the first, calamine takes the last.
        expat.ParserCreate().Parse(part, True)
    except expat.ExpatError:
        return False
    from openpyxl.utils import column_index_from_string

    columns, rows = set(_COLUMN.findall(part)), _ROW.findall(part)
    width = max((column_index_from_string(letters.decode()) for letters in columns), default=0)
    return width * max(map(int, rows), default=0) <= _SPARSE * len(rows) + _SPARE


def _fast_sheets(members: Mapping[str, bytes]) -> Iterator[Iterable[Sequence[Any]]]:
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    stream = io.BytesIO()
    # Packed again from the parts that were checked, so that no sheet is larger than its zip entry says.
    with zipfile.ZipFile(stream, "w") as archive:
        for name, part in members.items():
            archive.writestr(name, part)
    stream.seek(0)
    with CalamineWorkbook.from_filelike(stream) as book:
        for sheet in book.sheets_metadata:
            if sheet.typ == SheetTypeEnum.WorkSheet:
                cells = book.get_sheet_by_name(sheet.name)
                rows = cells.to_python(skip_empty_area=False)
                _mark_merged(rows, cells.merged_cell_ranges or [])
                yield rows


def _mark_merged(rows: list[list[Any]], ranges: Iterable[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    """Put `Merged` into the empty cells of ranges, each its first and last cell, counted from 0."""
    left = sum(map(len, rows))
    for (top, first), (bottom, last) in ranges:
        inside = [row[first : last + 1] for row in rows[top : bottom + 1]]
        left -= sum(map(len, inside))
        if left < 0:
            # Ranges of a sound workbook do not overlap; these might take for ever.
            return
        for row, cells in zip(rows[top : bottom + 1], inside, strict=True):
            row[first : last + 1] = [Merged() if cell == "" else cell for cell in cells]


def _slow_sheets(content: bytes) -> Iterator[Iterable[Sequence[Any]]]:
    from openpyxl import load_workbook

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        try:
            for sheet in book.worksheets:
                sheet.reset_dimensions()
                yield sheet.iter_rows(max_row=_MAX_ROWS, values_only=True)
        finally:
            book.close()
