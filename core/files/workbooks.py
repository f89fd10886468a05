"""An Excel workbook as a table: the sheet that is meant, its header in one row or two, and the text of its cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..errors import PoolError, Problem
from ..words import counted, listed, shown
from .sheets import BadWorkbook, Formula, Merged, fullest_sheet

_LONGEST = 40
_SEVERAL = 2


def joined(first: Sequence[str], second: Sequence[str]) -> list[str] | None:
    """Join two rows to one header if they can be nothing else.

    A group is named above its first column alone, or above each. Other columns have their name in one of the rows: all
    in the first, beside which no data row would be empty, or all in the second, in which the groups have the same
    columns; one more group may be above these others.

    Parameters
    ----------
    first, second : sequence of str
        The cells of a row and of the one below, "" for empty ones.

    Returns
    -------
    list of str or None
        Names such as “GPT-4 answer”; None if the rows are no such header.
    """
    width = max(len(first), len(second))
    above, below = ([*map(str.strip, row), *[""] * (width - len(row))] for row in (first, second))
    names, groups, group = list[str](), dict[int, list[str]](), -1
    for place, (over, under) in enumerate(zip(above, below, strict=True)):
        if over and not under:
            names, group = [*names, over], -1
        elif not under or (not over and group < 0 and any(above[:place])):
            return None
        elif over or group >= 0:
            is_new = bool(over) and not (group >= 0 and over == above[group])
            group = place if is_new else group
            groups.setdefault(group, []).append(under)
            names.append(f"{above[group]} {under}")
        else:
            names.append(under)
    # What stands above the facts of an item is no group of columns.
    if len(groups) > _SEVERAL and groups.get(0) not in [labels for start, labels in groups.items() if start]:
        facts = groups.pop(0, [])
        names[: len(facts)], above[0] = facts, "" if facts else above[0]
    alike = len(groups) > 1 and len({tuple(labels) for labels in groups.values()}) == 1
    is_split = any(over and not under for over, under in zip(above, below, strict=True))
    is_below = above[:1] == [""] and alike
    sizes = min(map(len, groups.values()), default=0)
    labels = all(len(one) <= _LONGEST and any(map(str.isalpha, one)) for one in below if one)
    is_header = is_split != is_below and sizes > 1 and labels and len({*names}) == len(names)
    return names if is_header else None


def remark(names: Sequence[str], first: Sequence[str], place: int) -> str:
    """Say that a header is in two rows, the first of which is given with its place from 1, and name a joined one."""
    example = next(name for name in names if any(cell and name.startswith(f"{cell.strip()} ") for cell in first))
    return f"The header is in rows {place} and {place + 1}, read as one, with names such as “{example}”."


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
        Names of the columns; "" if a column has none.
    rows : list of (int, list of str)
        Place in the sheet from 1, and the cells, of each row below the header that is not empty.
    remark : str
        Which sheet it is, and which others are not read; which columns are filled down, and which have no name. "" if
        there is nothing to say.
    others : tuple of str
        Names of the other sheets that hold something, none of which is read.
    """

    header: list[str]
    rows: list[tuple[int, list[str]]]
    remark: str
    others: tuple[str, ...] = ()

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
        double = _double_header(sheet.rows[: place + 2])
        if double is not None:
            place, header = double
        below = sheet.rows[place + 1 :]
        rows = [
            (row, [_text(cell) for cell in cells])
            for row, cells in enumerate(below, start=place + 2)
            if any(type(cell) is not Merged and _text(cell) for cell in cells)
        ]
        others = _named(sheet.others)
        remarks = [f"Read from the sheet {shown(sheet.name, 40)}, without {others}."] if others else []
        remarks += (
            [remark(header, [_text(cell) for cell in sheet.rows[place - 1]], place)] if double is not None else []
        )
        remarks += _remarks(header, below)
        return cls(header, rows, " ".join(remarks), sheet.others)


def _remarks(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Say which columns are filled down in merged cells, and which are not read, as they have no name."""
    merged = {
        place for row in rows for place, cell in enumerate(row) if type(cell) is Merged and cell.above is not None
    }
    used = {place for row in rows for place, cell in enumerate(row) if _text(cell)}
    filled = _named([name for place, name in enumerate(header) if name and place in merged])
    nameless = sum(not name and place in used for place, name in enumerate(header))
    remarks = [f"Merged cells are filled with what they show: {filled}."] if filled else []
    formulas = {place for row in rows for place, cell in enumerate(row) if type(cell) is Formula}
    if formulas:
        names = _named([name or str(place + 1) for place, name in enumerate(header) if place in formulas])
        remarks.append(
            f"Some formulas have no value and are read as empty (in columns: {names}). Save the workbook in a "
            "spreadsheet program."
        )
    if nameless:
        remarks.append(f"Not read, as the header has no name for them: {counted(nameless, 'column')}.")
    return remarks


def _named(names: Sequence[str]) -> str:
    """List names, the first few of many."""
    first = [shown(name, 40) for name in names[:_MOST_NAMED]]
    more = len(names) - len(first)
    return listed([*first, *([f"{more:,} more"] if more else [])])


def _is_of_predictions(names: Collection[str]) -> bool:
    """Whether a sheet is what VLMEvalKit writes, beside which others may stand."""
    return {"index", "prediction"} <= set(names)


def _header(rows: Sequence[Sequence[Any]]) -> int:
    """Return the place of the header, from 0."""
    widths = [sum(cell is not None and type(cell) is not Merged for cell in row) for row in rows[:_TOP]]
    return widths.index(max(widths)) if max(widths) > 1 else 0


def _double_header(rows: Sequence[Sequence[Any]]) -> tuple[int, list[str]] | None:
    """Return the place of the second row of a header in two rows, from 0, and its names; None if there is none."""
    texts = [["" if type(cell) is Merged else _text(cell) for cell in row] for row in rows]
    for place, (first, second) in enumerate(pairwise(texts), start=1):
        if names := joined(first, second):
            return place, names
    return None


def _text(cell: Any) -> str:
    """Write a cell as text, a merged one as what it shows; a workbook's whole numbers are floats."""
    cell = cell.above if type(cell) is Merged else cell
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None or type(cell) is Formula else str(cell)
