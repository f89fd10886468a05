"""A real vLLM server that serves the demo's two small models, as the app would find one."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.pool import Pool
from core.readers import read
from core.surrogate import Store
from tests.conftest import ROOT
from tests.vllm.runs import N_ITEMS

MODELS = ROOT / "data" / "tiny_lm"
# A first start reads gigabytes of libraries from a cold disk.
START_SECONDS = 600
# What every server of these tests starts with, whoever starts it. On a CPU vLLM would take one process more,
# which imports torch again, to bind threads; models as small as these are fastest on one.
SETTINGS = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "OMP_NUM_THREADS": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "HF_HUB_OFFLINE": "1",
    # What vLLM has found out about the model's class in a process apart, with the installation that it belongs to.
    "VLLM_CACHE_ROOT": str(Path(sys.prefix) / "vllm-cache"),
}
# On a GPU each server takes a share of the memory at its start, and in four processes of tests five run at once.
GPU_MEMORY = 0.15
# vLLM 0.32 ends on a processor where a step has room for only a part of a prompt whose request has a seed: "CPU
# Generator does not use offset". So 64 prompts at once have room.
ROOM = ("--max-num-batched-tokens", "8192")
# Compiling the model would take longer than all the tests, and filling the memory that vLLM would take three seconds a
# gigabyte.
ARGUMENTS = ("--enforce-eager", "--max-num-seqs", "64", "--kv-cache-memory-bytes", "64M", *ROOM)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark each test of this folder, for which alone this is called."""
    item.add_marker("vllm")


@dataclass(frozen=True, slots=True)
class VllmServer:
    """A served model: where it answers, under which name, and what it wrote."""

    url: str
    model: str
    log: Path

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a request of vLLM's HTTP interface; the model's name is filled in."""
        request = urllib.request.Request(
            f"{self.url}/{path}",
            data=json.dumps({"model": self.model} | body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path} was refused ({error.code}): {error.read().decode()}") from error

    def chat(self, question: str, **sampling: Any) -> dict[str, Any]:
        """The chat completion of one question."""
        return self.post("v1/chat/completions", {"messages": [{"role": "user", "content": question}]} | sampling)

    def tail(self, lines: int = 60) -> str:
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


@contextmanager
def serving(folder: Path, scratch: Path, *more: str) -> Iterator[VllmServer]:
    """Serve the model in ``folder`` on a free port, and stop every process of the server afterwards.

    Parameters
    ----------
    folder, scratch : Path
        The model, and where the server writes its log.
    *more : str
        Further arguments of vLLM.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "vllm.entrypoints.launchers.api_server.entry", "--model", str(folder)]
    command += ["--served-model-name", folder.name, "--host", "127.0.0.1", "--port", str(port)]
    # The demo was sampled in single precision.
    command += ["--dtype", "float32", "--gpu-memory-utilization", str(GPU_MEMORY), *ARGUMENTS, *more]
    server = VllmServer(f"http://127.0.0.1:{port}", folder.name, scratch / f"{folder.name}.log")
    with server.log.open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_until_healthy(server, process)
        yield server
    finally:
        _stop(process)


def _wait_until_healthy(server: VllmServer, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/health", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.5)
    raise AssertionError(f"vLLM did not start within {START_SECONDS} s. The end of its log:\n{server.tail()}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the server and its engine, which is a process of its own in the same group."""
    process.terminate()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        pass
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture(scope="session", autouse=True)
def settings() -> Iterator[None]:
    """SETTINGS for all servers of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SETTINGS.items():
            patch.setenv(name, value)
        yield


Serve = Callable[[str], VllmServer]


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """A function from "surrogate" or "target" to a server of that model, started once."""
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vLLM is not in this environment; make test-vllm has one that has it.")
    servers: dict[str, VllmServer] = {}
    with ExitStack() as running:

        def start(name: str) -> VllmServer:
            if name not in servers:
                servers[name] = running.enter_context(serving(MODELS / name, tmp_path_factory.mktemp("vllm")))
            return servers[name]

        yield start


@pytest.fixture(scope="session")
def demo() -> Pool:
    """Every fifteenth item of the demo pool, with the generations it came with."""
    pool = read(ROOT / "data" / "demo.jsonl.gz")
    return Pool("demo", pool.table.take(list(range(0, pool.n_items, pool.n_items // N_ITEMS))[:N_ITEMS]))


@pytest.fixture
def store(neyman_home: Path) -> Store:
    return Store(neyman_home)
