"""Links for annotators in NEYMAN_HOME: each opens one list for one person, until it expires or is revoked.

A link carries a random token. Only the token's SHA-256 is kept, so whoever reads the database can open no list.
"""

from __future__ import annotations

import hmac
import sqlite3
from dataclasses import astuple, dataclass, fields
from hashlib import sha256

from .database import Database


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
        with self.database.writing() as database:
            query = f"INSERT INTO annotator_links ({_COLUMNS}, token) VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)"
            return int(database.execute(query, (*values, _hashed(token))).lastrowid or 0)

    def of(self, plan_id: str) -> list[AnnotatorLink]:
        """List the links of a plan, newest first, with those that no longer open anything."""
        query = f"SELECT {_COLUMNS} FROM annotator_links WHERE plan_id = ? ORDER BY number DESC"
        with self.database.connection() as database:
            return [AnnotatorLink(*row) for row in database.execute(query, (plan_id,))]

    def opened_by(self, token: str, now: str) -> AnnotatorLink | None:
        """Return the link that a token opens now, None for no link.

        Parameters
        ----------
        token : str
            Any text.
        now : str
            ISO time in UTC.
        """
        hashed = _hashed(token)
        with self.database.connection() as database:
            row = database.execute(
                f"SELECT token, {_COLUMNS} FROM annotator_links WHERE token = ?", (hashed,)
            ).fetchone()
        if row is None or not hmac.compare_digest(row[0], hashed):
            return None
        return _live(row[1:], now)

    def numbered(self, number: int, now: str) -> AnnotatorLink | None:
        """Return the link of this number if it opens something now, else None."""
        with self.database.connection() as database:
            row = database.execute(f"SELECT {_COLUMNS} FROM annotator_links WHERE number = ?", (number,)).fetchone()
        return None if row is None else _live(row, now)

    def revoke(self, number: int, now: str) -> None:
        """Let a link open nothing from now on; one that was revoked stays as it is."""
        with self.database.writing() as database:
            query = "UPDATE annotator_links SET revoked = ? WHERE number = ? AND revoked = ''"
            database.execute(query, (now, number))


def _live(row: sqlite3.Row, now: str) -> AnnotatorLink | None:
    link = AnnotatorLink(*row)
    return link if link.opens(now) else None


def _hashed(token: str) -> str:
    return sha256(token.encode(errors="surrogatepass")).hexdigest()
