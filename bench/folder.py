"""A folder of Parquet files from its profile to a list: ``python -m bench.folder`` (ITEMS=10000000 K=5 FILES=10).

Synthetic items with short texts, one target with answers, fifty groups. Each line is measured in a separate process:
seconds of CPU time (of the wall in brackets), and the most memory that the process had. FOLDER=… keeps the files for
another run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
ITEMS, K, FILES = (int(os.environ.get(name, usual)) for name, usual in (("ITEMS", 10**7), ("K", 5), ("FILES", 10)))
_LABELS = 200
_PAGES = {"overview": "app.py", "label": "pages/label.py", "estimate": "pages/estimate.py"}
_DESIGNS = ("paper", "recommended")


def main() -> None:
    """Write the folder, profile it, open it in the app, draw a list."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(os.environ.get("FOLDER") or Path(scratch) / "folder")
        if not folder.exists():
            folder.mkdir()
            write(folder)
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        print(f"{ITEMS:,} items × {K}, {FILES} files, {size:,.0f} MB", flush=True)
        for step in ("profile", "explore", *_PAGES, *_DESIGNS):
            words = [sys.executable, "-m", "bench.folder", step, str(folder)]
            subprocess.run(words, check=True, cwd=ROOT, env={**os.environ, "NEYMAN_HOME": f"{scratch}/home"})


def write(folder: Path) -> None:
    """Write the files, each from its own seed."""
    letters, rows = pa.array(list("ABCD")), ITEMS // FILES
    for number in range(FILES):
        rng = np.random.default_rng(number)
        ids = pa.array([f"trace-{place}" for place in range(number * rows, (number + 1) * rows)])
        right, sure = rng.integers(4, size=rows), rng.beta(3, 1, size=rows)

        def drawn(count: int, rng: Any = rng, right: Any = right, sure: Any = sure) -> pa.Array:
            known = rng.random((right.size, count)) < sure[:, None]
            return letters.take(
                pa.array(np.where(known, right[:, None], rng.integers(4, size=(right.size, count))).ravel())
            )

        answers = pa.StructArray.from_arrays([drawn(1)], ["answer"])
        columns = {
            "id": ids,
            "prompt": pc.binary_join_element_wise("Which of the four options fits request", ids, "best?", " "),
            "group": pa.array([f"tenant {place}" for place in rng.integers(50, size=rows)]),
            "generations": pa.ListArray.from_arrays(np.arange(rows + 1, dtype=np.int32) * K, drawn(K)),
            "targets": pa.StructArray.from_arrays([answers], ["model"]),
        }
        pq.write_table(pa.table(columns), folder / f"part-{number:03}.parquet", compression="zstd")


def peak_megabytes() -> float:
    """The most memory that this process has had."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1e3


def timed(name: str, call: Callable[[], Any]) -> Any:
    """Call, and print what it took."""
    began, wall = time.process_time(), time.monotonic()
    value = call()
    taken = time.process_time() - began
    peak = peak_megabytes()
    print(f"{name:44} {taken:7.2f} s ({time.monotonic() - wall:6.2f} s) {peak:7,.0f} MB", flush=True)
    return value


def profile(folder: Path) -> None:
    """Profile the folder in NEYMAN_HOME; the peak while it is read stands apart from that of sorting and writing."""
    from core.archive import Archive

    peaks = list[float]()

    def progress(share: float) -> None:
        if share < 0.95:
            peaks[:] = [peak_megabytes()]

    home = Archive(os.environ["NEYMAN_HOME"])
    pool = timed("profile", lambda: home.pools.open_folder(folder, "2026-11-22T12:00:00+00:00", progress))
    print(
        f"{'  while it reads':44} {'':19} {peaks[0]:7,.0f} MB; {pool.stored.path.stat().st_size / 1e6:,.0f} MB written"
    )


def opened(folder: Path, page: str, name: str) -> Any:
    """Open a page of the app in a fresh process."""
    sys.argv = ["app.py", "--pool", str(folder)]
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    app = app if page == "app.py" else app.switch_page(page)
    timed(name, app.run)
    assert not app.exception and not app.error, json.dumps([one.value for one in (*app.exception, *app.error)])
    return app


def explore(folder: Path) -> None:
    """Open Explore, and move its dials."""
    from tests.pages.conftest import turn

    app = opened(folder, "pages/explore.py", "Explore: first chart, with all imports")
    for labels in (160, 301, 424):
        timed(f"Explore: {labels} labels", partial(turn, app, "budget", labels))
    (design,) = (box for box in app.selectbox if box.key == "design")
    timed("Explore: the paper's design", design.select("The paper’s").run)
    for strata in (6, 7):
        timed(f"Explore: {strata} strata", partial(turn, app, "strata", strata))
    assert not app.exception and not app.error, json.dumps([one.value for one in (*app.exception, *app.error)])


def draw(folder: Path, name: str) -> None:
    """Open the profile, and draw a list with its prompts by the paper's design or the recommended one."""
    from core.archive import Archive
    from core.design import Design, pool_profile, recommend
    from core.labels import request

    def drawn() -> None:
        pool = timed("  open", lambda: Archive(os.environ["NEYMAN_HOME"]).pools.open_folder(folder, ""))
        design = Design(_LABELS) if name == "paper" else timed("  design", lambda: recommend(pool, _LABELS, "model"))
        known = timed("  signal", lambda: pool_profile(pool, design.scheme))
        plan = timed(f"  {_LABELS} drawn", lambda: design.draw(pool, seed=1, profile=known))
        timed("  their prompts", lambda: request(plan, pool))

    timed(f"List, {name} design: the sum", drawn)


def one(step: str, folder: Path) -> None:
    """Measure one step, in this process."""
    if step in _PAGES:
        opened(folder, _PAGES[step], f"{step.capitalize()}: first run, with all imports")
    elif step in _DESIGNS:
        draw(folder, step)
    else:
        {"profile": profile, "explore": explore}[step](folder)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        one(sys.argv[1], Path(sys.argv[2]))
    else:
        main()
