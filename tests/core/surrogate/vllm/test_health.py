"""When a server hangs: it answers nothing, or its counts of work stand still while requests are under way."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from contextlib import aclosing

import pytest

from core.surrogate.vllm import server
from core.surrogate.vllm.server import Health, ServerHangs
from tests.core.surrogate.conftest import FakeServer, faking

REQUEST = {"model": "m", "messages": [{"role": "user", "content": "What is 1?"}], "n": 1}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"STANDSTILL": 0.3, "SILENCE": 1.0, "_EVERY": 0.05}.items():
        monkeypatch.setattr(server, name, seconds)


def watch(server: FakeServer, busy: bool = True, seconds: float = 60) -> str:
    """How it is found to hang within some seconds."""

    async def wait() -> None:
        async with aclosing(Health(server.url, "key")) as look, asyncio.timeout(seconds):
            await look.watch(lambda: busy, first=0.7)

    with pytest.raises((ServerHangs, TimeoutError)) as caught:
        asyncio.run(wait())
    return str(caught.value)


def ask(server: FakeServer) -> None:
    sent = urllib.request.Request(f"{server.url}/chat/completions", json.dumps(REQUEST).encode())
    urllib.request.urlopen(sent, timeout=60).close()


def test_the_first_work_may_take_longer_than_any_later() -> None:
    with faking() as server:
        assert "for 0.7 s" in watch(server)
        ask(server)
        assert "for 0.3 s" in watch(server)


def test_who_has_nothing_to_do_does_not_hang() -> None:
    with faking() as server:
        assert watch(server, busy=False, seconds=1) == ""


def test_silence_is_hanging_and_a_refused_connection_is_not() -> None:
    with faking(hang_after=0) as server:
        assert "gives no answer within 1 s" in watch(server)
    assert watch(server, seconds=1.2) == ""
