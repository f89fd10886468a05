"""The app as a process of its own, and the browser to visit it with."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tests.browser import stable
from tests.conftest import ROOT

# The shell has no window, no toolbar and no services of a desktop: it does the same for two thirds of the time.
CHROMIA = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, CHROMIA)), None)
# The browser shall talk to the app alone, also behind our back, and must run as root in a container.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-component-extensions-with-background-pages",
    "--disable-smooth-scrolling",
    "--animation-duration-scale=0",
]
# Notes in a page when it last asked the app for something that has not been answered yet.
ASKED = """(() => {
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) {
        if (!this.heard) this.addEventListener('message', () => { window.asked = undefined; });
        this.heard = true;
        window.asked = performance.now();
        send.call(this, data);
    };
})()"""
# Whether the script has not run, and nothing on the page was stale, for so many milliseconds, in several looks at it.
# Some of what a page sends is never answered: it is waited for a while.
IDLE = """quiet => {
    const app = document.querySelector('[data-testid="stApp"]');
    const idle = app?.getAttribute('data-test-script-state') === 'notRunning'
        && !(performance.now() - window.asked < 2000)
        && document.querySelector('[data-stale="true"], [data-testid="stSkeleton"]') === null;
    if (!idle) { window.lastBusy = performance.now(); window.idleLooks = 0; }
    window.idleLooks += 1;
    return performance.now() - window.lastBusy > quiet && window.idleLooks > quiet / 50;
}"""
START_SECONDS = 120
# From another place in each process of the tests, below those that the system gives to connections.
_FIRST_PORT = 97 * os.getpid()
# The latest app of this process at each port.
_APPS: dict[int, subprocess.Popen[bytes] | stable.Forked] = {}
# A traceback whole, with the line before it, which says what was under way.
COMPLAINT = re.compile(
    r"^.*(?:deprecat|will be removed).*$|^(?:.*\n)?Traceback.*(?:\n[ \t].*|\n$)*(?:\n.*)?", re.IGNORECASE | re.MULTILINE
)


def complaint(kind: str, text: str, address: str) -> str | None:
    """A message of a browser's console as an error; None if it is none."""
    return f"{text} ({address})" if kind == "error" else None


@dataclass(frozen=True, slots=True)
class Server:
    """A running app: where it answers, what it wrote, and where it keeps its files."""

    url: str
    log: Path
    home: Path
    process: subprocess.Popen[bytes] | stable.Forked

    def complaints(self) -> list[str]:
        """What must not be in the log: warnings of what will be removed, and tracebacks."""
        return COMPLAINT.findall(self.log.read_text(encoding="utf-8", errors="replace"))

    def wait_until_healthy(self, shared: bool = False) -> None:
        """Wait until the app answers; one that is shared asks for its access code."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5) as answer:
                    if answer.read() == b"ok":
                        return
            except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
                if shared and isinstance(error, urllib.error.HTTPError) and error.code == 401:
                    return
                time.sleep(0.1)
        raise AssertionError(f"The app did not start:\n{self.log.read_text(encoding='utf-8', errors='replace')}")

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def peak_memory(self) -> int:
        """Largest resident memory so far of the process and of its children, together, in bytes; Linux only."""
        total, waiting = 0, [self.process.pid]
        while waiting:
            folder = Path(f"/proc/{waiting.pop()}")
            peak = re.search(r"VmHWM:\s+(\d+) kB", (folder / "status").read_text())
            total += 1024 * int(peak.group(1)) if peak else 0
            for thread in (folder / "task").iterdir():
                waiting += map(int, (thread / "children").read_text().split())
        return total


def launch(
    folder: Path,
    *arguments: str | Path,
    python: str | Path = sys.executable,
    program: Sequence[str] = ("serve.py",),
    port: int = 0,
    root: Path = ROOT,
) -> Server:
    """Start the app as ``make run`` does, by default on a new port, with its log and its NEYMAN_HOME in ``folder``.

    Another program, or the app of another environment or checkout, likewise. It may take a while to answer.
    """
    port = port or _free_port(new=True)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [python, *program, f"--port={port}", *map(str, arguments)],
            cwd=root,
            env=_environment(folder, port, root),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    return _at(port, folder, process)


def forked(folder: Path, *arguments: str | Path, port: int = 0, ahead: bool = True) -> Server:
    """Start the app as `launch` does, in a third of the time if processes can be forked.

    One that is soon ended need not draw pages ahead of its first visitor.
    """
    if sys.platform != "linux":
        return launch(folder, *arguments, port=port)
    port = port or _free_port(new=False)
    words = [f"--port={port}", *map(str, arguments)]
    return _at(port, folder, stable.fork(words, _environment(folder, port, ROOT), folder / "log", ahead))


def _at(port: int, folder: Path, process: subprocess.Popen[bytes] | stable.Forked) -> Server:
    _APPS[port] = process
    return Server(f"http://127.0.0.1:{port}", folder / "log", folder / "home", process)


def _free_port(new: bool) -> int:
    """A port that the system gives to no connection, so that it is still free when the app takes it.

    It is that of a forked app that has ended, if there is one and it need not be new: Chromium has compiled the scripts
    of that address. It also keeps them, so that an app that may have others is never where another one was.
    """
    for number in count():
        port = 12_000 + (_FIRST_PORT + number) % 20_000
        last = _APPS.get(port)
        if last is not None and (new or not isinstance(last, stable.Forked) or last.poll() is None):
            continue
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError("No port is free.")


def _environment(folder: Path, port: int, root: Path) -> dict[str, str]:
    return os.environ | {
        "NEYMAN_HOME": str(folder / "home"),
        "STREAMLIT_SERVER_PORT": str(port),
        "PYTHONPATH": str(root),
    }
