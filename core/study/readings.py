"""Readings of kept labels: the kinds and targets there are, and which of them to look at first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..design.design import Plan
from ..labels.comparison import readable
from ..labels.kinds import GOLD, KINDS, RIGHT_WRONG
from ..labels.targets import ANSWERS_OF, assign_targets
from ..pool.columns import TARGETS
from ..pool.pool import Pool

# Of so many items answers are looked at; those of more words are sentences.
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """Labels of one kind about one target.

    Parameters
    ----------
    kind : str
        Of `core.labels.KINDS`.
    target : str
        The target that they judge; "" = none is named.
    items : int
        Items that have such a label; two readings may differ in it and be equal.
    """

    kind: str
    target: str
    items: int = field(default=0, compare=False)


def readings(log: pd.DataFrame) -> list[Reading]:
    """List what labels say, by kind and target, in the order in which it came.

    Parameters
    ----------
    log : DataFrame
        Of `Archive.labels.of`.
    """
    given = log[log["label"].notna() & log["kind"].map(lambda kind: kind in KINDS)]
    groups = given.groupby(["kind", "target"], sort=False)
    return [Reading(str(kind), str(target), int(rows["item_id"].nunique())) for (kind, target), rows in groups]


def usual_kind(pool: Pool) -> str:
    """Return the kind of label to ask for at first: “right-wrong” if the targets' answers are there.

    So it is, too, if nothing but their verdicts is known, and neither right answers nor options.

    Parameters
    ----------
    pool : Pool
        The pool, with its targets.
    """
    if not pool.targets:
        return GOLD.name
    first = pool.part(np.arange(min(pool.n_items, _LOOKED_AT)), ("id", TARGETS))
    columns = [outputs for one in first.targets.values() for outputs in (one.answers, one.texts) if outputs is not None]
    if any(text for outputs in columns for text in outputs):
        return RIGHT_WRONG.name
    known = pool.n_generations or {"answer", "choices"} & {*pool.item_columns}
    return GOLD.name if known else RIGHT_WRONG.name


def split(rows: pd.DataFrame, targets: Iterable[str], kind: str, target: str | None) -> dict[Reading, pd.DataFrame]:
    """Split the rows of a file by what they say, and about which target.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.LabelFile`.
    targets : iterable of str
        Targets of the pool.
    kind : str
        Kind of the rows that do not say theirs; but what judges the answers of a target is no right answer.
    target : str or None
        Target of the rows that name none, and of those that name one that the pool does not have: settling them
        reports them as odd.

    Returns
    -------
    dict of Reading to DataFrame
        The rows of each reading, with a column target; ``kind`` and ``target`` come first.
    """
    if kind == "gold":
        rows = rows[rows["kind"].notna() | rows[ANSWERS_OF].isna()]
    rows = rows.assign(kind=rows["kind"].fillna(kind))
    names, parts = list(targets), dict[Reading, pd.DataFrame]()
    there = set(rows["kind"])
    for one in dict.fromkeys([kind, *KINDS, *sorted(one for one in there if one in KINDS)]):
        if one not in there:
            continue
        judged = "" if one == "gold" else target or ""
        of_kind = rows[rows["kind"] == one]
        of_kind = of_kind.assign(target="") if one == "gold" else assign_targets(of_kind, names, judged)
        others = [] if one == "gold" else [name for name in names if name != judged]
        for name in (judged, *others):
            about = of_kind["target"] == name if name != judged else ~of_kind["target"].isin(others)
            if about.any():
                rows_about = of_kind[about]
                parts[Reading(one, name, int(rows_about["item_id"].nunique()))] = rows_about
    return parts


def presumed(log: pd.DataFrame, plan: Plan, pool: Pool, kind: str | None = None, target: str | None = None) -> Reading:
    """Choose the kind of label and the target to look at first: those that give an estimate, of these the newest.

    Parameters
    ----------
    log : DataFrame
        Of `Archive.labels.of`, for the plan and its family.
    plan : Plan
        The plan.
    pool : Pool
        Its pool, with the targets that can be looked at.
    kind, target : str, optional
        What is given already.

    Returns
    -------
    Reading
        Right answers ("gold") and the first target of the pool if labels say nothing else; "" without targets.
    """
    if kind is None or (target is None and pool.targets):
        given = log[log["label"].notna() & log["kind"].isin(KINDS if kind is None else [kind])]
        targets = [name for name in pool.targets if target in (None, name)]
        ranked = _ranked(given, targets, plan, pool)
        best = max(ranked, key=lambda pair: pair[0], default=None)
        if best is not None:
            kind = kind or best[1].kind
            target = target or (best[1].target if best[1].target in pool.targets else None)
    return Reading(kind or "gold", target or next(iter(pool.targets), ""))


_Rank = tuple[bool, bool, str]


def _ranked(given: pd.DataFrame, targets: list[str], plan: Plan, pool: Pool) -> Iterator[tuple[_Rank, Reading]]:
    """Each way to read labels, by whether it covers all strata, whether any outcome is known, and how new it is."""
    listed = set(map(str, plan.ids))
    for (kind, judged), rows in given.groupby(["kind", "target"], sort=False):
        on_list = rows[rows["item_id"].isin(listed)]
        on_list = on_list[readable(on_list, str(kind), pool.items_with(on_list["item_id"]))]
        places = pool.places(on_list["item_id"].unique())
        newest = str(rows["created"].max())
        if kind != "gold":
            if not judged or judged in targets:
                yield (*_known(places, plan), newest), Reading(str(kind), str(judged))
            continue
        for name in targets or [""]:
            answered = places[_answered(pool, name, places)] if name else places[:0]
            yield (*_known(answered, plan), newest), Reading("gold", name)


def _known(places: NDArray[np.int64], plan: Plan) -> tuple[bool, bool]:
    """Whether labels of these items reach every stratum, and whether there are any."""
    needed = np.flatnonzero(plan.allocation) if plan.design.carried is not None else np.arange(plan.strata.n_strata)
    return bool(np.isin(needed, plan.stratum[places]).all()), places.size > 0


def _answered(pool: Pool, target: str, places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the target was asked these items."""
    part = pool.part(places, ("id", TARGETS))
    known = part.targets[target]
    columns = [column for column in (known.answers, known.texts) if column is not None]
    return np.array([any(column[place] is not None for column in columns) for place in range(places.size)], dtype=bool)
