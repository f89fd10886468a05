"""Right answers that are compared as they are written, and equal no answer that a model gave."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from ..answers import OPEN
from ..pool.pool import Pool
from ..pool.problems import shown
from ..words import counted
from .outcomes import target_answers
from .right_answers import answer_pairs, choices_of, kinds_of

# Kinds by which two spellings of one answer are two answers.
_LITERAL = frozenset({"as-is", "text", OPEN})
_EXAMPLES = 3


def given(labels: pd.DataFrame, pool: Pool, parser: str | None = None, by_pool: bool = True) -> tuple[int, set[str]]:
    """Return how many answers of models there are to compare with right answers, and the items that have an equal one.

    Parameters
    ----------
    labels : DataFrame
        item_id, label: right answers of items of the pool, one each.
    pool : Pool
        The pool.
    parser : str, optional
        Answer kind for all items, None for their own.
    by_pool : bool, default True
        Whether the pool's own right answers are compared like those of a model.
    """
    left, compared, equal = labels[["item_id", "label"]], 0, set[str]()
    if left.empty:
        return 0, equal
    items = pool.items_with(left["item_id"])
    for name in (*[""] * by_pool, *pool.targets):
        ids = left["item_id"].tolist()
        if name:
            answers = target_answers(pool, name, ids, parser)
        elif "answer" in items.columns:
            answers = dict(zip(ids, items["answer"].loc[ids], strict=True))
        else:
            continue
        said = {item: answer for item, answer in answers.items() if isinstance(answer, str)}
        pairs = answer_pairs(left, said, items, parser)
        compared += len(said)
        equal.update(pairs.loc[pairs["true"] == pairs["said"], "item_id"])
        left = left[~left["item_id"].isin(equal)]
        if left.empty:
            break
    return compared, equal


def given_by_none(labels: pd.DataFrame, pool: Pool, parser: str | None = None) -> pd.DataFrame:
    """Return the right answers (item_id, label) that are compared as they are written, and equal no known answer.

    Parameters
    ----------
    labels, pool, parser : DataFrame, Pool, str
        As in `given`.
    """
    ids = labels["item_id"].tolist()
    items = pool.items_with(ids)
    options, kinds = choices_of(items, ids), kinds_of(items, ids, parser)
    literal = [kind in _LITERAL and not one for kind, one in zip(kinds, options, strict=True)]
    there = labels.loc[literal, ["item_id", "label"]]
    return there[~there["item_id"].isin(given(there, pool, parser, by_pool=False)[1])]


def remark(labels: pd.DataFrame, answers: Mapping[str, str | None]) -> str:
    """Say that right answers equal no model's, with examples beside the target's answers; "" for none.

    Parameters
    ----------
    labels : DataFrame
        Of `given_by_none`.
    answers : mapping
        The target's answers by item id.
    """
    pairs = [(item, label, answers.get(item)) for item, label in zip(labels["item_id"], labels["label"], strict=True)]
    both = [(item, label, said) for item, label, said in pairs if said is not None]
    if not both:
        return ""
    # Those that differ least first.
    first = sorted(both, key=lambda one: not _alike(one[1], one[2]))[:_EXAMPLES]
    examples = ", ".join(
        [f"item {shown(item, 30)}: {shown(label, 30)} beside {shown(said, 30)}" for item, label, said in first]
    )
    more = ", …" if len(both) > _EXAMPLES else ""
    many, they = counted(len(both), "right answer"), "it counts" if len(both) == 1 else "they count"
    verb = "equals" if len(both) == 1 else "equal"
    return (
        f"{many} {verb} no answer that a model gave: {they} as wrong ({examples}{more}). Answers are compared as they "
        "are written: if some mean the same, write them as the model does, or say that they are numbers, for example: "
        'parser="number" in Python, --parser number in the shell, “How the target’s answers are read” on page '
        "Estimate, or an `answer_kind` for the items of the pool."
    )


def _alike(label: str, said: str) -> bool:
    """Whether one answer is the other with more around it, signs and case aside."""
    one, other = ("".join(char for char in text.casefold() if char.isalnum()) for text in (label, said))
    return bool(one and other) and (one in other or other in one)
