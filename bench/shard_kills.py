"""Survival of shards: kill -9 of their workers at random moments, then a merge: ``make kills-sharded``.

SHARDS workers ask a stand-in server, whose answers follow from question and seed, for ten generations of each of ITEMS
items. At random moments, drawn from SEED, one of them is killed, KILLS times in all, and started again. What was stored
is compared before and after every kill. At the end the shards are merged, and the rows are compared one by one with
those of a single machine. The status is 1 if anything is lost, doubled or different.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from core.pool import Pool
from core.surrogate import Store
from tests.conftest import ROOT
from tests.core.surrogate.conftest import faking

ITEMS = int(os.environ.get("ITEMS", "3000"))
SHARDS = int(os.environ.get("SHARDS", "3"))
KILLS = int(os.environ.get("KILLS", "24"))
SEED = int(os.environ.get("SEED", "0"))
K = 10
# Slow enough that no shard is done before the last kill, though a start takes seconds.
LATENCY, CONCURRENCY, MOST_ITEMS = 0.3, 1, 20

Rows = dict[tuple[int, int], tuple[str, float]]


class Shards:
    """Workers of all shards, and what they have stored."""

    def __init__(self, folder: Path, words: list[str]) -> None:
        self.home = folder / "home"
        self._words = words
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        self.rows: list[Rows] = [{} for _ in range(SHARDS)]
        self.lost = 0

    def start(self, shard: int) -> None:
        self._workers[shard] = surrogate(self.home, "run", *self._words, f"--shard={shard}/{SHARDS}")

    def kill(self, shard: int) -> bool:
        """Kill a worker; False if it had ended by itself, whose last words are printed."""
        self.compare(shard)
        worker = self._workers[shard]
        worker.kill()
        killed = worker.wait() < 0
        self.compare(shard)
        if not killed:
            print(log_of(self.home, "run", f"--shard={shard}/{SHARDS}").read_text(encoding="utf-8")[-500:], flush=True)
        return killed

    def compare(self, shard: int) -> Rows:
        """Read what a shard has stored; count what is gone or changed."""
        folder = self.home / "shards" / f"{shard}-of-{SHARDS}"
        rows: Rows = {}
        if (folder / "neyman.sqlite").exists():
            with Store(folder).database.connection() as database:
                query = "SELECT position, sample, text, logprob FROM surrogate_generations"
                rows = {(place, sample): (text, logprob) for place, sample, text, logprob in database.execute(query)}
        self.lost += sum(rows.get(key) != row for key, row in self.rows[shard].items())
        self.rows[shard] = rows
        return rows

    def wait(self) -> bool:
        """Wait for all workers; whether all ended well."""
        return all(worker.wait() == 0 for worker in self._workers.values())

    def end(self) -> None:
        for worker in self._workers.values():
            worker.kill()
            worker.wait()


def surrogate(home: Path, *words: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {"NEYMAN_HOME": str(home)}
    command = [sys.executable, "-m", "core.surrogate", *words]
    with log_of(home, words[0], words[-1]).open("ab") as log:
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def log_of(home: Path, command: str, last: str) -> Path:
    """Return the path of a command's output, one file for each shard."""
    return home.with_name(f"{home.name}-{command}-{last.rpartition('=')[2].replace('/', '-')}.log")


def main() -> None:
    """Run the campaign in a temporary folder and print what it came to."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name,
        faking(deterministic=True, answers=1_000, latency=LATENCY) as server,
    ):
        folder = Path(name)
        records = [{"id": f"i{i}", "prompt": f"What is item {i}?", "answer_kind": "number"} for i in range(ITEMS)]
        Pool.from_records(records).write(folder / "pool.parquet")
        words = [f"--pool={folder / 'pool.parquet'}", "--model=m", f"--base-url={server.url}", f"--k={K}", "--seed=5"]
        shards = Shards(folder, [*words, f"--concurrency={CONCURRENCY}"])
        chance, began = random.Random(SEED), time.monotonic()
        try:
            killed = campaign(shards, chance)
            server.behave(latency=0)
            whole = shards.wait()
        finally:
            shards.end()
        for shard in range(SHARDS):
            shards.compare(shard)
        minutes = (time.monotonic() - began) / 60
        answered = sum(server.stats()["samples"].values())
        out = {name: folder / f"{name}.parquet" for name in ("merged", "single")}
        seconds = {
            "merged": ended(
                surrogate(folder / "merged", "merge", str(shards.home), f"--out={out['merged']}", "--rows")
            ),
            "single": ended(surrogate(folder / "single", "run", *words, f"--out={out['single']}", "--rows")),
        }
        rows, single = sorted_rows(out["merged"]), sorted_rows(out["single"])
        keys = set(zip(rows.column("item").to_pylist(), rows.column("sample").to_pylist(), strict=True))
        doubled, same = len(rows) - len(keys), rows.equals(single)
        print(f"{ITEMS:,} items × {K}, {SHARDS} shards, {killed} kills, seed {SEED}, {minutes:.1f} minutes")
        print(f"Generations  {len(rows):,} merged; {answered:,} answered, {answered - len(rows):,} of them in vain")
        print(f"Lost {shards.lost}, doubled {doubled}, rows of a single machine: {'the same' if same else 'others'}")
        print(f"CPU          merge {seconds['merged']:.1f} s, the single machine {seconds['single']:.1f} s")
        sys.exit(not (whole and same and killed == KILLS) or bool(shards.lost or doubled))


def ended(process: subprocess.Popen[bytes]) -> float:
    """Wait for a process that must end well; return the seconds of CPU time that it took."""
    before = used()
    if process.wait():
        raise SystemExit(f"{process.args} ended with {process.returncode}.")
    return used() - before


def used() -> float:
    """CPU time in seconds that processes of ours have taken that have ended."""
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times.ru_utime + times.ru_stime


def campaign(shards: Shards, chance: random.Random) -> int:
    """Start all workers and kill them again and again, each after it has stored something; return the kills."""
    for shard in range(SHARDS):
        shards.start(shard)
    killed = 0
    while killed < KILLS:
        shard = chance.randrange(SHARDS)
        before, items = len(shards.compare(shard)), chance.randint(0, MOST_ITEMS)
        deadline = time.monotonic() + 120
        while len(shards.compare(shard)) < before + K * items and time.monotonic() < deadline:
            time.sleep(0.05)
        if not shards.kill(shard):
            break
        shards.start(shard)
        killed += 1
    return killed


def sorted_rows(path: Path) -> pa.Table:
    return pq.read_table(path).sort_by([("item", "ascending"), ("sample", "ascending")])


if __name__ == "__main__":
    main()
