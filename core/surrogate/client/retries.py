"""Requests with patience: bounded tries, pauses with jitter, fewer requests at a time after an overload."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from core.surrogate.client.http import Client
from core.surrogate.client.replies import Reply
from core.surrogate.client.throttle import Throttle, pause
from core.surrogate.faults import ItemFault, ServerGone, TransientFault
from core.surrogate.job.spec import Connection

_RATE_LIMITS_PER_ATTEMPT = 10
_OVERLOAD = frozenset({"rate limit", "server error", "timeout"})


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
    silence : str
        Why nobody answers at the moment; empty while somebody does.
    """

    def __init__(self, client: Client, connection: Connection) -> None:
        self.retries = 0
        self.silence = ""
        self._client = client
        self._connection = connection
        self._throttle = Throttle(connection.concurrency)
        self._answered_at = asyncio.get_running_loop().time()

    async def complete(self, body: Mapping[str, Any]) -> Reply:
        """Send one request until it is answered.

        Raises
        ------
        ItemFault
            It cannot be answered, or no try was.
        ParameterFault
            The server refuses parameters.
        ServerGone
            Nobody answers any more.
        SurrogateError
            No request will succeed.
        """
        tries, limited = 0, 0
        while True:
            try:
                async with self._throttle.slot():
                    reply = await self._client.complete(body)
            except TransientFault as fault:
                self.retries += 1
                self._note(fault)
                if fault.kind == "rate limit":
                    limited += 1
                elif fault.kind != "unreachable":
                    tries += 1
                attempts = self._connection.attempts
                if tries >= attempts or limited >= attempts * _RATE_LIMITS_PER_ATTEMPT:
                    raise ItemFault("no answer", f"{tries + limited} tries failed. {fault.message}", False) from None
                await asyncio.sleep(pause(min(tries + limited, 10), self._connection.backoff))
            else:
                self._answered_at, self.silence = asyncio.get_running_loop().time(), ""
                self._throttle.succeeded()
                return reply

    def _note(self, fault: TransientFault) -> None:
        """Note that somebody answers, if only with an error, or that nobody does."""
        moment = asyncio.get_running_loop().time()
        if fault.kind != "unreachable":
            self._answered_at, self.silence = moment, ""
            if fault.kind in _OVERLOAD:
                self._throttle.overloaded(fault.retry_after)
            return
        self.silence = fault.message
        if moment - self._answered_at >= self._connection.patience:
            raise ServerGone(f"{fault.message.rstrip('.')}. Start it again, then resume the job.") from None
