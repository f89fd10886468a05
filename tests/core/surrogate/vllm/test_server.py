"""Our own server as a child: started, awaited, diagnosed, and gone with the job however that ends."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from core.surrogate import control
from core.surrogate.faults import SurrogateError
from core.surrogate.job.parameters import Connection, Prompting, Serving
from core.surrogate.job.process import process_of
from core.surrogate.job.progress import progress
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.vllm import launch, server
from core.surrogate.worker import run
from core.surrogate.worker.run import run_job
from tests.core.surrogate.conftest import pool_of, save_pool

# A stand-in for the module that starts vLLM. As vLLM does, it runs a child of its own; it writes down who they are.
STAND_IN = """
import asyncio, json, os, pathlib, subprocess, sys, time
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
notes = pathlib.Path(os.environ["STAND_IN_NOTES"])
engine = subprocess.Popen(["sleep", "600"])
starts = int((notes.parent / "starts").read_text()) + 1 if (notes.parent / "starts").exists() else 1
(notes.parent / "starts").write_text(str(starts))
notes.write_text(json.dumps({"pids": [os.getpid(), engine.pid], "words": sys.argv[1:], "env": dict(os.environ)}))
print("INFO starting", flush=True)
if os.environ.get("STAND_IN_LAST_WORDS"):
    print(os.environ["STAND_IN_LAST_WORDS"], flush=True)
    sys.exit(1)
most = os.environ.get("STAND_IN_MOST_SEQUENCES")
if most is not None and options.get("--max-num-seqs") != most:
    print(f"ValueError: max_num_seqs (256) exceeds available Mamba cache blocks ({most}).", flush=True)
    sys.exit(1)
time.sleep(float(os.environ.get("STAND_IN_DELAY", "0.5")))
behaviour = {"port": int(options["--port"]), "key": os.environ["VLLM_API_KEY"]}
behaviour |= json.loads(os.environ.get("STAND_IN_BEHAVIOUR", "{}"))
if starts > int(os.environ.get("STAND_IN_FAULTY", "99")):
    for fault in ("die_after", "hang_after", "hold_after"):
        behaviour.pop(fault, None)
behaviour["model"] = options["--served-model-name"]
sys.path.insert(0, os.environ["STAND_IN_SERVER"])
import fake_server
asyncio.run(fake_server.Fake(behaviour).serve())
"""


VLLM, OLD = launch.Vllm("python", "0.32.0", True), launch.Vllm("python", "0.11.0", False)
PLAIN = "--generation-config=vllm"


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
    monkeypatch.setenv("STAND_IN_SERVER", str(Path(__file__).parents[1]))
    monkeypatch.setenv("NEYMAN_API_KEY", "key-of-another-server")
    monkeypatch.setenv("NEYMAN_VLLM_PYTHON", sys.executable)
    monkeypatch.setattr(server, "_PAUSE", 0.05)
    monkeypatch.setattr(server, "_LOOK", 0.05)
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


def stopped(pid: int) -> bool:
    """Whether the process stands still, on Linux with each of its threads."""
    threads = list(Path(f"/proc/{pid}/task").glob("*/stat"))
    states = [thread.read_text().rpartition(") ")[2][0] for thread in threads]
    return set(states) == {"T"} if states else psutil.Process(pid).status() == psutil.STATUS_STOPPED


def test_a_server_of_our_own_generates_and_ends_with_the_job(store: Store, neyman_home: Path, vllm: StandIn) -> None:
    spec = served(neyman_home, 20)
    job = store.create(spec, 20)
    said: list[str] = []
    outcome = run_job(store, job, said.append)
    assert outcome.state == "done", outcome
    assert progress(store, job).versions["vllm"] == "unknown"
    assert any(f"{job}.server.1.log" in line for line in said)
    (log,) = progress(store, job).server_logs
    assert "INFO starting" in log.read_text()
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


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("--kv-cache-memory-bytes=64M", marks=pytest.mark.trial),
        "--kv_cache_memory_bytes=64M",
        "--enforce-eager",
    ],
)
def test_on_a_processor_the_memory_of_an_argument_is_not_outdone(
    argument: str, store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.surrogate.vllm.server.gpus", list)
    monkeypatch.delenv("VLLM_CPU_KVCACHE_SPACE", raising=False)
    assert run_job(store, store.create(served(neyman_home, 1, arguments=(argument,)), 1), print).state == "done"
    environment = vllm.read()["env"]
    assert isinstance(environment, dict)
    assert ("VLLM_CPU_KVCACHE_SPACE" in environment) == (argument == "--enforce-eager")


@pytest.fixture(params=["starting the server", "generating"])
def begun(
    request: pytest.FixtureRequest,
    store: Store,
    neyman_home: Path,
    vllm: StandIn,
    forked_workers: None,
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[str, int]:
    """A job whose server is starting or generating, and the pid of its worker."""
    moment = request.param
    monkeypatch.setenv("STAND_IN_DELAY", "600" if moment == "starting the server" else "0")
    monkeypatch.setenv("STAND_IN_BEHAVIOUR", '{"hold_after": 5}')
    job = control.start(store, served(neyman_home, 50))
    until(lambda: progress(store, job).phase == moment, lambda: progress(store, job))
    until(lambda: len(vllm.alive()) == 2, lambda: "the server does not run")
    worker = store.row(job).process
    assert worker is not None
    return job, worker.pid


def test_the_server_ends_when_the_worker_is_killed(begun: tuple[str, int], store: Store, vllm: StandIn) -> None:
    job, worker = begun
    os.kill(worker, signal.SIGKILL)
    gone(vllm)
    assert progress(store, job).state == "lost"


@pytest.mark.usefixtures("forked_workers")
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


def test_a_server_that_crashes_is_started_again_and_the_job_ends_well(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_BEAT", 0.05)
    monkeypatch.setattr(run, "_REPORT_BEATS", 1)
    monkeypatch.setenv("STAND_IN_DELAY", "0.5")
    monkeypatch.setenv("STAND_IN_BEHAVIOUR", '{"die_after": 20}')
    monkeypatch.setenv("STAND_IN_FAULTY", "1")
    job = store.create(served(neyman_home, 60), 60)
    said: list[str] = []
    assert run_job(store, job, said.append).state == "done"
    done = progress(store, job)
    assert (done.done, done.failed, done.generations) == (60, 0, 600)
    assert [log.name for log in done.server_logs] == [f"{job}.server.{start}.log" for start in (1, 2)]
    assert all("INFO starting" in log.read_text() for log in done.server_logs)
    (again,) = [line for line in said if "Starting it again" in line]
    assert "(1 of 3)" in again
    assert any(line.startswith("Starting the server again:") for line in said)
    gone(vllm)


def test_a_server_that_always_crashes_is_given_up_and_a_resumed_job_is_completed(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_RESTARTS", 1)
    monkeypatch.setenv("STAND_IN_DELAY", "0")
    monkeypatch.setenv("STAND_IN_BEHAVIOUR", '{"die_after": 5}')
    job = store.create(served(neyman_home, 50), 50)
    assert run_job(store, job, lambda line: None).state == "failed"
    failed = progress(store, job)
    assert "has failed 2 times" in failed.error and len(failed.server_logs) == 2
    assert 0 < failed.done <= 10 and failed.failed == 0
    gone(vllm)
    monkeypatch.delenv("STAND_IN_BEHAVIOUR")
    run_job(store, job, lambda line: None)
    done = progress(store, job)
    assert (done.state, done.done, done.generations) == ("done", 50, 500)
    # Each start has a log of its own, and so has each resumed job's.
    assert len(done.server_logs) == 3


@pytest.mark.parametrize(
    ("behaviour", "how"),
    [
        pytest.param({"hang_after": 0}, "gives no answer within", marks=pytest.mark.trial),
        ({"hang_after": 20}, "gives no answer within"),
        ({"hold_after": 20}, "has not worked on any request"),
    ],
    ids=["from the start", "in the middle", "at its requests alone"],
)
def test_a_server_that_hangs_is_soon_started_again_and_the_job_ends_well(
    behaviour: dict[str, int],
    how: str,
    store: Store,
    neyman_home: Path,
    vllm: StandIn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, seconds in {"SILENCE": 1.2, "STANDSTILL": 0.8, "_EVERY": 0.1}.items():
        monkeypatch.setattr(server, name, seconds)
    monkeypatch.setenv("STAND_IN_DELAY", "0")
    monkeypatch.setenv("STAND_IN_BEHAVIOUR", json.dumps(behaviour))
    monkeypatch.setenv("STAND_IN_FAULTY", "1")
    job = store.create(served(neyman_home, 60), 60)
    said: list[str] = []
    assert run_job(store, job, said.append).state == "done"
    done = progress(store, job)
    assert (done.done, done.failed, done.generations, len(done.server_logs)) == (60, 0, 600, 2)
    (again,) = [line for line in said if "Starting it again" in line]
    assert how in again
    gone(vllm)


def test_a_server_that_always_hangs_is_given_up(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "SILENCE", 0.5)
    monkeypatch.setattr(server, "_RESTARTS", 1)
    monkeypatch.setenv("STAND_IN_DELAY", "0")
    monkeypatch.setenv("STAND_IN_BEHAVIOUR", '{"hang_after": 0}')
    job = store.create(served(neyman_home, 3), 3)
    outcome = run_job(store, job, lambda line: None)
    assert outcome.state == "failed" and "has failed 2 times" in outcome.error
    assert len(progress(store, job).server_logs) == 2
    gone(vllm)


@pytest.mark.parametrize("victims", [["server"], ["worker", "server"], ["server", "worker"]], ids=" then ".join)
def test_no_process_is_left_of_what_is_killed(victims: list[str], begun: tuple[str, int], vllm: StandIn) -> None:
    _, worker = begun
    leader, engine = vllm.alive()
    for victim in victims:
        os.kill({"worker": worker, "server": leader}[victim], signal.SIGKILL)
    until(lambda: process_of(engine) is None, vllm.alive)


def test_a_server_whose_lifeline_is_killed_ends(begun: tuple[str, int], vllm: StandIn) -> None:
    leader, engine = vllm.alive()
    psutil.Process(psutil.Process(leader).ppid()).kill()
    until(lambda: process_of(leader) is None and process_of(engine) is None, vllm.alive)


@pytest.mark.usefixtures("forked_workers")
def test_a_server_that_stands_still_ends_with_its_worker(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_BEHAVIOUR", '{"hold_after": 5}')
    job = control.start(store, served(neyman_home, 20))
    until(lambda: progress(store, job).done > 0, lambda: progress(store, job))
    leader, _ = vllm.alive()
    worker = store.row(job).process
    assert worker is not None
    os.kill(leader, signal.SIGSTOP)
    until(lambda: stopped(leader), lambda: "the server does not stop")
    os.kill(worker.pid, signal.SIGKILL)
    gone(vllm)


@pytest.mark.usefixtures("forked_workers")
def test_nothing_is_lost_or_doubled_however_worker_lifeline_and_server_are_killed(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_DELAY", "0")
    monkeypatch.setenv("STAND_IN_BEHAVIOUR", '{"latency": 0.1}')
    victims = random.Random(5).sample(["worker", "lifeline", "server"], 3)
    job = control.start(store, served(neyman_home, 90))
    before: list[int] = []

    def started() -> list[int]:
        """The server that was started after the last kill, and its child: that of a killed one may live on a while."""
        return [pid for pid in vllm.alive() if pid not in before]

    for killed, victim in enumerate(victims, start=1):
        # Early, so that much is left to do on a busy machine.
        until(
            lambda killed=killed: progress(store, job).done >= 10 * killed and bool(started()),  # type: ignore[misc]
            lambda: progress(store, job),
        )
        worker, pids = store.row(job).process, started()
        before += pids
        assert worker is not None
        pid = {"worker": worker.pid, "lifeline": psutil.Process(pids[0]).ppid(), "server": pids[0]}[victim]
        os.kill(pid, signal.SIGKILL)
        if victim == "worker":
            until(lambda: not progress(store, job).active, lambda: progress(store, job))
            control.resume(store, job)
    until(lambda: not progress(store, job).active, lambda: progress(store, job))
    done = progress(store, job)
    assert (done.state, done.done, done.generations) == ("done", 90, 900), done
    with store.database.connection() as database:
        query = "SELECT count(*), count(DISTINCT position * 100 + sample) FROM surrogate_generations"
        assert database.execute(query).fetchone() == (900, 900)
    assert len(done.server_logs) == 4
    gone(vllm)


def test_a_start_that_fails_says_why(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_LAST_WORDS", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9 GiB.")
    job = store.create(served(neyman_home, 3), 3)
    outcome = run_job(store, job, lambda line: None)
    assert outcome.state == "failed"
    assert "not enough memory" in outcome.error
    assert "CUDA out of memory" in outcome.error
    gone(vllm)


def test_a_server_that_never_answers_is_given_up(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_DELAY", "600")
    job = store.create(served(neyman_home, 3, start_timeout=1.0), 3)
    outcome = run_job(store, job, lambda line: None)
    assert "did not answer within 1 s" in outcome.error
    gone(vllm)


def test_without_vllm_the_sentence_says_how_to_get_it(
    store: Store, neyman_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NEYMAN_VLLM_PYTHON", str(tmp_path / "no-python"))
    job = store.create(served(neyman_home, 3), 3)
    outcome = run_job(store, job, lambda line: None)
    assert "vLLM is not installed" in outcome.error and "requirements/gpu.txt" in outcome.error


def test_code_of_a_model_runs_only_when_asked_for() -> None:
    trusting = Serving("m", trust_remote_code=True, quantization="awq", data_parallel=2)
    words = launch.command(trusting, VLLM, 1)
    assert "--trust-remote-code" in words
    assert words[words.index("--quantization") + 1] == "awq"
    assert words[words.index("--data-parallel-size") + 1] == "2"


QWEN, TINY = "Qwen/Qwen3.5-4B", "org/tiny"
THINKING, TEXTS = launch.Purpose(thinking=True), launch.Purpose(text_only=True)


@pytest.mark.parametrize(
    ("serving", "vllm", "purpose", "words"),
    [
        (Serving(TINY), VLLM, launch.Purpose(), [PLAIN]),
        (Serving(TINY), OLD, launch.Purpose(), [PLAIN]),
        # A half-done job of an earlier version.
        (Serving(TINY), VLLM, launch.Purpose(plain=False), []),
        (Serving(TINY), VLLM, TEXTS, [PLAIN, "--language-model-only"]),
        (Serving(TINY), OLD, TEXTS, [PLAIN]),
        (Serving(TINY), VLLM, THINKING, [PLAIN]),
        (Serving(QWEN), VLLM, THINKING, [PLAIN, "--reasoning-parser=qwen3"]),
        (Serving(QWEN), OLD, THINKING, [PLAIN]),
        (Serving(QWEN), VLLM, launch.Purpose(), [PLAIN]),
        (
            Serving("/models/gemma-4-E4B-it", max_num_seqs=64),
            VLLM,
            THINKING,
            ["--max-num-seqs=64", PLAIN, "--reasoning-parser=gemma4"],
        ),
        (Serving("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B"), VLLM, THINKING, [PLAIN, "--reasoning-parser=deepseek_r1"]),
    ],
)
def test_vllm_is_started_as_the_job_needs_it(
    serving: Serving, vllm: launch.Vllm, purpose: launch.Purpose, words: list[str]
) -> None:
    started = launch.command(serving, vllm, 1, purpose)
    assert started[3] == f"vllm.entrypoints.{'launchers.api_server.entry' if vllm is VLLM else 'openai.api_server'}"
    usual = launch.command(Serving(serving.model), vllm, 1, launch.Purpose(plain=False))
    assert started[: len(usual)] == usual
    more = iter(started[len(usual) :])
    assert [word if word == "--language-model-only" else f"{word}={next(more)}" for word in more] == words


def test_a_job_says_what_its_server_is_for() -> None:
    spec = JobSpec("0" * 64, QWEN, serving=Serving(QWEN))
    assert launch.Purpose.of(spec, True) == launch.Purpose(False, True, True)
    thinking = replace(spec, sampling=replace(spec.sampling, thinking="on"))
    assert launch.Purpose.of(replace(thinking, rules=1), False) == launch.Purpose(True, False, False)


TOO_MANY = "ValueError: max_num_seqs (256) exceeds available Mamba cache blocks (97). Each decode sequence requires"


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ((), ()),
        (("--max-num-seqs", "256", "--enforce-eager"), ("--enforce-eager",)),
        (("--enforce-eager", "--max_num_seqs=256"), ("--enforce-eager",)),
        (("--max-num-seqs-of-others", "1"), ("--max-num-seqs-of-others", "1")),
    ],
)
def test_the_number_of_sequences_is_what_vllm_names(arguments: tuple[str, ...], kept: tuple[str, ...]) -> None:
    fewer = launch.with_fewer_sequences(Serving("m", arguments=arguments), f"INFO x\n{TOO_MANY}\n")
    assert fewer == Serving("m", max_num_seqs=97, arguments=kept)
    assert launch.with_fewer_sequences(Serving("m"), "CUDA out of memory") is None


def test_vllm_is_started_once_more_with_the_sequences_that_fit(
    store: Store, neyman_home: Path, vllm: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_MOST_SEQUENCES", "97")
    said: list[str] = []
    job = store.create(served(neyman_home, 3), 3)
    assert run_job(store, job, said.append).state == "done"
    words = vllm.read()["words"]
    assert isinstance(words, list) and words[words.index("--max-num-seqs") + 1] == "97"
    assert any("room for 97 sequences" in line for line in said)
    assert len(progress(store, job).server_logs) == 2
    # One number that does not fit either ends the run.
    monkeypatch.setenv("STAND_IN_MOST_SEQUENCES", "0")
    outcome = run_job(store, store.create(replace(served(neyman_home, 3), prompting=Prompting("Be brief.")), 3), print)
    assert outcome.state == "failed" and "lower --max-num-seqs" in outcome.error


def test_vllm_is_looked_for_without_importing_it(vllm: StandIn, tmp_path: Path) -> None:
    (tmp_path / "packages" / "vllm" / "__init__.py").write_text("raise SystemError")
    assert launch.vllm_version() == "unknown"
    assert launch.installed_vllm() == launch.Vllm(sys.executable, "unknown", False)
    entry = tmp_path / "packages" / "vllm" / "entrypoints" / "launchers" / "api_server" / "entry.py"
    entry.parent.mkdir(parents=True)
    entry.touch()
    assert launch.installed_vllm() == launch.Vllm(sys.executable, "unknown", True)
    assert launch.vllm_version(str(tmp_path / "none")) is None


def test_a_folder_is_served_under_the_name_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny").mkdir()
    monkeypatch.chdir(tmp_path)
    words = launch.command(Serving("tiny"), VLLM, 1)
    assert words[words.index("--model") + 1] == str(tmp_path / "tiny")
    assert words[words.index("--served-model-name") + 1] == "tiny"


def test_a_job_without_any_server_is_refused(store: Store, neyman_home: Path) -> None:
    with pytest.raises(SurrogateError, match="no server"):
        control.start(store, JobSpec(save_pool(pool_of(1), neyman_home), "m"))
