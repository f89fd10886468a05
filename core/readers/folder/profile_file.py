"""The profile of a folder: what designs need of each item, in a file that is made once, and its content's leaves.

An Arrow file that is mapped, not read, one row an item in the order of the pool:

id             the item's id
hash, place    64-bit hashes of all ids in ascending order, and the place of each in the pool: ids are looked up here
division       which of the distinct divisions of its generations into meaning classes the item has
group          number of its group, by first appearance
loss:i         loss of target i, NaN if unknown; same:i: generations in the class of its answer, −1 if unknown
column:NAME    an extra column of numbers or truth values

The schema carries the rest (key ``neyman.profile``, JSON): the folder and its files as they were, the leaves of the
content that the digests are made of, the divisions, the names of groups and targets, and what the reader noted.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import PoolError, Problem
from ...pool.account import Filled
from ...pool.columns import COLUMNS, TARGET_FIELDS, TARGETS, Loose, without_empty_lists
from ...pool.digest import BATCH, Leaf, LeafHashes, StoredIds
from .folder import Folder, FolderFile

PROFILE = ".profile"
VERSION = 1
KEY = b"neyman.profile"


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of a profile about the pool as a whole.

    Parameters
    ----------
    folder : str
        Path of the folder.
    files : tuple of FolderFile
        Its files as they were.
    leaves : tuple of Leaf
        What the pool's digests are made of.
    divisions : (U, k) lists of int
        Distinct divisions of generations into meaning classes, as in `core.pool.class_counts.ClassCounts`.
    complete : bool
        Whether every item has all k generations.
    groups : list of str or None
        Names of the groups, by their numbers; None stands for no group. Empty if no item has one.
    targets : tuple of str
        Names of the targets, by their numbers.
    answered : tuple of int
        Numbers of the targets with answers or texts.
    report : list of lists
        Rows of the parse report: source, texts, parsed, example.
    notes : tuple of str
        Remarks of the reader.
    whole : bool
        Whether the folder has no other files.
    filled : tuple of Filled
        What its columns filled; empty in a profile of an earlier version.
    parsers : dict
        Version of the rules of each answer kind; empty in a profile of an earlier version.
    """

    folder: str
    files: tuple[FolderFile, ...]
    leaves: tuple[Leaf, ...]
    divisions: list[list[int]]
    complete: bool
    groups: list[str | None]
    targets: tuple[str, ...]
    answered: tuple[int, ...]
    report: list[list[Any]]
    notes: tuple[str, ...]
    whole: bool = True
    filled: tuple[Filled, ...] = ()
    parsers: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """Write them."""
        leaves = [(leaf.path, leaf.kind, leaf.content.hex()) for leaf in self.leaves]
        return json.dumps({**asdict(self), "leaves": leaves, "version": VERSION}, ensure_ascii=False).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """Read what :meth:`to_json` wrote; raises ValueError, TypeError or KeyError for anything else."""
        given = json.loads(text)
        if given.pop("version") != VERSION:
            raise ValueError("it is of another version of Neyman")
        return cls(
            **given
            | {
                "files": tuple(FolderFile(**one) for one in given["files"]),
                "leaves": tuple(
                    Leaf(tuple(path), kind, bytes.fromhex(content)) for path, kind, content in given["leaves"]
                ),
                "notes": tuple(given["notes"]),
                "targets": tuple(given["targets"]),
                "answered": tuple(given["answered"]),
                "filled": tuple(Filled(**one) for one in given.get("filled", ())),
            }
        )


class ProfileFile:
    """A profile that was made, mapped into memory.

    Parameters
    ----------
    path : Path
        The file. On Linux it may be removed while it is used.

    Raises
    ------
    PoolError
        It cannot be read, or is no profile of this version.
    """

    def __init__(self, path: Path) -> None:
        try:
            self.table: pa.Table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
            self.facts = Facts.from_json((self.table.schema.metadata or {})[KEY])
        except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
            remedy = "Profile its folder again: `python -m neyman surrogate profile FOLDER`."
            raise PoolError([Problem(f"“{path}” is not a usable profile ({error}).", remedy=remedy)]) from None
        self.path = path

    def write(self, path: Path) -> None:
        """Write the profile to another place; raises OSError."""
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, self.table.schema) as writer:
            writer.write_table(self.table)

    @property
    def folder(self) -> Folder:
        """The folder as it was."""
        return Folder(Path(self.facts.folder), self.facts.files, self.facts.whole)

    def array(self, name: str, kind: str | None = None) -> NDArray[Any]:
        """A column of numbers as one array, (N,), in its stored type or as ``kind``."""
        column, start = self.table.column(name), 0
        values = np.empty(len(column), dtype=kind or column.type.to_pandas_dtype())
        for chunk in column.chunks:
            values[start : start + len(chunk)] = chunk.to_numpy(zero_copy_only=False)
            start += len(chunk)
        return values

    @cached_property
    def ids(self) -> StoredIds:
        """The ids, looked up if they are stored."""
        return StoredIds(self.table)


# The leaves of a folder's content, as if all rows were in one file.


class Content:
    """The leaves of the content so far, as if all rows were in one file."""

    def __init__(self) -> None:
        self._hashes: dict[tuple[str, ...], LeafHashes] = {}
        self._kinds: dict[tuple[str, ...], tuple[pa.DataType, str]] = {}
        self._valued: set[tuple[str, ...]] = set()
        self._rows = 0

    def add(self, loose: Loose, file: FolderFile) -> None:
        """Add the columns of the next rows."""
        columns: dict[tuple[str, ...], pa.ChunkedArray] = {
            **{(name,): column for name, column in {**loose.columns, **loose.extras}.items()},
            **{(TARGETS, *path): column for path, column in loose.targets.items()},
        }
        for path, column in columns.items():
            if pa.types.is_null(column.type):
                continue
            values = without_empty_lists(column) if pa.types.is_list(column.type) else column
            kind, where = self._kinds.setdefault(path, (values.type, file.name))
            if kind != values.type:
                message = f"this column has the type {values.type} here, and {kind} in {where}."
                problem = Problem(message, field=".".join(path), remedy="Give it one type.", file=file.name)
                raise PoolError([problem])
            if path not in self._hashes:
                self._hashes[path] = LeafHashes(path, kind)
                self._skip(path, self._rows)
            self._hashes[path].add(values)
            if values.null_count < len(values):
                self._valued.add(path)
        self._rows += loose.size
        for path in self._hashes.keys() - columns.keys():
            self._skip(path, loose.size)
        for path, column in columns.items():
            if path in self._hashes and pa.types.is_null(column.type):
                self._skip(path, loose.size)

    def leaves(self) -> tuple[Leaf, ...]:
        """Those of the columns with a value, in the order of a canonical table."""
        order = {name: number for number, name in enumerate((*COLUMNS, TARGETS))}
        paths = [path for path in self._hashes if path in self._valued]
        models = list(dict.fromkeys(path[1] for path in paths if path[0] == TARGETS))
        fields = list(TARGET_FIELDS)
        places = {path: number for number, path in enumerate(paths)}

        def rank(path: tuple[str, ...]) -> tuple[int, int, int]:
            if path[0] == TARGETS:
                return order[TARGETS], models.index(path[1]), fields.index(path[2])
            return order.get(path[0], len(order)), places[path], 0

        return tuple(leaf for path in sorted(paths, key=rank) for leaf in self._hashes[path].leaves())

    def _skip(self, path: tuple[str, ...], rows: int) -> None:
        """Hash rows without a value."""
        for start in range(0, rows, BATCH):
            nulls = pa.nulls(min(BATCH, rows - start), self._kinds[path][0])
            self._hashes[path].add(pa.chunked_array([nulls]))
