"""A vLLM server of our own: a child process on 127.0.0.1 with a random port and key, ended with the job."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2

from core.surrogate.faults import ServerGone, SurrogateError
from core.surrogate.job.spec import Serving
from core.surrogate.vllm.diagnosis import diagnosis
from core.surrogate.vllm.machine import PYTHON_VARIABLE, gpus, vllm_python, vllm_version

_PORT_TAKEN = "ddress already in use"
_LOOK = 0.3
_PORT_TRIES = 3
_CPU_GIGABYTES = "4"


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers.

    Parameters
    ----------
    url, key : str
        Its address, …/v1, and what opens it.
    log : Path
        What it prints.
    version : str
        Of vLLM.
    guard : subprocess.Popen
        The process that ends it.
    pid : int
        Its own number, and that of its process group.
    """

    url: str
    key: str
    log: Path
    version: str
    guard: subprocess.Popen[bytes]
    pid: int

    async def watch(self) -> None:
        """Wait for its end, which is an error.

        Raises
        ------
        ServerGone
            Always, in the end.
        """
        while self.guard.poll() is None:
            await asyncio.sleep(_LOOK)
        raise ServerGone(f"The server has ended. {diagnosis(self.log)}")


@asynccontextmanager
async def serve(serving: Serving, log: Path) -> AsyncIterator[Server]:
    """Start a server, wait until it answers, and end it afterwards with all its processes.

    Parameters
    ----------
    serving : Serving
        What it serves, and how.
    log : Path
        What it prints; the server is started in the same folder.

    Raises
    ------
    SurrogateError
        vLLM is not installed, or does not start; the sentence gives the reason from its log.
    """
    python = vllm_python()
    version = await asyncio.to_thread(vllm_version, python)
    if version is None:
        raise SurrogateError(
            f"vLLM is not installed for {Path(python).name}: install requirements-gpu.txt, set {PYTHON_VARIABLE} to a"
            " Python that has it, or give the address of a server."
        )
    for last in (*[False] * (_PORT_TRIES - 1), True):
        server = _start(serving, python, version, log)
        try:
            try:
                await _healthy(server, serving.start_timeout)
            except SurrogateError:
                if last or _PORT_TAKEN not in log.read_text(encoding="utf-8", errors="replace"):
                    raise
                continue
            yield server
            return
        finally:
            await asyncio.to_thread(_end, server)


def command(serving: Serving, python: str, port: int) -> list[str]:
    """The command that starts the server; the key is not on it."""
    # An absolute path, because the server is started in another folder.
    model = str(Path(serving.model).resolve()) if Path(serving.model).is_dir() else serving.model
    options: dict[str, object] = {
        "--model": model,
        "--served-model-name": serving.model,
        "--host": "127.0.0.1",
        "--port": port,
        "--tensor-parallel-size": serving.tensor_parallel,
        "--data-parallel-size": serving.data_parallel if serving.data_parallel > 1 else None,
        "--revision": serving.revision,
        "--dtype": serving.dtype,
        "--quantization": serving.quantization,
        "--max-model-len": serving.max_model_length,
        "--gpu-memory-utilization": serving.gpu_memory,
    }
    words = [python, "-m", "vllm.entrypoints.openai.api_server"]
    for name, value in options.items():
        words += [] if value is None else [name, str(value)]
    return [*words, *(["--trust-remote-code"] if serving.trust_remote_code else []), *serving.arguments]


def _start(serving: Serving, python: str, version: str, log: Path) -> Server:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    key = secrets.token_urlsafe(32)
    # The server needs none of the keys for other servers; its own goes by the environment, where nobody else reads it.
    others = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    if not gpus():
        # On a processor vLLM would take its share of the whole memory.
        others.setdefault("VLLM_CPU_KVCACHE_SPACE", _CPU_GIGABYTES)
    with log.open("wb") as written:
        guard = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("guard.py")), *command(serving, python, port)],
            cwd=log.parent,
            env=others | {"VLLM_API_KEY": key, "VLLM_NO_USAGE_STATS": "1", "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=written,
            start_new_session=True,
        )
    assert guard.stdout is not None
    pid = int(guard.stdout.readline() or 0)
    return Server(f"http://127.0.0.1:{port}/v1", key, log, version, guard, pid)


async def _healthy(server: Server, patience: float) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    headers = {"Authorization": f"Bearer {server.key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=5, trust_env=False) as client:
        while loop.time() < deadline:
            if server.guard.poll() is not None:
                raise SurrogateError(f"vLLM did not start. {diagnosis(server.log)}")
            with suppress(httpx2.HTTPError):
                if (await client.get(f"{server.url}/models")).status_code == 200:
                    return
            await asyncio.sleep(_LOOK)
    raise SurrogateError(
        f"vLLM did not answer within {patience:g} s; its log is {server.log.name} in NEYMAN_HOME/logs."
    )


def _end(server: Server) -> None:
    guard = server.guard
    for pipe in (guard.stdin, guard.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    with suppress(subprocess.TimeoutExpired):
        guard.wait(20)
    if guard.poll() is None:
        guard.kill()
        guard.wait()
    # Where the guard itself was killed, its server is still there.
    if server.pid:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(server.pid, signal.SIGKILL)
