"""One order of options for several files: a letter means the text of that option in its own file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

import pyarrow as pa

from ..answers import EXTRACTED, parse
from ..pool.problems import Problems
from ..words import counted
from .joining import TOLERATED, plain

_LETTERED = frozenset({"choice", *EXTRACTED})
# The columns of a table that letters and options stand in, and how they are read.
_READ = ("choices", "answer", "answer_kind", "generations", "generation_answers")
_NAMED = 5


def in_one_order(tables: Mapping[str, pa.Table], problems: Problems) -> dict[str, pa.Table]:
    """Give options the order of the first model that has their item, and letters that of their options' texts.

    Where options are moved, an output that chooses one is kept as its letter alone: a longer text would name the letter
    of before. Options that are none of the others' are a problem if they are many, else a note.

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
                "letters are read as the texts of its own options, and written in the order of the others."
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
        table = table.set_column(
            table.column_names.index(name), name, pa.chunked_array([pa.array(changed[name], kind)])
        )
    return table


def _read(text: str | None, kind: str | None, options: Sequence[str]) -> str | None:
    """The letter that an output chooses; None if it chooses none by its kind."""
    return None if text is None else parse(text, kind, options) if kind in _LETTERED else text.strip()


def _letter(answer: str | None, options: Sequence[str], places: Sequence[int]) -> str | None:
    """The letter of an answer's option in the usual order; None if the answer is no letter of an option."""
    if answer is None or len(answer) != 1 or answer not in ascii_uppercase[: len(options)] or answer in options:
        return None
    return ascii_uppercase[places[ascii_uppercase.index(answer)]]
