"""Label lists as Excel workbooks, out and back.

A workbook cannot hold every text: control characters, carriage returns and the pattern ``_x0041_`` change on the way.
An item's id with such a text is written as JSON text in double quotes, and read back from it.
"""

from __future__ import annotations

import io
import json
import re
import warnings
import zipfile
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import pandas as pd
from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from core.errors import LabelError
from core.labels.escaping import escape, plain
from core.labels.judging import RIGHT, WRONG
from core.labels.lists import cell

_MAX_TEXT = 32_767
_MAX_UNPACKED = 1024**3
_CHANGED = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]|_x|x005F_|^\\s|\\s$")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_WIDTHS = {"position": 9, "item_id": 24, "plan_id": 14, "prompt": 80, "choices": 50, "target_answer": 24, "label": 14}
_TEXT = "@"


def to_xlsx(frame: pd.DataFrame, kind: str) -> bytes:
    """The request as a workbook with an empty column ``label``; right and wrong can be picked from a list."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("labels")
    names = [*map(str, frame.columns), "label"]
    for place, name in enumerate(names, start=1):
        sheet.column_dimensions[get_column_letter(place)].width = _WIDTHS.get(name, 18)
    sheet.freeze_panes = "A2"
    if kind == "right-wrong":
        column = get_column_letter(len(names))
        verdicts = DataValidation(type="list", formula1=f'"{RIGHT},{WRONG}"', allow_blank=True)
        verdicts.add(f"{column}2:{column}{len(frame) + 1}")
        sheet.data_validations.append(verdicts)
    wrapped = Alignment(wrap_text=True, vertical="top")

    def made(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        written = WriteOnlyCell(sheet, value)
        # Neither a formula nor an error, whatever the text looks like.
        written.data_type, written.number_format, written.alignment = "s", _TEXT, wrapped
        return written

    header = [WriteOnlyCell(sheet, name) for name in names]
    for title in header:
        title.font = Font(bold=True)
    sheet.append(header)
    for row in frame.itertuples(index=False, name=None):
        cells = [
            _item_id(str(value)) if name == "item_id" else _shown(cell(value))
            for name, value in zip(names, row, strict=False)
        ]
        sheet.append([*map(made, cells), made("")])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def rows_of(content: bytes) -> Iterator[list[Any]]:
    """The rows of the first sheet that names a column item_id, header first; cells as text, number or None.

    Raises
    ------
    LabelError : no workbook, a damaged one, or no sheet has the column.
    """
    try:
        _check_size(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
            try:
                for sheet in book.worksheets:
                    sheet.reset_dimensions()
                    rows = [list(row) for row in sheet.iter_rows(values_only=True)]
                    if rows and any(str(name).strip().lower() in ("item_id", "id") for name in rows[0]):
                        # Rows end at their last filled cell, and sheets at whatever was once touched.
                        width = max(place for place, name in enumerate(rows[0], start=1) if name is not None)
                        yield from ([_value(value) for value in (row + [None] * width)[:width]] for row in rows)
                        return
            finally:
                book.close()
    except LabelError:
        raise
    except Exception as error:
        # The library meets a damaged file with whatever error lies nearest.
        raise LabelError("This workbook cannot be read: save it anew as XLSX, or as CSV (UTF-8).") from error
    raise LabelError("No sheet of this workbook has a column “item_id” in its first row: fill the list as downloaded.")


def item_id(text: str) -> str:
    """The id that was written as ``text`` in a workbook."""
    if text.startswith('"'):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return found if isinstance(found, str) else text
    return text


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
    value = plain(value)
    return value.isoformat() if isinstance(value, date | datetime) else value


def _check_size(content: bytes) -> None:
    """A small zip may unpack to anything."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(member.file_size for member in archive.infolist()) > _MAX_UNPACKED:
            raise LabelError("This workbook unpacks to more than 1 GiB: keep only the columns item_id and label.")
