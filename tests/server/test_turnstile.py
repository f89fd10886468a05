"""How many strangers a public app lets in, how many files it takes of each, and what goes with them."""

from __future__ import annotations

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from core.archive import Archive
from pages.parts.app import premises
from server import turnstile
from server.turnstile import Turnstile

PAGE = {"accept": "text/html"}


async def behind(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        await receive()
        return
    await PlainTextResponse("let through")(scope, receive, send)


def test_visitors_have_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turnstile, "VISITORS", 1)
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


def test_uploads_have_a_number() -> None:
    client = TestClient(Turnstile(behind))
    answers = [client.put(f"/_stcore/upload_file/ann/{number}").status_code for number in range(11)]
    assert answers == [200] * 10 + [429]
    assert client.put("/prefix/_stcore/upload_file/ben/0").status_code == 200


def test_a_home_goes_with_its_visit(tmp_path) -> None:
    public = premises.Public(root=tmp_path)
    for visit in ("ann", "ben", "left"):
        Archive(tmp_path / visit)
    public.forget("ann", ["ben"])
    assert [home.name for home in tmp_path.iterdir()] == ["ben"]
