"""What the words of a label file mean: asked once, remembered in the home, and changed if it was wrong."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from core.labels import statement, translated, unknown_words, words_of
from core.words import counted
from pages.parts.app import state
from pages.parts.views import words

# Labels that are sentences are no words to ask for.
_MOST, _LONGEST = 12, 40


def read(rows: pd.DataFrame, usual: Mapping[str, str] = MappingProxyType({})) -> tuple[pd.DataFrame, bool]:
    """Read a file's words as a person has said, and ask for those that nobody has given a meaning.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.LabelFile`.
    usual : mapping
        Words that need no mention, such as pass and fail of a list that checks a judge.

    Returns
    -------
    DataFrame, bool
        The rows, with "right" and "wrong" in place of words that are known; and whether most of the others have a
        common meaning, which a person has to confirm.
    """
    said = translated(rows, {**usual, **state.archive().words.all()})
    known = tuple(one for one in words_of(said) if one.word not in usual)
    unknown = [one for one in unknown_words(said) if len(one.word) <= _LONGEST]
    if known:
        words.known(statement(known), [one.word for one in known])
    common = sum(one.labels for one in unknown if one.meaning)
    if common or 0 < len(unknown) <= _MOST:
        most = sorted(unknown, key=lambda one: one.meaning is None)[:_MOST]
        labels = counted(sum(one.labels for one in most), "label")
        words.ask(most, f"{labels} {'uses' if labels.startswith('1 ') else 'use'}", "No label")
    return said, 2 * common > sum(one.labels for one in unknown)
