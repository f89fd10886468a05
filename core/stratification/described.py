"""A pool's items and profile before any label, as tables and orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..pool.pool import Pool
from .profiles import Profile

# Shares that differ by less are one value.
_DIGITS = 9


def value_counts(values: NDArray[np.float64], items: NDArray[np.int64] | None = None) -> pd.DataFrame:
    """Count the items at each known value, ascending: value, items.

    Parameters
    ----------
    values : (n,) float
        NaN if a value is not known.
    items : (n,) int, optional
        Items that have it; by default one each.
    """
    known = np.isfinite(values)
    found, place = np.unique(values[known].round(_DIGITS), return_inverse=True)
    weights = None if items is None else items[known]
    return pd.DataFrame({"value": found, "items": np.bincount(place, weights, found.size).astype(np.int64)})


def in_order(profile: Profile, places: NDArray[np.int64], most: int, descending: bool = False) -> NDArray[np.int64]:
    """Return those of some items with the smallest signal, or with the largest: only so many are sorted.

    Parameters
    ----------
    profile : Profile
        Of the pool. An item without a signal counts as the largest.
    places : (n,) int
        Places of the items in the pool; equal ones stay in their order.
    most : int
        How many are returned.
    descending : bool
        The largest first.
    """
    signal = np.nan_to_num(profile.signal[places], nan=np.inf)
    return places[_least(-signal if descending else signal, most)]


def by_group(pool: Pool, profile: Profile | None = None, parser: str | None = None) -> pd.DataFrame:
    """Tabulate the groups of a pool, the largest first.

    Parameters
    ----------
    pool : Pool
        With groups.
    profile : Profile, optional
        Along semantic entropy.
    parser : str, optional
        Answer kind of all items.

    Returns
    -------
    DataFrame
        group, items; with a profile "mean semantic entropy" and "share with entropy 0"; for each target "accuracy ·
        NAME" if its losses are 0 and 1, else "mean loss · NAME".
    """
    names, numbers = pool.group_names, pool.groups
    order = sorted(name for name in names if name is not None)
    codes = np.array([-1 if name is None else order.index(name) for name in names], dtype=np.int64)
    group = pd.Series(pd.Categorical.from_codes(codes[numbers], pd.Index(order)))
    columns: dict[str, pd.Series[Any]] = {"items": group.groupby(group).size()}
    if profile is not None:
        columns["mean semantic entropy"] = pd.Series(profile.signal).groupby(group).mean()
        columns["share with entropy 0"] = pd.Series(profile.signal == 0).groupby(group).mean()
    for name in pool.targets:
        losses = pool.losses(name, parser)
        mean = pd.Series(losses).groupby(group).mean()
        if np.isin(losses, (0.0, 1.0)).sum() == np.isfinite(losses).sum():
            columns[f"accuracy · {name}"] = 1 - mean
        else:
            columns[f"mean loss · {name}"] = mean
    return pd.DataFrame(columns).sort_values("items", ascending=False).rename_axis("group").reset_index()


def _least(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Places of the smallest values, ascending and equal ones in their order."""
    if values.size <= count:
        return np.asarray(np.argsort(values, kind="stable"))
    last = np.partition(values, count - 1)[count - 1]
    below = np.flatnonzero(values < last)
    ties = np.flatnonzero(values == last)[: count - below.size]
    return np.concatenate([below[np.argsort(values[below], kind="stable")], ties])
