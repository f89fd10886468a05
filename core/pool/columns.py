"""The canonical columns of a pool: their types, and the checks that span rows and columns.

Readers deliver ``Loose`` columns (right types, nothing checked). ``canonical`` raises every problem at once, or returns
the one table that stands for this content, whatever file it came from. Canonical means: absent = null, an empty list =
null, a column or target field without any value is dropped.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..answers import KINDS
from .digest import hashes_of
from .problems import Problems, shown
from .stored import StoredTable

# Of the list of a version gate, a chosen part of its pool: it holds the gate.
GATE_COLUMN = "version_gate"

TEXT = pa.string()
TEXTS = pa.list_(pa.field("item", pa.string()))
NUMBER = pa.float64()
NUMBERS = pa.list_(pa.field("item", pa.float64()))

COLUMNS: dict[str, pa.DataType] = {
    "id": TEXT,
    "prompt": TEXT,
    "choices": TEXTS,
    "answer": TEXT,
    "group": TEXT,
    "item_weight": NUMBER,
    "image": TEXTS,
    "answer_kind": TEXT,
    "generations": TEXTS,
    "generation_answers": TEXTS,
    "meanings": TEXTS,
    "logprobs": NUMBERS,
    "token_logprobs": NUMBERS,
}
# A target is unscored if whoever scored it left an item open: its words are not compared there.
TARGET_FIELDS: dict[str, pa.DataType] = {
    "text": TEXT,
    "answer": TEXT,
    "meaning": TEXT,
    "loss": NUMBER,
    "unscored": pa.bool_(),
    "run_texts": TEXTS,
    "run_losses": NUMBERS,
}
# How much an item counts; items of weight 0 are left out.
WEIGHT = "item_weight"
# Of a target that was run several times on an item: all its runs, of which the first is the single answer.
RUN_TEXTS, RUN_LOSSES = "run_texts", "run_losses"
TARGETS = "targets"
# Lists with an answer for each generation, null if it has none.
ANSWER_LISTS = ("generation_answers", "meanings")

MAX_GENERATIONS = 1_000
_IDS = 1 << 16
MAX_CELLS = 200_000_000
# Fewer items that succeed, each in its last run alone, say nothing; chances at which it is refused and remarked on.
_STOPPED = 3
_REFUSED, _NOTED = 0.001, 0.05


@dataclass(slots=True)
class Loose:
    """A reader's result: columns of equal length, not yet checked.

    Parameters
    ----------
    columns : dict
        Native columns by name, of the types of ``COLUMNS``.
    targets : dict
        Outcomes by (model, field), of the types of ``TARGET_FIELDS``.
    extras : dict
        Other columns by name.
    rows : sequence of int, optional
        1-based place of each record in its file; by default record i stands at i + 1.
    """

    columns: dict[str, pa.ChunkedArray] = field(default_factory=dict)
    targets: dict[tuple[str, str], pa.ChunkedArray] = field(default_factory=dict)
    extras: dict[str, pa.ChunkedArray] = field(default_factory=dict)
    rows: Sequence[int] | None = None

    @property
    def size(self) -> int:
        """Number of records."""
        columns = [*self.columns.values(), *self.targets.values(), *self.extras.values()]
        return len(columns[0]) if columns else 0

    def composed(self) -> Loose:
        """The same with ids in Unicode's composed form (NFC): é is one character, as most programs write it, or two."""
        ids = self.columns.get("id")
        return self if ids is None else replace(self, columns={**self.columns, "id": composed(ids)})

    def row(self, position: int) -> int:
        """Place in the file, from 1, of the record at ``position``."""
        return position + 1 if self.rows is None else int(self.rows[position])


# What adds to the columns of a reader before they are checked.
Completion = Callable[[Loose, Problems], Loose]


def as_it_is(loose: Loose, problems: Problems) -> Loose:
    """Return the columns of a reader unchanged."""
    return loose


def composed(ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """Ids in Unicode's composed form."""
    return pc.utf8_normalize(ids, form="NFC")


def canonical(loose: Loose, problems: Problems) -> pa.Table:
    """Check columns and return the canonical table.

    Parameters
    ----------
    loose : Loose
        The columns.
    problems : Problems
        The problems that the reader met; remarks are added to its notes.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    PoolError
        With every problem, the reader's included.
    """
    if loose.size == 0:
        if not problems.total:
            problems.add("this file has no items.", remedy="Write one item a line, each with an id.")
        problems.stop()
    _check_ids(loose, problems)
    _check_kinds(loose, problems)
    for name in [name for name, kind in COLUMNS.items() if name in loose.columns and pa.types.is_list(kind)]:
        loose.columns[name] = without_empty_lists(loose.columns[name])
    _check_lists(loose, problems)
    if WEIGHT in loose.columns and _has_values(loose.columns[WEIGHT]):
        check_weights(loose.columns[WEIGHT], loose.row, problems)
    for (model, target_field), column in loose.targets.items():
        if target_field == "loss":
            _check_losses(loose, model, column, problems)
        if target_field in (RUN_TEXTS, RUN_LOSSES):
            loose.targets[model, target_field] = without_empty_lists(column)
    for model in dict.fromkeys(model for model, name in loose.targets if name in (RUN_TEXTS, RUN_LOSSES)):
        _check_runs(loose, model, problems)
    problems.stop()
    table = _assemble(loose)
    if WEIGHT in table.column_names:
        without = np.flatnonzero(table.column(WEIGHT).to_numpy() == 0)
        for position in without:
            problems.tally.leave_out(WEIGHTLESS, loose.row(int(position)), taken=True)
        table = with_weight(table)
    census = Census()
    census.add(table)
    census.remark(table.column_names, models(table), problems)
    return table


def lengths(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """Count the elements of each list, (N,) int; 0 if the list is null."""
    return np.asarray(pc.fill_null(pc.list_value_length(column), 0), dtype=np.int64)


def leaf(table: pa.Table | StoredTable, model: str, target_field: str) -> pa.ChunkedArray | None:
    """Look up one field of one target, None if the pool has none."""
    # Without a look at the other targets: there may be thousands.
    kind = table.schema.field(TARGETS).type if TARGETS in table.column_names else pa.struct([])
    for name in (model, target_field):
        if not pa.types.is_struct(kind) or kind.get_field_index(name) < 0:
            return None
        kind = kind.field(name).type
    if isinstance(table, StoredTable):
        return table.leaf((TARGETS, model, target_field))
    chunks = table.column(TARGETS).chunks
    return pa.chunked_array([_child(_child(chunk, model), target_field) for chunk in chunks], kind)


def _child(chunk: pa.StructArray, name: str) -> pa.Array:
    """Values of a field, null if there is no struct; `pyarrow.compute.struct_field` looks at all other fields."""
    values = chunk.field(name)
    return pc.if_else(chunk.is_valid(), values, None) if chunk.null_count else values


def models(table: pa.Table | StoredTable) -> tuple[str, ...]:
    """List the names of the targets, in the order of the file."""
    if TARGETS not in table.column_names:
        return ()
    return tuple(child.name for child in table.schema.field(TARGETS).type)


WEIGHTLESS = "items of weight 0, which never need a label"
OTHERWISE = "Or say which field is what: upload the file on page Pool, or use neyman pool map FILE."


def _check_ids(loose: Loose, problems: Problems) -> None:
    remedy = "Give every item its own id."
    if "id" not in loose.columns:
        problems.add("no item has an id.", remedy=f"{remedy} {OTHERWISE}")
        return
    ids = loose.columns["id"]
    missing = np.asarray(pc.fill_null(pc.equal(pc.utf8_trim_whitespace(ids), ""), True))
    for position in np.flatnonzero(missing):
        problems.add("the id is missing or empty.", loose.row(position), "id", remedy)
    # Hashes first: a million ids as Python texts take ten times as much memory.
    slices = (ids.slice(start, _IDS) for start in range(0, len(ids), _IDS))
    hashes = np.concatenate([hashes_of(pc.fill_null(part, "").combine_chunks()) for part in slices])
    if np.unique(hashes).size == len(ids):
        return
    codes, distinct = pd.factorize(ids.to_pandas(), use_na_sentinel=True)
    if len(distinct) == len(ids):
        return
    first = np.full(len(distinct), -1)
    present = np.flatnonzero(codes >= 0)
    first[codes[present][::-1]] = present[::-1]
    for position in present[first[codes[present]] != present]:
        if not missing[position]:
            place = loose.row(int(first[codes[position]]))
            name = shown(str(distinct[codes[position]]))
            problems.add(f"the id {name} is already used in row {place}.", loose.row(position), "id", remedy)


def _check_kinds(loose: Loose, problems: Problems) -> None:
    column = loose.columns.get("answer_kind")
    if column is None:
        return
    unknown = pc.and_(pc.is_valid(column), pc.invert(pc.is_in(column, value_set=pa.array(KINDS))))
    for position in np.flatnonzero(np.asarray(pc.fill_null(unknown, False))):
        message = f"{shown(column[int(position)].as_py())} is not an answer kind."
        problems.add(message, loose.row(position), "answer_kind", f"Use one of {', '.join(KINDS)}.")


def without_empty_lists(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Replace empty lists with nulls."""
    empty = pc.equal(pc.list_value_length(column), 0)
    return pc.if_else(empty, pa.scalar(None, column.type), column) if pc.any(empty).as_py() else column


def _check_lists(loose: Loose, problems: Problems) -> None:
    size = loose.size
    generations = loose.columns.get("generations")
    count = np.zeros(size, dtype=np.int64) if generations is None else lengths(generations)
    largest = int(count.max(initial=0))
    if largest > MAX_GENERATIONS or largest * size > MAX_CELLS:
        row = loose.row(int(count.argmax()))
        problems.add(f"there are {largest:,} generations of one item.", row, "generations", "Give fewer per item.")
    for name in (*ANSWER_LISTS, "logprobs", "token_logprobs"):
        column = loose.columns.get(name)
        if column is None:
            continue
        present = np.asarray(pc.is_valid(column))
        for position in np.flatnonzero(present & (lengths(column) != count)):
            message = f"there are {len(column[int(position)])} values for {count[position]} generations."
            problems.add(message, loose.row(position), name, "Give one value for each generation, or none.")
        if name not in ANSWER_LISTS:
            _check_finite(loose, name, column, problems)


def _check_finite(loose: Loose, name: str, column: pa.ChunkedArray, problems: Problems) -> None:
    values = np.asarray(pc.list_flatten(column).to_numpy(), dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        owner = np.repeat(np.arange(len(column)), lengths(column))
        for position in np.unique(owner[wrong]):
            message = "a log-probability is missing, NaN or infinite."
            problems.add(
                message, loose.row(position), name, "Give a number for each generation, or leave the list out."
            )
    elif (values > 1e-6).any():
        problems.note(f"Some {name} are above 0: are they logarithms?")


def check_weights(column: pa.ChunkedArray, row: Callable[[int], int], problems: Problems) -> None:
    """Add a problem for each weight that is missing, below 0 or not finite, and one if no weight is above 0.

    Parameters
    ----------
    column : ChunkedArray
        The weights.
    row : callable
        From a position to its place in the file.
    problems : Problems
        Where problems are added.
    """
    weights = np.asarray(column.cast(NUMBER).to_numpy(), dtype=np.float64)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    for position in wrong:
        found = column[int(position)].as_py()
        message = "the weight is missing." if found is None else f"the weight must be at least 0, not {found:g}."
        problems.add(message, row(int(position)), WEIGHT, "Give how much the item counts; 0 leaves it out.")
    if not wrong.size and not weights.any():
        problems.add("all weights are 0.", field=WEIGHT, remedy="Give at least one item a weight above 0.")


def with_weight(table: pa.Table) -> pa.Table:
    """Leave out the items of weight 0: they count for nothing, so nobody has to label them."""
    counts = pc.greater(table.column(WEIGHT), 0.0)
    return table if pc.all(counts).as_py() else table.filter(counts)


def _check_losses(loose: Loose, model: str, column: pa.ChunkedArray, problems: Problems) -> None:
    finite = np.asarray(pc.fill_null(pc.is_finite(column), True))
    for position in np.flatnonzero(~finite):
        message = f"the loss must be a finite number, not {column[int(position)].as_py()}."
        problems.add(message, loose.row(position), f"targets.{model}.loss", "Leave out a loss that is not known.")
    numbers = np.asarray(column.cast(NUMBER).to_numpy(), dtype=np.float64)
    low = np.flatnonzero(numbers < 0)
    if low.size and np.unique(numbers[low]).size == 1 and np.isin(numbers[numbers >= 0], (0, 1)).all():
        remedy = "A loss is 0 for right and 1 for wrong. Leave it out if the output was not scored."
        for position in low:
            message = f"the loss {numbers[position]:g} is neither 0 nor 1, as all others are."
            problems.add(message, loose.row(int(position)), f"targets.{model}.loss", remedy)
    elif low.size:
        problems.note(
            f"{low.size:,} of the losses of {shown(model)} {'is' if low.size == 1 else 'are'} below 0, the first in "
            f"row {loose.row(int(low[0]))}. They count as they are: leave out a loss that is not known."
        )


def _check_runs(loose: Loose, model: str, problems: Problems) -> None:
    """Check that outputs and losses of runs are as many, and that runs did not go on until one succeeded."""
    texts, losses = (loose.targets.get((model, name)) for name in (RUN_TEXTS, RUN_LOSSES))
    if losses is None:
        return
    if texts is not None:
        both = np.asarray(texts.is_valid()) & np.asarray(losses.is_valid())
        for position in np.flatnonzero(both & (lengths(texts) != lengths(losses))):
            message = f"there are {len(losses[int(position)])} losses of {len(texts[int(position)])} runs."
            field = f"{TARGETS}.{model}.{RUN_LOSSES}"
            problems.add(message, loose.row(int(position)), field, "Give one for each run, null if it is not known.")
    chance = chance_of_stops([[loss == 0 for loss in one[np.isfinite(one)]] for one in padded(losses)])
    said = (
        f"the runs of {shown(model)} seem to stop at the first success: items have different numbers of runs, and "
        "no run follows a success."
    )
    if chance < _REFUSED:
        problems.add(
            f"{said} Their share of successes says how long somebody tried, not how often a run succeeds.",
            remedy="Run each item equally often, or keep the first run of each item alone.",
        )
    elif chance < _NOTED:
        problems.note(
            f"{said[0].upper()}{said[1:]} That may be chance with so few items. If they do, keep the first run of each "
            "item alone: else their share of successes says how long somebody tried."
        )


def padded(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Numbers of lists, (N, R); NaN for nulls and beyond the end of a list."""
    count = lengths(column)
    values = np.full((len(column), int(count.max(initial=0))), np.nan)
    values[np.arange(values.shape[1]) < count[:, None]] = pc.list_flatten(column).to_numpy()
    return values


def chance_of_stops(verdicts: Sequence[Sequence[bool]]) -> float:
    """Chance that runs look by accident as if each item's had stopped at its first success; 1 if they do not.

    Parameters
    ----------
    verdicts : sequence of sequences of bool
        Of each item, whether its runs succeeded, in the order in which they were made.

    Notes
    -----
    They do where items have different numbers of runs, and no run follows a success, on at least three items that
    succeed. Of S successes among N runs of I items, in any order, all are the last of their items with chance
    C(I, S) / C(N, S). If also each of the h items with fewer runs than others succeeds, it is
    C(I - h, S - h) / C(N, S).
    """
    run = [list(one) for one in verdicts if len(one)]
    most, total = max(map(len, run), default=0), sum(map(len, run))
    short = [one for one in run if len(one) < most]
    successes = sum(map(any, run))
    if not short or successes < _STOPPED or any(True in one[:-1] for one in run):
        return 1.0
    given = len(short) if all(one[-1] for one in short) else 0
    return math.exp(_log_choices(len(run) - given, successes - given) - _log_choices(total, successes))


def _log_choices(of: int, few: int) -> float:
    return math.lgamma(of + 1) - math.lgamma(few + 1) - math.lgamma(of - few + 1)


def _assemble(loose: Loose) -> pa.Table:
    fields: dict[str, pa.ChunkedArray] = {
        name: loose.columns[name] for name in COLUMNS if name in loose.columns and _has_values(loose.columns[name])
    }
    targets = {path: column for path, column in loose.targets.items() if _has_values(column)}
    if targets:
        fields[TARGETS] = targets_column(targets)
    fields.update({name: column for name, column in loose.extras.items() if _has_values(column)})
    return pa.table(fields)


def _has_values(column: pa.ChunkedArray) -> bool:
    return bool(column.null_count < len(column))


def targets_column(targets: dict[tuple[str, str], pa.ChunkedArray]) -> pa.ChunkedArray:
    """Make one struct column of the leaves; no level but the leaves is ever null."""
    aligned = pa.table({str(number): column for number, column in enumerate(targets.values())})
    chunks = []
    for batch in aligned.to_batches():
        leaves = dict(zip(targets, batch.columns, strict=True))
        outcomes = {}
        for model in dict.fromkeys(model for model, _ in targets):
            names = [name for name in TARGET_FIELDS if (model, name) in leaves]
            outcomes[model] = pa.StructArray.from_arrays([leaves[model, name] for name in names], names)
        chunks.append(pa.StructArray.from_arrays(list(outcomes.values()), list(outcomes)))
    return pa.chunked_array(chunks)


class Census:
    """Counts, over any number of tables with rows of one pool, of what its remarks name."""

    def __init__(self) -> None:
        self.size = 0
        self._known: Counter[str] = Counter()
        self._of_length: Counter[int] = Counter()
        self._lacking: Counter[str] = Counter()

    @classmethod
    def of(cls, counts: dict[str, Any]) -> Census:
        """Take what :meth:`to_dict` gave, also after its way through JSON."""
        census = cls()
        census.size = counts["size"]
        census._known.update(counts["known"])
        census._lacking.update(counts["lacking"])
        census._of_length.update({int(length): number for length, number in counts["of_length"].items()})
        return census

    def to_dict(self) -> dict[str, Any]:
        """Give the counts as they stand."""
        lengths = {str(length): number for length, number in self._of_length.items()}
        return {"size": self.size, "known": self._known, "lacking": self._lacking, "of_length": lengths}

    def update(self, other: Census) -> None:
        """Add the counts of other rows."""
        self.size += other.size
        self._known.update(other._known)
        self._lacking.update(other._lacking)
        self._of_length.update(other._of_length)

    @property
    def largest(self) -> int:
        """Most generations of an item, k."""
        return max(self._of_length, default=0)

    @property
    def complete(self) -> bool:
        """Whether every item has all k generations."""
        return self.largest > 0 and self._of_length[self.largest] == self.size

    def add(self, table: pa.Table) -> None:
        """Count the rows of a canonical table."""
        names, size = table.column_names, table.num_rows
        count = lengths(table.column("generations")) if "generations" in names else np.zeros(size, np.int64)
        self.size += size
        self._of_length.update({length: number for length, number in enumerate(np.bincount(count).tolist()) if number})
        for name in ("logprobs", "token_logprobs"):
            without = np.asarray(table.column(name).is_null()) if name in names else np.ones(size, dtype=bool)
            self._lacking[name] += int((without & (count > 0)).sum())
        for model in models(table):
            leaves = [leaf(table, model, name) for name in TARGET_FIELDS]
            known = np.any([np.asarray(column.is_valid()) for column in leaves if column is not None], axis=0)
            self._known[model] += int(known.sum())

    def remark(self, names: Collection[str], targets: Iterable[str], problems: Problems) -> None:
        """Note what is unusual in a pool with these columns and targets."""
        size, none = self.size, self._of_length[0]
        fewer = size - none - self._of_length[self.largest] if self.largest else 0
        has = {number: "has" if number == 1 else "have" for number in (fewer, none)}
        if fewer:
            problems.note(f"{fewer:,} of {size:,} items {has[fewer]} fewer than {self.largest} generations.")
        if self.largest and none:
            which = f"{none:,} of {size:,} items {has[none]} no answer of the surrogate (a cheap model)."
            problems.note(f"{which} They go to the group of the hardest items.")
        for name in ("logprobs", "token_logprobs"):
            if name in names and (lacking := self._lacking[name]):
                problems.note(f"{lacking:,} of {size:,} items have generations without {name}, so {name} are not used.")
        for model in targets:
            if self._known[model] < size:
                problems.note(f"{model} has an answer or a verdict on {self._known[model]:,} of {size:,} items.")
