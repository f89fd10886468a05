"""A folder as a pool: what designs need comes from its profile, texts from the folder where they are looked up."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...answers import PARSER_VERSION
from ...errors import PoolError, Problem
from ...pool.account import FileAccount, beside
from ...pool.class_counts import ClassCounts
from ...pool.columns import COLUMNS, TARGET_FIELDS, TARGETS, WEIGHT, Loose, targets_column, without_empty_lists
from ...pool.digest import Leaf, LeafHashes
from ...pool.pool import ItemIds, Pool
from ...pool.stored import StoredTable
from ..parquet import MAX_MEMORY
from .folder import ROWS
from .profile_file import ProfileFile
from .profiling import profile

_KINDS = {"string": pa.string(), "double": pa.float64(), "int64": pa.int64(), "bool": pa.bool_()}
# Looked-up items that are kept: pages ask for the same ones with every run.
_MOST_RECENT = 20_000


class FolderTable(StoredTable):
    """The columns of a folder: numbers from its profile, texts from its files.

    Parameters
    ----------
    stored : ProfileFile
        The profile.
    """

    def __init__(self, stored: ProfileFile) -> None:
        self.leaves = stored.facts.leaves
        self.num_rows = stored.table.num_rows
        self.schema = _schema(stored.facts.leaves)
        self._stored, self._folder = stored, stored.folder
        self._read: dict[tuple[str, ...], pa.ChunkedArray] = {}
        self._recent: dict[tuple[str, ...], tuple[NDArray[np.int64], pa.Table]] = {}

    def leaf(self, path: tuple[str, ...]) -> pa.ChunkedArray:
        """Read a column, or a field of a struct; numbers come from the profile.

        Raises
        ------
        PoolError
            The folder was changed, or the column is too large for memory.
        """
        if path == ("id",):
            return self._stored.table.column("id")
        if len(path) == 1 and f"column:{path[0]}" in self._stored.table.column_names:
            return self._stored.table.column(f"column:{path[0]}")
        if path == ("group",):
            names = pa.array(self._stored.facts.groups, pa.string())
            chunks = self._stored.table.column("group").chunks
            return pa.chunked_array([names.take(chunk) for chunk in chunks], pa.string())
        if path not in self._read:
            size = self._folder.unpacked([path[0]])
            if size > MAX_MEMORY:
                message = f"“{path[0]}” of all {self.num_rows:,} items takes {size / 1024**3:.3g} GiB of memory."
                raise PoolError([Problem(message, remedy="Use a smaller pool for anything that needs every text.")])
            table = pa.concat_tables(self.pieces([path[0]], ROWS))
            values = table.column(path[0])
            self._read[path] = pc.struct_field(values, list(path[1:])) if path[1:] else values
        return self._read[path]

    def pieces(self, names: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Read some columns, so many rows at a time; raises PoolError if the folder was changed."""
        hashes = {name: LeafHashes((name,), self.schema.field(name).type) for name in names}
        for file in self._folder.files:
            for loose in self._folder.batches(file, names, rows):
                piece = self._canonical(loose, names)
                for name, column in hashes.items():
                    column.add(piece.column(name))
                yield piece
        recorded = {leaf for leaf in self.leaves if leaf.path[0] in hashes}
        if {leaf for column in hashes.values() for leaf in column.leaves()} != recorded:
            raise self._folder.changed(str(self._folder.path), "was changed")

    def rows(self, places: Sequence[int] | NDArray[np.int64], names: Sequence[str] | None = None) -> pa.Table:
        """Look up some columns of the items at these places, in their order; raises PoolError as :meth:`leaf`."""
        at = np.asarray(places, dtype=np.int64)
        chosen = tuple(self.column_names if names is None else names)
        known, table = self._recent.get(chosen, (np.empty(0, dtype=np.int64), None))
        if table is None or known.size + at.size > _MOST_RECENT:
            known, table = np.unique(at), self._looked_up(np.unique(at), chosen)
        elif (missing := np.setdiff1d(at, known)).size:
            known = np.r_[known, missing]
            order = np.argsort(known)
            table = pa.concat_tables([table, self._looked_up(missing, chosen)]).combine_chunks().take(pa.array(order))
            known = known[order]
        self._recent = {**self._recent, chosen: (known, table)}
        return table.take(pa.array(np.searchsorted(known, at)))

    def _looked_up(self, distinct: NDArray[np.int64], names: tuple[str, ...]) -> pa.Table:
        """Look up items at distinct places, ascending."""
        starts = self._folder.starts
        of_file = np.searchsorted(starts, distinct, side="right") - 1
        pieces = []
        for number in np.unique(of_file).tolist():
            file = self._folder.files[number]
            self._folder.check([file])
            here = distinct[of_file == number]
            piece = self._canonical(self._folder.take(file, here - starts[number], {"id", *names}), ("id", *names))
            if piece.column("id").to_pylist() != self._stored.ids[here].tolist():
                raise self._folder.changed(file.name, "was changed")
            pieces.append(piece)
        table = pa.concat_tables(pieces) if pieces else self.schema.empty_table()
        return table.select(list(names)).combine_chunks()

    def _canonical(self, loose: Loose, names: Sequence[str]) -> pa.Table:
        """The columns in the types of the whole folder; nulls where these rows have no such column."""
        columns: dict[str, pa.ChunkedArray] = {}
        for name in names:
            kind = self.schema.field(name).type
            if name == TARGETS:
                paths = [leaf.path[1:] for leaf in self.leaves if leaf.path[0] == TARGETS]
                absent = {path: _nulls(loose.size, TARGET_FIELDS[path[1]]) for path in paths}
                columns[name] = targets_column(
                    {path: loose.targets.get((path[0], path[1]), absent[path]) for path in paths}  # type: ignore[misc]
                )
                continue
            column = {**loose.columns, **loose.extras}.get(name)
            if column is None or pa.types.is_null(column.type):
                column = _nulls(loose.size, kind)
            columns[name] = without_empty_lists(column) if pa.types.is_list(kind) else column.cast(kind)
        return pa.table(columns)


_BY_EARLIER_RULES = (
    "The profile of this folder read its answers by earlier rules. To read them again by today’s, profile the folder "
    "again: `python -m neyman surrogate profile FOLDER`."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FolderPool(Pool):
    """A pool whose texts stay in a folder of Parquet files.

    Whatever a design needs is in the profile: signals under the items' own answer kinds, groups, losses, columns of
    numbers. Texts are read if an item is looked up (:meth:`rows`, :meth:`part`). What goes through every text, as
    :attr:`items` or another answer kind does, reads the folder, and refuses one too large for memory.

    Parameters
    ----------
    stored : ProfileFile
        The profile.
    """

    stored: ProfileFile = field(kw_only=True)

    @classmethod
    def of(cls, stored: ProfileFile, name: str) -> FolderPool:
        """The pool of a profile; raises PoolError if the folder was changed since."""
        stored.folder.check()
        size = stored.table.num_rows
        account = FileAccount(size, size, filled=stored.facts.filled)
        notes = (
            stored.facts.notes if stored.facts.parsers == PARSER_VERSION else (*stored.facts.notes, _BY_EARLIER_RULES)
        )
        return cls(name, FolderTable(stored), notes, account=account, stored=stored)

    @property
    def weights(self) -> None:
        """None: items of a folder count the same; if its files have weights, a remark says so."""
        return None

    def weighted(self, by: str | Mapping[str, float] | None, group: str = "group") -> Pool:
        """Refuse weights: the items of a folder count the same."""
        raise PoolError(
            "This pool stays in its folder, and its items count the same. Make a smaller pool to weigh them."
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, as in :class:`Pool`; texts that stay in the folder are not looked at."""
        unused = ("The weights of the items are not used: the items of a folder count the same.",)
        return (*beside(self.account, self.notes), *(unused if WEIGHT in self.source.column_names else ()))

    @property
    def n_generations(self) -> int:
        """Largest number of generations of an item, k; 0 if the pool has none."""
        return len(self.stored.facts.divisions[0])

    @property
    def complete(self) -> bool:
        """Whether every item has all k generations."""
        return self.stored.facts.complete

    @property
    def ids(self) -> ItemIds:
        """Ids of the items, looked up if they are stored."""
        return self.stored.ids

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """(N,) group of each item as in :class:`Pool`; None without groups. Read-only."""
        if not self.stored.facts.groups:
            return None
        return self._once(("groups",), lambda: _read_only(self.stored.array("group", "int64")))

    @property
    def group_names(self) -> tuple[str | None, ...]:
        """Names of the groups by their numbers, as in :class:`Pool`."""
        return tuple(self.stored.facts.groups)

    def losses(self, target: str, parser: str | None = None) -> NDArray[np.float64]:
        """Losses of a target, (N,), as in :class:`Pool`. Read-only."""
        if parser is not None or target not in self.stored.facts.targets:
            return Pool.losses(self, target, parser)
        number = self.stored.facts.targets.index(target)
        return self._once(("losses", target, ""), lambda: _read_only(self.stored.array(f"loss:{number}")))

    def class_counts(self, parser: str | None = None, progress: Callable[[float], None] | None = None) -> ClassCounts:
        """Sizes of the meaning classes of every item, as in :class:`Pool`."""
        if parser is not None or not self.n_generations:
            return Pool.class_counts(self, parser, progress)

        def counts() -> ClassCounts:
            divisions = np.array(self.stored.facts.divisions, dtype=np.int64)
            return ClassCounts(divisions, _read_only(self.stored.array("division")))

        return self._once(("class counts", ""), counts)

    def agreeing(self, target: str, parser: str | None = None) -> NDArray[np.int64]:
        """Generations in the class of a target's answer, (N,), as in :class:`Pool`."""
        if parser is not None or not self.n_generations or target not in self.stored.facts.targets:
            return Pool.agreeing(self, target, parser)
        number = self.stored.facts.targets.index(target)
        if number not in self.stored.facts.answered:
            return np.full(self.n_items, -1)
        return self._once(("agreeing", target, ""), lambda: _read_only(self.stored.array(f"same:{number}")))

    def item_answers(self, position: int, parser: str | None = None) -> list[str | None]:
        """Parse the generations of one item; ``parser`` as in :meth:`classes`."""
        return Pool.item_answers(self.part([position]), 0, parser)

    def places(self, ids: Iterable[str]) -> NDArray[np.int64]:
        """Find the places of items by their ids, (n,) int from 0; −1 where the pool has no such item."""
        return self.stored.ids.places(ids)

    def find(self, text: str) -> NDArray[np.int64]:
        """Find the places of the item with this id, or of the items of this group; "" finds all."""
        if not text:
            return np.arange(self.n_items)
        place, names = self.places([text]), self.group_names
        if place[0] < 0 and self.groups is not None and text in names:
            return np.flatnonzero(self.groups == names.index(text))
        return place[place >= 0]

    def rows(self, places: Sequence[int] | NDArray[np.int64]) -> pd.DataFrame:
        """Look up the items at these places; columns as in :attr:`items`, in the order of the places."""
        table = self._source.rows(places, ["id", *self.item_columns])
        return Pool(self.name, table).items

    def items_with(self, ids: Iterable[str]) -> pd.DataFrame:
        """Give a frame as :attr:`items` of these items, as far as the pool has them, and of no others."""
        places = np.unique(self.places(ids))
        return self.rows(places[places >= 0])

    def part(self, places: Sequence[int] | NDArray[np.int64], names: Collection[str] | None = None) -> Pool:
        """Make a pool of the items at these places, 0 … N−1, in their order, with all columns or some."""
        chosen = [name for name in self.source.column_names if names is None or name in names]
        return Pool(self.name, self._source.rows(places, chosen), self.notes)

    def parse_report(self, parser: str | None = None) -> pd.DataFrame:
        """Count the texts with an answer as in :class:`Pool`; different answers are not counted (NaN)."""
        if parser is not None:
            return Pool.parse_report(self, parser)
        report = pd.DataFrame(self.stored.facts.report, columns=["source", "texts", "parsed", "example"])
        report.insert(3, "unparsed", report["texts"] - report["parsed"])
        report.insert(4, "unparsed_share", report["unparsed"] / report["texts"])
        report.insert(5, "distinct_answers", np.nan)
        return report

    @property
    def _source(self) -> FolderTable:
        assert isinstance(self.source, FolderTable)
        return self.source


def read_folder(path: Path, name: str) -> FolderPool:
    """Read a folder, or one file, as a pool with a profile that ends with it; raises as `profiling.profile`."""
    with tempfile.TemporaryDirectory(prefix="neyman-") as scratch:
        return FolderPool.of(profile(path, Path(scratch) / "folder.profile"), name)


def _schema(recorded: Sequence[Leaf]) -> pa.Schema:
    """The schema of the canonical table with these leaves."""
    fields: dict[str, pa.DataType] = {}
    models: dict[str, list[pa.Field]] = {}
    for one in recorded:
        if one.path[0] == TARGETS:
            models.setdefault(one.path[1], []).append(pa.field(one.path[2], TARGET_FIELDS[one.path[2]]))
            fields[TARGETS] = pa.null()
        else:
            fields[one.path[0]] = COLUMNS[one.path[0]] if one.path[0] in COLUMNS else _KINDS[one.kind]
    if models:
        fields[TARGETS] = pa.struct([pa.field(model, pa.struct(inner)) for model, inner in models.items()])
    return pa.schema(fields)


def _nulls(size: int, kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([pa.nulls(size, kind)])


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
