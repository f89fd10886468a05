"""Tables as text for labels: all rows at once, those that are blank too."""

from __future__ import annotations

from ...errors import LabelError, Problem
from ...files.open import Source
from ...files.tables import BadTable, table_of
from .label_file import called

_MAX_CELLS = 50_000_000


def rows_of(source: Source, name: str | None) -> tuple[int, list[list[str]]]:
    """Return the row of the header, from 1, and the cells of each record from there on; blank ones have none.

    Parameters
    ----------
    source : Source
        The file; commas, semicolons or tabs separate its cells (`core.files.tables`).
    name : str or None
        Name of the file, for messages.

    Raises
    ------
    LabelError
        If there are too many cells, or the quotes are broken; then the row is named.
    PoolError
        If the file cannot be read.
    """
    table: list[list[str]] = []
    first, cells_read = 0, 0
    try:
        for row, cells in table_of(source)[1]:
            first, cells_read = first or row, cells_read + len(cells)
            if cells_read > _MAX_CELLS:
                most = f"{called(name)} has more than {_MAX_CELLS:,} cells."
                raise LabelError(f"{most} Keep only the columns `item_id` and `label`.")
            table += ([] for _ in range(row - first - len(table)))
            table.append(cells)
    except BadTable as error:
        problem = Problem(error.message, error.row, remedy=error.remedy)
        what = f"Row {error.row:,}: {error.message} {error.remedy}"
        raise LabelError(f"{called(name)} cannot be read. {what}", [problem]) from None
    return first, table
