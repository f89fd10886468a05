"""How many strangers a public app lets in, how many files it takes of each, and what goes with them."""

from __future__ import annotations

import time
from contextlib import suppress
from types import SimpleNamespace

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from core.archive import Archive
from pages.parts.app import premises
from server import public_limits
from server.public_limits import Turnstile

PAGE = {"accept": "text/html"}


async def behind(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        message = await receive()
        if heard := message.get("bytes"):
            await socket.send_bytes(heard)
        return
    await PlainTextResponse("let through")(scope, receive, send)


def test_visitors_have_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_limits, "VISITORS", 1)
    client = TestClient(Turnstile(behind))
    with client.websocket_connect("/_stcore/stream"):
        with pytest.raises(WebSocketDisconnect) as refused, client.websocket_connect("/_stcore/stream"):
            pass
        assert refused.value.code == 1013
        assert client.get("/", headers=PAGE).status_code == 503
        # Health is asked for by machines, and files by those who are inside.
        assert client.get("/_stcore/health").status_code == 200
    with client.websocket_connect("/_stcore/stream"):
        pass
    assert client.get("/", headers=PAGE).status_code == 200


def test_visits_from_one_address_have_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_limits, "AT_ADDRESS", 2)
    app = Turnstile(behind)
    ann, ben = (TestClient(app, client=(address, 1)) for address in ("198.51.100.1", "198.51.100.2"))
    with ann.websocket_connect("/_stcore/stream"), ann.websocket_connect("/_stcore/stream"):
        with pytest.raises(WebSocketDisconnect) as refused, ann.websocket_connect("/_stcore/stream"):
            pass
        assert refused.value.code == 1013
        assert (ann.get("/", headers=PAGE).status_code, ben.get("/", headers=PAGE).status_code) == (503, 200)
        with ben.websocket_connect("/_stcore/stream"):
            pass
    with ann.websocket_connect("/_stcore/stream"):
        pass


HEARTBEAT, RERUN = BackMsg(app_heartbeat=True).SerializeToString(), BackMsg(rerun_script={}).SerializeToString()


@pytest.mark.parametrize("sent", [[], [HEARTBEAT] * 9, [BackMsg(clear_cache=True).SerializeToString()] * 9])
def test_a_visit_ends_in_which_nobody_does_anything(monkeypatch: pytest.MonkeyPatch, sent: list[bytes]) -> None:
    monkeypatch.setattr(public_limits, "IDLE_SECONDS", 0.4)
    monkeypatch.setattr(public_limits, "VISITORS", 1)
    client, started = TestClient(Turnstile(answering)), time.monotonic()
    with client.websocket_connect("/_stcore/stream") as visit:
        for message in sent:
            time.sleep(0.05)
            visit.send_bytes(message)
        while (heard := visit.receive_bytes()) == HEARTBEAT:
            pass
        with pytest.raises(WebSocketDisconnect):
            visit.receive_bytes()
    assert time.monotonic() - started >= 0.4
    place = ForwardMsg.FromString(heard).auth_redirect.url
    page = client.get(f"/label/../{place}", headers=PAGE)
    assert "nothing happened in it for an hour" in page.text and 'href="./"' in page.text
    # Its place is free.
    with client.websocket_connect("/_stcore/stream"):
        pass


def test_a_visit_goes_on_in_which_somebody_does_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_limits, "IDLE_SECONDS", 0.5)
    with TestClient(Turnstile(answering)).websocket_connect("/_stcore/stream") as visit:
        for _ in range(6):
            time.sleep(0.15)
            visit.send_bytes(RERUN)
            assert visit.receive_bytes() == RERUN


async def answering(scope: Scope, receive: Receive, send: Send) -> None:
    """Say every message back."""
    if scope["type"] != "websocket":
        await behind(scope, receive, send)
        return
    socket = WebSocket(scope, receive, send)
    await socket.accept()
    with suppress(WebSocketDisconnect):
        while True:
            await socket.send_bytes(await socket.receive_bytes())


def test_what_no_page_sends_is_left_out() -> None:
    later = BackMsg(stop_script=True).SerializeToString()
    others = [BackMsg(clear_cache=True), BackMsg(load_git_info=True), BackMsg(set_run_on_save=True)]
    install = BackMsg()
    install.backend_operation_request.install_skills.SetInParent()
    with TestClient(Turnstile(behind)).websocket_connect("/_stcore/stream") as visit:
        for left_out in [*(one.SerializeToString() for one in [*others, install]), b"\xff no message"]:
            visit.send_bytes(left_out)
        visit.send_bytes(later)
        assert visit.receive_bytes() == later


def test_the_messages_of_a_visit_are_let_through() -> None:
    asked = BackMsg()
    asked.file_urls_request.request_id = asked.file_urls_request.session_id = "1"
    made = BackMsg()
    made.backend_operation_request.deferred_file.file_id = "1"
    rerun = BackMsg()
    rerun.rerun_script.query_string = "pool=1"
    for one in (asked, made, rerun, BackMsg(app_heartbeat=True)):
        with TestClient(Turnstile(behind)).websocket_connect("/_stcore/stream") as visit:
            visit.send_bytes(one.SerializeToString())
            assert visit.receive_bytes() == one.SerializeToString()


def test_uploads_have_a_number() -> None:
    client = TestClient(Turnstile(behind))
    answers = [client.put(f"/_stcore/upload_file/ann/{number}").status_code for number in range(11)]
    assert answers == [200] * 10 + [429]
    assert client.put("/prefix/_stcore/upload_file/ben/0").status_code == 200


def test_files_of_all_visits_have_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = MemoryUploadedFileManager("/_stcore/upload_file")
    monkeypatch.setattr(public_limits.runtime, "exists", lambda: True)
    monkeypatch.setattr(public_limits.runtime, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=manager))
    monkeypatch.setattr(public_limits, "TOGETHER", 1)
    client = TestClient(Turnstile(behind))
    manager.add_file("ann", UploadedFileRec("0", "a.csv", "text/csv", b" " * (1024**2 + 1)))
    assert client.put("/_stcore/upload_file/ben/0").status_code == 503
    manager.remove_session_files("ann")
    assert client.put("/_stcore/upload_file/ben/0").status_code == 200


def test_a_home_goes_with_its_visit(tmp_path) -> None:
    public = premises.Public(root=tmp_path)
    for visit in ("ann", "ben", "left"):
        Archive(tmp_path / visit)
    public.forget("ann", ["ben"])
    assert [home.name for home in tmp_path.iterdir()] == ["ben"]
