"""Files of banks of verdicts: a table, and beside it what it says of audits and estimates, as text."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import BankError, PoolError
from ..files.open import Source
from ..files.tables import BadTable, table_of
from ..words import counted


def read_bank_file(content: bytes) -> tuple[pa.Table, dict[str, str]]:
    """Read a bank's file: Parquet, or CSV with its verdicts alone.

    Parameters
    ----------
    content : bytes
        Of the file.

    Returns
    -------
    (pyarrow.Table, dict)
        The table, of a CSV file with texts alone; and what stands beside it, by name.

    Raises
    ------
    pyarrow.ArrowException, ValueError
        It is neither, or a row does not fit the header.
    """
    if content[:4] == b"PK\x03\x04":
        raise ValueError("it is a workbook or a zip")
    if content[:4] == b"PAR1":
        table = pq.read_table(io.BytesIO(content))
        said = {name.decode(): text.decode() for name, text in (table.schema.metadata or {}).items()}
        return table.replace_schema_metadata(None), said
    return _texts(Source.of(content)), {}


def no_bank(error: Exception) -> BankError:
    """Return the error that says that a file holds no bank, why if words say it, and what to give."""
    said = isinstance(error, ValueError) and not isinstance(error, pa.ArrowException | json.JSONDecodeError)
    why = f": {str(error).rstrip('.')}" if said else ", or a damaged one"
    return BankError(
        f"The file holds no bank of verdicts{why}. Give the Parquet or CSV file that a bank was written to."
    )


def _texts(source: Source) -> pa.Table:
    """Read a table of texts; raises ValueError as `read_bank_file`."""
    try:
        rows = list(table_of(source)[1])
    except (PoolError, BadTable) as error:
        raise ValueError(str(error)) from None
    names = rows[0][1] if rows else []
    for row, cells in rows:
        if len(cells) != len(names):
            raise ValueError(f"row {row:,} has {counted(len(cells), 'cell')}, the header {len(names):,}")
    columns = zip(*(cells for _, cells in rows[1:]), strict=True) if len(rows) > 1 else ([] for _ in names)
    return pa.table([pa.array(column, pa.string()) for column in columns], names)
