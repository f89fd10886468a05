"""Many people at once, and one for long: ``python -m bench.sessions [--sessions 20] [--moves 25] [--alone 500] …``.

Chromium takes many times as much CPU time as the server does: tabs that only speak the app's protocol leave the machine
to the server.

Each session has page Explore open. It moves a slider, waits until the page is drawn, pauses, and moves again. The
command prints, as it comes: what goes wrong in pages and the server; the server part of a move (wall time and
CPU time of the script) with one session and with all of them; and the server's memory, after every hundred moves
of one session too, and after all have left. A short run: ``--sessions 4 --moves 5 --alone 100 --pause 0.2 --left 5``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlencode

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

from pages.parts.widgets.numbers import NAME
from tests.browser.servers import COMPLAINT, Server, launch

# Parameters of Explore's sliders in the address.
SLIDERS = ("strata", "offset", "budget")
PATIENCE = 120.0


class BareTab:
    """A tab that draws nothing; ``note`` is called with what goes wrong in it."""

    _socket: ClientConnection

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._query: dict[str, list[str]] = {}
        self._page, self._hash = "", ""
        self._dials: dict[str, _Dial] = {}
        self._states: dict[str, WidgetState] = {}

    async def open(self, url: str, page: str, query: str) -> None:
        """Connect, and run the page."""
        self._query, self._page = parse_qs(query), page
        address = f"{url.replace('http', 'ws', 1)}/_stcore/stream"
        self._socket = await connect(address, subprotocols=["streamlit"], max_size=None, open_timeout=PATIENCE)
        await self._run()

    async def move(self, chance: random.Random) -> None:
        """Send another value of a dial."""
        key = chance.choice([key for key in SLIDERS if key in self._dials])
        dial = self._dials[key]
        place, step = dial.stops.index(dial.value), chance.choice((-1, 1))
        value = dial.stops[place + step if 0 <= place + step < len(dial.stops) else place - step]
        turned = {"values": [value], "number": dial.heard + 1}
        self._states[key] = WidgetState(id=dial.id, json_value=json.dumps({"turned": turned}))
        await self._run(dial.fragment)

    async def close(self) -> None:
        """Disconnect."""
        await self._socket.close()

    async def _run(self, fragment: str = "") -> None:
        state = ClientState(
            query_string=urlencode(self._query, doseq=True),
            page_name=self._page,
            page_script_hash=self._hash,
            fragment_id=fragment,
        )
        state.widget_states.widgets.extend(self._states.values())
        await self._socket.send(BackMsg(rerun_script=state).SerializeToString())
        async with asyncio.timeout(PATIENCE):
            while not self._ended(ForwardMsg.FromString(await self._socket.recv(decode=False))):
                pass

    def _ended(self, message: ForwardMsg) -> bool:
        """Take what the server sends, and say whether the page is drawn."""
        kind = message.WhichOneof("type")
        if kind == "delta":
            self._take(message.delta)
        elif kind == "new_session":
            self._hash = message.new_session.page_script_hash
        elif kind == "page_info_changed":
            self._query = parse_qs(message.page_info_changed.query_string)
        elif kind == "page_not_found":
            self._note("The page was not found.")
        elif kind == "script_finished":
            return message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        return False

    def _take(self, delta: Delta) -> None:
        kind = delta.new_element.WhichOneof("type")
        if kind == "exception":
            self._note(delta.new_element.exception.message)
        elif delta.new_element.bidi_component.component_name == NAME:
            component = delta.new_element.bidi_component
            given = json.loads(component.json)
            value = given["values"][0]
            stops = sorted({*given["stops"], value})
            self._dials[given["parameter"]] = _Dial(component.id, stops, value, given["heard"], delta.fragment_id)


@dataclass(frozen=True, slots=True)
class _Dial:
    """A dial as the server has sent it."""

    id: str
    stops: list[float]
    value: float
    heard: int
    fragment: str


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

    def __init__(self, server: Server, pause: float) -> None:
        self.errors: Counter[str] = Counter()
        self.moved = 0
        self._server, self._pause = server, pause
        self._tabs: list[BareTab] = []

    async def enter(self) -> None:
        """Open the page in a new session, at a place where no other is."""
        number, tab = len(self._tabs), BareTab(self.note)
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

    async def _move(self, tab: BareTab, times: int, chance: random.Random, pause: float) -> None:
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
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), options.left, options.pool) as server:
        # People have their browsers on machines of their own: here these wait for the server.
        os.nice(10)
        errors = asyncio.run(_visits(server, options))
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


async def _visits(server: Server, options: argparse.Namespace) -> Counter[str]:
    people = People(server, options.pause)
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
