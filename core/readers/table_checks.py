"""Cells and rows of a table that hold no answer: “N/A” as a right answer, errors as outputs, “gold” as a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..files.foreign_names import plain_key
from ..pool.columns import TARGETS, TEXT, Loose
from ..pool.problems import Problems, shown
from ..words import counted, listed
from ..words.verdict_words import spelling
from . import field_map
from .field_map import FieldMap
from .field_names import is_of_people
from .joining import MODEL
from .json_records import text_of
from .model_names import says_right
from .verdicts import number, says_nothing

_ANSWER, _CHOICES = "answer", "choices"
# What spreadsheets write in place of a value, and others in a cell that is to be filled, beside words for no value.
_CELLS = "#ref! #value! #name? #div/0! #null! #num! tbd todo missing (missing) (none) (blank) -- – — … ... ???"
_MISSING = frozenset(map(spelling, _CELLS.split()))
# A chemical element.
_SODIUM = "Na"
# Answers of so few words, each of several items, are classes.
_CLASSES, _EACH = 10, 2
_LOOKED_AT, _MOST_NAMED = 1_000, 4


def without_missing_answers(loose: Loose, problems: Problems) -> Loose:
    """Empty the right answers that say that there is none, with a note.

    Parameters
    ----------
    loose : Loose
        The columns of a file.
    problems : Problems
        Where the note is added.

    Returns
    -------
    Loose
        The same columns but ``answer``.
    """
    if _ANSWER not in loose.columns:
        return loose
    texts = [column for (_, name), column in loose.targets.items() if name in ("text", "answer")]
    if "generations" in loose.columns:
        texts.append(pc.list_flatten(loose.columns["generations"].slice(0, _LOOKED_AT)))
    ids = loose.columns.get("id")
    column = emptied(loose.columns[_ANSWER], loose.columns.get(_CHOICES), texts, ids, problems)
    return replace(loose, columns={**loose.columns, _ANSWER: column})


def emptied(
    answer: pa.ChunkedArray,
    choices: pa.ChunkedArray | None,
    outputs: Sequence[pa.ChunkedArray],
    ids: pa.ChunkedArray | None,
    problems: Problems,
) -> pa.ChunkedArray:
    """Return right answers without those that say that there is none.

    An answer that is an option of its item stays, a class that outputs say as well, and what most answers are.

    Parameters
    ----------
    answer : (N,) ChunkedArray
        The right answers.
    choices : (N,) ChunkedArray or None
        The options of each item.
    outputs : sequence of ChunkedArray
        What models said.
    ids : (N,) ChunkedArray or None
        The name of each item, which may have several rows.
    problems : Problems
        Where the note is added.
    """
    words = {one: spelling(one) for one in pc.unique(answer).to_pylist() if one and _is_missing(one)}
    if not words:
        return answer
    given = answer.to_pylist()
    others = Counter(one for one in given if one and one not in words)
    if len(given) - given.count(None) > 2 * others.total():
        return answer
    if others and len(others) <= _CLASSES and min(others.values()) >= _EACH:
        said = _words(outputs)
        words = {one: word for one, word in words.items() if word not in said}
    options = [None] * len(given) if choices is None else choices.to_pylist()
    pairs = enumerate(zip(given, options, strict=True))
    places = [place for place, (one, some) in pairs if one in words and words[one] not in map(spelling, some or ())]
    if not places:
        return answer
    names = [place if ids is None else ids[place].as_py() for place in places]
    named = [shown(one) for one in dict.fromkeys(str(given[place]) for place in places)]
    named = named[:_MOST_NAMED] + ["the like"] * (len(named) > _MOST_NAMED)
    problems.note(
        f"{counted(len(set(names)), 'item has', 'items have')} {listed(named)} in place of a right answer"
        f"{'' if ids is None else f' (the first is item {names[0]})'}: right or wrong is unknown there."
    )
    empty = set(places)
    values = [None if place in empty else one for place, one in enumerate(given)]
    return pa.chunked_array([pa.array(values, TEXT)])


def _is_missing(text: str) -> bool:
    return (says_nothing(text) and text.strip() != _SODIUM) or spelling(text) in _MISSING


def _words(outputs: Iterable[pa.ChunkedArray]) -> set[str]:
    """Return what models said, as words are compared."""
    return {spelling(text) for column in outputs for text in column.cast(TEXT).to_pylist() if text}


_ERRORS = frozenset({"error", "errors", "errormessage", "errormsg", "errortext", "exception", "failurereason"})


class FailedRequests:
    """Leaves the outcome of rows open that have no output, but the text of an error.

    Parameters
    ----------
    fields : FieldMap
        Where outputs are.
    """

    def __init__(self, fields: FieldMap) -> None:
        self._models = [model for model, paths in fields.targets.items() if field_map.TEXT in paths]
        self._used = {*fields.paths()}
        self._rows, self._first, self._error = 0, 0, ""

    def leave_open(self, value: Mapping[str, Any], record: Mapping[str, Any], row: int) -> None:
        """Say in the record of a row that nobody scored the outputs that an error stands for."""
        outcomes = [one for model in self._models if (one := record.get(TARGETS, {}).get(model)) is not None]
        if len(outcomes) != 1 or str(outcomes[0].get("text") or "").strip() or not (error := self._error_in(value)):
            return
        outcomes[0] |= {"text": None, "loss": None, "unscored": True}
        self._rows += 1
        self._first, self._error = self._first or row, self._error or error

    def _error_in(self, value: Mapping[str, Any]) -> str:
        named = (one for key, one in value.items() if plain_key(key) in _ERRORS and key not in self._used)
        texts = [one.strip() for one in named if isinstance(one, str) and number(one) is None]
        return next((one for one in texts if not says_nothing(one)), "")

    @property
    def remark(self) -> str:
        """Say how many rows have an error and no output; "" for none."""
        if not self._rows:
            return ""
        return (
            f"{counted(self._rows, 'row has', 'rows have')} an error in place of an output (the first is row "
            f"{self._first}: {shown(self._error, 40)}), so right or wrong is unknown there."
        )


_Row = tuple[int, dict[str, Any]]
# What may be the name of a system, too.
_MAY_BE_MODELS = frozenset({"oracle", "key", "official"})


def with_right_answers(
    rows: Sequence[_Row], item_of: Callable[[dict[str, Any]], Any], problems: Problems
) -> list[_Row]:
    """Take what is called as right out of the models, and give it to the rows of its item as their right answer.

    Parameters
    ----------
    rows : sequence of (int, dict)
        Place in the file, and record with its model and outcome.
    item_of : callable
        Returns what names the item of a record.
    problems : Problems
        Where notes are added.

    Returns
    -------
    list of (int, dict)
        The rows of models; all rows if no other model is among them.
    """
    names = dict.fromkeys(str(record.get(MODEL)) for _, record in rows if record.get(MODEL) is not None)
    called = [name for name in names if says_right(name) and name.strip().casefold() not in _MAY_BE_MODELS]
    if people := [name for name in names if is_of_people(name)] if len(names) > 1 and not called else []:
        problems.note(_of_people(people, rows))
    if not called or len(called) == len(names):
        return list(rows)
    answers, kept, used = dict[Any, str | None](), list[_Row](), list[int]()
    truths = [(row, record) for row, record in rows if str(record.get(MODEL)) in called]
    for _, record in truths:
        answers[item_of(record)] = answers.get(item_of(record)) or _text(record)
    for row, record in rows:
        if str(record.get(MODEL)) not in called:
            answer = answers.get(item_of(record)) if record.get("answer") is None else None
            used += [row] * (answer is not None)
            kept.append((row, record if answer is None else {**record, "answer": answer}))
    for row, _ in truths:
        if used:
            problems.tally.complete(row)
        else:
            problems.tally.leave_out("rows of right answers among those of models", row)
    read = "they are read as the right answers" if used else "they are left out"
    problems.note(
        f"{counted(len(truths), 'row is', 'rows are')} called {listed(list(map(shown, called)))} where others name a "
        f"model: {read}. If that is a model, name it otherwise in the file."
    )
    return kept


def _text(record: dict[str, Any]) -> str | None:
    """Return the output of a row, or the first of its samples."""
    outcome: dict[str, Any] = next(iter(record.get(TARGETS, {}).values()), {})
    said = outcome.get("text") or outcome.get("answer") or next(iter(record.get("generations") or ()), None)
    return None if said is None or not str(said).strip() else text_of(said)


def _of_people(people: Sequence[str], rows: Sequence[_Row]) -> str:
    """Say that what people answered is read as a model's outputs; "" if right answers or scores are known."""
    outcomes = [one for _, record in rows for one in record.get(TARGETS, {}).values()]
    if any(one.get("loss") is not None for one in outcomes) or any(record.get("answer") for _, record in rows):
        return ""
    named = listed(list(map(shown, people)))
    return (
        f"{named} {'is' if len(people) == 1 else 'are'} read as a model. If these are the right answers, call them "
        "“gold” in the file."
    )
