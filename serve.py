"""Start Neyman: ``python serve.py``, with ``--pool PATH`` a pool of your own (``make run``).

The pages are those of ``app.py``, which ``streamlit run app.py`` starts as well. Here they stand behind a door
(:mod:`server.door`), and are imported and drawn once while the browser still loads.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from streamlit import cli_util, runtime
from streamlit.web.server import server_util

from server import warm
from server.door import Door

_PORT = 8501

imported = asyncio.Event()


@contextlib.asynccontextmanager
async def _lifespan(_: st.App) -> AsyncIterator[None]:
    warming = asyncio.create_task(_warm())
    yield
    warming.cancel()


async def _warm() -> None:
    loop = asyncio.get_running_loop()
    threading.Thread(target=_prepare, args=(loop,), daemon=True).start()
    await imported.wait()
    await warm.FirstVisitor(loop).visit(runtime.get_instance())


def _prepare(loop: asyncio.AbstractEventLoop) -> None:
    """Open the browser and import the pages; in a thread that ends with the server, whatever it is doing."""
    if not st.get_option("server.headless"):
        cli_util.open_browser(server_util.get_url(st.get_option("server.address")))
    try:
        warm.import_pages()
    finally:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(imported.set)


app = st.App(Path(__file__).with_name("app.py"), lifespan=_lifespan, middleware=[Middleware(Door, imported=imported)])


def main() -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(description="Start Neyman.", allow_abbrev=False)
    parser.add_argument("--pool", metavar="PATH", help="a pool of your own")
    parser.add_argument("--port", type=int, default=_PORT, help=f"default: {_PORT}")
    parser.add_argument("--browser", action="store_true", help="open it in the browser")
    given = parser.parse_args()
    # Streamlit prints the address.
    logging.getLogger("uvicorn.error").addFilter(lambda record: record.levelno >= logging.WARNING)
    with contextlib.suppress(KeyboardInterrupt):
        app.run(config={"server.port": given.port, "server.headless": not given.browser})


if __name__ == "__main__":
    main()
