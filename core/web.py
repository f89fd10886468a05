"""Servers that people name, over HTTP: patience where it helps, keys in no sentence, nothing to any other server.

What only reads is repeated after a lost connection. What writes is repeated only where the server certainly did not
act: it could not be reached, or it asked for fewer requests. Anything else might double what it wrote.
"""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from . import __version__
from .words import printable

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
_MEGABYTE = 1_000_000
_REDIRECTIONS = frozenset({301, 302, 303, 307, 308})
# Bytes of an answer that is kept in memory, and of the words of an error, of which the first are shown.
_MOST, _MOST_WORDS = 64 * _MEGABYTE, _MEGABYTE // 4
_SECRET = re.compile(r"\b(?:sk|hf|gsk|xai|key)[-_][A-Za-z0-9_\-]{8,}|(?i:\bbearer\s+)[^\s\"',;]+")


class TooLarge(Exception):
    """An answer with more bytes than it may have; its words say how many."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered.

    Parameters
    ----------
    status : int
        Of HTTP.
    headers : mapping
        Whatever the case of their names.
    content : bytes
        The body, unpacked.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes = b""

    @property
    def is_success(self) -> bool:
        """Whether the server did what it was asked for."""
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """The body as text."""
        return self.content.decode("utf-8", "replace")

    @property
    def location(self) -> str:
        """Where it redirects to, as it says; empty if it does not."""
        return self.headers.get("location", "") if self.status in _REDIRECTIONS else ""


class Body:
    """The body of an answer while it arrives: the one place where answers are held to a size.

    A few kilobytes may unpack to gigabytes, so a body comes in by pieces, each as it is unpacked. Of an error the
    beginning is kept.

    Parameters
    ----------
    answer : Answer
        Status and headers.
    most : int
        Bytes that a body may have.
    """

    def __init__(self, answer: Answer, most: int) -> None:
        self._answer = answer
        self._most = most if answer.is_success else _MOST_WORDS
        self._content = bytearray()

    @property
    def size(self) -> int:
        """Bytes so far."""
        return len(self._content)

    def add(self, piece: bytes) -> bool:
        """Take in the next piece; return whether more is wanted.

        Raises
        ------
        TooLarge
            There is more than a body may have.
        """
        self._content += piece[: self._most + 1 - self.size]
        if self.size <= self._most:
            return True
        if self._answer.is_success:
            raise TooLarge(f"more than {max(1, self._most // _MEGABYTE):,} MB")
        return False

    def answer(self) -> Answer:
        """The answer with its body."""
        return Answer(self._answer.status, self._answer.headers, bytes(self._content[: self._most]))


class WebError(Exception):
    """A request that came to nothing.

    Parameters
    ----------
    reason : str
        Why, for people; empty where the server answered.
    reached : bool, default True
        Whether the server may have got the request.
    answer : Answer, optional
        What it answered, with the status of an error.
    """

    def __init__(self, reason: str, reached: bool = True, answer: Answer | None = None) -> None:
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
        self._client = httpx2.Client(
            auth=basic, event_hooks={"response": [_refuse_redirection]}, **options(address, headers, timeout)
        )

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def authorize(self, scheme: str, secret: str) -> None:
        """Send ``secret`` with every request from now on, under a scheme such as "Bearer"."""
        self._client.headers["Authorization"] = f"{scheme} {secret}"

    def send(self, method: str, path: str, safe: bool = True, into: Path | None = None, **content: Any) -> Answer:
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
        Answer
            With the status of a success.

        Raises
        ------
        WebError
            Its last try was not answered, or with an error, a redirection or more than fits into memory.
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
                why = distrust(error)
                reason = f"its certificate is not trusted: {why}" if why else _reason(error)
                failure, again = WebError(reason, reached=False), not why
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                failure, again = WebError(_reason(error)), safe
            except TooLarge as error:
                raise WebError(f"its answer has {error}") from None
            else:
                if answer.is_success:
                    return answer
                failure = WebError("", answer=answer)
                again = answer.status == TOO_MANY or (safe and answer.status >= 500)
                waits = retry_after(answer.headers) or pause
            if not (again and left):
                raise failure from None
            wait(waits)
            pause *= 2
        raise AssertionError

    def _answer(self, request: httpx2.Request, into: Path | None) -> Answer:
        response = self._client.send(request, stream=True)
        try:
            answer = head_of(response)
            if into is not None and answer.is_success:
                with into.open("wb") as file:
                    file.writelines(response.iter_bytes())
                return answer
            body = Body(answer, _MOST)
            for piece in response.iter_bytes():
                if not body.add(piece):
                    break
            return body.answer()
        finally:
            response.close()


def head_of(response: httpx2.Response) -> Answer:
    """Status and headers of an answer whose body has not arrived yet."""
    return Answer(response.status_code, response.headers)


def _refuse_redirection(response: httpx2.Response) -> None:
    # Before the HTTP library looks at where it leads, which need not be an address.
    if head_of(response).location:
        raise WebError("", answer=head_of(response))


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
        The moment, by default that of the server's own clock; where neither is known, a date says nothing.
    """
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        else:
            seconds = _seconds(headers.get("retry-after", ""), headers.get("date", ""), now)
    except (TypeError, ValueError, OverflowError):
        return None
    return seconds if 0 <= seconds < float("inf") else None


def fits_header(key: str) -> bool:
    """Whether a key is one line of visible ASCII: anything else cannot stand in a header."""
    return key.isascii() and key.isprintable() and " " not in key


def looks_secret(text: str) -> bool:
    """Whether a text contains what looks like a key of one of the usual providers, or a bearer token."""
    return _SECRET.search(text) is not None


def clean(text: str, secrets: Iterable[str] = (), longest: int = _LONGEST) -> str:
    """Make a text fit to be logged, stored and shown: on one printable line, shortened, without secrets and keys."""
    for secret in filter(None, secrets):
        text = text.replace(secret, "…")
    text = printable(" ".join(_SECRET.sub("…", text).split()))
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _seconds(value: str, date: str, now: datetime | None) -> float:
    try:
        return float(value)
    except ValueError:
        return (_moment(value) - (now or _moment(date))).total_seconds()


def _moment(date: str) -> datetime:
    """The moment that a date names; HTTP's dates are in UTC, also where they do not say so."""
    moment = parsedate_to_datetime(date)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def distrust(error: BaseException | None) -> str:
    """Why the server's certificate is not trusted, where that is what an error comes from; empty if it is not."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_message.rstrip(".")
        error = error.__cause__ or error.__context__
    return ""


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


@cache
def _certificates() -> ssl.SSLContext:
    """Reading the authorities' certificates takes longer than a request."""
    import httpx2

    return httpx2.create_ssl_context()
