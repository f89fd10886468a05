"""Agreement of annotators beyond chance: Cohen's kappa for two, Krippendorff's alpha for more and for scores.

1 is full agreement, 0 what chance alone brings; below 0 people agree less often than that. Both describe the items that
several people labelled, each counted once: they are no estimate for the pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .formats.records import NOBODY
from .kinds import KINDS

# What rounding leaves of a variance of 0.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class BeyondChance:
    """A coefficient of agreement.

    Parameters
    ----------
    coefficient : {"kappa", "alpha"}
        Cohen's kappa or Krippendorff's alpha.
    value : float
        At most 1.
    items : int
        Items with labels of two annotators or more.
    annotators : int
        People who labelled them.
    low, high : float or None
        Limits of an approximate 95 % interval, from -1 to 1; None if there is none.
    """

    coefficient: str
    value: float
    items: int
    annotators: int
    low: float | None = None
    high: float | None = None


def beyond_chance(ratings: pd.DataFrame, kind: str) -> BeyondChance | None:
    """Agreement beyond chance.

    Kappa is Cohen's (1960), its large-sample limits are those of Fleiss, Cohen & Everitt (1969). Alpha (Krippendorff
    2019, chapter 12) takes answers as names, and scores by their squared distance. It has no interval here.

    Parameters
    ----------
    ratings : DataFrame
        `Settlement.ratings`: item_id, annotator, label.
    kind : str
        Kind of label.

    Returns
    -------
    BeyondChance or None
        None if no item has labels of two named people, or all of them are the same, so that chance would agree too.
        People who said different things of an item, and labels without a name, are left out there.
    """
    named = ratings[~ratings["annotator"].isin(["", NOBODY])]
    averaged = KINDS[kind].averaged
    if averaged:
        named = named.astype({"label": float})
    named = named.drop_duplicates()
    named = named[~named.duplicated(["item_id", "annotator"], keep=False)]
    shared = named[named.duplicated("item_id", keep=False)]
    if shared["label"].nunique() < 2:
        return None
    people, items = shared["annotator"].nunique(), shared["item_id"].nunique()
    if people == 2 and not averaged:
        return _kappa(shared, items)
    units = pd.factorize(shared["item_id"])[0]
    if averaged:
        observed, expected = _distances(units, shared["label"].to_numpy())
    else:
        observed, expected = _mismatches(units, pd.factorize(shared["label"])[0])
    return BeyondChance("alpha", 1 - observed / expected, items, people)


def _kappa(shared: pd.DataFrame, items: int) -> BeyondChance:
    """κ = (p_o - p_e) / (1 - p_e), whose variance is that of the share of pairs weighted by how each moves it."""
    pairs = shared.pivot(index="item_id", columns="annotator", values="label")
    answers = sorted(shared["label"].unique())
    codes = [pd.Categorical(pairs[person], answers).codes for person in pairs]
    shares = np.zeros((len(answers), len(answers)))
    np.add.at(shares, tuple(codes), 1 / items)
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    chance = rows @ columns
    value = float((np.trace(shares) - chance) / (1 - chance))
    weights = np.eye(len(answers)) - (1 - value) * (columns[:, None] + rows)
    variance = (shares * weights**2).sum() - (value - chance * (1 - value)) ** 2
    if variance < _ROUNDING:
        return BeyondChance("kappa", value, items, 2)
    margin = float(NormalDist().inv_cdf(0.975) * np.sqrt(variance / items) / (1 - chance))
    return BeyondChance("kappa", value, items, 2, max(-1.0, value - margin), min(1.0, value + margin))


def _mismatches(units: NDArray[np.intp], values: NDArray[np.intp]) -> tuple[float, float]:
    """Observed and expected disagreement of names: Σ_{i≠j} [a ≠ b] = m² - Σ_c n_c²."""
    table = np.zeros((units.max() + 1, values.max() + 1))
    np.add.at(table, (units, values), 1)
    sizes, totals, n = table.sum(axis=1), table.sum(axis=0), len(values)
    within = (sizes**2 - (table**2).sum(axis=1)) / (sizes - 1)
    return float(within.sum() / n), float((n**2 - (totals**2).sum()) / (n * (n - 1)))


def _distances(units: NDArray[np.intp], values: NDArray[np.float64]) -> tuple[float, float]:
    """Observed and expected squared distance of scores: Σ_{i≠j} (a - b)² = 2m·Σ(x - x̄)²."""
    sizes, n = np.bincount(units), len(values)
    means = np.bincount(units, values) / sizes
    squares = np.bincount(units, (values - means[units]) ** 2)
    within = 2 * sizes * squares / (sizes - 1)
    return float(within.sum() / n), float(2 * ((values - values.mean()) ** 2).sum() / (n - 1))
