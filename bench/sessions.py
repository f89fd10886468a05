"""Many people at once: ``python -m bench.sessions [--sessions 20] [--moves 25] [--pause 1] [--pool PATH]``.

Each session is a separate Chromium profile with page Explore open. It moves a slider, waits until the page is drawn,
pauses, and moves again. The browsers run at a lower priority than the server. The command prints the errors of pages,
consoles and the server, the server part of a move (wall time and processor time of the script) with one session and
with all of them, and the server's memory during and after.
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
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from tests.browser.servers import CHROMIUM, CHROMIUM_FLAGS, IDLE, Server, complaint, launch

_SLIDERS = ("Strata H", "Offset δ", "Budget M (labels)")
_MOVE = re.compile(r"^script run ([\d.]+) s, processor ([\d.]+) s$", re.MULTILINE)
_PATIENCE = 300_000
_PROGRAM = ("-m", "bench.sessions", "serve")
# Streamlit keeps a session that was left for two minutes, in case that it comes back.
_LEFT_SECONDS = 150


class Moves(NamedTuple):
    """Server parts of moves: seconds of the script, and of the processor for it."""

    wall: list[float]
    processor: list[float]

    def __str__(self) -> str:
        wall, processor = map(statistics.median, self)
        worst = statistics.quantiles(self.wall, n=20)[-1]
        return f"{1000 * wall:.0f} ms (95 % below {1000 * worst:.0f} ms), {1000 * processor:.0f} ms of the processor"


class People:
    """Sessions with page Explore open, and what went wrong in any of them."""

    def __init__(self, browser: Any, server: Server, pause: float) -> None:
        self.errors: Counter[str] = Counter()
        self._browser, self._server, self._pause = browser, server, pause
        self._contexts: list[Any] = []
        self._pages: list[Any] = []

    async def enter(self) -> None:
        """Open the page in a new profile, at a place where no other session is."""
        number = len(self._contexts)
        context = await self._browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        self._contexts.append(context)
        context.set_default_timeout(_PATIENCE)
        context.on("console", self._note)
        context.on("weberror", lambda error: self.errors.update([str(error.error)]))
        page = await context.new_page()
        place = f"seed={number}&strata={3 + number % 6}&offset={0.2 * (number % 20):g}"
        await page.goto(f"{self._server.url}/explore?design=paper&{place}")
        await page.get_by_role("slider", name=_SLIDERS[0]).wait_for()
        await self._settle(page)
        self._pages.append(page)

    async def move(self, times: int) -> None:
        """Have every session move its sliders so often."""
        await asyncio.gather(*(self._move(page, times, random.Random(at)) for at, page in enumerate(self._pages)))

    async def leave(self) -> None:
        """Close all."""
        for context in self._contexts:
            await context.close()

    async def _move(self, page: Any, times: int, chance: random.Random) -> None:
        for _ in range(times):
            slider = page.get_by_role("slider", name=chance.choice(_SLIDERS))
            before = await slider.input_value()
            await slider.press(chance.choice(["ArrowRight", "ArrowLeft"]))
            if await slider.input_value() == before:
                # At its end.
                await slider.press("ArrowRight")
            await self._settle(page)
            for shown in await page.get_by_test_id("stException").all_inner_texts():
                self.errors.update([shown])
            await asyncio.sleep(self._pause * chance.uniform(0.5, 1.5))

    async def _settle(self, page: Any) -> None:
        await page.evaluate("window.lastBusy = performance.now(); window.idleLooks = 0")
        await page.wait_for_function(IDLE, arg=250, polling=50, timeout=_PATIENCE)

    def _note(self, message: Any) -> None:
        error = complaint(message.type, message.text, message.location["url"])
        self.errors.update([error] if error else [])


def main(arguments: Sequence[str]) -> int:
    """Measure, and print; the exit code is 1 where there was an error."""
    parser = argparse.ArgumentParser(prog="bench.sessions", description="Many people at once.")
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--moves", type=int, default=25, help="of each session")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two moves of a session")
    parser.add_argument("--pool", type=Path, help="file of the pool; by default the demo")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        server = launch(Path(folder), *(["--pool", options.pool] if options.pool else []), program=_PROGRAM)
        try:
            server.wait_until_healthy()
            # People have their browsers on machines of their own: here these wait for the server.
            os.nice(10)
            errors = asyncio.run(_measure(server, options.sessions, options.moves, options.pause))
        finally:
            server.stop()
        errors.update(server.complaints())
    print(f"Errors: {errors.total()}", *(f"{times} × {error}" for error, times in errors.items()), sep="\n  ")
    return int(errors.total() > 0)


async def _measure(server: Server, sessions: int, moves: int, pause: float) -> Counter[str]:
    from playwright.async_api import async_playwright

    flags = [*CHROMIUM_FLAGS, "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows"]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        people = People(browser, server, pause)
        _say(server, "Server started")
        await people.enter()
        await people.move(5)
        with _Run(server, "1 session") as alone:
            await people.move(max(moves, 25))
        await asyncio.gather(*(people.enter() for _ in range(sessions - 1)))
        _say(server, f"{sessions} sessions open")
        await people.move(2)
        with _Run(server, f"{sessions} sessions") as together:
            for part in (moves // 2, moves - moves // 2):
                await people.move(part)
                _say(server, f"{sessions} × {part} moves more")
        times = statistics.median(together.moves.wall) / statistics.median(alone.moves.wall)
        print(f"The median server part of a move is {times:.1f} times that of one session.", flush=True)
        await people.leave()
        await asyncio.sleep(_LEFT_SECONDS)
        _say(server, f"All sessions left, {_LEFT_SECONDS} s later")
        await browser.close()
    return people.errors


class _Run:
    """The moves between entering and leaving, out of the server's log."""

    def __init__(self, server: Server, name: str) -> None:
        self._server, self._name = server, name

    def __enter__(self) -> _Run:
        self._before, self._started = self._server.log.stat().st_size, time.monotonic()
        return self

    def __exit__(self, *error: object) -> None:
        text = self._server.log.read_bytes()[self._before :].decode(errors="replace")
        wall, processor = zip(*((float(one), float(other)) for one, other in _MOVE.findall(text)), strict=True)
        self.moves = Moves(list(wall), list(processor))
        rate = len(wall) / (time.monotonic() - self._started)
        print(f"{self._name}: {len(wall):,} moves, {rate:.1f} a second; server part {self.moves}", flush=True)


def _say(server: Server, what: str) -> None:
    memory = psutil.Process(server.process.pid).memory_info().rss
    print(f"{what}: memory of the server {memory / 1024**2:,.0f} MiB", flush=True)


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
