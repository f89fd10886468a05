"""Jobs as processes of their own: started, watched, stopped, killed, resumed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.signals import semantic_entropy
from core.surrogate import control
from core.surrogate.faults import SurrogateError
from core.surrogate.filled_pool import pool_with
from core.surrogate.job.claim import Claim
from core.surrogate.job.parameters import Connection
from core.surrogate.job.process import Process, process_of, this_process
from core.surrogate.job.progress import JobProgress, examples, failures, jobs, partitions, progress, progress_of
from core.surrogate.job.store import Store
from core.surrogate.worker.run import JobOutcome, run_job
from tests.core.surrogate.conftest import Fake, fork, pool_of, spec_for


def until(store: Store, job: str, reached: Callable[[JobProgress], bool], seconds: float = 120) -> JobProgress:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        now = progress(store, job)
        if reached(now):
            return now
        time.sleep(0.05)
    raise AssertionError(f"{progress(store, job)}\n{now.log.read_text()}")


def ended(job: JobProgress) -> bool:
    return not job.active


def test_a_killed_worker_is_replaced_and_nothing_stored_is_asked_again(
    store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake(hold_after=60)
    pool = pool_of(200)
    job = control.start(store, spec_for(pool, neyman_home, server.url))
    # What was answered is stored while other requests are under way.
    halfway = until(store, job, lambda now: now.done >= 60)
    assert (halfway.state, halfway.done) == ("running", 60)
    process = store.row(job).process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    assert until(store, job, ended).state == "lost"
    with store.database.connection() as database:
        stored = {str(position) for (position,) in database.execute("SELECT position FROM surrogate_generations")}
    server.release()
    control.resume(store, job)
    assert until(store, job, ended).state == "done"
    with store.database.connection() as database:
        grouped = "SELECT count(*), count(DISTINCT position * 100 + sample) FROM surrogate_generations"
        assert database.execute(grouped).fetchone() == (2000, 2000)
    requests = server.stats()["asked"]
    assert len(requests) == 200
    twice = {item for item, count in requests.items() if count > 1}
    assert len(twice) <= 16 and twice.isdisjoint(stored)
    assert pool_with(store, pool, job).n_generations == 10
    assert {path.stat().st_mode & 0o777 for path in store.logs.iterdir()} == {0o600}


@pytest.mark.usefixtures("forked_workers")
def test_a_dead_server_fails_the_job_and_its_return_completes_it(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(hold_after=50)
    spec = spec_for(pool_of(100), neyman_home, server.url)
    job = control.start(store, replace(spec, connection=replace(spec.connection, patience=2)))
    until(store, job, lambda now: now.done >= 50)
    server.process.kill()
    waiting = until(store, job, lambda now: "trying again" in now.phase or ended(now))
    assert waiting.active, "the reason is shown while the worker still tries"
    assert "cannot be reached" in waiting.phase
    failed = until(store, job, ended)
    assert (failed.state, failed.done, failed.failed) == ("failed", 50, 0)
    assert "cannot be reached" in failed.error
    fake(port=int(server.url.split(":")[2].removesuffix("/v1")))
    assert run_job(store, job, lambda line: None) == JobOutcome("done")
    assert progress(store, job).generations == 1000


@pytest.mark.usefixtures("forked_workers")
@pytest.mark.parametrize("way", ["by its row", "by a signal"])
def test_a_job_stops_soon_and_is_resumed_later(way: str, store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(hold_after=20)
    job = control.start(store, spec_for(pool_of(100), neyman_home, server.url))
    until(store, job, lambda now: now.done >= 20)
    process = store.row(job).process
    assert process is not None
    if way == "by its row":
        control.stop(store, job)
        assert progress(store, job).stopping
    else:
        os.kill(process.pid, signal.SIGTERM)
    requested = time.time()
    # The worker has noticed once it has written a heartbeat.
    until(store, job, lambda now: store.row(job).heartbeat > requested)
    server.release()
    stopped = until(store, job, ended)
    assert (stopped.state, stopped.stopping) == ("stopped", False)
    assert 20 <= stopped.done < 100
    assert stopped.resumable
    assert run_job(store, job, lambda line: None) == JobOutcome("done")
    # A stop lets what is under way arrive: nothing is asked twice.
    assert set(server.stats()["asked"].values()) == {1}


@pytest.mark.usefixtures("forked_workers")
def test_a_stop_waits_for_what_is_under_way_for_a_stated_time(store: Store, neyman_home: Path, fake: Fake) -> None:
    spec = spec_for(pool_of(100), neyman_home, fake(hold_after=20).url)
    job = control.start(store, replace(spec, connection=replace(spec.connection, drain=0.5)))
    until(store, job, lambda now: now.done >= 20)
    control.stop(store, job)
    assert until(store, job, ended, 20).state == "stopped"


@pytest.mark.usefixtures("forked_workers")
def test_a_second_signal_waits_for_nothing(store: Store, neyman_home: Path, fake: Fake) -> None:
    spec = spec_for(pool_of(100), neyman_home, fake(hold_after=20).url)
    job = control.start(store, replace(spec, connection=replace(spec.connection, drain=600.0)))
    until(store, job, lambda now: now.done >= 20)
    process = store.row(job).process
    assert process is not None
    os.kill(process.pid, signal.SIGTERM)
    waiting = until(store, job, lambda now: "under way" in now.phase)
    assert waiting.active and waiting.phase == "requests under way: 16"
    os.kill(process.pid, signal.SIGTERM)
    assert until(store, job, ended, 20).state == "stopped"


@pytest.mark.usefixtures("forked_workers")
def test_a_wait_that_a_server_asks_for_is_shown(store: Store, neyman_home: Path, fake: Fake) -> None:
    fail = {"after": 5, "status": 429, "times": 1, "headers": "Retry-After: 600\r\n"}
    job = control.start(store, spec_for(pool_of(100), neyman_home, fake(fail=fail).url))
    waiting = until(store, job, lambda now: "asks to wait until" in now.phase)
    assert waiting.active and waiting.done < 100
    # A stop does not wait for the server to want requests again.
    control.stop(store, job)
    assert until(store, job, ended, 30).state == "stopped"


@pytest.mark.usefixtures("forked_workers")
def test_force_ends_a_worker_that_waits(store: Store, neyman_home: Path, fake: Fake) -> None:
    job = control.start(store, spec_for(pool_of(5), neyman_home, fake(hold_after=0).url))
    until(store, job, lambda now: now.phase == "asking the first item")
    control.stop(store, job, force=True)
    assert until(store, job, ended).state == "lost"


def test_the_same_work_is_not_started_twice(store: Store, neyman_home: Path, fake: Fake) -> None:
    spec = spec_for(pool_of(20), neyman_home, fake().url)
    job = store.create(spec, 20)
    claim = Claim(store, job)
    faster = replace(spec, connection=replace(spec.connection, concurrency=64))
    with pytest.raises(SurrogateError, match=f"{job}.* is already running"):
        control.start(store, faster)
    with pytest.raises(SurrogateError, match="already running"):
        control.resume(store, job)
    with pytest.raises(SurrogateError, match=f"another process \\({os.getpid()}\\)"):
        run_job(store, job, lambda line: None)
    claim.finish("stopped")
    claim.close()
    assert run_job(store, job, lambda line: None) == JobOutcome("done")
    with pytest.raises(SurrogateError, match="nothing left to ask"):
        run_job(store, job, lambda line: None)


def test_a_worker_that_dies_before_it_begins_is_lost(store: Store, neyman_home: Path) -> None:
    spec = spec_for(pool_of(1), neyman_home, "http://127.0.0.1:9/v1")
    job = store.create(spec, 1)
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        process = process_of(child.pid)
        child.wait()
    store.spawned(job, process or Process(this_process().host, child.pid, "0"))
    assert progress(store, job).state == "lost"
    # Nothing is lost that has ended while somebody looked.
    before = store.row(job)
    store.ask_to_stop(job)
    assert progress_of(store, before).state == "stopped"


def test_a_full_disk_is_told_and_the_rest_comes_later(
    store: Store, neyman_home: Path, fake: Fake, tmp_path: Path
) -> None:
    server = fake(content="x" * 20_000 + "Answer: 1")
    spec = spec_for(pool_of(20), neyman_home, server.url)
    job, log, status = store.create(spec, 20), tmp_path / "log", tmp_path / "status"
    # Files may not grow beyond two megabytes, as on a disk that is nearly full.
    fork(log, ["resume", job], os.environ, most=2_000_000, status=str(status)).wait(120)
    assert status.read_text() == "1"
    said = log.read_text()
    assert str(neyman_home) in said and "resume" in said and "Traceback" not in said
    before = progress(store, job)
    assert before.state in ("failed", "lost") and before.done < 20
    assert run_job(store, job, lambda line: None) == JobOutcome("done")
    assert progress(store, job).generations == 200
    with store.database.connection() as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.usefixtures("forked_workers")
def test_progress_shows_what_a_page_needs(store: Store, neyman_home: Path, fake: Fake) -> None:
    pool = pool_of(50)
    spec = spec_for(pool, neyman_home, fake(answers=3, tokens=4).url)
    spec = replace(spec, prices=replace(spec.prices, prompt=2.0, completion=10.0))
    job = control.start(store, spec)
    done = until(store, job, ended)
    assert (done.state, done.done, done.total, done.share, done.unparsed_share) == ("done", 50, 50, 1.0, 0.0)
    assert done.cost == pytest.approx((2.0 * 50 * 11 + 10.0 * 50 * 40) / 1e6)
    assert done.request is not None and done.request.most == 10
    assert done.versions["neyman"] and done.versions["python"]
    assert done.log.read_text().startswith(f"Job {job}\n")
    shown = examples(store, job)
    assert len(shown) == 3 and all(len(example.generations) == 10 for example in shown)
    assert shown[0].generations[0].text.startswith("So it is.\nAnswer: ")
    assert failures(store, job) == []
    assert [one.id for one in jobs(store, spec.digest)] == [job]
    # The running distribution of SE is that of the finished pool.
    parts = partitions(store, job)
    running = sorted(
        value for value, n in zip(semantic_entropy(parts.classes), parts.items, strict=True) for _ in range(n)
    )
    finished = sorted(semantic_entropy(pool_with(store, pool, job).classes()))
    assert running == pytest.approx(finished)
    assert (done.requests, done.prompt_tokens, done.completion_tokens) == (50, 550, 2000)
    assert (done.expected_tokens, done.expected_cost) == pytest.approx((2000, done.cost))


@pytest.mark.usefixtures("forked_workers")
def test_no_key_is_in_the_store_the_command_the_logs_or_the_errors(
    store: Store, neyman_home: Path, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEYMAN_API_KEY", raising=False)
    secret = "very-secret-key-4711"
    server = fake(key="another-one")
    job = control.start(store, spec_for(pool_of(3), neyman_home, server.url), secret)
    failed = until(store, job, ended)
    assert "refuses the key" in failed.error
    # The key did arrive, and the server's answer repeated it.
    assert any(secret in head for head in server.stats()["headers"])
    for path in neyman_home.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes()
    with sqlite3.connect(neyman_home / "neyman.sqlite") as database:
        assert secret not in "\n".join(database.iterdump())
    database.close()


def test_a_job_needs_a_server_and_a_kept_pool(store: Store, neyman_home: Path) -> None:
    spec = spec_for(pool_of(1), neyman_home, "http://127.0.0.1:9/v1")
    with pytest.raises(SurrogateError, match="has no server"):
        control.start(store, replace(spec, connection=Connection()))
    with pytest.raises(SurrogateError, match="pool is no longer in NEYMAN_HOME"):
        control.start(store, replace(spec, digest="0" * 64))
    assert jobs(store) == []
