"""A real Label Studio and a real Argilla server, each on a database of its own, and a proxy that loses connections."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from core.labels.queues import Queue
from tests.conftest import ROOT
from tests.core.labels.queues.servers import Answer, Server
from tests.queues.elastic import elastic

TOKEN = "0123456789abcdef0123456789abcdef01234567"
_TOOLS = ROOT / ".venv-queues"
_PATIENCE = 900.0
_REDIS = (
    "import sys; from fakeredis import TcpFakeServer; TcpFakeServer(('127.0.0.1', int(sys.argv[1]))).serve_forever()"
)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark each test of this folder, for which alone this is called."""
    item.add_marker("queues")


@dataclass(frozen=True)
class Tool:
    """A running tool: what people do there by its HTTP interface, as its own pages do."""

    service: str
    address: str
    header: Mapping[str, str]

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        answer = httpx2.request(
            method, self.address + path, json=body, params=query or None, headers=dict(self.header), timeout=120
        )
        assert answer.is_success, answer.text[:500]
        return answer.json() if answer.content else None

    def queue(self, project: str, address: str = "", key: str = TOKEN) -> Queue:
        return Queue(self.service, address or self.address, project, (key,))

    def items(self, url: str) -> list[tuple[Any, dict[str, Any]]]:
        """The number and the payload of each item, in the tool's order."""
        if self.service == "label-studio":
            answer = self.ask("GET", "/api/tasks", project=url.split("/")[-2], page_size=1000)
            return [(task["id"], task["data"]) for task in answer["tasks"]]
        answer = self.ask("GET", f"/api/v1/datasets/{url.split('/')[-2]}/records", limit=1000)
        return [(record["id"], record["metadata"]) for record in answer["items"]]

    def label(self, number: Any, kind: str, label: str | float | None, status: str = "submitted") -> None:
        """Label an item; None skips it, and ``status`` may be "draft"."""
        if self.service == "argilla":
            values = {} if label is None else {"neyman_label": {"value": str(label)}, "neyman_note": {"value": "n"}}
            body = {"values": values, "status": "discarded" if label is None else status}
            self.ask("POST", f"/api/v1/records/{number}/responses", body)
            return
        form = {"score": ("number", {"number": label})}.get(kind, ("choices", {"choices": [label]}))
        parts = [("neyman_label", *form), ("neyman_note", "textarea", {"text": ["n"]})]
        result = [
            {"from_name": name, "to_name": "shown_text", "type": type_, "value": value} for name, type_, value in parts
        ]
        given = {"result": [] if label is None else result, "lead_time": 1.5}
        if status == "draft":
            self.ask("POST", f"/api/tasks/{number}/drafts", given)
        else:
            self.ask("POST", f"/api/tasks/{number}/annotations/", {**given, "was_cancelled": label is None})


class Proxy(Server):
    """Passes requests on to a tool."""

    def __init__(self, tool: Tool) -> None:
        super().__init__()
        self._tool = tool

    def authorized(self, headers: Any) -> bool:
        return True

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        header = dict(self._tool.header)
        answer = httpx2.request(method, self._tool.address + path, json=body, params=query, headers=header, timeout=120)
        return answer.status_code, answer.json()


@pytest.fixture(scope="session")
def label_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tool]:
    folder, port = tmp_path_factory.mktemp("label-studio"), _free_port()
    settings = {
        "LABEL_STUDIO_USER_TOKEN": TOKEN,
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
    }
    line = [_program("label-studio", "label-studio"), "start", "--no-browser", "--data-dir", str(folder)]
    line += ["--username", "ann@example.org", "--password", "a-password-1", "--internal-host", "127.0.0.1"]
    tool = Tool("label-studio", f"http://127.0.0.1:{port}", {"Authorization": f"Token {TOKEN}"})
    with _process([*line, "--port", str(port)], settings, folder / "log.txt") as process:
        _wait(process, lambda: tool.ask("GET", "/api/projects"))
        yield tool


@pytest.fixture(scope="session")
def argilla(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tool]:
    folder, port, redis_port = tmp_path_factory.mktemp("argilla"), _free_port(), _free_port()
    python = _program("argilla", "python")
    tool = Tool("argilla", f"http://127.0.0.1:{port}", {"X-Argilla-Api-Key": TOKEN})
    with elastic() as address:
        settings = {
            "ARGILLA_HOME_PATH": str(folder),
            "ARGILLA_ELASTICSEARCH": address,
            "ARGILLA_REDIS_URL": f"redis://127.0.0.1:{redis_port}/0",
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }
        manage = [python, "-m", "argilla_server", "database"]
        user = ["users", "create_default", "--api-key", TOKEN, "--password", "a-password-1"]
        for line in ([*manage, "migrate"], [*manage, *user]):
            subprocess.run(line, env={**os.environ, **settings}, check=True, capture_output=True)
        server = [python, "-m", "uvicorn", "argilla_server:app", "--host", "127.0.0.1", "--port", str(port)]
        with _process([python, "-c", _REDIS, str(redis_port)], settings, folder / "redis.txt") as redis:
            # Without it the server gives up at its start.
            _wait(redis, lambda: socket.create_connection(("127.0.0.1", redis_port)).close())
            with _process(server, settings, folder / "log.txt") as process:
                _wait(process, lambda: tool.ask("GET", "/api/v1/me"))
                yield tool


@pytest.fixture(params=["label-studio", "argilla"])
def tool(request: pytest.FixtureRequest) -> Tool:
    running: Tool = request.getfixturevalue(request.param.replace("-", "_"))
    return running


@contextmanager
def _process(line: Sequence[str], settings: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as stream:
        process = subprocess.Popen(line, env={**os.environ, **settings}, stdout=stream, stderr=subprocess.STDOUT)
        try:
            yield process
        except AssertionError as error:
            error.add_note(log.read_text(errors="replace")[-2000:])
            raise
        finally:
            process.terminate()
            process.wait(30)


def _wait(process: subprocess.Popen[bytes], ask: Callable[[], object]) -> None:
    """Wait for the first answer: the first start of Label Studio makes its tables for minutes."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            ask()
            return
        except (httpx2.TransportError, OSError):
            assert process.poll() is None, f"It ended with status {process.returncode}."
            assert time.monotonic() < end, "It does not answer."
            time.sleep(1)


def _program(environment: str, name: str) -> str:
    program = _TOOLS / environment / "bin" / name
    if not program.exists():
        pytest.skip("The tools are not installed; make test-queues installs them.")
    return str(program)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
