"""Plans in NEYMAN_HOME: manifests, and the stratum of every item."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import PoolError
from .database import Database
from .pools import Pools

_STRATUM = "<u4"


@dataclass(frozen=True, slots=True)
class Plans:
    """Plans that outlive a session.

    Parameters
    ----------
    database : Database
        The database of NEYMAN_HOME.
    pools : Pools
        The pools that they were drawn from.
    """

    database: Database
    pools: Pools

    def save(
        self,
        plan_id: str,
        manifest_json: str,
        digest: str,
        created: str,
        items_digest: str | None = None,
        strata: NDArray[np.integer] | None = None,
    ) -> None:
        """Keep a plan; the same plan again replaces its manifest, and its time stays.

        Parameters
        ----------
        plan_id : str
            The plan's id.
        manifest_json : str
            Its manifest (``core.design.manifest``).
        digest : str
            Digest of the pool it was drawn from.
        created : str
            ISO time.
        items_digest : str, optional
            Digest of that pool's items; if it is left out, :meth:`table` takes it from the kept pool.
        strata : (N,) int, optional
            Stratum of every item, 0 or above, so that the plan is found as it was drawn when the pool gets other
            generations. What was kept before stays if they are left out.
        """
        blob = None if strata is None else zlib.compress(np.asarray(strata, dtype=_STRATUM).tobytes())
        with self.database.connection() as database:
            query = "SELECT digest, manifest, items, strata FROM designs WHERE plan_id = ?"
            if database.execute(query, (plan_id,)).fetchone() == (digest, manifest_json, items_digest, blob):
                return
        with self.database.writing() as database:
            database.execute(
                "INSERT INTO designs (plan_id, digest, manifest, created, items, strata) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (plan_id) DO UPDATE SET digest = excluded.digest, manifest = excluded.manifest,"
                " items = coalesce(excluded.items, items), strata = coalesce(excluded.strata, strata)",
                (plan_id, digest, manifest_json, created, items_digest, blob),
            )

    def table(self, items_digest: str | None = None) -> pd.DataFrame:
        """List the kept plans.

        Parameters
        ----------
        items_digest : str, optional
            Only plans on these items (``Pool.items_digest``), whichever pool with them a plan was drawn from.

        Returns
        -------
        DataFrame
            A row for each plan, newest first: plan_id, digest (of the pool it was drawn from), items_digest (None
            if an earlier version kept the plan and its pool is not kept), manifest (JSON text), created.
        """
        return self.database.once(("plans", items_digest), lambda: self._table(items_digest))

    def _table(self, items_digest: str | None) -> pd.DataFrame:
        with self.database.connection() as database:
            self._complete(database)
            query = (
                "SELECT plan_id, digest, items, manifest, created FROM designs WHERE :items IS NULL OR items = :items"
                " ORDER BY created DESC, plan_id"
            )
            return pd.DataFrame(
                database.execute(query, {"items": items_digest}).fetchall(),
                columns=["plan_id", "digest", "items_digest", "manifest", "created"],
                dtype=object,
            )

    def strata(self, plan_id: str) -> NDArray[np.int64] | None:
        """Read the strata of a kept plan.

        Returns
        -------
        (N,) int or None
            Stratum of every item; None if there is no such plan, or an earlier version kept it without strata.
        """
        with self.database.connection() as database:
            row = database.execute("SELECT strata FROM designs WHERE plan_id = ?", (plan_id,)).fetchone()
        return None if row is None or row[0] is None else np.frombuffer(zlib.decompress(row[0]), _STRATUM).astype(int)

    def _complete(self, database: sqlite3.Connection) -> None:
        """Find the items of plans that were kept without them, as far as their pools are kept and can be read."""
        query = "SELECT DISTINCT digest FROM designs JOIN pools USING (digest) WHERE designs.items IS NULL"
        for (digest,) in database.execute(query).fetchall():
            if not self.pools.is_suspect(digest):
                with suppress(PoolError):
                    self.pools.recognize(self.pools.load(digest))
