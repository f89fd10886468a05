"""Files of a zip that say different things of the same items, questions and answers for instance: joined by id."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..errors import PoolError
from ..files.foreign_names import plain_key
from ..files.open import stem
from ..pool.problems import shown
from .archive_files import Bundle, BundleFile, of_items
from .field_names import NAMES
from .json_records import FileRow

# Share of the items that a further file must have: with fewer it is of other items.
_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Further:
    """A file with a row for each item of another one.

    Parameters
    ----------
    file : str
        Its path in the zip.
    key : str
        The field with the ids.
    rows : Mapping[str, Mapping[str, Any]]
        The row of each id.
    unlike : frozenset of str
        Fields of both files with other values: they stand under the file's name.
    """

    file: str
    key: str
    rows: Mapping[str, Mapping[str, Any]]
    unlike: frozenset[str]

    @property
    def remark(self) -> str:
        """Return a remark on what was joined."""
        return f"{shown(self.file)} says more of the same items; its fields are joined by {shown(self.key)}."

    def beside(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row with the fields of its item in this file."""
        more = self.rows.get(_id_of(row) or "", {})
        other = {name: more[name] for name in self.unlike if name in more}
        return {**more, **row, **({_name(self.file): other} if other else {})}


def joined(
    bundle: Bundle, chosen: Bundle, rows_of: Callable[[BundleFile], Iterable[FileRow]]
) -> tuple[Bundle, tuple[Further, ...]]:
    """Return the files whose rows are items, and those that say more of the same items.

    Parameters
    ----------
    bundle : Bundle
        All files that may hold items.
    chosen : Bundle
        The largest of one shape.
    rows_of : callable
        Reads the rows of a file.

    Returns
    -------
    (Bundle, tuple of Further)
        Of two files the one with several rows an item (of models, say) has the items. Files of other items, and such
        without ids, or without a prompt, an answer or a score, stay skipped.
    """
    same = {file.source.data for file in chosen.files}
    others = [file for file in bundle.files if file.source.name in chosen.skipped and file.source.data not in same]
    if not others or chosen.is_one_each:
        return chosen, ()
    items = _read(chosen.files, rows_of)
    further = list[Further]()
    for file in others:
        rows = _read([file], rows_of) if of_items(file.beginning.keys) else []
        mine, theirs = {_id_of(row) for row in items}, {_id_of(row) for row in rows}
        # Rows of several models, say: the file that was chosen says more of each.
        is_longer = len(theirs) < len(rows) and theirs <= mine
        if is_longer and len(mine) == len(items) and len(chosen.files) == 1 and not further:
            first, rows, items = chosen.files[0].source.name, items, rows
            chosen = bundle.without({one.source.name for one in bundle.files} - {file.source.name})
        elif rows and items and len(theirs) == len(rows) and _covers(theirs, mine, len(items)):
            first = file.source.name
        else:
            continue
        further.append(_further(first, rows, items))
    files = {one.file for one in further}
    return Bundle(chosen.files, tuple(name for name in chosen.skipped if name not in files)), tuple(further)


def beside(rows: Iterator[FileRow], further: Iterable[Further]) -> Iterator[FileRow]:
    """Add the fields of further files to rows."""
    for place, row in rows:
        for one in further:
            row = one.beside(row)
        yield place, row


def _further(file: str, rows: Sequence[Mapping[str, Any]], items: Iterable[Mapping[str, Any]]) -> Further:
    key = next(filter(_is_id, rows[0]))
    of_id = {str(_id_of(row)): {name: one for name, one in row.items() if not _is_id(name)} for row in rows}
    unlike = set[str]()
    for row in items:
        more = of_id.get(str(_id_of(row)), {})
        unlike.update(name for name, value in more.items() if name in row and row[name] != value)
    return Further(file, key, of_id, frozenset(unlike - {_name(file)}))


def _covers(theirs: Collection[Any], mine: Collection[Any], rows: int) -> bool:
    """Whether a file has all items of another one, or, if these have one row each, most of them and no other."""
    both = len({*theirs} & {*mine})
    return both == len(mine) or (len(mine) == rows and both == len(theirs) >= _SHARE * rows)


def _read(files: Iterable[BundleFile], rows_of: Callable[[BundleFile], Iterable[FileRow]]) -> list[Mapping[str, Any]]:
    """Return the rows of files; none if a row has no id, or a file cannot be read."""
    rows = list[Mapping[str, Any]]()
    with suppress(PoolError):
        for _, row in chain.from_iterable(map(rows_of, files)):
            if _id_of(row) is None:
                return []
            rows.append(row)
        return rows
    return []


def _id_of(row: Mapping[str, Any]) -> str | None:
    name = next(filter(_is_id, row), None)
    return None if name is None or isinstance(row[name], dict | list) else str(row[name])


def _is_id(name: str) -> bool:
    return plain_key(name) in NAMES["id"]


def _name(file: str) -> str:
    return stem(file).rpartition("/")[2]
