"""What labels say while a stratum has none: which strata wait, which items come first, and the labelled part alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.design.design import Plan
from core.estimation.intervals import WILSON, Interval
from core.estimation.mean import Estimate, sample
from core.report.result import Labelled
from core.words import counted, level, listed, per_cent, span, value

# Two labels of a stratum are the fewest that show a spread of its own.
_FIRST = 2
_NOT_THE_POOL = "This is no estimate of the whole pool."


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """Labels that leave strata out.

    ``strata``: frame stratum, items, share_of_pool, planned, labels; ``empty`` strata without a label; ``first``: frame
    item_id, stratum, the items to label first, in labelling order; ``known``: share of the pool that lies in labelled
    strata; ``estimate`` of that part alone, None where there is no label at all.
    """

    target: str
    measure: str
    unit: bool
    confidence: float
    strata: pd.DataFrame
    empty: tuple[int, ...]
    first: pd.DataFrame
    known: float
    estimate: Estimate | None


def partial(
    plan: Plan,
    labelled: Labelled,
    strata: ArrayLike,
    spare: pd.DataFrame | None = None,
    lost: Collection[str] = (),
    *,
    target: str = "",
    measure: str = "accuracy",
    interval: Interval = WILSON,
) -> Partial | None:
    """What is missing for an estimate; None where every stratum has a label.

    Parameters
    ----------
    spare, lost : replacements (frame with item_id, stratum) and the ids that they replace, which no one will label.
    The others as in `core.report.result`.
    """
    member, sizes = np.asarray(strata, dtype=np.int64), plan.strata.sizes
    own = member[np.asarray(labelled.positions, dtype=np.int64)]
    counts = np.bincount(own, minlength=sizes.size)
    held = counts > 0
    if held.all():
        return None
    estimate = None
    if held.any():
        loss = np.asarray(labelled.losses, dtype=np.float64)
        dense = np.cumsum(held) - 1
        seen = loss if measure == "loss" else 1.0 - loss
        estimate = sample(seen, dense[own], sizes[held], interval.bounded).estimate(interval)
    empty = tuple(int(h) for h in np.flatnonzero(~held))
    table = pd.DataFrame(
        {
            "stratum": np.arange(sizes.size),
            "items": sizes,
            "share_of_pool": sizes / sizes.sum(),
            "planned": plan.allocation,
            "labels": counts,
        }
    )
    known = float(sizes[held].sum() / sizes.sum())
    first = _first(plan, empty, spare, lost)
    return Partial(target, measure, interval.bounded, interval.confidence, table, empty, first, known, estimate)


def headline(found: Partial) -> str:
    """Which strata wait for a label, and why that forbids an estimate."""
    if found.estimate is None:
        return "No stratum has a label yet, so there is no estimate."
    words = [str(h) for h in found.empty]
    one = len(words) == 1
    which = f"Stratum {words[0]} has" if one else f"Strata {listed(words)} have"
    return f"{which} no label yet, so there is no estimate of the whole pool."


def reason(found: Partial) -> str:
    """Why no estimate is unbiased then."""
    enough = "One label in each stratum is enough for a value, two for a spread of its own."
    if found.estimate is None:
        return enough
    where = "this stratum" if len(found.empty) == 1 else "these strata"
    return (
        f"{per_cent(1 - found.known, 1)} of the pool lies in {where}, and no label speaks of it. Strata differ in how "
        "hard their items are; whatever stood in for the missing part would be a guess, and the estimate would not be "
        f"unbiased. {enough}"
    )


def statement(found: Partial) -> str:
    """What the labels say of the labelled strata alone."""
    own = found.estimate
    if own is None:
        return ""
    where = f"Of the other {'strata' if len(found.strata) - len(found.empty) > 1 else 'stratum'}"
    where += f", {per_cent(found.known, 1)} of the pool"
    labels = counted(own.n_labels, "label")
    if not own.standard_error >= 0:
        return f"{where}, {labels} came back: too few for a statement with an interval. {_NOT_THE_POOL}"
    name = {"accuracy": "accuracy", "loss": "mean loss", "score": "mean score"}[found.measure]
    who = f"“{found.target}”" if found.target else "the model"
    about = f"about {value(own.value, found.unit)}"
    sure = f"{level(found.confidence)} interval {span(own.low, own.high, found.unit)}"
    return f"{where}: the {name} of {who} there is {about} ({sure}), from {labels}. {_NOT_THE_POOL}"


def _first(plan: Plan, empty: tuple[int, ...], spare: pd.DataFrame | None, lost: Collection[str]) -> pd.DataFrame:
    """The first items of the empty strata in labelling order, without those that no one will label."""
    gone = set(lost)
    rows = [(str(item), int(h)) for item, h in zip(plan.ids, plan.stratum[plan.positions], strict=True)]
    if spare is not None:
        rows += [(str(item), int(h)) for item, h in zip(spare["item_id"], spare["stratum"], strict=True)]
    table = pd.DataFrame(rows, columns=["item_id", "stratum"])
    table = table[table["stratum"].isin(empty) & ~table["item_id"].isin(gone)]
    return table.groupby("stratum", sort=False).head(_FIRST).reset_index(drop=True)
