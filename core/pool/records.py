"""Records (one dict per item, the native keys) → loose columns, batch by batch."""

from __future__ import annotations

import shlex
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from ..words import counted, listed
from .columns import COLUMNS, TARGET_FIELDS, TARGETS, Loose
from .problems import Problems, shown
from .values import extra, native, united

BATCH = 20_000
_BATCH_SIZE = 16 * 1024**2  # characters: a record may be long
MAX_ITEMS = 10_000_000
MAX_NAMES = 500  # of targets, and of extra keys: each is a column over all items
_NAMED = 6
MOST_COLUMNS = 4 * MAX_NAMES  # of a file
_EXAMPLE = 'Write for instance {"gpt-4": {"answer": "B", "loss": 0}}.'


class Records:
    """Collects records; ``loose`` hands over the columns.

    Parameters
    ----------
    problems : Problems
        Where problems are added.
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._rows = array("q")
        self._batch: list[dict[str, Any]] = []
        self._size = 0
        self._sizes: list[int] = []
        self._columns: dict[str, dict[int, pa.Array]] = {}
        self._targets: dict[tuple[str, str], dict[int, pa.Array]] = {}
        self._extras: dict[str, dict[int, pa.Array]] = {}
        self._models: dict[str, bool] = {}
        self._is_full = False
        # Keys of targets that are none of theirs: how many records have one, and the first.
        self._unread: dict[str, tuple[int, int]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: int, record: dict[str, Any], size: int = 0) -> None:
        """Take one record; ``row`` is its 1-based place in the file, ``size`` the number of its characters there."""
        self._problems.tally.take(row)
        self._rows.append(row)
        self._batch.append(record)
        self._size += size
        if len(self._rows) > MAX_ITEMS:
            self._problems.add(f"there are more than {MAX_ITEMS:,} items.", row, remedy="Split the file.")
            self._problems.stop()
        if len(self._batch) == BATCH or self._size > _BATCH_SIZE:
            self._flush()

    def loose(self) -> Loose:
        """Return all records as columns of the native types, not yet checked against each other."""
        if self._batch:
            self._flush()
        self._problems.note(unread_keys(self._unread, list(self._targets), list(self._extras)))
        return Loose(
            columns={name: self._joined(chunks, COLUMNS[name]) for name, chunks in self._columns.items()},
            targets={path: self._joined(chunks, TARGET_FIELDS[path[1]]) for path, chunks in self._targets.items()},
            extras={name: united(chunks, self._sizes) for name, chunks in self._extras.items()},
            rows=self._rows,
        )

    def _joined(self, chunks: dict[int, pa.Array], kind: pa.DataType) -> pa.ChunkedArray:
        parts = [
            chunks[number] if number in chunks else pa.nulls(size, kind) for number, size in enumerate(self._sizes)
        ]
        return pa.chunked_array(parts, kind)

    def _flush(self) -> None:
        batch, self._batch, self._size = self._batch, [], 0
        rows = self._rows[len(self._rows) - len(batch) :]
        number = len(self._sizes)
        self._sizes.append(len(batch))
        # A dict keeps the order in which the keys appear; a set would not.
        names = dict.fromkeys(name for keys in dict.fromkeys(map(tuple, batch)) for name in keys)
        for name in names:
            if name not in COLUMNS and name != TARGETS and not self._room_for(name):
                continue
            values = [record.get(name) for record in batch]
            if name in COLUMNS:
                chunk = native(name, values, COLUMNS[name], rows, self._problems)
                self._columns.setdefault(name, {})[number] = chunk
            elif name == TARGETS:
                for path, chunk in self._outcomes(values, rows).items():
                    self._targets.setdefault(path, {})[number] = chunk
            else:
                self._extras.setdefault(name, {})[number] = extra(name, values, rows, self._problems)

    def _room_for(self, name: str) -> bool:
        if name in self._extras:
            return True
        if len(self._extras) == MAX_NAMES or not _is_unicode(name):
            remedy = "Use the same keys in all rows."
            self._problems.add(f"the key {shown(name)} is one too many, or not valid Unicode.", None, name, remedy)
            return False
        return True

    def _outcomes(self, values: list[Any], rows: Sequence[int]) -> dict[tuple[str, str], pa.Array]:
        leaves: dict[tuple[str, str], list[Any]] = {}
        for position, outcomes in enumerate(values):
            if outcomes is None:
                continue
            if type(outcomes) is not dict:
                self._problems.add("targets is not an object.", rows[position], TARGETS, _EXAMPLE)
                continue
            for model, outcome in outcomes.items():
                if self._is_model(model) and type(outcome) is dict:
                    self._outcome(leaves, model, outcome, position, len(values), rows[position])
                elif type(outcome) is dict and model not in self._models:
                    self._too_many(model, rows[position])
                elif outcome is not None:
                    message = f"the outcome of {shown(model)} is not an object, or its name is not usable."
                    self._problems.add(message, rows[position], TARGETS, _EXAMPLE)
        return {
            (model, name): native(name, column, TARGET_FIELDS[name], rows, self._problems, f"targets.{model}.{name}")
            for (model, name), column in leaves.items()
        }

    def _too_many(self, model: str, row: int) -> None:
        """Refuse targets beyond the most that a pool has, once."""
        if not self._is_full:
            message = f"there are more than {MAX_NAMES:,} targets; {shown(model)} is the first beyond."
            self._problems.add(message, row, TARGETS, f"Keep up to {MAX_NAMES:,} targets in each file.")
        self._is_full = True

    def _is_model(self, name: str) -> bool:
        if name not in self._models:
            if len(self._models) == MAX_NAMES:
                return False
            self._models[name] = bool(name.strip()) and _is_unicode(name)
        return self._models[name]

    def _outcome(
        self,
        leaves: dict[tuple[str, str], list[Any]],
        model: str,
        outcome: dict[str, Any],
        position: int,
        size: int,
        row: int,
    ) -> None:
        for name, value in outcome.items():
            if value is None:
                continue
            if name not in TARGET_FIELDS:
                path = f"{TARGETS}.{model}.{name}"
                count, first = self._unread.get(path, (0, row))
                self._unread[path] = count + 1, first
            else:
                column = leaves.get((model, name))
                if column is None:
                    column = leaves[model, name] = [None] * size
                column[position] = value


def unread_keys(
    counts: Mapping[str, tuple[int, int]], known: Sequence[tuple[str, str]] = (), extras: Sequence[str] = ()
) -> str:
    """Name the keys of targets that a pool does not read, and the command that reads the first; "" for none.

    Parameters
    ----------
    counts : mapping of str to tuple of int
        For each path how many records have it, and the row of the first.
    known : sequence of (str, str)
        Targets and their fields that are read, which the command keeps.
    extras : sequence of str
        Columns that are kept, as the command does.
    """
    if not counts:
        return ""
    named = [f"{shown(path)} ({counted(count, 'item')}, from row {row} on)" for path, (count, row) in counts.items()]
    more = [f"{len(named) - _NAMED:,} more"] * (len(named) > _NAMED)
    first = next(iter(counts))
    model = first.removeprefix(f"{TARGETS}.").rpartition(".")[0]
    kept = [(name, field) for name, field in known if field != "unscored" and (name, field) != (model, "loss")]
    options = [f"--target {name}:{field}={TARGETS}.{name}.{field}" for name, field in kept]
    options += [f"--target {model}:right={first}", *(f"--column {name}" for name in extras)]
    command = " ".join(shlex.join(option.split(" ", 1)) for option in options)
    return (
        f"{listed([*named[:_NAMED], *more])} {'is' if len(named) == 1 else 'are'} not read: a target has "
        f"{listed(list(TARGET_FIELDS))}. A score is its “loss”: 0 for right, 1 for wrong. Or say what 1 means there: "
        f"“Change the fields” on page Pool, or neyman pool map FILE {command}"
    )


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
