"""The origin of a pool: what its file was recognized as, which fields became what, and how much each filled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from .account import Filled
from .columns import COLUMNS, RUN_LOSSES, RUN_TEXTS, TARGETS, leaf, lengths, models


@dataclass(frozen=True, slots=True)
class Origin:
    """The recognized format of a pool's file.

    Parameters
    ----------
    format : str
        Name of the format, as in “Recognized as …”; "" if somebody chose the fields.
    fields : mapping of str to str
        Field of the file by what it became: a native column, a target's outcome, or a separate column.
    """

    format: str
    fields: Mapping[str, str] = field(default_factory=dict)


# What people call the columns that the account counts in its sentence.
WHAT = {"answer": "right answer", "generations": "output", "text": "output", "loss": "score"}
# As which a target’s score may stand in a file.
_SCORES = ("right", "wrong")


def filled(table: pa.Table, fields: Mapping[str, str]) -> tuple[Filled, ...]:
    """Count what is in a pool's columns.

    Parameters
    ----------
    table : pyarrow.Table
        The canonical columns.
    fields : mapping of str to str
        Fields of the file by what they became (`core.pool.origin.Origin`); a column that it lacks is called as in the
        pool.

    Returns
    -------
    tuple of Filled
        A part for each column and each target's outcome, and one with 0 for each field that filled nothing.
    """
    parts = [*_of_columns(table, fields), *_of_targets(table, fields)]
    known = {part.field for part in parts}
    none = [Filled(name, path, 0, _what(name)) for name, path in fields.items() if name not in known]
    return (*parts, *none)


def _of_columns(table: pa.Table, fields: Mapping[str, str]) -> Iterator[Filled]:
    for name in table.column_names:
        if name != TARGETS:
            yield Filled(name, fields.get(name, name), count(table.column(name), name), WHAT.get(name, ""))


def _of_targets(table: pa.Table, fields: Mapping[str, str]) -> Iterator[Filled]:
    for model in models(table):
        names = [child.name for child in table.schema.field(TARGETS).type.field(model).type]
        for name in names:
            if name in (RUN_TEXTS, RUN_LOSSES):
                # They come from the same fields as the first run.
                continue
            column = leaf(table, model, name)
            # A score may stand as right, as wrong or as its loss; an answer without its text is the output.
            scores = (f"{model} · {one}" for one in _SCORES if name == "loss")
            field = next((score for score in scores if score in fields), f"{model} · {name}")
            what = "output" if name == "answer" and "text" not in names else WHAT.get(name, "")
            if name == "answer" and "text" in names:
                what = ""
            number = 0 if column is None else len(column) - column.null_count
            yield Filled(field, fields.get(field, f"{TARGETS}.{model}.{name}"), number, what)


def count(column: pa.ChunkedArray, name: str) -> int:
    """Count the values of a column; of generations all that its lists hold."""
    return int(lengths(column).sum()) if name == "generations" else len(column) - column.null_count


def _what(field: str) -> str:
    """Return the name of a field's count: that of a column or of a target's outcome."""
    name = field.rpartition(" · ")[2] if field not in COLUMNS else field
    return "score" if name in _SCORES else WHAT.get(name, "")
