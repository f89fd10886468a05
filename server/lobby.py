"""The connections of a shared or public app: how many there may be, and how long a stranger's may last.

A connection is a stranger's until a request on it comes from somebody who may come in (`server.porter`), or opens a
visit (`server.turnstile`). Strangers may have some connections at each address, and some in all. Beyond that the oldest
one of the address that has most ends, so that whoever is inside can always open another. uvicorn, which takes
connections, has no such limits: it waits for a request without end, and once the process has no file left to open, it
serves nobody.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

import uvicorn.config
from starlette.types import Scope
from uvicorn.protocols.http.auto import AutoHTTPProtocol

# Connections of strangers: at one address, and in all.
AT_ADDRESS, STRANGERS = 64, 256
# Connections of those inside: of one person, of one annotator, and in all. A tab of a browser has up to seven.
OF_PERSON, OF_ANNOTATOR, INSIDE = 64, 24, 512
# Seconds in which a stranger's first request has to be there, and which its connection may last in all.
HEAD_SECONDS, STRANGER_SECONDS = 10.0, 60.0
# Files that the process may have open; many systems begin with 1,024 or 256.
_FILES = 4096
_STATE = "neyman.connection"


class Guest(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Whoever is at the other end of a connection, which uvicorn makes; its requests know it by their state.

    Attributes
    ----------
    address : str
        Where it comes from; behind a proxy on this machine, where the proxy's last request came from.
    visitor : str or None
        Who is inside and has sent its last request; None for a stranger.
    """

    def __init__(self, config: Any, server_state: Any, app_state: dict[str, Any], _loop: Any = None) -> None:
        super().__init__(config, server_state, app_state | {_STATE: self}, _loop)
        self.address = ""
        self.visitor: str | None = None
        self._asked = False

    @staticmethod
    def of(scope: Scope) -> Guest | None:
        """Return the connection of a request; None if another server than `install` has set up took it."""
        connection = scope.get("state", {}).get(_STATE)
        return connection if isinstance(connection, Guest) else None

    def connection_made(self, transport: Any) -> None:
        """Take a connection, and end another one if there are too many."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.loop.call_later(HEAD_SECONDS, self._end_if, False)
        self.loop.call_later(STRANGER_SECONDS, self._end_if, True)
        LOBBY.enter(self)

    def ask(self, address: str = "") -> None:
        """Note that the head of a request is there, and from which address a proxy has passed it on."""
        self._asked = True
        self.address = address or self.address

    def admit(self, visitor: str, most: int) -> bool:
        """Note whose request came; return whether this visitor may have one more connection."""
        if self.visitor != visitor:
            inside = LOBBY.inside
            if len(inside) - (self in inside) >= INSIDE or sum(one.visitor == visitor for one in inside) >= most:
                return False
            self.visitor = visitor
        return True

    @property
    def ended(self) -> bool:
        """Whether nobody is there any more."""
        return bool(self.transport.is_closing())

    def end(self) -> None:
        """End it at once, whatever is still to be sent."""
        self.transport.abort()

    def _end_if(self, asked: bool) -> None:
        if self.visitor is None and self._asked <= asked and not self.ended:
            self.end()


class Lobby:
    """All connections, oldest first."""

    def __init__(self) -> None:
        self._connections: list[Guest] = []

    @property
    def inside(self) -> list[Guest]:
        """Connections of those who may come in."""
        self._connections = [one for one in self._connections if not one.ended]
        return [one for one in self._connections if one.visitor is not None]

    def enter(self, new: Guest) -> None:
        """Take a stranger's connection, and end the oldest one of the address that has most, if there are too many."""
        self._connections = [one for one in self._connections if not one.ended]
        strangers = [one for one in self._connections if one.visitor is None]
        self._connections.append(new)
        counts = Counter(one.address for one in [*strangers, new])
        if counts[new.address] > AT_ADDRESS:
            heaviest = new.address
        elif counts.total() > STRANGERS:
            heaviest = counts.most_common(1)[0][0]
        else:
            return
        next(one for one in strangers if one.address == heaviest).end()


LOBBY = Lobby()


def install(stranger_seconds: float = STRANGER_SECONDS) -> None:
    """Have uvicorn take connections as `Guest`, and let the process open files enough for all of them.

    Parameters
    ----------
    stranger_seconds : float
        How long a stranger's connection may last.
    """
    global STRANGER_SECONDS
    STRANGER_SECONDS = stranger_seconds
    uvicorn.config.HTTP_PROTOCOLS["auto"] = f"{__name__}:{Guest.__name__}"
    with suppress(ImportError, ValueError, OSError):
        import resource

        files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        enough = _FILES if most == resource.RLIM_INFINITY else min(_FILES, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(files, enough), most))
