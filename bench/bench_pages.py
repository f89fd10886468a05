"""Times of pages: a slider move on Explore and Label, the first chart in a browser, a pool of a million items.

A slider move is measured on the server alone, from the moment at which the script runner takes up the rerun to the
moment at which it reports that the script has finished, after its last message; Monte Carlo is on and its points are
computed again. Labels that come back on Label are measured too, and the answer of page Models. The first chart is
measured in the browser, from the start of the navigation until Plotly has drawn: of a million items on a server just
started and with an empty cache (`bench.bench_chart` does so for the first pool); then what each page begins with, at a
link on a server that has drawn it before.
"""

from __future__ import annotations

import logging
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from streamlit.runtime.scriptrunner import ScriptRunner
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from bench import Row
from bench.bench_bank import MODELS
from bench.browser import served, tab
from bench.pools import ITEMS, answered, parquet
from core.archive import Archive
from core.design import Design
from core.pool import Pool
from core.readers import read
from tests.browser.servers import CHROMIUM
from tests.conftest import ROOT
from tests.pages.conftest import light, turn

_LABELS, _IMPORTS = 100_000, 5
_LIMITS = {12_032: 0.050, 1_000_000: 0.150}
_KEYS = 40
# Milliseconds from each of several keys, three a second, until a frame has the next item.
_NEXT_ITEM = """async keys => {
    const root = document.querySelector('[data-testid="stBidiComponentIsolated"]').shadowRoot;
    const frame = () => new Promise(requestAnimationFrame), name = () => root.querySelector('.name').textContent;
    const times = [];
    for (let key = 0; key < keys; key += 1) {
        const before = name(), start = performance.now();
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true, composed: true}));
        do { await frame(); } while (name() === before);
        await frame();
        times.push(performance.now() - start);
        await new Promise(done => setTimeout(done, 333));
    }
    return times;
}"""
# The first screen's figure says so itself.
_CHART = ".js-plotly-plot .main-svg .trace, [data-drawn]"
# What pages begin with, at links to them.
_LINKS = {
    "explore?design=paper": _CHART,
    "explore": _CHART,
    "plan": _CHART,
    "lab": _CHART,
    "models": _CHART,
    "label": "[data-testid=stDataFrame] canvas",
    "estimate": "[data-testid=stMain] h2",
}
# Positions that follow each other, each new, so that nothing comes from a cache; the first is not counted.
_MOVES: dict[str, tuple[str, Sequence[float]]] = {
    "H": ("strata", (4, 6, 7, 8, 9, 10, 3)),
    "δ": ("offset", (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1)),
    "budget": ("budget", (60, 70, 80, 150, 200, 300, 400)),
    "labels": ("budget", (60, 70, 80, 140, 210, 300, 400)),
}
# Page, design, and the controls that are moved.
_PAGES = (
    ("Explore", "paper", ("H", "δ", "budget")),
    ("Explore", "recommended", ("budget",)),
    ("Label", "recommended", ("budget",)),
    ("Plan", "recommended", ("labels",)),
)


def rows() -> list[Row]:
    """(what, median seconds, limit in seconds) of each measurement."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {size: parquet(folder / f"{size}.parquet", size) for size in _LIMITS}
        table = [row for size, path in files.items() for row in _moves(folder / "home", path, size)]
        table += [_known(folder / "known"), _contest(folder / "contest")]
        table += _import(folder / "labels")
        if CHROMIUM is not None:
            table += [_million(folder, files[1_000_000]), *_linked(folder / "links"), _labelled(folder / "desk")]
        return table


def _moves(home: Path, path: Path, size: int) -> list[Row]:
    rows = []
    with _at_home(home), _durations() as durations:
        pool = read(path)
        Archive(home).pools.save(pool, "2026-01-01T00:00:00+00:00")
        for page, design, label in ((page, design, label) for page, design, labels in _PAGES for label in labels):
            key, positions = _MOVES[label]
            app = AppTest.from_file(ROOT / "app.py", default_timeout=600)
            app.query_params.update({"pool": pool.digest[:16], "design": design, "seed": "0"})
            app.query_params["plan-for"] = "pool"
            app.switch_page(f"pages/{page.lower()}.py").run()
            durations.clear()
            for position in positions:
                turn(app, key, position)
            name = f"{page}, {design} design, one move of {label}, server part, N = {size:,}"
            rows.append((name, statistics.median(durations[1:]), _LIMITS[size]))
    return rows


def _known(home: Path) -> Row:
    """Moves of the budget on Label, with verdicts of many past models carried over."""
    with _at_home(home), _durations() as durations:
        pool = answered(MODELS, ["new"])
        Archive(home).pools.save(pool, "2026-01-01T00:00:00+00:00")
        app = AppTest.from_file(ROOT / "app.py", default_timeout=600)
        asked = {"target": "new", "known-verdicts": "audited"}
        app.query_params.update({"pool": pool.digest[:16], "design": "recommended", "seed": "0"} | asked)
        app.switch_page("pages/label.py").run()
        durations.clear()
        for position in _MOVES["budget"][1]:
            turn(app, "budget", position)
    name = f"move on Label with a bank of {ITEMS:,} × {len(MODELS)}, server part"
    return name, statistics.median(durations[1:]), _LIMITS[ITEMS]


def _contest(home: Path) -> Row:
    """The answer of page Models on its twelve bundled ones, for each of several differences that matter."""
    with _at_home(home), _durations() as durations:
        app = AppTest.from_file(ROOT / "app.py", default_timeout=600)
        app.switch_page("pages/models.py").run()
        durations.clear()
        for points in (1.5, 2.0, 2.5, 3.0, 3.5):
            app.number_input(key="within").set_value(points)
            app.run()
            if app.exception:
                raise RuntimeError("Page Models has no answer.")
    return "Models, bundled, another difference, server part", statistics.median(durations[1:]), 1.5


def _import(folder: Path) -> list[Row]:
    """100,000 labels of a list taken back on page Label: uploaded and shown, then kept."""
    folder.mkdir()
    path = parquet(folder / "pool.parquet", _LABELS + _LABELS // 5)
    pool = read(path)
    plan = Design(_LABELS, seed=0).draw(pool)
    verdicts = np.random.default_rng(0).choice(["right", "wrong"], _LABELS)
    content = pd.DataFrame({"item_id": plan.ids, "label": verdicts, "annotator": "Ann"}).to_csv(index=False).encode()
    durations_of: dict[str, list[float]] = {"uploaded and shown": [], "kept and shown": []}
    for run in range(_IMPORTS):
        home = folder / str(run)
        with _at_home(home), _durations() as durations:
            Archive(home).pools.save(pool, "2026-01-01T00:00:00+00:00")
            app = AppTest.from_file(ROOT / "app.py", default_timeout=600)
            app.query_params.update({"pool": pool.digest[:16], "design": "paper", "seed": "0"})
            app.query_params.update({"budget": str(_LABELS), "part": "Take labels back"})
            app.switch_page("pages/label.py").run()
            durations.clear()
            app.file_uploader(key="labels-file").upload("labels.csv", content)
            app.run()
            next(button for button in app.button if button.label == "Keep these labels").click().run()
            if app.exception or not app.success:
                raise RuntimeError("The labels were not kept.")
        # Labels that were kept are drawn at once, in a separate run.
        shown, *later = durations
        for taken, seconds in zip(durations_of.values(), (shown, sum(later)), strict=True):
            taken.append(seconds)
    return [
        (f"Label, {_LABELS:,} labels {what}, server part", statistics.median(taken), 3.0)
        for what, taken in durations_of.items()
    ]


def _million(folder: Path, path: Path) -> Row:
    """The first chart of a million items by path, and the most memory of its servers."""
    first, memory = list[float](), list[int]()
    for run in range(3):
        with served(folder / f"million-{run}", "--pool", path) as server:
            first.append(_shown(server.url, _CHART))
            memory.append(server.peak_memory() if sys.platform == "linux" else 0)
    peak = max(memory) / 1024**3
    return f"first chart of 1,000,000 items by path (peak memory {peak:.2f} GiB)", statistics.median(first), math.inf


def _linked(folder: Path) -> list[Row]:
    """Return the first moments of each page, at a link in a new browser profile, in turns without the first."""
    with served(folder) as server:
        turns = [[_shown(f"{server.url}/{link}", what) for link, what in _LINKS.items()] for _ in range(6)]
    medians = map(statistics.median, zip(*turns[1:], strict=True))
    return [
        (f"{link} at a link, new browser profile", median, 1.5) for link, median in zip(_LINKS, medians, strict=True)
    ]


def _labelled(folder: Path) -> Row:
    """From a key that labels an item until the next item is painted, on page Label in a browser."""
    options = "A. the first\nB. the second\nC. both\nD. neither"
    records = [
        {"id": str(n), "prompt": f"Question {n}, {'with much to read. ' * 40}\n{options}", "generations": [*"AABC"]}
        for n in range(200)
    ]
    pool = Pool.from_records(records, "desk")
    with served(folder) as server, tab() as page:
        Archive(server.home).pools.save(pool, "2026-01-01T00:00:00+00:00")
        query = f"pool={pool.digest[:16]}&part=Label+here&design=paper&budget={_KEYS + 20}&annotator=Ann"
        page.goto(f"{server.url}/label?{query}")
        page.get_by_role("button", name="Skip").wait_for(timeout=60_000)
        milliseconds = page.evaluate(_NEXT_ITEM, _KEYS)
    return ("Label, from a key until the next item is painted", statistics.median(milliseconds) / 1000, 0.150)


def _shown(address: str, what: str) -> float:
    """Seconds from navigation until the page shows an element, in a new profile."""
    with tab() as page:
        page.goto(address)
        shown = f"document.querySelector({what!r}) && performance.now()"
        return float(page.wait_for_function(shown, polling="raf", timeout=300_000).json_value()) / 1000


@contextmanager
def _at_home(home: Path) -> Iterator[None]:
    before = os.environ.get("NEYMAN_HOME")
    os.environ["NEYMAN_HOME"] = str(home)
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    try:
        yield
    finally:
        os.environ.pop("NEYMAN_HOME")
        if before is not None:
            os.environ["NEYMAN_HOME"] = before


@contextmanager
def _durations() -> Iterator[list[float]]:
    """A list to which the duration of every script run is added, without what AppTest does beside it."""
    taken: list[float] = []
    started = 0.0
    run, finished = ScriptRunner._run_script, LocalScriptRunner._on_script_finished

    def timed_run(self: ScriptRunner, data: Any) -> None:
        nonlocal started
        started = time.perf_counter()
        run(self, data)

    def timed_finish(self: LocalScriptRunner, *args: Any, **kwargs: Any) -> None:
        finished(self, *args, **kwargs)
        taken.append(time.perf_counter() - started)

    ScriptRunner._run_script, LocalScriptRunner._on_script_finished = timed_run, timed_finish
    try:
        with light():
            yield taken
    finally:
        ScriptRunner._run_script, LocalScriptRunner._on_script_finished = run, finished
