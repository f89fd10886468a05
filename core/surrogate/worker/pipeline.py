"""From items to stored generations: the first item shows what the server takes, then all are asked side by side.

The run ends early in one way: ``stop`` is set, by whoever wants it stopped or here by an error, and from then on
nothing more is sent. What is under way arrives and is stored; :mod:`core.surrogate.worker.run` says for how long.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from ...words import counted
from ..client.metering import MeteredClient
from ..client.prompting import Message, is_guided, messages, probe
from ..client.replies import Answers, Reply
from ..faults import ClaimLost, Halted, ItemFault, JobPaused, ParameterFault, StorageError, SurrogateError
from ..job.claim import Claim
from ..job.events import Event, Inventory
from ..job.request import RequestFormat, SampleRange
from ..job.source import Item
from ..job.spec import JobSpec
from .race_tasks import side_by_side

_Result = TypeVar("_Result")
_LINGER = 0.05
_ROOM = 1_000


class Recorder:
    """Stores events in the background; whoever puts them faster than they are stored waits.

    Parameters
    ----------
    claim : Claim
        Its connection is used from one thread only, so that a slow disk never stops the requests.
    """

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._events: list[Event] = []
        self._storing: asyncio.Future[None] | None = None
        self._something = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()

    async def put(self, event: Event) -> None:
        """Hand an event over."""
        await self._room.wait()
        self._events.append(event)
        self._something.set()
        if len(self._events) >= _ROOM:
            self._room.clear()

    async def run(self) -> None:
        """Store what arrives, for ever; raises what the store raises."""
        while True:
            await self._something.wait()
            await asyncio.sleep(_LINGER)
            await self.flush()

    async def flush(self) -> None:
        """Store what is there, and wait for what is being stored.

        Whoever waits may be cancelled; the events are stored all the same, and the next flush raises what went wrong.
        """
        await self._settle()
        events, self._events = self._events, []
        self._something.clear()
        if events:
            self._storing = asyncio.ensure_future(self.call(partial(self._claim.add, events)))
            await self._settle()
        self._room.set()

    async def _settle(self) -> None:
        if self._storing is not None:
            await asyncio.shield(self._storing)
            self._storing = None

    async def call(self, function: Callable[[], _Result]) -> _Result:
        """Run a function on the claim in the recorder's thread, after the calls before it."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()


# Names that are kept of what answers.
_MODELS = 5
WINDOW = 50
FEWEST = 20
"""Items that the breaker looks at: the last 50, once there are 20."""
_ANSWERED = ""


@dataclass(slots=True)
class Tally:
    """Counts of this process's work so far, and the error that ends it."""

    phase: str = ""
    done: int = 0
    tokens: int = 0
    latest: deque[int] = field(default_factory=lambda: deque(maxlen=3))
    error: SurrogateError | None = None


@dataclass(slots=True)
class _Case:
    """An item while it is asked.

    Parameters
    ----------
    item, chat, answers
        The item, its messages, and what it has.
    filtered, endless : set of int
        Samples that a filter took, and those that did not end in time.
    empty : bool
        Whether no text says anything.
    late : bool
        Whether a request for it timed out, so that its samples are asked for one by one, after all other items.
    has_room : bool
        Whether the model has room for as long an answer as the token limit allows.
    """

    item: Item
    chat: Sequence[Message]
    answers: Answers
    filtered: set[int] = field(default_factory=set)
    endless: set[int] = field(default_factory=set)
    empty: bool = True
    late: bool = False
    has_room: bool = True

    @property
    def present(self) -> set[int]:
        """Samples that need not be asked for."""
        return self.answers.keys() | self.filtered | self.endless

    def form(self, form: RequestFormat) -> RequestFormat:
        """Return the form of this item's requests where others are asked by ``form``."""
        form = form if self.has_room else form.unlimited()
        return replace(form, most=1) if self.late else form


class _Items:
    """Items to ask, then those that are asked again at the end; they may be put back while the others are asked."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items
        self.cases: dict[int, _Case] = {}
        self._late: deque[Item] = deque()

    def __iter__(self) -> _Items:
        return self

    def __next__(self) -> Item:
        item = next(self._items, None)
        if item is not None:
            return item
        if not self._late:
            raise StopIteration
        return self._late.popleft()

    def put_back(self, case: _Case) -> None:
        """Have an item asked again once there is no other."""
        case.late = True
        self.cases[case.item.position] = case
        self._late.append(case.item)


class Breaker:
    """Looks at the items that ended last.

    Parameters
    ----------
    share : float
        The share of them that may fail, 0 … 1; at 1 the run never pauses.
    """

    def __init__(self, share: float) -> None:
        self._share = share
        self._recent: deque[str] = deque(maxlen=WINDOW)
        self._empty = 0

    def answered(self, empty: bool) -> None:
        """Count an item that is answered; ``empty``: none of its texts says anything.

        Raises
        ------
        JobPaused
            All contents of the last 20 answered items are empty.
        """
        self._recent.append(_ANSWERED)
        self._empty = self._empty + 1 if empty else 0
        if self._empty >= FEWEST and self._share < 1:
            raise JobPaused(
                f"All answers to the last {self._empty} items are empty. If the model reasons, the token limit may"
                " end it before its answer; if it does not, a server with a reasoning parser takes its answers for"
                " reasoning: turn thinking off. Look at the model and its settings, then resume the job or start"
                " another."
            )

    def failed(self, fault: ItemFault) -> None:
        """Count an item that failed.

        Raises
        ------
        JobPaused
            More than the share of the last 50 items failed.
        """
        self._recent.append(fault.kind)
        kinds = Counter(kind for kind in self._recent if kind != _ANSWERED)
        if len(self._recent) >= FEWEST and kinds.total() > self._share * len(self._recent):
            reasons = ", ".join(f"{items} {kind}" for kind, items in kinds.most_common())
            raise JobPaused(
                f"{kinds.total()} of the last {len(self._recent)} items failed ({reasons}). {fault.message}"
                " To go on whatever fails, set the pause share to 1."
            )


class Pipeline:
    """The work of one job once its server answers.

    Parameters
    ----------
    spec, claim
        The job, and the hold on it.
    recorder, client
        Where events go, and whom to ask.
    inventory : Inventory
        What is stored already.
    tally : Tally
        Counts what is done.
    stop : asyncio.Event
        Set when nothing more is to be sent.
    log : callable
        Takes a line of text.
    """

    def __init__(
        self,
        spec: JobSpec,
        claim: Claim,
        recorder: Recorder,
        client: MeteredClient,
        inventory: Inventory,
        tally: Tally,
        stop: asyncio.Event,
        log: Callable[[str], None],
    ) -> None:
        self._spec, self._claim, self._recorder, self._client = spec, claim, recorder, client
        self._inventory, self._tally, self._stop, self._log = inventory, tally, stop, log
        self._format = RequestFormat.complete(spec.sampling)
        self._probing = asyncio.Lock()
        self._probed = self._thinks = False
        self._items: _Items
        self._models = claim.row.server_model.split(", ") if claim.row.server_model else []
        self._breaker = Breaker(spec.connection.pause_share)

    async def run(self, items: Iterator[Item]) -> None:
        """Ask for what the items lack, until all have it or ``stop`` is set; what stops it is in the tally.

        Raises
        ------
        SurrogateError
            Nothing can be stored any more.
        """
        self._tally.phase = "asking the first item"
        self._items = _Items(items)
        await self._work(first=True)
        if not self._probed:
            return
        self._tally.phase = "generating"
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._client.width):
                    group.create_task(self._work())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _work(self, first: bool = False) -> None:
        """Ask for one item after another, each the next that nobody has taken.

        With ``first`` only until one shows what the server takes.
        """
        for item in self._items:
            if self._stop.is_set():
                break
            await self._attempt(item)
            if first and self._probed:
                break

    async def _attempt(self, item: Item) -> None:
        """Ask for one item; what no request survives ends the run."""
        try:
            await self._item(item)
        except Halted:
            pass
        except (ClaimLost, StorageError):
            # What is under way could not be stored.
            raise
        except SurrogateError as error:
            if not self._stop.is_set():
                self._tally.error = error
                self._stop.set()

    async def _item(self, item: Item) -> None:
        case = self._items.cases.pop(item.position, None)
        try:
            case = case or await self._case(item)
            await self._complete(case)
        except ItemFault as fault:
            if fault.kind == "timeout" and case is not None and not case.late:
                # One sample that does not end must not cost the others, or hold up other items.
                self._items.put_back(case)
                self._breaker.failed(fault)
                return
            await self._recorder.put(Event.failed(item.position, fault))
            if fault.kind != "timeout":
                self._breaker.failed(fault)
        else:
            self._breaker.answered(case.empty)

    async def _case(self, item: Item) -> _Case:
        chat = messages(item, self._spec.prompting)
        answers: Answers = {}
        if item.position in self._inventory.partial:
            answers = await self._recorder.call(lambda: self._claim.answers(item.position))
        return _Case(item, chat, answers, empty=not answers)

    async def _complete(self, case: _Case) -> None:
        # A server may give fewer completions than requested: those that lack are requested again.
        k = self._spec.sampling.k
        while ranges := case.form(self._format).ranges(k, case.present):
            if self._probed:
                requests = [self._ask(case, samples) for samples in ranges]
                await side_by_side(*requests, until=asyncio.ALL_COMPLETED)
            else:
                await self._probe(case, ranges[0], self._format)
        if case.filtered:
            raise ItemFault("content filter", f"A content filter removed {len(case.filtered)} of {k} answers.")
        if case.endless:
            named = ", ".join(str(sample + 1) for sample in sorted(case.endless))
            raise ItemFault(
                "timeout",
                f"{counted(len(case.endless), 'sample')} of {k} did not end within {self._spec.connection.timeout:g} s"
                f" (number {named}); the others are kept. Set a token limit or a longer time-out.",
                final=False,
            )

    async def _ask(self, case: _Case, samples: SampleRange) -> None:
        form = self._format
        body = case.form(form).body(self._spec, case.chat, case.item, samples)
        try:
            reply = await self._client.complete(body, patient=case.late)
        except (ParameterFault, ItemFault) as fault:
            if isinstance(fault, ParameterFault) or fault.kind == "refused":
                await self._probe(case, samples, form)
            elif fault.kind == "timeout" and case.late:
                case.endless.add(samples.first)
            elif fault.kind == "no room" and case.has_room:
                case.has_room = False
            elif fault.kind != "no room":
                raise
        else:
            if is_guided(form, self._spec, case.item, reply):
                await self._store(case, samples, reply)
            else:
                await self._probe(case, samples, form)

    async def _probe(self, case: _Case, samples: SampleRange, form: RequestFormat) -> None:
        """Find out what the server takes instead of ``form``, with samples of an item that it refuses."""
        async with self._probing:
            if self._format is not form:
                # Another item has shown it meanwhile: this one is asked again.
                return
            others = set(range(self._spec.sampling.k)) - set(range(samples.first, samples.first + samples.count))
            taken, samples, reply = await probe(
                self._client, self._spec, form, case.chat, case.item, case.present | others
            )
            if taken != form or not self._probed:
                await self._note(taken)
            self._probed = True
        await self._store(case, samples, reply)

    async def _note(self, taken: RequestFormat) -> None:
        """Send this from now on; say what differs."""
        earlier = RequestFormat.from_json(self._claim.row.sent) if self._claim.row.sent else taken
        if not self._probed and earlier.parameters != taken.parameters:
            self._log(f"Earlier answers of this job were sampled with {json.dumps(dict(earlier.parameters))}")
        for name in taken.dropped.keys() - self._format.dropped.keys():
            self._log(f"Ignored by this server: {name}. {taken.dropped[name]}")
        if 1 < taken.most < self._format.most:
            self._log(f"This server gives at most {taken.most} samples a request.")
        self._format = taken
        sent = taken.to_json()
        await self._recorder.call(lambda: self._claim.note(sent=sent))

    async def _note_model(self, model: str) -> None:
        """Keep what answers calls itself; say so if that is not one model."""
        if self._models:
            self._log(f"Answers come from “{model}” too, and not from “{self._models[0]}” alone. Is this one model?")
        self._models.append(model)
        await self._recorder.call(lambda: self._claim.note(server_model=", ".join(self._models)))

    async def _store(self, case: _Case, samples: SampleRange, reply: Reply) -> None:
        """Parse and store one reply; the item's case grows by what it brought."""
        if reply.model and reply.model not in self._models and len(self._models) < _MODELS:
            await self._note_model(reply.model)
        self._thinks = self._thinks or reply.opened
        event = reply.event(case.item, samples, case.answers, self._spec, self._thinks or self._format.thinks)
        filtered = {
            samples.first + completion.sample
            for completion in reply.completions
            if completion.filtered and 0 <= completion.sample < samples.count
        }
        case.filtered |= filtered
        case.empty = case.empty and not any(generation.text.strip() for generation in event.generations)
        self._tally.tokens += reply.completion_tokens
        if event.counts is not None:
            self._tally.done += 1
            self._tally.latest.append(case.item.position)
        await self._recorder.put(event)
        if not event.generations and not filtered:
            raise ItemFault("no answer", "The completions are not those that were requested.", final=False)
