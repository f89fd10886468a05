"""Maps of fields in NEYMAN_HOME: the next file of a shape is read as the last one was."""

from __future__ import annotations

import json

from core.archive.home import Home
from core.readers.field_map import FieldMap


class MapArchive(Home):
    """Maps of fields that outlive a session, by the digest of the shape of their files."""

    def save_map(self, shape: str, fields: FieldMap, created: str) -> None:
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
        with self._database.writing() as database:
            database.execute(
                "INSERT INTO field_maps (shape, fields, created) VALUES (?, ?, ?) ON CONFLICT (shape) DO UPDATE SET"
                " fields = excluded.fields, created = excluded.created",
                (shape, json.dumps(fields.as_json(), ensure_ascii=False), created),
            )

    def field_map(self, shape: str) -> FieldMap | None:
        """Return the map for files of the shape with this digest; None where none is kept."""
        with self._database.connection() as database:
            row = database.execute("SELECT fields FROM field_maps WHERE shape = ?", (shape,)).fetchone()
        return None if row is None else FieldMap.of_json(json.loads(row[0]))
