"""The label request: the sampled items as a list for annotators, and replacements for items that get no label.

The list is in labelling order (random inside strata, so that its beginning is a valid sample too). It shows neither
stratum nor semantic entropy, and a model's answer only if it is to be judged: they would anchor the annotators.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..design.design import Plan
from ..errors import LabelError
from ..pool.digest import among
from ..pool.pool import Pool
from ..words import counted
from .formats.records import EMPTY, SKIPPED
from .targets import ANSWERS_OF, target_code

_SHOWN = ("group", "prompt", "choices", "image")
_NO_REPLACEMENTS = pd.DataFrame({"item_id": [], "stratum": [], "place": []}).astype(
    {"item_id": object, "stratum": np.int64, "place": np.int64}
)


def request(
    plan: Plan,
    items: pd.DataFrame | Pool,
    answers: Sequence[str | None] | None = None,
    target: str | None = None,
    positions: NDArray[np.int64] | None = None,
) -> pd.DataFrame:
    """Return the items to label, in labelling order.

    Parameters
    ----------
    plan : Plan
        The drawn plan.
    items : DataFrame or Pool
        The pool's items, indexed by id, in the pool's order; or the pool, in which only the listed ones are looked up.
    answers : (M,) sequence, optional
        The target's answers to the listed items, to show them to annotators ("right-wrong" and "score" need them).
    target : str, optional
        The target that ``answers`` come from. The list holds its code (`target_code`), so that labels come back to it.
    positions : (M,) int, optional
        Places of the listed items in the pool; by default those of the plan.

    Returns
    -------
    DataFrame
        M rows: position (1 … M), item_id, plan_id, answers_of (with ``target``), those of group, prompt, choices, image
        that the pool has, and target_answer (with ``answers``).

    Raises
    ------
    LabelError
        If there is not one answer an item.
    """
    places = plan.positions if positions is None else positions
    chosen = items.rows(places) if isinstance(items, Pool) else items.iloc[places]
    ids = plan.pool_ids[places]
    columns: dict[str, Any] = {"position": range(1, len(chosen) + 1), "item_id": ids, "plan_id": plan.plan_id}
    if target is not None:
        columns[ANSWERS_OF] = target_code(target)
    columns |= {name: chosen[name].array for name in _SHOWN if name in chosen.columns}
    if answers is not None:
        if len(answers) != len(chosen):
            raise LabelError(
                f"Got {counted(len(answers), 'answer')} for {counted(len(chosen), 'item')}. Give one for each item."
            )
        columns["target_answer"] = pd.Series(list(answers), dtype=object)
    return pd.DataFrame(columns)


def lost(labels: pd.DataFrame) -> list[str]:
    """Return the ids of items that will get no label: somebody dropped or cancelled them, and nobody labelled them.

    Items that were skipped or left empty may still get one.

    Parameters
    ----------
    labels : DataFrame
        Kept labels that are `relevant`.

    Returns
    -------
    list of str
        In the order in which they were dropped.
    """
    if labels.empty:
        return []
    labelled = set(labels.loc[labels["label"].notna(), "item_id"])
    ended = labels.loc[labels["label"].isna() & ~labels["status"].isin(["", EMPTY, SKIPPED]), "item_id"]
    return [item for item in dict.fromkeys(ended) if item not in labelled]


def replacements(plan: Plan, lost: Collection[str]) -> pd.DataFrame:
    """Return items that replace sampled items that will get no label.

    A stratum's sample is its m_h smallest permanent random numbers; its replacements are the next smallest. That keeps
    m_h and, if labels are lost at random inside a stratum, a simple random sample of it. The result depends on ``lost``
    alone, so a longer ``lost`` only adds items.

    Parameters
    ----------
    plan : Plan
        The drawn plan.
    lost : collection of str
        Ids that will get no label, of sampled items and of replacements.

    Returns
    -------
    DataFrame
        One row a replacement, in labelling order of the items replaced: item_id, stratum (0 … H−1), place (in the pool,
        from 0). A stratum without items left gives none.
    """
    if not lost:
        return _NO_REPLACEMENTS
    ids, stratum = plan.pool_ids, plan.stratum
    order = np.lexsort((plan.numbers, stratum))
    ends = np.cumsum(plan.strata.sizes)
    unavailable, rows = set(lost), []
    spares = {
        h: iter(order[end - size + m : end].tolist())
        for h, (end, size, m) in enumerate(zip(ends, plan.strata.sizes, plan.allocation, strict=True))
    }
    for item, h in zip(plan.ids, stratum[plan.positions].tolist(), strict=True):
        if item in unavailable:
            place = next((place for place in spares[h] if ids[place] not in unavailable), None)
            if place is not None:
                rows.append((ids[place], h, place))
    return pd.DataFrame(rows, columns=list(_NO_REPLACEMENTS))


def given_up(plan: Plan, lost: Collection[str]) -> NDArray[np.int64]:
    """Places in the pool of items that were drawn and will get no label, (G,): of the list and of its replacements.

    Parameters
    ----------
    plan, lost
        As in `replacements`.
    """
    if len(lost) == 0:
        return np.empty(0, dtype=np.int64)
    order = np.lexsort((plan.numbers, plan.stratum))
    gone, stratum = among(plan.pool_ids, lost)[order], plan.stratum[order]
    usable = np.concatenate([np.cumsum(~gone[stratum == h]) for h in range(plan.strata.n_strata)])
    return np.sort(order[gone & (usable < plan.allocation[stratum])])
