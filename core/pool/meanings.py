"""The answers of one item's generations, those with one meaning together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
