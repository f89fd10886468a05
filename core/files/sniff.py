"""The format of a file from its beginning: what it is made of, and the names in it."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq

from .archives import is_hidden
from .open import Source
from .tables import BadTable, lines_of, table
from .workbooks import MEMBER

ZIP, WORKBOOK, PARQUET = "zip", "workbook", "Parquet"
ARRAY, OBJECT, TABLE = "JSON array", "JSON object", "table"
_LOOKED_AT = 1024**2
_DEEPEST = 100
_ROWS = 50
# A text, with the colon after it if it is a key; or a bracket. What is read may end within a text.
_SIGNS = re.compile(r'"((?>(?:[^"\\]++|\\.)*))(?:"(\s*:)?|\\?\Z)|[\[\]{}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Beginning:
    """The beginning of a file.

    Parameters
    ----------
    container : str
        `ZIP`, `WORKBOOK`, `PARQUET`, `ARRAY` or `OBJECT` of JSON (also one object a line), or `TABLE`.
    keys : frozenset of str
        Names of a zip's members or of columns; of JSON the keys of the first object, as far as its first MiB goes.
    rows : tuple of lists
        Cells of the first rows of a table or a workbook; empty for other files.
    inner : frozenset of str
        Of JSON the keys of the objects within the first object, and of those in its lists, as far as it was read. Of a
        zip with one JSON file alone, the keys of its first object.
    """

    container: str
    keys: frozenset[str]
    rows: tuple[list[str], ...] = ()
    inner: frozenset[str] = frozenset()

    @classmethod
    def of(cls, source: Source) -> Beginning:
        """Look at a file; raises :class:`core.errors.PoolError` if it is empty or of another kind."""
        head = source.head()
        if source.is_zip:
            return _of_zip(source)
        if head.startswith(b"PAR1"):
            return cls(PARQUET, _columns(source))
        source.refuse_foreign(head)
        text = _text(source).lstrip(" \t\r\n")
        if text.startswith(("{", "[")):
            keys, inner = _keys(text)
            return cls(OBJECT if text[0] == "{" else ARRAY, keys, inner=inner)
        rows = tuple(islice(_rows(text), _ROWS))
        return cls(TABLE, frozenset(rows[0] if rows else ()), rows)


def _rows(text: str) -> Iterator[list[str]]:
    try:
        yield from ([cell.strip() for cell in cells] for _, cells in table(lines_of(text))[1])
    except BadTable:  # Whatever is wrong with it, its reader says.
        return


def _text(source: Source) -> str:
    with source.opened() as file:
        return file.read(_LOOKED_AT).decode("utf-8-sig", "replace")


def _of_zip(source: Source) -> Beginning:
    names, inner = frozenset[str](), frozenset[str]()
    try:
        with source.raw() as raw, zipfile.ZipFile(raw) as archive:
            names = frozenset(archive.namelist())
            of_json = [name for name in names if name.lower().endswith(".json") and not is_hidden(name)]
            if len(of_json) == 1 and MEMBER not in names:
                with archive.open(of_json[0]) as file:
                    inner = _keys(file.read(_LOOKED_AT).decode("utf-8-sig", "replace").lstrip())[0]
    except Exception:  # Whatever is wrong with it, its reader says.
        pass
    if MEMBER not in names:
        return Beginning(ZIP, names, inner=inner)
    sheet = source.sheet
    rows = (sheet.header, *(cells for _, cells in sheet.rows[: _ROWS - 1]))
    return Beginning(WORKBOOK, frozenset(sheet.header), rows)


def _columns(source: Source) -> frozenset[str]:
    try:
        with pq.ParquetFile(pa.BufferReader(source.data) if source.path is None else str(source.path)) as file:
            return frozenset(file.schema_arrow.names)
    except Exception:  # Whatever is wrong with it, its reader says.
        return frozenset()


def _keys(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the keys of the first object, which is the whole or an array's first element, and of those within it."""
    opened, keys, inner = "", list[str](), list[str]()
    for match in _SIGNS.finditer(text):
        sign = match[0]
        if sign in "{[":
            opened += sign
        elif sign in "}]":
            opened = opened[:-1]
            if "{" not in opened:
                break
        elif match[2] and opened in ("{", "[{", "{{", "{[{"):
            (keys if opened in ("{", "[{") else inner).append(
                match[1] if "\\" not in match[1] else _unescaped(match[1])
            )
        elif len(opened) > _DEEPEST:
            break
    return frozenset(keys), frozenset(inner)


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text
