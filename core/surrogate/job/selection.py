"""Which items a job is for: a label request (CSV or JSON Lines with ``item_id``), or a text with an id a line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from ...files.jsontext import BadJson, decode
from ...labels.formats.escaping import item_id, unescape
from ..faults import SurrogateError
from .parameters import Shot

_COLUMNS = ("item_id", "id")
_LARGEST = 500_000_000


def read_ids(path: Path) -> tuple[str, ...]:
    """Read the ids in a file, in its order, each once.

    Raises
    ------
    SurrogateError
        The file cannot be read, or contains no ids.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise SurrogateError(f"“{path.name}” is too large for a list of items.")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SurrogateError(f"The list of items “{path.name}” cannot be read as text.") from error
    ids = tuple(dict.fromkeys(_ids(text, path.name)))
    if not ids:
        raise SurrogateError(f"The list of items “{path.name}” is empty.")
    return ids


def read_shots(path: Path) -> tuple[Shot, ...]:
    """Read the examples in a file, JSON Lines with ``prompt``, ``answer`` and maybe ``choices``.

    Raises
    ------
    SurrogateError
        The file cannot be read, contains none, or a line is no example.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SurrogateError(f"The examples “{path.name}” cannot be read as text.") from error
    return shots_of(text, path.name)


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
