"""The label request: the sampled items as a list for the people who label them, and what takes a lost item's place.

The list is in the design's order (random inside strata, cut anywhere it stays a valid sample) and shows neither
stratum nor semantic entropy nor any model's answer, unless asked for: they would anchor the annotators.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from core.design.design import Plan, permanent_random_numbers
from core.errors import LabelError
from core.labels.formats.records import EMPTY, SKIPPED
from core.labels.targets import ANSWERS_OF, target_code
from core.stratification.profiles import Profile

_SHOWN = ("group", "prompt", "choices", "image")


def request(
    plan: Plan,
    items: pd.DataFrame,
    answers: Sequence[str | None] | None = None,
    profile: Profile | None = None,
    target: str | None = None,
) -> pd.DataFrame:
    """The items to label, in order.

    Parameters
    ----------
    plan : the drawn plan. items : the pool's items, indexed by id, in the pool's order.
    answers : (M,) the target's answers to these items; shown to the annotators where given ("right-wrong" needs them).
    profile : of the pool; where given, stratum (0 … H−1) and semantic entropy are shown.
    target : whose answers these are; kept as a code (`target_code`), so that labels come back to their target.

    Returns
    -------
    Frame of M rows: position (1 … M), item_id, plan_id, answers_of where a target was given, then those of group,
    prompt, choices, image that the pool has, then target_answer, stratum, semantic_entropy where asked for.
    """
    chosen = items.iloc[plan.positions]
    frame = pd.DataFrame({"position": range(1, len(chosen) + 1), "item_id": plan.ids, "plan_id": plan.plan_id})
    if target is not None:
        frame[ANSWERS_OF] = target_code(target)
    frame = frame.assign(**{name: chosen[name].array for name in _SHOWN if name in chosen.columns})
    if answers is not None:
        if len(answers) != len(frame):
            raise LabelError(f"There are {len(answers)} answers for {len(frame)} items: give one for each.")
        frame["target_answer"] = pd.Series(list(answers), dtype=object)
    if profile is not None:
        frame["stratum"] = plan.stratum[plan.positions]
        frame["semantic_entropy"] = profile.signal[plan.positions]
    return frame


def lost(kept: pd.DataFrame) -> list[str]:
    """Ids of the items that will get no label: given up or cancelled by somebody, labelled by nobody.

    What was merely skipped, or left empty, may still get one. ``kept`` : rows of `Archive.labels` that are `relevant`.
    The ids come in the order in which they were given up.
    """
    labelled = set(kept.loc[kept["label"].notna(), "item_id"])
    ended = kept.loc[kept["label"].isna() & ~kept["status"].isin(["", EMPTY, SKIPPED]), "item_id"]
    return [item for item in dict.fromkeys(ended) if item not in labelled]


def replacements(plan: Plan, lost: Collection[str]) -> pd.DataFrame:
    """Items that take the place of sampled items that will get no label.

    A stratum's sample is its m_h smallest permanent random numbers; its replacements are the next smallest. That keeps
    m_h and, where labels are lost at random inside a stratum, a simple random sample of it. The answer depends on
    ``lost`` alone, so asking again as more are lost only adds items.

    Parameters
    ----------
    plan : Plan
        The drawn plan.
    lost : collection of str
        Ids without hope of a label, replacements that were lost too among them.

    Returns
    -------
    Frame of one row a replacement, in labelling order of the items replaced: item_id, stratum, place (in the pool).
    A stratum that has no item left gives none.
    """
    ids, stratum = plan.pool_ids, plan.stratum
    order = np.lexsort((permanent_random_numbers(plan.seed, stratum.size), stratum))
    ends = np.cumsum(plan.strata.sizes)
    gone, rows = set(lost), []
    waiting = {
        h: iter(order[end - size + m : end].tolist())
        for h, (end, size, m) in enumerate(zip(ends, plan.strata.sizes, plan.allocation, strict=True))
    }
    for item, h in zip(plan.ids, stratum[plan.positions].tolist(), strict=True):
        if item in gone:
            place = next((place for place in waiting[h] if ids[place] not in gone), None)
            if place is not None:
                rows.append((ids[place], h, place))
    return pd.DataFrame(rows, columns=["item_id", "stratum", "place"])
