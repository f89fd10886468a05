"""Kill worker and server of a run at random moments, with a real vLLM, and count what is lost: ``make kills``.

A job that starts its server itself asks for ten short generations of each of ITEMS items. At random moments, drawn from
SEED, one or both of its processes are killed at once, KILLS in all, some while the server starts. A worker
restarts its server; a job without a worker, or whose worker has stopped trying, is resumed. Before and after each kill
and at the end the store is compared row by row, and the tokens that the servers have counted over all their lives are
compared with those that are kept. The status is 1 if anything is lost or doubled, or too much is generated in vain.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from bench.vllm_overhead import MODEL, questions
from core.archive import Archive
from core.surrogate import (
    Connection,
    JobProgress,
    JobSpec,
    Prompting,
    Sampling,
    Serving,
    Store,
    progress,
    resume,
    start,
    stop,
)
from tests.vllm.conftest import ARGUMENTS, SETTINGS

ITEMS = int(os.environ.get("ITEMS", "3000"))
KILLS = int(os.environ.get("KILLS", "42"))
SEED = int(os.environ.get("SEED", "0"))
MINUTES = float(os.environ.get("MINUTES", "120"))
CONCURRENCY, MAX_TOKENS = 4, 16
SAMPLING = Sampling(presence_penalty=0.0, max_tokens=MAX_TOKENS)
UNDER_WAY = CONCURRENCY * SAMPLING.k * MAX_TOKENS
MOST_IN_VAIN = 0.06
# One or both are killed at a moment, equally often; so often a moment falls into a start of the server.
VICTIMS = ("worker", "server")
EARLY, EARLY_SECONDS = 1 / 4, 30.0
LOOK = 0.5
# An engine that has lost its server ends by itself, or is ended when the server is started again.
ENGINE, ENGINE_SECONDS = "EngineCore", 5.0
COUNTER = "vllm:generation_tokens_total"

Rows = dict[tuple[int, int], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Moment:
    """``delay`` seconds after ``done`` items are answered (None: after the moment before), and who is killed then."""

    done: int | None
    delay: float
    victims: tuple[str, ...]


@dataclass(slots=True)
class Life:
    """The counters of one server: when it was read last, its tokens then, and tokens per second before that."""

    moment: float
    tokens: float
    pace: float = 0.0

    def read(self, moment: float, tokens: float) -> None:
        self.pace = (tokens - self.tokens) / (moment - self.moment)
        self.moment, self.tokens = moment, tokens


@dataclass(slots=True)
class Meter:
    """The tokens that servers have generated, by the counter that each of them serves."""

    lives: dict[psutil.Process, Life] = field(default_factory=dict)

    @property
    def tokens(self) -> float:
        return sum(life.tokens for life in self.lives.values())

    def read(self, server: psutil.Process) -> None:
        """Read a server's counter; one that does not answer, because it starts or ends, stays as it is."""
        with suppress(OSError, ValueError, psutil.Error):
            words = server.cmdline()
            moment = time.monotonic()
            address = f"http://127.0.0.1:{words[words.index('--port') + 1]}/metrics"
            with urllib.request.urlopen(address, timeout=10) as page:
                lines = page.read().decode().splitlines()
            tokens = sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(COUNTER))
            self.lives.setdefault(server, Life(moment - LOOK, 0.0)).read(moment, tokens)

    def follow(self, server: psutil.Process, engine: psutil.Process) -> float:
        """Read a server's counter until its engine is gone; return what it may have generated since the last time."""
        deadline = time.monotonic() + ENGINE_SECONDS
        while is_running(engine) and time.monotonic() < deadline:
            self.read(server)
            time.sleep(LOOK / 10)
        life = self.lives.get(server)
        return 0.0 if life is None else life.pace * (time.monotonic() - life.moment)


class Campaign:
    """A job that runs in ``home``, and what was done to it."""

    def __init__(self, home: Path) -> None:
        self.store, self.meter = Store(home), Meter()
        self.rows: Rows = {}
        self.killed: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        self.in_vain = 0.0
        self.lost = self.early = self.moments = 0
        spec = JobSpec(
            Archive(home).pools.save(questions(ITEMS), "2026-11-20T12:00:00+00:00"),
            MODEL,
            Connection(concurrency=CONCURRENCY),
            Serving(MODEL, dtype="float32", gpu_memory=0.3, arguments=ARGUMENTS),
            SAMPLING,
            Prompting(template="{question}"),
        )
        self.began = time.monotonic()
        self.job = start(self.store, spec)

    def run(self, moments: Sequence[Moment]) -> JobProgress:
        """Kill at each moment, then let the job come to its end; after MINUTES stop it where it is."""
        for moment in moments:
            if moment.done is not None:
                self._until(lambda state, done=moment.done: state.done >= done)  # type: ignore[misc]
            deadline = time.monotonic() + moment.delay
            self._until(lambda _, at=deadline: time.monotonic() >= at)  # type: ignore[misc]
            if not self._until(lambda _, victims=moment.victims: self._kill(victims)):  # type: ignore[misc]
                break
        self._until(lambda _: False)
        if progress(self.store, self.job).active:
            stop(self.store, self.job)
            while progress(self.store, self.job).active:
                self._look()
        self._compare()
        return progress(self.store, self.job)

    def _compare(self) -> Rows:
        """Read the generations in the store, by item and sample, number of tokens last; count those gone or changed."""
        query = "SELECT position, sample, text, answer, logprob, token_logprob, tokens FROM surrogate_generations"
        with self.store.database.connection() as database:
            rows = {(position, sample): tuple(rest) for position, sample, *rest in database.execute(query)}
        self.lost += sum(rows.get(key) != row for key, row in self.rows.items())
        self.rows = rows
        return rows

    def _until(self, reached: Callable[[JobProgress], bool]) -> bool:
        """Keep the job going until something is reached; False if the job is done before, or time is over."""
        while time.monotonic() < self.began + 60 * MINUTES:
            state = self._look()
            if reached(state):
                return True
            if state.state == "done":
                return False
            if not state.active:
                self.ends[state.error or state.state] += 1
                resume(self.store, self.job)
        return False

    def _look(self) -> JobProgress:
        time.sleep(LOOK)
        if server := self._processes().get("server"):
            self.meter.read(server)
        return progress(self.store, self.job)

    def _processes(self) -> dict[str, psutil.Process]:
        """Those of the job's two processes that are there."""
        there: dict[str, psutil.Process] = {}
        process = self.store.row(self.job).process
        with suppress(psutil.Error, StopIteration):
            if process is not None and is_running(worker := psutil.Process(process.pid)):
                there["worker"] = worker
                lifeline = next(child for child in worker.children() if is_running(child, "lifeline.py"))
                there["server"] = next(child for child in lifeline.children() if is_running(child))
        return there

    def _kill(self, victims: Sequence[str]) -> bool:
        """Kill processes of the job at once, and see what that did; False if they are not all there yet."""
        there = self._processes()
        if not there.keys() >= set(victims):
            return False
        # While the worker is about to start it, the server is not there yet.
        *_, server = there.values()
        engine = next((child for child in children(server) if is_running(child, ENGINE)), server)
        self._compare()
        self.meter.read(server)
        answered = server in self.meter.lives
        for name in victims:
            with suppress(psutil.NoSuchProcess):
                there[name].kill()
                self.killed[name] += 1
        unread = self.meter.follow(server, engine)
        # What a worker has received it stores within a blink.
        time.sleep(1)
        stored = tokens_of(self._compare())
        if answered:
            # What an engine did after its last answer is bounded by what the requests under way still lacked.
            lacked = UNDER_WAY - (self.meter.tokens - stored - self.in_vain)
            self.meter.lives[server].tokens += min(unread, max(0.0, lacked))
        self.in_vain = self.meter.tokens - stored
        self.early += not answered
        self.moments += 1
        print(
            f"{time.monotonic() - self.began:5.0f} s  {' + '.join(victims):23}"
            f"{'generating' if answered else 'starting':11}{len(self.rows):7,} stored, {self.lost} lost;"
            f" tokens {self.meter.tokens:9,.0f}, in vain {self.in_vain:7,.0f}",
            flush=True,
        )
        return True


def main() -> None:
    """Run the campaign in a temporary home and print what it came to."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ.update(SETTINGS)
        campaign, planned = Campaign(Path(folder) / "home"), moments(random.Random(SEED))
        try:
            state = campaign.run(planned)
        finally:
            stop(campaign.store, campaign.job, force=True)
        sys.exit(report(campaign, state, len(planned)))


def moments(chance: random.Random) -> list[Moment]:
    """Draw KILLS kills, spread over the whole run."""
    drawn: list[tuple[str, ...]] = []
    while sum(map(len, drawn)) < KILLS:
        drawn.append(tuple(sorted(chance.sample(VICTIMS, chance.randint(1, len(VICTIMS))), key=VICTIMS.index)))
    early = [place > 0 and chance.random() < EARLY for place in range(len(drawn))]
    done = iter(sorted(chance.sample(range(ITEMS // 100, ITEMS - ITEMS // 50), early.count(False))))
    return [
        Moment(None, chance.uniform(0, EARLY_SECONDS), victims)
        if soon
        else Moment(next(done), chance.uniform(0, 1), victims)
        for soon, victims in zip(early, drawn, strict=True)
    ]


def report(campaign: Campaign, state: JobProgress, planned: int) -> bool:
    """Print the table; return whether anything is not as it should be, or moments of the plan never came.

    A process may have ended with another one of the same moment before it was killed itself.
    """
    rows = campaign.rows
    with campaign.store.database.connection() as database:
        (stored,) = database.execute("SELECT count(*) FROM surrogate_generations").fetchone()
    samples = Counter(position for position, _ in rows)
    uneven = sum(number != SAMPLING.k for number in samples.values()) + state.done - len(samples)
    # Every reply that is stored brings all generations of an item.
    doubled = stored - len(rows) + SAMPLING.k * (state.requests - state.done)
    # The last server ends before its counter is read for the last time, with every answer stored.
    in_vain = max(campaign.in_vain, campaign.meter.tokens - tokens_of(rows))
    generated = tokens_of(rows) + in_vain
    victims = ", ".join(f"{name} {number}" for name, number in sorted(campaign.killed.items()))
    lines = {
        "Kills": f"{campaign.killed.total()} ({victims}), {campaign.early} of {campaign.moments} moments in a start",
        "Starts of the server": f"{len(state.server_logs)}; the job was resumed {campaign.ends.total()} times",
        "Items": f"{state.done:,} of {ITEMS:,} answered, {state.failed} failed; {state.state}",
        "Generations": f"{len(rows):,}; {uneven} items have not exactly {SAMPLING.k}",
        "Lost or changed": f"{campaign.lost}",
        "Doubled": f"{doubled}",
        "Tokens": f"{generated:,.0f} generated, {tokens_of(rows):,} kept",
        "In vain": f"{in_vain:,.0f} tokens, {in_vain / generated:.1%} (at most {MOST_IN_VAIN:.0%})",
        "Time": f"{(time.monotonic() - campaign.began) / 60:.1f} minutes, {os.cpu_count()} cores",
    }
    print(f"\n{ITEMS:,} items × {SAMPLING.k}, at most {MAX_TOKENS} tokens, {CONCURRENCY} at a time, seed {SEED}")
    for name, text in lines.items():
        print(f"{name:22}{text}")
    for reason, times in campaign.ends.items():
        print(f"  resumed {times} ×: {reason}")
    whole = state.state == "done" and state.done == ITEMS and campaign.moments == planned
    return not whole or bool(campaign.lost or uneven or doubled) or in_vain > MOST_IN_VAIN * generated


def tokens_of(rows: Rows) -> int:
    """The tokens of generations in the store."""
    return sum(tokens for *_, tokens in rows.values())


def children(process: psutil.Process) -> list[psutil.Process]:
    """A process's children; none if it is gone."""
    with suppress(psutil.Error):
        return process.children()
    return []


def is_running(process: psutil.Process, script: str = "") -> bool:
    """Whether a process is there and no zombie, and has the script on its command line."""
    with suppress(psutil.Error):
        return (
            process.is_running() and process.status() != psutil.STATUS_ZOMBIE and script in " ".join(process.cmdline())
        )
    return False


if __name__ == "__main__":
    main()
