"""Jobs against a fake server, each in a home folder of its own."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import psutil
import pytest

from core.archive import Archive
from core.pool import Pool
from core.surrogate.job import process
from core.surrogate.job.parameters import Connection, Sampling
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from tests import forks

CREATED = "2026-11-20T12:00:00+00:00"


@dataclass(frozen=True, slots=True)
class FakeServer:
    """A running fake: its address, and what it says of itself."""

    url: str
    process: psutil.Process

    def stats(self) -> dict[str, Any]:
        """What it was asked and what it answered (``fake_server.Fake``)."""
        return self._get("stats")

    def release(self) -> None:
        """Answer the requests that are held back."""
        self._get("release")

    def behave(self, **behaviour: Any) -> None:
        """Change its behaviour."""
        self._get("behave", json.dumps(behaviour).encode())

    def _get(self, path: str, content: bytes | None = None) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url.removesuffix('/v1')}/{path}", content, timeout=60) as answer:
            return dict(json.load(answer))


@cache
def _fakes() -> subprocess.Popen[str]:
    """The process whose forks are fakes; it ends with this one."""
    command = [sys.executable, "-IS", str(Path(__file__).with_name("fake_server.py"))]
    fakes = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(fakes.communicate)
    return fakes


@contextmanager
def faking(**behaviour: Any) -> Iterator[FakeServer]:
    fakes = _fakes()
    assert fakes.stdin is not None and fakes.stdout is not None
    print(json.dumps(behaviour), file=fakes.stdin, flush=True)
    port, pid = map(int, fakes.stdout.readline().split())
    process = psutil.Process(pid)
    try:
        yield FakeServer(f"http://127.0.0.1:{port}/v1", process)
    finally:
        with suppress(psutil.NoSuchProcess):
            process.kill()


Fake = Callable[..., FakeServer]


@pytest.fixture
def fake() -> Iterator[Fake]:
    """A function that starts a fake server with a behaviour (``fake_server.Fake``)."""
    with ExitStack() as running:
        yield lambda **behaviour: running.enter_context(faking(**behaviour))


@pytest.fixture
def store(neyman_home: Path) -> Store:
    return Store(neyman_home)


def fork(log: str | Path, words: Sequence[str], env: Mapping[str, str], **more: Any) -> psutil.Process:
    """A fork of a process that has imported what ``neyman surrogate`` needs; ``more`` as ``forked`` reads it."""
    request = {"words": words, "environment": dict(env), "log": str(log), **more}
    return forks.fork("tests.core.surrogate.forked", request)


@pytest.fixture
def forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that are forks of a process that has imported what they need, instead of starting with nothing."""

    begin = subprocess.Popen

    def start(command: list[str], env: dict[str, str], stdout: IO[bytes], **more: Any) -> Any:
        if command[1:3] != ["-m", "core.surrogate"]:
            # An installer of vLLM.
            return begin(command, env=env, stdout=stdout, **more)
        return SimpleNamespace(pid=fork(stdout.name, command[3:], env).pid, wait=lambda: 0)

    monkeypatch.setattr(process, "subprocess", SimpleNamespace(Popen=start, DEVNULL=subprocess.DEVNULL))


def pool_of(n: int, **more: Any) -> Pool:
    """A pool of n questions, "What is item 0?" …"""
    return Pool.from_records(
        [{"id": f"i{i}", "prompt": f"What is item {i}?", "answer_kind": "number", **more} for i in range(n)], "asked"
    )


def save_pool(pool: Pool, home: Path) -> str:
    """Keep a pool; its digest."""
    return Archive(home).pools.save(pool, CREATED)


def spec_for(pool: Pool, home: Path, url: str, **sampling: Any) -> JobSpec:
    """A job on the pool, quick to retry."""
    connection = Connection((url,), concurrency=16, timeout=20, backoff=0.01, patience=2)
    return JobSpec(save_pool(pool, home), "m", connection, sampling=Sampling(**sampling))
