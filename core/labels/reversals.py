"""Verdicts that contradict what else is known of the answers: turned round, or moved to other rows.

Each answer has a sign: whether something else speaks for it, as the pool's right answer or most other models do. If
verdicts had nothing to do with signs, the number of answers with a good sign that are labelled right would be
hypergeometric. A remark is made if so few, or after a move so many, happen in less than one of 1,000 lists: that is its
false alarm, or less where verdicts follow the signs as they should.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, lgamma

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..answers import EXTRACTED
from ..design.design import Plan
from ..pool.pool import Pool
from ..words import counted, shown
from ..words.verdict_words import number_in
from .cells import both_ways
from .kinds import RIGHT, WRONG
from .right_answers import kinds_of
from .vocabulary import written

Mask = NDArray[np.bool_]

# A chance that is no accident; and one that leaves a relation in doubt.
_RARE, _COMMON = 1 / 1000, 1 / 20
# Of fewer answers of either sign, nothing follows.
_SEVERAL = 3
_ONE_IS_RIGHT = frozenset({"choice", "number"})
_EXAMPLES = 3
_SAID = "If they are, leave out what was said of 0 and 1."


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """Signs of good and of bad answers to some items, from elsewhere than their labels.

    Parameters
    ----------
    known : (n,) bool
        Items that have a sign.
    good : (n,) bool
        Whether it speaks for the answer.
    what : str
        The answers with a good sign, in words: "that most other models give".
    """

    known: Mask
    good: Mask
    what: str

    @property
    def tell(self) -> bool:
        """Whether there are several answers of either sign."""
        good = int(self.good[self.known].sum())
        return min(good, int(self.known.sum()) - good) >= _SEVERAL


def signs(plan: Plan, pool: Pool, target: str, places: NDArray[np.int64], parser: str | None = None) -> Signs | None:
    """Find the best signs that there are of a target's answers; None if nothing tells them apart.

    They are, in this order, the pool's right answers, the answers of its other models and of the surrogate, and the
    strata's consistency.

    Parameters
    ----------
    plan : Plan
        The list.
    pool : Pool
        Its pool, with the target's answers.
    target : str
        One of the pool's targets.
    places : (n,) int
        Places of the labelled items in the pool.
    parser : str, optional
        Answer kind of all items; by default each item's own.
    """
    part = pool.part(places)
    ways: tuple[Callable[[], Signs], ...] = (
        lambda: _of_truths(part, target, parser),
        lambda: _of_models(part, target, parser),
        lambda: _of_strata(plan, places),
    )
    return next((found for way in ways if (found := way()).tell), None)


def remark(right: Mask, found: Signs, if_turned: str, items: Iterable[str], rows: pd.DataFrame) -> str:
    """Return a sentence if verdicts contradict the signs of their items, as they do if something happened to them; "".

    Tried are verdicts turned round, one row up, one row down, and in the order of the file beside the items in that of
    the list; the chance is shared among them. Verdicts that fit the signs of their own items are never doubted.

    Parameters
    ----------
    right : (n,) bool
        Whether each label says that the answer is right, in the order of the list.
    found : Signs
        Of the same items.
    if_turned : str
        What to do if the labels are turned round.
    items : iterable of str
        The items' ids.
    rows : DataFrame
        The rows that the labels come from, in the order of the file: item_id.
    """
    said, good = right[found.known], found.good[found.known]
    if _chance(said, good) < _COMMON:
        return ""
    by_item = dict(zip((item for item, one in zip(items, found.known, strict=True) if one), said, strict=True))
    of_file = np.array([by_item[item] for item in dict.fromkeys(rows["item_id"]) if item in by_item], dtype=bool)
    ways = {
        "": (~said, good),
        "one row further up": (said[1:], good[:-1]),
        "one row further down": (said[:-1], good[1:]),
        "in the order of the file, and the items in the order of the list": (of_file, good),
    }
    ways = {where: way for where, way in ways.items() if way[0].size == way[1].size}
    # Verdicts turned round have half of the false alarms, the moves the other half.
    chances = {where: _chance(*way) * (2 if not where else 2 * (len(ways) - 1)) for where, way in ways.items()}
    where = min(chances, key=lambda one: chances[one])
    if chances[where] >= _RARE:
        return ""
    by_chance = "(less than once in 1,000 lists by chance)"
    if not where:
        both, others = int((said & good).sum()), int((said & ~good).sum())
        return (
            f"These labels say the opposite of what else is known: of {counted(int(good.sum()), 'answer')} "
            f"{found.what}, {both:,} {'has' if both == 1 else 'have'} a good label, and of {int((~good).sum()):,} "
            f"others {others:,} {by_chance}. Are good and bad turned round? {if_turned}"
        )
    labels, there = ways[where]
    own, fits = int((said == good).sum()), int((labels == there).sum())
    return (
        f"These labels fit the answers of other rows better than their own: of {counted(said.size, 'label')}, {own:,} "
        f"are good beside an answer {found.what} or bad beside another; with each label {where}, {fits:,} would be "
        f"{by_chance}. If labels or ids were moved or sorted without the rest of their rows, undo that. A list that "
        "keeps the columns prompt and target_answer is checked row by row."
    )


def remedy(labels: Iterable[str], notes: Iterable[str | None]) -> str:
    """Say how verdicts are turned round again: digits by their meanings, words in the file.

    Parameters
    ----------
    labels, notes : iterable of str
        Of the rows.
    """
    texts = {written(note) or label for label, note in zip(labels, notes, strict=True)}
    if all(number_in(text) in (0, 1) for text in texts):
        plain = [label for label, note in zip(labels, notes, strict=True) if written(note) is None]
        return f"If 1 means wrong, say so: {both_ways({'1': WRONG, '0': RIGHT})}." if plain else _SAID
    return "If they are, replace each verdict by its opposite in the file."


def both_right(right: Mapping[str, Sequence[str]], pool: Pool, parser: str | None = None) -> str:
    """Return a sentence about items of which several answers that differ are labelled right; "" if there are none.

    Only letters and numbers are compared: texts may say the same in other words.

    Parameters
    ----------
    right : mapping
        By item id the targets whose answer is labelled right.
    pool : Pool
        The pool.
    parser : str, optional
        Answer kind of all items; by default each item's own.
    """
    ids = [item for item, names in right.items() if len(names) > 1]
    if not ids:
        return ""
    kinds = kinds_of(pool.items_with(ids), ids, parser)
    ids = [item for item, kind in zip(ids, kinds, strict=True) if EXTRACTED.get(kind, kind) in _ONE_IS_RIGHT]
    part, found = pool.part(pool.places(ids)), list[str]()
    answers = {name: part.target_answers(name, parser) for name in {name for item in ids for name in right[item]}}
    for place, item in enumerate(ids):
        said = dict.fromkeys(one for name in right[item] if (one := answers[name][place]) is not None)
        if len(said) > 1:
            found.append(f"{shown(item, 30)}: {' and '.join(shown(one, 30) for one in said)}")
    if not found:
        return ""
    examples = "; ".join(found[:_EXAMPLES]) + "; …" * (len(found) > _EXAMPLES)
    has = "has" if len(found) == 1 else "have"
    return (
        f"{counted(len(found), 'item')} {has} answers that differ and are both labelled right ({examples}). At most "
        "one of them can be, unless they mean the same: check these rows, whether labels were moved to other rows, and "
        "whether right and wrong are turned round."
    )


def _chance(some: Mask, good: Mask) -> float:
    """Return the chance that at least as many of some labels have a good sign as do: hypergeometric."""
    total, chosen, special = some.size, int(some.sum()), int(good.sum())
    met = int((some & good).sum())
    most = min(chosen, special)
    log = _log_ways(total, chosen)
    return sum(
        exp(_log_ways(special, k) + _log_ways(total - special, chosen - k) - log)
        for k in range(max(met, chosen + special - total), most + 1)
    )


def _log_ways(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _of_truths(part: Pool, target: str, parser: str | None) -> Signs:
    losses = part.losses(target, parser)
    return Signs(np.isfinite(losses), losses == 0, "that equal the pool’s right answer")


def _of_models(part: Pool, target: str, parser: str | None) -> Signs:
    """Whether the other models' and the surrogate's answers equal the target's more often than on other items."""
    own = part.target_answers(target, parser)
    alike, others = np.zeros(len(own)), np.zeros(len(own))
    if part.n_generations:
        samples = part.answers(parser)
        alike += [sum(one == said for one in texts) for texts, said in zip(samples, own, strict=True)]
        others += [sum(one is not None for one in texts) for texts in samples]
    for name in part.targets:
        if name != target:
            said = part.target_answers(name, parser)
            alike += [one == other for one, other in zip(said, own, strict=True)]
            others += [one is not None for one in said]
    known = (others > 0) & np.array([one is not None for one in own], dtype=bool)
    shares = np.divide(alike, others, out=np.zeros(len(own)), where=others > 0)
    return Signs(known, _upper_half(shares, known), "that other models give most often")


def _of_strata(plan: Plan, places: NDArray[np.int64]) -> Signs:
    """Whether the stratum is one of those whose answers agree most."""
    consistency = plan.strata.consistency[plan.stratum[places]]
    known = np.isfinite(consistency)
    return Signs(known, _upper_half(consistency, known), "on which the surrogate’s answers agree most")


def _upper_half(values: NDArray[np.float64], known: Mask) -> Mask:
    """Whether values lie above the level that splits those known most evenly; a level is never split."""
    there = np.sort(values[known])
    levels = np.unique(there)[1:]
    if not levels.size:
        return np.zeros(values.size, dtype=bool)
    below = np.searchsorted(there, levels)
    return np.asarray(values >= levels[np.abs(2 * below - there.size).argmin()])
