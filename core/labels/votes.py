"""One label an item from the votes of its annotators: the most frequent answer, or the mean of scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from .right_answers import meanings

# Item id → (annotator, label) of each vote.
Votes = dict[str, list[tuple[str, str]]]


class VoteCount(NamedTuple):
    """The votes on one item.

    Parameters
    ----------
    label : str or None
        The label that counts, None for a tie.
    votes : int
        Votes for it.
    voters : int
        Votes in all.
    summary : str
        The different labels with their votes, "right: 2, wrong: 1".
    disputed : bool
        Whether there are different labels.
    """

    label: str | None
    votes: int
    voters: int
    summary: str
    disputed: bool


def meaning_of(votes: Votes, items: pd.DataFrame | None, parser: str | None) -> dict[tuple[str, str], str]:
    """Return the meaning of each right answer (item, label) by the pool's rule, for items with several votes.

    Parameters
    ----------
    votes : Votes
        The votes on each item.
    items : DataFrame or None
        The pool's items, for their answer kinds; None: no answer has another meaning than its spelling.
    parser : str or None
        Answer kind for all items, None for their own.
    """
    if items is None:
        return {}
    pairs = [(item, label) for item, given in votes.items() if len(given) > 1 for label in dict(_ranked(given))]
    if not pairs:
        return {}
    frame = pd.DataFrame(pairs, columns=["item_id", "label"], dtype=object)
    return dict(zip(pairs, meanings(frame, items, parser), strict=True))


def majority(
    item: str, votes: list[tuple[str, str]], meaning: Mapping[tuple[str, str], str], decision: str | None
) -> VoteCount:
    """Return the most frequent answer, in its most frequent spelling; equally frequent answers tie.

    Parameters
    ----------
    item : str
        The item's id.
    votes : list of (str, str)
        Annotator and label of each vote; the same answer of the same person counts once.
    meaning : mapping
        Of `meaning_of`; a label that it does not hold means what it says.
    decision : str or None
        The label that counts if the answers differ.
    """
    distinct = dict.fromkeys((person, meaning.get((item, label), label)) for person, label in votes)
    spellings: dict[str, Counter[str]] = {}
    for _, label in votes:
        spellings.setdefault(meaning.get((item, label), label), Counter())[label] += 1
    spelling = {answer: counts.most_common(1)[0][0] for answer, counts in spellings.items()}
    counts = Counter(answer for _, answer in distinct)
    ranked = counts.most_common()
    summary = ", ".join(f"{spelling[answer]}: {count}" for answer, count in ranked)
    voters = sum(counts.values())
    if decision is not None and len(ranked) > 1:
        return VoteCount(decision, counts.get(meaning.get((item, decision), decision), 0), voters, summary, True)
    if len(ranked) > 1 and ranked[1][1] == ranked[0][1]:
        return VoteCount(None, 0, voters, summary, True)
    return VoteCount(spelling[ranked[0][0]], ranked[0][1], voters, summary, len(ranked) > 1)


def mean(votes: list[tuple[str, str]], decision: str | None) -> VoteCount:
    """Return the mean of the annotators' scores; several scores of one person count as their mean.

    Parameters
    ----------
    votes : list of (str, str)
        Annotator and score of each vote.
    decision : str or None
        The score that counts if the scores differ.
    """
    ranked = _ranked(votes)
    summary = ", ".join(f"{score}: {count}" for score, count in ranked)
    if len(ranked) == 1:
        return VoteCount(ranked[0][0], len(votes), len(votes), summary, False)
    if decision is not None:
        return VoteCount(decision, dict(ranked).get(decision, 0), len(votes), summary, True)
    of_person: dict[str, list[float]] = {}
    for person, score in votes:
        of_person.setdefault(person, []).append(float(score))
    means = [sum(scores) / len(scores) for scores in of_person.values()]
    return VoteCount(repr(sum(means) / len(means)), len(votes), len(votes), summary, True)


def _ranked(votes: Iterable[tuple[str, str]]) -> list[tuple[str, int]]:
    """Return the different labels with their votes, most frequent first."""
    return Counter(label for _, label in votes).most_common()
