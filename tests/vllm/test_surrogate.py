"""The whole way through a real vLLM: our own server and somebody else's, killed workers, killed servers."""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from core.archive import Archive
from core.pool import Pool
from core.readers import read
from core.signals import self_consistency, semantic_entropy
from core.surrogate import control
from core.surrogate.batch.requests import create, write
from core.surrogate.batch.results import read as read_results
from core.surrogate.client import http
from core.surrogate.client.load import Load
from core.surrogate.job.parameters import VERDICT_SAMPLING, Connection, Grouping, Prompting, Sampling, Serving, Shot
from core.surrogate.job.progress import JobProgress, progress
from core.surrogate.job.source import Item
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.meaning import judged_meanings
from core.surrogate.results import pool_with
from core.surrogate.trial import try_out
from core.surrogate.worker.run import run_job
from tests.conftest import ROOT
from tests.vllm.conftest import GPU_MEMORY, MODELS, Serve

N_ITEMS = 200
CREATED = "2026-11-20T12:00:00+00:00"
SAMPLING = Sampling(presence_penalty=0.0, max_tokens=192)


@pytest.fixture(scope="module")
def demo() -> Pool:
    """Every fifteenth item of the demo pool, with the generations it came with."""
    pool = read(ROOT / "data" / "demo.jsonl.gz")
    return Pool("demo", pool.table.take(list(range(0, pool.n_items, pool.n_items // N_ITEMS))[:N_ITEMS]))


@pytest.fixture
def store(neyman_home: Path) -> Store:
    return Store(neyman_home)


def spec_for(demo: Pool, home: Path, **more: Any) -> JobSpec:
    digest = Archive(home).save(demo, CREATED)
    return JobSpec(digest, sampling=SAMPLING, prompting=Prompting(template="{question}"), **more)


def until(store: Store, job: str, reached: Callable[[JobProgress], bool], seconds: float = 400) -> JobProgress:
    deadline = time.monotonic() + seconds
    while not reached(state := progress(store, job)):
        assert time.monotonic() < deadline, f"{state}\n{state.log.read_text()}"
        time.sleep(0.1)
    return state


def ended(job: JobProgress) -> bool:
    return not job.active


def rows(store: Store) -> dict[tuple[int, int], tuple[Any, ...]]:
    with store.database.connection() as database:
        query = "SELECT position, sample, text, logprob, token_logprob, tokens FROM surrogate_generations"
        return {(position, sample): tuple(rest) for position, sample, *rest in database.execute(query)}


def every_sample() -> set[tuple[int, int]]:
    return {(position, sample) for position in range(N_ITEMS) for sample in range(SAMPLING.k)}


def server_processes(home: Path) -> list[psutil.Process]:
    """Processes of the servers that were started with their working folder in ``home``: theirs and their children's."""
    inside = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if Path(process.cwd()).is_relative_to(home.resolve()) and process.status() != psutil.STATUS_ZOMBIE:
                inside.append(process)
    return inside


def test_our_own_server_samples_the_demos_distribution_whatever_is_killed(
    store: Store, neyman_home: Path, demo: Pool
) -> None:
    pytest.importorskip("vllm")
    arguments = ("--enforce-eager", "--max-num-seqs", "64")
    serving = Serving(str(MODELS / "surrogate"), dtype="float32", gpu_memory=GPU_MEMORY, arguments=arguments)
    spec = spec_for(demo, neyman_home, model=serving.model, serving=serving, connection=Connection(concurrency=8))
    job = control.start(store, spec)
    until(store, job, lambda job_progress: job_progress.done >= 40 or not job_progress.active)
    first = rows(store)
    the_server(neyman_home).kill()
    # The worker starts it again, and the run goes on.
    until(store, job, lambda job_progress: job_progress.done >= 100 or not job_progress.active)
    restarted = progress(store, job)
    assert (restarted.state, restarted.failed, len(restarted.server_logs)) == ("running", 0, 2)
    worker, guard = store.row(job).process, the_server(neyman_home).parent()
    assert worker is not None and guard is not None
    for pid in (worker.pid, guard.pid):
        os.kill(pid, signal.SIGKILL)
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
    """The first process of the server, below its guard."""
    servers = [process for process in server_processes(home) if "api_server" in " ".join(process.cmdline())]
    return max(servers, key=lambda process: process.pid)


def nothing_is_left(home: Path) -> None:
    deadline = time.monotonic() + 30
    while server_processes(home):
        assert time.monotonic() < deadline, server_processes(home)
        time.sleep(0.1)


def compare(ours: Pool, theirs: Pool) -> None:
    """The signals of two sets of samples of one model agree within four standard errors of their mean difference."""
    for signal_of in (semantic_entropy, self_consistency):
        gaps = signal_of(ours.classes()) - signal_of(theirs.classes())
        print(f"{signal_of.__name__}: {gaps.mean():.4f} ± {gaps.std(ddof=1) / math.sqrt(len(gaps)):.4f}")
        assert abs(gaps.mean()) < 4 * gaps.std(ddof=1) / math.sqrt(len(gaps))
    spread = np.std(semantic_entropy(theirs.classes()))
    assert spread > 0.1


def test_stored_log_probabilities_are_those_that_vllm_reports(
    store: Store, neyman_home: Path, demo: Pool, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies: list[bytes] = []
    read_reply = http.read_reply
    monkeypatch.setattr(http, "read_reply", lambda content, secrets: bodies.append(content) or read_reply(content))
    server = serve("surrogate")
    small = Pool("demo", demo.table.slice(0, 30))
    connection = Connection((f"{server.url}/v1",), concurrency=1)
    job = store.create(spec_for(small, neyman_home, model=server.model, connection=connection), 30)
    assert run_job(store, job, lambda line: None).state == "done"
    stored = rows(store)
    assert len(bodies) == 30
    # One request at a time, in the pool's order.
    for position, body in enumerate(map(json.loads, bodies)):
        assert len(body["choices"]) == SAMPLING.k
        for choice in body["choices"]:
            reported = [token["logprob"] for token in choice["logprobs"]["content"]]
            text, logprob, mean, tokens = stored[position, choice["index"]]
            assert text == choice["message"]["content"]
            assert tokens == len(reported) > 1
            assert logprob == pytest.approx(sum(reported), abs=1e-9)
            assert mean == pytest.approx(sum(reported) / len(reported), abs=1e-9)
    generated = pool_with(store, small, job)
    assert generated.logprobs is not None and demo.logprobs is not None
    # The same answer to the same question has the same log-probability in the demo, whose model this is.
    assert demo.generations is not None and generated.generations is not None
    pairs = [
        (generated.logprobs[i, s], demo.logprobs[i, list(demo.generations[i]).index(text)])
        for i, texts in enumerate(generated.generations)
        for s, text in enumerate(texts)
        if text in demo.generations[i]
    ]
    assert len(pairs) > 50
    assert np.median(np.abs(np.subtract(*np.transpose(pairs)))) < 0.01


def test_a_killed_worker_is_resumed_and_nothing_is_asked_twice_that_had_arrived(
    store: Store, neyman_home: Path, demo: Pool, serve: Serve
) -> None:
    server = serve("surrogate")
    connection = Connection((f"{server.url}/v1",), concurrency=8)
    job = control.start(store, spec_for(demo, neyman_home, model=server.model, connection=connection))
    until(store, job, lambda job_progress: job_progress.done >= 40)
    os.kill(store.row(job).pid, signal.SIGKILL)
    lost = until(store, job, ended)
    assert lost.state == "lost" and lost.done < N_ITEMS
    before = rows(store)
    control.resume(store, job)
    done = until(store, job, ended)
    assert (done.state, done.done, done.failed) == ("done", N_ITEMS, 0)
    after = rows(store)
    assert set(after) == every_sample()
    assert {key: after[key] for key in before} == before
    assert done.requests == N_ITEMS
    compare(pool_with(store, demo, job), demo)


def test_vllm_holds_answers_to_letters_continues_texts_and_shows_its_load(serve: Serve) -> None:
    server = serve("surrogate")
    connection = Connection((f"{server.url}/v1",))
    item = Item(0, "a", "What is 2 + 3?", ("five", "six", "nine"), "gpqa")
    plain = JobSpec("0" * 64, server.model, connection, sampling=Sampling(k=2, presence_penalty=0.0, max_tokens=40))
    (limited,) = try_out(replace(plain, prompting=Prompting(letters_only=True)), item)
    assert limited.text in ("Answer: A", "Answer: B", "Answer: C") and limited.text.endswith(limited.answer or "?")
    assert {"structured_outputs", "n", "logprobs", "seed"} <= set(limited.taken) and not limited.refused
    shown = Prompting(base_model=True, shots=(Shot("What is 1 + 1?", "2"),))
    (continued,) = try_out(replace(plain, prompting=shown), replace(item, choices=(), kind="number"))
    assert not continued.error and "logprobs" in continued.taken
    load = asyncio.run(load_of(connection))
    assert load is not None and load.engines == 1 and load.tokens > 0


async def load_of(connection: Connection) -> Load | None:
    async with aclosing(http.Client(connection.base_urls[0], None, connection)) as client:
        return await client.load()


def test_a_real_judge_groups_answers(store: Store, neyman_home: Path, serve: Serve) -> None:
    server = serve("surrogate")
    records = [{"id": str(i), "prompt": f"{i} + 1 =", "generations": ["2", "two", "3", "2"]} for i in range(4)]
    pool = Pool.from_records(records, "open")
    # The model reads 256 bytes at most.
    prompting = Prompting(template="{question} {first} or {second}?", letters_only=True)
    connection = Connection((f"{server.url}/v1",))
    digest = Archive(neyman_home).save(pool, CREATED)
    spec = JobSpec(
        digest, server.model, connection, sampling=VERDICT_SAMPLING, prompting=prompting, grouping=Grouping()
    )
    expected = control.workload(pool, spec, store)
    job = store.create(spec, expected.requests)
    assert run_job(store, job, print).state == "done"
    # The model knows no meanings, but vLLM holds it to the three words.
    state = progress(store, job)
    said = {text for text, *_ in rows(store).values()}
    assert (state.done, state.unparsed, state.requests) == (24, 0, 24), said
    assert state.prompt_tokens + state.completion_tokens <= (expected.most_tokens or 0)
    assert judged_meanings(store, pool, spec).undecided == 0
    assert control.workload(pool, spec, store).requests == 0


def test_vllm_takes_everything_the_paper_sets(store: Store, neyman_home: Path, demo: Pool, serve: Serve) -> None:
    server = serve("surrogate")
    small = Pool("demo", demo.table.slice(0, 3))
    spec = JobSpec(
        Archive(neyman_home).save(small, CREATED),
        server.model,
        Connection((f"{server.url}/v1",)),
        sampling=Sampling(max_tokens=64, seed=5),
    )
    job = store.create(spec, 3)
    assert run_job(store, job, lambda line: None).state == "done"
    state = progress(store, job)
    assert state.request is not None and state.request.dropped == {} and state.request.most == 10
    assert dict(state.request.parameters) == SAMPLING.parameters() | {"presence_penalty": 1.5, "max_tokens": 64}


def test_an_item_that_does_not_fit_is_recorded_and_the_run_goes_on(
    store: Store, neyman_home: Path, serve: Serve
) -> None:
    server = serve("surrogate")
    pool = Pool.from_records(
        [{"id": "long", "prompt": "What is 1 + 1? " * 400}, {"id": "short", "prompt": "What is 1 + 1?"}]
    )
    digest = Archive(neyman_home).save(pool, CREATED)
    spec = JobSpec(digest, server.model, Connection((f"{server.url}/v1",)), sampling=SAMPLING)
    job = store.create(spec, 2)
    assert run_job(store, job, lambda line: None).state == "done with failures"
    state = progress(store, job)
    assert (state.done, state.failed) == (1, 1)
    with store.database.connection() as database:
        assert database.execute("SELECT position, kind FROM surrogate_failures").fetchall() == [(0, "too long")]


def test_an_unknown_model_is_told_in_one_sentence(store: Store, neyman_home: Path, demo: Pool, serve: Serve) -> None:
    server = serve("surrogate")
    spec = spec_for(demo, neyman_home, model="no-such-model", connection=Connection((f"{server.url}/v1",)))
    outcome = run_job(store, store.create(spec, N_ITEMS), lambda line: None)
    assert outcome.state == "failed"
    assert "does not know the model “no-such-model”" in outcome.error


def test_vllms_own_batch_command_answers_our_request_file(
    store: Store, neyman_home: Path, demo: Pool, tmp_path: Path
) -> None:
    pytest.importorskip("vllm")
    small = Pool("demo", demo.table.slice(0, 12))
    model = str(MODELS / "surrogate")
    job = create(store, spec_for(small, neyman_home, model=model))
    (requests,) = write(store, job, tmp_path, "vllm")
    command = [sys.executable, "-m", "vllm.entrypoints.openai.run_batch", "-i", str(requests)]
    command += ["-o", str(tmp_path / "results.jsonl"), "--model", model, "--dtype", "float32", "--enforce-eager"]
    command += ["--gpu-memory-utilization", str(GPU_MEMORY)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=400, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    report = read_results(store, job, [tmp_path / "results.jsonl"])
    assert (report.stored, report.failed, report.missing_items) == (12, 0, 0)
    assert progress(store, job).state == "done"
    generated = pool_with(store, small, job)
    assert generated.n_generations == SAMPLING.k
    assert generated.logprobs is not None and (generated.logprobs < 0).mean() > 0.9
