"""Words by which people say right or wrong: those that always count, and those that somebody has given a meaning.

A word beyond the first is never read by guess. What it most likely means is proposed (:func:`proposed`), and counts
once a person has said so (:func:`translated`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from ..errors import LabelError
from ..pool.problems import shown
from ..pool.verdict_words import SAYS_NOTHING, SAYS_RIGHT, spelling
from ..words import listed
from .formats.records import SKIPPED
from .kinds import RIGHT, RIGHT_WRONG, WRONG, canonical
from .rows import column

SKIP = "skip"
MEANINGS = (RIGHT, WRONG, SKIP)

_PROPOSED = {
    **dict.fromkeys(SAYS_NOTHING, SKIP),
    **{word: RIGHT if says else WRONG for word, says in SAYS_RIGHT.items()},
}
_WRITTEN = re.compile(r"(?:^|; )written “(.*)”$", re.DOTALL)


class Word(NamedTuple):
    """A word of labels, how many are written so, and what it means: "right", "wrong", "skip", or None."""

    word: str
    labels: int
    meaning: str | None


def meanings_of(words: Mapping[str, str]) -> dict[str, str]:
    """Return words as they are compared, with what they mean.

    Parameters
    ----------
    words : mapping
        Word to "right", "wrong" or "skip" (no label). Case, and white space and punctuation around it, do not matter.

    Raises
    ------
    LabelError
        If a meaning is none of these, or a word always says the opposite; all of them are named.
    """
    said = {spelling(word): meaning for word, meaning in words.items()}
    wrong = [f"“{word}” as “{meaning}”" for word, meaning in words.items() if meaning not in MEANINGS]
    if wrong:
        raise LabelError(f"A word means right, wrong or skip (no label). Given: {listed(wrong)}.")
    fixed = [word for word, meaning in said.items() if canonical(word, RIGHT_WRONG.name) not in (None, meaning)]
    if fixed:
        raise LabelError(
            f"{listed([f'“{word}”' for word in fixed])} always means {canonical(fixed[0], RIGHT_WRONG.name)}."
        )
    return said


def is_word(label: str) -> bool:
    """Whether a label is a word that says right or wrong, or may say so; a digit or a letter may be an answer."""
    word = spelling(label)
    certain = canonical(label, RIGHT_WRONG.name) is not None and (len(word) > 1 or not word.isascii())
    return word in _PROPOSED or (certain and word[0] not in "01")


def unknown_words(rows: pd.DataFrame) -> list[Word]:
    """List the words that do not say right or wrong, the most frequent first, each with what is proposed.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.LabelFile`. Rows that are labels of another kind do not count.
    """
    given = rows[_verdicts(rows)]
    found = Counter(spelling(label) for label in given["label"] if canonical(label, RIGHT_WRONG.name) is None)
    return [Word(word, count, _PROPOSED.get(word)) for word, count in found.most_common()]


def translated(rows: pd.DataFrame, words: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows with "right" and "wrong" in place of words; notes keep what was written.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.LabelFile`. Rows that are labels of another kind stay as they are.
    words : mapping
        As in `meanings_of`, which raises for what cannot be one.
    """
    said, names = meanings_of(words), ("label", "note", "status")
    changed = {name: column(rows, name) for name in names}
    columns = zip(_verdicts(rows), *changed.values(), strict=True)
    for place, (verdict, label, note, status) in enumerate(list(columns)):
        if verdict and canonical(label, RIGHT_WRONG.name) is None and (meaning := said.get(spelling(label))):
            written = f"written “{label}”"
            changed["note"][place] = written if note is None else f"{note}; {written}"
            changed["label"][place] = None if meaning == SKIP else meaning
            changed["status"][place] = SKIPPED if meaning == SKIP else status
    return rows.assign(**{name: pd.Series(changed[name], index=rows.index, dtype=object) for name in names})


def remark(note: str | None) -> str | None:
    """Return a note as a person wrote it, without what `translated` has added; None for nothing."""
    return _WRITTEN.sub("", note or "") or None


def words_of(rows: pd.DataFrame) -> tuple[Word, ...]:
    """List the words that were read by what somebody said of them, the most frequent first.

    Parameters
    ----------
    rows : DataFrame
        With the columns label and note.
    """
    found = Counter[tuple[str, str]]()
    for label, note in zip(column(rows, "label"), column(rows, "note"), strict=True):
        if note is not None and (written := _WRITTEN.search(note)):
            found[spelling(written[1]), SKIP if label is None else label] += 1
    return tuple(Word(word, count, meaning) for (word, meaning), count in found.most_common())


def statement(words: tuple[Word, ...], nothing: str = "no label") -> str:
    """Say how words were read, and how often if it is known; ``nothing`` is what neither right nor wrong is called."""
    if not words:
        return ""
    said = {RIGHT: "right", WRONG: "wrong"}
    read = [
        f"{shown(one.word, 30)} as {said.get(one.meaning or SKIP, nothing)}" + f" ({one.labels:,})" * (one.labels > 0)
        for one in words
    ]
    return f"Words read with the meaning that a person gave: {listed(read)}."


def _verdicts(rows: pd.DataFrame) -> pd.Series:
    """Whether a row has a label that may say right or wrong."""
    return rows["label"].notna() & (rows["status"] == "") & (rows["kind"].isna() | (rows["kind"] == RIGHT_WRONG.name))
