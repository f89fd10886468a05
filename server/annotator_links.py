"""The door of a shared app: people with the access code see everything, annotators the lists of their links.

Every route is behind it: pages, sessions (WebSocket), uploads, media. A person gives the access code once and has a
cookie from then on. The owner brings the token (`server.owner`), and alone starts processes, unless everybody may. An
annotator's link leads to ``/open/<token>``, which exchanges the token for a cookie, so that it stands neither in the
address bar nor in what browsers send on. Each message of a session is checked again: a link that was revoked a second
ago saves no label, and one that sends what its page never does ends its session.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
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
from server.owner import ENTER, OwnerKey
from server.request_checks import OF_ANNOTATOR, OF_PERSON, Guest, notice, posted

# Without 0, O, 1 and I, which people mix up: 5 bits each.
_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_GROUPS, _GROUP = 3, 4
ENTRY_SECONDS = 12 * 3600
FAILURES, FAILURE_SECONDS = 5, 60.0
_MOST_ADDRESSES = 10_000


class Entrance:
    """The access code, who came in with it, and who guessed wrongly.

    Everything is forgotten when the server ends. Codes and cookies are compared in constant time.

    Parameters
    ----------
    announce : callable
        Called with each new access code.
    clock : callable
        Seconds that only grow.
    """

    def __init__(self, announce: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._announce = announce
        self._clock = clock
        self._entries: dict[str, float] = {}
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._code = ""
        self.renew()

    def renew(self) -> None:
        """Make the next access code, and announce it."""
        letters = [secrets.choice(_LETTERS) for _ in range(_GROUPS * _GROUP)]
        self._code = "".join(letters)
        self._announce("-".join(self._code[at : at + _GROUP] for at in range(0, len(letters), _GROUP)))

    def enter(self, given: str, address: str) -> str | None:
        """Take an access code, which then is spent, and return the cookie that lets its bearer in.

        Parameters
        ----------
        given : str
            What somebody typed; case, spaces and hyphens do not matter.
        address : str
            Where it was typed.

        Returns
        -------
        str or None
            None if the code is another, or the address has guessed too often.
        """
        if self.waits(address):
            return None
        plain = "".join(letter for letter in given.upper() if letter.isalnum())
        if not hmac.compare_digest(_hashed(plain), _hashed(self._code)):
            self.fail(address)
            return None
        self.renew()
        cookie = secrets.token_urlsafe(32)
        now = self._clock()
        self._entries = {entry: end for entry, end in self._entries.items() if end > now}
        self._entries[_hashed(cookie)] = now + ENTRY_SECONDS
        return cookie

    def entered(self, cookie: str) -> bool:
        """Whether a cookie was handed out here, and still counts."""
        hashed = _hashed(cookie)
        ends = [end for entry, end in self._entries.items() if hmac.compare_digest(entry, hashed)]
        return any(end > self._clock() for end in ends)

    def fail(self, address: str) -> None:
        """Note a wrong guess."""
        self._failures.setdefault(address, deque(maxlen=FAILURES)).append(self._clock())
        self._failures.move_to_end(address)
        while len(self._failures) > _MOST_ADDRESSES:
            self._failures.popitem(last=False)

    def waits(self, address: str) -> bool:
        """Whether this address has to wait before its next guess."""
        failures = self._failures.get(address)
        return failures is not None and len(failures) == FAILURES and self._clock() - failures[0] < FAILURE_SECONDS


def _hashed(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


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
    """ASGI middleware before the app, behind `server.request_checks.Door`.

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
