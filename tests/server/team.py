"""A shared app with two lists, and those who visit it from several addresses."""

from __future__ import annotations

import http.client
import json
import re
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from core.archive import AnnotatorLink, Archive
from tests.browser.servers import Server

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


def rows(name: str) -> list[dict[str, Any]]:
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


@contextmanager
def files(most: int) -> Iterator[None]:
    """Let this process, and what it starts meanwhile, begin with so many files; it may raise the limit again itself."""
    import resource

    before, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < most:
        pytest.skip(f"This process may open {hard} files alone.")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (before, hard))


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

    def colleague(self, source: str) -> str:
        """The cookie of somebody who has given the access code."""
        status, headers, _ = self.request(source, "POST", "/enter", f"code={self.code()}", Origin=self.origin)
        assert status == 303
        return headers["set-cookie"].partition(";")[0]

    def owner(self) -> str:
        """The cookie of whoever has opened the address that was printed for the owner alone."""
        (token,) = re.findall(r"\?token=(\S+)", self.server.log.read_text(encoding="utf-8"))
        status, headers, _ = self.request(HERE, "GET", f"/?token={token}")
        assert status == 303
        return headers["set-cookie"].partition(";")[0]

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


class Visit:
    """A session with the app, as a browser has one."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.desk: dict[str, Any] = {}
        self._desk_id = ""
        self.pages: dict[str, str] = {}
        self.widgets: dict[str, Any] = {}

    def run(
        self,
        query: str = "",
        page: str = "",
        label: str | None = None,
        item: str | None = None,
        to: Sequence[str] | None = None,
    ) -> bytes:
        """All that the app sends when a page is opened, or an item labelled at its desk.

        By default it is the next item, and the label belongs where the desk says.
        """
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_script_hash = page
        if label is not None:
            step = {"item": item or self.desk["order"][0], "label": label}
            step |= {"id": uuid.uuid4().hex, "to": self.desk["to"] if to is None else json.dumps(to)}
            sending = [{"event": "outbox", "value": {"list": self.desk["list"], "ops": [step]}}]
            trigger = message.rerun_script.widget_states.widgets.add()
            trigger.id = f"$$STREAMLIT_INTERNAL_KEY_{self._desk_id}__events"
            trigger.json_trigger_value = json.dumps(sending)
        return self._answer(message)

    def press(self, label: str, typed: Mapping[str, str], query: str = "", page: str = "") -> bytes:
        """All that the app sends when a button is pressed, shown or not, with texts in fields; by their labels."""
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_script_hash = page
        for name, text in typed.items():
            message.rerun_script.widget_states.widgets.add(id=self.widgets[name].id, string_value=text)
        message.rerun_script.widget_states.widgets.add(id=self.widgets[label].id, trigger_value=True)
        return self._answer(message)

    def _answer(self, message: BackMsg) -> bytes:
        self.send(message)
        sent = b""
        while True:
            answer = self._socket.recv(timeout=60)
            assert isinstance(answer, bytes)
            sent += answer
            reply = ForwardMsg.FromString(answer)
            if reply.WhichOneof("type") == "navigation":
                self.pages = {one.url_pathname: one.page_script_hash for one in reply.navigation.app_pages}
            element = reply.delta.new_element
            if (kind := element.WhichOneof("type")) in ("button", "text_input", "text_area"):
                widget = getattr(element, kind)
                self.widgets[widget.label] = widget
            component = element.bidi_component
            if component.component_name == "neyman_desk":
                self._desk_id = component.id
                self.desk = json.loads(component.json)
            if reply.WhichOneof("type") == "script_finished" and reply.script_finished != _AGAIN:
                return sent

    def send(self, message: BackMsg) -> None:
        """Send a message of Streamlit's browser part, whatever it is."""
        self._socket.send(message.SerializeToString())

    def close_code(self) -> int:
        """With which code the app ends the session."""
        try:
            while True:
                self._socket.recv(timeout=60)
        except ConnectionClosed as ended:
            assert ended.rcvd is not None
            return ended.rcvd.code


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
