"""The document around every page, and the files of the browser part, each read once and sent in one piece.

Chromium compiles them in threads of their own. If Streamlit's say that the server is gone, they say it in the words of
this app.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs

from jinja2 import Environment
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, file_util

from pages.parts.views import chart
from pages.parts.widgets.controls import DESK

_STREAMLITS, _PLOTLYS = "/static/", f"/{chart.ROUTE}/"
_WHOLE = "http.response.pathsend"
_DOCUMENT = "text/html"
# Headers of requests that may have another answer than the whole file.
_CONDITIONS = (b"range", b"if-range", b"if-none-match", b"if-modified-since", b"if-match", b"if-unmodified-since")
# Streamlit knows neither the app nor how it is started.
_SAID = (
    (
        "Is Streamlit still running? If you accidentally stopped Streamlit, just restart it in your terminal:",
        "The app on this machine has ended. Start it again in a terminal:",
    ),
    ("streamlit run yourscript.py", "make run   (in its folder), or: neyman"),
    (
        "Streamlit server is not responding. Are you connected to the internet?",
        "The app does not answer. If it runs on this machine, it has ended: start it again in a terminal, with “make "
        "run” in its folder or with “neyman”. If it runs elsewhere, check your connection, or ask its owner.",
    ),
)
ENDED = {old.encode(): new.encode() for old, new in _SAID}
# More files than there are.
_MOST = 1000


class Assets:
    """ASGI middleware that answers for the files of the browser part out of memory.

    A page loads a hundred of them, 4 MB. Each would ask threads for its name, its size and every 64 kB, and each thread
    waits for Python while a page runs.

    Parameters
    ----------
    app : ASGIApp
        The app whose files these are.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._stored: dict[str, list[Message]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a whole file that was read before; hand any other request on."""
        if scope["type"] != "http" or not any(part in scope["path"] for part in (_STREAMLITS, _PLOTLYS)):
            await self._app(scope, receive, send)
            return
        path, answer = scope["path"], list[Message]()
        whole = scope["method"] == "GET" and not any(name in _CONDITIONS for name, _ in scope["headers"])
        if not (whole and path in self._stored):
            scope = {**scope, "extensions": {**scope.get("extensions", {}), _WHOLE: {}}}
            await self._app(scope, receive, _noting(answer))
            if not (whole and answer and _is_file(answer[0]) and len(self._stored) < _MOST):
                for message in answer:
                    await send(message)
                return
            if _PLOTLYS in path:
                # Its name says what is in it.
                MutableHeaders(scope=answer[0])["cache-control"] = "public, immutable, max-age=31536000"
            elif path.endswith(".js"):
                _amend(answer)
            self._stored[path] = answer
        for message in self._stored[path]:
            await send(message)


def _is_file(start: Message) -> bool:
    """Whether an answer is a file of the browser part; for a name that none has, Streamlit sends its document."""
    return start.get("status") == 200 and not Headers(raw=start["headers"]).get("content-type", "").startswith(
        _DOCUMENT
    )


def _noting(answer: list[Message]) -> Send:
    """Take an answer down; of a whole file, its content."""

    async def taking(message: Message) -> None:
        if message["type"] == _WHOLE:
            message = {"type": "http.response.body", "body": Path(message["path"]).read_bytes()}
        answer.append(message)

    return taking


def _amend(answer: list[Message]) -> None:
    """Have Streamlit's script compiled whole, and say in our words that the server is gone, if it says so."""
    start, *pieces = answer
    body = b"".join(piece.get("body", b"") for piece in pieces)
    for old, new in ENDED.items():
        body = body.replace(old, new)
    answer[1:] = [{**pieces[-1], "body": chart.EAGER.encode() + body}]
    MutableHeaders(scope=start)["content-length"] = str(len(answer[1]["body"]))


_TITLES = b"<title>Streamlit</title>", b"<title>Neyman</title>"
# The pages that begin with a figure, which would ask for plotly.js once it has come.
_DRAWN = ("explore", "plan", "lab")
# Parts of Streamlit's browser part that every page draws with, and those of some, which ask for one once an element of
# it has come.
_COMMON = ("PageLink", "Html", "BidiComponent")
_CONTROLS = ("Selectbox", "NumberInput", "Checkbox", "ButtonGroup")
_PARTS = {
    "": ("Metric", "Button"),
    "explore": ("Selectbox", "NumberInput", "Checkbox", "Radio", "Button"),
    "plan": (*_CONTROLS, "DataFrame", "Button", "DownloadButton"),
    "lab": (*_CONTROLS, "TextInput"),
    "label": (*_CONTROLS, "Multiselect", "DownloadButton", "DataFrame"),
}
_ADDRESS = "./static/js/"
_TEMPLATE = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
    Path(__file__).with_name("ahead.html").read_text(encoding="utf-8")
)
# What a part imports stands at its beginning.
_IMPORTS, _HEAD = re.compile(rb'(?:from|import)"\./([\w.-]+\.js)"'), 20_000


class Shell:
    """ASGI middleware that adds to Streamlit's document where the server is, and its name until a page has one.

    It names the page's parts too, which the browser loads and reads while the page runs for the first time.

    Parameters
    ----------
    app : ASGIApp
        The app whose documents these are.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, and change the document if the answer is one."""
        if (
            scope["type"] != "http"
            or scope["method"] != "GET"
            or "text/html" not in Headers(scope=scope).get("accept", "")
        ):
            await self._app(scope, receive, send)
            return
        # A compressed document could not be changed.
        headers = [(name, value) for name, value in scope["headers"] if name not in (b"accept-encoding", b"range")]
        page, query = scope["path"].rpartition("/")[2], parse_qs(scope["query_string"].decode("latin-1"))
        # The desk has neither a list nor settings, and may be on a phone.
        named = () if "only" in query or query.get("part") == [DESK] else _PARTS.get(page, ())
        ahead = _ahead((*_COMMON, *named), chart.address() if page in _DRAWN else "")
        changes = dict([_TITLES, (b"</head>", ahead + b"</head>")])
        await self._app({**scope, "headers": headers}, receive, _Document(send, changes))


class _Document:
    def __init__(self, send: Send, changes: dict[bytes, bytes]) -> None:
        self._send = send
        self._changes = changes
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 200:
            headers = Headers(raw=message["headers"])
            if headers.get("content-type", "").startswith("text/html") and "content-encoding" not in headers:
                self._start = message
                return
        if self._start is None or message["type"] != "http.response.body":
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if message.get("more_body", False):
            return
        for old, new in self._changes.items():
            self._body = self._body.replace(old, new, 1)
        headers = MutableHeaders(raw=list(self._start["headers"]))
        if "content-length" in headers:
            headers["content-length"] = str(len(self._body))
        await self._send({**self._start, "headers": headers.raw})
        await self._send({**message, "body": self._body})


@cache
def _ahead(parts: tuple[str, ...], plotly: str) -> bytes:
    """Return the tags for these parts before a document's head ends; the browser imports them in this order."""
    folder = Path(file_util.get_static_dir(), "static", "js")
    files = [file.name for part in parts for file in folder.glob(f"{part}.*.js")]
    # With all that they import, which the browser would ask for one after the other; but for what the document names.
    named = _with_imports(folder, [file.name for file in folder.glob("index.*.js") if file.name.count(".") == 2])
    preloaded = [_ADDRESS + name for name in _with_imports(folder, files) if name not in named]
    # What the browser part would ask for before it connects; it asks later.
    host = {"allowedOrigins": config.get_option("client.allowedOrigins"), "useExternalAuthToken": False}
    imported = [_ADDRESS + name for name in files]
    return _TEMPLATE.render(host=host, plotly=plotly, preloaded=preloaded, parts=imported).encode()


def _with_imports(folder: Path, names: Iterable[str]) -> dict[str, None]:
    """Files with all that they import, in the order in which they are named first."""
    known = dict.fromkeys(names)
    waiting = list(known)
    while waiting:
        with (folder / waiting.pop(0)).open("rb") as file:
            imported = (name.decode() for name in _IMPORTS.findall(file.read(_HEAD)))
            new = [name for name in imported if name not in known and (folder / name).is_file()]
        known |= dict.fromkeys(new)
        waiting += dict.fromkeys(new)
    return known
