"""Preparations before the first person comes: the libraries of the pages, and what their first figures rest on."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil

from streamlit import delta_generator
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.session_manager import ClientContext, SessionClient

import pages.parts

_FIRST = "pages.parts.overview.hero"


def import_first() -> None:
    """Import the parts of the first page, and with them nearly all that any other page uses."""
    importlib.import_module(_FIRST)


def skip_console_check() -> None:
    """Have Streamlit take this for a server at once.

    To find out whether it runs in a console, it would look up the files of all modules before its first element: a
    tenth of a second for the first person.
    """
    delta_generator._use_warning_has_been_displayed = True


def import_pages() -> None:
    """Import every part of the pages, and with them the libraries that they use."""
    for module in pkgutil.walk_packages(pages.parts.__path__, f"{pages.parts.__name__}."):
        importlib.import_module(module.name)


class FirstVisitor(SessionClient):
    """Somebody who opens a page before anybody does, so that what it computes is kept for everybody.

    Parameters
    ----------
    loop : asyncio.AbstractEventLoop
        The server's.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._finished = asyncio.Event()

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        """Take what the page sends, and notice its end."""
        if msg.WhichOneof("type") == "script_finished":
            self._loop.call_soon_threadsafe(self._finished.set)

    @property
    def client_context(self) -> ClientContext | None:
        """None: there is no browser."""
        return None

    async def visit(self, runtime: Runtime, page: str = "", query: str = "") -> None:
        """Open a page by its name, the first one by none; wait until it is drawn, and leave."""
        session = runtime.connect_session(self, {})
        try:
            state = ClientState(page_name=page, query_string=query)
            runtime.handle_backmsg(session, BackMsg(rerun_script=state))
            await self._finished.wait()
        finally:
            runtime.close_session(session)
