"""The files of the browser part, Streamlit's and plotly.js, each read once and sent in one piece.

Chromium compiles them in threads of their own. If Streamlit's say that the server is gone, they say it in the words of
this app.
"""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.parts.views import plotlyjs

_STREAMLITS, _PLOTLYS = "/static/", f"/{plotlyjs.ROUTE}/"
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
    answer[1:] = [{**pieces[-1], "body": plotlyjs.EAGER.encode() + body}]
    MutableHeaders(scope=start)["content-length"] = str(len(answer[1]["body"]))
