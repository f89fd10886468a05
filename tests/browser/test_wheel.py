"""The app of the wheel, started in an empty folder: somebody opens it and labels an item."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from tests.browser.conftest import answer
from tests.browser.servers import launch
from tests.browser.test_label import kept, letters, opened
from tests.wheel import installed, wheel

__all__ = ["installed", "wheel"]


def test_the_command_serves_the_app_in_an_empty_folder(installed: Path, tmp_path: Path, page: Page) -> None:
    folder, pool = tmp_path / "empty", letters()
    folder.mkdir()
    server = launch(tmp_path, python=installed / "python", program=("-m", "neyman"), root=folder)
    try:
        server.wait_until_healthy()
        opened(page, server, pool, budget=12, annotator="Ann", kind="gold")
        answer(page, "a", "1 of 12")
        assert len(kept(server, pool, "Ann")) == 1 and not any(folder.iterdir())
        assert server.complaints() == []
    finally:
        server.stop()
