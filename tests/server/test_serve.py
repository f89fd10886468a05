"""The app as ``make run`` starts it: what it prints and refuses, and how it ends."""

from __future__ import annotations

import http.client
import signal
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.servers import Server, launch


def status(server: Server, path: str, **headers: str) -> int:
    connection = http.client.HTTPConnection(str(urlsplit(server.url).netloc), timeout=60)
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("path", ["/", "/label", "/_stcore/health", "/_stcore/host-config"])
def test_it_answers_this_machine_alone(server: Server, path: str) -> None:
    assert status(server, path) == 200
    assert status(server, path, Host="evil.example") == 421


def test_metrics_are_closed(server: Server) -> None:
    assert status(server, "/_stcore/metrics") == 404


def test_the_address_is_all_that_it_prints(server: Server) -> None:
    lines = [line.strip() for line in server.log.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert lines[1:] == [f"URL: {server.url}"]


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_it_ends_at_once_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: signal.Signals, status: int
) -> None:
    (scratch := tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    server = launch(tmp_path)
    server.wait_until_healthy()
    if sent == signal.SIGTERM:
        # The first page has been drawn by now, with its files.
        time.sleep(3)
    server.process.send_signal(sent)
    ended = server.process.wait(timeout=10)
    assert [*scratch.iterdir()] == [] and ended == status
    assert "Traceback" not in server.log.read_text(encoding="utf-8")
