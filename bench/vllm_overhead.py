"""Share of a vLLM server's speed that reaches the store: ``make bench-vllm``.

One server, the same prompts, samples, log-probabilities and concurrency, by turns: vLLM's own serving benchmark, our
worker (from its first look at the job to the last row stored), and a bare client that throws the answers away. vLLM's
benchmark streams its answers; the bare client does not, as our worker does not, so it is the stricter comparison.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp

from core.archive import Archive
from core.pool import Pool
from core.readers import read
from core.surrogate import Connection, JobSpec, Prompting, Sampling, Server, Serving, Store, run_job, serve

ROOT = Path(__file__).resolve().parent.parent
MODEL = str(ROOT / "data" / "tiny_lm" / "surrogate")
ITEMS = int(os.environ.get("ITEMS", "600"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
CONCURRENCY = 32
LEAST, AIM = 0.85, 0.95
SAMPLING = Sampling(presence_penalty=0.0, max_tokens=192)
BENCHMARK = """
import argparse, sys
from vllm.benchmarks.serve import add_cli_args, main
parser = argparse.ArgumentParser()
add_cli_args(parser)
main(parser.parse_args(sys.argv[1:]))
"""


def main() -> None:
    """Measure by turns and print items per second, and ours as a share of the others'."""
    if len(sys.argv) > 1:
        print(json.dumps(ours(*sys.argv[1:])))
        return
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(compare(Path(folder)))


async def compare(folder: Path) -> None:
    pool = questions(ITEMS)
    prompts = pool.table.column("prompt").to_pylist()
    lines = [json.dumps({"prompt": prompt, "output_tokens": SAMPLING.max_tokens}) for prompt in prompts]
    (folder / "prompts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    digest = Archive(folder).pools.save(pool, "2026-11-20T12:00:00+00:00")
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    os.environ["VLLM_CACHE_ROOT"] = str(folder / "cache")
    arguments = ("--enforce-eager", "--max-num-seqs", "64")
    serving = Serving(MODEL, dtype="float32", gpu_memory=0.3, arguments=arguments)
    ways: dict[str, Callable[[Server], Any]] = {
        "vLLM's benchmark": lambda server: theirs(server, folder),
        "our worker": lambda server: in_process_of_its_own(server, folder, digest),
        "a bare client": lambda server: bare(server, prompts),
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    async with serve(serving, lambda: folder / "server.log") as server:
        await bare(server, prompts[:64])  # The first requests after a start are slower.
        for _ in range(ROUNDS):
            for name, way in ways.items():
                rates[name].append(await way(server))
                print(f"{name:20}{rates[name][-1]:8.1f} items/s", flush=True)
    report(rates)


def questions(items: int) -> Pool:
    """So many questions of the demo, of every kind, in an order that mixes them; more than it has begin again."""
    prompts = read(ROOT / "data" / "demo.jsonl.gz").table.column("prompt").to_pylist()
    return Pool.from_records([{"id": str(i), "prompt": prompts[7 * i % len(prompts)]} for i in range(items)])


def report(rates: dict[str, list[float]]) -> None:
    print(f"\n{ITEMS} items × {SAMPLING.k} with log-probabilities, concurrency {CONCURRENCY}, {os.cpu_count()} cores")
    for name, measured in rates.items():
        share = statistics.median(mine / other for mine, other in zip(rates["our worker"], measured, strict=True))
        print(f"{name:20}{statistics.median(measured):8.1f} items/s; our worker has {share:.2f} of it")
    share = statistics.median(
        mine / other for mine, other in zip(rates["our worker"], rates["vLLM's benchmark"], strict=True)
    )
    print(f"Wanted: {LEAST} of vLLM's benchmark, aim {AIM}: {'kept' if share >= LEAST else 'NOT KEPT'}.")


async def theirs(server: Server, folder: Path) -> float:
    extra = {"n": SAMPLING.k, **{k: v for k, v in SAMPLING.parameters().items() if k != "max_tokens"}}
    words = ["--backend", "openai-chat", "--endpoint", "/v1/chat/completions", "--model", MODEL]
    words += ["--base-url", server.url.removesuffix("/v1"), "--extra-body", json.dumps(extra)]
    words += ["--dataset-name", "custom", "--dataset-path", str(folder / "prompts.jsonl"), "--custom-output-len", "-1"]
    words += ["--num-prompts", str(ITEMS), "--max-concurrency", str(CONCURRENCY), "--disable-shuffle"]
    words += ["--skip-chat-template", "--disable-tqdm"]
    words += ["--save-result", "--result-dir", str(folder), "--result-filename", "theirs.json"]
    with (folder / "theirs.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", BENCHMARK, *words, cwd=folder, stdout=log, stderr=log,
            env=os.environ | {"OPENAI_API_KEY": server.key},
        )  # fmt: skip
        if await process.wait():
            raise SystemExit((folder / "theirs.log").read_text()[-3000:])
    result = json.loads((folder / "theirs.json").read_text())
    if result["completed"] != ITEMS:
        raise SystemExit(f"vLLM's benchmark completed {result['completed']} of {ITEMS} requests.")
    return float(result["completed"] / result["duration"])


async def in_process_of_its_own(server: Server, folder: Path, digest: str) -> float:
    words = [sys.executable, "-m", "bench.vllm_overhead", server.url, str(folder), digest]
    environment = os.environ | {"NEYMAN_API_KEY": server.key}
    process = await asyncio.create_subprocess_exec(*words, cwd=ROOT, env=environment, stdout=subprocess.PIPE)
    out, _ = await process.communicate()
    measured = json.loads(out.splitlines()[-1])
    print(f"{'':20}{measured['cpu_ms']:8.2f} ms of CPU time per item, at most {measured['megabytes']:.0f} MB")
    return float(measured["rate"])


def ours(url: str, folder: str, digest: str) -> dict[str, float]:
    """Run a job in this process; items per second, and what it cost."""
    store = Store(folder)
    spec = JobSpec(digest, MODEL, Connection((url,), CONCURRENCY), None, SAMPLING, Prompting(template="{question}"))
    job = store.create(spec, ITEMS)
    began, cpu = time.perf_counter(), time.process_time()
    outcome = run_job(store, job, lambda line: None)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    row = store.row(job)
    if outcome.state != "done" or row.generations != ITEMS * SAMPLING.k:
        raise SystemExit(f"{outcome} {row}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"rate": ITEMS / seconds, "cpu_ms": 1000 * cpu / ITEMS, "megabytes": peak}


async def bare(server: Server, prompts: list[str]) -> float:
    limit = asyncio.Semaphore(CONCURRENCY)
    body = {"model": MODEL, "n": SAMPLING.k, **SAMPLING.parameters()}
    headers = {"Authorization": f"Bearer {server.key}"}
    async with aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(600)) as session:

        async def ask(prompt: str) -> None:
            request = body | {"messages": [{"role": "user", "content": prompt}]}
            async with limit, session.post(f"{server.url}/chat/completions", json=request) as answer:
                answer.raise_for_status()
                await answer.read()

        began = time.perf_counter()
        await asyncio.gather(*map(ask, prompts))
        return len(prompts) / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
