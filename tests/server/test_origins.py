"""Sessions that pages of other sites, and of other ports, try to open: attacks on the running app."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from streamlit import net_util
from streamlit.web.server import server_util

from server import request_checks
from tests.browser.servers import Server, forked
from tests.server.team import ANN, Team

NAME = "neyman.example.org"


@contextmanager
def asking(address: str, source: str = "127.0.0.1", **headers: str) -> Iterator[int]:
    """Ask for a session, and keep it if there is one; the status of the answer, 101 for a session."""
    connection = http.client.HTTPConnection(address, timeout=60, source_address=(source, 0))
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    upgrade |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "streamlit"}
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", "/_stcore/stream", headers=upgrade | named)
        answer = connection.getresponse()
        yield answer.status
    finally:
        connection.close()


def handshake(address: str, source: str = "127.0.0.1", **headers: str) -> int:
    """Status of the answer to a browser that asks for a session."""
    with asking(address, source, **headers) as status:
        return status


class Outside:
    """A proxy in place of the internet, which notes what it is asked for and answers nothing."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._note, daemon=True).start()

    def _note(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection:
                self.asked.append(connection.recv(999))

    def close(self) -> None:
        self._listening.close()


@pytest.fixture(scope="module")
def outside() -> Iterator[Outside]:
    proxy = Outside()
    yield proxy
    proxy.close()


def app(folder: Path, outside: Outside, *arguments: str) -> Iterator[Server]:
    """An app that reaches the internet through a proxy."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            patch.setenv(name, outside.url)
        for name in ("no_proxy", "NO_PROXY"):
            patch.delenv(name, raising=False)
        patch.setenv("TMPDIR", str(folder))
        server = forked(folder, *arguments, ahead=False)
    server.wait_until_healthy()
    yield server
    server.stop()
    assert server.complaints() == []


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory, outside: Outside) -> Iterator[Server]:
    yield from app(tmp_path_factory.mktemp("local"), outside)


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory, outside: Outside) -> Iterator[Server]:
    yield from app(tmp_path_factory.mktemp("public"), outside, "--public", "--host", NAME)


# {port}: that of the app.
FOREIGN = [
    "http://evil.example",
    "https://evil.example:{port}",
    "http://127.0.0.1:9",
    "http://127.0.0.1",
    "http://localhost:{port}",
    "http://localhost:9",
    "http://[::1]:{port}",
    "http://127.0.0.1:{port}.evil.example",
    "http://evil.example@127.0.0.1:{port}",
    "http://127.0.0.1:{port}/",
    "http://0.0.0.0:{port}",
    "file://",
    "null",
    "",
    "127.0.0.1:{port}",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_site_or_port_opens_no_session(local: Server, outside: Outside, origin: str) -> None:
    parts = urlsplit(local.url)
    assert handshake(parts.netloc, Origin=origin.format(port=parts.port)) == 403
    assert outside.asked == []


def test_the_app_and_clients_that_are_no_browsers_open_sessions(local: Server, outside: Outside) -> None:
    address = str(urlsplit(local.url).netloc)
    assert handshake(address, Origin=local.url) == 101
    # As of requests that change something: browsers name an origin, whatever they are told.
    assert handshake(address) == 101
    by_name = address.replace("127.0.0.1", "localhost")
    assert handshake(address, Host=by_name, Origin=f"http://{by_name}") == 101
    assert outside.asked == []


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (f"https://{NAME}", 101),
        (f"http://{NAME}", 101),
        (None, 101),
        (f"https://{NAME}:9", 403),
        (f"https://evil.{NAME}", 403),
        (f"https://{NAME}.evil.example", 403),
        ("https://evil.example", 403),
        ("http://127.0.0.1:{port}", 403),
        ("http://localhost", 403),
        ("null", 403),
    ],
)
def test_behind_a_proxy_the_host_that_visitors_use_counts(
    public: Server, outside: Outside, origin: str | None, status: int
) -> None:
    parts = urlsplit(public.url)
    named = {} if origin is None else {"Origin": origin.format(port=parts.port)}
    assert handshake(parts.netloc, Host=NAME, **named) == status
    assert outside.asked == []


@pytest.mark.parametrize("origin", ["http://{host}:9", "http://evil.example", "http://{host}", "null"])
def test_a_page_at_another_port_opens_no_session_with_the_cookie_of_a_colleague(team: Team, origin: str) -> None:
    entered = team.request(ANN, "POST", "/enter", f"code={team.code()}", Origin=team.origin)
    cookie = entered[1]["set-cookie"].partition(";")[0]
    assert handshake(team.host, ANN, Cookie=cookie, Origin=team.origin) == 101
    stranger = origin.format(host=team.host.partition(":")[0])
    assert handshake(team.host, ANN, Cookie=cookie, Origin=stranger) == 403


def test_streamlit_asks_no_host_on_the_internet_for_an_origin_that_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda url, timeout: asked.append(url))
    monkeypatch.setattr(net_util, "_external_ip", None)
    monkeypatch.setattr(net_util, "get_external_ip", net_util.get_external_ip)
    assert not server_util.is_url_from_allowed_origins("http://evil.example") and asked
    asked.clear()
    request_checks.ask_no_outside_host()
    assert not server_util.is_url_from_allowed_origins("http://evil.example")
    assert asked == []
