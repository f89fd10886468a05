"""The owner of an app: whoever has its token; and whether other people can log in to this machine.

The printed address ends in ``?token=…``. It is exchanged for a cookie named by the port, and leads on to the address
without the token, which then stands neither in the address bar nor in what browsers send on. With ``--token`` nobody
else gets in (`OwnerGate`); in a shared app the owner alone starts processes (`server.annotator_links`).
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

from jinja2 import Environment
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from core.archive import kept_secret
from server.request_checks import notice, posted

ENTER = "/enter"
_NAME = "token"
_TOKEN = re.compile(r"[\w-]{40,100}", re.ASCII)
# As long as browsers keep a cookie.
_SECONDS = 400 * 24 * 3600
_HEALTH = "/_stcore/health"
_BREACH = 1008
_MISSING = "This app opens only with its token."
_WRONG = "This is not the token of this app. Copy the whole address from the terminal, or the whole token."
_OPENING = Environment(autoescape=True).from_string(Path(__file__).with_name("open.html").read_text(encoding="utf-8"))


def read_token(home: Path) -> str:
    """Return the token that a home keeps, a new one if it keeps none.

    The file is its user's alone. If it can be neither read nor written, the token counts until the app ends.
    """
    return kept_secret(home, _NAME, _TOKEN, lambda: secrets.token_urlsafe(32))


@contextmanager
def opening_page(url: str) -> Iterator[str]:
    """Make a file that leads a browser to an address, readable by this user alone, and return where it is.

    An address that a program is started with stands in the list of processes, for everybody on the machine.
    """
    with TemporaryDirectory(prefix="neyman-open-") as folder:
        page = Path(folder) / "open.html"
        page.write_text(_OPENING.render(url=url), encoding="utf-8")
        yield page.as_uri()


class OwnerKey:
    """The token of an app, and the cookie that it is exchanged for.

    Parameters
    ----------
    token : str
        The token.
    address : str
        Where the owner reaches the app on this machine, ``http://127.0.0.1:8501``.
    """

    def __init__(self, token: str, address: str) -> None:
        self._token = token
        self._address = address

    @property
    def url(self) -> str:
        """The address that lets the owner in."""
        return f"{self._address}/?{urlencode({_NAME: self._token})}"

    def is_held(self, cookies: Mapping[str, str]) -> bool:
        """Whether these cookies are the owner's."""
        return self._is(cookies.get(self._cookie, ""))

    def let_in(self, request: Request) -> Response | None:
        """Answer a request whose address has the token; None for any other address."""
        query = parse_qsl(request.url.query, keep_blank_values=True)
        given = [value for name, value in query if name == _NAME]
        if not given or request.method != "GET":
            return None
        rest = urlencode([(name, value) for name, value in query if name != _NAME])
        # Of a path that begins with two slashes, a browser takes the beginning for another host.
        place = f"/{request.url.path.lstrip('/')}" + (f"?{rest}" if rest else "")
        if self.is_held(request.cookies) and not self._is(given[-1]):
            return RedirectResponse(place, 303)
        return self.exchange(given[-1], place)

    def exchange(self, given: str, place: str = "/") -> Response | None:
        """Lead on to a place with the cookie, if this is the token; None if it is not."""
        if not self._is(given.strip()):
            return None
        answer = RedirectResponse(place, 303, {"cache-control": "no-store"})
        secure = self._address.startswith("https:")
        answer.set_cookie(self._cookie, self._token, _SECONDS, httponly=True, samesite="lax", secure=secure)
        return answer

    @property
    def _cookie(self) -> str:
        # Browsers send the cookies of one port to every other.
        return f"neyman-{urlsplit(self._address).port}-{_NAME}"

    def _is(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(errors="surrogatepass"), self._token.encode())


class OwnerGate:
    """ASGI middleware that lets the owner alone into an app on this machine; its health stays open.

    Parameters
    ----------
    app : ASGIApp
        The app.
    key : callable
        Makes the owner's key once the server starts.
    """

    def __init__(self, app: ASGIApp, key: Callable[[], OwnerKey]) -> None:
        self._app = app
        self._key = key()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the owner's requests through; answer any other with a page that says what to do."""
        if scope["type"] == "http" and scope["path"] != _HEALTH:
            answer = await self._answer(Request(scope, receive))
            await (answer or self._app)(scope, receive, send)
        elif scope["type"] == "websocket" and not self._key.is_held(HTTPConnection(scope).cookies):
            await WebSocketClose(_BREACH)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, request: Request) -> Response | None:
        if request.url.path == ENTER and request.method == "POST":
            given = await posted(request, _NAME)
            if isinstance(given, Response):
                return given
            # Some paste the whole address.
            return self._key.exchange(given.rpartition(f"{_NAME}=")[2]) or notice(403, _WRONG, token=ENTER)
        if (answer := self._key.let_in(request)) is not None:
            return answer
        if self._key.is_held(request.cookies):
            return None
        if _NAME in request.query_params:
            return notice(403, _WRONG, token=ENTER)
        return notice(200 if request.url.path == ENTER else 401, _MISSING, token=ENTER)


WARNING = (
    "Other people have accounts on this machine and can open this address. To keep them out, start Neyman with --token "
    "(make run TOKEN=1)."
)
# Numbers of accounts that are people's, not the system's: from the first to the last. Then comes "nobody".
_FIRST, _LAST = (501 if sys.platform == "darwin" else 1000), 65_533
_NO_SHELLS = ("nologin", "false", "sync", "shutdown", "halt", "git-shell")
# Homes that are looked at; there may be thousands, on a file server.
_MOST = 200


class Login(Protocol):
    """An entry of the list of accounts, as `pwd.getpwall` has it."""

    @property
    def pw_uid(self) -> int:
        """Its number."""

    @property
    def pw_dir(self) -> str:
        """Its home."""

    @property
    def pw_shell(self) -> str:
        """Shells that a login starts."""


def has_several_people(accounts: Iterable[Login] | None = None, home: Path | None = None) -> bool:
    """Whether at least two people have accounts here.

    An account is a person's if its number is no system account's, its shell lets people log in, and its home exists.
    Accounts of a directory service, which the list need not name, are known by the homes that they own.

    Parameters
    ----------
    accounts : iterable of Login, optional
        By default those of this machine.
    home : Path, optional
        The home of whoever asks, beside which others have theirs; by default that of this process.
    """
    if accounts is None:
        import pwd

        accounts = pwd.getpwall()
    people = {one.pw_uid for one in accounts if _logs_in(one)}
    with suppress(OSError, RuntimeError):
        beside = (home or Path.home()).parent
        with os.scandir(beside) as folders:
            owners = [folder.stat(follow_symlinks=False).st_uid for folder in islice(folders, _MOST) if folder.is_dir()]
        people |= {owner for owner in owners if _FIRST <= owner <= _LAST or owner > _LAST + 2}
    return len(people) > 1


def _logs_in(account: Login) -> bool:
    shell = Path(account.pw_shell).name
    person = _FIRST <= account.pw_uid <= _LAST or account.pw_uid > _LAST + 2
    return person and shell not in _NO_SHELLS and bool(shell) and Path(account.pw_dir).is_dir()
