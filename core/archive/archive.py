"""The folder that lasts (NEYMAN_HOME): pools as Parquet files named by their digest, and an SQLite table of contents.

    <folder>/neyman.sqlite            pools, plans, labels, links, maps of fields and jobs (``core.archive.schema``)
    <folder>/pools/<digest>.parquet   the pools
    <folder>/backups/                 copies of the database (``core.archive.copies``)
    <folder>/set-aside/               what `core.archive.recovery` has replaced
    <folder>/logs/                    what workers and servers wrote

Folder and files are their owner's alone. Files are written under a temporary name, synced and renamed, so a crash
leaves no half pool. Every connection lives for one call, so several sessions and a worker process may use the folder at
once.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from . import files
from .home import PATIENCE, Home
from .labels import Labels
from .links import Links
from .maps import Maps
from .plans import Plans
from .pools import Pools


class Archive(Home):
    """What outlives a session: ``pools``, ``plans``, ``labels``, ``links`` and ``maps`` over one database.

    Parameters and errors are those of ``core.archive.home.Home``.
    """

    def __init__(self, folder: str | Path, patience: float = PATIENCE) -> None:
        super().__init__(folder, patience)
        self.pools = Pools(self._database)
        self.plans = Plans(self._database, self.pools)
        self.labels = Labels(self._database)
        self.links = Links(self._database)
        self.maps = Maps(self._database)

    def tend(self, now: datetime) -> None:
        """Copy the database once a day, and remove what processes that were killed left half written.

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
        for name in (files.POOLS, files.BACKUPS):
            files.remove_abandoned(self.folder / name, now)
