"""A request that came to nothing, and why: one object, whatever the HTTP library raised."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .answers import Answer


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
