"""The labels that a file holds, whichever tool wrote it: one table, or an error that lists what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from ...errors import LabelError, Problem
from ...pool.problems import MOST, shown
from ...words.verdict_words import SAYS_NOTHING, spelling
from ..proposals import is_word
from ..rows import problem_list
from .records import NOBODY, Row, is_reserved

# Rows that are named.
_LISTED = 5
_ROUNDED = re.compile(r"-?[0-9][.,][0-9]{1,5}E\+[0-9]{2}")
COLUMNS = ("row", "item_id", "label", "annotator", "plan_id", "note", "status", "answers_of", "kind")
EXPECTED = (
    "Choose a filled list (CSV, XLSX or JSON Lines), an export from Label Studio, Argilla or Prodigy, or a graded "
    "Inspect log."
)


class ShownRow(NamedTuple):
    """The prompt and the answer that a list, or a task of a labelling tool, shows beside a label.

    Parameters
    ----------
    row : int
        Of the file, from 1.
    item_id : str
        The item that it names.
    answers_of : str or None
        Code of the target whose answer was judged, if it says so.
    answer, prompt, choices : str or None
        That answer, the item's prompt, and its options, a line each.
    """

    row: int
    item_id: str
    answers_of: str | None
    answer: str | None
    prompt: str | None = None
    choices: str | None = None


class ModelColumn(NamedTuple):
    """A column that is called like one of models: its name, and what it holds by the number of the row."""

    title: str
    names: Mapping[int, str]


@dataclass(frozen=True, slots=True, eq=False)
class LabelFile:
    """The labels of a file.

    Parameters
    ----------
    rows : DataFrame
        One row a label or missing label, with the columns

        - ``row``: number of the record in the file, from 1;
        - ``item_id``;
        - ``label``: as written in the file, None if there is none;
        - ``annotator``: "" if unnamed;
        - ``plan_id``: None if the file does not say it;
        - ``note``: text or None;
        - ``status``: "", or why there is no label: "empty", "several" or one of `core.labels.formats.records.STATUSES`
          (beside a label it contradicts it);
        - ``answers_of``: code of the target whose answers were judged, None if the file does not say it;
        - ``kind``: one of `core.labels.KINDS`, None if the file does not say it.
    source : str
        The format: "csv", "xlsx", "jsonl", "label-studio", "label-studio-min", "label-studio-csv", "argilla",
        "prodigy", "inspect" or "target".
    notes : tuple of str
        Sentences about labels that a person should check.
    name : str
        Of the file, if it has one.
    shown : tuple of ShownRow
        What a list or a task shows beside each label.
    criteria : tuple of str
        Columns that are called like those of the labels of a criterion.
    models : tuple of ModelColumn
        Columns that may name the model whose answer a row judges, of `core.labels.models`.
    """

    rows: pd.DataFrame
    source: str
    notes: tuple[str, ...] = ()
    name: str = ""
    shown: tuple[ShownRow, ...] = ()
    criteria: tuple[str, ...] = ()
    models: tuple[ModelColumn, ...] = ()

    def beside(
        self, answers: Sequence[str | None], prompts: Sequence[str | None], choices: Sequence[str | None]
    ) -> LabelFile:
        """Return the file with what it shows in each row: the target's answer, the prompt and the options."""
        rows = self.rows
        names = zip(rows["row"].tolist(), rows["item_id"], rows["answers_of"], strict=True)
        columns = zip(names, rows["label"], answers, prompts, choices, strict=True)
        shown = (ShownRow(*of, *beside) for of, label, *beside in columns if label is not None)
        return replace(self, shown=tuple(one for one in shown if one.answer or one.prompt or one.choices))


def from_rows(rows: Iterable[Row], source: str, name: str | None, notes: tuple[str, ...] = ()) -> LabelFile:
    """Build a `LabelFile` from its rows; parameters and errors as in `from_columns`."""
    records = list(rows)
    broken = sorted((row.row, row.problem) for row in records if row.problem is not None)
    whole = [row[: len(COLUMNS)] for row in records if row.problem is None]
    columns = dict(zip(COLUMNS, zip(*whole, strict=True), strict=True)) if whole else {}
    read = from_columns(columns, broken, source, name, notes)
    return read.beside(*([getattr(row, name) for row in records] for name in ("answer", "prompt", "choices")))


def from_columns(
    columns: Mapping[str, Sequence[Any]],
    broken: Sequence[tuple[int, str]],
    source: str,
    name: str | None,
    notes: tuple[str, ...] = (),
) -> LabelFile:
    """Build a `LabelFile` from its columns.

    Parameters
    ----------
    columns : mapping
        The columns `COLUMNS`; empty if there are no rows.
    broken : sequence of (int, str)
        Number and problem of each row that cannot be read.
    source : str
        The format, as in `LabelFile`.
    name : str or None
        Name of the file, for messages.
    notes : tuple of str
        As in `LabelFile`.

    Raises
    ------
    LabelError
        If there are broken rows (they are listed), or no rows at all.
    """
    if broken:
        message = f"{called(name)} cannot be read. {problem_list(broken)} No label was taken from it."
        raise LabelError(message, [Problem(what, row) for row, what in broken[:MOST]], len(broken))
    if not columns:
        raise LabelError(f"{called(name)} has no rows. {EXPECTED}")
    people = [person.strip() for person in columns["annotator"]]
    columns = {**columns, "annotator": people}
    # Lists that the program writes call nobody's labels so.
    reserved = sorted(person for person in set(people) if is_reserved(person) and person != NOBODY)
    if reserved:
        columns = {**columns, "annotator": ["" if person in reserved else person for person in people]}
        names = " and ".join(shown(person, 30) for person in reserved)
        are = "is a reserved name" if len(reserved) == 1 else "are reserved names"
        notes += (f"{names} {are}: these labels count as labels without a name.",)
    notes += (*_rounded(columns["label"]), *_shifted(columns))
    frame = pd.DataFrame({column: pd.Series(values, dtype=object) for column, values in columns.items()})
    return LabelFile(frame.astype({"row": "int64"}), source, notes)


def _rounded(labels: Iterable[str | None]) -> tuple[str, ...]:
    """Return a note on numbers that a spreadsheet has rounded."""
    found = [label for label in labels if label is not None and _ROUNDED.fullmatch(label.strip())]
    if not found:
        return ()
    many = "1 label is a number" if len(found) == 1 else f"{len(found):,} labels are numbers"
    what = f"{many} as a spreadsheet shortens long ones ({shown(found[0], 30)})"
    return (f"{what}, so digits may be missing. If they are, write the whole numbers as text.",)


def _shifted(columns: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """Return a note on each column beside that of the labels in which rows without a label have a verdict."""
    notes = []
    for name in ("annotator", "note"):
        cells = list(zip(columns["row"], columns["label"], columns[name], strict=True))
        # Beside a label, the same word is a name.
        beside = {text for _, label, text in cells if label is not None}
        found = [(row, text) for row, label, text in cells if label is None and text and text not in beside]
        found = [(row, text) for row, text in found if is_word(text) and spelling(text) not in SAYS_NOTHING]
        if found:
            rows = ", ".join(f"{row:,}" for row, _ in found[:_LISTED]) + (", …" if len(found) > _LISTED else "")
            many, have = ("1 row", "has") if len(found) == 1 else (f"{len(found):,} rows", "have")
            notes.append(
                f"{many} without a label {have} a verdict in the column {name}, such as {shown(found[0][1], 30)} (row"
                f"{'' if len(found) == 1 else 's'} {rows}). It does not count there: write it in the column label."
            )
    return tuple(notes)


def called(name: str | None) -> str:
    """Return the file's name for the start of a message."""
    return shown(name, 60) if name else "The file"
