"""Patience with servers: what is sent again and what is not, how long it waits, and whom it follows."""

from __future__ import annotations

import asyncio
import gzip
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from core.web import ParallelClient, WebClient, WebError, bodies, clean, client, fits_header, retry_after
from tests.core.surplus import STRAYING, straying

CUT = 0
"""In place of a status: the connection ends in the middle of the answer."""


@contextmanager
def serving(*statuses: int, content: bytes = b"all of it", **headers: str) -> Iterator[tuple[str, list[str]]]:
    """A server that answers with these statuses, one after the other; its address, and the requests that it got."""
    left, seen = list(statuses), list[str]()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            status = left.pop(0)
            seen.append(f"{self.command} {self.path}")
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status or 200)
            self.send_header("Content-Length", str(len(content)))
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            # Whoever has had enough hangs up.
            with suppress(ConnectionError):
                self.wfile.write(content if status else content[:3])

        do_POST = do_GET

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
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
    monkeypatch.setattr(client, "wait", made.append)
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
    with serving(*statuses) as (address, seen), closing(WebClient(address)) as asked:
        if answered:
            assert asked.send("POST", "/x", safe, json={}).content == b"all of it"
        else:
            with pytest.raises(WebError) as failure:
                asked.send("POST", "/x", safe, json={})
            status = statuses[requests - 1]
            assert failure.value.reached
            assert (failure.value.answer and failure.value.answer.status) == (status or None)
    assert len(seen) == requests
    assert waits == [0.5, 1.0, 2.0, 4.0][: requests - 1]


def test_the_server_says_how_long(waits: list[float]) -> None:
    with serving(429, 200, Retry_After="7") as (address, _), closing(WebClient(address)) as asked:
        asked.send("GET", "/")
    assert waits == [7.0]


def test_a_server_that_is_away_is_asked_again_even_to_write(waits: list[float]) -> None:
    with closing(WebClient("http://127.0.0.1:9")) as asked, pytest.raises(WebError) as failure:
        asked.send("POST", "/", safe=False)
    assert not failure.value.reached and len(waits) == 4


@pytest.mark.parametrize("kind", STRAYING)
def test_each_request_gets_the_answer_to_itself(waits: list[float], kind: str) -> None:
    with straying(STRAYING[kind]) as address, closing(WebClient(address)) as asked:
        said = [asked.send("POST", "/x", json=f"item {number}").text for number in range(12)]
    assert [f'"{number}"' in text for number, text in enumerate(said)] == [True] * 12


def test_requests_under_way_together_get_the_answers_to_themselves() -> None:
    async def said(address: str) -> list[str]:
        asked = ParallelClient(address)
        requests = [asked.send("/x", b'"item %d"' % number) for number in range(40)]
        answered = [answer.text for answer in await asyncio.gather(*requests)]
        requests = [asked.send("/x", b'"item %d"' % number) for number in range(40, 80)]
        answered += [answer.text for answer in await asyncio.gather(*requests)]
        await asked.aclose()
        return answered

    with straying(STRAYING["one more a moment later"]) as address:
        texts = asyncio.run(said(address))
    assert [f'"{number}"' in text for number, text in enumerate(texts)] == [True] * 80


def test_an_answer_that_was_there_before_the_request_is_none(
    waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "QUIET_SECONDS", 0.5)
    with straying(STRAYING["twice"], speaks_first=2) as address, closing(WebClient(address)) as asked:
        said = [asked.send("POST", "/x", json=f"item {number}").text for number in range(3)]
        assert [f'"{number}"' in text for number, text in enumerate(said)] == [True] * 3
        # One that may not be repeated fails.
        with pytest.raises(WebError, match="before it was asked"):
            asked.send("POST", "/x", safe=False, json="item 3")


def test_a_file_that_was_cut_is_fetched_from_its_beginning(waits: list[float], tmp_path: Path) -> None:
    with serving(CUT, 200) as (address, _), closing(WebClient(address)) as asked:
        asked.send("GET", "/file", into=tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"all of it"


def test_no_redirection_is_followed(waits: list[float]) -> None:
    with (
        serving(200) as (elsewhere, seen),
        serving(307, Location=elsewhere) as (address, _),
        closing(WebClient(address)) as asked,
        pytest.raises(WebError) as failure,
    ):
        asked.send("POST", "/", json={"prompt": "secret"})
    assert failure.value.answer is not None and failure.value.answer.location == elsewhere
    assert seen == [] and waits == []


@pytest.mark.parametrize("place", ["http://[", "http://host:port", "\x7f://", ""])
def test_a_redirection_to_no_address_is_one_to_be_told(waits: list[float], place: str) -> None:
    with serving(302, Location=place) as (address, seen), closing(WebClient(address)) as asked:
        with pytest.raises(WebError) as failure:
            asked.send("GET", "/")
        assert failure.value.answer is not None and failure.value.answer.location == place
    assert len(seen) == 1 and waits == []


def test_an_answer_is_held_to_a_size_while_it_is_unpacked(waits: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST", 2_000_000)
    monkeypatch.setattr(bodies, "_MOST_WORDS", 1_000)
    packed = gzip.compress(b" " * 50_000_000)
    tracemalloc.start()
    try:
        with (
            serving(200, 404, content=packed, Content_Encoding="gzip") as (address, seen),
            closing(WebClient(address)) as asked,
        ):
            with pytest.raises(WebError, match="more than 2 MB"):
                asked.send("GET", "/")
            with pytest.raises(WebError) as refused:
                asked.send("GET", "/")
        # Of the words of an error the first are enough.
        assert refused.value.answer is not None and len(refused.value.answer.content) == 1_000
        assert len(seen) == 2
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()
    assert waits == []


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


@pytest.mark.parametrize(
    "date",
    [
        "Sun, 06 Nov 1994 08:50:37 GMT",
        "Sun, 06 Nov 1994 08:50:37",
        "Sun, 06 Nov 1994 08:50:37 -0000",
        "Sun, 06 Nov 1994 09:50:37 +0100",
        "Sun Nov  6 08:50:37 1994",
        "Sunday, 06-Nov-94 08:50:37 GMT",
    ],
)
def test_a_date_without_a_zone_is_in_utc(date: str) -> None:
    assert retry_after({"retry-after": date}, datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)) == 60
    # Without a clock here, the server's own says when it is.
    for now in ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37"):
        assert retry_after({"retry-after": date, "date": now}) == 60
    assert retry_after({"retry-after": date, "date": "today"}) is None


def test_what_a_server_says_is_one_printable_line() -> None:
    assert clean("\x1b[2J\x07 a\u202eb\r\n\u2028c\ud800") == r"\u001b[2J\u0007 a\u202eb c\ud800"


def test_a_text_is_shown_without_keys() -> None:
    assert clean("Bearer abcdefgh, sk-12345678 and\nmine", ["mine"]) == "…, … and …"
    assert clean("x" * 20, longest=5) == "xxxx…"
    assert fits_header("sk-1") and not any(map(fits_header, ("a b", "a\n", "é")))


def test_a_body_that_goes_to_a_file_is_held_to_its_size(tmp_path: Path) -> None:
    packed, place = gzip.compress(b"x" * 3_000_000), tmp_path / "body"
    with (
        serving(200, 200, content=packed, Content_Encoding="gzip") as (address, _),
        closing(WebClient(address)) as asked,
    ):
        with pytest.raises(WebError, match="more than 2 MB"):
            asked.send("GET", "/", into=place, most=2_000_000)
        assert place.stat().st_size <= 2_000_000
        asked.send("GET", "/", into=place, most=3_000_000)
    assert place.read_bytes() == b"x" * 3_000_000


def test_a_body_that_drips_without_end_ends() -> None:
    class Dripping(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            with suppress(ConnectionError):
                while True:
                    self.wfile.write(b"x")
                    time.sleep(0.02)

    with ThreadingHTTPServer(("127.0.0.1", 0), Dripping) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        ends = pytest.raises(WebError, match=r"did not end within 0\.2 s")
        with closing(WebClient(address, timeout=0.2)) as asked, ends:
            asked.send("GET", "/")
        server.shutdown()
