"""A server, asked with patience: by which way, whose certificates are trusted, and which answer is whose.

HTTP/1.1 does not number answers: on a connection the next answer counts as that to the next request. A server or
gateway that sends one too many, at once or a minute later, would shift all that follow by one. So each connection
carries one request and is closed behind its answer, and one on which the server speaks first is not used.

What only reads is repeated after a lost connection. What writes is repeated only if the server certainly did not
act: it could not be reached, or it asked for fewer requests. Anything else might double what it wrote.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from .. import __version__
from .bodies import MOST, Answer, Body, WebError, failure, head_of, held, retry_after

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


# The HTTP library is loaded if something is sent: whoever needs a name of this room does not wait for it.

FIRST_PAUSE = 0.5
TOO_MANY = 429
_TRIES = 5
_LONGEST_PAUSE = 60.0


class WebClient:
    """A server, asked with patience. It follows no redirection, which would hand key and content to another one.

    Parameters
    ----------
    address : str
        What all paths begin with.
    headers : mapping, optional
        Of every request, such as the one with the key.
    basic : (str, str), optional
        User name and password of every request.
    timeout : float, default 120
        Seconds of silence, and those that the body of an answer may take if it goes to no file.
    """

    def __init__(
        self,
        address: str,
        headers: Mapping[str, str] | None = None,
        basic: tuple[str, str] | None = None,
        timeout: float = 120.0,
    ) -> None:
        import httpx2

        self._address, self._timeout = address, timeout
        hooks: Hooks = {"request": [listen_first], "response": [refuse_redirection]}
        self._client = httpx2.Client(auth=basic, event_hooks=hooks, **options(address, headers, timeout))

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def authorize(self, scheme: str, secret: str) -> None:
        """Send ``secret`` with every request from now on, under a scheme such as "Bearer"."""
        self._client.headers["Authorization"] = f"{scheme} {secret}"

    def send(
        self,
        method: str,
        path: str,
        safe: bool = True,
        into: Path | None = None,
        most: int | None = None,
        **content: Any,
    ) -> Answer:
        """Send a request until it is answered.

        Parameters
        ----------
        method, path : str
            Of HTTP; the path below the address, from "/" on.
        safe : bool, default True
            Whether doing it twice is as doing it once.
        into : Path, optional
            File for the body of the answer, which need not fit into memory.
        most : int, optional
            Bytes that the body may have, unpacked; by default `MOST`.
        **content
            As in ``httpx2.Client.build_request``.

        Returns
        -------
        Answer
            With the status of a success.

        Raises
        ------
        WebError
            Its last try was not answered, or with an error, a redirection, or more or for longer than may be.
        OSError
            The file cannot be written.
        """

        def attempt() -> Answer:
            request = self._client.build_request(method, self._address + path, **content)
            return self._take_in(self._client.send(request, stream=True), into, MOST if most is None else most)

        return self._patiently(attempt, safe)

    def _patiently(self, attempt: Callable[[], Answer], safe: bool) -> Answer:
        """Try until there is an answer; parameters and errors as those of `send`."""
        import httpx2

        pause = FIRST_PAUSE
        for left in reversed(range(_TRIES)):
            waits = pause
            try:
                answer = attempt()
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                failed = failure(error)
                again = safe if failed.reached else not failed.distrust
            else:
                if answer.is_success:
                    return answer
                failed = WebError("", answer=answer)
                again = answer.status == TOO_MANY or (safe and answer.status >= 500)
                waits = retry_after(answer.headers) or pause
            if not (again and left):
                raise failed from None
            wait(waits)
            pause *= 2
        raise AssertionError

    def _take_in(self, response: httpx2.Response, into: Path | None, most: int) -> Answer:
        began = time.monotonic()
        try:
            answer = head_of(response)
            if into is not None and answer.is_success:
                with into.open("wb") as file:
                    for piece in held(response.iter_bytes(), most):
                        file.write(piece)
                return answer
            body = Body(answer, most)
            for piece in response.iter_bytes():
                if not body.add(piece):
                    break
                # The HTTP library's timeout is for silence; a body that drips without end is not silent.
                if time.monotonic() - began > self._timeout:
                    raise WebError(f"its answer did not end within {self._timeout:g} s")
            return body.answer()
        finally:
            response.close()


def wait(seconds: float) -> None:
    """Wait, for a minute at most."""
    time.sleep(min(seconds, _LONGEST_PAUSE))


def refuse_redirection(response: httpx2.Response) -> None:
    """Refuse a redirection (an event hook).

    Raises
    ------
    WebError
        It is one.
    """
    # Before the HTTP library looks at where it leads, which need not be an address.
    if head_of(response).location:
        raise WebError("", answer=head_of(response))
