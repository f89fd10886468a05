"""The addresses of a job: which of them a request goes to, and which are set aside for a while.

A request goes to the least loaded address: the one with the fewest requests under way for its limit. An address that
fails is set aside and tried again later with one request, after a pause that doubles from failure to failure. Whoever
waits for an address takes the first that has room.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from typing import NoReturn

from ..faults import Halted, ItemFault, JobPaused, SurrogateError, TransientFault
from ..job.parameters import Connection
from .http import Client
from .throttle import LONGEST_PAUSE, Throttle, pause

_LOOK = 2.0
_SHOWN_WAIT = 1.0
_FAILURES = 3
_LONGEST_ASIDE = 600.0
_DOUBLINGS = 10


class Address:
    """One address of a job's servers.

    Parameters
    ----------
    client : Client
        What sends a request there.
    most : int or None
        Requests at a time, as in :class:`Throttle`.

    Attributes
    ----------
    throttle : Throttle
        How many requests are under way there.
    answered : bool
        Whether it has answered any request.
    answered_at : float
        The event loop's time of its last answer.
    failures : int
        Tries that failed since its last answer.
    silence : str
        Why nobody answers there at the moment; empty if somebody does.
    silent_since : float or None
        The event loop's time of the first refused connection since.
    error : SurrogateError or None
        Why no request will succeed there, as far as is known.
    aside_until : float
        The event loop's time from which it is tried again.
    is_aside : bool
        Whether it is set aside; it is until it answers.
    """

    def __init__(self, client: Client, most: int | None) -> None:
        self.client = client
        self.throttle = Throttle(most)
        self.answered, self.answered_at = False, -math.inf
        self.failures = 0
        self.silence = ""
        self.silent_since: float | None = None
        self.error: SurrogateError | None = None
        self.aside_until = 0.0
        self.is_aside = False
        self._times_aside = 0
        self._has_load = True

    def heard(self) -> None:
        """Note that somebody answers, if only with an error."""
        self.silence, self.silent_since = "", None

    def succeeded(self, moment: float) -> None:
        """Note an answer."""
        self.heard()
        self.answered, self.answered_at, self.is_aside, self.error = True, moment, False, None
        self.failures = self._times_aside = 0
        self.throttle.succeeded(moment)

    def failed(self, fault: TransientFault | ItemFault, moment: float) -> bool:
        """Note a failed try; return whether the address should be set aside."""
        if fault.kind == "unreachable":
            self.silence = fault.message
            self.silent_since = moment if self.silent_since is None else self.silent_since
        else:
            self.heard()
        self.failures += 1
        return self.is_aside or fault.kind == "unreachable" or self.failures >= _FAILURES

    def set_aside(self, moment: float, backoff: float) -> float:
        """Send nothing there for a while; return for how many seconds."""
        self.is_aside = True
        self._times_aside = min(self._times_aside + 1, _DOUBLINGS)
        wait = pause(self._times_aside, backoff)
        if self.error is not None:
            # What is wrong there is for a person to mend.
            wait = min(_LONGEST_ASIDE, LONGEST_PAUSE * 2.0**self._times_aside)
        self.aside_until = moment + wait
        return wait

    def is_gone(self, moment: float, patience: float) -> bool:
        """Whether no request will succeed there, or nobody has answered for ``patience`` seconds."""
        silent = self.silent_since is not None and moment - self.silent_since >= patience
        return self.error is not None or silent

    def wait(self, moment: float) -> float | None:
        """Seconds until a request may be sent there: 0 if it may now, None if that depends on other requests."""
        if (self.is_aside and self.throttle.active) or not self.throttle.room:
            return None
        return max(0.0, self.aside_until - moment if self.is_aside else 0.0, self.throttle.resume_at - moment)

    async def look(self) -> None:
        """Move its limit by the load that it shows, if it shows any."""
        if not self._has_load or self.is_aside:
            return
        load = await self.client.load()
        self._has_load = load is not None
        if load is not None:
            self.throttle.look(load, asyncio.get_running_loop().time())


class Addresses:
    """All addresses of a job.

    Parameters
    ----------
    clients : sequence of Client
        One for each address.
    connection : Connection
        Requests at a time, pauses and patience.
    say : callable
        Takes a line of text.
    """

    def __init__(self, clients: Sequence[Client], connection: Connection, say: Callable[[str], None]) -> None:
        self._all = [Address(client, connection.concurrency) for client in clients]
        self._connection, self._say = connection, say
        self._halt = asyncio.Event()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._wider = asyncio.Event()
        self._awaited_width = 0

    @property
    def active(self) -> int:
        """Requests under way."""
        return sum(address.throttle.active for address in self._all)

    @property
    def width(self) -> int:
        """How many requests may be under way at a time, at all addresses together."""
        return sum(int(address.throttle.limit) for address in self._all)

    @property
    def trouble(self) -> str:
        """Why no request is answered at the moment, or by which server none is; empty while all is well."""
        aside = [address for address in self._all if address.is_aside or address.silence]
        if len(aside) == len(self._all) and (silence := next((one.silence for one in aside if one.silence), "")):
            return f"trying again: {silence}"
        if aside and len(self._all) > 1:
            return f"{len(self._all) - len(aside)} of {len(self._all)} addresses answer"
        moment = asyncio.get_running_loop().time()
        wait = min(address.throttle.resume_at for address in self._all) - moment
        if wait < _SHOWN_WAIT:
            return ""
        # Rounded up to a minute.
        until = datetime.now().astimezone() + timedelta(seconds=wait + 59)
        return f"the server asks to wait until {until:%H:%M}"

    def halt(self) -> None:
        """Let no more requests be sent: whoever waits for one gives up."""
        self._halt.set()
        self._wider.set()
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)

    async def rest(self, seconds: float) -> None:
        """Wait before another try, until requests are halted at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._halt.wait()

    @asynccontextmanager
    async def slot(self, without: Collection[Address] = ()) -> AsyncIterator[Address]:
        """Wait for the right to send one request, and hold it; yields the address it goes to.

        Parameters
        ----------
        without : collection of Address
            Addresses that it is not to be, unless no other answers.

        Raises
        ------
        Halted
            No more requests are to be sent.
        """
        address = await self._enter(without)
        address.throttle.active += 1
        try:
            yield address
        finally:
            address.throttle.active -= 1
            self._wake()

    def has_others(self, without: Collection[Address]) -> bool:
        """Whether some address answers that is none of these."""
        moment = asyncio.get_running_loop().time()
        others = (one for one in self._all if one not in without and not one.is_aside)
        return any(one.throttle.resume_at <= moment for one in others)

    def failed(self, address: Address, fault: TransientFault | ItemFault) -> None:
        """Note a failed try; set the address aside if there are others and it fails again and again."""
        moment = asyncio.get_running_loop().time()
        if address.failed(fault, moment) and len(self._all) > 1:
            self._set_aside(address, fault.message, moment)

    def lose(self, address: Address, error: SurrogateError) -> None:
        """Set an address aside at which no request will succeed.

        Raises
        ------
        SurrogateError
            It is the only one, or the others are gone too.
        """
        moment = asyncio.get_running_loop().time()
        address.error = error
        if self.are_gone:
            # Once a wait is over the job can go on: that outranks what is wrong elsewhere.
            raise next((one.error for one in self._all if isinstance(one.error, JobPaused)), error)
        self._set_aside(address, str(error), moment)

    @property
    def are_gone(self) -> bool:
        """Whether no request will succeed at any address."""
        moment = asyncio.get_running_loop().time()
        return all(address.is_gone(moment, self._connection.patience) for address in self._all)

    async def adapt(self) -> NoReturn:
        """Look at the load of every address, and move the limits by it, for ever."""
        while True:
            await asyncio.gather(*(address.look() for address in self._all))
            self._wake()
            await asyncio.sleep(_LOOK)

    async def wider_than(self, width: int) -> None:
        """Wait until more requests may be under way than these, or no more are to be sent."""
        self._awaited_width = width
        while self.width <= width and not self._halt.is_set():
            self._wider.clear()
            await self._wider.wait()

    async def _enter(self, without: Collection[Address]) -> Address:
        loop = asyncio.get_running_loop()
        while not self._halt.is_set():
            moment = loop.time()
            others = [one for one in self._all if one not in without and not one.is_aside] if without else []
            waits = [(one, one.wait(moment)) for one in others or self._all]
            free = [one for one, wait in waits if wait == 0.0]
            if free:
                return min(free, key=lambda one: (one.throttle.active + 1) / one.throttle.limit)
            turn = loop.create_future()
            self._waiting.append(turn)
            later = [wait for _, wait in waits if wait is not None]
            with suppress(TimeoutError):
                # Not all at the same moment.
                async with asyncio.timeout(min(later) * (1 + 0.1 * random.random()) if later else None):
                    await turn
        raise Halted

    def _set_aside(self, address: Address, reason: str, moment: float) -> None:
        again = address.is_aside
        if again and moment < address.aside_until:
            # Several requests were under way there.
            return
        wait = address.set_aside(moment, self._connection.backoff)
        if not again:
            self._say(f"{address.client.url} is set aside for {wait:.1f} s, then tried again. {reason}")
        self._wake()

    def _wake(self) -> None:
        """Let as many of those who wait look again as there is room."""
        if self._waiting:
            for _ in range(sum(address.throttle.room for address in self._all)):
                while self._waiting:
                    turn = self._waiting.popleft()
                    if not turn.done():
                        turn.set_result(None)
                        break
        if self.width > self._awaited_width:
            self._wider.set()
