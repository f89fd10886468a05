"""Connections to a server: who asks, by which way, whose certificates are trusted, and which answer is whose.

HTTP/1.1 does not number answers: on a connection the next answer counts as that to the next request. A server or
gateway that sends one too many, at once or a minute later, would shift all that follow by one. So each connection
carries one request and is closed behind its answer, and one on which the server speaks first is not used.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from .. import __version__

if TYPE_CHECKING:
    import httpx2

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
CONNECT_SECONDS = 10.0
# Seconds in which a server that speaks first is noticed.
QUIET_SECONDS = 0.001
# Headers that a request to a server with OpenAI's interface has, beside ours: its library adds those of an account, of
# this machine and of variables of the environment, which are nobody's business elsewhere.
_PLAIN = frozenset(
    {"host", "accept", "accept-encoding", "content-type", "content-length", "transfer-encoding", "connection"}
)
_OPENED, _SENDING = ("connect_tcp.complete", "start_tls.complete"), "http11.send_request_headers.started"

Hooks = dict[str, list[Callable[..., Any]]]
"""Functions that see each request before it is sent, and each response."""


def options(
    address: str, headers: Mapping[str, str] | None, timeout: float, connect: float = CONNECT_SECONDS
) -> dict[str, Any]:
    """Return the settings of every client of a server: who asks, how long it waits, and by which way.

    Parameters
    ----------
    address : str
        Of the server.
    headers : mapping or None
        Of every request.
    timeout : float
        Seconds of silence.
    connect : float
        Seconds to reach it in.

    Returns
    -------
    dict
        Arguments of ``httpx2.Client`` and ``httpx2.AsyncClient``.
    """
    import httpx2

    return {
        "headers": {"User-Agent": f"neyman/{__version__}", "Connection": "close", **(headers or {})},
        "verify": _certificates(),
        "timeout": httpx2.Timeout(timeout, connect=min(connect, timeout)),
        # A proxy that the environment names stands between this machine and others, not between its own processes.
        "trust_env": urlsplit(address).hostname not in LOCAL_HOSTS,
    }


def plain_headers(ours: Mapping[str, str]) -> Callable[[httpx2.Request], None]:
    """Return an event hook that sends ``ours`` in place of all headers that say who asks."""

    def replace(request: httpx2.Request) -> None:
        for name in request.headers.keys() - _PLAIN:
            del request.headers[name]
        request.headers.update(ours)

    return replace


def listen_first(request: httpx2.Request) -> None:
    """Have a request of ``httpx2.Client`` fail before it is sent if the server speaks first (an event hook)."""
    streams: list[Any] = []

    def trace(event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(_OPENED):
            streams.append(info["return_value"])
        elif event == _SENDING and streams:
            with _refusing_speech() as heard:
                heard += streams[-1].read(1, QUIET_SECONDS)

    request.extensions["trace"] = trace


async def listen_first_async(request: httpx2.Request) -> None:
    """Do the same for ``httpx2.AsyncClient``."""
    streams: list[Any] = []

    async def trace(event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(_OPENED):
            streams.append(info["return_value"])
        elif event == _SENDING and streams:
            with _refusing_speech() as heard:
                heard += await streams[-1].read(1, QUIET_SECONDS)

    request.extensions["trace"] = trace


@contextmanager
def _refusing_speech() -> Iterator[bytearray]:
    """Bytes that a server sends in the moment before it is asked, of which there should be none."""
    import httpcore2
    import httpx2

    heard = bytearray()
    with suppress(httpcore2.ReadTimeout):
        yield heard
    if heard:
        raise httpx2.RemoteProtocolError("the server answered before it was asked")


def bearer(key: str | None) -> dict[str, str]:
    """The header that carries a key; none without a key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


@cache
def _certificates() -> ssl.SSLContext:
    """Reading the authorities' certificates takes longer than a request."""
    import httpx2

    return httpx2.create_ssl_context()
