"""Verdicts in NEYMAN_HOME, a part for each source: what was graded once outlives its pool and its labels' plan."""

from __future__ import annotations

from dataclasses import dataclass

from .database import Database

# A source that was forgotten stays so: it is not taken in again.
FORGOTTEN = "forgotten"
_PUT = (
    "INSERT INTO verdict_parts (source, state, content, created) VALUES (?, ?, ?, ?) ON CONFLICT (source) DO UPDATE"
    " SET state = excluded.state, content = excluded.content, created = excluded.created"
)


@dataclass(frozen=True, slots=True)
class VerdictPart:
    """The verdicts of one source.

    Parameters
    ----------
    state : str
        What the source was like when it was taken in; another state is taken in again. `FORGOTTEN` never is.
    content : bytes
        Of `core.bank.Bank.to_bytes`.
    """

    state: str
    content: bytes


@dataclass(frozen=True, slots=True)
class VerdictParts:
    """Parts of the bank of verdicts, kept beyond a session.

    Parameters
    ----------
    database : Database
        The database of NEYMAN_HOME.
    """

    database: Database

    def save(self, source: str, state: str, content: bytes, created: str) -> None:
        """Keep the verdicts of a source, in place of those before, unless it was forgotten.

        Parameters
        ----------
        source : str
            “pool <digest>”, “plan <id>”, or a name that somebody gave.
        state, content
            As in `VerdictPart`.
        created : str
            ISO time.

        Raises
        ------
        HomeError
            They cannot be written.
        """
        with self.database.writing() as database:
            database.execute(
                f"{_PUT} WHERE verdict_parts.state <> '{FORGOTTEN}'",
                (source, state, content, created),
            )

    def forget(self, source: str, created: str) -> None:
        """Keep the verdicts of a source no longer, and never take them in again; parameters as in `save`."""
        with self.database.writing() as database:
            database.execute(
                _PUT,
                (source, FORGOTTEN, b"", created),
            )

    def remember(self, source: str) -> None:
        """Take a source in again that was forgotten."""
        with self.database.writing() as database:
            database.execute("DELETE FROM verdict_parts WHERE source = ? AND state = ?", (source, FORGOTTEN))

    def states(self) -> dict[str, str]:
        """Return the state of each source."""
        return self.database.once("verdict states", self._states)

    def _states(self) -> dict[str, str]:
        with self.database.connection() as database:
            return dict(database.execute("SELECT source, state FROM verdict_parts").fetchall())

    def all(self) -> dict[str, VerdictPart]:
        """Return the part of each source, in the order in which they were first taken in."""
        with self.database.connection() as database:
            rows = database.execute("SELECT source, state, content FROM verdict_parts ORDER BY rowid").fetchall()
        return {source: VerdictPart(state, content) for source, state, content in rows}
