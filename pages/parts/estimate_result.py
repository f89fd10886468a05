"""From settled labels to the result, or to what can be said while a stratum has no label."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import pandas as pd

from core import labels, report
from core.report.partial import Partial, partial
from pages.parts import state
from pages.parts.estimate_inputs import Chosen


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """The target's losses on the labelled items: frame item_id, place, stratum, loss (NaN: not known), in order.

    ``unknown``: labelled items to which no answer of the target is known; ``answers``: its known answers by item id.
    """

    table: pd.DataFrame
    answers: dict[str, str | None]
    unknown: int

    @property
    def known(self) -> pd.DataFrame:
        """The rows with a loss."""
        return self.table[self.table["loss"].notna()].reset_index(drop=True)


def outcomes(chosen: Chosen, found: labels.Settled) -> Outcomes:
    """The losses of the settled labels."""
    parser = chosen.plan.design.parser
    answers = {}
    if chosen.target is not None:
        answers = labels.target_answers(chosen.pool, chosen.target, chosen.items, parser)
    losses = labels.losses(found, answers, chosen.pool.items, parser)
    unknown = int(losses["loss"].isna().sum())
    places = chosen.pool.items.index.get_indexer(losses["item_id"])
    table = losses.assign(place=places, stratum=chosen.strata[places])
    return Outcomes(table, answers, unknown)


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
        chosen.strata,
        chosen.spare,
        chosen.lost,
        target=chosen.target or "",
        measure=chosen.measure,
        bounded=not chosen.unbounded,
        confidence=chosen.confidence,
        interval=chosen.interval,
    )


def result_of(chosen: Chosen, seen: Outcomes) -> report.Result:
    """The result of the known losses; every stratum has one."""
    items = chosen.pool.items
    return report.result(
        chosen.plan,
        chosen.pool.name,
        labelled(seen),
        chosen.strata,
        items["group"].tolist() if "group" in items else None,
        target=chosen.target or "",
        measure=chosen.measure,
        bounded=not chosen.unbounded,
        confidence=chosen.confidence,
        interval=chosen.interval,
        manifest=chosen.document,
        made=_made(),
    )


def _made() -> str:
    """When the result was made, in words."""
    now = datetime.fromisoformat(state.now())
    return f"Made {now.day} {now:%B %Y, %H:%M} UTC"
