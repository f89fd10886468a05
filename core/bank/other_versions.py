"""Versions that a bank knows: models whose graded answers to a pool's items stand in the bank, but not in the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ..errors import BankError
from ..pool.further_target import with_answers
from ..pool.pool import Pool
from .known import are_among

if TYPE_CHECKING:
    from .bank import Bank


def bank_versions(bank: Bank, pool: Pool) -> tuple[str, ...]:
    """List the models with graded answers to items of a pool that are none of its targets, most answers first.

    None if nothing but the numbers of their rows tells items apart: the answers may be those to another file.
    """
    if pool.known_by_rows:
        return ()
    there = are_among(bank.rows["item"], pool.item_digests) & ~bank.rows["is_key"].to_numpy()
    counts = bank.rows.loc[there, "model"].value_counts()
    return tuple(str(name) for name in counts.index if name and name not in pool.targets)


def with_version(pool: Pool, bank: Bank, model: str) -> Pool:
    """Add the answers of a model that a bank knows to a pool, as a target; its verdicts stay in the bank.

    Parameters
    ----------
    pool : Pool
        The pool.
    bank : Bank
        The bank.
    model : str
        One of `bank_versions`. An item to which the bank has two different answers of it has none here.

    Raises
    ------
    BankError
        The bank has no answer of this model to an item of the pool.
    """
    rows = bank.rows[((bank.rows["model"] == model) & ~bank.rows["is_key"]).to_numpy()]
    said = rows.groupby("item", sort=False)["answer"].agg(["first", "nunique"])
    only = said.loc[(said["nunique"] == 1).to_numpy(), "first"]
    places = only.index.get_indexer(pd.Index(pool.item_digests))
    if (places < 0).all():
        raise BankError(f"The bank has no answer of “{model}” to any of these items. Give the log of that version.")
    known = [*only.to_list(), None]
    answers = [known[place] for place in places.tolist()]
    return with_answers(pool, model, answers)
