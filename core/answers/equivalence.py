"""Meaning classes of an item's answers, from verdicts on pairs of them (docs/method.md, 7.6).

A judge says whether one answer entails another. A rule turns the verdicts of both directions into “the same” or
“different”, and the transitive closure turns pairs into classes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

VERDICTS = ("entailment", "neutral", "contradiction")
RULES = ("strict", "lenient")
_WORD = re.compile(rf"\b({'|'.join(VERDICTS)})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Closure:
    """The classes of an item's answers.

    Parameters
    ----------
    classes : tuple of int
        The class of each answer, 0, 1, 2 … by first appearance.
    overruled : int
        Pairs that were judged different and are in one class all the same, because other answers connect them.
    """

    classes: tuple[int, ...]
    overruled: int


def verdict(text: str) -> str | None:
    """Read a judge's words: the last of "entailment", "neutral" and "contradiction"; None if there is none."""
    words = _WORD.findall(text)
    return words[-1].lower() if words else None


def equivalent(forward: str | None, backward: str | None, rule: str) -> bool | None:
    """Decide whether two answers mean the same.

    Parameters
    ----------
    forward, backward : str or None
        Whether the first entails the second, and the second the first, as one of `VERDICTS`; None: no verdict.
    rule : {"strict", "lenient"}
        ``"strict"``: each entails the other. ``"lenient"``: neither contradicts the other, and not both are neutral
        (Kuhn, Gal & Farquhar 2023; Farquhar et al. 2024).

    Returns
    -------
    bool or None
        None if a verdict is missing that would decide.
    """
    both = (forward, backward)
    if "contradiction" in both or (rule == "strict" and "neutral" in both):
        return False
    if None in both:
        return None
    return both != ("neutral", "neutral")


def closure(size: int, judged: Mapping[tuple[int, int], bool | None]) -> Closure:
    """Join answers that mean the same into classes, by union–find.

    Parameters
    ----------
    size : int
        Number of distinct answers.
    judged : mapping of (int, int) to bool or None
        Pairs of answers, numbered from 0, and whether they mean the same; None, like a pair that is not there, joins
        nothing and overrules nothing.

    Returns
    -------
    Closure
    """
    parents = list(range(size))

    def root(answer: int) -> int:
        while parents[answer] != answer:
            parents[answer] = parents[parents[answer]]
            answer = parents[answer]
        return answer

    for (first, second), same in judged.items():
        if same:
            parents[root(second)] = root(first)
    numbers: dict[int, int] = {}
    classes = tuple(numbers.setdefault(root(answer), len(numbers)) for answer in range(size))
    different = (pair for pair, same in judged.items() if same is False)
    return Closure(classes, sum(classes[first] == classes[second] for first, second in different))
