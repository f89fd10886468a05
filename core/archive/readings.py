"""Maps of fields and words of label files, kept in NEYMAN_HOME: the next file is read as the last one was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..labels.vocabulary import meanings_of
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


# Words of label files in NEYMAN_HOME: what somebody said of a word once holds for the next file.


@dataclass(frozen=True, slots=True)
class Words:
    """The meanings of words in label files, kept beyond a session.

    Parameters
    ----------
    database : Database
        The database of NEYMAN_HOME.
    """

    database: Database

    def save(self, words: Mapping[str, str], created: str) -> None:
        """Keep what words mean, in place of what they meant before.

        Parameters
        ----------
        words : mapping
            As in `core.labels.vocabulary.meanings_of`.
        created : str
            ISO time.

        Raises
        ------
        LabelError
            A meaning is unknown.
        HomeError
            It cannot be written.
        """
        with self.database.writing() as database:
            database.executemany(
                "INSERT INTO label_words (word, meaning, created) VALUES (?, ?, ?) ON CONFLICT (word) DO UPDATE SET"
                " meaning = excluded.meaning, created = excluded.created",
                [(word, meaning, created) for word, meaning in meanings_of(words).items()],
            )

    def forget(self, words: Iterable[str]) -> None:
        """Keep these words no longer; labels that were read by them stay."""
        with self.database.writing() as database:
            database.executemany("DELETE FROM label_words WHERE word = ?", [(word,) for word in words])

    def all(self) -> dict[str, str]:
        """Return what every kept word means."""
        with self.database.connection() as database:
            return dict(database.execute("SELECT word, meaning FROM label_words").fetchall())
