"""``make run TOKEN=1``: what the token opens, what is closed without it, and where it is written."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from server.owner import opening_page, read_token
from tests.browser.servers import Server, forked
from tests.server.test_origins import handshake


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = forked(tmp_path_factory.mktemp("private"), "--token", ahead=False)
    server.wait_until_healthy()
    yield server
    server.stop()
    assert server.complaints() == []


def ask(
    server: Server, path: str, method: str = "GET", body: str | None = None, **headers: str
) -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection(str(urlsplit(server.url).netloc), timeout=60)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode(errors="replace")
    finally:
        connection.close()


def printed(server: Server) -> str:
    """The token in the address that was printed."""
    (token,) = re.findall(rf"URL: {server.url}/\?token=(\S+)", server.log.read_text(encoding="utf-8"))
    return token


def cookie(server: Server) -> str:
    return ask(server, f"/?token={printed(server)}")[1]["set-cookie"].partition(";")[0]


ROUTES = [
    ("GET", "/"),
    ("GET", "/label?plan=p1"),
    ("GET", "/_stcore/host-config"),
    ("GET", "/_stcore/health/"),
    ("GET", "/_stcore/../label"),
    ("GET", "//_stcore/health"),
    ("GET", "/x/_stcore/health"),
    ("HEAD", "/"),
    ("PUT", "/_stcore/upload_file/session/file"),
    ("DELETE", "/_stcore/upload_file/session/file"),
    ("GET", "/media/0123.csv"),
    ("GET", "/static/js/index.js"),
    ("GET", "/component/x/index.html"),
    ("GET", "/open/x"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("given", [None, "guess"])
def test_without_the_token_nothing_is_open_but_the_health(
    private: Server, method: str, path: str, given: str | None
) -> None:
    port = urlsplit(private.url).port
    headers = {} if given is None else {"Cookie": f"neyman-{port}-token={given}; neyman-1-token={printed(private)}"}
    status, answered, text = ask(private, path, method, **headers)
    assert status == 401 and "set-cookie" not in answered
    assert method == "HEAD" or "contains the token" in text
    assert ask(private, "/_stcore/health")[::2] == (200, "ok")


@pytest.mark.parametrize("given", [None, "guess", ""])
def test_without_the_token_no_session_opens(private: Server, given: str | None) -> None:
    parts = urlsplit(private.url)
    headers = {} if given is None else {"Cookie": f"neyman-{parts.port}-token={given}"}
    for origin in ({}, {"Origin": private.url}):
        assert handshake(parts.netloc, **headers, **origin) == 403


def test_the_printed_address_opens_every_page_and_the_token_leaves_it(private: Server) -> None:
    token, port = printed(private), urlsplit(private.url).port
    for path, place in {
        f"/?token={token}": "/",
        f"/label?plan=p1&token={token}&k=%C3%A9+b": "/label?plan=p1&k=%C3%A9+b",
        f"//evil.example/?token={token}": "/evil.example/",
        f"/%2F%2Fevil.example?token={token}": "/evil.example",
    }.items():
        status, headers, _ = ask(private, path, Accept="text/html")
        assert (status, headers["location"]) == (303, place)
        assert headers["referrer-policy"] == "same-origin" and headers["cache-control"] == "no-store"
        assert headers["set-cookie"].startswith(f"neyman-{port}-token=")
        assert "HttpOnly" in headers["set-cookie"] and "SameSite=lax" in headers["set-cookie"]
    held = cookie(private)
    for page in ("/", "/label", "/_stcore/host-config"):
        status, headers, text = ask(private, page, Cookie=held)
        assert status == 200 and token not in text and token not in str(headers)
    address = str(urlsplit(private.url).netloc)
    assert handshake(address, Cookie=held, Origin=private.url) == 101
    # A page at another port has the browser's cookie, but another origin.
    assert handshake(address, Cookie=held, Origin="http://127.0.0.1:9") == 403
    # An old bookmark with another token, in a browser that has the cookie.
    status, headers, _ = ask(private, "/label?token=old&k=3", Cookie=held)
    assert (status, headers["location"]) == (303, "/label?k=3")


@pytest.mark.parametrize("wrong", ["", "guess", "\u00e9", "x" * 43, "%00", "' OR 1=1"])
def test_another_token_opens_nothing_and_the_page_says_what_to_do(private: Server, wrong: str) -> None:
    given = quote(wrong)
    for status, headers, text in (
        ask(private, f"/?token={given}"),
        ask(private, "/enter", "POST", f"token={given}", Origin=private.url),
    ):
        assert status == 403 and "set-cookie" not in headers and "not the token of this app" in text


def test_the_token_can_be_typed_into_the_page_that_asks_for_it(private: Server) -> None:
    for typed in (f" {printed(private)}\n", f"{private.url}/?token={printed(private)}"):
        status, headers, _ = ask(private, "/enter", "POST", f"token={quote(typed)}", Origin=private.url)
        assert (status, headers["location"]) == (303, "/") and "set-cookie" in headers
    for origin in ("http://evil.example", "null"):
        assert ask(private, "/enter", "POST", f"token={printed(private)}", Origin=origin)[0] == 403
    assert ask(private, "/enter", "POST", "token=" + "x" * 5000, Origin=private.url)[0] == 413
    assert ask(private, "/enter", "POST", f"token={printed(private)}")[0] == 403


def test_the_page_that_asks_for_the_token_runs_no_script_and_stands_in_no_frame(private: Server) -> None:
    policy = ask(private, "/")[1]["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy


def test_the_token_is_written_to_its_file_and_the_printed_address_alone(private: Server) -> None:
    token = printed(private)
    for path in (f"/?token={token}", f"/x?token={token}&a", "/?token=guess"):
        ask(private, path)
    cookie(private)
    log = private.log.read_text(encoding="utf-8")
    assert log.count(token) == 1
    files = [file for file in private.home.rglob("*") if file.is_file() and token.encode() in file.read_bytes()]
    assert files == [private.home / "token"] and files[0].stat().st_mode & 0o777 == 0o600
    words = Path(f"/proc/{private.process.pid}/cmdline")
    assert not words.exists() or token.encode() not in words.read_bytes()


def test_a_bookmark_lives_through_a_restart_and_another_port(private: Server, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    token = read_token(tmp_path / "home")
    server = forked(tmp_path, "--token", ahead=False)
    server.wait_until_healthy()
    assert printed(server) == token
    assert ask(server, "/", Cookie=f"neyman-{urlsplit(server.url).port}-token={token}")[0] == 200
    server.stop()


def test_a_token_is_made_once_for_its_user_alone(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    token = read_token(home)
    assert len(token) >= 43 and read_token(home) == token
    assert home.stat().st_mode & 0o77 == 0 and (home / "token").stat().st_mode & 0o77 == 0
    assert read_token(tmp_path / "other") != token


@pytest.mark.parametrize("text", ["", "short", "x" * 42 + "!", "two\nlines" * 9, "\x00" * 50])
def test_what_is_no_token_is_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "token").write_text(text, encoding="utf-8")
    (tmp_path / "token").chmod(0o600)
    token = read_token(tmp_path)
    assert token != text.strip() and read_token(tmp_path) == token


def test_a_token_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    old = read_token(tmp_path)
    (tmp_path / "token").chmod(0o644)
    assert read_token(tmp_path) not in (old, "")
    assert (tmp_path / "token").stat().st_mode & 0o77 == 0


def test_a_home_that_cannot_be_written_has_a_token_until_the_app_ends(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert len(read_token(tmp_path / "file" / "home")) >= 43


def test_the_browser_is_led_to_the_token_by_a_file_for_this_user_alone() -> None:
    with opening_page("http://127.0.0.1:8501/?token=abc") as place:
        page = Path(place.removeprefix("file://"))
        assert "abc" not in place and "url=http://127.0.0.1:8501/?token=abc" in page.read_text(encoding="utf-8")
        assert page.parent.stat().st_mode & 0o77 == 0
    assert not page.exists()
