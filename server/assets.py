"""Streamlit's own files, each handed to the network in one piece."""

from __future__ import annotations

from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FOLDER = "/static/"
_WHOLE = "http.response.pathsend"


class Assets:
    """ASGI middleware that reads a script of Streamlit's browser part at once instead of piece by piece.

    A page loads 8 MB of them. Each piece of 64 kB waits for a thread, and the thread for Python while it imports the
    libraries of the pages or runs one.

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
            send = _reading(send)
        await self._app(scope, receive, send)


def _reading(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == _WHOLE:
            message = {"type": "http.response.body", "body": Path(message["path"]).read_bytes()}
        await send(message)

    return sending
