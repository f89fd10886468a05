"""Streamlit's own files: whole, in one piece, and nothing but them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import file_util

from pages.parts.views import chart
from server.request_checks import Door, Imported
from server.shell import ENDED, Assets


async def file(_: object) -> Response:
    return FileResponse(Path(__file__), headers={"cache-control": "immutable"})


APP = Assets(Starlette(routes=[Route("/static/js/file", file), Route("/media/file", file), Route("/{any:path}", file)]))
CLIENT = TestClient(APP)


def pieces(path: str) -> list[bytes]:
    """The pieces in which the network gets a file."""
    sent: list[bytes] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, object]) -> None:
        if message["type"] != "http.response.start":
            body = message["body"]
            assert isinstance(body, bytes)
            sent.append(body)

    scope = {"type": "http", "method": "GET", "path": path, "headers": [], "asgi": {"spec_version": "2.4"}}
    asyncio.run(APP(scope, receive, send))
    return sent


def test_a_file_comes_whole_with_its_headers(monkeypatch) -> None:
    monkeypatch.setattr(FileResponse, "chunk_size", 100)
    content = Path(__file__).read_bytes()
    assert pieces("/static/js/file") == [content] and len(pieces("/media/file")) > 1
    answer = CLIENT.get("/static/js/file")
    assert answer.content == content and answer.headers["cache-control"] == "immutable"
    assert int(answer.headers["content-length"]) == len(content)


def test_a_file_is_read_once_for_everybody(tmp_path) -> None:
    served = []

    async def count(request: Request) -> Response:
        served.append(request.method)
        return FileResponse(tmp_path / "file") if (tmp_path / "file").exists() else Response(status_code=404)

    client = TestClient(Assets(Starlette(routes=[Route("/static/file", count)])))
    assert client.get("/static/file").status_code == 404
    (tmp_path / "file").write_bytes(b"content")
    answers = [client.get("/static/file") for _ in range(3)]
    assert {answer.content for answer in answers} == {b"content"} and served == ["GET", "GET"]
    etag = {"if-none-match": answers[0].headers["etag"]}
    assert client.get("/static/file", headers=etag).status_code == client.head("/static/file").status_code == 200
    assert served == ["GET", "GET", "GET", "HEAD"]


def test_an_answer_stays_the_same_however_often_it_is_sent() -> None:
    opened = Imported()
    opened.set()
    client = TestClient(Door(APP, opened), base_url="http://127.0.0.1:8501")
    headers = [client.get("/static/js/file").headers.multi_items() for _ in range(3)]
    assert headers[0] == headers[1] == headers[2]


def test_streamlits_document_in_place_of_a_file_is_handed_on_and_not_kept() -> None:
    async def document(_: object) -> Response:
        return HTMLResponse("<!-- none -->")

    assets = Assets(Starlette(routes=[Route("/static/js/none.js", document)]))
    assert TestClient(assets).get("/static/js/none.js").text == "<!-- none -->" and not assets._stored


def test_a_part_of_a_file_is_that_part() -> None:
    answer = CLIENT.get("/static/js/file", headers={"range": "bytes=3-9"})
    assert answer.status_code == 206 and answer.content == Path(__file__).read_bytes()[3:10]
    assert CLIENT.head("/static/js/file").content == b""


def test_plotly_js_is_kept_by_the_browser_for_good() -> None:
    for path in (chart.address(), f"behind/a/prefix/{chart.address()}"):
        answer = CLIENT.get(f"/{path}")
        assert answer.text == Path(__file__).read_text(encoding="utf-8")
        assert "max-age=31536000" in answer.headers["cache-control"]


def test_a_script_is_compiled_whole_and_a_lost_connection_says_that_the_app_has_ended_and_how_to_start_it() -> None:
    folder = Path(file_util.get_static_dir(), "static", "js")
    (said,) = (file for file in folder.glob("index.*.js") if next(iter(ENDED)) in file.read_bytes())
    original = said.read_bytes()
    # A Streamlit that words it otherwise is noticed here.
    assert all(original.count(old) == 1 for old in ENDED)

    async def streamlits(_: object) -> Response:
        return FileResponse(said)

    answer = TestClient(Assets(Starlette(routes=[Route("/static/js/file.js", streamlits)]))).get("/static/js/file.js")
    assert answer.content.startswith(chart.EAGER.encode())
    assert all(new in answer.content and old not in answer.content for old, new in ENDED.items())
    assert int(answer.headers["content-length"]) == len(answer.content) and "make run" in answer.text
