"""Connections of a shared app: however many strangers open, whoever is inside keeps working. With real sockets."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from server import request_checks
from server.request_checks import Guest, Lobby
from tests.server.team import ANN, BEN, EVE, LINUX, Team, files, query_of, visiting

pytestmark = pytest.mark.skipif(not LINUX, reason="Only Linux answers at several addresses here.")
HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
WHOLE = HALF + b"\r\n"


PATIENCE = 30.0


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Greet; whoever names themselves is let in, unless they have two connections already."""
    if scope["type"] != "http":
        return
    connection = Guest.of(scope)
    assert connection is not None
    connection.ask()
    name = dict(scope["headers"]).get(b"name")
    admitted = name is None or connection.admit(name.decode(), 2)
    if scope["method"] == "POST":
        while (await receive()).get("more_body"):
            pass
    await PlainTextResponse("hello" if admitted else "too many")(scope, receive, send)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Where a server answers that takes connections as the app does."""
    monkeypatch.setattr(request_checks, "LOBBY", Lobby())
    server = uvicorn.Server(uvicorn.Config(app, port=0, http=Guest, lifespan="off", log_level="critical"))
    with socket.create_server(("0.0.0.0", 0)) as listening:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = server.force_exit = True
        thread.join()


def opened(port: int, source: str = EVE, sent: bytes = b"") -> socket.socket:
    """A connection from an address, on which something was sent."""
    connection = socket.create_connection(("127.0.0.2", port), PATIENCE, (source, 0))
    connection.sendall(sent)
    return connection


def asked(connection: socket.socket, name: str = "") -> str:
    """What a request on a connection is answered."""
    connection.sendall(HALF + (f"Name: {name}\r\n\r\n" if name else "\r\n").encode())
    answer = b""
    while not answer.endswith((b"hello", b"too many")):
        answer += connection.recv(9999) or pytest.fail(f"The server ended the connection after {answer!r}.")
    return answer.rpartition(b"\r\n\r\n")[2].decode()


def is_ended(connection: socket.socket, within: float = 0.0) -> bool:
    """Whether the server has ended a connection on which it has nothing to say, or does so within some seconds."""
    connection.settimeout(max(within, 0.001))
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    finally:
        connection.settimeout(PATIENCE)


def eventually(true: Callable[[], bool], within: float = 10.0) -> bool:
    """Whether something becomes true before long."""
    over = time.monotonic() + within
    while not true() and time.monotonic() < over:
        time.sleep(0.02)
    return true()


def test_a_stranger_has_seconds_for_a_request(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_checks, "HEAD_SECONDS", 0.3)
    for sent in (b"", b"GET", HALF):
        with opened(port, sent=sent) as connection:
            assert not is_ended(connection) and is_ended(connection, 10)
    with opened(port) as connection:
        assert asked(connection) == "hello"
        time.sleep(0.5)
        assert asked(connection) == "hello"


def test_a_stranger_that_sends_on_and_on_is_ended(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_checks, "STRANGER_SECONDS", 0.3)
    body = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\nx"
    for sent in (WHOLE + HALF, body):
        with opened(port, sent=sent) as connection:
            started = time.monotonic()
            with pytest.raises(ConnectionError):
                while time.monotonic() - started < 10:
                    connection.sendall(b"x")
                    time.sleep(0.02)


def test_whoever_is_inside_may_take_their_time(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_checks, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(request_checks, "STRANGER_SECONDS", 0.2)
    with opened(port) as connection:
        assert asked(connection, "Ann") == "hello"
        time.sleep(0.5)
        assert asked(connection, "Ann") == "hello"


def test_too_many_of_an_address_end_its_oldest_and_no_other(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_checks, "AT_ADDRESS", 3)
    with ExitStack() as stack:
        of_ben, inside = [stack.enter_context(opened(port, source)) for source in (BEN, EVE)]
        assert asked(inside, "Ann") == "hello"
        of_eve = [stack.enter_context(opened(port)) for _ in range(3)]
        newer = [stack.enter_context(opened(port)) for _ in range(2)]
        assert eventually(lambda: is_ended(of_eve[0]) and is_ended(of_eve[1]))
        assert not any(map(is_ended, (of_ben, of_eve[2], *newer)))
        assert [asked(one) for one in (of_ben, of_eve[2], *newer)] == ["hello"] * 4
        assert asked(inside, "Ann") == "hello"


def test_too_many_in_all_end_those_of_the_address_that_has_most(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_checks, "STRANGERS", 5)
    with ExitStack() as stack:
        sources = (ANN, EVE, EVE, EVE, BEN)
        of_ann, *of_eve, of_ben = [stack.enter_context(opened(port, source)) for source in sources]
        newer = [stack.enter_context(opened(port, f"127.0.3.{number}")) for number in (1, 2)]
        assert eventually(lambda: is_ended(of_eve[0]) and is_ended(of_eve[1]))
        assert [asked(one) for one in (of_ann, of_eve[2], of_ben, *newer)] == ["hello"] * 5


def test_one_visitor_has_so_many_connections_and_gets_one_back_for_each_that_ends(port: int) -> None:
    with ExitStack() as stack:
        first, second, third, other = [stack.enter_context(opened(port)) for _ in range(4)]
        assert [asked(first, "Ann"), asked(second, "Ann"), asked(third, "Ann")] == ["hello", "hello", "too many"]
        assert asked(other, "Ben") == "hello"
        first.close()
        assert eventually(lambda: asked(third, "Ann") == "hello")
        assert asked(second, "Ann") == "hello"


def test_there_is_room_for_so_many_inside(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_checks, "INSIDE", 2)
    with ExitStack() as stack:
        answers = [asked(stack.enter_context(opened(port)), name) for name in ("Ann", "Ben", "Cleo")]
    assert answers == ["hello", "hello", "too many"]


def test_floods_of_half_requests_and_of_strangers_disturb_nobody_inside(team: Team) -> None:
    port = int(urlsplit(team.server.url).port or 0)
    number, token = team.link("Sam")
    cookie = team.cookie(ANN, token)
    with files(4096), ExitStack() as flood, visiting(team, ANN, cookie) as visit:
        visit.run(query_of(number), visit.pages["label"])
        for count, address, sent in ((700, EVE, HALF), (500, BEN, WHOLE), (300, "127.0.4.{}", HALF)):
            for one in range(count):
                flood.enter_context(opened(port, address.format(one // 10 + 1), sent))
            visit.run(query_of(number), visit.pages["label"], label="right")
        # Somebody inside comes again, from the address of the flood.
        with visiting(team, EVE, cookie) as another:
            assert b"list question" in another.run(query_of(number), another.pages["label"])
        assert team.request(EVE, "GET", "/_stcore/health", Cookie=cookie)[0] == 200
        assert team.request(BEN, "GET", "/")[0] == 401
        assert len(visit.desk["order"]) > 0
    rows = team.archive.labels.of(team.plan_id)
    assert (rows["annotator"] == "Sam").sum() == 3


def test_one_link_has_so_many_sessions(team: Team) -> None:
    _, token = team.link("Tim")
    cookie = team.cookie(ANN, token)
    request = f"GET / HTTP/1.1\r\nHost: {team.host}\r\nCookie: {cookie}\r\n\r\n".encode()
    port = int(urlsplit(team.server.url).port or 0)
    with ExitStack() as stack:
        statuses = []
        for _ in range(request_checks.OF_ANNOTATOR + 1):
            statuses.append(stack.enter_context(opened(port, ANN, request)).recv(12)[-3:])
    assert statuses == [b"200"] * request_checks.OF_ANNOTATOR + [b"503"]
