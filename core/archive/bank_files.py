"""Files of banks of verdicts: a table, and beside it what it says of audits and estimates, as text."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

_LINES = csv.ParseOptions(newlines_in_values=True)


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
        It is neither.
    """
    if content[:4] == b"PAR1":
        table = pq.read_table(io.BytesIO(content))
        said = {name.decode(): text.decode() for name, text in (table.schema.metadata or {}).items()}
        return table.replace_schema_metadata(None), said
    names = csv.read_csv(io.BytesIO(content), parse_options=_LINES).column_names
    texts = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    return csv.read_csv(io.BytesIO(content), parse_options=_LINES, convert_options=texts), {}
