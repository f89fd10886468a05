"""Maps of fields in NEYMAN_HOME: the next file of a shape is read as the last one was."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ..readers.field_map import FieldMap
from .database import Database

_NAMES = "names"


@dataclass(frozen=True, slots=True)
class Maps:
    """Maps of fields that outlive a session, by the digest of the shape of their files.

    Parameters
    ----------
    database : Database
        The database of NEYMAN_HOME.
    """

    database: Database

    def save(self, shape: str, fields: FieldMap, created: str, names: str = "") -> None:
        """Keep a map for files of a shape, in place of the one before.

        Parameters
        ----------
        shape : str
            Digest of the shape.
        fields : FieldMap
            The map.
        created : str
            ISO time.
        names : str
            Digest of the names of the file (`core.readers.shape`), by which similar files find the map.

        Raises
        ------
        HomeError
            It cannot be written.
        """
        with self.database.writing() as database:
            database.execute(
                "INSERT INTO field_maps (shape, fields, created) VALUES (?, ?, ?) ON CONFLICT (shape) DO UPDATE SET"
                " fields = excluded.fields, created = excluded.created",
                (shape, json.dumps(fields.as_json() | {_NAMES: names}, ensure_ascii=False), created),
            )

    def similar(self, names: str) -> FieldMap | None:
        """Return the last map that was kept for a file with the same set of names; None for none."""
        with self.database.connection() as database:
            rows = database.execute("SELECT fields FROM field_maps ORDER BY created DESC, rowid DESC").fetchall()
        values = (json.loads(fields) for (fields,) in rows)
        # Maps that earlier versions kept do not say which names their files had.
        return next((FieldMap.of_json(value) for value in values if names and value.get(_NAMES) == names), None)

    def all(self) -> dict[str, FieldMap]:
        """Return every map by the digest of its shape."""
        with self.database.connection() as database:
            rows = database.execute("SELECT shape, fields FROM field_maps").fetchall()
        return {shape: FieldMap.of_json(json.loads(fields)) for shape, fields in rows}
