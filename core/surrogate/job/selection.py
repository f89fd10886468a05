"""Lists of a job's items: a label request (CSV or JSON Lines with ``item_id``), or a text with an id a line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from ...errors import PoolError
from ...files.jsontext import BadJson, decode, decoded
from ...files.open import Source
from ...files.sheets import BadWorkbook, suited_sheets
from ...labels.formats.escaping import item_id, unescape
from ...words import listed
from ..faults import SurrogateError
from .parameters import Shot

_COLUMNS = ("item_id", "id")
_LARGEST = 500_000_000
_PARQUET = b"PAR1"
_SAVE = "Save it as CSV with a column item_id, or as a text with one id a line."


def read_ids(path: Path) -> tuple[str, ...]:
    """Read the ids in a file, in its order, each once.

    Raises
    ------
    SurrogateError
        The file cannot be read, or contains no ids.
    """
    what = f"The list of items “{path.name}”"
    ids = tuple(dict.fromkeys(_ids(_text(path, what), path.name)))
    if not ids:
        raise SurrogateError(f"{what} is empty.")
    return ids


def read_shots(path: Path) -> tuple[Shot, ...]:
    """Read the examples in a file, JSON Lines with ``prompt``, ``answer`` and maybe ``choices``.

    Raises
    ------
    SurrogateError
        The file cannot be read, contains none, or a line is no example.
    """
    return shots_of(_text(path, f"The file of examples “{path.name}”"), path.name)


def shots_of(text: str, name: str) -> tuple[Shot, ...]:
    """Read the examples in a text of JSON Lines, as :func:`read_shots`; ``name`` stands in errors.

    Raises
    ------
    SurrogateError
        It contains none, or a line is no example.
    """
    shots = tuple(_shots(text, name))
    if not shots:
        raise SurrogateError(f"“{name}” contains no examples. Write one a line, with prompt and answer.")
    return shots


def _text(path: Path, what: str) -> str:
    """Read a file as text, whatever its encoding; of a workbook, the sheet with the ids as CSV."""
    try:
        source = Source.of(path)
        if source.is_zip:
            return _csv_of_sheet(source.content(_LARGEST), what)
        head = source.head()
        if head.startswith(_PARQUET):
            raise SurrogateError(f"{what} is a Parquet file. {_SAVE}")
        source.refuse_foreign(head)
        return decoded(source.content(_LARGEST))
    except (PoolError, BadJson, BadWorkbook) as error:
        raise SurrogateError(f"{what} cannot be read: {error}") from error


def _csv_of_sheet(content: bytes, what: str) -> str:
    sheets = suited_sheets(content, lambda names: not set(_COLUMNS).isdisjoint(names))
    if not sheets:
        raise SurrogateError(f"{what} has no sheet whose first row names item_id or id. {_SAVE}")
    if len(sheets) > 1:
        names = listed([f"“{sheet.name}”" for sheet in sheets])
        raise SurrogateError(f"{what} names items in the sheets {names}. Keep one of them.")
    text = io.StringIO()
    csv.writer(text).writerows([["" if cell is None else cell for cell in row] for row in sheets[0].rows])
    return text.getvalue()


def _shots(text: str, name: str) -> Iterable[Shot]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                record = decode(line)
                choices = tuple(str(choice) for choice in record.get("choices") or ())
                yield Shot(str(record["prompt"]), str(record["answer"]), choices)
            except (BadJson, KeyError, TypeError, AttributeError) as error:
                raise SurrogateError(f"“{name}”, row {number}: an example needs a prompt and an answer.") from error


def _ids(text: str, name: str) -> Iterable[str]:
    first = text.lstrip().partition("\n")[0]
    if first.startswith("{"):
        return _ids_of_json(text, name)
    delimiter = max(",;\t", key=first.count)
    try:
        rows = csv.reader(io.StringIO(text.lstrip(), newline=""), delimiter=delimiter)
        header = next(rows, [])
        place = next((header.index(column) for column in _COLUMNS if column in header), None)
        if place is None:
            return (line.strip() for line in text.splitlines() if line.strip())
        return [item_id(unescape(row[place])) for row in rows if len(row) > place and row[place]]
    except csv.Error as error:
        raise SurrogateError(f"“{name}” cannot be read as CSV ({error}).") from error


def _ids_of_json(text: str, name: str) -> Iterable[str]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                record = decode(line)
                yield str(next(record[column] for column in _COLUMNS if column in record))
            except (BadJson, StopIteration, TypeError) as error:
                raise SurrogateError(f"“{name}”, row {number}: there is no item_id.") from error
