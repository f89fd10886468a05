"""The document around every page: it knows its name, and where the server is."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Streamlit's browser part looks for its server below the address of the page first, which is one 404 a request on every
# page but the first. All pages have one word for an address, behind whatever prefix a proxy has put before it.
_SERVER = b"window.__streamlit={BACKEND_BASE_URL:location.origin+location.pathname.replace(/[^\\/]*$/,'')}"
_CHANGES = {
    b"<head>": b"<head><script>" + _SERVER + b"</script>",
    b"<title>Streamlit</title>": b"<title>Neyman</title>",
}


class Shell:
    """ASGI middleware that adds to Streamlit's document where the server is, and its name until a page has one.

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
        await self._app({**scope, "headers": headers}, receive, _Document(send))


class _Document:
    def __init__(self, send: Send) -> None:
        self._send = send
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
        for old, new in _CHANGES.items():
            self._body = self._body.replace(old, new, 1)
        headers = MutableHeaders(raw=list(self._start["headers"]))
        if "content-length" in headers:
            headers["content-length"] = str(len(self._body))
        await self._send({**self._start, "headers": headers.raw})
        await self._send({**message, "body": self._body})
