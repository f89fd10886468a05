"""Answers of a server, held to a size as they arrive, without keys; and words for requests that came to nothing."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from ..words import printable

if TYPE_CHECKING:
    import httpx2

_LONGEST = 300
_SECRET = re.compile(r"\b(?:sk|hf|gsk|xai|key)[-_][A-Za-z0-9_\-]{8,}|(?i:\bbearer\s+)[^\s\"',;]+")


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


_REDIRECTIONS = frozenset({301, 302, 303, 307, 308})
MOST = 64_000_000
"""Bytes of an answer that is kept in memory, if its request does not say how many there may be."""
# Of the words of an error the first are shown.
_MOST_WORDS = 250_000


@dataclass(frozen=True, slots=True)
class Answer:
    """A server's answer.

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


class WebError(Exception):
    """A request that came to nothing.

    Parameters
    ----------
    reason : str
        Why, for people; empty if the server answered.
    reached : bool, default True
        Whether the server may have got the request.
    answer : Answer, optional
        What it answered, with the status of an error.
    late : bool, default False
        Whether time ran out.
    distrust : str, optional
        Why its certificate is not trusted, if that is the reason.
    """

    def __init__(
        self,
        reason: str,
        reached: bool = True,
        answer: Answer | None = None,
        late: bool = False,
        distrust: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason, self.reached, self.answer, self.late, self.distrust = reason, reached, answer, late, distrust


class Redirected(WebError):
    """A redirection that is not followed; the reason is a sentence."""


class TooLarge(WebError):
    """An answer with more bytes than it may have.

    Parameters
    ----------
    most : int
        How many it may have.
    """

    def __init__(self, most: int) -> None:
        self.size = f"more than {max(1, most // 1_000_000):,} MB"
        super().__init__(f"its answer has {self.size}")


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
            raise TooLarge(self._most)
        return False

    def answer(self) -> Answer:
        """The answer with its body."""
        return Answer(self._answer.status, self._answer.headers, bytes(self._content[: self._most]))


def held(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Pass on the pieces of a body, as long as they are no more bytes than it may have.

    Raises
    ------
    TooLarge
        They are more.
    """
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > most:
            raise TooLarge(most)
        yield piece


def head_of(response: httpx2.Response) -> Answer:
    """Status and headers of an answer whose body has not arrived yet."""
    return Answer(response.status_code, response.headers)


def failure(error: Exception) -> WebError:
    """Say what an error of the HTTP library, or the end of the time, means."""
    import httpx2

    reached = not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
    late = isinstance(error, httpx2.TimeoutException | TimeoutError)
    why = "" if reached else _distrust(error)
    reason = f"its certificate is not trusted: {why}" if why else str(error) or type(error).__name__
    return WebError(reason, reached, late=late, distrust=why)


def _distrust(error: BaseException | None) -> str:
    """Why the server's certificate is not trusted, if that is what an error comes from; empty if it is not."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_message.rstrip(".")
        error = error.__cause__ or error.__context__
    return ""


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a server asks to wait, given in milliseconds, seconds or as a date; None if it does not say.

    Parameters
    ----------
    headers : mapping
        Of its answer.
    now : datetime, optional
        The moment, by default that of the server's own clock; if neither is known, a date says nothing.
    """
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        else:
            seconds = _seconds(headers.get("retry-after", ""), headers.get("date", ""), now)
    except (TypeError, ValueError, OverflowError):
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _seconds(value: str, date: str, now: datetime | None) -> float:
    try:
        return float(value)
    except ValueError:
        return (_moment(value) - (now or _moment(date))).total_seconds()


def _moment(date: str) -> datetime:
    """The moment that a date names; HTTP's dates are in UTC, even if they do not say so."""
    moment = parsedate_to_datetime(date)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
