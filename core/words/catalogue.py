"""A catalogue: things that are declared once and found by their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from ..errors import DesignError, NeymanError


class Named(Protocol):
    """An entry of a catalogue."""

    @property
    def name(self) -> str:
        """Its name, which never changes."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its earlier names."""


_Entry = TypeVar("_Entry", bound=Named)


class Catalogue(Generic[_Entry]):
    """Entries by name, in their order; it iterates over the names, and contains them alone.

    Parameters
    ----------
    what : str
        What an entry is, in an error: "signal".
    entries : iterable
        Each with a name that no other has, and with earlier names of it, which are read and never written.
    error : type
        Of the error for an unknown name.
    """

    __slots__ = ("_aliases", "_entries", "_error", "_what")

    def __init__(self, what: str, entries: Iterable[_Entry], error: type[NeymanError] = DesignError) -> None:
        self._what, self._error = what, error
        self._entries: dict[str, _Entry] = {}
        self._aliases: dict[str, str] = {}
        for entry in entries:
            for name in (entry.name, *entry.aliases):
                if name in self._entries or name in self._aliases:
                    raise ValueError(f"two entries are called {name!r}")
                self._aliases[name] = entry.name
            self._entries[entry.name] = entry

    def __getitem__(self, name: str) -> _Entry:
        """Return the entry of a name, or of an earlier name.

        Raises
        ------
        NeymanError
            There is none; the message lists the names.
        """
        known = self._aliases.get(name) if isinstance(name, str) else None
        if known is None:
            raise self._error(f"There is no {self._what} called “{name}”. Choose one of {', '.join(self)}.")
        return self._entries[known]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __repr__(self) -> str:
        return f"Catalogue of {len(self)} entries ({self._what}): {', '.join(self)}"

    @property
    def aliases(self) -> dict[str, str]:
        """Earlier names, each with the current one."""
        return {earlier: name for earlier, name in self._aliases.items() if earlier != name}

    @property
    def entries(self) -> tuple[_Entry, ...]:
        """The entries, in their order."""
        return tuple(self._entries.values())
