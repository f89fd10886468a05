"""Servers that people name, over HTTP: patience where it helps, keys in no sentence, nothing to any other server.

What only reads is repeated after a lost connection. What writes is repeated only where the server certainly did not
act: it could not be reached, or it asked for fewer requests. Anything else might double what it wrote.
"""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from . import __version__

# The HTTP library is loaded where something is sent: whoever needs a name of this module does not wait for it.
if TYPE_CHECKING:
    import httpx2

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
FIRST_PAUSE = 0.5
TOO_MANY = 429
_TRIES = 5
_LONGEST_PAUSE = 60.0
_CONNECT_SECONDS = 10.0
_LONGEST = 300
_SECRET = re.compile(r"\b(?:sk|hf|gsk|xai|key)[-_][A-Za-z0-9_\-]{8,}|(?i:\bbearer\s+)[^\s\"',;]+")


class WebError(Exception):
    """A request that came to nothing.

    Parameters
    ----------
    reason : str
        Why, for people; empty where the server answered.
    reached : bool, default True
        Whether the server may have got the request.
    answer : httpx2.Response, optional
        What it answered, with the status of an error.
    """

    def __init__(self, reason: str, reached: bool = True, answer: httpx2.Response | None = None) -> None:
        super().__init__(reason)
        self.reason, self.reached, self.answer = reason, reached, answer


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
        Seconds of silence.
    """

    def __init__(
        self,
        address: str,
        headers: Mapping[str, str] | None = None,
        basic: tuple[str, str] | None = None,
        timeout: float = 120.0,
    ) -> None:
        import httpx2

        self._address = address
        self._client = httpx2.Client(auth=basic, **options(address, headers, timeout))

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def authorize(self, scheme: str, secret: str) -> None:
        """Send ``secret`` with every request from now on, under a scheme such as "Bearer"."""
        self._client.headers["Authorization"] = f"{scheme} {secret}"

    def send(
        self, method: str, path: str, safe: bool = True, into: Path | None = None, **content: Any
    ) -> httpx2.Response:
        """Send a request until it is answered.

        Parameters
        ----------
        method, path : str
            Of HTTP; the path below the address, from "/" on.
        safe : bool, default True
            Whether doing it twice is as doing it once.
        into : Path, optional
            File for the body of the answer, which need not fit into memory.
        **content
            As in ``httpx2.Client.build_request``.

        Returns
        -------
        httpx2.Response
            With the status of a success.

        Raises
        ------
        WebError
            Its last try was not answered, or with an error.
        OSError
            The file cannot be written.
        """
        import httpx2

        pause = FIRST_PAUSE
        for left in reversed(range(_TRIES)):
            waits = pause
            try:
                answer = self._answer(self._client.build_request(method, self._address + path, **content), into)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failure, again = WebError(_reason(error), reached=False), True
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                failure, again = WebError(_reason(error)), safe
            else:
                if answer.is_success:
                    return answer
                failure = WebError("", answer=answer)
                again = answer.status_code == TOO_MANY or (safe and answer.status_code >= 500)
                waits = retry_after(answer.headers) or pause
            if not (again and left):
                raise failure from None
            wait(waits)
            pause *= 2
        raise AssertionError

    def _answer(self, request: httpx2.Request, into: Path | None) -> httpx2.Response:
        answer = self._client.send(request, stream=True)
        try:
            if into is None or not answer.is_success:
                answer.read()
            else:
                with into.open("wb") as file:
                    file.writelines(answer.iter_bytes())
        finally:
            answer.close()
        return answer


def options(address: str, headers: Mapping[str, str] | None, timeout: float) -> dict[str, Any]:
    """What every client of a server is made with: who asks, how long it waits, and by which way.

    Parameters
    ----------
    address : str
        Of the server.
    headers : mapping or None
        Of every request.
    timeout : float
        Seconds of silence.

    Returns
    -------
    dict
        Arguments of ``httpx2.Client`` and ``httpx2.AsyncClient``.
    """
    import httpx2

    return {
        "headers": {"User-Agent": f"neyman/{__version__}", **(headers or {})},
        "verify": _certificates(),
        "timeout": httpx2.Timeout(timeout, connect=min(_CONNECT_SECONDS, timeout)),
        # A proxy that the environment names stands between this machine and others, not between its own processes.
        "trust_env": urlsplit(address).hostname not in LOCAL_HOSTS,
    }


def wait(seconds: float) -> None:
    """Wait, for a minute at most."""
    time.sleep(min(seconds, _LONGEST_PAUSE))


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a server asks to wait, given in milliseconds, seconds or as a date; None if it does not say.

    Parameters
    ----------
    headers : mapping
        Of its answer.
    now : datetime, optional
        The moment; without it a date says nothing.
    """
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        else:
            seconds = _seconds(headers.get("retry-after", ""), now)
    except (TypeError, ValueError):
        return None
    return seconds if 0 <= seconds < float("inf") else None


def fits_header(key: str) -> bool:
    """Whether a key is one line of visible ASCII: anything else cannot stand in a header."""
    return key.isascii() and key.isprintable() and " " not in key


def looks_secret(text: str) -> bool:
    """Whether a text contains what looks like a key of one of the usual providers, or a bearer token."""
    return _SECRET.search(text) is not None


def clean(text: str, secrets: Iterable[str] = (), longest: int = _LONGEST) -> str:
    """Make a text fit to be logged, stored and shown: on one line, shortened, without ``secrets`` and other keys."""
    for secret in filter(None, secrets):
        text = text.replace(secret, "…")
    text = " ".join(_SECRET.sub("…", text).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _seconds(value: str, now: datetime | None) -> float:
    try:
        return float(value)
    except ValueError:
        if now is None:
            raise
        return (parsedate_to_datetime(value) - now).total_seconds()


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


@cache
def _certificates() -> ssl.SSLContext:
    """Reading the authorities' certificates takes longer than a request."""
    import httpx2

    return httpx2.create_ssl_context()
