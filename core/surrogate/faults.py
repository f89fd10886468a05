"""What can go wrong while generating, and whom it concerns.

    SurrogateError (NeymanError)   the job stops with this one sentence; it can be resumed once the cause is gone
    ├── ServerGone                 nobody answers at the address any more
    ├── StorageError               results cannot be written (disk full, folder read-only)
    └── NotMine                    another worker runs this job now

    ItemFault                      this item cannot be generated; recorded with its reason, the run goes on
    Trouble                        worth another try: rate limit, server error, cut connection, unreadable body
    Refused                        the server refuses parameters of the request

A server's own words are shortened and freed of secrets before they enter any of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.errors import NeymanError

_LONGEST = 300
_LOOKS_SECRET = re.compile(r"\b(?:sk|hf|gsk|xai|key)[-_][A-Za-z0-9_\-]{8,}|(?i:\bbearer\s+)[^\s\"',;]+")


def looks_secret(text: str) -> bool:
    """Whether a text holds what looks like a key of one of the usual providers, or a bearer token."""
    return _LOOKS_SECRET.search(text) is not None


class SurrogateError(NeymanError):
    """The job cannot be started or cannot go on."""


class ServerGone(SurrogateError):
    """Nobody answers at the server's address any more."""


class StorageError(SurrogateError):
    """Results cannot be written."""


class NotMine(SurrogateError):
    """Another worker runs this job now."""


class ItemFault(Exception):
    """An item that cannot be generated.

    Parameters
    ----------
    kind : "too long", "content filter", "refused", "image" or "no answer" (every try failed).
    message : one sentence.
    final : another run would fail the same way, so resuming does not ask again.
    """

    def __init__(self, kind: str, message: str, final: bool = True) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.final = final


class Trouble(Exception):
    """A failure that another try may mend.

    Parameters
    ----------
    kind : "rate limit", "server error", "connection", "unreachable", "timeout" or "unreadable".
    message : one sentence.
    retry_after : seconds the server asked us to wait, None where it did not say.
    """

    def __init__(self, kind: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.retry_after = retry_after


class Refused(Exception):
    """Parameters that the server does not take: name → its reason."""

    def __init__(self, reasons: dict[str, str]) -> None:
        super().__init__(", ".join(reasons))
        self.reasons = reasons


def clean(text: str, secrets: Iterable[str] = ()) -> str:
    """``text`` as it may be logged, stored and shown: on one line, shortened, without keys."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "…")
    text = _LOOKS_SECRET.sub("…", text)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
