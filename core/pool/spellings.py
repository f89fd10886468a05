"""The answers of an item by meaning, and the numbers of a pool that are written in several ways."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..answers import parse
from .pool import Pool


@dataclass(frozen=True, slots=True)
class Meaning:
    """Generations of an item that mean the same.

    Parameters
    ----------
    answer : str or None
        The answer in the first of them; None if none was found.
    count : int
        How many they are.
    wordings : tuple of (int, str)
        Each different text, without outer white space, with its place among the item's generations.
    """

    answer: str | None
    count: int
    wordings: tuple[tuple[int, str], ...]


def meanings(pool: Pool, position: int, parser: str | None = None) -> list[Meaning]:
    """List the meanings of the generations of the item at ``position``, the most frequent first.

    Parameters
    ----------
    pool : Pool
        The pool.
    position : int
        From 0 to N − 1.
    parser : str, optional
        Answer kind for all items, None for their own.
    """
    if pool.generations is None:
        return []
    classes, texts = pool.classes(parser)[position], pool.generations[position]
    answers = pool.item_answers(position, parser)
    found = []
    for label in range(int(classes.max(initial=-1)) + 1):
        places = np.flatnonzero(classes == label).tolist()
        wordings: dict[str, int] = {}
        for place in places:
            wordings.setdefault(texts[place].strip(), place)
        said = tuple((place, text) for text, place in wordings.items())
        found.append(Meaning(answers[places[0]], len(places), said))
    return sorted(found, key=lambda meaning: -meaning.count)


# Items that are looked at, the share of the answers that must be numbers, that if some are sentences, and the share of
# the items from which different spellings are worth a word.
_LOOKED_AT, _NEARLY_ALL, _WITH_SENTENCES, _NOTABLE = 300, 0.9, 0.95, 0.05
# A number with signs around it and its unit after it, of at most two words; one in a sentence counts beside the same
# one alone.
_NUMBER = re.compile(r"\W*+\d[\d.,\s/]*+\W*+(?:[^\W\d_]{1,12}\s)?\w{0,12}\W*+")
_WITHIN = re.compile(r"(?:[^\W\d_]++[\s:=]++){1,6}[^\w\s]*+\d[\d.,]*+(?:[\s%]{1,3}[^\W\d_]++){0,2}\W*")


@dataclass(frozen=True, slots=True)
class Spellings:
    """Answers of a pool that are one number, written in different ways.

    Parameters
    ----------
    share : float
        Share of the items that have such answers.
    first, second : str
        An example.
    """

    share: float
    first: str
    second: str


def spellings(pool: Pool) -> Spellings | None:
    """Numbers that count as different answers because of how they are written, such as “18” and “$18”, or “It is 18.”.

    The first few hundred items are looked at. None if the pool says how its answers are read, if over a tenth of
    them are no numbers, or if hardly any item has such answers.

    Parameters
    ----------
    pool : Pool
        The pool.
    """
    if {"answer_kind", "generation_answers"} & {*pool.source.column_names}:
        return None
    n_items, n_answers, n_alone, n_within, alike = 0, 0, 0, 0, list[tuple[str, str]]()
    part = pool.part(range(min(pool.n_items, _LOOKED_AT)), ("id", "generations"))
    for answers in part.answers():
        written = dict.fromkeys(answer for answer in answers if answer is not None)
        alone, within = (_numbers(filter(pattern.fullmatch, written)) for pattern in (_NUMBER, _WITHIN))
        within = {answer: number for answer, number in within.items() if answer not in alone}
        first = dict[str, str]()
        pairs = [(first.setdefault(number, answer), answer) for answer, number in alone.items()]
        pairs += [(first[number], answer) for answer, number in within.items() if number in first]
        n_items, n_answers = n_items + bool(written), n_answers + len(written)
        n_alone, n_within = n_alone + len(alone), n_within + len(within)
        alike += [pair for pair in pairs if pair[0] != pair[1]][:1]
    are_numbers = n_alone >= _NEARLY_ALL * n_answers or n_alone + n_within >= _WITH_SENTENCES * n_answers
    if not are_numbers or len(alike) < _NOTABLE * max(n_items, 1):
        return None
    return Spellings(len(alike) / n_items, *alike[0])


def _numbers(texts: Iterable[str]) -> dict[str, str]:
    return {text: number for text in texts if (number := parse(text, "number")) is not None}
