"""Right answers such as “N/A”, “-” and “#N/A”, which say that nobody gave one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from ..pool.columns import TEXT, Loose
from ..pool.problems import Problems, shown
from ..words import counted, listed
from ..words.verdict_words import spelling
from .verdicts import says_nothing

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
