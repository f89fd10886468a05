"""The folder that lasts (NEYMAN_HOME): pools as Parquet files named by their digest, and an SQLite table of contents.

    <folder>/neyman.sqlite            pools, plans, labels, links, maps of fields and jobs (``core.archive.schema``)
    <folder>/pools/<digest>.parquet   the pools
    <folder>/backups/                 copies of the database (``core.archive.copies``)
    <folder>/logs/                    what workers and servers wrote

Folder and files are their owner's alone. Files are written under a temporary name, synced and renamed, so a crash
leaves no half pool. Every connection lives for one call, so several sessions and a worker process may use the folder at
once.
"""

from __future__ import annotations

from datetime import datetime

from . import files
from .labels import LabelArchive
from .links import LinkArchive
from .maps import MapArchive
from .plans import PlanArchive


class Archive(PlanArchive, LabelArchive, LinkArchive, MapArchive):
    """Pools, plans, labels, links and maps of fields that outlive a session.

    Parameters and errors are those of ``core.archive.home.Home``.
    """

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
