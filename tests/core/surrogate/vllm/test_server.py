"""Our own server as a child: started, awaited, diagnosed, and gone with the job however that ends."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.surrogate import control
from core.surrogate.faults import SurrogateError
from core.surrogate.job.process import process_of
from core.surrogate.job.progress import progress
from core.surrogate.job.spec import Connection, JobSpec, Serving
from core.surrogate.job.store import Store
from core.surrogate.vllm import machine, server
from core.surrogate.worker.run import run_job
from tests.core.surrogate.conftest import pool_of, save_pool

# A stand-in for the module that starts vLLM. As vLLM does, it runs a child of its own; it writes down who they are.
STAND_IN = """
import json, os, pathlib, subprocess, sys, time
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
notes = pathlib.Path(os.environ["STAND_IN_NOTES"])
engine = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
notes.write_text(json.dumps({"pids": [os.getpid(), engine.pid], "words": sys.argv[1:], "env": dict(os.environ)}))
print("INFO starting", flush=True)
if os.environ.get("STAND_IN_LAST_WORDS"):
    print(os.environ["STAND_IN_LAST_WORDS"], flush=True)
    sys.exit(1)
time.sleep(float(os.environ.get("STAND_IN_DELAY", "0.5")))
behaviour = {"port": int(options["--port"]), "key": os.environ["VLLM_API_KEY"]}
behaviour |= json.loads(os.environ.get("STAND_IN_BEHAVIOUR", "{}"))
behaviour["model"] = options["--served-model-name"]
os.execv(sys.executable, [sys.executable, os.environ["STAND_IN_SERVER"], json.dumps(behaviour)])
"""


class StandIn:
    """What the stand-in wrote down, and its server."""

    def __init__(self, notes: Path) -> None:
        self._notes = notes

    def read(self) -> dict[str, object]:
        return dict(json.loads(self._notes.read_text()))

    def release(self) -> None:
        """Answer the requests that are held back."""
        words = self.read()["words"]
        assert isinstance(words, list)
        url = f"http://127.0.0.1:{words[words.index('--port') + 1]}/release"
        urllib.request.urlopen(url, timeout=60).close()

    def alive(self) -> list[int]:
        try:
            pids = self.read()["pids"]
        except (OSError, ValueError):
            return []
        assert isinstance(pids, list)
        return [pid for pid in pids if process_of(pid) is not None]


@pytest.fixture
def vllm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """A package called vllm that starts the fake server, as the app would find vLLM."""
    package = tmp_path / "packages" / "vllm" / "entrypoints" / "openai"
    package.mkdir(parents=True)
    for folder in (package, package.parent, package.parent.parent):
        (folder / "__init__.py").touch()
    (package / "api_server.py").write_text(STAND_IN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    monkeypatch.setenv("STAND_IN_NOTES", str(tmp_path / "notes.json"))
    monkeypatch.setenv("STAND_IN_SERVER", str(Path(__file__).parents[1] / "fake_server.py"))
    monkeypatch.setenv("NEYMAN_API_KEY", "key-of-another-server")
    monkeypatch.setenv("NEYMAN_VLLM_PYTHON", sys.executable)
    return StandIn(tmp_path / "notes.json")


def served(home: Path, n: int, **more: object) -> JobSpec:
    serving = Serving("org/some-model", max_model_length=512, arguments=("--enforce-eager",), start_timeout=60)
    connection = Connection(concurrency=8, backoff=0.01, patience=2)
    return JobSpec(save_pool(pool_of(n), home), "org/some-model", connection, replace(serving, **more))  # type: ignore[arg-type]


def until(condition: Callable[[], bool], what: Callable[[], object], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.05)


def gone(vllm: StandIn) -> None:
    until(lambda: not vllm.alive(), vllm.alive)


def test_a_server_of_our_own_generates_and_ends_with_the_job(store: Store, neyman_home: Path, vllm: StandIn) -> None:
    spec = served(neyman_home, 20)
    job = store.create(spec, 20)
    said: list[str] = []
    outcome = run_job(store, job, said.append)
    assert outcome.state == "done", outcome
    assert progress(store, job).versions["vllm"] == "unknown"
    assert any(f"{job}.server.log" in line for line in said)
    assert "INFO starting" in progress(store, job).server_log.read_text()
    gone(vllm)
    notes = vllm.read()
    words, environment = notes["words"], notes["env"]
    assert isinstance(words, list) and isinstance(environment, dict)
    options = dict(zip(words[::2], words[1::2], strict=False))
    assert options["--host"] == "127.0.0.1"
    assert options["--model"] == options["--served-model-name"] == "org/some-model"
    assert options["--max-model-len"] == "512"
    assert words[-1] == "--enforce-eager" and "--trust-remote-code" not in words
    # Its key is random and not on its command line; keys of other servers are none of its business.
    assert len(environment["VLLM_API_KEY"]) >= 32 and environment["VLLM_API_KEY"] not in words
    assert "key-of-another-server" not in environment.values()


@pytest.mark.parametrize("moment", ["starting the server", "generating"])
def test_the_server_ends_when_the_worker_is_killed(
    moment: str, store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_DELAY", "600" if moment == "starting the server" else "0")
    monkeypatch.setenv("STAND_IN_BEHAVIOUR", '{"hold_after": 5}')
    job = control.start(store, served(neyman_home, 50))
    until(lambda: progress(store, job).phase == moment, lambda: progress(store, job))
    until(lambda: len(vllm.alive()) == 2, lambda: "the server does not run")
    process = store.row(job).process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    gone(vllm)
    assert progress(store, job).state == "lost"


def test_the_server_ends_when_the_job_is_stopped(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_BEHAVIOUR", '{"hold_after": 5}')
    job = control.start(store, served(neyman_home, 50))
    until(lambda: progress(store, job).done > 0, lambda: progress(store, job))
    control.stop(store, job)
    requested = time.time()
    # The worker has noticed once it has written a heartbeat.
    until(lambda: store.row(job).heartbeat > requested, lambda: progress(store, job))
    vllm.release()
    until(lambda: not progress(store, job).active, lambda: progress(store, job))
    assert progress(store, job).state == "stopped"
    gone(vllm)


def test_a_killed_server_fails_the_job_and_a_resumed_one_completes_it(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_BEHAVIOUR", '{"hold_after": 40}')
    job = control.start(store, served(neyman_home, 100))
    until(lambda: progress(store, job).done >= 40, lambda: progress(store, job))
    pids = vllm.read()["pids"]
    assert isinstance(pids, list)
    os.kill(pids[0], signal.SIGKILL)
    until(lambda: not progress(store, job).active, lambda: progress(store, job))
    failed = progress(store, job)
    assert (failed.state, failed.done, failed.failed) == ("failed", 40, 0)
    assert "server has ended" in failed.error
    gone(vllm)
    monkeypatch.delenv("STAND_IN_BEHAVIOUR")
    run_job(store, job, lambda line: None)
    done = progress(store, job)
    assert (done.state, done.done, done.generations) == ("done", 100, 1000)


def test_a_start_that_fails_says_why(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_LAST_WORDS", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9 GiB.")
    job = store.create(served(neyman_home, 3), 3)
    outcome = run_job(store, job, lambda line: None)
    assert outcome.state == "failed"
    assert "There is not enough memory for this model" in outcome.error
    assert "CUDA out of memory" in outcome.error
    gone(vllm)


def test_a_server_that_never_answers_is_given_up(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_DELAY", "600")
    job = store.create(served(neyman_home, 3, start_timeout=2.0), 3)
    outcome = run_job(store, job, lambda line: None)
    assert "did not answer within 2 s" in outcome.error
    gone(vllm)


def test_without_vllm_the_sentence_says_how_to_get_it(
    store: Store, neyman_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NEYMAN_VLLM_PYTHON", str(tmp_path / "no-python"))
    job = store.create(served(neyman_home, 3), 3)
    outcome = run_job(store, job, lambda line: None)
    assert "vLLM is not installed" in outcome.error and "requirements-gpu.txt" in outcome.error


def test_code_of_a_model_runs_only_when_asked_for() -> None:
    trusting = Serving("m", trust_remote_code=True, quantization="awq", data_parallel=2)
    words = server.command(trusting, "python", 1)
    assert "--trust-remote-code" in words
    assert words[words.index("--quantization") + 1] == "awq"
    assert words[words.index("--data-parallel-size") + 1] == "2"


def test_vllm_is_looked_for_without_importing_it(vllm: StandIn, tmp_path: Path) -> None:
    (tmp_path / "packages" / "vllm" / "__init__.py").write_text("raise SystemError")
    assert machine.vllm_version() == "unknown"
    assert machine.vllm_version(str(tmp_path / "none")) is None


def test_a_folder_is_served_under_the_name_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny").mkdir()
    monkeypatch.chdir(tmp_path)
    words = server.command(Serving("tiny"), "python", 1)
    assert words[words.index("--model") + 1] == str(tmp_path / "tiny")
    assert words[words.index("--served-model-name") + 1] == "tiny"


def test_a_job_without_any_server_is_refused(store: Store, neyman_home: Path) -> None:
    with pytest.raises(SurrogateError, match="no server"):
        control.start(store, JobSpec(save_pool(pool_of(1), neyman_home), "m"))
