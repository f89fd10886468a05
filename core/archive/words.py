"""Words of label files in NEYMAN_HOME: what somebody said of a word once holds for the next file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..labels.vocabulary import meanings_of
from .database import Database


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
