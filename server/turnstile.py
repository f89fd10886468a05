"""The turnstile of a public app: so many visitors at once, so many uploads of each, and an end with the connection."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Collection

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

# Visitors at once; of each, files and MB a file.
VISITORS, UPLOADS, MEGABYTES = 100, 10, 20
LIMITS = (
    f"Up to {UPLOADS} files a visit, of {MEGABYTES} MB each. They are forgotten when you leave or reload the page. For "
    "more, start Neyman on your own machine."
)
_UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?$")
# Visits whose uploads are counted: more than there can be at once.
_REMEMBERED = 10_000
_LATER = 1013


class Turnstile:
    """ASGI middleware that lets strangers in up to a number, and takes a number of files from each.

    Parameters
    ----------
    app : ASGIApp
        The app behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._inside = 0
        self._uploads: OrderedDict[str, int] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] == "websocket":
            await self._visit(scope, receive, send)
        elif scope["type"] == "http" and (refusal := self._refusal(scope)) is not None:
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._inside >= VISITORS:
            await WebSocketClose(_LATER)(scope, receive, send)
            return
        self._inside += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._inside -= 1

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        page = scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
        if page and self._inside >= VISITORS:
            text = "Many people are here at the moment. Try again in a minute."
            return PlainTextResponse(text, 503, {"retry-after": "60"})
        if scope["method"] in ("PUT", "POST") and (upload := _UPLOAD.search(scope["path"])):
            visit = upload[1]
            count = self._uploads[visit] = self._uploads.pop(visit, 0) + 1
            if len(self._uploads) > _REMEMBERED:
                self._uploads.popitem(last=False)
            if count > UPLOADS:
                return PlainTextResponse(f"A visit may upload {UPLOADS} files.", 429)
        return None


def end_with_connection(forget: Callable[[str, Collection[str]], None]) -> None:
    """Have a session end once its connection does; Streamlit would keep it for whoever comes back with its name.

    Parameters
    ----------
    forget : callable
        Called with the session that has ended, and with those that go on.
    """
    close = WebsocketSessionManager.close_session

    def end(manager: WebsocketSessionManager, session_id: str) -> None:
        close(manager, session_id)
        forget(session_id, [one.session.id for one in manager.list_active_sessions()])

    WebsocketSessionManager.close_session = end  # type: ignore[assignment, method-assign]
    WebsocketSessionManager.disconnect_session = end  # type: ignore[assignment, method-assign]
