"""Maps of fields in NEYMAN_HOME: the next file of a shape is read as the last one was."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ..readers.field_map import FieldMap
from .database import Database


@dataclass(frozen=True, slots=True)
class Maps:
    """Maps of fields that outlive a session, by the digest of the shape of their files.

    Parameters
    ----------
    database : Database
        The database of NEYMAN_HOME.
    """

    database: Database

    def save(self, shape: str, fields: FieldMap, created: str) -> None:
        """Keep a map for files of a shape, in place of the one before.

        Parameters
        ----------
        shape : str
            Digest of the shape.
        fields : FieldMap
            The map.
        created : str
            ISO time.

        Raises
        ------
        HomeError
            It cannot be written.
        """
        with self.database.writing() as database:
            database.execute(
                "INSERT INTO field_maps (shape, fields, created) VALUES (?, ?, ?) ON CONFLICT (shape) DO UPDATE SET"
                " fields = excluded.fields, created = excluded.created",
                (shape, json.dumps(fields.as_json(), ensure_ascii=False), created),
            )

    def all(self) -> dict[str, FieldMap]:
        """Return every map by the digest of its shape."""
        with self.database.connection() as database:
            rows = database.execute("SELECT shape, fields FROM field_maps").fetchall()
        return {shape: FieldMap.of_json(json.loads(fields)) for shape, fields in rows}
