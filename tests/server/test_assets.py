"""Streamlit's own files: whole, in one piece, and nothing but them."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import file_util

from server.assets import IN_VAIN, Assets, quick
from tests.conftest import ROOT


async def file(_: object) -> Response:
    return FileResponse(Path(__file__), headers={"cache-control": "immutable"})


APP = Assets(Starlette(routes=[Route("/static/js/file", file), Route("/media/file", file)]))
CLIENT = TestClient(APP)
# The beginning of Plotly's list but for what no page draws, and what comes after it.
LISTED = ("core", "bar", "heatmap", "histogram", "pie")


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


def test_a_part_of_a_file_is_that_part() -> None:
    answer = CLIENT.get("/static/js/file", headers={"range": "bytes=3-9"})
    assert answer.status_code == 206 and answer.content == Path(__file__).read_bytes()[3:10]
    assert CLIENT.head("/static/js/file").content == b""


def test_the_part_that_draws_figures_leaves_out_what_is_in_vain(tmp_path) -> None:
    (module,) = Path(file_util.get_static_dir(), "static", "js").glob("PlotlyChart.*.js")
    script = module.read_bytes()
    # Another version of Streamlit may write these places differently: then they stay, and this says so.
    assert [len(place.findall(script)) for place, _ in IN_VAIN] == [1, 1, 1, 1]
    (tmp_path / module.name).write_bytes(script)

    async def serve(_: object) -> Response:
        return FileResponse(tmp_path / module.name, headers={"cache-control": "immutable"})

    client = TestClient(Assets(Starlette(routes=[Route(f"/static/js/{module.name}", serve)])))
    answer = client.get(f"/static/js/{module.name}", headers={"range": "bytes=3-9"})
    assert answer.status_code == 200 and answer.content == quick(script) != script
    assert int(answer.headers["content-length"]) == len(answer.content) and answer.headers["cache-control"]
    assert answer.headers["etag"] != FileResponse(tmp_path / module.name, stat_result=module.stat()).headers["etag"]
    assert client.head(f"/static/js/{module.name}").status_code == 200


def test_the_traces_that_figures_have_are_there_with_all_they_rest_on() -> None:
    (module,) = Path(file_util.get_static_dir(), "static", "js").glob("PlotlyChart.*.js")
    whole, script = (text.decode() for text in (module.read_bytes(), quick(module.read_bytes())))
    assert len(script) < len(whole) / 4 and script.startswith("//# allFunctionsCalledOnLoad\n")
    known, there = (dict(re.findall(r'([\w$]+)=[\w$]+\(\{"([^"]+)"\(', text)) for text in (whole, script))
    # A part is called by its name wherever another one needs it.
    called = set(re.findall(r"(?<![\w$.])([\w$]+)\(\)", script))
    assert called & known.keys() <= there.keys() < known.keys()
    traces, listed = (set(re.findall(r'"src/traces/(\w+)/index\.js"', text)) for text in (whole, script))
    source = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("core/figures/*.py"))
    drawn = traces & set(re.findall(r'"type": "(\w+)"', source))
    assert drawn == {"scatter", "bar", "heatmap", "histogram"} <= listed


def test_where_plotly_lists_its_traces_otherwise_all_stay() -> None:
    parts = [f'{n}=_({{"lib/{name}.js"(e,t){{t.exports=i()}}}}),' for n, name in zip("abcde", LISTED, strict=True)]
    index = 'f=i});return _({"lib/index.js"(e,t){var n=a();n.register([b(),c(),d(),e()])}})'
    slim = quick("".join([*parts, index]).encode())
    assert b"pie" not in slim and slim.endswith(b"register([b(),c(),d()])}})")
    for order in ((1, 0, 2, 3, 4), (0, 2, 1, 3, 4), (0, 1, 3, 2, 4), (0, 1, 2, 4)):
        other = "".join([*(parts[one] for one in order), index]).encode()
        assert quick(other) == other
