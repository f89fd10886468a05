"""The document around every page."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from urllib.parse import quote_plus

from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import file_util, get_option

from pages.parts.views import chart
from pages.parts.widgets.controls import DESK
from server.shell import Shell

DOCUMENT = "<html><head><title>Streamlit</title></head><body>" + "é" * 2000 + "</body></html>"
AS_A_BROWSER = {"accept": "text/html,*/*", "accept-encoding": "gzip"}


async def page(_: object) -> Response:
    return HTMLResponse(DOCUMENT, headers={"etag": '"one"'})


async def old(_: object) -> Response:
    return Response(status_code=304)


async def data(_: object) -> Response:
    return JSONResponse({"head": "<head>"})


ROUTES = [Route("/explore", page), Route("/label", page), Route("/old", old), Route("/data", data)]
CLIENT = TestClient(Shell(GZipMiddleware(Starlette(routes=ROUTES))))


def test_a_document_says_where_the_server_is_and_what_it_is_called() -> None:
    answer = CLIENT.get("/explore", headers=AS_A_BROWSER)
    # Both are what lets Streamlit's browser part connect at once.
    assert "BACKEND_BASE_URL: location.origin" in answer.text.partition("</head>")[0]
    host, _ = json.JSONDecoder().raw_decode(answer.text.partition("HOST_CONFIG: ")[2])
    assert host["useExternalAuthToken"] is False and host["allowedOrigins"] == get_option("client.allowedOrigins")
    assert "<title>Neyman</title>" in answer.text
    assert answer.text.endswith("é" * 2000 + "</body></html>")
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert answer.headers["etag"] == '"one"'


def test_a_page_with_figures_names_the_parts_that_draw_them_in_files_that_are_there() -> None:
    addresses = re.findall(r'href="\./(static/js/(\w+)\.[^"]+)"', CLIENT.get("/explore", headers=AS_A_BROWSER).text)
    names = [part for _, part in addresses]
    assert len(set(addresses)) == len(addresses)
    # With what they import, but for what Streamlit's own document names already.
    assert {"BidiComponent", "PageLink", "useSlot"} < set(names) and "protobuf" not in names
    assert all(Path(file_util.get_static_dir(), address).is_file() for address, _ in addresses)
    assert f'<script async src="./{chart.address()}">' in CLIENT.get("/explore", headers=AS_A_BROWSER).text
    assert "plotly" not in CLIENT.get("/label", headers=AS_A_BROWSER).text


def test_the_desk_loads_nothing_for_lists_and_settings() -> None:
    """A link to it is often opened on a phone."""
    whole, linked, opened = (
        CLIENT.get(f"/label{query}", headers=AS_A_BROWSER).text
        for query in ("", "?only=label&link=1", f"?part={quote_plus(DESK)}")
    )
    assert "/DataFrame." in whole and "/DataFrame." not in linked + opened


def test_what_is_no_document_stays_as_it_is() -> None:
    assert CLIENT.get("/data", headers=AS_A_BROWSER).json() == {"head": "<head>"}
    assert CLIENT.get("/old", headers=AS_A_BROWSER).status_code == 304
    assert CLIENT.head("/explore", headers=AS_A_BROWSER).status_code == 200


def test_what_does_not_ask_for_a_document_is_compressed_as_before() -> None:
    with CLIENT.stream("GET", "/explore", headers={"accept": "*/*", "accept-encoding": "gzip"}) as answer:
        assert answer.headers["content-encoding"] == "gzip"
        assert gzip.decompress(b"".join(answer.iter_raw())).decode() == DOCUMENT
