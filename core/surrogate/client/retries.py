"""Requests with patience: one queue for all of a job's addresses, bounded tries, pauses, nothing sent after the end.

A request goes to the address with the fewest requests under way; whoever waits takes the first that has room. As many
are under way at an address as the job allows, and nothing changes that number. If there are several addresses, one that
fails is set aside and tried again later with one request, after a pause that doubles from failure to failure.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ..faults import Halted, ItemFault, JobPaused, ParameterFault, ServerGone, SurrogateError, TransientFault
from ..job.parameters import WIDTH, Connection
from .http import Client
from .replies import Reply

LONGEST_PAUSE = 30.0
_LONGEST_WAIT, _FOREVER = 3600.0, 10 * 365 * 86_400.0
_LONGEST_ASIDE = 600.0
_SHOWN_WAIT = 1.0
_DOUBLINGS = 10
# Failures in a row after which an address is set aside.
_FAILURES = 3
_RATE_LIMITS_PER_ATTEMPT = 10
# A try that timed out has taken as long as many others.
_TRIES_OF_A_TIMEOUT = 3
_TRIES_BEFORE_ANY_ANSWER = 2
_NO_TRIES = ("rate limit", "unreachable")
# Refused connections after which the pause grows no longer: the server is noticed soon after it is back.
_MOST_REFUSED = 3
# What becomes of an item at one address and need not at another: its model has more room, its filter lets more through,
# or it does not write on and on.
_SECOND_OPINION = frozenset({"refused", "too long", "no room", "content filter", "too large"})


@dataclass(slots=True, eq=False)
class Address:
    """One address of a job's servers.

    Parameters
    ----------
    client : Client
        What sends a request there.
    active : int
        Requests under way.
    answered_at : float
        The event loop's time of its last answer; −∞ before any.
    failures : int
        Tries that failed since its last answer.
    asides : int
        How often it was set aside since; while it is, one request at a time tries it.
    resume_at : float
        The event loop's time from which it is asked again.
    silence : str
        Why nobody answers there at the moment; empty if somebody does.
    silent_since : float or None
        The event loop's time of the first refused connection since.
    error : SurrogateError or None
        Why no request will succeed there, as far as is known.
    """

    client: Client
    active: int = 0
    answered_at: float = -math.inf
    failures: int = 0
    asides: int = 0
    resume_at: float = 0.0
    silence: str = ""
    silent_since: float | None = None
    error: SurrogateError | None = None

    def heard(self) -> None:
        """Note that somebody answers, if only with an error."""
        self.silence, self.silent_since = "", None

    def succeeded(self, moment: float) -> None:
        """Note an answer."""
        self.heard()
        self.answered_at, self.failures, self.asides, self.error = moment, 0, 0, None

    def is_gone(self, moment: float, patience: float) -> bool:
        """Whether no request will succeed there, or nobody has answered for ``patience`` seconds."""
        silent = self.silent_since is not None and moment - self.silent_since >= patience
        return self.error is not None or silent


@dataclass(slots=True)
class _Tries:
    """The tries of one request so far.

    Parameters
    ----------
    most : int
        Tries before its item counts as failed.
    patient : bool
        Whether it is tried again after a time-out.
    began : float
        The event loop's time at which it was sent last.
    refusing, failing : list of Address
        Where it was refused, and where it failed since the last pause.
    """

    most: int
    patient: bool
    began: float = 0.0
    refusing: list[Address] = field(default_factory=list)
    failing: list[Address] = field(default_factory=list)
    _counted: int = 0
    _limited: int = 0
    _unreachable: int = 0
    _missing: Counter[Address] = field(default_factory=Counter)

    @property
    def without(self) -> list[Address]:
        """Addresses that need not be tried at once."""
        return [*self.refusing, *self.failing]

    @property
    def number(self) -> int:
        """Number of tries that count as failed."""
        return self._counted + self._limited

    @property
    def is_over(self) -> bool:
        """Whether it was tried often enough."""
        return self._counted >= self.most or self._limited >= self.most * _RATE_LIMITS_PER_ATTEMPT

    @property
    def doublings(self) -> int:
        """Number of times that the pause before the next try is doubled."""
        return self.number + self._unreachable

    def is_misplaced(self, address: Address) -> bool:
        """Whether it was not found there so often that nothing is."""
        answered = address.answered_at > -math.inf
        return self._missing[address] >= (self.most if answered else min(self.most, _TRIES_BEFORE_ANY_ANSWER))

    def count(self, address: Address, kind: str) -> None:
        """Count a try that failed."""
        self.failing.append(address)
        self._missing[address] += kind == "not found"
        self._limited += kind == "rate limit"
        self._counted += _TRIES_OF_A_TIMEOUT if kind == "timeout" else kind not in _NO_TRIES
        # A server that starts again answers sooner if it is not knocked at all the time.
        self._unreachable = min(self._unreachable + 1, _MOST_REFUSED) if kind == "unreachable" else 0


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
    width : int
        How many requests may be under way at a time, at all addresses together.
    """

    def __init__(
        self, clients: Sequence[Client], connection: Connection, say: Callable[[str], None] = lambda line: None
    ) -> None:
        self.retries = 0
        self._connection, self._say = connection, say
        self._all = [Address(client) for client in clients]
        self._each = connection.concurrency or WIDTH
        self.width = self._each * len(clients)
        self._halted = asyncio.Event()
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def active(self) -> int:
        """Requests under way."""
        return sum(address.active for address in self._all)

    @property
    def trouble(self) -> str:
        """Why no request is answered at the moment, or by which server none is; empty while all is well."""
        aside = [address for address in self._all if address.asides or address.silence]
        if len(aside) == len(self._all) and (silence := next((one.silence for one in aside if one.silence), "")):
            return f"trying again: {silence}"
        if aside and len(self._all) > 1:
            return f"{len(self._all) - len(aside)} of {len(self._all)} addresses answer"
        wait = min(address.resume_at for address in self._all) - _now()
        if wait < _SHOWN_WAIT:
            return ""
        # Rounded up to a minute.
        return f"the server asks to wait until {_clock(wait + 59):%H:%M}"

    def halt(self) -> None:
        """Send nothing more; what is under way may still arrive."""
        self._halted.set()
        self._wake(len(self._waiting))

    async def vllm_version(self) -> str | None:
        """The version of vLLM at the first address that says."""
        versions = await asyncio.gather(*(address.client.vllm_version() for address in self._all))
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
        tries = _Tries(self._connection.attempts, patient)
        while True:
            async with self._turn(tries.without) as address:
                tries.began = _now()
                try:
                    reply = await address.client.complete(body)
                except ParameterFault:
                    address.heard()
                    raise
                except ItemFault as fault:
                    if fault.kind == "too large":
                        self._failed(address, fault)
                    else:
                        address.heard()
                    if tries.refusing or fault.kind not in _SECOND_OPINION or not self._has_others([address]):
                        raise
                    tries.refusing.append(address)
                    continue
                except TransientFault as fault:
                    self.retries += 1
                    self._note(address, fault, tries)
                except SurrogateError as error:
                    self._lose(address, error)
                    continue
                else:
                    address.succeeded(_now())
                    return reply
            if not self._has_others(tries.without):
                await self._rest(pause(tries.doublings, self._connection.backoff))
                tries.failing.clear()

    def _note(self, address: Address, fault: TransientFault, tries: _Tries) -> None:
        """Note a try that failed; raise what its request, or the job, comes to."""
        tries.count(address, fault.kind)
        if fault.kind == "timeout" and address.answered_at >= tries.began:
            # It answers others: this request takes long, and nothing is wrong with the server.
            address.heard()
        else:
            self._failed(address, fault)
        if fault.kind == "unreachable" and self._are_gone:
            raise ServerGone(f"{fault.message.rstrip('.')}. Start it again, then resume the job.") from None
        wait = fault.retry_after or 0.0
        address.resume_at = max(address.resume_at, _now() + wait)
        if wait > _LONGEST_WAIT:
            until = f"{_clock(wait):%Y-%m-%d %H:%M}"
            self._lose(address, JobPaused(f"The server asks to wait until {until}. Resume the job then."))
        if tries.is_misplaced(address):
            # It concerns every item.
            self._lose(address, SurrogateError(fault.message))
        elif fault.kind == "timeout" and (tries.is_over or not tries.patient):
            raise ItemFault("timeout", f"No answer came within {self._connection.timeout:g} s.", False)
        elif tries.is_over:
            raise ItemFault("no answer", f"{tries.number} tries failed. {fault.message}", False)

    def _failed(self, address: Address, fault: TransientFault | ItemFault) -> None:
        """Note a failed try; set the address aside if there are others and it fails again and again."""
        if fault.kind == "unreachable":
            address.silence = fault.message
            address.silent_since = _now() if address.silent_since is None else address.silent_since
        else:
            address.heard()
        address.failures += 1
        if address.asides or fault.kind == "unreachable" or address.failures >= _FAILURES:
            self._set_aside(address, fault.message)

    def _lose(self, address: Address, error: SurrogateError) -> None:
        """Set an address aside at which no request will succeed; raise the error if no other is left."""
        address.error = error
        if self._are_gone:
            # Once a wait is over the job can go on: that outranks what is wrong elsewhere.
            raise next((one.error for one in self._all if isinstance(one.error, JobPaused)), error)
        self._set_aside(address, str(error))

    def _set_aside(self, address: Address, reason: str) -> None:
        if len(self._all) == 1 or (address.asides and _now() < address.resume_at):
            # There is no other, or several requests were under way there.
            return
        address.asides = min(address.asides + 1, _DOUBLINGS)
        wait = pause(address.asides, self._connection.backoff)
        if address.error is not None:
            # What is wrong there is for a person to mend.
            wait = min(_LONGEST_ASIDE, LONGEST_PAUSE * 2.0**address.asides)
        address.resume_at = max(address.resume_at, _now() + wait)
        if address.asides == 1:
            self._say(f"{address.client.url} is set aside for {wait:.1f} s, then tried again. {reason}")

    @property
    def _are_gone(self) -> bool:
        """Whether no request will succeed at any address."""
        return all(address.is_gone(_now(), self._connection.patience) for address in self._all)

    def _has_others(self, without: Collection[Address]) -> bool:
        """Whether some address answers that is none of these."""
        others = (one for one in self._all if one not in without and not one.asides)
        return any(one.resume_at <= _now() for one in others)

    def _room(self, address: Address) -> int:
        """Return the number of further requests that may be under way at an address."""
        return max(0, (1 if address.asides else self._each) - address.active)

    @asynccontextmanager
    async def _turn(self, without: Collection[Address]) -> AsyncIterator[Address]:
        """Wait for the right to send one request, and hold it; yields the address it goes to.

        It is none of ``without`` unless no other answers.
        """
        address = await self._free(without)
        address.active += 1
        try:
            yield address
        finally:
            address.active -= 1
            self._wake(sum(map(self._room, self._all)))

    async def _free(self, without: Collection[Address]) -> Address:
        while not self._halted.is_set():
            others = [one for one in self._all if one not in without and not one.asides] if without else []
            with_room = [one for one in others or self._all if self._room(one)]
            waits = {one: one.resume_at - _now() for one in with_room}
            if free := [one for one, wait in waits.items() if wait <= 0]:
                return min(free, key=lambda one: one.active)
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            with suppress(TimeoutError):
                # Not all at the same moment.
                async with asyncio.timeout(min(waits.values()) * (1 + 0.1 * random.random()) if waits else None):
                    await turn
        raise Halted

    def _wake(self, number: int) -> None:
        """Let so many of those who wait look again."""
        while number and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                number -= 1

    async def _rest(self, seconds: float) -> None:
        """Wait before another try, until requests are halted at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._halted.wait()


def pause(attempt: int, backoff: float) -> float:
    """Seconds to wait before another try.

    Parameters
    ----------
    attempt : int
        Tries so far.
    backoff : float
        Seconds that double with every try, with jitter so that requests do not come back in step.
    """
    return min(LONGEST_PAUSE, backoff * 2.0 ** min(attempt, _DOUBLINGS)) * (0.5 + random.random() / 2)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _clock(seconds: float) -> datetime:
    """The moment so many seconds from now."""
    return datetime.now().astimezone() + timedelta(seconds=min(seconds, _FOREVER))
