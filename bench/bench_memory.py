"""Growth of the server's memory: while one session moves sliders, and while sessions come and go."""

from __future__ import annotations

import asyncio
import random
import tempfile
from pathlib import Path

from bench import Row
from bench.sessions import BareTab, memory, serving
from tests.browser.servers import Server

# The first moves fill what is kept for those that follow.
_FIRST, _MOVES = 100, 500
_SESSIONS, _LEFT_SECONDS = 20, 2


def rows() -> list[Row]:
    """(what, MiB, limit, unit) of each measurement."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), _LEFT_SECONDS) as server:
        moves, sessions = asyncio.run(_grown(server))
    return [
        (f"memory that moves {_FIRST + 1} to {_MOVES} of one session add", moves, 25.0, "MiB"),
        (f"memory that {_SESSIONS} sessions leave", sessions, 10.0, "MiB"),
    ]


async def _grown(server: Server) -> tuple[float, float]:
    tab, chance = BareTab(_fail), random.Random(0)
    await tab.open(server.url, "explore", "design=paper&seed=0")
    for _ in range(_FIRST):
        await tab.move(chance)
    before = memory(server)
    for _ in range(_MOVES - _FIRST):
        await tab.move(chance)
    moved = memory(server)
    for number in range(_SESSIONS):
        other = BareTab(_fail)
        await other.open(server.url, "explore", f"design=paper&seed={number}&strata={3 + number % 6}")
        await other.move(chance)
        await other.close()
    await asyncio.sleep(2 * _LEFT_SECONDS)
    return moved - before, memory(server) - moved


def _fail(error: str) -> None:
    raise RuntimeError(error)
