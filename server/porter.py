"""The porter of a shared app: people with the access code see everything, annotators the lists of their links alone.

Every route is behind it: pages, sessions (WebSocket), uploads, media. A person gives the access code once and has a
cookie from then on. The owner brings the token (`server.owner`), and alone starts processes, unless everybody may. An
annotator's link leads to ``/open/<token>``, which exchanges the token for a cookie, so that it stands neither in the
address bar nor in what browsers send on. Each message of a session is checked again: a link that was revoked a second
ago saves no label, and one that sends what its page never does ends its session.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import urlsplit

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit.proto.BackMsg_pb2 import BackMsg

from core.archive import AnnotatorLink
from pages.parts.app import visitor
from server.accounts import ROUTES, Accounts
from server.entrance import ENTRY_SECONDS, FAILURE_SECONDS, Entrance
from server.lobby import OF_ANNOTATOR, OF_PERSON, Guest
from server.notice import notice, posted
from server.owner import ENTER, OwnerKey

OPEN, SIGN_IN = "/open/", "/sign-in"
_MOST_LINKS = 20
_ENDED = "This link has expired or was revoked. Ask whoever sent it for a new one."
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
# Of the messages that Streamlit's browser part can send, those of an annotator's page. Others empty everybody's caches,
# upload files or read the server's folder.
_PASSED = frozenset({"rerun_script", "stop_script"})
# WebSocket's words for a breach of the rules, and for "try again later".
_BREACH, _LATER = 1008, 1013

FindLink = Callable[[str], Awaitable[AnnotatorLink | None]]


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who may come in.

    Parameters
    ----------
    name : str
        Who it is: a cookie, an address of mail, or the numbers of links.
    links : frozenset of int or None
        Numbers of an annotator's links; None for whoever may see everything.
    starts : bool
        Whether it may start processes on this machine.
    """

    name: str = field(repr=False)
    links: frozenset[int] | None = None
    starts: bool = False

    @property
    def most(self) -> int:
        """Return the limit on its connections."""
        return OF_PERSON if self.links is None else OF_ANNOTATOR


class Porter:
    """ASGI middleware before the app, behind `server.door.Door`.

    Parameters
    ----------
    app : ASGIApp
        The app.
    entrance : callable
        Makes the access code once the server starts, and keeps who gave it.
    find_link : callable
        The link that a token opens now; None for no link.
    address : callable
        Where others reach the app, ``http://192.168.1.5:8501``; cookies of one with ``https`` never go without it.
    key : callable
        Makes the owner's key once the server starts.
    all_start : bool, default False
        Whether everybody with access to everything may start processes, as the owner may.
    accounts : callable
        Who may sign in instead of giving the code, as the secrets say once the server starts.
    """

    def __init__(
        self,
        app: ASGIApp,
        entrance: Callable[[], Entrance],
        find_link: FindLink,
        address: Callable[[], str],
        key: Callable[[], OwnerKey],
        all_start: bool = False,
        accounts: Callable[[], Accounts | None] = Accounts.configured,
    ) -> None:
        self._app = app
        self._entrance = entrance()
        self._find_link = find_link
        self._address = address
        self._key = key()
        self._all_start = all_start
        self._accounts = accounts()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, marked with what its sender may see, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        cookies = HTTPConnection(scope).cookies
        if scope["type"] == "http" and (answer := await self._signing_in(Request(scope, receive))) is not None:
            await answer(scope, receive, send)
            return
        person = await self._visitor(cookies)
        if person is None and self._accounts is not None and scope["type"] == "http" and scope["path"] in ROUTES:
            await self._app(scope, receive, send)
            return
        guest = Guest.of(scope)
        if person is not None and guest is not None and not guest.admit(person.name, person.most):
            busy = WebSocketClose(_LATER) if scope["type"] == "websocket" else _too_many()
            await busy(scope, receive, send)
            return
        if scope["type"] == "websocket":
            if person is None:
                await WebSocketClose(_BREACH)(scope, receive, send)
                return
            receive = self._watched(cookies, person, receive, send)
        elif person is None:
            ended = any(name.startswith(self._cookie("link-")) for name in cookies)
            await self._sign_in(401, _ENDED if ended else "")(scope, receive, send)
            return
        elif person.links is not None and scope["method"] not in _READING:
            await PlainTextResponse("A link for an annotator opens its list alone.", 403)(scope, receive, send)
            return
        await self._app(self._marked(scope, person), receive, send)

    async def _signing_in(self, request: Request) -> Response | None:
        """Answer requests that are about coming in; None for all others."""
        path, address = request.url.path, request.client.host if request.client else ""
        if (answer := self._key.let_in(request)) is not None:
            return answer
        if path == ENTER:
            return await self._enter(request, address) if request.method == "POST" else self._sign_in(200)
        if path == SIGN_IN and self._accounts is not None:
            return RedirectResponse(self._accounts.sign_in(), 303)
        if path.startswith(OPEN):
            return await self._open(path.removeprefix(OPEN), address)
        return None

    async def _enter(self, request: Request, address: str) -> Response:
        given = await posted(request, "code")
        if isinstance(given, Response):
            return given
        if self._entrance.waits(address):
            return _too_often()
        cookie = self._entrance.enter(given, address)
        if cookie is None:
            return self._sign_in(
                403, "This access code is wrong or was used before. The terminal shows the one that counts."
            )
        answer = RedirectResponse("/", 303)
        self._set_cookie(answer, "entry", cookie, ENTRY_SECONDS)
        return answer

    async def _open(self, token: str, address: str) -> Response:
        if self._entrance.waits(address):
            return _too_often()
        link = await self._find_link(token)
        if link is None:
            self._entrance.fail(address)
            return notice(403, _ENDED)
        answer = RedirectResponse(f"/label?only=label&link={link.number}", 303)
        self._set_cookie(answer, f"link-{link.number}", token, None)
        return answer

    async def _visitor(self, cookies: Mapping[str, str]) -> Visitor | None:
        """Return who sent these cookies; None for a stranger."""
        if self._key.is_held(cookies):
            return Visitor("the owner", starts=True)
        entry = cookies.get(self._cookie("entry"), "")
        if self._entrance.entered(entry):
            return Visitor(entry, starts=self._all_start)
        if self._accounts is not None and (email := self._accounts.signed_in(cookies)) is not None:
            return Visitor(email, starts=self._all_start)
        tokens = [token for name, token in cookies.items() if name.startswith(self._cookie("link-"))]
        links = [await self._find_link(token) for token in islice(tokens, _MOST_LINKS)]
        numbers = frozenset(link.number for link in links if link is not None)
        return Visitor(",".join(map(str, sorted(numbers))), numbers) if numbers else None

    def _watched(self, cookies: Mapping[str, str], person: Visitor, receive: Receive, send: Send) -> Receive:
        """Take a session's messages for as long as its visitor may see what it shows, and end it then."""

        async def watched() -> Message:
            message = await receive()
            while person.links is None and not person.starts and _starts(message):
                message = await receive()
            if message["type"] == "websocket.receive" and not (
                await self._visitor(cookies) == person and (person.links is None or _is_passed(message))
            ):
                await send({"type": "websocket.close", "code": _BREACH})
                return {"type": "websocket.disconnect", "code": _BREACH}
            return message

        return watched

    def _marked(self, scope: Scope, person: Visitor) -> Scope:
        """Tell the app who comes; what the sender says of it does not count."""
        marked = dict(scope, headers=list(scope["headers"]))
        headers = MutableHeaders(scope=marked)
        for name in (visitor.LINKS, visitor.ADDRESS, visitor.STARTS):
            del headers[name]
        if person.links is None:
            headers[visitor.ADDRESS] = self._address()
            headers[visitor.STARTS] = "yes" if person.starts else "no"
        else:
            headers[visitor.LINKS] = person.name
        return marked

    def _sign_in(self, status: int, message: str = "") -> Response:
        return notice(status, message, enter=ENTER, sign_in="" if self._accounts is None else SIGN_IN)

    def _set_cookie(self, answer: Response, name: str, value: str, seconds: int | None) -> None:
        secure = self._address().startswith("https:")
        answer.set_cookie(self._cookie(name), value, seconds, httponly=True, samesite="lax", secure=secure)

    def _cookie(self, name: str) -> str:
        # Browsers send the cookies of one port to every other.
        return f"neyman-{urlsplit(self._address()).port}-{name}"


def _starts(message: Message) -> bool:
    """Whether a message has Streamlit run git, or install something in the server's folder; no page sends it."""
    try:
        sent = BackMsg.FromString(message.get("bytes") or b"")
    except DecodeError:
        return False
    operation = sent.backend_operation_request.WhichOneof("payload")
    return bool(sent.WhichOneof("type") == "load_git_info" or operation == "install_skills")


def _is_passed(message: Message) -> bool:
    """Whether an annotator's page could have sent a message."""
    try:
        sent = BackMsg.FromString(message.get("bytes") or b"")
        for widget in sent.rerun_script.widget_states.widgets:
            # What its components send is JSON.
            json.loads(widget.json_trigger_value or widget.json_value or "null")
    except (DecodeError, ValueError, RecursionError):
        return False
    return sent.WhichOneof("type") in _PASSED


def _too_many() -> Response:
    return notice(503, "Too many connections are open. Close tabs of Neyman that you do not need.", 5)


def _too_often() -> Response:
    seconds = round(FAILURE_SECONDS)
    return notice(429, f"Too many wrong codes from this address. Try again in {seconds} seconds.", seconds)
