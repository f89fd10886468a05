"""Running one job: start the server where it is ours, ask for what is missing, store it as it arrives.

One process runs one job. Items are streamed from the pool's file through a short queue, so memory does not grow with
the pool. A job ends as "done" (every item has its generations or a recorded reason), "cancelled" (somebody stopped it)
or "failed" (one sentence says why); the latter two can be resumed.
"""

from __future__ import annotations

import asyncio
import json
import platform
import signal
from collections import deque
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

import openai

from core import __version__
from core.answers import PARSER_VERSION
from core.surrogate.client.asking import Asker
from core.surrogate.client.client import Client, api_key
from core.surrogate.faults import NotMine, SurrogateError
from core.surrogate.job.claim import Claim
from core.surrogate.job.events import Pulse
from core.surrogate.job.source import Source
from core.surrogate.job.store import Store
from core.surrogate.vllm.server import Server, serve
from core.surrogate.worker.generating import Generating, Tally
from core.surrogate.worker.recorder import Recorder
from core.surrogate.worker.tasks import first_of

_BEAT = 1.0
_GRACE = 5.0
_RATE_SECONDS = 30.0
_REPORT_BEATS = 10

Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job ended: "done", "cancelled" or "failed", and the reason for the last."""

    state: str
    error: str = ""


def run_job(store: Store, job: str, log: Log) -> Outcome:
    """Run a job to its end in this process.

    Raises
    ------
    SurrogateError : the job is not free; nothing was changed. What stops a job that runs is in the outcome.
    """
    claim = Claim(store, job)
    try:
        return asyncio.run(_Worker(store, claim, log).run())
    finally:
        claim.close()


class _Worker:
    def __init__(self, store: Store, claim: Claim, log: Log) -> None:
        self._store, self._claim, self._log = store, claim, log
        self._spec = claim.row.spec
        self._tally = Tally()
        self._stop = asyncio.Event()
        self._asker: Asker | None = None
        self._retries_told = 0
        self._recorder = Recorder(claim)

    async def run(self) -> Outcome:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._stop.set)
        try:
            return await self._finished(await self._outcome())
        finally:
            self._recorder.close()

    async def _outcome(self) -> Outcome:
        try:
            await first_of(self._work(), self._stopped(), self._beat(), self._recorder.run())
        except SurrogateError as error:
            return Outcome("failed", str(error))
        except Exception as error:
            message = f"An error in this program ({type(error).__name__}) stopped the job; see its log."
            with suppress(SurrogateError):
                await self._recorder.call(lambda: self._claim.finish("failed", message))
            raise
        return Outcome("cancelled" if self._stop.is_set() else "done")

    async def _finished(self, outcome: Outcome) -> Outcome:
        try:
            await self._recorder.flush()
            await self._recorder.call(lambda: self._claim.beat(self._pulse(0.0, 0.0, 0.0)))
            left = await self._recorder.call(self._claim.open_items)
            if outcome.state == "done" and left:
                outcome = Outcome("failed", f"{left:,} items are still open; resume the job.")
            await self._recorder.call(lambda: self._claim.finish(outcome.state, outcome.error))
        except NotMine as error:
            return Outcome("failed", str(error))
        except SurrogateError as error:
            # Nothing more can be written: the row shows a job whose worker is gone.
            return Outcome("failed", outcome.error or str(error))
        return outcome

    async def _stopped(self) -> None:
        """Wait for a request to stop, then a little longer, so that what is under way may arrive."""
        await self._stop.wait()
        await asyncio.sleep(_GRACE if self._tally.phase == "generating" else 0)

    async def _work(self) -> None:
        spec = self._spec
        source = Source(self._store.folder / "pools" / f"{spec.digest}.parquet")
        wanted = None if spec.items is None else source.positions(spec.items)
        present = await self._recorder.call(lambda: self._claim.present(spec.sampling.k))
        items = source.items(
            lambda position: position not in present.settled and (wanted is None or position in wanted)
        )
        async with AsyncExitStack() as stack:
            server = await self._serve(stack)
            url = spec.connection.base_url if server is None else server.url
            if url is None:
                raise SurrogateError("The job has no server: give an address, or a model to serve.")
            key = api_key(spec.connection, url) if server is None else server.key
            client = await stack.enter_async_context(Client(url, key, spec.connection))
            self._asker = Asker(client, spec.connection)
            await self._note_versions(await client.vllm_version() if server is None else server.version)
            generating = Generating(
                spec, self._claim, self._recorder, self._asker, present, self._tally, self._stop, self._log
            )
            await first_of(generating.run(items), *([] if server is None else [server.watch()]))

    async def _serve(self, stack: AsyncExitStack) -> Server | None:
        if self._spec.serving is None:
            return None
        self._tally.phase = "starting the server"
        log = self._store.logs / f"{self._claim.row.id}.server.log"
        self._log(f"Starting vLLM; its log is {log}")
        return await stack.enter_async_context(serve(self._spec.serving, log))

    async def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        history = deque([(loop.time(), 0, 0)], maxlen=int(_RATE_SECONDS / _BEAT) + 1)
        beats = 0
        while True:
            await asyncio.sleep(_BEAT)
            moment, done, tokens = loop.time(), self._tally.done, self._tally.tokens
            step = moment - history[-1][0]
            if self._tally.phase != "generating":
                history.clear()
            history.append((moment, done, tokens))
            since, done_then, tokens_then = history[0]
            elapsed = max(moment - since, _BEAT)
            beats += 1
            if beats % _REPORT_BEATS == 0:
                self._report((done - done_then) / elapsed)
            pulse = self._pulse(step, (done - done_then) / elapsed, (tokens - tokens_then) / elapsed)
            if await self._recorder.call(lambda pulse=pulse: self._claim.beat(pulse)):  # type: ignore[misc]
                self._stop.set()

    def _report(self, rate: float) -> None:
        done = f"{self._tally.done:,} items" if self._tally.phase == "generating" else "…"
        self._log(f"{self._tally.phase.capitalize()}: {done}, {rate:.1f}/s")

    def _pulse(self, seconds: float, item_rate: float, token_rate: float) -> Pulse:
        retries = 0 if self._asker is None else self._asker.retries
        fresh, self._retries_told = retries - self._retries_told, retries
        silence = "" if self._asker is None else self._asker.silence
        phase = f"trying again: {silence}" if silence else self._tally.phase
        return Pulse(phase, fresh, seconds, item_rate, token_rate, tuple(self._tally.latest))

    async def _note_versions(self, vllm: str | None) -> None:
        versions = {"neyman": __version__, "python": platform.python_version(), "openai": openai.__version__}
        served = {} if vllm is None else {"vllm": vllm}
        text = json.dumps(versions | served | {"parsers": dict(PARSER_VERSION)})
        await self._recorder.call(lambda: self._claim.note(versions=text))
