"""Outputs of models in a file of results, a row for each model and item; one file under several names is read once.

Every reader of results delivers :class:`ModelOutputs`; :mod:`core.readers.model_results` puts those of several files
side by side.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from configparser import ConfigParser
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path, PurePath
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import Problem
from ..files.open import Source, stem
from ..files.sniff import OBJECT, Beginning
from ..pool.account import FileAccount, Filled, ToolTotal
from ..pool.columns import (
    COLUMNS,
    NUMBER,
    NUMBERS,
    RUN_LOSSES,
    RUN_TEXTS,
    TARGETS,
    TEXT,
    TEXTS,
    composed,
    leaf,
    lengths,
    models,
)
from ..pool.origin import WHAT, Origin, count
from ..pool.pool import Pool
from ..pool.problems import Problems, RecordTally, shown
from ..pool.records import Records, native
from .joining import LOSS, LOSSES, MODEL, RUN, RUNS, TASK, UNSCORED, with_column
from .resolve_ids import LINK, PLACE, REQUEST, TOTAL, TRACE, UNNAMED, items_only

# Place in the file from 1, the record, and the number of characters it was read from.
Record: TypeAlias = tuple[int, dict[str, Any], int]
SAMPLES = ("generations", "generation_answers", "meanings", "logprobs", "token_logprobs")
OF_THE_OUTPUT = frozenset(
    {MODEL, LOSS, LOSSES, UNSCORED, RUN, RUNS, *SAMPLES, PLACE, REQUEST, TRACE, LINK, UNNAMED, TOTAL}
)
# What results have beside the columns of a pool; a file's own column of such a name is another thing.
OF_RESULTS = (OF_THE_OUTPUT | {TASK}) - set(SAMPLES)


@dataclass(frozen=True, slots=True, eq=False)
class ModelOutputs:
    """The contents of a file of results, a row for each model and item.

    Parameters
    ----------
    table : pyarrow.Table
        ``model`` (a placeholder if the file has items alone); ``task`` if the tool has tasks; the native
        columns of the item (``id``, ``prompt``, ``choices``, ``answer``, ``group``, ``answer_kind``); the model's
        samples as ``generations``, with ``generation_answers`` if the file has them parsed (null: no answer);
        ``loss`` of the first sample if the file has its score, else null; ``losses_of_runs`` if it has those of
        several; ``unscored`` (true, else null) if it
        was scored and the score says nothing; and what else the file says of the item.
    notes : tuple of str
        Remarks of the reader.
    origin : Origin, optional
        What the file was recognized as.
    account : FileAccount, optional
        What became of the file's records.
    content : str
        Hex SHA-256 of the file's content, unpacked; "" if it is not known.
    refusal : Problem, optional
        Of a file with totals alone, which has no rows: why it is refused without the files that have the items.
    """

    table: pa.Table
    notes: tuple[str, ...] = ()
    origin: Origin | None = None
    account: FileAccount | None = None
    content: str = ""
    refusal: Problem | None = None

    @classmethod
    def of_totals(cls, totals: Iterable[ToolTotal], refusal: Problem) -> ModelOutputs:
        """Make what a file with totals alone holds."""
        empty = pa.table({MODEL: pa.array([], TEXT), "id": pa.array([], TEXT)})
        return cls(empty, account=FileAccount(0, 0, totals=tuple(totals)), refusal=refusal)

    @property
    def n_items(self) -> int:
        """Number of distinct items, those of several tasks apart."""
        return _distinct(self.table, (TASK, "id"))

    def accounted(self, tally: RecordTally, origin: Origin) -> ModelOutputs:
        """The outputs with the account of the records that were counted while they were read."""
        account = tally.account(self.n_items, _filled(self.table, origin.fields, self.n_items))
        remarks = account.remarks if account is not None else ()
        return replace(self, notes=(*self.notes, *remarks), origin=origin, account=account)

    @classmethod
    def of(cls, records: Iterable[Record], problems: Problems) -> ModelOutputs:
        """Collect records with the keys above.

        Parameters
        ----------
        records : iterable of Record
        problems : Problems
            The reader's.

        Returns
        -------
        ModelOutputs

        Raises
        ------
        PoolError
            With every problem; a model without a name, an item without an id and a pair of the two that comes again
            in a task are such.
        """
        collected = Records(problems)
        for row, record, size in records:
            collected.add(row, record, size)
        loose = collected.loose()
        if not loose.size and not problems.total:
            problems.add("there are no results in this file.", remedy="Choose the file that has the samples.")
        problems.stop()
        return cls.of_columns({**loose.columns, **loose.extras}, loose.rows or range(1, loose.size + 1), problems)

    @classmethod
    def of_columns(cls, columns: dict[str, pa.ChunkedArray], rows: Sequence[int], problems: Problems) -> ModelOutputs:
        """Take columns with the names above; ``rows`` are their places in the file. Raises as :meth:`of`."""
        for name, kind in ((MODEL, TEXT), (LOSS, NUMBER)):
            if name in columns and columns[name].type == kind:
                continue
            values = columns[name].to_pylist() if name in columns else [None] * len(rows)
            columns[name] = pa.chunked_array([native(name, values, kind, rows, problems)], kind)
        if LOSSES in columns:
            lists = [one if one is None else json.loads(one) for one in columns[LOSSES].to_pylist()]
            columns[LOSSES] = pa.chunked_array([pa.array(lists, NUMBERS)])
        if "id" in columns:
            columns["id"] = composed(columns["id"])
        _check_pairs(columns, rows, problems)
        return cls(pa.table(columns), tuple(problems.notes))


def outputs_of_pool(pool: Pool) -> ModelOutputs:
    """Take a pool apart: its generations are the samples of a model called as the pool, each target is a model.

    Parameters
    ----------
    pool : Pool
        Any pool.

    Returns
    -------
    ModelOutputs
    """
    whole, name = _without_reserved(pool.table), stem(PurePath(pool.name).name)
    ids = composed(whole.column("id"))
    if len(pc.unique(ids)) == len(ids):
        whole = with_column(whole, "id", ids)
    items = whole.select([column for column in whole.column_names if column not in (*SAMPLES, TARGETS)])
    tables = []
    if "generations" in whole.column_names:
        generated = whole.select([column for column in whole.column_names if column != TARGETS])
        tables.append(generated.append_column(MODEL, pa.array([name] * len(whole), TEXT)))
    for model in models(whole):
        table = items.append_column(MODEL, pa.array([model] * len(whole), TEXT))
        loss = pa.array(pool.losses(model), NUMBER, from_pandas=True)
        known = pc.is_valid(loss)
        table = table.append_column(LOSS, loss)
        left_open = leaf(whole, model, "unscored")
        table = table if left_open is None else table.append_column(UNSCORED, left_open)
        for part, samples in (("text", "generations"), ("answer", "generation_answers")):
            column = leaf(whole, model, part)
            if column is not None:
                known = pc.or_(known, pc.is_valid(column))
                alone = each_alone(column.combine_chunks())
                # Beside an answer that was read of the first run, there is none of the others.
                runs = leaf(whole, model, RUN_TEXTS) if leaf(whole, model, "answer") is None else None
                table = table.append_column(samples, alone if runs is None else pc.coalesce(runs, alone))
        if pool.varies(model):
            table = table.append_column(RUNS, pa.array(pool.run_counts(model)))
            losses = leaf(whole, model, RUN_LOSSES)
            table = table if losses is None else table.append_column(LOSSES, losses)
        tables.append(table.filter(known))
    if not tables:
        tables.append(items.append_column(MODEL, pa.array([name] * len(whole), TEXT)))
    account = pool.account or FileAccount(pool.n_items, pool.n_items)
    return ModelOutputs(pa.concat_tables(tables, promote_options="permissive"), pool.notes, account=account)


def _without_reserved(table: pa.Table) -> pa.Table:
    """Rename columns of a pool's own that are called as those of results."""
    names = [f"item_{name}" if name in OF_RESULTS else name for name in table.column_names]
    free = [place for place, name in enumerate(names) if name not in names[:place]]
    return table.rename_columns(names).select(free)


def each_alone(values: pa.Array) -> pa.Array:
    """Make a list of each text."""
    return pa.ListArray.from_arrays(pa.array(range(len(values) + 1), pa.int32()), values.cast(TEXT), type=TEXTS)


# The formats by their modules, in the order in which they are tried.
DECLARED = ConfigParser(delimiters=("=",), interpolation=None)
DECLARED.read_string(Path(__file__).with_name("formats.ini").read_text(encoding="utf-8"))


def has_keys(*kinds: Collection[str], containers: Collection[str] = (OBJECT,)) -> Callable[[Beginning], bool]:
    """Return the check whether a file's container is one of some, and its keys have all of one kind of record."""

    def recognises(beginning: Beginning) -> bool:
        return beginning.container in containers and any(beginning.keys >= frozenset(kind) for kind in kinds)

    return recognises


@dataclass(frozen=True, slots=True)
class ResultsFormat:
    """A format of result files.

    Parameters
    ----------
    name : str
        What people call it.
    recognises : callable
        Whether a file of this beginning has the format.
    outputs : callable
        Reads such a file: source, beginning, and the problems to add to; returns `ModelOutputs`, or what these are
        made of.
    fields : mapping of str to str
        Which field of such a file is what of the pool, for people.
    """

    name: str
    recognises: Callable[[Beginning], bool]
    outputs: Callable[[Source, Beginning, Problems], ModelOutputs | Iterable[Record]]
    fields: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def declared(
        cls,
        module: str,
        recognises: Callable[[Beginning], bool],
        outputs: Callable[[Source, Beginning, Problems], ModelOutputs | Iterable[Record]],
    ) -> ResultsFormat:
        """Make the format that ``formats.ini`` has under the name of a module."""
        name, *fields = DECLARED[module].items()
        return cls(name[1], recognises, outputs, dict(fields))

    @property
    def origin(self) -> Origin:
        """Return the origin of such a file."""
        return Origin(self.name, self.fields)

    def read(self, source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
        """Read such a file, and close its account; what a reader leaves out becomes a note.

        Parameters
        ----------
        source, beginning, problems
            As ``outputs`` takes them.

        Returns
        -------
        ModelOutputs

        Raises
        ------
        PoolError
            With every problem.
        """
        read = self.outputs(source, beginning, problems)
        outputs = read if isinstance(read, ModelOutputs) else ModelOutputs.of(read, problems)
        if outputs.refusal is not None:
            return outputs
        outputs = _with_open_scores(outputs)
        encoding = [source.remark] if source.remark and source.remark not in outputs.notes else []
        notes = (*encoding, *outputs.notes)
        return replace(outputs, notes=notes).accounted(problems.tally, outputs.origin or self.origin)


def _with_open_scores(read: ModelOutputs) -> ModelOutputs:
    """Mark the outputs without a score of models of which other outputs have one: a tool has left them open.

    Compared word by word, they would be scored by another rule than the rest.
    """
    table = read.table
    if not {LOSS, "generations"} <= set(table.column_names):
        return read
    keys = [table.column(name).to_pylist() for name in (MODEL, TASK) if name in table.column_names]
    of_runs = list(zip(*keys, strict=True))
    known = np.asarray(table.column(LOSS).is_valid())
    scored = {run for run, one in zip(of_runs, known.tolist(), strict=True) if one}
    given = lengths(table.column("generations")) > 0
    left_open = given & ~known & np.array([run in scored for run in of_runs], dtype=bool)
    if UNSCORED in table.column_names:
        left_open |= np.asarray(pc.fill_null(table.column(UNSCORED), False))
        table = table.drop_columns([UNSCORED])
    if not left_open.any():
        return replace(read, table=table)
    return replace(read, table=table.append_column(UNSCORED, pa.array(left_open, mask=~left_open)))


def _filled(table: pa.Table, fields: Mapping[str, str], n_items: int) -> Iterator[Filled]:
    """Count what each field filled: a fact of an item once for each item, outputs and scores as many as there are."""
    for name in (*COLUMNS, LOSS):
        if name not in table.column_names:
            if name in fields:
                yield Filled(name, fields[name], 0, WHAT.get(name, ""))
            continue
        column = table.column(name)
        of_outputs = name in OF_THE_OUTPUT or column.null_count == len(column)
        number = count(column, name) if of_outputs else n_items
        if not of_outputs and column.null_count:
            number = _distinct(table.filter(column.is_valid()), (TASK, "id"))
        yield Filled(name, fields.get(name, ""), number, WHAT.get(name, ""))


def _distinct(table: pa.Table, names: Iterable[str]) -> int:
    """Count the different combinations of what some columns hold, as far as the table has them."""
    codes = np.zeros(len(table), dtype=np.int64)
    for name in names:
        if name in table.column_names:
            encoded = table.column(name).combine_chunks().dictionary_encode(null_encoding="encode")
            codes = codes * len(encoded.dictionary) + encoded.indices.to_numpy()
    return int(np.unique(codes).size)


def _check_pairs(columns: Mapping[str, pa.ChunkedArray], rows: Sequence[int], problems: Problems) -> None:
    named = pa.table({name: columns[name] for name in (MODEL, TASK, "id") if name in columns})
    texts = [named.column(name) for name in (MODEL, "id") if name in columns]
    whole = len(texts) == 2 and all(pc.all(pc.fill_null(pc.not_equal(text, ""), False)).as_py() for text in texts)
    if whole and _distinct(named, named.column_names) == len(named):
        return
    names = columns[MODEL].to_pylist()
    ids, tasks = (columns[key].to_pylist() if key in columns else [None] * len(names) for key in ("id", TASK))
    earlier: set[tuple[str, str | None, str]] = set()
    for row, model, task, item in zip(rows, names, tasks, ids, strict=True):
        if not model or not item:
            problems.add(f"the {'model' if not model else 'item'} has no name.", row)
        elif (model, task, item) in earlier:
            problems.add(f"{shown(model)} has item {shown(item)} twice.", row, "id", "Keep one of them.")
        earlier.add((model, task, item))
    problems.stop()


# What two files of one run have in common; facts of the items may be written otherwise.
_COMPARED = (MODEL, TASK, "id", "generations", "generation_answers", LOSS)
_BLOCK = 1024**2


def content_digest(source: Source) -> str:
    """Name a file by its unpacked content; neither the order of JSON Lines nor blanks at its end count.

    Returns
    -------
    str
        Hexadecimal.

    Raises
    ------
    PoolError
        The file cannot be read.
    """
    with source.opened() as file:
        first = file.readline(_BLOCK)
        if first.lstrip().startswith(b"{") and first.rstrip().endswith(b"}"):
            lines = map(bytes.strip, chain([first], iter(partial(file.readline, _BLOCK), b"")))
            total = sum(int.from_bytes(hashlib.sha256(line).digest()) for line in lines if line)
            return f"{total % 2**256:064x} of lines"
        digest, blanks = hashlib.sha256(), b""
        for block in chain([first], iter(partial(file.read, _BLOCK), b"")):
            said = block.rstrip()
            if said:
                digest.update(blanks + said)
                blanks = b""
            blanks += block[len(said) :]
    return digest.hexdigest()


def read_once(files: Mapping[str, ModelOutputs]) -> list[ModelOutputs]:
    """Leave out files that say the same as an earlier one.

    A file with the same content is the same, whatever the models are called that its name stands for. So are two files
    that have the same outputs and scores of the same models, as two formats of one run.

    Parameters
    ----------
    files : mapping of str to ModelOutputs
        What was read, by the files' names.

    Returns
    -------
    list of ModelOutputs
        Of files that are the same, the first: with a note, and the others' records as repeated ones in its account.
    """
    kept: dict[str, ModelOutputs] = {}
    for name, outputs in files.items():
        first = next((one for one, other in kept.items() if _is_same(other, outputs)), None)
        if first is None:
            kept[name] = outputs
        else:
            note = f"{shown(name)} says the same as {shown(first)}, so it is read once."
            kept[first] = _with_repeated(kept[first], outputs, note)
    return list(kept.values())


def _with_repeated(first: ModelOutputs, other: ModelOutputs, note: str) -> ModelOutputs:
    again = other.account and other.account.repeating()
    items = first.account.items if first.account is not None else 0
    account = FileAccount.together([first.account, again], items)
    return replace(first, notes=(*first.notes, note), account=account)


def _is_same(one: ModelOutputs, other: ModelOutputs) -> bool:
    # Questions alone may stand in files of one content that name their subjects.
    if items_only(one.table) or items_only(other.table):
        return False
    if one.content and one.content == other.content:
        return True
    columns = [[name for name in _COMPARED if name in outputs.table.column_names] for outputs in (one, other)]
    if columns[0] != columns[1] or one.table.num_rows != other.table.num_rows:
        return False
    if _models(one) != _models(other) or _ids(one) != _ids(other):
        return False
    first, second = (_ordered(outputs.table.select(columns[0])) for outputs in (one, other))
    return bool(first.equals(second))


def _models(outputs: ModelOutputs) -> set[str]:
    return set(outputs.table.column(MODEL).unique().to_pylist())


def _ids(outputs: ModelOutputs) -> set[tuple[str, str]]:
    table = outputs.table
    return set(zip(table.column(MODEL).to_pylist(), table.column("id").to_pylist(), strict=True))


def _ordered(table: pa.Table) -> pa.Table:
    keys = [(name, "ascending") for name in (MODEL, TASK, "id") if name in table.column_names]
    return table.sort_by(keys).combine_chunks()
