"""One file under several names: it is read once, and its records count as repeated."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import chain

import pyarrow as pa

from ..files.open import Source
from ..pool.account import FileAccount
from ..pool.problems import shown
from .joining import LOSS, MODEL, TASK
from .linking import items_only
from .model_outputs import ModelOutputs

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
