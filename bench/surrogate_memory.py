"""Memory of a worker over a long run: ``python -m bench.surrogate_memory`` (ITEMS=100000), ten generations each.

A hostile fake server answers; the worker is watched from outside. It takes some minutes, because the HTTP library needs
about a millisecond of CPU time for each request.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from core.archive import Archive
from core.pool import Pool
from core.surrogate import Connection, JobSpec, Store, progress, start

ROOT = Path(__file__).resolve().parent.parent
ITEMS = int(os.environ.get("ITEMS", "100000"))
LIMIT = 300
BEHAVIOUR = {"chances": {"429": 0.001, "500": 0.005, "cut": 0.005, "invalid": 0.005, "empty": 0.005}, "tokens": 3}


def main() -> None:
    """Run a job of ITEMS items and print the worker's memory as it goes, and its largest."""
    script = ROOT / "tests" / "core" / "surrogate" / "fake_server.py"
    command = [sys.executable, str(script), json.dumps(BEHAVIOUR)]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            watch(Path(folder), f"http://127.0.0.1:{int(server.stdout.readline())}/v1")
        finally:
            server.kill()


def watch(folder: Path, url: str) -> None:
    store = Store(folder)
    pool = Pool.from_records({"id": f"i{i}", "prompt": f"What is item {i}?"} for i in range(ITEMS))
    digest = Archive(folder).pools.save(pool, "2026-11-20T12:00:00+00:00")
    job = start(store, JobSpec(digest, "m", Connection((url,), backoff=0.01)))
    noted, peak, began = 0, 0.0, time.monotonic()
    while (state := progress(store, job)).active:
        pid = store.row(job).pid
        now, most = megabytes(pid)
        peak = max(peak, most)
        if state.done >= noted:
            print(f"{state.done:9,} items {now:8.0f} MB {state.item_rate:8.0f} items/s", flush=True)
            noted += ITEMS // 10
        time.sleep(0.25)
    print(
        f"{state.done:9,} items, {state.generations:,} generations, {state.failed} failed: {state.state} {state.error}"
    )
    print(
        f"Largest {peak:.0f} MB of {LIMIT}, {time.monotonic() - began:.0f} s: {'kept' if peak < LIMIT else 'NOT KEPT'}."
    )


def megabytes(pid: int | None) -> tuple[float, float]:
    """Memory of a process now and at most, MB; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0, 0.0
    memory = dict(re.findall(r"^(VmRSS|VmHWM):\s+(\d+) kB", status, re.MULTILINE))
    return float(memory.get("VmRSS", 0)) / 1000, float(memory.get("VmHWM", 0)) / 1000


if __name__ == "__main__":
    main()
