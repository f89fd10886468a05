"""Verdicts in NEYMAN_HOME, a part for each source, and files of banks of verdicts."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import BankError, PoolError
from ..files.open import Source
from ..files.tables import BadTable, table_of
from ..words import counted
from .database import Database


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


# A source that was forgotten stays so: it is not taken in again.
FORGOTTEN = "forgotten"
_PUT = (
    "INSERT INTO verdict_parts (source, state, content, created) VALUES (?, ?, ?, ?) ON CONFLICT (source) DO UPDATE"
    " SET state = excluded.state, content = excluded.content, created = excluded.created"
)


@dataclass(frozen=True, slots=True)
class VerdictPart:
    """The verdicts of one source.

    Parameters
    ----------
    state : str
        What the source was like when it was taken in; another state is taken in again. `FORGOTTEN` never is.
    content : bytes
        Of `core.bank.Bank.to_bytes`.
    """

    state: str
    content: bytes


@dataclass(frozen=True, slots=True)
class VerdictParts:
    """Parts of the bank of verdicts, kept beyond a session.

    Parameters
    ----------
    database : Database
        The database of NEYMAN_HOME.
    """

    database: Database

    def save(self, source: str, state: str, content: bytes, created: str) -> None:
        """Keep the verdicts of a source, in place of those before, unless it was forgotten.

        Parameters
        ----------
        source : str
            “pool <digest>”, “plan <id>”, or a name that somebody gave.
        state, content
            As in `VerdictPart`.
        created : str
            ISO time.

        Raises
        ------
        HomeError
            They cannot be written.
        """
        self.database.execute(f"{_PUT} WHERE verdict_parts.state <> '{FORGOTTEN}'", source, state, content, created)

    def forget(self, source: str, created: str) -> None:
        """Keep the verdicts of a source no longer, and never take them in again; parameters as in `save`."""
        self.database.execute(_PUT, source, FORGOTTEN, b"", created)

    def remember(self, source: str) -> None:
        """Take a source in again that was forgotten."""
        self.database.execute("DELETE FROM verdict_parts WHERE source = ? AND state = ?", source, FORGOTTEN)

    def states(self) -> dict[str, str]:
        """Return the state of each source."""
        query = "SELECT source, state FROM verdict_parts"
        return self.database.once("verdict states", lambda: dict(self.database.select(query)))

    def all(self) -> dict[str, VerdictPart]:
        """Return the part of each source, in the order in which they were first taken in."""
        rows = self.database.select("SELECT source, state, content FROM verdict_parts ORDER BY rowid")
        return {source: VerdictPart(state, content) for source, state, content in rows}
