"""Running one job: start the server if it is ours, ask for what is missing, store it as it arrives.

One process runs one job. Items are streamed from the pool's file through a short queue, so memory does not grow with
the pool. A job ends as "done" or "done with failures" (every item has its generations or a recorded reason), "stopped"
(by somebody), "paused" (by itself, because asking on would waste requests) or "failed"; one sentence says why. All but
"done" can be resumed.
"""

from __future__ import annotations

import asyncio
import gc
import json
import platform
import signal
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, aclosing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from ... import __version__
from ...answers import PARSER_VERSION
from ..client.http import Client, api_key
from ..client.metering import MeteredClient
from ..client.retries import RetryingClient
from ..faults import ClaimLost, JobPaused, StorageError, SurrogateError
from ..job.claim import Claim
from ..job.source import ItemSource, PairSource, source_of
from ..job.store import Store
from ..vllm.installation import serving_python
from ..vllm.launch import Purpose
from ..vllm.server import Server, serve
from .pipeline import Pipeline, Recorder, Tally
from .race_tasks import side_by_side

_BEAT = 1.0
_RATE_SECONDS = 30.0
_REPORT_BEATS = 10
_RECALLED = 500
_COLLECTIONS = (20_000, 50, 1_000)

Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """The end of a job.

    Parameters
    ----------
    state : str
        "done", "done with failures", "stopped", "paused" or "failed".
    error : str
        The reason if it failed or paused.
    """

    state: str
    error: str = ""


def run_job(store: Store, job: str, log: Log) -> JobOutcome:
    """Run a job to its end in this process.

    Parameters
    ----------
    store : Store
        Where the job is.
    job : str
        Its id.
    log : callable
        Takes a line of text.

    Raises
    ------
    SurrogateError
        The job is not free; nothing was changed. What stops a job that runs is in the outcome.
    """
    claim = Claim(store, job)
    try:
        with _rare_collections():
            return asyncio.run(_Worker(store, claim, log).run())
    finally:
        claim.close()


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Look for cycles of dead objects more rarely: an answer is thousands of objects, and none of them is in one."""
    usual = gc.get_threshold()
    gc.set_threshold(*_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _ended_by(error: SurrogateError) -> JobOutcome:
    return JobOutcome("paused" if isinstance(error, JobPaused) else "failed", str(error))


class _Worker:
    def __init__(self, store: Store, claim: Claim, log: Log) -> None:
        self._store, self._claim, self._log = store, claim, log
        self._spec = claim.row.spec
        self._tally = Tally()
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()
        self._client: RetryingClient | None = None
        self._server: Server | None = None
        self._retries = 0
        self._recorder = Recorder(claim)

    async def run(self) -> JobOutcome:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._signalled)
        try:
            return await self._finish(await self._outcome())
        finally:
            self._recorder.close()

    async def _outcome(self) -> JobOutcome:
        try:
            work, recorder = self._work(), self._recorder.run()
            await side_by_side(work, self._drained(), self._beat(), recorder, until=asyncio.FIRST_COMPLETED)
        except SurrogateError as error:
            return _ended_by(error)
        except Exception as error:
            message = f"An error in this program ({type(error).__name__}) stopped the job; see its log."
            with suppress(SurrogateError):
                await self._recorder.call(lambda: self._claim.finish("failed", message))
            raise
        if self._tally.error is not None:
            return _ended_by(self._tally.error)
        return JobOutcome("stopped" if self._stop.is_set() else "done")

    async def _finish(self, outcome: JobOutcome) -> JobOutcome:
        try:
            await self._recorder.flush()
            await self._report(seconds=0.0)
            left = await self._recorder.call(self._claim.open_items)
            if outcome.state == "done" and left:
                outcome = JobOutcome("failed", f"{left:,} items are still open; resume the job.")
            elif outcome.state == "stopped" and not left:
                # What was under way was all that lacked.
                outcome = JobOutcome("done")
            finish = partial(self._claim.finish, outcome.state, outcome.error)
            outcome = replace(outcome, state=await self._recorder.call(finish))
        except ClaimLost as error:
            return JobOutcome("failed", str(error))
        except SurrogateError as error:
            # Nothing more can be written: the row shows a job whose worker is gone.
            return JobOutcome("failed", outcome.error or str(error))
        return outcome

    def _signalled(self) -> None:
        """Stop; at the second signal without waiting for what is under way."""
        if self._stop.is_set():
            self._hurry.set()
        self._stop.set()

    async def _drained(self) -> None:
        """Wait for the end of asking; then give what is under way time to arrive, since it is paid for."""
        await self._stop.wait()
        if self._client is not None:
            self._client.halt()
            seconds = self._spec.connection.drain
            self._log(f"Ending; {self._phase()}. They have {seconds:g} s; a second signal ends the run at once.")
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._hurry.wait()

    async def _work(self) -> None:
        spec = self._spec
        source = source_of(self._store.folder, spec)
        if isinstance(source, PairSource):
            await self._recall(source)
        if not await self._recorder.call(self._claim.open_items):
            return
        inventory = await self._recorder.call(lambda: self._claim.inventory(spec.sampling.k))
        async with AsyncExitStack() as stack:
            self._server = server = await self._serve(stack, source)
            urls = spec.connection.base_urls if server is None else (server.url,)
            if not urls:
                raise SurrogateError("The job has no server: give an address, or a model to serve.")
            # Its own server may be silent for as long as it takes to start it again.
            silence = spec.connection.patience if spec.serving is None else spec.serving.start_timeout
            patience = max(silence, spec.connection.patience)
            connection = replace(spec.connection, patience=patience, concurrency=spec.width)
            keys = [api_key(connection, url) if server is None else server.key for url in urls]
            clients = [Client(url, key, connection) for url, key in zip(urls, keys, strict=True)]
            for one in clients:
                await stack.enter_async_context(aclosing(one))
            self._client = client = RetryingClient(clients, connection, self._log)
            await self._note_versions(await client.vllm_version() if server is None else server.version)
            row = self._claim.row
            metered = MeteredClient(client, spec.prices, row.prompt_tokens, row.completion_tokens)
            pipeline = Pipeline(
                spec, self._claim, self._recorder, metered, inventory, self._tally, self._stop, self._log
            )
            work = pipeline.run(source.items(inventory.settled))
            watch = [] if server is None else [server.watch(lambda: client.active > 0)]
            await side_by_side(work, *watch, until=asyncio.FIRST_COMPLETED)

    async def _recall(self, source: PairSource) -> None:
        """Answer the pairs that other jobs have asked from the store, a few hundred at a time."""
        inventory = await self._recorder.call(lambda: self._claim.inventory(1))
        pairs = source.items(inventory.settled)
        while some := await self._recorder.call(lambda: list(islice(pairs, _RECALLED))):
            await self._recorder.call(partial(self._claim.recall, some))

    async def _serve(self, stack: AsyncExitStack, source: ItemSource | PairSource) -> Server | None:
        if self._spec.serving is None:
            return None
        self._tally.phase = "starting the server"
        text_only = isinstance(source, PairSource) or "image" not in source.columns
        purpose = Purpose.of(self._spec, text_only)
        python = serving_python(self._store.folder)
        served = serve(self._spec.serving, self._server_log, self._log, purpose, python)
        return await stack.enter_async_context(served)

    def _server_log(self) -> Path:
        log = self._store.new_server_log(self._claim.row.id)
        self._log(f"Starting vLLM; its log is {log}")
        return log

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
            item_rate = (done - done_then) / elapsed
            beats += 1
            if beats % _REPORT_BEATS == 0:
                items = f"{done:,} items, {item_rate:.1f}/s" if self._tally.phase == "generating" else "…"
                self._log(f"{self._phase().capitalize()}: {items}")
            if await self._report(step, item_rate, (tokens - tokens_then) / elapsed):
                self._stop.set()
            self._check_home()

    def _check_home(self) -> None:
        """End the run if its home was taken away, before more is paid in vain."""
        try:
            self._claim.check_in_place()
        except StorageError as error:
            if not self._stop.is_set():
                # What is under way is still stored wherever the open file is now.
                self._tally.error = error
                self._stop.set()

    async def _report(self, seconds: float, item_rate: float = 0.0, token_rate: float = 0.0) -> bool:
        """Write the progress of the last ``seconds``; return whether the job is asked to stop."""
        retries = 0 if self._client is None else self._client.retries
        fresh, self._retries = retries - self._retries, retries
        latest = tuple(self._tally.latest)
        beat = partial(self._claim.beat, self._phase(), latest, fresh, seconds, item_rate, token_rate)
        return await self._recorder.call(beat)

    def _phase(self) -> str:
        """Name the worker's present work, for people."""
        if self._client is None:
            return self._tally.phase
        if self._stop.is_set():
            return f"requests under way: {self._client.active:,}"
        if self._server is not None and self._server.is_starting:
            return "starting the server again"
        return self._client.trouble or self._tally.phase

    async def _note_versions(self, vllm: str | None) -> None:
        versions = {"neyman": __version__, "python": platform.python_version()}
        served = {} if vllm is None else {"vllm": vllm}
        text = json.dumps(versions | served | {"parsers": dict(PARSER_VERSION)})
        await self._recorder.call(lambda: self._claim.note(versions=text))
