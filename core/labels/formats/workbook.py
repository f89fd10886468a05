"""Label lists as Excel workbooks, out and back.

A workbook cannot hold every text: control characters, carriage returns and the pattern ``_x0041_`` change on the way.
An item's id with such a text is written as JSON text in double quotes.

Two libraries read them. calamine is ten times as fast, but lays a sheet out as a full rectangle: one cell at its far
end would take all memory and end the process. It gets the workbooks that `_suits_calamine` admits, openpyxl the others.
"""

from __future__ import annotations

import io
import json
import re
import warnings
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from xml.parsers import expat

import numpy as np
import pandas as pd

from core.errors import LabelError
from core.labels.formats.escaping import escape
from core.labels.formats.lists import FILLED, cell
from core.labels.kinds import RIGHT, WRONG

_MAX_TEXT = 32_767
_MAX_UNPACKED = 512 * 1024**2
# Of the text that cells show: many may show the same.
_MAX_SHOWN = 512 * 1024**2
_CHANGED = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]|_x|x005F_|^\\s|\\s$")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_WIDTHS = {
    "position": 9,
    "item_id": 24,
    "plan_id": 14,
    "prompt": 80,
    "choices": 50,
    "target_answer": 24,
    "label": 14,
    "annotator": 14,
}
_TEXT = "@"

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


class DateText(str):
    """A date in ISO 8601."""

    __slots__ = ()


class Merged(str):
    """Nothing, in a cell that shows the text of the cell it is merged with."""

    __slots__ = ()


def to_xlsx(frame: pd.DataFrame, kind: str) -> bytes:
    """Return the request as a workbook with empty columns ``label`` and ``annotator``; verdicts have a drop-down."""
    # Here, so that pages without a workbook do not wait for openpyxl.
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook(write_only=True)
    sheet = book.create_sheet("labels")
    names = [*map(str, frame.columns), *FILLED]
    for place, name in enumerate(names, start=1):
        sheet.column_dimensions[get_column_letter(place)].width = _WIDTHS.get(name, 18)
    sheet.freeze_panes = "A2"
    if kind == "right-wrong":
        column = get_column_letter(names.index("label") + 1)
        verdicts = DataValidation(type="list", formula1=f'"{RIGHT},{WRONG}"', allow_blank=True)
        verdicts.add(f"{column}2:{column}{len(frame) + 1}")
        sheet.data_validations.append(verdicts)
    wrapped = Alignment(wrap_text=True, vertical="top")

    def text_cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        entry = WriteOnlyCell(sheet, value)
        # Neither a formula nor an error, whatever the text looks like.
        entry.data_type, entry.number_format, entry.alignment = "s", _TEXT, wrapped
        return entry

    header = [WriteOnlyCell(sheet, name) for name in names]
    for title in header:
        title.font = Font(bold=True)
    sheet.append(header)
    for row in frame.itertuples(index=False, name=None):
        cells = [
            _item_id(str(value)) if name == "item_id" else _shown(cell(value))
            for name, value in zip(names, row, strict=False)
        ]
        sheet.append([*map(text_cell, cells), *(text_cell("") for _ in FILLED)])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def rows_of(content: bytes) -> list[list[Any]]:
    """Return the rows of the first sheet with a column item_id, header first.

    Cells are text (`DateText` for a date), number, time, duration, `Merged` (from calamine only) or None.

    Raises
    ------
    LabelError
        If the content is not a workbook, is damaged, or no sheet has the column.
    """
    try:
        sheet = _labels_sheet(content)
    except (LabelError, MemoryError):
        raise
    except Exception as error:
        # openpyxl raises any kind of error for a damaged file.
        raise LabelError("This workbook cannot be read. Save it again as XLSX, or as CSV (UTF-8).") from error
    if sheet is None:
        raise LabelError(
            "No sheet of this workbook has a column `item_id` in its first row. Fill in the list as downloaded."
        )
    width = len(sheet[0])
    # Texts are not passed to `_value`: a call for each cell takes longer than everything else.
    return [
        [(value or None) if type(value) is str else _value(value) for value in row] + [None] * (width - len(row))
        for row in sheet
    ]


def _item_id(text: str) -> str:
    if text.startswith('"') or _CHANGED.search(text) or len(text) >= _MAX_TEXT - 1:
        return json.dumps(text).replace("_", "\\u005f")
    return escape(text)


def _shown(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = _FORBIDDEN.sub("\ufffd", value)
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"


def _value(value: Any) -> Any:
    if isinstance(value, datetime) and value == datetime(value.year, value.month, value.day):
        value = value.date()
    return DateText(value.isoformat()) if isinstance(value, date) else value


def _labels_sheet(content: bytes) -> list[list[Any]] | None:
    """Return the rows of the first sheet with a column item_id, none longer than the header; None if there is none."""
    members = _unpacked(content)
    if all(map(_suits_calamine, members.values())):
        try:
            return _first(_fast_sheets(members))
        except BaseException as error:
            # openpyxl may read what calamine does not. A panic in calamine is not an Exception.
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
    return _first(_slow_sheets(content))


def _first(sheets: Iterator[Iterable[Sequence[Any]]]) -> list[list[Any]] | None:
    for sheet in sheets:
        rows = iter(sheet)
        header = list(next(rows, ()))
        while header and header[-1] in (None, ""):
            header.pop()
        if any(str(name).strip().lower() in ("item_id", "id") for name in header):
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


def _too_large(what: str) -> LabelError:
    return LabelError(f"This workbook {what}. Keep only the columns `item_id` and `label`.")


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
