"""Two targets of which people say whose answer is better: how both are shown, and how labels name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations

import pandas as pd

from ..errors import LabelError
from ..pool.target_sets import ModelPair
from ..words import listed
from ..words.verdict_words import spelling
from .kinds import FIRST, SECOND, canonical
from .rows import column, named_rows

# How both answers stand in one text.
FIRST_ANSWER, SECOND_ANSWER = "First answer:\n", "\n\nSecond answer:\n"
# The columns of a list that show them.
SHOWN = ("first_answer", "second_answer")
_MOST = 6


def pair_names(targets: Iterable[str]) -> list[str]:
    """List the names of all pairs of targets, either way round."""
    return [ModelPair(*two).name for two in permutations(targets, 2)]


def put_against(target: str | None, other: str, targets: Sequence[str]) -> str:
    """Return the name of a target put against another one.

    Raises
    ------
    LabelError
        One of them is no target, or they are the same.
    """
    if target is None and len(there := [name for name in targets if name != other]) == 1:
        target = there[0]
    if target == other or not {target, other} <= {*targets}:
        known = listed([f"“{name}”" for name in targets[:_MOST]]) + ", …" * (len(targets) > _MOST)
        raise LabelError(f"Two different targets of the pool are compared. Its targets are {known or 'none'}.")
    return ModelPair(target or "", other).name


def both(first: str, second: str) -> str:
    """Write two answers as one text, in the order in which they are shown."""
    return f"{FIRST_ANSWER}{first}{SECOND_ANSWER}{second}"


def parted(text: str) -> tuple[str, str]:
    """Return the two answers of a text that `both` wrote."""
    first, _, second = text.removeprefix(FIRST_ANSWER).partition(SECOND_ANSWER)
    return first, second


def by_name(rows: pd.DataFrame, pair: ModelPair, swapped: Mapping[str, bool]) -> pd.DataFrame:
    """Return the rows with labels that name one of the two targets as the place of its answer.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.LabelFile`.
    pair : ModelPair
        The targets.
    swapped : mapping
        Item id to whether the answer of ``pair.other`` is shown first.
    """
    names = {spelling(pair.one): FIRST, spelling(pair.other): SECOND}
    turned = {FIRST: SECOND, SECOND: FIRST}
    labels = column(rows, "label")
    for place, (item, label) in enumerate(zip(column(rows, "item_id"), labels, strict=True)):
        wins = None if label is None else names.get(spelling(label))
        if wins is not None and item in swapped:
            labels[place] = turned[wins] if swapped[item] else wins
    return rows.assign(label=pd.Series(labels, index=rows.index, dtype=object))


def check_order(rows: pd.DataFrame, kind: str, pair: ModelPair) -> None:
    """Check that rows which name a place, such as “first” or “A”, are rows of a list, which has an order.

    Raises
    ------
    LabelError
        Rows name a place and no plan, or a model that is called as a place.
    """
    cells = zip(*(column(rows, name) for name in ("row", "label", "status", "plan_id")), strict=True)
    names, homeless, twofold = {spelling(pair.one), spelling(pair.other)}, list[int](), list[int]()
    for row, label, status, plan in cells:
        if label is None or status or canonical(label, kind) not in (FIRST, SECOND):
            continue
        is_name = spelling(label) in names
        if is_name == (plan is not None):
            (twofold if is_name else homeless).append(row)
    if homeless:
        raise LabelError(
            f"Labels name a place, such as first or A ({named_rows(homeless)}), and nothing in these rows says which "
            f"answer stood there. Write the name of the better model, “{pair.one}” or “{pair.other}”, or tie; or fill "
            "in the list of this plan."
        )
    if twofold:
        raise LabelError(
            f"Labels are the name of a model and of a place at once ({named_rows(twofold)}): the models are called "
            f"“{pair.one}” and “{pair.other}”. Write first, second or tie, by the places in the list."
        )
