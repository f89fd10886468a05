"""The known ties of a begun list of pairs: items to which both targets give the same answer.

How far a list has come depends on the ties among its items, because nobody labels them. A sample that counts them up to
the last label has more of them where it got further, and whether its strata all have a label depends on them. So the
ties of the whole pool are taken as known items with the value ½, and the labels as a sample of the other items: given
where the ties are it is a stratified one, and what is joined or refused follows from that alone. A whole list counts
its own ties as labels.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..design.design import Plan
from ..design.known_verdicts import Carried
from ..estimation.shrinkage import joined
from ..stratification.profiles import Stratification

_TIE = 0.5


def with_ties(plan: Plan, ties: NDArray[np.bool_]) -> Plan:
    """The plan of a list with known ties: strata of the other items, and a last one of all ties of the pool.

    Strata in which the list has no other item join their neighbours.

    Parameters
    ----------
    plan : Plan
        As it was drawn, in one wave.
    ties : (N,) bool
        Whether both targets give an item the same answer; not of all items of the list.
    """
    listed = plan.positions[~ties[plan.positions]]
    place = joined(np.bincount(plan.stratum[listed], minlength=plan.strata.n_strata))
    stratum = np.where(ties, place.max() + 1, place[plan.stratum])
    known = Carried(tuple(np.where(ties, _TIE, np.nan).tolist()), follows=True)
    counts = np.bincount(stratum[listed], minlength=place.max() + 2)
    of_plan = replace(plan, design=replace(plan.design, carried=known), allocation=counts)
    return replace(of_plan, stratum=stratum, strata=_among(plan.strata, place, stratum))


def with_joined(plan: Plan, place: NDArray[np.int64]) -> Plan:
    """A plan of `with_ties` with some of its strata joined.

    Parameters
    ----------
    place : (H − 1,) int
        The stratum that each becomes, but for the last one.
    """
    place = np.append(place, place.max() + 1)
    stratum = place[plan.stratum]
    allocation = np.bincount(place, weights=plan.allocation).astype(np.int64)
    return replace(plan, stratum=stratum, allocation=allocation, strata=_among(plan.strata, place, stratum))


def with_value(plan: Plan, value: float) -> Plan:
    """A plan of `with_ties` in which these have another value, such as 1 for the share of ties."""
    carried = plan.design.carried
    assert carried is not None
    losses = np.where(carried.known, 1.0 - value, np.nan)
    return replace(plan, design=replace(plan.design, carried=replace(carried, losses=tuple(losses.tolist()))))


def _among(strata: Stratification, place: NDArray[np.int64], stratum: NDArray[np.int64]) -> Stratification:
    """Strata of these items, from those before, each with the stratum it becomes."""
    n_strata = int(stratum.max()) + 1
    sizes = np.bincount(stratum, minlength=n_strata)
    of_each = [np.flatnonzero(place == number) for number in range(n_strata)]
    mean = [float(strata.consistency[one].mean()) if one.size else np.nan for one in of_each]
    low, high = (
        np.array([end(part[one]) if one.size else np.nan for one in of_each])
        for end, part in ((np.min, strata.low), (np.max, strata.high))
    )
    return Stratification(stratum, sizes, np.array(mean), low, high, by_item=True)
