"""Many people at once, and one for long: ``python -m bench.sessions [--sessions 20] [--moves 25] [--alone 500] …``.

Each session has page Explore open. It moves a slider, waits until the page is drawn, pauses, and moves again. The
command prints, as it comes: what goes wrong in pages, consoles and the server; the server part of a move (wall time and
CPU time of the script) with one session and with all of them; and the server's memory, after every hundred moves
of one session too, and after all have left. A short run: ``--sessions 4 --moves 5 --alone 100 --pause 0.2 --left 5``.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from bench.tabs import BareTab, BrowserTab, Tab
from tests.browser.servers import CHROMIUM, CHROMIUM_FLAGS, COMPLAINT, Server, launch

_MOVE = re.compile(r"^script run ([\d.]+) s, processor ([\d.]+) s$", re.MULTILINE)
_PROGRAM = ("-m", "bench.sessions", "serve")
_ROUND, _REPORT_SECONDS = 100, 10.0


class Moves(NamedTuple):
    """Server parts of moves: seconds of the script, and of the processor for it."""

    wall: list[float]
    processor: list[float]

    def __str__(self) -> str:
        wall, processor = map(statistics.median, self)
        worst = statistics.quantiles(self.wall, n=20)[-1]
        return f"{1000 * wall:.0f} ms (95 % below {1000 * worst:.0f} ms), {1000 * processor:.0f} ms of CPU time"


class People:
    """Sessions with page Explore open, and what went wrong in any of them, which is printed when it first does."""

    def __init__(self, new: Callable[[Callable[[str], None]], Tab], server: Server, pause: float) -> None:
        self.errors: Counter[str] = Counter()
        self.moved = 0
        self._new, self._server, self._pause = new, server, pause
        self._tabs: list[Tab] = []

    async def enter(self) -> None:
        """Open the page in a new session, at a place where no other is."""
        number, tab = len(self._tabs), self._new(self.note)
        self._tabs.append(tab)
        place = f"seed={number}&strata={3 + number % 6}&offset={0.2 * (number % 20):g}"
        await self._try(tab.open(self._server.url, "explore", f"design=paper&{place}"))

    async def move(self, times: int, pause: float | None = None) -> None:
        """Have every session move its sliders so often."""
        seconds = self._pause if pause is None else pause
        tabs = enumerate(self._tabs)
        await asyncio.gather(*(self._move(tab, times, random.Random(self.moved + at), seconds) for at, tab in tabs))

    async def leave(self) -> None:
        """Close all."""
        for tab in self._tabs:
            await self._try(tab.close())
        self._tabs.clear()

    def note(self, error: str) -> None:
        """Count an error, and print one that is new."""
        self.errors.update([error])
        if self.errors[error] == 1:
            print(f"  ERROR: {error}", flush=True)

    async def _move(self, tab: Tab, times: int, chance: random.Random, pause: float) -> None:
        for _ in range(times):
            await self._try(tab.move(chance))
            self.moved += 1
            await asyncio.sleep(pause * chance.uniform(0.5, 1.5))

    async def _try(self, step: Awaitable[None]) -> None:
        try:
            await step
        except Exception as error:
            self.note(f"{type(error).__name__}: {error}"[:500])


def main(arguments: Sequence[str]) -> int:
    """Measure, and print; the exit code is 1 if there was an error."""
    parser = argparse.ArgumentParser(prog="bench.sessions", description="Many people at once, and one for long.")
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--moves", type=int, default=25, help="of each session")
    parser.add_argument("--alone", type=int, default=500, help="moves of one session, for its memory")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two moves of a session")
    parser.add_argument("--left", type=int, default=120, help="seconds for which the server keeps a session that left")
    parser.add_argument("--pool", type=Path, help="file of the pool; by default the demo")
    parser.add_argument("--browser", action="store_true", help="in Chromium, which slows a server on the same machine")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), options.left, options.pool) as server:
        # People have their browsers on machines of their own: here these wait for the server.
        os.nice(10)
        errors = asyncio.run(_measure(server, options))
    print(f"Errors: {errors.total()}", *(f"{times} × {error}" for error, times in errors.items()), sep="\n  ")
    return int(errors.total() > 0)


@contextmanager
def serving(folder: Path, left: int, pool: Path | None = None) -> Iterator[Server]:
    """Run the app, which writes down how long its scripts take; it keeps a session that left for ``left`` seconds."""
    before = os.environ.get(name := "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL")
    os.environ[name] = str(left)
    try:
        server = launch(folder, *(["--pool", pool] if pool else []), program=_PROGRAM)
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before
    try:
        server.wait_until_healthy()
        yield server
    finally:
        server.stop()


def memory(server: Server) -> float:
    """Resident memory of the server in MiB."""
    return float(psutil.Process(server.process.pid).memory_info().rss) / 1024**2


async def _measure(server: Server, options: argparse.Namespace) -> Counter[str]:
    if not options.browser:
        return await _visits(server, options, BareTab)
    from playwright.async_api import async_playwright

    flags = [*CHROMIUM_FLAGS, "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows"]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        errors = await _visits(server, options, lambda note: BrowserTab(note, browser))
        await browser.close()
    return errors


async def _visits(server: Server, options: argparse.Namespace, new: Callable[..., Tab]) -> Counter[str]:
    people = People(new, server, options.pause)
    watching = asyncio.create_task(_watch(server, people))
    _say(server, "Server started")
    await people.enter()
    await people.move(5, 0)
    with _Run(server, "1 session") as alone:
        await people.move(max(options.moves, 25))
    for start in range(0, options.alone, _ROUND):
        await people.move(min(_ROUND, options.alone - start), 0)
        _say(server, f"1 session, {people.moved:,} moves in all")
    await asyncio.gather(*(people.enter() for _ in range(options.sessions - 1)))
    _say(server, f"{options.sessions} sessions open")
    await people.move(2)
    with _Run(server, f"{options.sessions} sessions") as together:
        await people.move(options.moves)
    _say(server, f"{options.sessions} × {options.moves} moves more")
    if alone.moves.wall and together.moves.wall:
        times = statistics.median(together.moves.wall) / statistics.median(alone.moves.wall)
        print(f"The median server part of a move is {times:.1f} times that of one session.", flush=True)
    await people.leave()
    _say(server, "All sessions left")
    await asyncio.sleep(1.5 * options.left)
    _say(server, f"{1.5 * options.left:.0f} s later")
    watching.cancel()
    return people.errors


async def _watch(server: Server, people: People) -> None:
    """Print the progress now and then, and what the server complains of."""
    read, reported = 0, (0, time.monotonic())
    while True:
        await asyncio.sleep(1)
        lines = server.log.read_bytes()[read:]
        read += len(lines)
        for line in lines.decode(errors="replace").splitlines():
            if COMPLAINT.search(line):
                people.note(line)
        if time.monotonic() - reported[1] > _REPORT_SECONDS:
            rate = (people.moved - reported[0]) / (time.monotonic() - reported[1])
            _say(server, f"  {people.moved:,} moves so far, {rate:.1f} a second, {people.errors.total()} errors")
            reported = (people.moved, time.monotonic())


class _Run:
    """The moves between entering and leaving, out of the server's log."""

    def __init__(self, server: Server, name: str) -> None:
        self._server, self._name = server, name
        self.moves = Moves([], [])

    def __enter__(self) -> _Run:
        self._before, self._started = self._server.log.stat().st_size, time.monotonic()
        return self

    def __exit__(self, *error: object) -> None:
        text = self._server.log.read_bytes()[self._before :].decode(errors="replace")
        times = [(float(one), float(other)) for one, other in _MOVE.findall(text)]
        if len(times) < 2:
            print(f"{self._name}: nothing was measured", flush=True)
            return
        wall, processor = zip(*times, strict=True)
        self.moves = Moves(list(wall), list(processor))
        rate = len(wall) / (time.monotonic() - self._started)
        print(f"{self._name}: {len(wall):,} moves, {rate:.1f} a second; server part {self.moves}", flush=True)


def _say(server: Server, what: str) -> None:
    print(f"{what}: memory of the server {memory(server):,.0f} MiB", flush=True)


def _serve() -> None:
    """Start the app as ``serve.py`` does, and write down how long each run of its script takes."""
    from streamlit.runtime.scriptrunner import ScriptRunner

    import serve

    run = ScriptRunner._run_script

    def timed(self: ScriptRunner, data: Any) -> None:
        wall, processor = time.perf_counter(), time.thread_time()
        run(self, data)
        wall, processor = time.perf_counter() - wall, time.thread_time() - processor
        print(f"script run {wall:.4f} s, processor {processor:.4f} s", flush=True)

    ScriptRunner._run_script = timed
    serve.main()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        del sys.argv[1]
        _serve()
    else:
        sys.exit(main(sys.argv[1:]))
