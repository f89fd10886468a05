"""An Excel workbook as a table: the sheet that is meant, its header, and the text of its cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import PoolError, Problem
from ..pool.problems import shown
from ..pool.sheets import BadWorkbook, fullest_sheet
from ..words import listed

MEMBER = "xl/workbook.xml"
# Of these rows the first with as many cells as any of them is the header: titles and remarks stand above it.
_TOP = 10
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class BookTable:
    """A sheet as a table.

    Parameters
    ----------
    header : list of str
        Names of the columns; "" where a column has none.
    rows : list of (int, list of str)
        Place in the sheet from 1, and the cells, of each row below the header that is not empty.
    remark : str
        Which sheet it is, and which others are not read; "" if there is no other.
    """

    header: list[str]
    rows: list[tuple[int, list[str]]]
    remark: str

    @classmethod
    def of(cls, content: bytes) -> BookTable:
        """Read a workbook; raises :class:`core.errors.PoolError` if it cannot be read, or is empty."""
        try:
            sheet = fullest_sheet(content, _is_of_predictions)
        except BadWorkbook as error:
            message = f"{str(error)[:1].lower()}{str(error)[1:]}"
            raise PoolError([Problem(message, remedy="Save the sheet as CSV (UTF-8).")]) from None
        if sheet is None:
            raise PoolError([Problem("the workbook is empty.", remedy="Choose one with an item a row.")])
        place = _header(sheet.rows)
        header = [_text(cell).strip() for cell in sheet.rows[place]]
        below = enumerate(sheet.rows[place + 1 :], start=place + 2)
        rows = [(row, [_text(cell) for cell in cells]) for row, cells in below]
        named = [shown(name, 40) for name in sheet.others[:_MOST_NAMED]]
        more = len(sheet.others) - len(named)
        others = listed([*named, *([f"{more:,} more"] if more else [])])
        remark = f"Read from the sheet {shown(sheet.name, 40)}, without {others}." if named else ""
        return cls(header, [(row, cells) for row, cells in rows if any(cells)], remark)


def _is_of_predictions(names: Collection[str]) -> bool:
    """Whether a sheet is what VLMEvalKit writes, beside which others may stand."""
    return {"index", "prediction"} <= set(names)


def _header(rows: Sequence[Sequence[Any]]) -> int:
    """Return the place of the header, from 0."""
    widths = [sum(cell is not None for cell in row) for row in rows[:_TOP]]
    return widths.index(max(widths)) if max(widths) > 1 else 0


def _text(cell: Any) -> str:
    """Write a cell as text; a workbook's whole numbers are floats."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell)
