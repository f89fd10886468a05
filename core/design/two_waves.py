"""The strata of a design in two waves: the labels of the first decide where those of the second go.

Wave 1 takes M₁ = max(2, ⌊M/4⌋) labels, proportionally, in fine strata of equal size along the scheme's signal. A ridge
logistic regression on its losses predicts the risk p̂ of all items, or corrects the one that was known. Wave 2 takes the
remaining labels in fine strata of equal risk mass of the items not labelled yet, two each, more if over a third of
these items is labelled; what wave 1 labelled is one stratum that is taken whole.

Source: docs/designs.md, "Two waves"; docs/method.md, 6.5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..allocation import optimum
from ..errors import DesignError
from ..signals.risk import regression
from ..stratification.cuts import levels
from ..stratification.equal_mass import LEAST_ITEMS, MOST_STRATA, fine_strata
from ..stratification.profiles import EQUAL_MASS, Profile, Stratification
from .scheme import Scheme, scattered

if TYPE_CHECKING:
    from ..estimation.waves import Waves

# Fewer labels could not give two to a stratum of each wave.
LEAST_BUDGET = 4


def first_labels(budget: int) -> int:
    """M₁ = max(2, ⌊M/4⌋), the labels of the first wave of a budget M."""
    return max(2, budget // 4)


def first_strata(profile: Profile, n_strata: int, budget: int) -> Stratification:
    """Strata of the first wave: equal sizes along the signal, at least two labels each.

    Parameters
    ----------
    profile : Profile
        Of the pool.
    n_strata : int
        The most strata, at least 1.
    budget : int
        M, the labels of both waves.
    """
    most = min(n_strata, MOST_STRATA, first_labels(budget) // LEAST_ITEMS)
    # Equal risks have equal masses.
    return replace(profile, risk=np.zeros(profile.signal.size)).stratify(most, EQUAL_MASS, 1.0)


def wave_weights(scheme: Scheme, strata: Stratification, second: bool) -> NDArray[np.float64]:
    """Allocation weights of the strata of one of the waves, (H,)."""
    if not scheme.in_waves:
        return scheme.weights(strata)
    if not second:
        return optimum.proportional(strata.sizes)
    # After one label for each stratum, the items that the first wave labelled come before all others.
    weights = optimum.equal(strata.sizes)
    weights[0] = strata.sizes[0]
    return weights


def wave_turns(scheme: Scheme, strata: Stratification, second: bool) -> NDArray[np.int64]:
    """Order in which strata of equal weight get their labels, (H,); of a second wave, what is labelled comes first."""
    return np.r_[0, 1 + scattered(strata.n_strata - 1)] if second else scheme.turns(strata)


def wave_budget(scheme: Scheme, strata: Stratification, second: bool, budget: int) -> int:
    """Labels that are drawn now, of a budget for both waves; raises DesignError if they cannot cover the strata."""
    if not scheme.in_waves:
        return budget
    least = int(strata.sizes[0]) + strata.n_strata - 1 if second else 4 * strata.n_strata
    if second and budget < least:
        raise DesignError(f"The two waves of this plan need at least {least:,} labels. Found a budget of {budget}.")
    if not second and first_labels(budget) < strata.n_strata:
        raise DesignError(
            f"The first wave takes a quarter of the labels, one for each of {strata.n_strata:,} strata: two waves need "
            f"at least {least:,} labels. Found a budget of {budget:,}."
        )
    return budget if second else first_labels(budget)


def joined(
    first: tuple[NDArray[np.int64], NDArray[np.int64]],
    second: tuple[NDArray[np.int64], NDArray[np.int64]],
    positions: NDArray[np.int64],
    losses: NDArray[np.float64],
    share: float,
    bounded: bool,
) -> Waves:
    """Labels of two waves, weighted ``share`` and 1 − ``share``.

    Parameters
    ----------
    first, second : ((N,) int, (H,) int)
        The stratum of every item in either wave, and the items of each; of the second, stratum 0 is what the first
        labelled.
    positions, losses : (m,) int and float
        Places in the pool of the labelled items, and their losses.
    share, bounded
        w, and whether losses lie in [0, 1].
    """
    # Here, so that drawing does not wait for SciPy.
    from ..estimation.waves import waves

    stratum, sizes = second
    before = stratum[positions] == 0
    # Strata of which the first wave drew every item.
    dense = np.cumsum(sizes[1:] > 0) - 1
    parts = [
        (losses[before], first[0][positions[before]], first[1]),
        (losses[~before], dense[stratum[positions[~before]] - 1], sizes[1:][sizes[1:] > 0]),
    ]
    both = waves(parts, (share, 1 - share), bounded, missing=int(sizes[0] - before.sum()))
    return replace(both, order=np.r_[np.flatnonzero(before), np.flatnonzero(~before)])


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """Items of a pool in kinds that a first wave's labels give the same risk.

    Parameters
    ----------
    first : (K,) int
        Place of the first item of each kind.
    member : (N,) int
        Kind of each item.
    """

    first: NDArray[np.int64]
    member: NDArray[np.int64]

    @classmethod
    def of(cls, profile: Profile) -> Kinds:
        """Return the kinds of a pool: of equal risk, or else of equal signal and self-consistency."""
        if profile.risk is not None:
            kind = levels(profile.risk).member
        else:
            consistency = levels(profile.consistency)
            kind = profile.levels.member * np.int64(consistency.values.size) + consistency.member
        _, first, member = np.unique(kind, return_index=True, return_inverse=True)
        return cls(first, member)


def second_strata(
    profile: Profile,
    places: NDArray[np.int64],
    losses: NDArray[np.float64],
    labels: int,
    n_strata: int,
    floor: float,
    kinds: Kinds | None = None,
) -> Stratification:
    """Strata of the second wave: stratum 0 is what the first wave labelled, the others ascend in the predicted risk.

    Parameters
    ----------
    profile : Profile
        Of the pool.
    places : (n,) int
        Places in the pool of the items that the first wave labelled, n < N.
    losses : (n,) float
        Their losses.
    labels : int
        The labels of the second wave, at least 1.
    n_strata : int
        The most strata beside what the first wave labelled, at least 1. So many labels of the other items may allow
        fewer (`core.stratification.equal_mass.fine_strata`).
    floor : float
        Of the masses of `core.stratification.equal_mass`.
    kinds : Kinds, optional
        Of the profile, if they are known already.
    """
    alike = Kinds.of(profile) if kinds is None else kinds
    predicted_risk = predicted(profile, alike, places, losses)
    of_kind = profile.signal[alike.first] if predicted_risk is None else predicted_risk
    rest = np.ones(profile.signal.size, dtype=bool)
    rest[places] = False
    distinct = levels(of_kind).of_items(alike.member[rest])
    signal = distinct.values[distinct.member]
    risk = None if predicted_risk is None else signal
    group, consistency = None if profile.group is None else profile.group[rest], profile.consistency[rest]
    others = Profile(signal, consistency, distinct, np.empty(0), risk, group)
    fine = others.stratify(min(n_strata, fine_strata(labels, signal.size)), EQUAL_MASS, floor)
    stratum = np.zeros(rest.size, dtype=np.int64)
    stratum[rest] = 1 + fine.of_level
    before = of_kind[alike.member[places]]
    return Stratification(
        stratum,
        np.append(places.size, fine.sizes),
        np.append(np.nan_to_num(profile.consistency[places], nan=0.5).mean(), fine.consistency),
        np.append(np.fmin.reduce(before), fine.low),
        np.append(np.fmax.reduce(before), fine.high),
        by_item=True,
    )


def predicted(
    profile: Profile, kinds: Kinds, places: NDArray[np.int64], losses: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Predict the risk p̂ of each kind of item, (K,), from the items labelled.

    The only feature is the logit of the profile's risk, towards which the regression is drawn; without a risk, the
    signal's rank and 1 − self-consistency. Losses outside [0, 1] are brought there by their range.

    Parameters
    ----------
    profile, kinds, places, losses
        As in `second_strata`.

    Returns
    -------
    (K,) float or None
        None if the profile has no risk and the losses are all equal.
    """
    low, high = min(0.0, losses.min()), max(1.0, losses.max())
    unit, labelled = (losses - low) / (high - low), kinds.member[places]
    if profile.risk is not None:
        return corrected(profile.risk[kinds.first], labelled, unit)
    if np.ptp(losses) == 0:
        return None
    distinct = profile.levels
    rank = (np.cumsum(distinct.counts) - distinct.counts / 2) / profile.signal.size
    values = np.column_stack([rank[distinct.member[kinds.first]], 1.0 - profile.consistency[kinds.first]])
    known = ~np.isnan(values[labelled]).all(axis=0)
    names = tuple(np.array(["rank", "inconsistency"])[known].tolist())
    return regression(values[labelled][:, known], unit, names).of(values[:, known])


def corrected(risk: NDArray[np.float64], places: NDArray[np.int64], losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correct a predicted risk by labels: a logistic regression on its logit, drawn towards it.

    Parameters
    ----------
    risk : (N,) float
        Predicted probabilities p̂.
    places : (n,) int
        Places in the pool of the labelled items.
    losses : (n,) float
        Their losses, in [0, 1].

    Returns
    -------
    (N,) float
    """
    p = np.clip(risk, 1e-3, 1 - 1e-3)
    logit = np.log(p / (1 - p))[:, None]
    return regression(logit[places], losses, ("logit",), "logit").of(logit)
