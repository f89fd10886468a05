"""One label an item from what its annotators gave: the most frequent of equal answers, or the mean of scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from core.labels.right_answers import meanings

Given = dict[str, list[tuple[str, str]]]


class Count(NamedTuple):
    """What the annotators of one item gave.

    ``label`` that counts (None: a tie), ``votes`` for it, ``voters``; ``told``: the different labels with their votes;
    ``differ``: whether there are several.
    """

    label: str | None
    votes: int
    voters: int
    told: str
    differ: bool


def same_meaning(given: Given, items: pd.DataFrame | None, parser: str | None) -> dict[tuple[str, str], str]:
    """What each right answer (item, label) means by the pool's rule for answers, where an item has several.

    Parameters
    ----------
    given : (person, label) of each item. items : the pool's items, for their answer kinds; None: labels are taken as
        they are spelled. parser : answer kind for all items, None = their own.
    """
    if items is None:
        return {}
    found = [(item, label) for item, votes in given.items() if len(votes) > 1 for label in dict(_labels(votes))]
    if not found:
        return {}
    frame = pd.DataFrame(found, columns=["item_id", "label"], dtype=object)
    return dict(zip(found, meanings(frame, items, parser), strict=True))


def most_frequent(
    item: str, votes: list[tuple[str, str]], meant: Mapping[tuple[str, str], str], decided: str | None
) -> Count:
    """The answer that more gave than any other, also where it is less than half of them, in its most frequent spelling.

    Two that are given equally often are a tie. ``decided`` wins where the answers differ.
    """
    distinct = dict.fromkeys((person, meant.get((item, label), label)) for person, label in votes)
    spelled: dict[str, Counter[str]] = {}
    for _, label in votes:
        spelled.setdefault(meant.get((item, label), label), Counter())[label] += 1
    shown = {meaning: spellings.most_common(1)[0][0] for meaning, spellings in spelled.items()}
    counts = Counter(meaning for _, meaning in distinct)
    ranked = counts.most_common()
    told = ", ".join(f"{shown[meaning]}: {count}" for meaning, count in ranked)
    voters = sum(counts.values())
    if decided is not None and len(ranked) > 1:
        return Count(decided, counts.get(meant.get((item, decided), decided), 0), voters, told, True)
    tied = len(ranked) > 1 and ranked[1][1] == ranked[0][1]
    return Count(None if tied else shown[ranked[0][0]], 0 if tied else ranked[0][1], voters, told, len(ranked) > 1)


def mean(votes: list[tuple[str, str]], decided: str | None) -> Count:
    """The mean of the persons' scores; ``decided`` wins where they differ. Scores of one person count as their mean."""
    scores = dict(_labels(votes))
    told = ", ".join(f"{score}: {count}" for score, count in _labels(votes))
    of_person: dict[str, list[float]] = {}
    for person, score in votes:
        of_person.setdefault(person, []).append(float(score))
    if len(scores) == 1:
        return Count(next(iter(scores)), len(votes), len(votes), told, False)
    if decided is not None:
        return Count(decided, scores.get(decided, 0), len(votes), told, True)
    means = [sum(own) / len(own) for own in of_person.values()]
    return Count(repr(sum(means) / len(means)), len(votes), len(votes), told, True)


def _labels(votes: Iterable[tuple[str, str]]) -> list[tuple[str, int]]:
    """The different labels with their numbers, most frequent first."""
    return Counter(label for _, label in votes).most_common()
