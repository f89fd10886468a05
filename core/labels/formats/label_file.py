"""What a file of labels holds, whichever tool wrote it: one table, or a sentence that says why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.errors import LabelError
from core.labels.formats.records import NOBODY, Row, is_reserved
from core.pool.problems import shown

COLUMNS = ("row", "item_id", "label", "annotator", "plan_id", "note", "status", "answers_of", "kind")
EXPECTED = "a filled list (CSV, XLSX, JSON Lines), or an export of Label Studio, Argilla or Prodigy, is expected."
# So many rows are named where many are alike.
TOLD = 5


@dataclass(frozen=True, slots=True, eq=False)
class LabelFile:
    """What a file of labels holds.

    ``rows``: a row for each label or missing label: row (number of the record in the file), item_id, label (as given;
    None where there is none), annotator ("" = unnamed), plan_id (None = not said), note, status ("" or why there is no
    label: empty, cancelled, rejected, ignored, discarded, draft, several, skipped, given up), answers_of (code of the
    target whose answers were judged; None = not said), kind (of `core.labels.KINDS`; None = not said). ``source``: the
    format; ``notes``: remarks.
    """

    rows: pd.DataFrame
    source: str
    notes: tuple[str, ...] = ()


def from_rows(rows: Iterable[Row], source: str, name: str | None, notes: tuple[str, ...] = ()) -> LabelFile:
    """What was read, from its rows; errors as `from_columns`."""
    found = list(rows)
    broken = [(row.row, row.problem) for row in found if row.problem is not None]
    whole = [row[:-1] for row in found if row.problem is None]
    columns = dict(zip(COLUMNS, zip(*whole, strict=True), strict=True)) if whole else {}
    return from_columns(columns, broken, source, name, notes)


def from_columns(
    columns: Mapping[str, Sequence[Any]],
    broken: Sequence[tuple[int, str]],
    source: str,
    name: str | None,
    notes: tuple[str, ...] = (),
) -> LabelFile:
    """What was read, from its columns (of `COLUMNS`; none where there are no rows) and the rows that cannot be.

    Raises
    ------
    LabelError : some rows cannot be read (they are named), or there are none.
    """
    if broken:
        told = "; ".join(f"row {row:,}: {problem}" for row, problem in broken[:TOLD]).replace(".;", ";")
        more = f" ({len(broken) - TOLD:,} more rows like these.)" if len(broken) > TOLD else ""
        raise LabelError(f"{called(name)} cannot be read: {told}{more} Nothing was taken from it.")
    if not columns:
        raise LabelError(f"{called(name)} has no rows: {EXPECTED}")
    people = columns["annotator"]
    # As nobody's labels are called where the program writes them out.
    reserved = sorted(person for person in set(people) if is_reserved(person) and person != NOBODY)
    if reserved:
        columns = {**columns, "annotator": ["" if person in reserved else person for person in people]}
        told = " and ".join(shown(person, 30) for person in reserved)
        notes += (f"Nobody can be called {told}: these labels count as labels without a name.",)
    frame = pd.DataFrame({column: pd.Series(values, dtype=object) for column, values in columns.items()})
    return LabelFile(frame.astype({"row": "int64"}), source, notes)


def called(name: str | None) -> str:
    """The file, in a message."""
    return shown(name, 60) if name else "The file"
