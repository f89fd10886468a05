"""The limits of a public app: so many visitors and uploads at once, and a folder that goes with its server.

The limits of connections are those of a shared app (`server.request_checks`). A visit during which nobody does
anything ends too: its browser is led to a page that says so, and its place is free.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from server.request_checks import Guest, notice

# Visits at once, in all and from one address; of each, files and MB a file; and MB of all files at once, which stay in
# memory.
VISITORS, AT_ADDRESS, UPLOADS, MEGABYTES, TOGETHER = 100, 32, 10, 20, 2_000
# Seconds after which a visit ends in which nobody does anything, and those that a connection may take for an upload.
IDLE_SECONDS, UPLOAD_SECONDS = 3600.0, 600.0
LIMITS = (
    f"Up to {UPLOADS} files a visit, of {MEGABYTES} MB each. They are forgotten when you leave or reload the page. For "
    "more, start Neyman on your own machine."
)
_UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?$")
# Visits whose uploads are counted: more than there can be at once.
_REMEMBERED = 10_000
_LATER = 1013
# Where a browser is led whose visit has ended, from the page that it shows.
_ENDED = "ended"
_SAID = (
    "Your visit has ended because nothing happened in it for an hour. What you uploaded and labelled here is forgotten."
)
_FULL = "Many people are here at the moment. Close tabs of Neyman that you do not need, or try again in a minute."
# Of the messages that Streamlit's browser part can send, those of a visit. Others empty everybody's caches, or have git
# say what is changed in the server's folder.
_PASSED = frozenset({"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"})
# A browser sends it however long nobody looks.
_HEARTBEAT = BackMsg(app_heartbeat=True).SerializeToString()
_OPERATIONS = frozenset({"deferred_file", "dataframe_chunk"})


class Turnstile:
    """ASGI middleware that lets strangers in up to a number, and takes a number of files from each.

    Parameters
    ----------
    app : ASGIApp
        The app behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._visits = Counter[str]()
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
        address, guest = _address(scope), Guest.of(scope)
        if self._is_full(address) or (guest is not None and not guest.admit(address, AT_ADDRESS)):
            await WebSocketClose(_LATER)(scope, receive, send)
            return
        self._visits[address] += 1
        try:
            await self._app(scope, _heard(receive, send), send)
        finally:
            self._visits -= Counter([address])

    def _is_full(self, address: str) -> bool:
        return self._visits.total() >= VISITORS or self._visits[address] >= AT_ADDRESS

    def _refusal(self, scope: Scope) -> Response | None:
        page = scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
        if page and scope["path"].rpartition("/")[2] == _ENDED:
            return notice(200, _SAID, again="./")
        if page and self._is_full(_address(scope)):
            return notice(503, _FULL, 60)
        if scope["method"] in ("PUT", "POST") and (upload := _UPLOAD.search(scope["path"])):
            visit = upload[1]
            count = self._uploads[visit] = self._uploads.pop(visit, 0) + 1
            if len(self._uploads) > _REMEMBERED:
                self._uploads.popitem(last=False)
            if count > UPLOADS:
                return PlainTextResponse(f"A visit may upload {UPLOADS} files.", 429)
            if _uploaded() > TOGETHER * 1024**2:
                return PlainTextResponse("Many files are here at the moment. Try again later.", 503)
        return None


def _uploaded() -> int:
    """Bytes of the files that visitors have uploaded, which Streamlit keeps until they leave."""
    manager = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    if not isinstance(manager, MemoryUploadedFileManager):
        return 0
    of_visits = list(manager.file_storage.values())
    return sum(len(file.data) for files in of_visits for file in list(files.values()))


def _address(scope: Scope) -> str:
    return str((scope.get("client") or ("",))[0])


def _heard(receive: Receive, send: Send) -> Receive:
    """Leave out what no page of the app sends, and end a visit in which nobody does anything."""
    clock = asyncio.get_running_loop().time
    active = clock()

    async def hearing() -> Message:
        nonlocal active
        try:
            async with asyncio.timeout_at(active + IDLE_SECONDS):
                message = await receive()
                while message["type"] == "websocket.receive" and not _is_passed(message):
                    message = await receive()
        except TimeoutError:
            leaving = ForwardMsg()
            leaving.auth_redirect.url = f"./{_ENDED}"
            await send({"type": "websocket.send", "bytes": leaving.SerializeToString()})
            await send({"type": "websocket.close", "code": 1000})
            return {"type": "websocket.disconnect", "code": 1000}
        if message.get("bytes") != _HEARTBEAT:
            active = clock()
        return message

    return hearing


def _is_passed(message: Message) -> bool:
    try:
        sent = BackMsg.FromString(message.get("bytes") or b"")
    except DecodeError:
        return False
    kind = sent.WhichOneof("type")
    operation = sent.backend_operation_request.WhichOneof("payload")
    return kind in _PASSED and (kind != "backend_operation_request" or operation in _OPERATIONS)


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


_PREFIX = "neyman-visits-"


@contextmanager
def folder_of_visits() -> Iterator[Path]:
    """Make the folder, which this process holds by a lock; remove it in the end, and first what others left.

    A server that is killed leaves its folder behind. Its lock is free then.
    """
    place = Path(tempfile.gettempdir())
    for left in place.glob(f"{_PREFIX}*"):
        _remove_if_left(left)
    folder = Path(tempfile.mkdtemp(prefix="neyman-new-"))
    held = _lock(folder)
    # Under its name only once it is locked: whoever starts at the same moment leaves it alone.
    folder = folder.rename(place / f"{_PREFIX}{folder.name.rpartition('-')[2]}")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if held is not None:
            os.close(held)


def _remove_if_left(folder: Path) -> None:
    """Remove a folder of visits whose server has ended; others may put what they like beside it."""
    with suppress(OSError):
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and (held := _lock(folder)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(held)


def _lock(folder: Path) -> int | None:
    """Lock a folder until the process ends; None if another process holds it, or the file system has no locks."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        return None
    return opened
