"""Start Neyman: ``python serve.py``, with ``--pool PATH`` a pool of your own (``make run``).

The pages are those of ``app.py``, which ``streamlit run app.py`` starts as well. Here requests are checked
(:mod:`server.request_checks`), and the pages are imported while the browser still loads. With ``--token`` they open for
their owner alone (:mod:`server.owner`). With ``--share`` (``make share``) they answer the local network too, behind an
access code (:mod:`server.annotator_links`); with ``--public`` strangers, within limits (:mod:`server.public_limits`),
each of whom leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import streamlit as st
from cyclopts import App, Parameter
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from streamlit import cli_util, net_util, runtime
from streamlit.web.server import server_util

from core.archive import AnnotatorLink
from core.errors import NeymanError
from core.words import console
from server import owner, request_checks, session, warm
from server.accounts import Accounts
from server.annotator_links import Entrance, Porter
from server.owner import OwnerGate, OwnerKey, opening_page, read_token
from server.public_limits import LIMITS, MEGABYTES, UPLOAD_SECONDS, Turnstile, end_with_connection, folder_of_visits
from server.request_checks import Door, Imported, ask_no_outside_host
from server.shell import Assets, Shell

_PORT = 8501
_EVERYWHERE = "0.0.0.0"
# Seconds in which the first person sees the first page; nothing else is prepared meanwhile.
_AFTER = 0.5

imported = Imported()


def main() -> None:
    """Serve until Ctrl-C."""
    console.guard()
    try:
        sys.exit(console.answer(_app(), sys.argv[1:]))
    except (NeymanError, console.UsageError) as error:
        console.say(str(error))
        sys.exit(2)


def _app() -> App:
    app = console.command("neyman serve", "Start Neyman.", Parameter(allow_repeating=True))
    app.default(serve)
    return app


def serve(
    *,
    pool: Annotated[str | None, Parameter(metavar="PATH")] = None,
    port: int = _PORT,
    browser: bool = False,
    share: Annotated[console.OptionalText, Parameter(metavar="ADDRESS")] = False,
    token: bool = False,
    anyone_starts: bool = False,
    public: bool = False,
    host: Annotated[str | None, Parameter(metavar="NAME")] = None,
) -> int:
    """Start Neyman.

    Parameters
    ----------
    pool : str
        A pool of your own.
    port : int
        Where the app answers.
    browser : bool
        Open it in the browser.
    share : str
        Open the app to the local network too, behind an access code; ADDRESS names this machine to others.
    token : bool
        Open the app only at the printed address, which ends in a token, and in browsers that have opened it.
    anyone_starts : bool
        With --share: everybody who comes in may start runs, with this machine's GPU and keys, not only you.
    public : bool
        Answer strangers, whose files and labels are forgotten when they leave; models, tools and keys are off.
    host : str
        With --public: the host name that visitors use.
    """
    shared = share is not False
    if public is not bool(host):
        raise console.UsageError("--public and --host NAME go together: requests under another host name are refused.")
    if public and (pool or token or shared):
        raise console.UsageError(
            "--public shows the pools that Neyman brings, to anybody: leave out --pool, --token and --share."
        )
    if anyone_starts and not shared:
        raise console.UsageError("--anyone-starts belongs to --share.")
    settings: dict[str, object] = {"server.port": port, "server.headless": not browser}
    middleware = [Middleware(Door, imported=imported, public=public)]
    # What visitors of a public app bring, until they leave.
    visits = folder_of_visits() if public else contextlib.nullcontext()
    if host:
        settings |= _public(host)
        request_checks.install(UPLOAD_SECONDS)
        middleware.append(Middleware(Turnstile))
    if shared:
        Accounts.configured()
        request_checks.install()
        named = share if isinstance(share, str) else ""
        settings |= _shared(named or net_util.get_internal_ip() or socket.gethostname())
        porter: dict[str, Any] = {"find_link": _find_link, "address": _address, "key": _key, "all_start": anyone_starts}
        middleware.append(Middleware(Porter, entrance=lambda: Entrance(_announce), **porter))
    elif token:
        # Streamlit would print the address without the token.
        settings["logger.hideWelcomeMessage"] = True
        middleware.append(Middleware(OwnerGate, key=_key))
    middleware += [Middleware(Shell), Middleware(Assets)]
    script = Path(__file__).with_name("app.py")
    app = st.App(script, lifespan=lambda _: _lifespan(visits, token or shared, shared), middleware=middleware)
    # Streamlit prints the address.
    logging.getLogger("uvicorn.error").addFilter(lambda record: record.levelno >= logging.WARNING)
    ask_no_outside_host()
    session.share()
    warm.skip_console_check()
    # The server ends in order and sends itself the signal again, which would end Python with its temporary files left.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with contextlib.suppress(KeyboardInterrupt):
        app.run(config=settings)
    return 0


def _shared(name: str) -> dict[str, object]:
    """Settings of Streamlit under which the local network reaches the app at this name."""
    machine = socket.gethostname()
    return {
        "server.address": _EVERYWHERE,
        "server.allowedHosts": [name, machine, f"{machine}.local", "localhost", "127.0.0.1"],
        "server.enableXsrfProtection": True,
        "browser.serverAddress": name,
    }


def _public(name: str) -> dict[str, object]:
    """Settings of Streamlit under which strangers reach the app at this name."""
    return {
        "server.address": _EVERYWHERE,
        "server.allowedHosts": [name, "localhost", "127.0.0.1"],
        # It rests on a cookie, which browsers keep from a page in another site's frame; the door compares the origin.
        "server.enableXsrfProtection": False,
        "server.maxUploadSize": MEGABYTES,
        "client.showErrorDetails": "none",
        "browser.serverAddress": name,
    }


def _open_to_public(folder: Path) -> None:
    from pages.parts.app import premises

    end_with_connection(premises.open_to_public(folder, LIMITS).forget)


def _announce(code: str) -> None:
    console.emit(f"  Access code for the next person: {code}\n")


def _address() -> str:
    """Where others reach the app."""
    return server_util.get_url(st.get_option("browser.serverAddress")).rstrip("/")


@cache
def _key() -> OwnerKey:
    """The key of whoever started the app, who reaches it from this machine."""
    from pages.parts.app import premises

    return OwnerKey(read_token(premises.here().home()), server_util.get_url("127.0.0.1").rstrip("/"))


def _say_owners_address(shared: bool) -> None:
    label = "  Your own address, which needs no code and lets you start runs" if shared else "\n  URL"
    console.emit(f"{label}: {_key().url}\n")


def _warn_of_others() -> None:
    if owner.has_several_people():
        console.emit(f"  {owner.WARNING}\n")


async def _find_link(token: str) -> AnnotatorLink | None:
    await imported.wait()
    return await run_in_threadpool(_link_of, token)


def _link_of(token: str) -> AnnotatorLink | None:
    # Only once the libraries are imported.
    from pages.parts.app import state

    return state.archive().links.opened_by(token, state.now())


@contextlib.asynccontextmanager
async def _lifespan(
    visits: contextlib.AbstractContextManager[Path | None], owned: bool, shared: bool
) -> AsyncIterator[None]:
    # The server ends in here, also by a signal.
    with visits as folder:
        if folder is not None:
            _open_to_public(folder)
        if owned:
            _say_owners_address(shared)
        elif folder is None:
            # A directory service may take its time to list all accounts.
            threading.Thread(target=_warn_of_others, daemon=True).start()
        with _opening(owned) as place:
            warming = asyncio.create_task(_warm(place))
            yield
            warming.cancel()


def _opening(owned: bool) -> contextlib.AbstractContextManager[str | None]:
    """Give the address that the browser opens; None if none is opened."""
    if st.get_option("server.headless"):
        return contextlib.nullcontext()
    if owned:
        return opening_page(_key().url)
    return contextlib.nullcontext(server_util.get_url(st.get_option("browser.serverAddress")))


async def _warm(place: str | None = None) -> None:
    loop = asyncio.get_running_loop()
    threading.Thread(target=_prepare, args=(loop, place), daemon=True).start()
    await imported.wait()
    if imported.expected:
        # Whoever has come draws a page: to draw another one beside it would only make both slow.
        return
    await warm.FirstVisitor(loop).visit(runtime.get_instance())
    await asyncio.sleep(_AFTER)
    for design in ("recommended", "paper"):
        await warm.FirstVisitor(loop).visit(runtime.get_instance(), "explore", f"design={design}")


def _prepare(loop: asyncio.AbstractEventLoop, place: str | None) -> None:
    """Open the browser and import the first page; in a thread that ends with the server, whatever it is doing."""
    if place is not None:
        cli_util.open_browser(place)
    try:
        warm.import_first()
    finally:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(imported.set)


if __name__ == "__main__":
    main()
