"""From verdicts on pairs of answers to the meaning classes of a pool (docs/method.md, 7.6).

The classes become columns of the pool: ``meanings``, for each generation the answer that stands for its class, and for
a target ``meaning``, the answer that stands for the class in which its own answer is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

import pyarrow as pa

from ..answers.classes import closure, equivalent
from ..pool.columns import COLUMNS, TARGET_FIELDS, TARGETS, TEXT, TEXTS, leaf, models, targets_column
from ..pool.pool import Pool
from ..words import counted
from .job.parameters import Grouping
from .job.source import ItemAnswers, PairKeys, answers_in, columns_of, verdicts_on
from .job.spec import JobSpec
from .job.store import Store

_AT_A_TIME = 256

Judgements = Mapping[tuple[str, str], bool | None]
"""Pairs of answers to an item, and whether they mean the same; None if that is not known."""


@dataclass(frozen=True, slots=True)
class Meanings:
    """The meaning classes of a pool's answers.

    Parameters
    ----------
    generations : list
        N lists: for each generation the answer that stands for its class, None for no answer.
    targets : mapping
        Of each target that was placed: N answers, each that of its class; None if the target has no answer.
    answers, classes : int
        Distinct answers of the items, and their classes, added up over the items.
    same, different, undecided : int
        Pairs of distinct answers by what was judged. An undecided pair lacks a verdict, and counts as different.
    overruled : int
        Pairs that were judged different and are in one class, because other answers connect them.
    overruled_items : int
        Items that have such a pair.
    ambiguous : int
        Answers of targets that mean the same as answers in several classes. Each is placed in the class where it has
        the most.
    """

    generations: list[list[str | None]]
    targets: Mapping[str, list[str | None]]
    answers: int
    classes: int
    same: int
    different: int
    undecided: int
    overruled: int
    overruled_items: int
    ambiguous: int

    def __str__(self) -> str:
        pairs = self.same + self.different + self.undecided
        parts = [
            f"{self.answers:,} distinct answers in {self.classes:,} meaning classes; {counted(pairs, 'pair')}:"
            f" {self.same:,} the same, {self.different:,} different"
        ]
        if self.undecided:
            parts.append(f"{self.undecided:,} without a verdict count as different")
        parts.append(
            f"{counted(self.overruled, 'pair')} in {counted(self.overruled_items, 'item')} judged different are in one"
            " class through other answers"
        )
        if self.ambiguous:
            parts.append(f"{counted(self.ambiguous, 'target answer')} fit several classes")
        return "; ".join(parts)


def judged_meanings(store: Store, pool: Pool, spec: JobSpec) -> Meanings:
    """Group a pool's answers by the verdicts that the store has.

    Parameters
    ----------
    store : Store
        Where the verdicts are, whichever jobs brought them.
    pool : Pool
        The pool.
    spec : JobSpec
        The job: who judges, and by which rule.

    Raises
    ------
    SurrogateError
        The pool has no prompts or generations, or no answers of a target.
    """
    assert spec.grouping is not None
    rule, key = spec.grouping.rule, PairKeys(spec)

    def judged() -> Iterator[tuple[ItemAnswers, Judgements]]:
        rows = item_answers(pool, grouping)
        while some := list(islice(rows, _AT_A_TIME)):
            keys = [
                {pair: key(item.question, *pair) for one in item.pairs() for pair in (one, one[::-1])} for item in some
            ]
            with store.database.connection() as database:
                known = verdicts_on(chain.from_iterable(of_item.values() for of_item in keys), database)
            for item, of_item in zip(some, keys, strict=True):
                said = {pair: known.get(name) for pair, name in of_item.items()}
                yield item, {pair: equivalent(said[pair], said[pair[::-1]], rule) for pair in item.pairs()}

    grouping = spec.grouping
    return _grouped(judged(), grouping)


def verified_meanings(pool: Pool, grouping: Grouping, equal: Callable[[str, str], bool]) -> Meanings:
    """Group a pool's answers by a rule that needs no model, such as mathematical equality.

    Parameters
    ----------
    pool : Pool
        The pool.
    grouping : Grouping
        How texts become answers, and whose are placed; the judge's rule does not matter.
    equal : callable
        Whether two answers mean the same.

    Raises
    ------
    SurrogateError
        As in :func:`judged_meanings`.
    """
    rows = item_answers(pool, grouping)
    return _grouped(((item, {pair: equal(*pair) for pair in item.pairs()}) for item in rows), grouping)


def item_answers(pool: Pool, grouping: Grouping) -> Iterator[ItemAnswers]:
    """The answers of a pool in memory or in the archive, as a job reads them from its file; raises as it does."""
    names = dict.fromkeys(name.partition(".")[0] for name in columns_of(pool.source.schema, grouping))
    return answers_in(pool.source.select(list(names)).to_batches(_AT_A_TIME), grouping)


def with_meanings(table: pa.Table, start: int, meanings: Meanings) -> pa.Table:
    """The rows of a pool from ``start`` on with their meanings, in place of those that they had."""
    stop = start + len(table)
    lists = [answers or None for answers in meanings.generations[start:stop]]
    columns = {name: table.column(name) for name in table.column_names} | {
        "meanings": pa.chunked_array([pa.array(lists, TEXTS)])
    }
    if TARGETS in columns:
        targets = leaves(table)
        for model in models(table):
            placed = meanings.targets.get(model, [])
            # All pieces of a pool have the same fields.
            targets.pop((model, "meaning"), None)
            if any(placed):
                targets[model, "meaning"] = pa.chunked_array([pa.array(placed[start:stop], TEXT)])
        columns[TARGETS] = targets_column(targets)
    return ordered(columns)


def leaves(table: pa.Table) -> dict[tuple[str, str], pa.ChunkedArray]:
    """Return what a table has of its targets, by target and field."""
    paths = ((model, part) for model in models(table) for part in TARGET_FIELDS)
    return {path: column for path in paths if (column := leaf(table, *path)) is not None}


def ordered(columns: Mapping[str, pa.ChunkedArray]) -> pa.Table:
    """Return columns in the order of a canonical table: a pool's, the targets, extras."""
    extras = (name for name in columns if name not in (*COLUMNS, TARGETS))
    return pa.table({name: columns[name] for name in (*COLUMNS, TARGETS, *extras) if name in columns})


def _grouped(judged: Iterable[tuple[ItemAnswers, Judgements]], grouping: Grouping) -> Meanings:
    counts, pairs = Counter(answers=0, classes=0, overruled=0, overruled_items=0, ambiguous=0), Counter[bool | None]()
    generations: list[list[str | None]] = []
    targets: dict[str, list[str | None]] = {name: [] for name in grouping.targets}
    for item, judgements in judged:
        names = _representatives(item, judgements, counts)
        generations.append([None if answer is None else names[answer] for answer in item.answers])
        pairs.update(judgements.values())
        for target, answer in zip(grouping.targets, item.targets, strict=True):
            targets[target].append(None if answer is None else _placed(answer, names, judgements, counts))
    judged_pairs = {"same": pairs[True], "different": pairs[False], "undecided": pairs[None]}
    return Meanings(generations, targets, **judged_pairs, **counts)


def _representatives(item: ItemAnswers, judgements: Judgements, counts: Counter[str]) -> dict[str, str]:
    """For each distinct answer the one that stands for its class: the most frequent, of these the first."""
    distinct = item.distinct
    places = {answer: place for place, answer in enumerate(distinct)}
    pairs = {
        (places[first], places[second]): same
        for (first, second), same in judgements.items()
        if first in places and second in places
    }
    joined = closure(len(distinct), pairs)
    often = Counter(item.answers)
    names: dict[int, str] = {}
    for answer, number in zip(distinct, joined.classes, strict=True):
        if number not in names or often[answer] > often[names[number]]:
            names[number] = answer
    found = {"answers": len(distinct), "classes": len(names)}
    counts.update(found, overruled=joined.overruled, overruled_items=int(joined.overruled > 0))
    return {answer: names[number] for answer, number in zip(distinct, joined.classes, strict=True)}


def _placed(answer: str, names: Mapping[str, str], judgements: Judgements, counts: Counter[str]) -> str:
    """The answer that stands for the class of a target's answer; itself if it is in none."""
    if answer in names:
        return names[answer]
    votes = Counter(name for other, name in names.items() if judgements.get((other, answer)))
    counts["ambiguous"] += len(votes) > 1
    return max(votes, key=votes.__getitem__, default=answer)
