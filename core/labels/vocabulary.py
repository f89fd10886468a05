"""Words of labels: those that say right or wrong, those that are no verdict, and those that need a meaning.

A word that is neither certain nor known to be no verdict is never read by guess. What it most likely means is proposed
(`proposed`), and counts once a person has said so (`translated`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from ..errors import LabelError
from ..pool.problems import shown
from ..words import listed
from ..words.verdict_words import SAYS_NOTHING, number_in, spelling, word_key
from .formats.records import EMPTY, SKIPPED
from .kinds import KINDS, RIGHT, RIGHT_WRONG, WRONG, LabelKind, canonical
from .proposals import DASHES, PLUS, SKIP, proposed
from .rows import column

MEANINGS = (RIGHT, WRONG, SKIP)
# Scores of words that somebody calls right or wrong; a number that a word means has a point ("1.0").
RIGHT_OR_WRONG = {RIGHT: "1", WRONG: "0"}
_WRITTEN = re.compile(r"(?:^|; )written “(.*)”$", re.DOTALL)


class Word(NamedTuple):
    """A word of labels, how many are written so, and what it means: "right", "wrong", "skip", or None."""

    word: str
    labels: int
    meaning: str | None


def meanings_of(words: Mapping[str, str], kind: str = RIGHT_WRONG.name) -> dict[str, str]:
    """Return words as they are compared, with what they mean.

    Parameters
    ----------
    words : mapping
        Word to "right", "wrong" or "skip" (no verdict). Case, and white space and punctuation around it, do not matter.
        Numbers may mean anything: only the author of a list knows its scale. The word "" is a blank cell.
    kind : str
        Kind of the labels, of `core.labels.KINDS`: among scores, words may mean a number as well, and among right
        answers another answer.

    Raises
    ------
    LabelError
        If a meaning is none of these, a word always says the opposite, or it is given two meanings; all are named.
    """
    if twice := contradictions(words):
        raise LabelError(twice)
    said = {word_key(word): meaning for word, meaning in words.items()}
    of_kind = KINDS[kind]
    wrong = [
        f"“{word}” as “{meaning}”"
        for word, meaning in words.items()
        if of_kind.judges and not _may_mean(meaning, of_kind)
    ]
    if wrong:
        may_be = "a score, right (1), wrong (0)" if of_kind.averaged else "right, wrong"
        may_be = may_be if of_kind.scale is None else f"a grade from {of_kind.scale}"
        may_be = ", ".join(of_kind.verdicts) if of_kind.compares else may_be
        scores = not of_kind.averaged and any(number_in(meaning) is not None for meaning in words.values())
        needs = ' A score needs kind="score", --kind score.' if scores else ""
        raise LabelError(f"A word means {may_be} or skip (no verdict). Given: {listed(wrong)}.{needs}")
    read_as = kind if of_kind.compares else RIGHT_WRONG.name
    certain = {word: canonical(word, read_as) for word in said if number_in(word) is None}
    free = set[str]() if of_kind.verdicts else {SKIP}
    fixed = [
        word
        for word, says in certain.items()
        if said[word] in {*MEANINGS, *of_kind.verdicts} - free and says not in (None, said[word])
    ]
    if fixed:
        raise LabelError(f"{listed([f'“{word}” always means {certain[word]}' for word in fixed])}.")
    return said


def _may_mean(meaning: str, kind: LabelKind) -> bool:
    """Whether a word of labels that judge may mean this: a verdict, skip, or a score; of grades, no verdict."""
    number = number_in(meaning) if kind.averaged else None
    if kind.scale is not None:
        return meaning == SKIP or (number is not None and kind.allows(number))
    return meaning in (*(kind.verdicts or MEANINGS), SKIP) or number is not None


def contradictions(words: Mapping[str, str]) -> str:
    """Say which words are given two meanings, however they are spelled; "" if none is."""
    said = dict[str, dict[str, None]]()
    for word, meaning in words.items():
        said.setdefault(word_key(word), {})[meaning] = None
    twice = [f"“{word}” is given as {' and as '.join(means)}" for word, means in said.items() if len(means) > 1]
    return (
        f"{listed(twice)}. Case, marks around a word and decimals of a number do not matter: say one." if twice else ""
    )


def only_verdict(rows: pd.DataFrame) -> str:
    """Return what all verdicts say, "right" or "wrong"; "" if they differ, or there are none.

    Parameters
    ----------
    rows : DataFrame
        With the columns label and status. Labels that are no verdict do not count.
    """
    pairs = zip(column(rows, "label"), column(rows, "status"), strict=True)
    said = {canonical(label, RIGHT_WRONG.name) for label, status in pairs if label is not None and not status} - {None}
    return next((str(one) for one in said), "") if len(said) == 1 else ""


def unknown_words(rows: pd.DataFrame) -> list[Word]:
    """List the words that do not say right or wrong, the most frequent first, each with what is proposed.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.LabelFile`. Rows that are labels of another kind do not count.
    """
    given = rows[_verdicts(rows)]
    found = Counter(word_key(label) for label in given["label"] if canonical(label, RIGHT_WRONG.name) is None)
    return [Word(word, count, proposed(word)) for word, count in found.most_common()]


def translated(
    rows: pd.DataFrame,
    words: Mapping[str, str],
    kind: str = RIGHT_WRONG.name,
    is_answer: Callable[[str, str], bool] = lambda item, label: True,
) -> pd.DataFrame:
    """Return the rows with each word read: by what somebody said of it, or as no verdict; notes keep what was written.

    Of labels that say right or wrong, or that score, a word becomes "right" or "wrong" (`RIGHT_OR_WRONG`), or a score
    as Python writes it, or no label with the status “skipped”. Right answers are only skipped, and only if they are no
    answer.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.LabelFile`, or kept labels.
    words : mapping
        As in `meanings_of`, which raises for what cannot be one. Words that are known to be no verdict need none.
    kind : str
        Kind of the rows that do not say theirs, of `core.labels.KINDS`.
    is_answer : callable
        Whether a label (item, label) may be a right answer of its item. By default it always is.
    """
    said = meanings_of(words, kind)
    if not _may_change(rows, said):
        return rows
    names = ("label", "note", "status")
    changed = {name: column(rows, name) for name in names}
    kinds = [given or kind for given in column(rows, "kind")]
    columns = zip(kinds, column(rows, "item_id"), *changed.values(), strict=True)
    signs = _signs(changed["label"], changed["note"])
    for place, (of_kind, item, label, note, status) in enumerate(list(columns)):
        if of_kind not in KINDS:
            continue
        judges, is_blank = KINDS[of_kind].judges, label is None and status == EMPTY and "" in said
        meaning: str | None
        if is_blank and judges and said[""] != SKIP:
            meaning = said[""]
        elif label is None or status or (judges and spelling(label) in signs - said.keys()):
            continue
        else:
            meaning = _meaning(label, of_kind, said)
        if KINDS[of_kind].compares and not _may_mean(meaning or "", KINDS[of_kind]):
            continue
        is_right_answer = not judges and meaning not in MEANINGS
        if meaning is None or (
            not judges and not is_right_answer and (meaning != SKIP or is_answer(item, label or ""))
        ):
            continue
        written = f"written “{label or ''}”"
        if KINDS[of_kind].averaged:
            meaning = RIGHT_OR_WRONG.get(meaning) or canonical(meaning, of_kind) or meaning
        changed["note"][place] = written if note is None else f"{note}; {written}"
        changed["label"][place] = None if meaning == SKIP else meaning
        changed["status"][place] = SKIPPED if meaning == SKIP else "" if is_blank else status
    return rows.assign(**{name: pd.Series(changed[name], index=rows.index, dtype=object) for name in names})


def without_effect(
    rows: pd.DataFrame, words: Mapping[str, str], kind: str, is_answer: Callable[[str, str], bool]
) -> str:
    """Say which words `translated` does not read as somebody says, since the labels are right answers; "" for none.

    Parameters
    ----------
    rows, words, kind, is_answer
        As in `translated`.
    """
    said, kept = meanings_of(words, kind), dict[str, None]()
    columns = (column(rows, name) for name in ("kind", "item_id", "label", "status"))
    for of_kind, item, label, status in zip(*columns, strict=True):
        if (of_kind or kind) not in KINDS or KINDS[of_kind or kind].judges:
            continue
        word = "" if label is None else word_key(label)
        if word not in said or said[word] == word or (label is None and (status != EMPTY or said[word] == SKIP)):
            continue
        if label is None or said[word] in (RIGHT, WRONG) or (said[word] == SKIP and is_answer(item, label)):
            kept[word] = None
    if not kept:
        return ""
    listing = listed([f"{f'“{word}”' if word else 'a blank'} as {said[word]}" for word in kept])
    return (
        f"The labels are read as right answers, where this has no effect: {listing}. A blank is no answer, and an "
        "answer of the pool or its items is always that answer. Correct the cells: write the right answer, or skip "
        f'(no verdict). If labels say whether the model’s answer is right: kind="{RIGHT_WRONG.name}", --kind '
        f"{RIGHT_WRONG.name}."
    )


def _signs(labels: Iterable[str | None], notes: Iterable[str | None]) -> frozenset[str]:
    """Return the dashes, if another label is a plus, or was written so."""
    texts = {label if (text := written(note)) is None else text for label, note in zip(labels, notes, strict=True)}
    return DASHES if not PLUS.isdisjoint({spelling(text) for text in texts if text}) else frozenset()


def _may_change(rows: pd.DataFrame, said: Mapping[str, str]) -> bool:
    """Whether any label is a word that has a meaning; most lists are large and have none."""
    if rows.empty or "" in said:
        return not rows.empty
    known = said.keys() | SAYS_NOTHING
    return any(spelling(label) in known or word_key(label) in known for label in rows["label"].dropna().unique())


def _meaning(label: str, kind: str, said: Mapping[str, str]) -> str | None:
    """Return what a label means that the kind does not read by itself; numbers as somebody says, if somebody does."""
    word = word_key(label)
    if KINDS[kind].judges and canonical(label, kind) is not None and number_in(label) is None:
        return said.get(word)
    return said.get(word, SKIP if word in SAYS_NOTHING else None)


def written(note: str | None) -> str | None:
    """Return the label as it was written before `translated` read it; None if it was not."""
    found = _WRITTEN.search(note or "")
    return found[1] if found else None


def remark(note: str | None) -> str | None:
    """Return a note as a person wrote it, without what `translated` has added; None for nothing."""
    return _WRITTEN.sub("", note or "") or None


def words_of(rows: pd.DataFrame) -> tuple[Word, ...]:
    """List the words that were read by what somebody said of them, the most frequent first.

    Words that are known to be no verdict are not among them.

    Parameters
    ----------
    rows : DataFrame
        With the columns label and note.
    """
    found = Counter[tuple[str, str]]()
    for label, note in zip(column(rows, "label"), column(rows, "note"), strict=True):
        if (said := written(note)) is None:
            continue
        word = word_key(said)
        if label is not None or word not in SAYS_NOTHING:
            found[word, SKIP if label is None else label] += 1
    return tuple(Word(word, count, meaning) for (word, meaning), count in found.most_common())


def statement(words: tuple[Word, ...], nothing: str = "no verdict") -> str:
    """Say how words were read, and how often if it is known; ``nothing`` is what neither right nor wrong is called."""
    if not words:
        return ""
    read = [
        f"{shown(one.word, 30) if one.word else 'a blank'} as {_said(one.meaning, nothing)}"
        + f" ({one.labels:,})" * (one.labels > 0)
        for one in words
    ]
    return f"Words read with the meaning that a person gave: {listed(read)}."


def unused(rows: pd.DataFrame, words: Mapping[str, str]) -> str:
    """Say which words somebody gave a meaning are written in no label; "" if all are, or there is no label yet.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.LabelFile`, before `translated`.
    words : mapping
        As in `meanings_of`.
    """
    there = set(map(word_key, rows["label"].dropna().unique()))
    if not there:
        return ""
    if (rows["label"].isna() & (rows["status"] == EMPTY)).any():
        there.add("")
    missing = {word: meaning for word, meaning in words.items() if word_key(word) not in there}
    if not missing:
        return ""
    said = [f"{shown(word, 30) if word else 'a blank'} as {meaning}" for word, meaning in missing.items()]
    return f"Given a meaning, but written in no label of the list, so not used: {listed(said)}."


def _said(meaning: str | None, nothing: str) -> str:
    if meaning in (None, SKIP):
        return nothing
    return {"1": RIGHT, "0": WRONG}.get(meaning, meaning)


def _verdicts(rows: pd.DataFrame) -> pd.Series:
    """Whether a row has a label that may say right or wrong."""
    return rows["label"].notna() & (rows["status"] == "") & (rows["kind"].isna() | (rows["kind"] == RIGHT_WRONG.name))
