"""Faults of generating, by whom they concern.

    SurrogateError (NeymanError)   the job stops with this one sentence; it can be resumed once the cause is gone
    ├── JobPaused                  too much goes wrong to ask on, or a limit is reached; the job waits to be resumed
    ├── ServerGone                 nobody answers at the address any more
    ├── StorageError (HomeError)   results cannot be written (disk full, folder read-only)
    └── ClaimLost                  another worker runs this job now

    ItemFault                      this item cannot be generated; recorded with its reason, the run continues
    TransientFault                 worth another try: rate limit, server error, cut connection, unreadable body
    ParameterFault                 the server refuses parameters of the request
    Halted                         the job is ending: this request was not sent

A server's own words are shortened and freed of secrets before they enter any of these.
"""

from __future__ import annotations

from ..errors import HomeError, NeymanError


class SurrogateError(NeymanError):
    """The job cannot be started or cannot continue."""


class JobPaused(SurrogateError):
    """Asking on would waste requests, or cost more than the job may: somebody should look, then resume the job."""


class ServerGone(SurrogateError):
    """Nobody answers at the server's address any more."""


class StorageError(SurrogateError, HomeError):
    """Results cannot be written."""


class ClaimLost(SurrogateError):
    """Another worker runs this job now."""


class ItemFault(Exception):
    """An item that cannot be generated.

    Parameters
    ----------
    kind : str
        "too long", "no room" (for as long an answer as the token limit allows), "content filter", "refused", "image",
        "no prompt", "too large" (the answer), "timeout" or "no answer" (every try failed).
    message : str
        One sentence.
    final : bool
        Whether another run would fail the same way, so that a resumed job skips the item. Of a server's refusals these
        are "too long" and "content filter" alone.
    """

    def __init__(self, kind: str, message: str, final: bool = True) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.final = final


class TransientFault(Exception):
    """A failure that another try may mend.

    Parameters
    ----------
    kind : str
        "rate limit", "server error", "connection", "unreachable", "timeout", "unreadable" or "not found".
    message : str
        One sentence.
    retry_after : float, optional
        Seconds the server asked us to wait; None if it did not say.
    """

    def __init__(self, kind: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.retry_after = retry_after


class ParameterFault(Exception):
    """Parameters that the server does not take.

    Parameters
    ----------
    reasons : dict
        Parameter → the server's reason.
    """

    def __init__(self, reasons: dict[str, str]) -> None:
        super().__init__(", ".join(reasons))
        self.reasons = reasons


class Halted(Exception):
    """The job is ending, so this request was not sent."""
