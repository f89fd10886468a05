"""Requests with patience: bounded tries, pauses with jitter, fewer requests at a time after an overload."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from core.surrogate.client.http import Client
from core.surrogate.client.replies import Reply
from core.surrogate.client.throttle import Throttle, pause
from core.surrogate.faults import ItemFault, ParameterFault, ServerGone, SurrogateError, TransientFault
from core.surrogate.job.spec import Connection

_RATE_LIMITS_PER_ATTEMPT = 10
_OVERLOAD = frozenset({"rate limit", "server error", "timeout"})
_TRIES_BEFORE_ANY_ANSWER = 2
_SHOWN_WAIT = 1.0
# Refused connections after which the pause grows no longer: the server is noticed soon after it is back.
_MOST_REFUSED = 3


class RetryingClient:
    """A client that tries again.

    Parameters
    ----------
    client : Client
        What sends one request.
    connection : Connection
        Tries, pauses, patience and the number of requests at a time.

    Attributes
    ----------
    retries : int
        Requests repeated so far.
    """

    def __init__(self, client: Client, connection: Connection) -> None:
        self.retries = 0
        self._client = client
        self._connection = connection
        self._throttle = Throttle(connection.concurrency)
        self._answered = False
        self._silence = ""
        self._silent_since: float | None = None

    @property
    def active(self) -> int:
        """Requests under way."""
        return self._throttle.active

    @property
    def trouble(self) -> str:
        """Why no request is answered at the moment; empty while requests are."""
        if self._silence:
            return f"trying again: {self._silence}"
        wait = self._throttle.resume_at - asyncio.get_running_loop().time()
        if wait < _SHOWN_WAIT:
            return ""
        # Rounded up to a minute.
        until = datetime.now().astimezone() + timedelta(seconds=wait + 59)
        return f"the server asks to wait until {until:%H:%M}"

    def halt(self) -> None:
        """Send nothing more; what is under way may still arrive."""
        self._throttle.halt()

    async def complete(self, body: Mapping[str, Any]) -> Reply:
        """Send one request until it is answered.

        Raises
        ------
        ItemFault
            It cannot be answered, or no try was.
        ParameterFault
            The server refuses parameters.
        Halted
            Nothing more is sent.
        JobPaused
            The server asks to wait for more than an hour.
        ServerGone
            Nobody answers any more.
        SurrogateError
            No request will succeed.
        """
        tries, limited, refused = 0, 0, 0
        while True:
            try:
                async with self._throttle.slot():
                    reply = await self._client.complete(body)
            except (ItemFault, ParameterFault):
                self._heard()
                raise
            except TransientFault as fault:
                self.retries += 1
                self._note(fault)
                if fault.kind == "rate limit":
                    limited += 1
                elif fault.kind != "unreachable":
                    tries += 1
                # A server that starts again answers sooner where it is not knocked at all the time.
                refused = min(refused + 1, _MOST_REFUSED) if fault.kind == "unreachable" else 0
                self._give_up(fault, tries, limited)
                await self._throttle.rest(pause(min(tries + limited + refused, 10), self._connection.backoff))
            else:
                self._answered = True
                self._heard()
                self._throttle.succeeded()
                return reply

    def _give_up(self, fault: TransientFault, tries: int, limited: int) -> None:
        """Raise what a request comes to that was tried often enough."""
        attempts = self._connection.attempts
        tried_before_any = attempts if self._answered else min(attempts, _TRIES_BEFORE_ANY_ANSWER)
        if fault.kind == "not found" and tries >= tried_before_any:
            # It concerns every item.
            raise SurrogateError(fault.message) from None
        if tries >= attempts or limited >= attempts * _RATE_LIMITS_PER_ATTEMPT:
            raise ItemFault("no answer", f"{tries + limited} tries failed. {fault.message}", False) from None

    def _heard(self) -> None:
        self._silence, self._silent_since = "", None

    def _note(self, fault: TransientFault) -> None:
        """Note that somebody answers, if only with an error, or since when nobody does."""
        moment = asyncio.get_running_loop().time()
        if fault.kind != "unreachable":
            self._heard()
            if fault.kind in _OVERLOAD:
                self._throttle.overloaded(fault.retry_after)
            return
        self._silence = fault.message
        self._silent_since = moment if self._silent_since is None else self._silent_since
        if moment - self._silent_since >= self._connection.patience:
            raise ServerGone(f"{fault.message.rstrip('.')}. Start it again, then resume the job.") from None
