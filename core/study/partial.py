"""A plan with a stratum that has no label: which strata wait, which items come first, and the labelled part alone."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..design.design import Plan
from ..estimation.mean import Estimate, Sample, sample
from ..estimation.weighting import WeightedLabels
from ..words import counted
from ..words.scale import Unit
from .outcomes import JOINED, Outcomes, mean_named, text_of

# Two labels of a stratum are the fewest from which its own variance can be estimated.
_FIRST = 2


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Partial:
    """Labels that leave strata out.

    Parameters
    ----------
    target, measure : str
        As in `core.study.Outcomes`.
    unit : bool or GradeScale
        Whether values lie in [0, 1].
    confidence : float
        The level of the interval.
    strata : DataFrame
        stratum, items, share_of_pool, planned, labels.
    empty : tuple of int
        Strata without a label.
    first : DataFrame
        item_id, stratum: the items to label first, in labelling order.
    known : float
        Share of the pool that lies in labelled strata.
    estimate : Estimate or None
        Of that part alone; None if there is no label at all. While disputes are open, as `Outcomes.estimate`.
    ends : (float, float)
        The value of that part by either way of settling all disputes; the same twice if none is open.
    worst_case : tuple of float or None
        Limits of the whole pool's value whatever the items without a label are; None if values have no bounds or
        there is no interval.
    joined : Estimate or None
        The provisional estimate of the whole pool, of `Outcomes.joined`; None if there is none yet.
    how_joined : str
        What that rests on.
    begun : bool
        Whether that is of the beginning of a list, which the next labels narrow.
    without : str
        How many items have no verdict, as `Outcomes.without`.
    """

    target: str
    measure: str
    unit: Unit
    confidence: float
    strata: pd.DataFrame
    empty: tuple[int, ...]
    first: pd.DataFrame
    known: float
    estimate: Estimate | None
    worst_case: tuple[float, float] | None
    ends: tuple[float, float] = (math.nan, math.nan)
    joined: Estimate | None = None
    how_joined: str = JOINED
    without: str = ""
    begun: bool = False

    def __repr__(self) -> str:
        """Show which strata wait, and the labels of each."""
        empty, total = len(self.empty), len(self.strata)
        return f"Partial: {empty} of {counted(total, 'stratum', 'strata')} without a label\n{text_of(self.strata)}"


def partial(
    outcomes: Outcomes,
    spare: pd.DataFrame | None = None,
    lost: Collection[str] = (),
    given_up: NDArray[np.int64] | None = None,
) -> Partial | None:
    """Find what is missing for an estimate; None if every stratum has a label.

    Parameters
    ----------
    outcomes : Outcomes
        What the labels say.
    spare : DataFrame, optional
        Replacements of items that will get no label: item_id, stratum.
    lost : collection of str
        Ids of items that will get no label.
    given_up : (G,) int, optional
        Places in the pool of those that were drawn.
    """
    plan, sizes, counts = outcomes.plan, outcomes.plan.strata.sizes, outcomes.counts
    labelled = counts > 0
    if not outcomes.waiting.size:
        return None
    estimate, worst_case, ends = None, None, (math.nan, math.nan)
    known = float(plan.shares[labelled].sum())
    if labelled.any():
        least, most = (_part(one, labelled) for one in outcomes.settled or (outcomes, outcomes))
        estimate, ends = _part(outcomes, labelled).estimate(outcomes.interval), (least.value, most.value)
        if outcomes.settled is not None:
            estimate = outcomes.either_way(lambda one: _part(one, labelled).estimate(outcomes.interval))
            by_disputes = [_part(one, labelled).value for one in outcomes.by_disputes or (outcomes, outcomes)]
            ends = (by_disputes[0], by_disputes[1])
        estimate = replace(estimate, measure=mean_named(outcomes.measure))
        if outcomes.bounded and estimate.has_interval:
            gone = np.bincount(plan.stratum[[] if given_up is None else given_up], minlength=sizes.size)[labelled]
            low, high = (one.worst_case(gone, outcomes.interval)[end] for end, one in enumerate((least, most)))
            worst_case = (known * low, known * high + 1 - known)
    empty = tuple(outcomes.waiting.tolist())
    table = pd.DataFrame(
        {
            "stratum": np.arange(sizes.size),
            "items": sizes,
            "share_of_pool": plan.shares,
            "planned": plan.allocation,
            "labels": counts,
        }
    )
    return Partial(
        outcomes.target,
        outcomes.measure,
        outcomes.unit,
        outcomes.confidence,
        table,
        empty,
        _first(plan, empty, spare, lost),
        known,
        estimate,
        worst_case,
        ends,
        outcomes.joined,
        outcomes.how_joined,
        outcomes.without,
        outcomes.begun,
    )


def _part(outcomes: Outcomes, labelled: NDArray[np.bool_]) -> Sample:
    """The labels of some strata as a sample of these alone."""
    inside, dense = labelled[outcomes.strata], np.cumsum(labelled) - 1
    if outcomes.plan.design.weights is not None:
        labels = WeightedLabels(outcomes.plan.weighted_strata(), outcomes.positions)
        return labels.among(labelled[outcomes.plan.stratum]).of(outcomes.values[inside], outcomes.bounded)
    strata = dense[outcomes.strata[inside]]
    return sample(outcomes.values[inside], strata, outcomes.plan.strata.sizes[labelled], outcomes.bounded)


def _first(plan: Plan, empty: tuple[int, ...], spare: pd.DataFrame | None, lost: Collection[str]) -> pd.DataFrame:
    """Select the first items of the empty strata in labelling order, without those that will get no label."""
    table = plan.items[["item_id", "stratum"]]
    if spare is not None:
        table = pd.concat([table, spare[["item_id", "stratum"]]], ignore_index=True)
    table = table[table["stratum"].isin(empty) & ~table["item_id"].isin(list(lost))]
    return table.groupby("stratum", sort=False).head(_FIRST).reset_index(drop=True)
