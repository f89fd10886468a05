"""Checks of requests before they reach the app: how many connections, how long a stranger's lasts, the page instead.

A connection is a stranger's until a request on it comes from somebody who may come in (`server.annotator_links`), or
opens a visit (`server.public_limits`). Strangers may have some connections at each address, and some in all. Beyond
that the oldest one of the address that has most ends, so that whoever is inside can always open another. uvicorn,
which takes connections, has no such limits: it waits for a request without end, and once the process has no file left
to open, it serves nobody.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import uvicorn.config
from jinja2 import Environment
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose, WebSocketDisconnected
from streamlit import net_util
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed
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


# What the server measures of itself, for whoever runs many of them.
_CLOSED = "_stcore/metrics"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)
_UNFRAMED = (b"x-frame-options", b"SAMEORIGIN")


class Imported(asyncio.Event):
    """Set once the libraries are imported.

    Attributes
    ----------
    expected : bool
        Whether somebody had come before: a browser that loads a page, or a session.
    """

    expected = False

    def expect(self) -> None:
        """Note that somebody comes."""
        self.expected |= not self.is_set()


class Door:
    """ASGI middleware before everything else.

    Requests under a foreign host name (DNS rebinding) are refused, as are sessions and requests that change something
    if they come from another site or another port of this one; whoever names no origin is no browser, and passes. The
    server's metrics are closed. Sessions wait until the libraries of the first page are imported, nearly those of all
    pages: Python imports them faster in one thread than in several that wait for each other, and never in a deadlock.

    Parameters
    ----------
    app : ASGIApp
        The app behind the door.
    imported : Imported
        What sessions wait for.
    public : bool, default False
        Whether other sites may show the app in a frame: if nobody is signed in, there is nothing to trick out of
        people.
    """

    def __init__(self, app: ASGIApp, imported: Imported, public: bool = False) -> None:
        self._app = app
        self._imported = imported
        self._headers = _HEADERS if public else (*_HEADERS, _UNFRAMED)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if (guest := Guest.of(scope)) is not None:
            # The server has put there what a proxy on this machine says.
            guest.ask((scope.get("client") or ("",))[0])
        refusal = _refusal(scope)
        if scope["type"] == "websocket":
            if refusal is not None:
                await WebSocketClose(1008)(scope, receive, send)
                return
            self._imported.expect()
            await self._imported.wait()
            # Streamlit takes a visitor who leaves while it writes for one who sent text, and closes what is closed.
            with suppress(WebSocketDisconnected):
                await self._app(scope, receive, send)
        else:
            if refusal is None and "text/html" in Headers(scope=scope).get("accept", ""):
                self._imported.expect()
            await (refusal or self._app)(scope, receive, _with_headers(send, self._headers))


def foreign(origin: str, host: str | None) -> bool:
    """Whether a request comes from a page of another site than the one that it asks."""
    return origin.partition("://")[2] != host


def ask_no_outside_host() -> None:
    """Keep Streamlit from asking a host on the internet for this machine's address.

    It would do so while everybody waits, for each origin that it does not know, and for what it prints at the start.
    """
    net_util.get_external_ip = _no_address


def _no_address() -> None:
    return None


def _refusal(scope: Scope) -> PlainTextResponse | None:
    headers = Headers(scope=scope)
    host, origin = headers.get("host"), headers.get("origin")
    if not is_host_allowed(host):
        return PlainTextResponse("This address does not lead to Neyman.", 421)
    reads = scope["type"] == "http" and scope["method"] in _SAFE
    if not reads and origin is not None and foreign(origin, host):
        return PlainTextResponse("Another site sent this request.", 403)
    if scope["type"] == "http" and scope["path"].strip("/").endswith(_CLOSED):
        return PlainTextResponse("Not Found", 404)
    return None


def _with_headers(send: Send, more: Iterable[tuple[bytes, bytes]]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            # A new message, since the app may keep its own and send it again.
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sending


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
_LONGEST = 1024
_TEMPLATE = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
    Path(__file__).with_name("door.html").read_text(encoding="utf-8")
)


def notice(status: int, said: str, retry_after: int | None = None, **more: str) -> Response:
    """Return a page.

    Parameters
    ----------
    status : int
        Of HTTP.
    said : str
        Its first sentences.
    retry_after : int, optional
        Seconds after which the same may be asked again.
    **more : str
        What else it shows: ``enter``, the address of a field for the access code, or ``token``, of one for the token;
        ``sign_in``, the way to an account; ``again``, a link that opens the app.
    """
    headers = {"content-security-policy": _POLICY, "cache-control": "no-store"}
    if retry_after is not None:
        headers["retry-after"] = str(retry_after)
    return HTMLResponse(_TEMPLATE.render(said=said, **more), status, headers)


async def posted(request: Request, field: str) -> str | Response:
    """Return what was typed into the field of a page; a refusal if another site sent it, or it is far too long."""
    origin = request.headers.get("origin")
    if origin is None or foreign(origin, request.headers.get("host")):
        return PlainTextResponse("Another site sent this request.", 403)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST:
            return PlainTextResponse("This is too long.", 413)
    return parse_qs(body.decode(errors="replace")).get(field, [""])[0]
