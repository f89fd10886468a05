"""Label lists as Excel workbooks, out and back.

A workbook cannot hold every text: control characters, carriage returns and the pattern ``_x0041_`` change on the way.
An item's id with such a text is written as JSON text in double quotes.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection
from typing import Any

import pandas as pd

from ...errors import LabelError
from ...files.sheets import BadWorkbook, fullest_sheet, suited_sheets
from ...words import listed, shown
from ..kinds import KINDS
from ..model_pair import SHOWN
from ..targets import columns_of_criteria
from .escaping import escape
from .list_reader import column_name
from .lists import cell, to_fill

_MAX_TEXT = 32_767
_CHANGED = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]|_x|x005F_|^\\s|\\s$")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_WIDTHS = {
    "position": 9,
    "item_id": 24,
    "plan_id": 14,
    "prompt": 80,
    "choices": 50,
    "target_answer": 24,
    **dict.fromkeys(SHOWN, 60),
    "label": 14,
    "annotator": 14,
}
_TEXT = "@"
_MOST_NAMED = 5
_ASK = "Keep only the columns `item_id` and `label`."
_AGAIN = "Save it again as XLSX, or as CSV (UTF-8)."


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
    empty = to_fill(frame.columns)
    names = [*map(str, frame.columns), *empty]
    for place, name in enumerate(names, start=1):
        sheet.column_dimensions[get_column_letter(place)].width = _WIDTHS.get(name, 18)
    sheet.freeze_panes = "A2"
    if KINDS[kind].verdicts:
        verdicts = DataValidation(type="list", formula1=f'"{",".join(KINDS[kind].verdicts)}"', allow_blank=True)
        for name in columns_of_criteria(names) or ("label",):
            column = get_column_letter(names.index(name) + 1)
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
        sheet.append([*map(text_cell, cells), *(text_cell("") for _ in empty)])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def rows_of(content: bytes) -> tuple[list[list[Any]], str]:
    """Return the rows of the sheet with the labels, header first, and a remark on sheets that are not read.

    It is the only sheet with a column item_id (or id) that has labels, or else the first with that column, or else the
    fullest. Cells are those of `core.files.sheets`.

    Raises
    ------
    LabelError
        If the content is not a workbook, is damaged or empty, or several sheets have labels.
    """
    try:
        sheets = suited_sheets(content, _names_items)
        if not sheets and (fullest := fullest_sheet(content, _names_items)) is not None:
            sheets = [fullest]
    except BadWorkbook as error:
        raise LabelError(f"{error} {_ASK if error.too_large else _AGAIN}") from error
    if not sheets:
        raise LabelError("This workbook is empty. Fill in the list as downloaded.")
    filled = [one for one in sheets if _has_labels(one.rows)]
    if len(filled) > 1:
        names = listed([shown(one.name, 40) for one in filled])
        raise LabelError(f"The sheets {names} of this workbook all have labels. Save each as a separate file.")
    sheet = (filled or sheets)[0]
    others = [shown(name, 40) for name in sheet.others]
    named = listed([*others[:_MOST_NAMED], *([f"{len(others) - _MOST_NAMED:,} more"] * (len(others) > _MOST_NAMED))])
    return sheet.rows, f"Read from the sheet {shown(sheet.name, 40)}, without {named}." if others else ""


def _names_items(names: Collection[str]) -> bool:
    return not {"item_id", "id"}.isdisjoint(map(column_name, names))


def _has_labels(rows: list[list[Any]]) -> bool:
    """Whether a sheet has something below a header that names labels."""
    header = [column_name(name) for name in rows[0]]
    criteria = {name.lower() for name in columns_of_criteria(rows[0])}
    places = [place for place, name in enumerate(header) if name == "label" or name in criteria]
    return any(row[place] not in (None, "") for row in rows[1:] for place in places)


def _item_id(text: str) -> str:
    if text.startswith('"') or _CHANGED.search(text) or len(text) >= _MAX_TEXT - 1:
        return json.dumps(text).replace("_", "\\u005f")
    return escape(text)


def _shown(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = _FORBIDDEN.sub("\ufffd", value)
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"
