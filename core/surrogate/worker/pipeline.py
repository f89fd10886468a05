"""From items to stored generations: the first item shows what the server takes, then all are asked side by side."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from core.surrogate.client.probe import probe, refusal
from core.surrogate.client.prompting import Message, messages
from core.surrogate.client.replies import Answers, Reply
from core.surrogate.client.retries import RetryingClient
from core.surrogate.faults import ItemFault, ParameterFault, SurrogateError
from core.surrogate.job.claim import Claim
from core.surrogate.job.events import Event, Inventory
from core.surrogate.job.request import RequestFormat, SampleRange
from core.surrogate.job.source import Item
from core.surrogate.job.spec import JobSpec
from core.surrogate.worker.recorder import Recorder
from core.surrogate.worker.tasks import side_by_side

_HOPELESS = 20


@dataclass(slots=True)
class Tally:
    """What this process has done so far."""

    phase: str = ""
    done: int = 0
    tokens: int = 0
    latest: deque[int] = field(default_factory=lambda: deque(maxlen=3))


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
        Set when no further item is to be asked.
    log : callable
        Takes a line of text.
    """

    def __init__(
        self,
        spec: JobSpec,
        claim: Claim,
        recorder: Recorder,
        client: RetryingClient,
        inventory: Inventory,
        tally: Tally,
        stop: asyncio.Event,
        log: Callable[[str], None],
    ) -> None:
        self._spec, self._claim, self._recorder, self._client = spec, claim, recorder, client
        self._inventory, self._tally, self._stop, self._log = inventory, tally, stop, log
        self._fruitless = 0
        self._format = RequestFormat.complete(spec.sampling)

    async def run(self, items: Iterator[Item]) -> None:
        """Ask for what the items lack.

        Raises
        ------
        SurrogateError
            The job cannot continue.
        """
        self._tally.phase = "asking the first item"
        sent = self._claim.row.sent
        if sent:
            self._format = RequestFormat.from_json(sent)
        elif not await self._probe(items):
            return
        self._tally.phase = "generating"
        width = self._spec.connection.concurrency
        queue: asyncio.Queue[Item | None] = asyncio.Queue(2 * width)
        workers = [self._work(queue) for _ in range(width)]
        await side_by_side(self._feed(items, queue, width), *workers, until=asyncio.FIRST_EXCEPTION)

    async def _feed(self, items: Iterator[Item], queue: asyncio.Queue[Item | None], width: int) -> None:
        for item in items:
            if self._stop.is_set():
                break
            await queue.put(item)
        for _ in range(width):
            await queue.put(None)

    async def _work(self, queue: asyncio.Queue[Item | None]) -> None:
        # After a stop the queue is emptied without asking, so that whoever feeds it comes to an end.
        while (item := await queue.get()) is not None:
            if self._stop.is_set():
                continue
            try:
                await self._item(item)
                self._fruitless = 0
            except ItemFault as fault:
                await self._recorder.put(Event.failed(item.position, fault))
                self._check_hope(fault)

    async def _probe(self, items: Iterator[Item]) -> bool:
        """Find the first item that can be generated, and what the server takes; False where there is none."""
        reasons: list[str] = []
        for item in items:
            if self._stop.is_set():
                return False
            try:
                chat = messages(item, self._spec.prompting)
                self._format, samples, reply = await probe(self._client, self._spec, chat, item.position)
            except ItemFault as fault:
                await self._recorder.put(Event.failed(item.position, fault))
                reasons.append(fault.message)
                if len(reasons) == _HOPELESS:
                    raise SurrogateError(
                        f"None of the first {_HOPELESS} items can be generated. {reasons[0]}"
                    ) from None
                continue
            await self._note_format(reply.model)
            try:
                answers: Answers = {}
                await self._store(item, samples, reply, answers)
                await self._complete(item, chat, answers)
            except ItemFault as fault:
                await self._recorder.put(Event.failed(item.position, fault))
            return True
        return False

    async def _note_format(self, model: str) -> None:
        sent = self._format.to_json()
        await self._recorder.call(lambda: self._claim.note(sent=sent, server_model=model))
        for name, reason in self._format.dropped.items():
            self._log(f"Ignored by this server: {name}. {reason}")

    async def _item(self, item: Item) -> None:
        chat = messages(item, self._spec.prompting)
        answers: Answers = {}
        if item.position in self._inventory.partial:
            answers = await self._recorder.call(lambda: self._claim.answers(item.position))
        await self._complete(item, chat, answers)

    async def _complete(self, item: Item, chat: Sequence[Message], answers: Answers) -> None:
        # A server may give fewer completions than requested: those that lack are requested again.
        while ranges := self._format.ranges(self._spec.sampling.k, answers):
            requests = [self._ask(item, chat, samples, answers) for samples in ranges]
            await side_by_side(*requests, until=asyncio.ALL_COMPLETED)

    async def _ask(self, item: Item, chat: Sequence[Message], samples: SampleRange, answers: Answers) -> None:
        try:
            reply = await self._client.complete(self._format.body(self._spec, chat, item.position, samples))
        except ParameterFault as fault:
            raise refusal(fault) from None
        await self._store(item, samples, reply, answers)

    async def _store(self, item: Item, samples: SampleRange, reply: Reply, answers: Answers) -> None:
        """Parse and store one reply; ``answers`` of the item grows by what it brought."""
        event = reply.event(item, samples, answers, self._spec.sampling.k)
        self._tally.tokens += reply.completion_tokens
        if event.counts is not None:
            self._tally.done += 1
            self._tally.latest.append(item.position)
        await self._recorder.put(event)
        if reply.filtered:
            raise ItemFault("content filter", "A content filter took an answer away.")
        if not event.generations:
            raise ItemFault("no answer", "The completions are not those that were requested.", final=False)

    def _check_hope(self, fault: ItemFault) -> None:
        self._fruitless += fault.kind == "no answer"
        if self._fruitless >= max(_HOPELESS, self._spec.connection.concurrency):
            raise SurrogateError(f"{self._fruitless} items in a row had no answer; resume later. {fault.message}")
