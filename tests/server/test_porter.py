"""Who gets through the porter of a shared app, and as what."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any
from urllib.parse import quote

import pytest
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.proto.BackMsg_pb2 import BackMsg

from core.archive import AnnotatorLink
from pages.parts.app import visitor
from server.annotator_links import FAILURES, Entrance, Porter
from server.owner import OwnerKey

ADDRESS = "http://192.168.1.5:8501"
TOKEN = "owners-token-owners-token-owners-token-own"
ENTRY = "neyman-8501-entry"
# The client takes sessions for those of another host.
COOKIE = {"cookie": "neyman-8501-link-1=token-1"}
RERUN = BackMsg(rerun_script={}).SerializeToString()
LINK = AnnotatorLink("p1", "d" * 64, "gold", "", "Ann", "2026-01-01T00:00:00+00:00", "2026-01-08T00:00:00+00:00")


def key() -> OwnerKey:
    return OwnerKey(TOKEN, "http://127.0.0.1:8501")


async def behind(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that says as what somebody came; at /starts whether they may start processes, and what they sent."""
    names = (visitor.STARTS,) if scope["path"] == "/starts" else (visitor.LINKS, visitor.ADDRESS)
    person = {name: HTTPConnection(scope).headers.get(name) for name in names}
    if scope["type"] == "http":
        await JSONResponse(person)(scope, receive, send)
        return
    session = WebSocket(scope, receive, send)
    await session.accept()
    try:
        while True:
            sent = await session.receive_bytes()
            await session.send_json(person | ({"sent": sent.hex()} if scope["path"] == "/starts" else {}))
    except WebSocketDisconnect:
        pass


class Shared:
    """A porter, the codes that it announced, and the links that it knows."""

    def __init__(self, all_start: bool = False) -> None:
        self.codes: list[str] = []
        self.links: dict[str, AnnotatorLink] = {}
        porter = Porter(behind, lambda: Entrance(self.codes.append), self.find, lambda: ADDRESS, key, all_start)
        self.client = TestClient(porter, base_url=ADDRESS, follow_redirects=False)

    async def find(self, token: str) -> AnnotatorLink | None:
        return self.links.get(token)

    def another(self) -> TestClient:
        """Somebody else's browser."""
        return TestClient(self.client.app, base_url=ADDRESS, follow_redirects=False)

    def enter(self, code: str, **headers: str) -> Any:
        return self.client.post("/enter", data={"code": code}, headers={"origin": ADDRESS, **headers})

    def link(self, number: int = 1) -> str:
        """A new link's token."""
        token = f"token-{number}"
        self.links[token] = dataclasses.replace(LINK, number=number)
        return token


@pytest.fixture
def shared() -> Shared:
    return Shared()


ROUTES = [
    ("GET", "/"),
    ("GET", "/explore"),
    ("GET", "/label?only=label&link=1"),
    ("GET", "/_stcore/health"),
    ("GET", "/_stcore/host-config"),
    ("PUT", "/_stcore/upload_file/session/file"),
    ("DELETE", "/_stcore/upload_file/session/file"),
    ("GET", "/media/0123.csv"),
    ("GET", "/component/x/index.html"),
    ("GET", "/static/js/index.js"),
    ("GET", "/auth/login"),
    ("GET", "/enter/"),
    ("GET", "/enterprise"),
    ("GET", "/open"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("cookie", [None, "guessed", ""])
def test_a_stranger_gets_nowhere(shared: Shared, method: str, path: str, cookie: str | None) -> None:
    headers = {} if cookie is None else {"cookie": f"{ENTRY}={cookie}; neyman-8501-link-1={cookie}"}
    answer = shared.client.request(method, path, headers=headers)
    assert answer.status_code == 401
    assert "Access code" in answer.text and visitor.LINKS not in answer.text


@pytest.mark.parametrize("cookie", [None, "guessed"])
def test_a_stranger_gets_no_session(shared: Shared, cookie: str | None) -> None:
    headers = {} if cookie is None else {"cookie": f"{ENTRY}={cookie}"}
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        shared.client.websocket_connect("/_stcore/stream", headers=headers),
    ):
        pass
    assert refused.value.code == 1008


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_the_code_opens_every_route(shared: Shared, method: str, path: str) -> None:
    answer = shared.enter(shared.codes[0])
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Secure" not in cookie
    assert shared.client.request(method, path).json() == {visitor.LINKS: None, visitor.ADDRESS: ADDRESS}


def test_a_code_that_was_used_is_refused(shared: Shared) -> None:
    shared.enter(shared.codes[0])
    again = shared.another().post("/enter", data={"code": shared.codes[0]}, headers={"origin": ADDRESS})
    assert again.status_code == 403 and "set-cookie" not in again.headers
    assert shared.another().get("/").status_code == 401


def test_a_spent_code_has_no_use_as_a_cookie(shared: Shared) -> None:
    assert shared.client.get("/", headers={"cookie": f"{ENTRY}={shared.codes[0]}"}).status_code == 401


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://192.168.1.5:9999", "http://192.168.1.5", "http://[", ""]
)
def test_a_code_posted_by_another_site_is_refused_and_not_spent(shared: Shared, origin: str) -> None:
    assert shared.enter(shared.codes[0], origin=origin).status_code == 403
    assert shared.enter(shared.codes[0]).status_code == 303


def test_a_code_without_an_origin_is_refused(shared: Shared) -> None:
    assert shared.client.post("/enter", data={"code": shared.codes[0]}).status_code == 403


def test_a_flood_is_refused(shared: Shared) -> None:
    assert shared.enter("A" * 5000).status_code == 413


def test_guesses_are_limited(shared: Shared) -> None:
    statuses = [shared.enter("AAAA-BBBB-CCCC").status_code for _ in range(FAILURES + 1)]
    assert statuses == [403] * FAILURES + [429]
    answer = shared.enter(shared.codes[0])
    assert answer.status_code == 429 and int(answer.headers["retry-after"]) > 0
    assert shared.client.get(f"/open/{shared.link()}").status_code == 429


def test_guessed_tokens_are_limited(shared: Shared) -> None:
    statuses = [shared.client.get(f"/open/guess-{number}").status_code for number in range(FAILURES + 1)]
    assert statuses == [403] * FAILURES + [429]


@pytest.mark.parametrize("path", ["/open/", "/open/x/y", "/open/token-2", "/open/TOKEN-1", "/open/token-1%00"])
def test_a_token_of_no_link_opens_nothing(shared: Shared, path: str) -> None:
    shared.link()
    answer = shared.client.get(path)
    assert answer.status_code == 403 and "set-cookie" not in answer.headers


def test_a_link_opens_its_list_alone(shared: Shared) -> None:
    answer = shared.client.get(f"/open/{shared.link()}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/label?only=label&link=1")
    assert "HttpOnly" in answer.headers["set-cookie"] and "SameSite=lax" in answer.headers["set-cookie"]
    assert shared.client.get("/label").json() == {visitor.LINKS: "1", visitor.ADDRESS: None}
    for method in ("PUT", "DELETE", "POST", "PATCH"):
        assert shared.client.request(method, "/_stcore/upload_file/session/file").status_code == 403


def test_one_browser_holds_several_links(shared: Shared) -> None:
    for number in (3, 1):
        shared.client.get(f"/open/{shared.link(number)}")
    assert shared.client.get("/label").json()[visitor.LINKS] == "1,3"
    del shared.links["token-3"]
    assert shared.client.get("/label").json()[visitor.LINKS] == "1"


def test_nobody_says_who_they_are(shared: Shared) -> None:
    forged = {visitor.LINKS: "1,2,3", visitor.ADDRESS: "http://evil.example"}
    assert shared.client.get("/", headers=forged).status_code == 401
    shared.client.get(f"/open/{shared.link()}")
    assert shared.client.get("/", headers=forged).json() == {visitor.LINKS: "1", visitor.ADDRESS: None}
    with shared.client.websocket_connect("/_stcore/stream", headers={**forged, **COOKIE}) as session:
        session.send_bytes(RERUN)
        assert session.receive_json() == {visitor.LINKS: "1", visitor.ADDRESS: None}


def test_a_link_does_not_narrow_what_the_code_opened(shared: Shared) -> None:
    shared.enter(shared.codes[0])
    shared.client.get(f"/open/{shared.link()}")
    assert shared.client.get("/").json()[visitor.LINKS] is None


def test_a_session_ends_with_its_link(shared: Shared) -> None:
    shared.client.get(f"/open/{shared.link()}")
    with shared.client.websocket_connect("/_stcore/stream", headers=COOKIE) as session:
        session.send_bytes(RERUN)
        assert session.receive_json()[visitor.LINKS] == "1"
        shared.links.clear()
        session.send_bytes(RERUN)
        with pytest.raises(WebSocketDisconnect) as ended:
            session.receive_json()
    assert ended.value.code == 1008
    answer = shared.client.get("/label")
    assert answer.status_code == 401 and "was revoked" in answer.text


MESSAGES = [field.name for field in BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields]


@pytest.mark.parametrize("name", [name for name in MESSAGES if name not in ("rerun_script", "stop_script")])
def test_a_link_that_sends_what_its_page_never_does_ends_its_session(shared: Shared, name: str) -> None:
    message = BackMsg()
    if message.DESCRIPTOR.fields_by_name[name].message_type is None:
        setattr(message, name, True)
    else:
        getattr(message, name).SetInParent()
    assert message.WhichOneof("type") == name
    assert end_of_session(shared, message.SerializeToString()) == 1008


@pytest.mark.parametrize(
    "message", [b"", b"\xff", b"\x00" * 9, "text", RERUN + BackMsg(clear_cache=True).SerializeToString()]
)
def test_a_link_that_sends_what_is_no_message_ends_its_session(shared: Shared, message: bytes | str) -> None:
    assert end_of_session(shared, message) == 1008


def end_of_session(shared: Shared, message: bytes | str) -> int:
    """The code with which a link's session ends after a message."""
    shared.client.get(f"/open/{shared.link()}")
    with shared.client.websocket_connect("/_stcore/stream", headers=COOKIE) as session:
        session.send_bytes(RERUN)
        assert session.receive_json()[visitor.LINKS] == "1"
        (session.send_text if isinstance(message, str) else session.send_bytes)(message)
        with pytest.raises(WebSocketDisconnect) as ended:
            session.receive_json()
    return ended.value.code


def test_who_has_the_code_may_send_any_message(shared: Shared) -> None:
    cookie = shared.enter(shared.codes[0]).headers["set-cookie"].partition(";")[0]
    with shared.client.websocket_connect("/_stcore/stream", headers={"cookie": cookie}) as session:
        session.send_bytes(BackMsg(clear_cache=True).SerializeToString())
        assert session.receive_json()[visitor.ADDRESS] == ADDRESS


def starts(shared: Shared, **headers: str) -> str | None:
    """The header by which the app knows whether a visitor may start processes."""
    return dict(shared.client.get("/starts", headers=headers).json())[visitor.STARTS]


def test_the_owner_alone_starts_processes(shared: Shared) -> None:
    owner = shared.client.get(f"/surrogate?token={TOKEN}&k=3")
    assert (owner.status_code, owner.headers["location"]) == (303, "/surrogate?k=3")
    assert "HttpOnly" in owner.headers["set-cookie"] and "SameSite=lax" in owner.headers["set-cookie"]
    assert starts(shared) == "yes"
    colleague = Shared()
    colleague.enter(colleague.codes[0])
    assert starts(colleague) == "no" == starts(colleague, **{visitor.STARTS: "yes"})
    annotator = Shared()
    annotator.client.get(f"/open/{annotator.link()}")
    assert starts(annotator) is None


def test_everybody_starts_processes_if_the_owner_says_so() -> None:
    shared = Shared(all_start=True)
    shared.enter(shared.codes[0])
    assert starts(shared) == "yes"


@pytest.mark.parametrize("token", ["", "guess", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "\u00e9", "\ud800"])
def test_another_token_opens_nothing(shared: Shared, token: str) -> None:
    given = quote(token, errors="surrogatepass")
    answer = shared.client.get(f"/?token={given}")
    assert answer.status_code == 401 and "set-cookie" not in answer.headers
    held = shared.client.get("/", headers={"cookie": f"neyman-8501-token={given}"})
    assert held.status_code == 401


STARTING = [BackMsg(load_git_info=True), BackMsg()]
STARTING[1].backend_operation_request.install_skills.SetInParent()


@pytest.mark.parametrize("message", [one.SerializeToString() for one in STARTING])
def test_a_colleague_has_the_server_run_and_install_nothing(shared: Shared, message: bytes) -> None:
    entered = shared.enter(shared.codes[0]).headers["set-cookie"].partition(";")[0]
    with shared.client.websocket_connect("/starts", headers={"cookie": entered}) as session:
        session.send_bytes(message)
        session.send_bytes(RERUN)
        assert session.receive_json()["sent"] == RERUN.hex()
    owned = shared.client.get(f"/?token={TOKEN}").headers["set-cookie"].partition(";")[0]
    with shared.client.websocket_connect("/starts", headers={"cookie": owned}) as session:
        session.send_bytes(message)
        assert session.receive_json()["sent"] == message.hex()


def test_cookies_need_https_where_the_app_is_reached_by_it() -> None:
    codes: list[str] = []
    porter = Porter(behind, lambda: Entrance(codes.append), Shared().find, lambda: "https://neyman.example:443", key)
    client = TestClient(porter, base_url="https://neyman.example:443", follow_redirects=False)
    answer = client.post("/enter", data={"code": codes[0]}, headers={"origin": "https://neyman.example"})
    assert "Secure" in answer.headers["set-cookie"]


def test_the_page_that_asks_for_the_code_runs_no_script_and_stands_in_no_frame(shared: Shared) -> None:
    policy = shared.client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert shared.client.get("/").headers["cache-control"] == "no-store"


def test_starting_and_ending_pass() -> None:
    passed = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["type"])

    async def nothing(*_: object) -> Any:
        return None

    porter = Porter(app, lambda: Entrance(str), Shared().find, lambda: ADDRESS, key)
    asyncio.run(porter({"type": "lifespan"}, nothing, nothing))
    assert passed == ["lifespan"]
