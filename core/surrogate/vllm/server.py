"""A vLLM server of our own: a child process on 127.0.0.1 with a random port and key, ended with the job."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import NoReturn

from ..faults import ServerGone, SurrogateError
from ..job.parameters import Serving
from ..worker.tasks import side_by_side
from .diagnosis import diagnosis
from .health import Health, ServerHangs
from .launch import Purpose, command, with_fewer_sequences
from .machine import PYTHON_VARIABLE, Vllm, gpus, installed_vllm, vllm_python

_PORT_TAKEN = "ddress already in use"
_GRACE = 10.0
_LOOK = 0.3
_PORT_TRIES = 3
_RESTARTS = 3
_PAUSE = 2.0
_CPU_GIGABYTES = "4"
_KV_CACHE = "--kv-cache-memory"


class Server:
    """A server that answers; one that crashes or hangs is started again.

    Parameters
    ----------
    serving : Serving
        What it serves, and how.
    vllm : Vllm
        The vLLM that serves it.
    purpose : Purpose
        What it is started for.
    new_log : callable
        Names the file for what it prints, another one for each start; the server runs in its folder.
    say : callable
        Takes a line of text.

    Attributes
    ----------
    url, key : str
        Its address, …/v1, and what opens it; they stay when it is started again.
    log : Path
        What it prints since it was started last.
    is_starting : bool
        Whether it has not answered since.
    """

    def __init__(
        self,
        serving: Serving,
        vllm: Vllm,
        purpose: Purpose,
        new_log: Callable[[], Path],
        say: Callable[[str], None],
    ) -> None:
        self.version = vllm.version
        self._serving, self._vllm, self._purpose = serving, vllm, purpose
        self._new_log, self._say = new_log, say
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}/v1"
        self.key = secrets.token_urlsafe(32)
        self._gpu = bool(gpus())
        self._restarts = 0
        self.log: Path
        self._process: subprocess.Popen[bytes]
        self._start()

    async def watch(self, is_busy: Callable[[], bool]) -> NoReturn:
        """Wait until it ends or hangs, and start it again, a few times at most.

        Parameters
        ----------
        is_busy : callable
            Whether requests are under way.

        Raises
        ------
        ServerGone
            It has failed too often.
        SurrogateError
            It was started again and does not answer.
        """
        while True:
            await self._restart(await self._failure(is_busy))
            await self.wait_until_ready(ended=False)

    async def wait_until_ready(self, ended: bool = True) -> None:
        """Wait until it answers, and start it again if it hangs.

        Parameters
        ----------
        ended : bool, default True
            Whether its end is an error, or only ends the waiting.

        Raises
        ------
        ServerGone
            It has failed too often.
        SurrogateError
            It ended, or did not answer in time; the sentence gives the reason from its log.
        """
        patience = self._serving.start_timeout
        while True:
            try:
                async with asyncio.timeout(patience):
                    return await self._answers(ended)
            except TimeoutError:
                raise SurrogateError(
                    f"vLLM did not answer within {patience:g} s; its log is {self.log.name} in NEYMAN_HOME/logs."
                ) from None
            except ServerHangs as hang:
                await self._restart(str(hang))

    async def _answers(self, ended: bool) -> None:
        async with aclosing(Health(self.url, self.key)) as health:
            while self._process.poll() is None:
                if await health.is_ready():
                    self.is_starting = False
                    return
                await asyncio.sleep(_LOOK)
        if ended:
            raise SurrogateError(f"vLLM did not start. {diagnosis(self.log)}")

    async def _failure(self, is_busy: Callable[[], bool]) -> str:
        """Wait until it has ended or hangs; return which, and why."""
        async with aclosing(Health(self.url, self.key)) as health:
            try:
                watch = health.watch(is_busy, self._serving.start_timeout)
                await side_by_side(self._ended(), watch, until=asyncio.FIRST_COMPLETED)
            except ServerHangs as hang:
                return str(hang)
        return f"The server has ended. {diagnosis(self.log)}"

    async def _ended(self) -> None:
        while self._process.poll() is None:
            await asyncio.sleep(_LOOK)

    async def _restart(self, reason: str) -> None:
        self.is_starting = True
        await asyncio.to_thread(self.end)
        if self._restarts == _RESTARTS:
            raise ServerGone(f"The server has failed {_RESTARTS + 1} times. {reason}")
        self._say(f"{reason} Starting it again ({self._restarts + 1} of {_RESTARTS}).")
        # What it had of a GPU's memory is free a little later.
        await asyncio.sleep(_PAUSE * self._restarts)
        self._restarts += 1
        self._start()

    def end(self) -> None:
        """Ask it to end, then end whatever is left of its processes."""
        process = self._process
        if process.stdin is None or process.stdin.closed:
            return
        if process.poll() is None:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdin.close()

    def _start(self) -> None:
        self.is_starting = True
        self.log = self._new_log()
        # The server needs none of the keys for other servers; its own goes by the environment, where nobody else reads
        # it.
        others = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        if not self._gpu and not any(word.replace("_", "-").startswith(_KV_CACHE) for word in self._serving.arguments):
            # On a CPU vLLM would take its share of the whole memory. The variable overrides the argument.
            others.setdefault("VLLM_CPU_KVCACHE_SPACE", _CPU_GIGABYTES)
        others |= {"VLLM_API_KEY": self.key, "VLLM_NO_USAGE_STATS": "1", "PYTHONUNBUFFERED": "1"}
        lifeline = str(Path(__file__).with_name("lifeline.py"))
        self.log.touch(mode=0o600)
        with self.log.open("wb") as written:
            self._process = subprocess.Popen(
                [sys.executable, "-P", lifeline, *command(self._serving, self._vllm, self._port, self._purpose)],
                cwd=self.log.parent,
                env=others,
                # Nobody else has the writing end: it closes with this process.
                stdin=subprocess.PIPE,
                stdout=written,
                stderr=written,
                start_new_session=True,
            )


@asynccontextmanager
async def serve(
    serving: Serving,
    new_log: Callable[[], Path],
    say: Callable[[str], None] = lambda line: None,
    purpose: Purpose | None = None,
    python: str | None = None,
) -> AsyncIterator[Server]:
    """Start a server, wait until it answers, and end it afterwards with all its processes.

    If vLLM has no room for so many sequences at a time, it is started once more with as many as it names.

    Parameters
    ----------
    serving, new_log, say, purpose
        As for :class:`Server`.
    python : str, optional
        The interpreter that has vLLM, by default that of :func:`core.surrogate.vllm.machine.vllm_python`.

    Raises
    ------
    SurrogateError
        vLLM is not installed, or does not start; the sentence gives the reason from its log.
    """
    python = python or vllm_python()
    vllm = await asyncio.to_thread(installed_vllm, python)
    if vllm is None:
        raise SurrogateError(
            f"vLLM is not installed for {Path(python).name}: install requirements/gpu.txt, set {PYTHON_VARIABLE} to a"
            " Python that has it, or give the address of a server."
        )
    ports, lowered = 1, False
    while True:
        server = Server(serving, vllm, purpose or Purpose(), new_log, say)
        try:
            try:
                await server.wait_until_ready()
            except SurrogateError:
                log = server.log.read_text(encoding="utf-8", errors="replace")
                if _PORT_TAKEN in log and ports < _PORT_TRIES:
                    ports += 1
                    continue
                fewer = None if lowered else with_fewer_sequences(serving, log)
                if fewer is None:
                    raise
                serving, lowered = fewer, True
                say(f"vLLM has room for {fewer.max_num_seqs:,} sequences at a time. Starting it again with as many.")
                continue
            yield server
            return
        finally:
            await asyncio.to_thread(server.end)
