"""Maps of fields in NEYMAN_HOME: the next file of a shape is read as the last one was."""

from __future__ import annotations

import json

from ..readers.field_map import FieldMap
from .home import Home


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

    def field_maps(self) -> dict[str, FieldMap]:
        """Return every map by the digest of its shape."""
        with self._database.connection() as database:
            rows = database.execute("SELECT shape, fields FROM field_maps").fetchall()
        return {shape: FieldMap.of_json(json.loads(fields)) for shape, fields in rows}
