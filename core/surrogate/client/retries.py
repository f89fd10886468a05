"""Requests with patience: bounded tries at all of a job's addresses, pauses with jitter, nothing sent after the end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from ..faults import ItemFault, ParameterFault, ServerGone, SurrogateError, TransientFault
from ..job.parameters import Connection
from .addresses import Address, Addresses
from .http import Client
from .replies import Reply
from .throttle import pause

_RATE_LIMITS_PER_ATTEMPT = 10
_OVERLOAD = frozenset({"rate limit", "server error"})
# A try that timed out has taken as long as many others.
_TRIES_OF_A_TIMEOUT = 3
_TRIES_BEFORE_ANY_ANSWER = 2
_NO_TRIES = ("rate limit", "unreachable")
# Refused connections after which the pause grows no longer: the server is noticed soon after it is back.
_MOST_REFUSED = 3
# What becomes of an item at one address and need not at another: its model has more room, its filter lets more through,
# or it does not write on and on.
_SECOND_OPINION = frozenset({"refused", "too long", "no room", "content filter", "too large"})


class RetryingClient:
    """A client that tries again, at one address or another.

    Parameters
    ----------
    clients : sequence of Client
        What sends one request, one for each address.
    connection : Connection
        Tries, pauses, patience and the number of requests at a time.
    say : callable
        Takes a line of text.

    Attributes
    ----------
    retries : int
        Requests repeated so far.
    """

    def __init__(
        self, clients: Sequence[Client], connection: Connection, say: Callable[[str], None] = lambda line: None
    ) -> None:
        self.retries = 0
        self._connection = connection
        self._clients = clients
        self._addresses = Addresses(clients, connection, say)

    @property
    def active(self) -> int:
        """Requests under way."""
        return self._addresses.active

    @property
    def width(self) -> int:
        """How many requests may be under way at a time."""
        return self._addresses.width

    @property
    def trouble(self) -> str:
        """Why no request is answered at the moment, or by which server none is; empty while all is well."""
        return self._addresses.trouble

    def halt(self) -> None:
        """Send nothing more; what is under way may still arrive."""
        self._addresses.halt()

    async def wider_than(self, width: int) -> None:
        """Wait until more requests may be under way than these, or nothing more is sent."""
        await self._addresses.wider_than(width)

    async def adapt(self) -> NoReturn:
        """Fit the number of requests at a time to what the servers show of their load, for ever."""
        await self._addresses.adapt()

    async def vllm_version(self) -> str | None:
        """The version of vLLM at the first address that says."""
        versions = await asyncio.gather(*(client.vllm_version() for client in self._clients))
        return next(filter(None, versions), None)

    async def complete(self, body: Mapping[str, Any], patient: bool = True) -> Reply:
        """Send one request until it is answered.

        Parameters
        ----------
        body : mapping
            The request.
        patient : bool
            Whether it is sent again after a time-out; otherwise the first one is the item's fault.

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
        addresses = self._addresses
        attempt = _Attempt(self._connection.attempts, patient)
        while True:
            async with addresses.slot(attempt.without) as address:
                attempt.began = asyncio.get_running_loop().time()
                try:
                    reply = await address.client.complete(body)
                except ParameterFault:
                    address.heard()
                    raise
                except ItemFault as fault:
                    if fault.kind == "too large":
                        addresses.failed(address, fault)
                    else:
                        address.heard()
                    if attempt.refusing or fault.kind not in _SECOND_OPINION or not addresses.has_others([address]):
                        raise
                    attempt.refusing.append(address)
                    continue
                except TransientFault as fault:
                    self.retries += 1
                    self._note(address, fault, attempt)
                except SurrogateError as error:
                    addresses.lose(address, error)
                    continue
                else:
                    address.succeeded(asyncio.get_running_loop().time())
                    return reply
            if not addresses.has_others(attempt.without):
                await addresses.rest(pause(attempt.pauses, self._connection.backoff))
                attempt.failing.clear()

    def _note(self, address: Address, fault: TransientFault, attempt: _Attempt) -> None:
        """Note a try that failed; raise what its request, or the job, comes to."""
        attempt.count(address, fault)
        if fault.kind == "timeout" and address.answered_at >= attempt.began:
            # It answers others: this request takes long, and nothing is wrong with the server.
            address.heard()
        else:
            self._addresses.failed(address, fault)
        if fault.kind == "unreachable" and self._addresses.are_gone:
            raise ServerGone(f"{fault.message.rstrip('.')}. Start it again, then resume the job.") from None
        if fault.kind in _OVERLOAD:
            try:
                address.throttle.overloaded(asyncio.get_running_loop().time(), fault.retry_after)
            except SurrogateError as error:
                self._addresses.lose(address, error)
        if attempt.is_misplaced(address):
            # It concerns every item.
            self._addresses.lose(address, SurrogateError(fault.message))
        elif fault.kind == "timeout" and (attempt.is_over or not attempt.patient):
            raise ItemFault("timeout", f"No answer came within {self._connection.timeout:g} s.", False)
        elif attempt.is_over:
            raise ItemFault("no answer", f"{attempt.tries + attempt.limited} tries failed. {fault.message}", False)


class _Attempt:
    """What has become of one request so far.

    Parameters
    ----------
    most : int
        Tries before its item counts as failed.
    patient : bool
        Whether it is tried again after a time-out.

    Attributes
    ----------
    began : float
        The event loop's time at which it was sent last.
    """

    def __init__(self, most: int, patient: bool = True) -> None:
        self.patient, self.began = patient, 0.0
        self.tries = self.limited = self._refused = 0
        self.refusing: list[Address] = []
        self.failing: list[Address] = []
        self._most = most
        self._missing: Counter[Address] = Counter()

    @property
    def without(self) -> list[Address]:
        """Addresses that need not be tried at once."""
        return [*self.refusing, *self.failing]

    @property
    def is_over(self) -> bool:
        """Whether it was tried often enough."""
        return self.tries >= self._most or self.limited >= self._most * _RATE_LIMITS_PER_ATTEMPT

    @property
    def pauses(self) -> int:
        """How often the pause before the next try is doubled."""
        return min(self.tries + self.limited + self._refused, 10)

    def is_misplaced(self, address: Address) -> bool:
        """Whether it was not found there so often that nothing is."""
        return self._missing[address] >= (self._most if address.answered else min(self._most, _TRIES_BEFORE_ANY_ANSWER))

    def count(self, address: Address, fault: TransientFault) -> None:
        """Count a try that failed."""
        self.failing.append(address)
        self._missing[address] += fault.kind == "not found"
        self.limited += fault.kind == "rate limit"
        self.tries += _TRIES_OF_A_TIMEOUT if fault.kind == "timeout" else fault.kind not in _NO_TRIES
        # A server that starts again answers sooner if it is not knocked at all the time.
        self._refused = min(self._refused + 1, _MOST_REFUSED) if fault.kind == "unreachable" else 0
