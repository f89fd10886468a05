"""The folder that lasts (NEYMAN_HOME): pools as Parquet files named by their digest, and an SQLite table of contents.

    <folder>/neyman.sqlite            pools, plans, labels, links, verdicts, jobs … (``core.archive.schema``)
    <folder>/pools/<digest>.parquet   the pools
    <folder>/backups/                 copies of the database (``core.archive.copies``)
    <folder>/set-aside/               what `core.archive.recovery` has replaced
    <folder>/logs/                    what workers and servers wrote

Folder and files are their owner's alone. Files are written under a temporary name, synced and renamed, so a crash
leaves no half pool. Every connection lives for one call, so several sessions and a worker process may use the folder at
once.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

from . import copies, owned_files, rejoin
from .database import Database, Watch
from .owned_files import Preferences
from .plans import Links, Plans
from .pools import Pools
from .rejoin import Setback
from .stored_labels import Labels, Maps, Words
from .verdict_store import VerdictParts

# Fifty processes that write at once wait their turn.
_PATIENCE = 120.0


class Archive:
    """Everything that outlives a session: pools, plans, labels, links, maps, words and verdicts over one database.

    Parameters
    ----------
    folder : str or Path
        NEYMAN_HOME; made, readable by its owner only, if it does not exist.
    patience : float, default 120
        Seconds to wait while another process writes.
    known : (int, int), optional
        The ``identity`` of an earlier archive, which this one has to have too.
    watch : Watch, optional
        As `core.archive.database.Database` has it.

    Raises
    ------
    HomeError
        The folder cannot be used, belongs to a newer version of Neyman, or its database is lost or another one.
    """

    def __init__(
        self,
        folder: str | Path,
        patience: float = _PATIENCE,
        known: tuple[int, int] | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.folder = Path(folder).expanduser()
        self._database = Database(self.folder, patience=patience, watch=watch)
        self._database.prepare(known)
        self.pools = Pools(self._database)
        self.plans = Plans(self._database, self.pools)
        self.labels = Labels(self._database)
        self.links = Links(self._database)
        self.maps = Maps(self._database)
        self.words = Words(self._database)
        self.preferences = Preferences(self.folder)
        self.verdicts = VerdictParts(self._database)

    @property
    def identity(self) -> tuple[int, int] | None:
        """Return the identity of the database's file; None if it is gone."""
        return self._database.identity

    @property
    def read_only(self) -> bool:
        """Whether nothing can be saved here."""
        return self._database.read_only

    @property
    def blank(self) -> bool:
        """Whether nothing is in it that people made: no pool, plan, label or job."""
        with self._database.connection() as connection:
            return copies.is_blank(connection)

    def hold(self) -> sqlite3.Connection:
        """Open a connection that does nothing, as `core.archive.database.Database.hold`."""
        return self._database.hold()

    def watched(self) -> Watch:
        """Open a connection like `hold` that tells whether anybody has written to the database."""
        return Watch(self.hold(), self.folder / owned_files.FILE)

    def setback(self) -> Setback | None:
        """Find what was saved in this home before and is not in its database any more; None if nothing is missing.

        Raises
        ------
        HomeError
            The database cannot be read.
        """
        return rejoin.find(self._database)

    def accept(self, found: Setback) -> None:
        """Keep the database as it is: what it lacks counts as removed on purpose from now on."""
        rejoin.accept(self._database, found)

    def tend(self, now: datetime) -> None:
        """Copy the database as `core.archive.copies.daily`, and remove what killed processes left half written.

        Parameters
        ----------
        now : datetime
            The moment.

        Raises
        ------
        HomeError
            The copy cannot be written. Everything else can be used all the same.
        """
        self._database.copy_daily(now)
        for name in (owned_files.POOLS, owned_files.BACKUPS):
            owned_files.remove_abandoned(self.folder / name, now)
