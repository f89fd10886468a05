"""Two targets of which people say whose answer is better: their name as one target, and what is shown first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import pandas as pd

from ..errors import LabelError
from ..words import listed
from ..words.verdict_words import spelling
from .kinds import FIRST, SECOND, canonical
from .rows import column, named_rows

_AGAINST = " against "
# How both answers stand in one text.
FIRST_ANSWER, SECOND_ANSWER = "First answer:\n", "\n\nSecond answer:\n"
# The columns of a list that show them.
SHOWN = ("first_answer", "second_answer")
_MOST = 6


@dataclass(frozen=True, slots=True)
class ModelPair:
    """Two targets that are compared, as one target: labels say how often the first one wins.

    Parameters
    ----------
    one, other : str
        Their names.
    """

    one: str
    other: str

    @property
    def name(self) -> str:
        """The name of the pair as a target, “A against B”."""
        return f"{self.one}{_AGAINST}{self.other}"

    @classmethod
    def of(cls, name: str | None, targets: Collection[str]) -> ModelPair | None:
        """Find the two targets that a name puts against each other; None if it does not."""
        parts = (name or "").split(_AGAINST)
        ways = (cls(_AGAINST.join(parts[:at]), _AGAINST.join(parts[at:])) for at in range(1, len(parts)))
        return next((way for way in ways if way.one != way.other and {way.one, way.other} <= {*targets}), None)


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
        Rows name a place and no plan.
    """
    cells = zip(*(column(rows, name) for name in ("row", "label", "status", "plan_id")), strict=True)
    names, places = {spelling(pair.one), spelling(pair.other)}, (FIRST, SECOND)
    bad = [
        row
        for row, label, status, plan in cells
        if label is not None and not status and plan is None and spelling(label) not in names
        if canonical(label, kind) in places
    ]
    if bad:
        raise LabelError(
            f"Labels name a place, such as first or A ({named_rows(bad)}), and nothing in these rows says which answer "
            f"stood there. Write the name of the better model, “{pair.one}” or “{pair.other}”, or tie; or fill in the "
            "list of this plan."
        )
