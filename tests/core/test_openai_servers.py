"""OpenAI's library as a client of any server: what it must not do of its own accord."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from core.web import Answer, OpenAIClient, ParallelClient, Redirected, WebError, bearer, bodies, client
from tests.conftest import ROOT

Seen = list[tuple[str, dict[str, str], bytes]]

# What the library reads of the environment, and would send to any server.
ACCOUNT = {
    "OPENAI_API_KEY": "sk-4711",
    "OPENAI_ADMIN_KEY": "sk-admin-4711",
    "OPENAI_ORG_ID": "org-4711",
    "OPENAI_PROJECT_ID": "proj-4711",
    "OPENAI_CUSTOM_HEADERS": "X-Own: 4711\nAuthorization: Bearer 4711",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/4711",
}
OURS = {"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"}


@contextmanager
def serving(
    status: int = 200, content: bytes = b"{}", always: bool = False, **headers: str
) -> Iterator[tuple[str, Seen]]:
    """A server that answers all requests alike, but redirects the first alone, unless ``always``.

    Its address, and the path, headers and body of each request.
    """
    seen: Seen = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(200 if "Location" in headers and len(seen) > 1 and not always else status)
            self.send_header("Content-Length", str(len(content)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
        finally:
            server.shutdown()
            thread.join()


def parallel(address: str, key: str | None = None, content: bytes | None = b"{}") -> Answer:
    async def ask() -> Answer:
        asked = ParallelClient(address, bearer(key))
        try:
            return await asked.send("/chat/completions", content)
        finally:
            await asked.aclose()

    return asyncio.run(ask())


def patient(address: str, key: str | None = None) -> Answer:
    with closing(OpenAIClient(address, bearer(key))) as asked:
        return asked.ask(lambda service: service.batches.with_streaming_response.retrieve("b"), safe=False)


def upload(address: str, key: str | None = None) -> Answer:
    with closing(OpenAIClient(address, bearer(key))) as asked:
        file = "requests.jsonl", b"{}\n"
        return asked.ask(
            lambda service: service.files.with_streaming_response.create(file=file, purpose="batch"), safe=False
        )


def look(address: str, key: str | None = None) -> Answer:
    return parallel(address, key, None)


ASKING: tuple[Callable[..., Answer], ...] = (parallel, look, patient, upload)


@pytest.mark.parametrize("key", [None, "sk-1"])
@pytest.mark.parametrize("ask", ASKING)
def test_a_request_has_our_headers_alone(
    ask: Callable[..., Answer], key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    with serving() as (address, seen):
        assert ask(address, key).content == b"{}"
    ((_, headers, body),) = seen
    assert headers.keys() - OURS == ({"authorization"} if key else set())
    assert headers.get("authorization") == (f"Bearer {key}" if key else None)
    assert headers["user-agent"].startswith("neyman/") and headers["connection"] == "close"
    assert "4711" not in json.dumps(headers) and b"4711" not in body


@pytest.mark.parametrize("status", [400, 408, 409, 500, 503])
@pytest.mark.parametrize("ask", ASKING)
def test_a_request_is_sent_once(ask: Callable[..., Answer], status: int) -> None:
    with serving(status, b'{"error": {"message": "no"}}') as (address, seen):
        try:
            answer: Answer | None = ask(address)
        except WebError as error:
            answer = error.answer
    assert answer is not None and (answer.status, len(seen)) == (status, 1)
    assert answer.content == b'{"error": {"message": "no"}}'


@pytest.mark.parametrize("ask", ASKING)
def test_a_prompt_goes_to_no_other_server(ask: Callable[..., Answer]) -> None:
    with (
        serving() as (elsewhere, seen),
        serving(307, Location=elsewhere) as (address, _),
        pytest.raises(WebError) as failure,
    ):
        ask(address)
    assert seen == []
    assert failure.value.answer is not None and failure.value.answer.location == elsewhere


def test_a_server_may_move_within_itself() -> None:
    with serving(307, Location="/v2/chat") as (address, seen):
        assert parallel(address, content=b'{"prompt": 1}').status == 200
    assert [(path, body) for path, _, body in seen] == [
        ("/v1/chat/completions", b'{"prompt": 1}'),
        ("/v2/chat", b'{"prompt": 1}'),
    ]


def test_a_circle_of_redirections_ends() -> None:
    circle = serving(307, always=True, Location="/v1/chat/completions")
    with circle as (address, seen), pytest.raises(Redirected, match="circle"):
        parallel(address)
    assert len(seen) == 5


@pytest.mark.parametrize("ask", ASKING)
def test_the_words_of_an_error_are_held_to_a_size(ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "_MOST_WORDS", 1_000)
    with serving(404, b"x" * 20_000_000) as (address, _):
        tracemalloc.start()
        try:
            ask(address)
        except WebError as error:
            assert error.answer is not None and len(error.answer.content) == 1_000
        assert tracemalloc.get_traced_memory()[1] < 45_000_000
        tracemalloc.stop()


@pytest.mark.parametrize("content", [b"", b"null", b"[", b'{"object": "batch", "id": 7}', b"\xff\xfe"])
@pytest.mark.parametrize("ask", ASKING)
def test_a_body_arrives_as_it_is(ask: Callable[..., Answer], content: bytes) -> None:
    with serving(content=content) as (address, _):
        assert ask(address).content == content


def test_the_time_is_ours_even_if_it_looks_like_no_choice() -> None:
    # Five seconds are the HTTP library's own default, which OpenAI's takes for none and waits ten minutes.
    async def time_of_a_pool() -> object:
        asked = ParallelClient("http://127.0.0.1:9/v1", timeout=5.0)
        try:
            return asked._new_pool().timeout
        finally:
            await asked.aclose()

    with closing(OpenAIClient("http://127.0.0.1:9/v1", timeout=5.0)) as asked:
        times = [asked._openai.timeout, asyncio.run(time_of_a_pool())]
    assert [getattr(time, "read", time) for time in times] == [5.0, 5.0]


def test_a_connection_that_is_refused_is_tried_again_even_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = list[float]()
    monkeypatch.setattr(client, "wait", waits.append)
    with pytest.raises(WebError) as failure:
        upload("http://127.0.0.1:9/v1")
    assert not failure.value.reached and len(waits) == 4


@pytest.mark.parametrize("module", ["core.surrogate.worker.run", "core.surrogate.trial", "core.commands", "core.web"])
def test_only_who_asks_loads_the_library(module: str) -> None:
    code = f"import sys, {module}; print('openai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
