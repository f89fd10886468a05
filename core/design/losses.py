"""Losses of a pool's items, from whatever a caller has them in."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..pool.digest import ItemIds, StoredIds
from ..words import counted


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


def drawn_losses(
    losses: Mapping[str, float] | pd.Series | ArrayLike, ids: ItemIds, positions: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Losses of a pool's items as of `pool_losses`, in which no drawn item has NaN.

    An item that a Series or mapping lacks has no label. A NaN that stands there came from somewhere: to leave its item
    out would be an estimate of the others.

    Parameters
    ----------
    losses, ids
        As in `pool_losses`.
    positions : (M,) int
        Places in the pool of the drawn items.

    Raises
    ------
    DesignError
        A drawn item has a loss of NaN; all of them are named.
    """
    loss = pool_losses(losses, ids)
    named = [str(ids[place]) for place in positions[np.isnan(loss[positions])].tolist()]
    if isinstance(losses, pd.Series | Mapping):
        given = set(map(str, losses.keys()))
        named = [item for item in named if item in given]
    if named:
        one = len(named) == 1
        raise DesignError(
            f"{counted(len(named), 'drawn item has', 'drawn items have')} a loss of NaN: {', '.join(named)}. Give "
            f"{'its loss' if one else 'their losses'}. To leave out items that nobody has labelled yet, give a mapping "
            "or Series without them, such as losses.dropna()."
        )
    return loss
