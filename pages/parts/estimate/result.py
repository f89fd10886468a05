"""From settled labels to the result, or to what can be said while a stratum has no label."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import pandas as pd

from core import labels, report
from core.report.partial import Partial, partial
from pages.parts import state
from pages.parts.estimate.chosen import Chosen


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """The target's losses on the labelled items: frame item_id, place, stratum, loss (NaN: not known), in order.

    ``unknown``: ids of labelled items to which no answer of the target is known; ``unreadable``: of those whose right
    answer cannot be read; ``answers``: the target's known answers by item id; ``pairs``: of `core.labels.answer_pairs`
    where labels say what is right, else empty.
    """

    table: pd.DataFrame
    answers: dict[str, str | None]
    unknown: tuple[str, ...]
    unreadable: tuple[str, ...]
    pairs: pd.DataFrame

    @property
    def known(self) -> pd.DataFrame:
        """The rows with a loss."""
        return self.table[self.table["loss"].notna()].reset_index(drop=True)


def outcomes(chosen: Chosen, found: labels.Settlement) -> Outcomes:
    """The losses of the settled labels."""
    answers, items, ids = {}, chosen.pool.items, found.labels["item_id"].tolist()
    if chosen.target is not None:
        answers = labels.target_answers(chosen.pool, chosen.target, chosen.items, chosen.parser)
    losses = labels.losses(found, answers, items, chosen.parser)
    pairs, unknown, unreadable = found.labels.head(0), (), ()
    if chosen.asked == "gold":
        pairs = labels.answer_pairs(found.labels, answers, items, chosen.parser)
        read = set(pairs["item_id"])
        unknown = tuple(item for item in ids if item not in answers)
        unreadable = tuple(item for item in ids if item in answers and item not in read)
        # Also where the target gave no answer: what is right is not known.
        losses.loc[losses["item_id"].isin(unreadable), "loss"] = np.nan
    places = items.index.get_indexer(losses["item_id"])
    table = losses.assign(place=places, stratum=chosen.plan.stratum[places])
    return Outcomes(table, answers, unknown, unreadable, pairs)


def labelled(seen: Outcomes) -> report.Labelled:
    """The known losses as core takes them."""
    known = seen.known
    return report.Labelled(
        known["item_id"].tolist(), known["place"].to_numpy(dtype=np.int64), known["loss"].to_numpy(dtype=float)
    )


def missing_strata(chosen: Chosen, seen: Outcomes) -> Partial | None:
    """What is missing where a stratum has no label; None where all have one."""
    return partial(
        chosen.plan,
        labelled(seen),
        chosen.plan.stratum,
        chosen.spare,
        chosen.lost,
        target=chosen.target or "",
        measure=chosen.measure,
        interval=chosen.interval,
    )


def result_of(chosen: Chosen, found: labels.Settlement, seen: Outcomes) -> report.Result:
    """The result of the known losses; every stratum has one."""
    items = chosen.pool.items
    return report.result(
        chosen.plan,
        chosen.pool.name,
        labelled(seen),
        chosen.plan.stratum,
        items["group"].tolist() if "group" in items else None,
        target=chosen.target or "",
        measure=chosen.measure,
        interval=chosen.interval,
        manifest=chosen.document,
        made=_made(),
        undecided=len(found.undecided),
    )


def _made() -> str:
    """When the result was made, in words."""
    now = datetime.fromisoformat(state.now())
    return f"Made {now.day} {now:%B %Y, %H:%M} UTC"
