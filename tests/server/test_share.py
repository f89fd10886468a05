"""``make share``, from two addresses: what an annotator's link opens, and what no try opens."""

from __future__ import annotations

import http.client
import json
import re
import socket
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from core.archive import AnnotatorLink, Archive
from core.design import Design
from core.study import Labelling
from tests.browser.servers import Server, launch
from tests.pages.pools import pool

CREATED, LATER = "2026-01-01T00:00:00+00:00", "2099-01-01T00:00:00+00:00"
# Linux answers at every address that begins with 127.
LINUX = sys.platform == "linux"
HERE, ANN, BEN, EVE = ("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5") if LINUX else ("127.0.0.1",) * 4
HIDDEN = (
    b"hidden-target",
    b"hidden-truth",
    b"hidden-pool",
    b"other-list",
    b"other-pool",
    b"Budget",
    b"Semantic entropy",
)
SIZE = 40
# The page runs again at once.
_AGAIN = ForwardMsg.FINISHED_EARLY_FOR_RERUN


def _rows(name: str) -> list[dict[str, Any]]:
    return [
        {
            "id": f"{name}{number}",
            "prompt": f"{name} question {number}",
            "answer": f"hidden-truth {number}",
            "generations": ["A", "AB"[number % 2], "ABC"[number % 3]],
            "targets": {"hidden-target": {"text": f"reply {number}", "loss": float(number % 2)}},
        }
        for number in range(SIZE)
    ]


@dataclass(frozen=True)
class Team:
    """A shared app, its access codes, and the tokens of its links."""

    server: Server
    plan_id: str
    other_id: str
    digest: str

    @property
    def archive(self) -> Archive:
        return Archive(self.server.home)

    @property
    def host(self) -> str:
        return f"{HERE}:{urlsplit(self.server.url).port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    def code(self) -> str:
        return re.findall(r"Access code.*: (\S+)", self.server.log.read_text(encoding="utf-8"))[-1]

    def link(self, annotator: str, **more: Any) -> tuple[int, str]:
        """The number and token of a new link."""
        token = f"token-of-{annotator[:3]}-{len(self.archive.links.of(self.plan_id))}-{len(more)}"
        link = AnnotatorLink(self.plan_id, self.digest, "right-wrong", "hidden-target", annotator, CREATED, LATER)
        return self.archive.links.save(replace(link, **more), token), token

    def request(
        self, source: str, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of an answer to somebody at an address."""
        connection = http.client.HTTPConnection(self.host, timeout=60, source_address=(source, 0))
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode(errors="replace")
        finally:
            connection.close()

    def cookie(self, source: str, token: str) -> str:
        """The cookie that a link's token is exchanged for."""
        status, headers, _ = self.request(source, "GET", f"/open/{token}")
        assert status == 303
        return headers["set-cookie"].partition(";")[0]


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("team")
    archive = Archive(folder / "home")
    plans = []
    for name, label in (("list", "hidden-pool"), ("other-list", "other-pool")):
        chosen = pool(_rows(name), label)
        archive.pools.save(chosen, CREATED)
        plan = Design(8, seed=0).draw(chosen)
        Labelling.load(archive, plan, chosen, "gold", None).save_plan(archive, CREATED)
        plans.append((plan.plan_id, chosen.digest))
    server = launch(folder, "--share", HERE)
    server.wait_until_healthy(shared=True)
    (plan_id, digest), (other_id, _) = plans
    yield Team(server, plan_id, other_id, digest)
    server.stop()
    assert server.complaints() == []


class Visit:
    """A session with the app, as a browser has one."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.desk: dict[str, Any] = {}
        self._desk_id = ""
        self.pages: dict[str, str] = {}

    def run(self, query: str = "", page: str = "", label: str | None = None, item: str | None = None) -> bytes:
        """All that the app sends when a page is opened, or an item labelled at its desk: by default the next one."""
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_script_hash = page
        if label is not None:
            step = {"item": item or self.desk["order"][0], "label": label}
            step |= {"id": uuid.uuid4().hex, "to": self.desk["to"]}
            sending = [{"event": "outbox", "value": {"list": self.desk["list"], "ops": [step]}}]
            trigger = message.rerun_script.widget_states.widgets.add()
            trigger.id = f"$$STREAMLIT_INTERNAL_KEY_{self._desk_id}__events"
            trigger.json_trigger_value = json.dumps(sending)
        self._socket.send(message.SerializeToString())
        sent = b""
        while True:
            answer = self._socket.recv(timeout=60)
            assert isinstance(answer, bytes)
            sent += answer
            reply = ForwardMsg.FromString(answer)
            if reply.WhichOneof("type") == "navigation":
                self.pages = {one.url_pathname: one.page_script_hash for one in reply.navigation.app_pages}
            component = reply.delta.new_element.bidi_component
            if component.component_name == "neyman_desk":
                self._desk_id = component.id
                self.desk = json.loads(component.json)
            if reply.WhichOneof("type") == "script_finished" and reply.script_finished != _AGAIN:
                return sent


@contextmanager
def visiting(team: Team, source: str, cookie: str, origin: str | None = None) -> Iterator[Visit]:
    """A session of somebody at an address, with the pages that the app has."""
    with connect(
        f"ws://{team.host}/_stcore/stream",
        origin=Origin(origin or team.origin),
        additional_headers={"Cookie": cookie},
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
        open_timeout=60,
        source_address=(source, 0),
    ) as socket:
        visit = Visit(socket)
        visit.run()
        yield visit


def hidden(sent: bytes) -> list[bytes]:
    """What was sent of that which an annotator must not see."""
    return [text for text in HIDDEN if text in sent]


def query_of(number: int) -> str:
    return f"only=label&link={number}"


def test_it_says_where_it_is_and_what_the_code_is(team: Team) -> None:
    log = team.server.log.read_text(encoding="utf-8")
    assert team.origin in log
    assert re.fullmatch(r"\w{4}-\w{4}-\w{4}", team.code())


def test_a_colleague_gives_the_code_once_and_sees_everything(team: Team) -> None:
    code = team.code()
    status, headers, _ = team.request(
        BEN, "POST", "/enter", f"code={code}", Origin=team.origin, Content_Type="application/x-www-form-urlencoded"
    )
    assert status == 303
    cookie = headers["set-cookie"].partition(";")[0]
    assert team.request(BEN, "GET", "/_stcore/health", Cookie=cookie)[0] == 200
    with visiting(team, BEN, cookie) as visit:
        sent = visit.run(f"pool={team.digest[:16]}", visit.pages["label"])
    assert b"hidden-target" in sent and b"hidden-pool" in sent
    again = team.request(EVE, "POST", "/enter", f"code={code}", Origin=team.origin)
    assert again[0] == 403 and "set-cookie" not in again[1]
    assert team.code() != code


def test_a_colleague_uploads_nothing_without_the_token_of_the_page(team: Team) -> None:
    status, headers, _ = team.request(BEN, "POST", "/enter", f"code={team.code()}", Origin=team.origin)
    assert status == 303
    cookie = headers["set-cookie"].partition(";")[0]
    path = "/_stcore/upload_file/session/file"
    for given in (cookie, f"{cookie}; _streamlit_xsrf=2|00000000|00|1"):
        assert team.request(BEN, "PUT", path, "x", Origin=team.origin, Cookie=given)[0] == 403


@pytest.mark.skipif(not LINUX, reason="Only Linux answers at several addresses here.")
def test_whoever_guesses_codes_waits_and_nobody_else(team: Team) -> None:
    guesses = [
        team.request("127.0.2.1", "POST", "/enter", f"code=AAAA-BBBB-CCC{number}", Origin=team.origin)[0]
        for number in range(7)
    ]
    assert guesses == [403] * 5 + [429] * 2
    assert team.request("127.0.2.1", "POST", "/enter", f"code={team.code()}", Origin=team.origin)[0] == 429
    assert team.request("127.0.2.2", "POST", "/enter", f"code={team.code()}", Origin=team.origin)[0] == 303


def test_a_link_opens_its_list_alone(team: Team) -> None:
    number, token = team.link("Ann")
    with visiting(team, ANN, team.cookie(ANN, token)) as visit:
        sent = visit.run(query_of(number), visit.pages["label"])
        assert b"list question" in sent and b"reply" in sent and b"Ann" in sent
        assert hidden(sent) == []
        for page in ("", *visit.pages.values()):
            for query in ("", f"pool={team.digest[:16]}", "design=paper&budget=20", "tour=1"):
                sent = visit.run(query, page)
                assert hidden(sent) == [] and b"list question" not in sent


def test_a_link_does_not_open_another_list(team: Team) -> None:
    _, token = team.link("Ann of one list")
    other, _ = team.link("Ben", plan_id=team.other_id)
    queries = [
        query_of(other),
        f"only=label&plan={team.other_id}&asks=gold",
        f"only=label&plan={team.plan_id}&asks=gold&pool={team.digest[:16]}",
        query_of(other + 1000),
        "only=label&link=-1",
        "only=label&link=1%20OR%201",
        "only=label&link=",
    ]
    with visiting(team, ANN, team.cookie(ANN, token)) as visit:
        for query in queries:
            sent = visit.run(query, visit.pages["label"])
            assert hidden(sent) == [] and b"list question" not in sent, query


@pytest.mark.parametrize("change", [{"revoked": CREATED}, {"expires": CREATED}])
def test_a_link_that_ended_opens_nothing(team: Team, change: dict[str, str]) -> None:
    number, token = team.link("Eve", **change)
    status, headers, _ = team.request(EVE, "GET", f"/open/{token}")
    assert status == 403 and "set-cookie" not in headers
    port = urlsplit(team.server.url).port
    with pytest.raises(InvalidStatus), visiting(team, EVE, f"neyman-{port}-link-{number}={token}"):
        pass


def test_a_replayed_cookie_of_a_revoked_link_opens_nothing(team: Team) -> None:
    number, token = team.link("Cleo")
    cookie = team.cookie(ANN, token)
    team.archive.links.revoke(number, CREATED)
    assert team.request(EVE, "GET", "/label", Cookie=cookie)[0] == 401
    with pytest.raises(InvalidStatus), visiting(team, EVE, cookie):
        pass


def test_a_label_after_the_link_was_revoked_is_not_saved(team: Team) -> None:
    number, token = team.link("Dora")
    with visiting(team, ANN, team.cookie(ANN, token)) as visit:
        visit.run(query_of(number), visit.pages["label"])
        team.archive.links.revoke(number, CREATED)
        with pytest.raises(ConnectionClosed):
            visit.run(query_of(number), visit.pages["label"], label="right")
    assert "Dora" not in set(team.archive.labels.of(team.plan_id)["annotator"])


def test_two_annotators_label_the_same_item_and_both_labels_stay(team: Team) -> None:
    for name, source, label in (("Gus", ANN, "right"), ("Hal", BEN, "wrong")):
        number, token = team.link(name)
        with visiting(team, source, team.cookie(source, token)) as visit:
            visit.run(query_of(number), visit.pages["label"])
            visit.run(query_of(number), visit.pages["label"], label=label)
    rows = team.archive.labels.of(team.plan_id).set_index("annotator").loc[["Gus", "Hal"]]
    assert rows["label"].tolist() == ["right", "wrong"]
    assert rows["item_id"].nunique() == 1


def test_a_link_labels_no_item_beyond_its_list(team: Team) -> None:
    number, token = team.link("Fay")
    drawn = json.loads(team.archive.plans.table().set_index("plan_id")["manifest"][team.plan_id])
    with visiting(team, ANN, team.cookie(ANN, token)) as visit:
        visit.run(query_of(number), visit.pages["label"])
        beyond = next(row["id"] for row in _rows("list") if row["id"] not in json.dumps(drawn))
        for item in (beyond, "other-list1", "nothing"):
            visit.run(query_of(number), visit.pages["label"], label="right", item=item)
    assert "Fay" not in set(team.archive.labels.of(team.plan_id)["annotator"])


@pytest.mark.parametrize("token", ["guess", "token-of-Ann-0-1", "../../etc/passwd", "%00", "'%20OR%201=1--"])
def test_a_guessed_token_is_refused(team: Team, token: str) -> None:
    source = f"127.0.1.{len(token)}" if LINUX else EVE
    status, headers, text = team.request(source, "GET", f"/open/{token}")
    assert status in (400, 403, 429) and "set-cookie" not in headers and "question" not in text


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.2.evil.example", ""])
@pytest.mark.parametrize("path", ["/", "/enter", "/open/x", "/_stcore/health", "/media/a.csv"])
def test_a_forged_host_header_is_refused(team: Team, host: str, path: str) -> None:
    _, token = team.link("Ida")
    cookie = team.cookie(ANN, token)
    assert team.request(EVE, "GET", path, Host=host, Cookie=cookie)[0] == 421


def test_a_session_from_another_site_is_refused(team: Team) -> None:
    _, token = team.link("Jon")
    cookie = team.cookie(ANN, token)
    with pytest.raises(InvalidStatus), visiting(team, ANN, cookie, origin="http://evil.example"):
        pass


@pytest.mark.parametrize("path", ["/enter", "/_stcore/upload_file/session/file", "/label"])
def test_a_post_from_another_site_is_refused(team: Team, path: str) -> None:
    _, token = team.link("Kim")
    cookie = team.cookie(ANN, token)
    answer = team.request(ANN, "POST", path, f"code={team.code()}", Origin="http://evil.example", Cookie=cookie)
    assert answer[0] == 403 and "set-cookie" not in answer[1]


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_an_annotator_uploads_nothing(team: Team, method: str) -> None:
    _, token = team.link("Lea")
    cookie = team.cookie(ANN, token)
    path = "/_stcore/upload_file/session/file"
    assert team.request(ANN, method, path, "x", Origin=team.origin, Cookie=cookie)[0] == 403


def test_metrics_are_closed(team: Team) -> None:
    _, token = team.link("Max")
    assert team.request(ANN, "GET", "/_stcore/metrics", Cookie=team.cookie(ANN, token))[0] == 404


@pytest.mark.parametrize("path", ["/", "/label", "/_stcore/health", "/media/a.csv", "/static/js/x.js"])
def test_a_stranger_gets_nowhere(team: Team, path: str) -> None:
    assert team.request(EVE, "GET", path)[0] == 401


def test_tokens_are_kept_hashed(team: Team) -> None:
    _, token = team.link("Nia")
    files = [file for file in Path(team.server.home).rglob("*") if file.is_file()]
    assert files and not any(token.encode() in file.read_bytes() for file in files)


def test_the_machine_itself_needs_the_code_too(team: Team) -> None:
    with socket.create_connection(("127.0.0.1", int(urlsplit(team.server.url).port or 0))) as plain:
        plain.sendall(b"GET /label HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert plain.recv(64).startswith(b"HTTP/1.1 401")
