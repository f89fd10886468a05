"""From items to stored generations: the first item asks what the server takes, then all are asked side by side."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from core.answers import parse
from core.surrogate.client.asking import Asker, Probed, Run, Sent, missing_samples, probe
from core.surrogate.client.prompting import Message, messages
from core.surrogate.client.replies import Choice, Reply
from core.surrogate.faults import ItemFault, Refused, SurrogateError
from core.surrogate.job.claim import Claim
from core.surrogate.job.events import Event, Failure, Generation, Present
from core.surrogate.job.settings import JobSpec
from core.surrogate.job.source import Item
from core.surrogate.worker.recorder import Recorder
from core.surrogate.worker.tasks import all_of, crew

_HOPELESS = 20

Answers = dict[int, str | None]


@dataclass(slots=True)
class Tally:
    """What this process has done so far."""

    phase: str = ""
    done: int = 0
    tokens: int = 0
    latest: deque[int] = field(default_factory=lambda: deque(maxlen=3))


class Generating:
    """The work of one job once its server answers.

    Parameters
    ----------
    present : what is stored already. stop : set when no further item is to be asked. log : takes a line of text.
    """

    def __init__(
        self,
        spec: JobSpec,
        claim: Claim,
        recorder: Recorder,
        asker: Asker,
        present: Present,
        tally: Tally,
        stop: asyncio.Event,
        log: Callable[[str], None],
    ) -> None:
        self._spec, self._claim, self._recorder, self._asker = spec, claim, recorder, asker
        self._present, self._tally, self._stop, self._log = present, tally, stop, log
        self._fruitless = 0
        self._sent = Sent.wanted(spec.sampling)

    async def run(self, items: Iterator[Item]) -> None:
        """Ask for what the items lack.

        Raises
        ------
        SurrogateError : it is no use to go on.
        """
        self._tally.phase = "asking the first item"
        kept = self._claim.row.sent
        if kept:
            self._sent = Sent.from_json(kept)
        elif not await self._probe(items):
            return
        self._tally.phase = "generating"
        width = self._spec.connection.concurrency
        queue: asyncio.Queue[Item | None] = asyncio.Queue(2 * width)
        await crew(self._feed(items, queue, width), *(self._work(queue) for _ in range(width)))

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
                await self._failed(item, fault)
                self._check_hope(fault)

    async def _probe(self, items: Iterator[Item]) -> bool:
        """Find the first item that can be generated, and what the server takes; False where there is none."""
        reasons: list[str] = []
        for item in items:
            if self._stop.is_set():
                return False
            try:
                asked = messages(item, self._spec.prompting)
                probed = await probe(self._asker, self._spec, asked, item.position)
            except ItemFault as fault:
                await self._failed(item, fault)
                reasons.append(fault.message)
                if len(reasons) == _HOPELESS:
                    raise SurrogateError(
                        f"None of the first {_HOPELESS} items can be generated. {reasons[0]}"
                    ) from None
                continue
            await self._learn(probed)
            try:
                answers: Answers = {}
                await self._take(item, probed.run, probed.reply, answers)
                await self._rest(item, asked, answers)
            except ItemFault as fault:
                await self._failed(item, fault)
            return True
        return False

    async def _learn(self, probed: Probed) -> None:
        self._sent = probed.sent
        sent = probed.sent.to_json()
        await self._recorder.call(lambda: self._claim.note(sent=sent, server_model=probed.reply.model))
        for name, reason in probed.sent.dropped.items():
            self._log(f"Not heeded by this server: {name}. {reason}")

    async def _item(self, item: Item) -> None:
        asked = messages(item, self._spec.prompting)
        answers: Answers = {}
        there = self._present.partial.get(item.position)
        if there:
            stored = await self._recorder.call(lambda: self._claim.answers(item.position))
            answers.update(zip(sorted(there), stored, strict=True))
        await self._rest(item, asked, answers)

    async def _rest(self, item: Item, asked: list[Message], answers: Answers) -> None:
        # A server may give fewer completions than it was asked for: those that lack are asked for again.
        while missing := list(missing_samples(self._spec.sampling.k, answers)):
            await all_of([self._ask(item, asked, run, answers) for run in self._sent.runs(missing)])

    async def _ask(self, item: Item, asked: list[Message], run: Run, answers: Answers) -> None:
        try:
            reply = await self._asker.ask(self._sent.body(self._spec, asked, item.position, run))
        except Refused as refused:
            reason = next(iter(refused.reasons.values()))
            raise ItemFault("refused", f"The server refuses the item ({reason}).") from None
        await self._take(item, run, reply, answers)

    async def _take(self, item: Item, run: Run, reply: Reply, answers: Answers) -> None:
        """Parse and store one reply; ``answers`` of the item grows by what it brought."""
        event = arrival(item, run, reply, answers, self._spec.sampling.k)
        self._tally.tokens += reply.completion_tokens
        if event.counts is not None:
            self._tally.done += 1
            self._tally.latest.append(item.position)
        await self._recorder.put(event)
        if any(choice.filtered for choice in reply.choices):
            raise ItemFault("content filter", "A content filter took an answer away.")
        if not event.generations:
            raise ItemFault("no answer", "The completions are not those that were asked for.", final=False)

    async def _failed(self, item: Item, fault: ItemFault) -> None:
        await self._recorder.put(
            Event(item.position, failure=Failure(fault.kind, fault.message, fault.final), requests=0)
        )

    def _check_hope(self, fault: ItemFault) -> None:
        self._fruitless += fault.kind == "no answer"
        if self._fruitless >= max(_HOPELESS, self._spec.connection.concurrency):
            raise SurrogateError(f"{self._fruitless} items in a row had no answer; resume later. {fault.message}")


def arrival(item: Item, run: Run, reply: Reply, answers: Answers, k: int) -> Event:
    """What a reply brings an item; its parsed answers are added to ``answers`` (sample → answer)."""
    generations = []
    for choice in reply.choices:
        sample = run.first + choice.index
        if 0 <= choice.index < run.count and not choice.filtered and sample not in answers:
            tokens = reply.completion_tokens if run.count == 1 and reply.completion_tokens else choice.tokens
            generations.append(_generation(item, sample, choice, tokens))
            answers[sample] = generations[-1].answer
    complete = bool(generations) and len(answers) == k
    counts = tuple(sorted(Counter(answers.values()).values(), reverse=True)) if complete else None
    return Event(item.position, generations, counts, None, reply.prompt_tokens, reply.completion_tokens)


def _generation(item: Item, sample: int, choice: Choice, tokens: int | None) -> Generation:
    answer = parse(choice.text, item.kind, item.choices or None)
    return Generation(
        sample,
        choice.text,
        answer,
        choice.reasoning,
        choice.finish,
        tokens,
        choice.logprob,
        choice.token_logprob,
    )
