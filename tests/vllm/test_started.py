"""The whole way through a vLLM server of our own, whose processes are killed."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from core.pool import Pool
from core.surrogate import control
from core.surrogate.filled_pool import pool_with
from core.surrogate.job.parameters import Connection, Serving
from core.surrogate.job.progress import progress
from core.surrogate.job.store import Store
from tests.vllm.conftest import ARGUMENTS, GPU_MEMORY, MODELS
from tests.vllm.runs import N_ITEMS, compare, ended, every_sample, rows, spec_for, until


def test_our_own_server_samples_the_demos_distribution_whatever_is_killed(
    store: Store, neyman_home: Path, demo: Pool
) -> None:
    pytest.importorskip("vllm")
    serving = Serving(str(MODELS / "surrogate"), dtype="float32", gpu_memory=GPU_MEMORY, arguments=ARGUMENTS)
    spec = spec_for(demo, neyman_home, model=serving.model, serving=serving, connection=Connection(concurrency=8))
    job = control.start(store, spec)
    until(store, job, lambda job_progress: job_progress.done >= 40 or not job_progress.active)
    first = rows(store)
    the_server(neyman_home).kill()
    # The worker starts it again, and the run goes on.
    until(store, job, lambda job_progress: job_progress.done >= 100 or not job_progress.active)
    restarted = progress(store, job)
    assert (restarted.state, restarted.failed, len(restarted.server_logs)) == ("running", 0, 2)
    worker = store.row(job).process
    assert worker is not None
    os.kill(worker.pid, signal.SIGKILL)
    nothing_is_left(neyman_home)
    assert until(store, job, ended).state == "lost"
    before = rows(store)
    control.resume(store, job)
    done = until(store, job, ended)
    assert (done.state, done.done, done.failed, len(done.server_logs)) == ("done", N_ITEMS, 0, 3)
    after = rows(store)
    assert set(after) == every_sample()
    # What had arrived was not asked again.
    assert first.items() <= before.items() <= after.items()
    assert done.requests == N_ITEMS
    assert done.versions["vllm"]
    nothing_is_left(neyman_home)
    compare(pool_with(store, demo, job), demo)


def the_server(home: Path) -> psutil.Process:
    """The first process of the server, below its lifeline."""
    servers = [process for process in server_processes(home) if "api_server" in " ".join(process.cmdline())]
    return max(servers, key=lambda process: process.pid)


def nothing_is_left(home: Path) -> None:
    deadline = time.monotonic() + 30
    while server_processes(home):
        assert time.monotonic() < deadline, server_processes(home)
        time.sleep(0.1)


def server_processes(home: Path) -> list[psutil.Process]:
    """Processes of the servers that were started with their working folder in ``home``: theirs and their children's."""
    inside = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if Path(process.cwd()).is_relative_to(home.resolve()) and process.status() != psutil.STATUS_ZOMBIE:
                inside.append(process)
    return inside
