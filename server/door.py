"""The door: which requests reach the app at all."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose, WebSocketDisconnected
from streamlit import net_util
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from server.lobby import Guest

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
