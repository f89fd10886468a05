"""What is ready before the first person comes."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from pathlib import Path

import pytest
from streamlit import delta_generator, env_util, runtime

import serve
from core.archive import Archive
from server import warm
from server.request_checks import Imported
from tests.browser import stable
from tests.browser.servers import START_SECONDS, forked


def test_the_first_page_waits_for_no_library_that_jobs_alone_use(tmp_path: Path) -> None:
    imported = stable.imported_first(tmp_path)
    assert {"serve", "pages.parts.overview.hero", "pages.parts.app.frame"} <= {*imported}
    assert [name for name in imported if name.startswith(("pydantic", "core.surrogate."))] == []


def test_the_first_element_is_drawn_without_a_look_at_all_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = list[int]()
    monkeypatch.setattr(env_util, "is_repl", lambda: looks.append(1))
    # Restored after the test.
    monkeypatch.setattr(delta_generator, "_use_warning_has_been_displayed", False)
    warm.skip_console_check()
    delta_generator._maybe_print_use_warning()
    assert looks == []
    monkeypatch.setattr(delta_generator, "_use_warning_has_been_displayed", False)
    delta_generator._maybe_print_use_warning()
    assert looks == [1]


@pytest.mark.parametrize("expected", [False, True])
def test_pages_are_drawn_ahead_unless_somebody_has_come(monkeypatch: pytest.MonkeyPatch, expected: bool) -> None:
    visited = list[tuple[str, ...]]()

    async def visit(_: warm.FirstVisitor, app: object, *page: str) -> None:
        visited.append(page)

    async def scenario() -> None:
        imported = Imported()
        imported.expected = expected
        monkeypatch.setattr(serve, "imported", imported)
        await serve._warm()

    monkeypatch.setattr(warm.FirstVisitor, "visit", visit)
    monkeypatch.setattr(warm, "import_first", lambda: None)
    monkeypatch.setattr(runtime, "get_instance", lambda: None)
    monkeypatch.setattr(serve, "_AFTER", 0.0)
    asyncio.run(scenario())
    pages = [(), ("explore", "design=recommended"), ("explore", "design=paper")]
    assert visited == ([] if expected else pages)


@pytest.mark.skipif(sys.platform != "linux", reason="Apps are forked on Linux alone.")
@pytest.mark.parametrize("where", [("--public", "--host", "127.0.0.1"), ("--share", "127.0.0.1")], ids=lambda it: it[0])
def test_pages_drawn_ahead_for_others_leave_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: tuple[str, ...]
) -> None:
    visits = tmp_path / "visits"
    visits.mkdir()
    monkeypatch.setenv("TMPDIR", str(visits))
    server = forked(tmp_path, *where)
    try:
        server.wait_until_healthy(shared=True)
        deadline = time.monotonic() + START_SECONDS
        while (log := server.log.read_text(encoding="utf-8")).count(stable.AHEAD) < 3:
            assert time.monotonic() < deadline and server.process.poll() is None, log
            time.sleep(0.1)
        shared = "--share" in where
        assert [*visits.glob("neyman-visits-*/*")] == []
        assert server.home.exists() is shared
        assert log.count("Access code") == shared
        archive = Archive(server.home)
        assert archive.pools.table().empty and archive.plans.table().empty
    finally:
        server.stop()
    # With the folder of visits, and the status of whom SIGTERM ended.
    assert [*visits.iterdir()] == [] and server.process.wait() == 128 + signal.SIGTERM
    assert server.complaints() == []
