"""How far annotators agree beyond chance: Cohen's kappa for two, Krippendorff's alpha for more and for scores.

1 is full agreement, 0 what chance alone brings; below 0 people agree less often than that. Both describe the items that
several people labelled, each counted once: they are no estimate for the pool.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray


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
        Limits of an approximate 95 % interval, from -1 to 1; None where there is none.
    """

    coefficient: str
    value: float
    items: int
    annotators: int
    low: float | None = None
    high: float | None = None


def beyond_chance(ratings: pd.DataFrame, kind: str) -> BeyondChance | None:
    """Agreement beyond chance.

    Kappa and its large-sample limits (Fleiss, Cohen & Everitt 1969) are those of statsmodels. Alpha (Krippendorff 2019,
    chapter 12) takes answers as names, and scores by their squared distance. It has no interval here.

    Parameters
    ----------
    ratings : DataFrame
        `Settlement.ratings`: item_id, annotator, label.
    kind : {"gold", "right-wrong", "score"}
        Kind of label.

    Returns
    -------
    BeyondChance or None
        None where no item has labels of two named people, or all of them are the same, so that chance would agree too.
        People who said different things of an item, and labels without a name, are left out there.
    """
    named = ratings[ratings["annotator"] != ""]
    if kind == "score":
        named = named.astype({"label": float})
    named = named.drop_duplicates()
    named = named[~named.duplicated(["item_id", "annotator"], keep=False)]
    shared = named[named.duplicated("item_id", keep=False)]
    if shared["label"].nunique() < 2:
        return None
    people, items = shared["annotator"].nunique(), shared["item_id"].nunique()
    if people == 2 and kind != "score":
        return _kappa(shared, items)
    units = pd.factorize(shared["item_id"])[0]
    if kind == "score":
        observed, expected = _distances(units, shared["label"].to_numpy())
    else:
        observed, expected = _mismatches(units, pd.factorize(shared["label"])[0])
    return BeyondChance("alpha", 1 - observed / expected, items, people)


def _kappa(shared: pd.DataFrame, items: int) -> BeyondChance:
    # Loaded only where two people labelled the same items.
    from statsmodels.stats.inter_rater import cohens_kappa

    pairs = shared.pivot(index="item_id", columns="annotator", values="label")
    answers = sorted(shared["label"].unique())
    codes = [pd.Categorical(pairs[person], answers).codes for person in pairs]
    table = np.zeros((len(answers), len(answers)))
    np.add.at(table, tuple(codes), 1)
    # Its test against 0, which is not used, divides by 0 where each says one thing of all items.
    with np.errstate(divide="ignore", invalid="ignore"):
        result = cohens_kappa(table)
    value = float(result.kappa)
    if not result.std_kappa > 0:
        return BeyondChance("kappa", value, items, 2)
    return BeyondChance("kappa", value, items, 2, max(-1.0, float(result.kappa_low)), min(1.0, float(result.kappa_upp)))


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
