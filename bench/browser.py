"""The app and a browser for as long as something is measured in them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser.servers import CHROMIUM, CHROMIUM_FLAGS, Server, launch
from tests.conftest import ROOT


@contextmanager
def served(
    folder: Path, *arguments: str | Path, program: tuple[str, ...] = ("serve.py",), root: Path = ROOT
) -> Iterator[Server]:
    """Run the app of a checkout, in its own environment if it has one, with a home in a folder."""
    folder.mkdir(exist_ok=True)
    own = root / ".venv" / "bin" / "python"
    python = own if own.exists() else Path(sys.executable)
    server = launch(folder, *arguments, python=python, program=program, root=root)
    try:
        server.wait_until_healthy()
        yield server
    finally:
        server.stop()


@contextmanager
def tab() -> Iterator[Any]:
    """Open a tab of Chromium in a new profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_FLAGS)
        yield browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        browser.close()
