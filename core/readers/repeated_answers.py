"""Columns called as answers that may hold the right ones once more, in another form or another spelling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .answers import is_one_of, letter_of
from .field_map import Paths
from .field_names import (
    ANSWER_FORMS,
    ANSWERS,
    OUTPUT_NAMES,
    SPEAKERS,
    TRUTHS,
    WORDS,
    is_said,
    last_key,
    last_name,
    words_of,
)
from .first_rows import FirstRows
from .model_names import is_model

# In so many rows a model is hardly ever right everywhere.
_MANY = 10
# Share of rows in which two columns of right answers say the same: spellings may differ in a few.
_NEARLY_ALL = 0.98
# Words beside one for an answer in the names of what somebody answers, beside those for a model.
_ANSWERED = SPEAKERS | {"pred", "predicted", "generated", "extracted", "parsed", "student", "participant"}

# Words that tell versions of right answers apart; of one that is current, the others need no question.
_OUTDATED = frozenset({"old", "original", "orig", "draft", "previous", "prev", "deprecated", "before", "raw"})
_VERSIONS = _OUTDATED | {
    *(
        "new",
        "fixed",
        "corrected",
        "revised",
        "updated",
        "final",
        "current",
        "after",
        "clean",
        "v",
        "version",
        "a",
        "b",
    ),
    *("category", "class", "label", "en", "de", "fr", "es", "zh", "annotator", "first", "second", "alt", "alternative"),
}


def may_be_right(path: str) -> bool:
    """Whether a column is called as an answer, and its name does not say that somebody gives it."""
    words = set(words_of(path)[-1])
    said = words & WORDS["output"]
    called = last_name(path) in ANSWERS or (bool(said) and said <= ANSWERS)
    return called and words.isdisjoint(_ANSWERED) and not is_model(last_key(path))


def is_beside(path: str, answer: str) -> bool:
    """Whether a part of an object is called as an output by its object alone, of which another is the right answer."""
    holder = answer.rpartition(".")[0]
    return bool(holder) and path.startswith(f"{holder}.") and last_name(path) not in OUTPUT_NAMES and not is_said(path)


def is_form(path: str, answer: str) -> bool:
    """Whether a column is called as a form of the right answer, as “answer_idx” is beside “answer”."""
    words = set(words_of(path)[-1])
    return last_name(answer) in ANSWERS and words <= ANSWERS | ANSWER_FORMS and not words.isdisjoint(ANSWER_FORMS)


def are_versions(path: str, answer: str) -> bool:
    """Whether a column is called as another version of the right answers: “gold_fixed” beside “gold”.

    Beside “gold”, “gold_old” is none that counts.
    """
    words, others = ([word for word in words_of(one)[-1] if not word.isdecimal()] for one in (path, answer))
    common = set(words) & set(others) & (TRUTHS | ANSWERS)
    more, beside = set(words) - set(others), set(others) - set(words)
    is_current = not beside and more and more <= _OUTDATED
    if last_name(path) in OUTPUT_NAMES or words_of(path)[-1] == words_of(answer)[-1]:
        return False
    return bool(common) and more | beside <= _VERSIONS | ANSWERS and not is_current


def says_right_answers(rows: FirstRows, path: str, answer: str, choices: Paths | None) -> bool:
    """Whether a column says what the right answers say in nearly all of many rows, spelled in any way.

    Parameters
    ----------
    rows : FirstRows
        The first rows of a file.
    path, answer : str
        Paths of the column and of the right answers.
    choices : str or tuple of str or None
        Where the options are: a letter says the same as its option.
    """
    if rows.size < _MANY:
        return False
    values = zip(rows.values[path], rows.values[answer], _options(rows, choices), strict=True)
    pairs = [(said, right, options) for said, right, options in values if said is not None and right is not None]
    if len(pairs) < _MANY:
        return False
    return sum(_are_alike(*pair) for pair in pairs) >= _NEARLY_ALL * len(pairs)


def _options(rows: FirstRows, choices: Paths | None) -> Sequence[list[str] | None]:
    if choices is None:
        return [None] * rows.size
    if isinstance(choices, str):
        return [list(map(str, one)) if isinstance(one, list) else None for one in rows.values[choices]]
    cells = zip(*(rows.values[path] for path in choices), strict=True)
    return [[str(one) for one in row if one is not None] for row in cells]


def _are_alike(said: Any, right: Any, options: list[str] | None) -> bool:
    several = [letter_of(str(one), options) or "" for one in (right if isinstance(right, list) else [right])]
    one = letter_of(str(said), options) or ""
    return one in several or is_one_of(one, several)
