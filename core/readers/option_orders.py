"""Options in several orders: rotated within a question (circular evaluation), or shuffled between files.

VLMEvalKit asks MMBench's questions once for every rotation of their options, and counts a model as right only if it
is right in all of them (``mcq_circular_eval``). The pool's column ``rotations`` names the rows of each question and
their options: ``241:ABCD 1000241:BCDA …`` says that row 1000241 has the question's option B at A, its option C at B.

Results that have such rows are joined to the questions. An answer of a row becomes the letter that its option has in
the question, so that answers can be compared across rotations:

* a model with several outputs a row has all of them, rotation by rotation, as samples of the question;
* a model with one output a row has one: its letter if the rotations agree, and no answer if they do not;
* the loss is 1 if any row is wrong and 0 if every row is right. If a row is missing and none is wrong, the
  model lacks the question.

A file without copies has one score for each question already, and is taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

import pyarrow as pa

from ..answers import EXTRACTED, parse
from ..pool.account import LeftOut
from ..pool.problems import Problems, shown
from ..words import counted
from .joining import LOSS, MODEL, TASK, TOLERATED, plain, with_values
from .model_outputs import ModelOutputs

ROTATIONS = "rotations"
_KIND = "mmbench"


def rotation(question: Mapping[str, str], row: Mapping[str, str]) -> str | None:
    """Find which options of a question stand at the letters of one of its rows.

    Parameters
    ----------
    question, row : mapping of str to str
        Options by their letters.

    Returns
    -------
    str or None
        The letters in the question of the row's options, in the row's order; None if the options are not the same.
    """
    free: dict[str, list[str]] = {}
    for letter, option in question.items():
        free.setdefault(option, []).append(letter)
    letters = [free[option].pop(0) if free.get(option) else "" for option in row.values()]
    return "".join(letters) if all(letters) and len(letters) == len(question) else None


def written(rotations: Mapping[str, str]) -> str:
    """Write the rows of a question and their letters as one text."""
    return " ".join(f"{index}:{letters}" for index, letters in rotations.items())


def folded(files: Sequence[ModelOutputs]) -> list[ModelOutputs]:
    """Join the rows of results to the questions of a pool among the files.

    Parameters
    ----------
    files : sequence of ModelOutputs
        Results, and pools taken apart.

    Returns
    -------
    list of ModelOutputs
        The same if no file has the column ``rotations``.
    """
    questions = [file.table for file in files if ROTATIONS in file.table.column_names]
    units = {unit.id: unit for table in questions for unit in _units(table)}
    return [file if ROTATIONS in file.table.column_names or not units else _joined(file, units) for file in files]


class _Unit:
    """A question: its options, the right letter, and the letters of each of its rows."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.id: str = row["id"]
        self.choices: list[str] = row.get("choices") or []
        self.answer: str | None = row.get("answer")
        letters = sorted(ascii_uppercase[: len(self.choices)])
        parts = [part.rpartition(":") for part in str(row[ROTATIONS]).split()]
        self.rows = {index: turned for index, _, turned in parts if letters and sorted(turned) == letters}

    def options(self, index: str) -> list[str]:
        """Order the options as a row has them."""
        return [self.choices[ascii_uppercase.index(letter)] for letter in self.rows[index]]

    def letter(self, index: str, answer: str | None) -> str | None:
        """Return the letter in the question of a row's answer."""
        letters = self.rows[index]
        place = ascii_uppercase.find(answer) if answer and len(answer) == 1 else -1
        return letters[place] if 0 <= place < len(letters) else None


def _units(table: pa.Table) -> Iterator[_Unit]:
    names = [name for name in ("id", "choices", "answer", ROTATIONS) if name in table.column_names]
    return (_Unit(row) for row in table.select(names).to_pylist() if row[ROTATIONS])


def _joined(file: ModelOutputs, units: Mapping[str, _Unit]) -> ModelOutputs:
    of_row = {index: unit for unit in units.values() for index in unit.rows}
    columns = (MODEL, TASK, "id", "generations", "generation_answers", LOSS)
    table = file.table.select([name for name in columns if name in file.table.column_names])
    ids = set(table.column("id").to_pylist())
    if not any(index in ids and index != unit.id for index, unit in of_row.items()):
        return file
    groups: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in table.to_pylist():
        unit = of_row.get(row["id"])
        if unit is not None:
            groups.setdefault((row[MODEL], unit.id), {})[row["id"]] = row
    problems = Problems()
    rows_joined = sum(map(len, groups.values()))
    every = [_record(rows, units[name]) for (_, name), rows in groups.items()]
    # What the present rows say would be taken for every rotation.
    records = [record for record in every if record[LOSS] or not record["part"]]
    models = ", ".join(shown(model) for model in dict.fromkeys(record[MODEL] for record in every))
    part = sum(record.pop("part") for record in every)
    note = f"{models}: {rows_joined:,} rows are joined to {counted(len(every), 'question')}, right if all rows are."
    outputs = ModelOutputs.of(((place, record, 0) for place, record in enumerate(records, start=1)), problems)
    foreign = table.num_rows - rows_joined
    notes = [note]
    if part:
        notes.append(f"Questions that lack a rotation: {part:,} ({len(every) - len(records):,} of them left out).")
    if foreign:
        notes.append(f"Rows that belong to no question, left out: {foreign:,}.")
    taken = {record["id"] for record in records}
    joined = {index for (_, name), rows in groups.items() if name in taken for index in rows}
    others = ids - of_row.keys()
    left_out = [
        LeftOut("rows of none of the questions", len(others)),
        LeftOut("rows of questions that lack a rotation", len(ids - others - joined)),
    ]
    account = file.account and file.account.regrouped(len(taken), left_out)
    return replace(file, table=outputs.table, notes=(*file.notes, *outputs.notes, *notes), account=account)


def _record(rows: Mapping[str, dict[str, Any]], unit: _Unit) -> dict[str, Any]:
    first = next(iter(rows.values()))
    present = [index for index in unit.rows if index in rows]
    answers = {index: _answers(rows[index], unit, index) for index in present}
    losses = [_loss(rows[index], unit, index, answers[index]) for index in present]
    whole = len(present) == len(unit.rows) and None not in losses
    wrong = [loss for loss in losses if loss]
    letters = [letter for index in present for letter in answers[index]]
    record = {name: first[name] for name in (MODEL, TASK) if first.get(name) is not None}
    record |= {"id": unit.id, "part": len(present) < len(unit.rows)}
    record[LOSS] = max(wrong, default=0.0) if wrong or whole else None
    if not letters:
        return record
    if max(map(len, answers.values())) > 1:
        return record | {"generations": [letter or "" for letter in letters], "generation_answers": letters}
    one = letters[0] if len(set(letters)) == 1 else None
    return record | {"generations": [" ".join(letter or "–" for letter in letters)], "generation_answers": [one]}


def _answers(row: Mapping[str, Any], unit: _Unit, index: str) -> list[str | None]:
    parsed = row.get("generation_answers")
    if parsed is None:
        parsed = [parse(text, _KIND, unit.options(index)) for text in row.get("generations") or ()]
    return [unit.letter(index, answer) for answer in parsed]


def _loss(row: Mapping[str, Any], unit: _Unit, index: str, answers: Sequence[str | None]) -> float | None:
    if row.get(LOSS) is not None:
        return float(row[LOSS])
    return float(answers[0] != unit.answer) if answers and unit.answer is not None else None


_LETTERED = frozenset({"choice", *EXTRACTED})
# The columns of a table that letters and options stand in, and how they are read.
_READ = ("choices", "answer", "answer_kind", "generations", "generation_answers")
_NAMED = 5


def in_one_order(tables: Mapping[str, pa.Table], problems: Problems) -> dict[str, pa.Table]:
    """Put each item's options in the order of the first model that has the item, and change letters to match.

    If options move, an output that chooses one is kept as its new letter alone: a longer text would still name the old
    letter. Options that no other model has are a problem if there are many, else a note.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        The rows of each model, with the ids that they have in common.
    problems : Problems
        Where notes and problems go.
    """
    first, results = dict[str, list[str]](), dict[str, pa.Table]()
    for model, table in tables.items():
        results[model] = table
        if "choices" not in table.column_names:
            continue
        moved, others = dict[int, list[int]](), list[str]()
        ids = table.column("id").to_pylist()
        for row, (item, options) in enumerate(zip(ids, table.column("choices").to_pylist(), strict=True)):
            usual = first.setdefault(item, options) if options else None
            if usual is None or usual == options:
                continue
            places = _places(options, usual)
            if places is None:
                others.append(item)
            elif places != [*range(len(places))]:
                moved[row] = places
        if others:
            _say(model, others, len(ids), problems)
        if moved:
            results[model] = _moved(table, moved, [first.get(item) for item in ids])
            problems.note(
                f"{model} has the options of {counted(len(moved), 'item')} in another order than the other files. Its "
                "letters are changed to those that the same options have in the other files."
            )
    return results


def _say(model: str, items: Sequence[str], count: int, problems: Problems) -> None:
    names = ", ".join(items[:_NAMED]) + (" …" if len(items) > _NAMED else "")
    if len(items) <= TOLERATED * count:
        problems.note(f"{model} comes from another edition: options of {counted(len(items), 'item')} differ ({names}).")
        return
    where = f"{counted(len(items), 'item')} ({names})"
    problems.add(
        f"{model} has other options than the other files on {where}, so that letters do not mean the same.",
        remedy="Use files of the same edition of the benchmark, or write answers as the texts of options.",
    )


def _places(options: Sequence[str], usual: Sequence[str]) -> list[int] | None:
    """Return the place of each option among the usual ones; None if they are others.

    Options that are letters say nothing; one that is worded otherwise, or missing at the end, is the one in its place.
    """
    here, there = [one or "" for one in options], [one or "" for one in usual]
    if sorted(here) != sorted(there):
        here, there = _keys(here), _keys(there)
    if sorted(here) == sorted(there):
        free, places = [*enumerate(there)], list[int]()
        for key in here:
            at = next(place for place, (_, one) in enumerate(free) if one == key)
            places.append(free.pop(at)[0])
        return places
    stays = [*range(len(here))]
    letters = [[*ascii_uppercase.casefold()[: len(keys)]] for keys in (here, there)]
    if here == letters[0] or there == letters[1]:
        return stays
    same = sum(one == other for one, other in zip(here, there, strict=False))
    return stays if 2 * same >= min(len(here), len(there)) else None


def _keys(options: Sequence[str]) -> list[str]:
    """Options as they are compared, without the letters that all of them begin with."""
    keys = [plain(one) for one in options]
    labels = ascii_uppercase.casefold()
    for mark in (").", ")", ".", ":"):
        if all(key.lstrip("(").startswith(f"{labels[at % 26]}{mark}") for at, key in enumerate(keys)):
            return [key.lstrip("(")[1 + len(mark) :] for key in keys]
    return keys


def _moved(table: pa.Table, moved: Mapping[int, Sequence[int]], usual: Sequence[list[str] | None]) -> pa.Table:
    """A table whose moved options have the usual order, as have the letters of outputs and right answers."""
    columns = {name: table.column(name).to_pylist() for name in table.column_names if name in _READ}
    kinds, changed = columns.get("answer_kind"), {name: [*some] for name, some in columns.items()}
    for row, places in moved.items():
        options, kind = columns["choices"][row], None if kinds is None else kinds[row]
        changed["choices"][row] = usual[row]
        if "answer" in columns:
            changed["answer"][row] = _letter(columns["answer"][row], options, places) or columns["answer"][row]
        answers = columns["generation_answers"][row] if "generation_answers" in columns else None
        if answers:
            changed["generation_answers"][row] = [_letter(one, options, places) or one for one in answers]
        if texts := columns["generations"][row] if "generations" in columns else None:
            read = answers if answers and len(answers) == len(texts) else [_read(one, kind, options) for one in texts]
            pairs = zip(read, texts, strict=True)
            changed["generations"][row] = [_letter(one, options, places) or text for one, text in pairs]
    for name in changed:
        kind = table.schema.field(name).type
        table = with_values(table, name, changed[name], kind)
    return table


def _read(text: str | None, kind: str | None, options: Sequence[str]) -> str | None:
    """The letter that an output chooses; None if it chooses none by its kind."""
    return None if text is None else parse(text, kind, options) if kind in _LETTERED else text.strip()


def _letter(answer: str | None, options: Sequence[str], places: Sequence[int]) -> str | None:
    """The letter of an answer's option in the usual order; None if the answer is no letter of an option."""
    if answer is None or len(answer) != 1 or answer not in ascii_uppercase[: len(options)] or answer in options:
        return None
    return ascii_uppercase[places[ascii_uppercase.index(answer)]]
