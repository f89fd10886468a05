"""Streamlit's own files, each read once and sent in one piece; the one that draws figures does nothing in vain."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FOLDER = "/static/"
_WHOLE = "http.response.pathsend"
# Headers of a request for a part of a file, which of a changed one is not what stands on the disk; and of requests
# that may have another answer than the whole file.
_PART = (b"range", b"if-range")
_CONDITIONS = (*_PART, b"if-none-match", b"if-modified-since", b"if-match", b"if-unmodified-since")
# More files than Streamlit has.
_MOST = 1000
_CHART = re.compile(r"/PlotlyChart\.[^/]*\.js$")
# What the file has or does in vain, and what stands for it.
IN_VAIN: tuple[tuple[re.Pattern[bytes], bytes], ...] = (
    # Traces that no page draws, three quarters of the file. Scatter is in Plotly's core; the others are listed,
    # and their parts stand in that order, each after what it rests on: list and parts end with the last one drawn. What
    # is left is needed at once: the browser compiles it while it arrives, rather than each function when it is called.
    (
        re.compile(
            rb'\A(.*"lib/core\.js".*"lib/bar\.js".*"lib/heatmap\.js".*'
            rb',([\w$]+)=[\w$]+\(\{"lib/histogram\.js"\([\w,]+\)\{\w+\.exports=[\w$]+\(\)\}\}\)),.*'
            rb'(;return [\w$]+\(\{"lib/index\.js"\([^[]*\.register\(\[(?:[\w$]+\(\),)*\2\(\))[^\]]*',
            re.DOTALL,
        ),
        rb"//# allFunctionsCalledOnLoad\n\1\3",
    ),
    # A figure is drawn before its width is known, hidden, and again at its width.
    (
        re.compile(rb"return (\w+)(\?\w+\(\w+,\{width:\1,\.\.\.\w+\}\):null)"),
        rb"return \1>0\2",
    ),
    # And a third time once colours of the theme are put in that it has already.
    (
        re.compile(
            rb"(\(0,(\w+)\.useEffect\)\(\(\)=>\{)(\w+\((\w+)=>\w+\(\4,(\w+)\.theme,(\w+)\)\))(\},\[\5\.id,\6,\5\.theme\]\))"
        ),
        rb"(again=>\1again.current?\3:again.current=!0\7)((0,\2.useRef)(!1))",
    ),
    # One that is further down than the window reaches is drawn before what is in sight is painted.
    (
        re.compile(rb"(\w+\.current=\w+\.current)(\.then\(\(\)=>\{if\(!\w+\.current\)\{if\(!(\w+)\.current\)throw )"),
        rb"\1.then(()=>\3.current?.getBoundingClientRect().top>innerHeight"
        rb"?new Promise(e=>requestAnimationFrame(()=>setTimeout(e))):0)\2",
    ),
)


class Assets:
    """ASGI middleware that answers for the files of Streamlit's browser part out of memory.

    A page loads a hundred of them, 8 MB. Each would ask threads for its name, its size and every 64 kB, and each thread
    waits for Python while a page runs. From the part that draws figures it leaves out what is there in vain.

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
        if scope["type"] != "http" or _FOLDER not in (path := scope["path"]):
            await self._app(scope, receive, send)
            return
        chart = _CHART.search(path) is not None
        if chart:
            scope = {**scope, "headers": [(name, value) for name, value in scope["headers"] if name not in _PART]}
        whole = scope["method"] == "GET" and not any(name in _CONDITIONS for name, _ in scope["headers"])
        if not (whole and path in self._stored):
            scope = {**scope, "extensions": {**scope.get("extensions", {}), _WHOLE: {}}}
            answer: list[Message] = []
            await self._app(scope, receive, _reading(answer, quick if chart else bytes))
            if not (whole and answer and answer[0].get("status") == 200 and len(self._stored) < _MOST):
                for message in answer:
                    await send(message)
                return
            self._stored[path] = answer
        for message in self._stored[path]:
            await send(message)


def quick(script: bytes) -> bytes:
    """The part of Streamlit that draws figures, without what it has or does in vain."""
    for needless, rest in IN_VAIN:
        script = needless.sub(rest, script)
    return script


def _reading(answer: list[Message], change: Callable[[bytes], bytes]) -> Send:
    """Take an answer down; of a whole file, its content after the change, with headers that fit."""

    async def taking(message: Message) -> None:
        if message["type"] == _WHOLE:
            content = Path(message["path"]).read_bytes()
            body = change(content)
            if body != content:
                headers = MutableHeaders(raw=list(answer[0]["headers"]))
                headers["content-length"] = str(len(body))
                headers["etag"] = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
                answer[0]["headers"] = headers.raw
            message = {"type": "http.response.body", "body": body}
        answer.append(message)

    return taking
