"""Which requests reach the app."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
import streamlit as st
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_websocket import create_websocket_handler

from pages.parts.app import frame
from server.request_checks import Door, Imported


async def behind(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that greets."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close"})
        return
    await PlainTextResponse("behind the door")(scope, receive, send)


@pytest.fixture
def imported() -> Imported:
    event = Imported()
    event.set()
    return event


@pytest.fixture
def client(imported: Imported, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    options: dict[str, Any] = {"server.allowedHosts": ["localhost", "127.0.0.1"]}
    original = st.config.get_option
    monkeypatch.setattr(st.config, "get_option", lambda key: options.get(key, original(key)))
    return TestClient(Door(behind, imported), base_url="http://127.0.0.1:8501")


def test_a_request_to_this_machine_passes(client: TestClient) -> None:
    answer = client.get("/label?plan=p1")
    assert (answer.status_code, answer.text) == (200, "behind the door")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "evil.example:8501", "", "[", "::1"]
)
@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/_stcore/upload_file/s/f", "/media/f.csv"])
def test_a_foreign_host_name_is_refused(client: TestClient, host: str, path: str) -> None:
    answer = client.get(path, headers={"host": host})
    assert answer.status_code == 421
    assert "behind" not in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://localhost:8501", "http://["]
)
def test_a_change_from_another_site_is_refused(client: TestClient, method: str, origin: str) -> None:
    assert client.request(method, "/_stcore/upload_file/s/f", headers={"origin": origin}).status_code == 403


def test_a_change_from_the_app_itself_passes(client: TestClient) -> None:
    assert client.put("/_stcore/upload_file/s/f", headers={"origin": "http://127.0.0.1:8501"}).status_code == 200


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/", "/_stcore/metrics?a=b"])
def test_metrics_are_closed(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_session_under_a_foreign_host_name_is_refused(client: TestClient) -> None:
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        client.websocket_connect("/_stcore/stream", headers={"host": "evil.example"}),
    ):
        pass
    assert refused.value.code == 1008


def test_a_session_waits_until_the_libraries_are_imported() -> None:
    async def scenario() -> list[bool]:
        imported, passed = Imported(), asyncio.Event()

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            passed.set()

        async def nothing(*_: object) -> Any:
            return None

        scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [(b"host", b"localhost:8501")]}
        session = asyncio.create_task(Door(app, imported)(scope, nothing, nothing))
        for _ in range(10):
            await asyncio.sleep(0)
        before = [passed.is_set(), imported.expected]
        imported.set()
        await session
        return [*before, passed.is_set()]

    assert asyncio.run(scenario()) == [False, True, True]


def test_whoever_loads_a_page_before_the_libraries_are_imported_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    def expected(accept: str, *, host: str = "127.0.0.1:8501", early: bool = True) -> bool:
        imported = Imported()
        if not early:
            imported.set()
        TestClient(Door(behind, imported), base_url=f"http://{host}").get("/explore", headers={"accept": accept})
        return imported.expected

    original = st.config.get_option
    allowed = {"server.allowedHosts": ["127.0.0.1"]}
    monkeypatch.setattr(st.config, "get_option", lambda key: allowed.get(key, original(key)))
    assert expected("text/html,*/*")
    assert not expected("*/*") and not expected("text/html", early=False)
    assert not expected("text/html", host="evil.example")


def test_a_visitor_who_leaves_while_the_app_writes_is_no_error(imported: Imported) -> None:
    """The session of Streamlit itself, whose client is gone when the answer to its message is sent."""
    events = []

    class Runtime:
        def connect_session(self, client: Any, **_: object) -> str:
            return "session"

        def handle_backmsg(self, session: str, message: BackMsg, client: Any) -> None:
            if "asked" not in events:
                client.write_forward_msg(ForwardMsg())
            events.append("asked")

        def disconnect_session(self, session: str, client: Any) -> None:
            events.append("ended")

    async def receive() -> dict[str, Any]:
        if "connected" not in events:
            events.append("connected")
            return {"type": "websocket.connect"}
        while "asked" in events and "lost" not in events:
            await asyncio.sleep(0)
        return {"type": "websocket.receive", "bytes": BackMsg(rerun_script={}).SerializeToString()}

    async def send(message: Any) -> None:
        if message["type"] == "websocket.send":
            events.append("lost")
            raise OSError

    handler = create_websocket_handler(Runtime())  # type: ignore[arg-type]

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await handler(WebSocket(scope, receive, send))

    headers = [(b"host", b"localhost:8501"), (b"origin", b"http://localhost:8501")]
    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": headers}
    asyncio.run(Door(app, imported)(scope, receive, send))
    assert events == ["connected", "asked", "lost", "asked", "ended"]


@pytest.mark.parametrize("behind", [True, False])
def test_pages_that_streamlit_itself_starts_say_that_they_have_no_door(
    behind: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runtime, "exists", lambda: True)
    if not behind:
        monkeypatch.delitem(sys.modules, "server.request_checks")
    frame.say_door.cache_clear()
    for _ in range(2):
        frame.say_door()
    assert capsys.readouterr().out.count("without Neyman’s door") == (not behind)
