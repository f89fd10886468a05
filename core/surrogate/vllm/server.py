"""A vLLM server of our own: a child process on 127.0.0.1, whether it hangs, and why it ended."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import NoReturn

from ...web import Answer, ParallelClient, WebError, bearer, clean
from ..faults import ServerGone, SurrogateError
from ..job.parameters import Serving
from ..worker.race_tasks import side_by_side
from .launch import PYTHON_VARIABLE, Purpose, Vllm, command, gpus, installed_vllm, vllm_python, with_fewer_sequences

_TAIL = 400_000

# Patterns and their sentences; the first that occurs in the log is the reason.
_REASONS = (
    (r"address already in use", "The port was taken by another program; start again."),
    (
        r"unrecognized arguments:.*|error: argument .*|error: the following arguments .*",
        "vLLM does not know an argument; correct it.",
    ),
    (r"gated repo.*|access to model .* is restricted", "Access to the model is restricted; set HF_TOKEN."),
    (
        r"is not a local folder and is not a valid model identifier.*|repository not found.*"
        r"|invalid repository id or local directory.*|repo id must .*|no such file or directory: .*config\.json.*",
        "There is no such model; check its name or folder.",
    ),
    (
        r"localentrynotfounderror.*|couldn't connect to.*|(?:cannot|can't) load the configuration of.*"
        r"|outgoing traffic has been disabled.*",
        "The model cannot be downloaded from the Hugging Face Hub here; give a folder that contains it.",
    ),
    (
        r"requires you to execute .*|trust_remote_code=True.*",
        "The model comes with its own code, which runs only with --trust-remote-code.",
    ),
    (
        r"model architectures? .* (?:are|is) not supported.*|has no vllm implementation.*",
        "vLLM does not support this model.",
    ),
    (
        r".*exceeds available .*blocks \(\d+\).*",
        "There is not enough memory for so many sequences at a time; lower --max-num-seqs, or raise --gpu-memory.",
    ),
    (
        r"to serve at least one request.*|larger than the available kv cache.*"
        r"|larger than the maximum number of tokens.*|greater than the derived max_model_len.*",
        "The model length is too large; lower --max-model-len.",
    ),
    (
        r".*out of memory.*|no available memory for the cache blocks.*"
        r"|.*is less than desired gpu memory utilization.*",
        "There is not enough memory for this model; lower --gpu-memory or --max-model-len, or quantise the model.",
    ),
    (
        r".*generator does not use offset",
        "On a CPU vLLM can fail if it gets a seed; leave the seed empty.",
    ),
    (
        r"failed to infer device type.*|no cuda gpus are available.*|found no nvidia driver.*|libcuda\.so.*"
        r"|device string must not be empty.*",
        "vLLM finds no GPU here; check nvidia-smi, or give the address of a server.",
    ),
)
_LAST_ERROR = re.compile(r"^(?:.*?\s)?([\w.]*(?:Error|Exception|Interrupt)\b: .+)$", re.MULTILINE)


def diagnosis(log: Path) -> str:
    """The reason as a sentence with vLLM's own words; if none is recognised, the last error of the log."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _TAIL))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return "It left no log."
    for pattern, sentence in _REASONS:
        words = re.search(pattern, text, re.IGNORECASE)
        if words:
            return f"{sentence} vLLM says: {clean(words[0])}"
    errors = _LAST_ERROR.findall(text)
    # vLLM's last errors only say that a process ended; the one before them gives the cause.
    causes = [error for error in errors if "Engine core" not in error and "See root cause" not in error]
    if errors:
        return f"vLLM says: {clean((causes or errors)[-1])}"
    lines = [line for line in text.splitlines() if line.strip()]
    if lines:
        return f"The last line of its log: {clean(lines[-1])}"
    return "Its log is empty: it was killed, or ended at once."


SILENCE = 60.0
STANDSTILL = 300.0
"""Seconds that one answer may take, and that requests may be under way without a sign of work on any."""
_EVERY = 10.0
_ANSWERED = re.compile(r"^vllm:request_success_total.* [0-9.e+]*[1-9][0-9.e+]*$", re.MULTILINE)


class ServerHangs(SurrogateError):
    """A server that runs, and answers no more."""


class Health:
    """A look at a server of our own.

    Parameters
    ----------
    url, key : str
        Its address, …/v1, and what opens it.
    """

    def __init__(self, url: str, key: str) -> None:
        self._url = url
        self._server = ParallelClient(url, bearer(key), SILENCE, connect=SILENCE)

    async def aclose(self) -> None:
        """Close its connections."""
        await self._server.aclose()

    async def is_ready(self) -> bool:
        """Whether it answers; not while nobody listens at its port.

        Raises
        ------
        ServerHangs
            It takes the connection, and gives no answer within ``SILENCE``.
        """
        answer = await self._answer("/v1/models")
        return answer is not None and answer.status == 200

    async def watch(self, is_busy: Callable[[], bool], first: float) -> None:
        """Look at it every ten seconds until it hangs.

        Parameters
        ----------
        is_busy : callable
            Whether requests are under way.
        first : float
            Seconds that its first work may take: a server may compile what it needs only then.

        Raises
        ------
        ServerHangs
            It gives no answer within ``SILENCE``, or its counts of work stand still while it is busy: for
            ``STANDSTILL``, or for ``first`` before it has answered any request.
        """
        loop = asyncio.get_running_loop()
        work, moved = "", loop.time()
        while True:
            answer = await self._answer("/metrics")
            # Whatever the model does changes one of vLLM's counts; without any, nothing can be said.
            now = "" if answer is None else "\n".join(line for line in answer.text.splitlines() if line[:5] == "vllm:")
            if now != work or not now or not is_busy():
                work, moved = now, loop.time()
            elif loop.time() - moved >= (patience := STANDSTILL if _ANSWERED.search(now) else max(first, STANDSTILL)):
                raise ServerHangs(f"The server has not worked on any request for {patience:g} s.")
            await asyncio.sleep(_EVERY)

    async def _answer(self, path: str) -> Answer | None:
        """Return its answer; None if the connection is refused or cut, or it says too much."""
        try:
            return await self._server.send(self._url.removesuffix("/v1") + path)
        except WebError as error:
            if not error.late:
                return None
            raise ServerHangs(f"The server takes connections, but gives no answer within {SILENCE:g} s.") from None


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
        The interpreter that has vLLM, by default that of :func:`core.surrogate.vllm.launch.vllm_python`.

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
