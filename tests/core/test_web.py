"""Patience with servers: what is sent again and what is not, how long it waits, and whom it follows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from core import web
from core.web import WebClient, WebError, clean, fits_header, retry_after

CUT = 0
"""In place of a status: the connection ends in the middle of the answer."""


@contextmanager
def serving(*statuses: int, **headers: str) -> Iterator[tuple[str, list[str]]]:
    """A server that answers with these statuses, one after the other; its address, and the requests that it got."""
    left, seen = list(statuses), list[str]()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            status, content = left.pop(0), b"all of it"
            seen.append(f"{self.command} {self.path}")
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status or 200)
            self.send_header("Content-Length", str(len(content)))
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(content if status else content[:3])

        do_POST = do_GET

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", seen
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that would have been made."""
    made: list[float] = []
    monkeypatch.setattr(web, "wait", made.append)
    return made


@pytest.mark.parametrize(
    ("statuses", "safe", "requests", "answered"),
    [
        ((200,), True, 1, True),
        ((429, 200), False, 2, True),
        ((503, CUT, 200), True, 3, True),
        ((503, 200), False, 1, False),
        ((CUT, 200), False, 1, False),
        ((404, 200), True, 1, False),
        ((500,) * 9, True, 5, False),
    ],
)
def test_only_what_does_no_harm_twice_is_sent_again(
    waits: list[float], statuses: tuple[int, ...], safe: bool, requests: int, answered: bool
) -> None:
    with serving(*statuses) as (address, seen), closing(WebClient(address)) as client:
        if answered:
            assert client.send("POST", "/x", safe, json={}).content == b"all of it"
        else:
            with pytest.raises(WebError) as failure:
                client.send("POST", "/x", safe, json={})
            status = statuses[requests - 1]
            assert failure.value.reached
            assert (failure.value.answer and failure.value.answer.status_code) == (status or None)
    assert len(seen) == requests
    assert waits == [0.5, 1.0, 2.0, 4.0][: requests - 1]


def test_the_server_says_how_long(waits: list[float]) -> None:
    with serving(429, 200, Retry_After="7") as (address, _), closing(WebClient(address)) as client:
        client.send("GET", "/")
    assert waits == [7.0]


def test_a_server_that_is_away_is_asked_again_even_to_write(waits: list[float]) -> None:
    with closing(WebClient("http://127.0.0.1:9")) as client, pytest.raises(WebError) as failure:
        client.send("POST", "/", safe=False)
    assert not failure.value.reached and len(waits) == 4


def test_a_file_that_was_cut_is_fetched_from_its_beginning(waits: list[float], tmp_path: Path) -> None:
    with serving(CUT, 200) as (address, _), closing(WebClient(address)) as client:
        client.send("GET", "/file", into=tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"all of it"


def test_no_redirection_is_followed(waits: list[float]) -> None:
    with (
        serving(200) as (elsewhere, seen),
        serving(307, Location=elsewhere) as (address, _),
        closing(WebClient(address)) as client,
        pytest.raises(WebError) as failure,
    ):
        client.send("POST", "/", json={"prompt": "secret"})
    assert failure.value.answer is not None and failure.value.answer.headers["location"] == elsewhere
    assert seen == [] and waits == []


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, datetime.now(UTC)) == seconds


def test_a_date_to_retry_after_is_a_wait() -> None:
    now = datetime.now(UTC)
    headers = {"retry-after": format_datetime(now + timedelta(seconds=90), usegmt=True)}
    wait = retry_after(headers, now)
    assert wait is not None and 89 <= wait <= 90 and retry_after(headers) is None


def test_a_text_is_shown_without_keys() -> None:
    assert clean("Bearer abcdefgh, sk-12345678 and\nmine", ["mine"]) == "…, … and …"
    assert clean("x" * 20, longest=5) == "xxxx…"
    assert fits_header("sk-1") and not any(map(fits_header, ("a b", "a\n", "é")))
