"""Losses of a pool's items, from whatever a caller has them in."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..pool.ids import ItemIds, StoredIds


def pool_losses(losses: Mapping[str, float] | pd.Series | ArrayLike, ids: ItemIds) -> NDArray[np.float64]:
    """Losses of a pool's items in its order, (N,); NaN if there is none.

    Parameters
    ----------
    losses : Series or mapping of item id → loss, or (N,) float over the pool
        A Series or mapping may lack items and have others, which are ignored.
    ids : (N,) str
        Item ids in the pool's order.

    Raises
    ------
    DesignError
        Something that is not a number, an item with two losses, no item of the pool among the keys, or an array without
        one loss for each item.
    """
    by_id = isinstance(losses, pd.Series | Mapping)
    try:
        given = pd.Series(losses, dtype=np.float64) if by_id else np.asarray(losses, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DesignError(
            f"Some losses are not numbers ({error}). Give 0 for right and 1 for wrong, or another number."
        ) from error
    if isinstance(given, pd.Series):
        if given.index.has_duplicates:
            twice = given.index[given.index.duplicated()][0]
            raise DesignError(f"Item “{twice}” has two losses: give one for each item.")
        places = ids.places(map(str, given.index)) if isinstance(ids, StoredIds) else None
        there = given.index.isin(ids) if places is None else places >= 0
        if given.size and not there.any():
            raise DesignError(
                f"None of these {given.size:,} keys is an item id of the pool. Index the losses by item id, or give an "
                "array of one loss for each item."
            )
        if places is None:
            return given.reindex(ids).to_numpy()
        values = np.full(len(ids), np.nan)
        values[places[there]] = given.to_numpy()[there]
        return values
    if given.shape != (len(ids),):
        raise DesignError(
            f"There are {given.size:,} losses for {len(ids):,} items: give one for each item of the pool, NaN if "
            "there is none, or a mapping of item ids to losses."
        )
    return given
