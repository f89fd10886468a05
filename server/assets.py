"""Streamlit's own files, each handed to the network in one piece; the one that draws figures draws them once."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FOLDER = "/static/"
_WHOLE = "http.response.pathsend"
# Headers of a request for a part of a file, which is not what stands on the disk.
_PART = (b"range", b"if-range")
_CHART = re.compile(r"/PlotlyChart\.[^/]*\.js$")
# The browser compiles all of the file while it arrives, beside the page, and not each function when it is called.
_AT_ONCE = b"//# allFunctionsCalledOnLoad\n"
# What the file does more often than it needs, and what stands for it. A figure is drawn before its width is known,
# hidden, and again at its width; and a third time once colours of the theme are put in that it has already.
REPEATED: tuple[tuple[re.Pattern[bytes], bytes], ...] = (
    (
        re.compile(rb"return (\w+)(\?\w+\(\w+,\{width:\1,\.\.\.\w+\}\):null)"),
        rb"return \1>0\2",
    ),
    (
        re.compile(
            rb"(\(0,(\w+)\.useEffect\)\(\(\)=>\{)(\w+\((\w+)=>\w+\(\4,(\w+)\.theme,(\w+)\)\))(\},\[\5\.id,\6,\5\.theme\]\))"
        ),
        rb"(again=>\1again.current?\3:again.current=!0\7)((0,\2.useRef)(!1))",
    ),
)


class Assets:
    """ASGI middleware that reads a script of Streamlit's browser part at once instead of piece by piece.

    A page loads 8 MB of them. Each piece of 64 kB waits for a thread, and the thread for Python while it imports the
    libraries of the pages or runs one. In the part that draws figures it leaves out what is drawn in vain.

    Parameters
    ----------
    app : ASGIApp
        The app whose files these are.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on; for one of these files, with the offer to read it here."""
        if scope["type"] == "http" and _FOLDER in scope["path"]:
            scope = {**scope, "extensions": {**scope.get("extensions", {}), _WHOLE: {}}}
            if _CHART.search(scope["path"]):
                scope["headers"] = [(name, value) for name, value in scope["headers"] if name not in _PART]
                send = _Chart(send)
            else:
                send = _reading(send)
        await self._app(scope, receive, send)


def quick(script: bytes) -> bytes:
    """The part of Streamlit that draws figures, without what it draws in vain."""
    for repeated, once in REPEATED:
        script = repeated.sub(once, script)
    return _AT_ONCE + script


def _reading(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == _WHOLE:
            message = {"type": "http.response.body", "body": Path(message["path"]).read_bytes()}
        await send(message)

    return sending


class _Chart:
    """Sends the part that draws figures, with headers that fit it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        if self._start is not None:
            if message["type"] == _WHOLE:
                body = _quick(message["path"])
                headers = MutableHeaders(raw=list(self._start["headers"]))
                headers["content-length"] = str(len(body))
                headers["etag"] = f'"{len(body)}-{Headers(raw=headers.raw).get("etag", "").strip(chr(34))}"'
                self._start["headers"] = headers.raw
                message = {"type": "http.response.body", "body": body}
            await self._send(self._start)
            self._start = None
        await self._send(message)


@cache
def _quick(path: str) -> bytes:
    return quick(Path(path).read_bytes())
