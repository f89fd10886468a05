"""NEYMAN_HOME with its database, which pools, plans and labels are kept in."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from .database import Database

# Fifty processes that write at once wait their turn.
PATIENCE = 120.0


class Home:
    """The folder that lasts, with tables of this version.

    Parameters
    ----------
    folder : str or Path
        NEYMAN_HOME; made, readable by its owner only, where it does not exist.
    patience : float, default 120
        Seconds to wait while another process writes.

    Raises
    ------
    HomeError
        The folder cannot be used, belongs to a newer version of Neyman, or its database is lost.
    """

    def __init__(self, folder: str | Path, patience: float = PATIENCE) -> None:
        self.folder = Path(folder).expanduser()
        self._database = Database(self.folder, patience=patience)
        self._database.prepare()

    def hold(self) -> sqlite3.Connection:
        """Open a connection that does nothing; the caller closes it.

        While there is one, the files beside the database stay that SQLite needs for reading too, and cannot make on a
        full disk.

        Raises
        ------
        HomeError
            They cannot be made.
        """
        with self._database.translated():
            connection = self._database.connect()
            try:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except BaseException:
                connection.close()
                raise
            return connection
