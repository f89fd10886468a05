"""Plans in NEYMAN_HOME: manifests, the stratum of every item, and the links that open one list for one annotator.

A link carries a random token. Only the token's SHA-256 is kept, so whoever reads the database can open no list.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from hashlib import sha256

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
        query = "SELECT digest, manifest, items, strata FROM designs WHERE plan_id = ?"
        if self.database.select(query, plan_id) == [(digest, manifest_json, items_digest, blob)]:
            return
        self.database.execute(
            "INSERT INTO designs (plan_id, digest, manifest, created, items, strata) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (plan_id) DO UPDATE SET digest = excluded.digest, manifest = excluded.manifest,"
            " items = coalesce(excluded.items, items), strata = coalesce(excluded.strata, strata)",
            *(plan_id, digest, manifest_json, created, items_digest, blob),
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
        self._complete()
        query = (
            "SELECT plan_id, digest, items, manifest, created FROM designs WHERE ?1 IS NULL OR items = ?1"
            " ORDER BY created DESC, plan_id"
        )
        columns = ["plan_id", "digest", "items_digest", "manifest", "created"]
        return pd.DataFrame(self.database.select(query, items_digest), columns=columns, dtype=object)

    def strata(self, plan_id: str) -> NDArray[np.int64] | None:
        """Read the strata of a kept plan.

        Returns
        -------
        (N,) int or None
            Stratum of every item; None if there is no such plan, or an earlier version kept it without strata.
        """
        for (strata,) in self.database.select("SELECT strata FROM designs WHERE plan_id = ?", plan_id):
            return None if strata is None else np.frombuffer(zlib.decompress(strata), _STRATUM).astype(int)
        return None

    def _complete(self) -> None:
        """Find the items of plans that were kept without them, as far as their pools are kept and can be read."""
        query = "SELECT DISTINCT digest FROM designs JOIN pools USING (digest) WHERE designs.items IS NULL"
        for (digest,) in self.database.select(query):
            if not self.pools.is_suspect(digest):
                with suppress(PoolError):
                    self.pools.recognize(self.pools.load(digest))


@dataclass(frozen=True, slots=True)
class AnnotatorLink:
    """A link for an annotator: its list, and its person.

    Parameters
    ----------
    plan_id : str
        The plan whose list is labelled.
    digest : str
        Digest of the pool that shows the items.
    kind : str
        Kind of the labels (``core.labels.KINDS``).
    target : str
        The target whose answers are judged; "" for none.
    annotator : str
        Name of the person who labels.
    created, expires : str
        ISO times in UTC; from ``expires`` on the link opens nothing.
    revoked : str
        ISO time since when it opens nothing; "" for a link that was not revoked.
    number : int
        Number of the link in this home, 1 or above; 0 for a link that is not kept yet.
    """

    plan_id: str
    digest: str
    kind: str
    target: str
    annotator: str
    created: str
    expires: str
    revoked: str = ""
    number: int = 0

    def opens(self, now: str) -> bool:
        """Whether the link opens its list at this moment (ISO time in UTC)."""
        return not self.revoked and now < self.expires


_COLUMNS = ", ".join(field.name for field in fields(AnnotatorLink))


@dataclass(frozen=True, slots=True)
class Links:
    """Links for annotators that outlive a session.

    Parameters
    ----------
    database : Database
        The database of NEYMAN_HOME.
    """

    database: Database

    def save(self, link: AnnotatorLink, token: str) -> int:
        """Keep a new link.

        Parameters
        ----------
        link : AnnotatorLink
            What it opens; its number is not used.
        token : str
            The token that opens it, with at least 128 random bits.

        Returns
        -------
        int
            The link's number.
        """
        *values, _ = astuple(link)
        query = f"INSERT INTO annotator_links ({_COLUMNS}, token) VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)"
        return self.database.execute(query, *values, _hashed(token))

    def of(self, plan_id: str) -> list[AnnotatorLink]:
        """List the links of a plan, newest first, with those that no longer open anything."""
        return self._where("plan_id = ? ORDER BY number DESC", plan_id)

    def opened_by(self, token: str, now: str) -> AnnotatorLink | None:
        """Return the link that a token opens now, None for no link.

        Parameters
        ----------
        token : str
            Any text.
        now : str
            ISO time in UTC.
        """
        return next((link for link in self._where("token = ?", _hashed(token)) if link.opens(now)), None)

    def numbered(self, number: int, now: str) -> AnnotatorLink | None:
        """Return the link of this number if it opens something now, else None."""
        return next((link for link in self._where("number = ?", number) if link.opens(now)), None)

    def revoke(self, number: int, now: str) -> None:
        """Let a link open nothing from now on; one that was revoked stays as it is."""
        self.database.execute("UPDATE annotator_links SET revoked = ? WHERE number = ? AND revoked = ''", now, number)

    def _where(self, condition: str, value: str | int) -> list[AnnotatorLink]:
        query = f"SELECT {_COLUMNS} FROM annotator_links WHERE {condition}"
        return [AnnotatorLink(*row) for row in self.database.select(query, value)]


def _hashed(token: str) -> str:
    return sha256(token.encode(errors="surrogatepass")).hexdigest()
