"""The app as ``make run`` starts it: what it prints and refuses, and how it ends."""

from __future__ import annotations

import http.client
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from server import owner
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
    # Where other people have accounts, a line says so.
    assert [line for line in lines[1:] if line != owner.WARNING] == [f"URL: {server.url}"]


def test_it_ends_at_once_by_ctrl_c_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of SIGTERM, `test_warm.py` says so, with pages drawn."""
    (scratch := tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    server = launch(tmp_path)
    server.wait_until_healthy()
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(timeout=10) == 0 and [*scratch.iterdir()] == []
    assert "Traceback" not in server.log.read_text(encoding="utf-8")
