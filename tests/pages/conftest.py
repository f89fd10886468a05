"""The app without a browser: pages drawn on a pool of one's choice, and what was drawn in plain Python."""

from __future__ import annotations

import functools
import json
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.elements import spinner
from streamlit.runtime import context
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from core.archive import Archive, Quarantine
from core.archive.database import Database
from core.archive.quarantine.helper import READERS, Crossing, of_error, to_error
from core.archive.quarantine.quarantine import _file_of
from core.errors import NeymanError
from core.files.open import Source
from core.pool import Pool
from core.readers import read
from pages.parts import downloads as files
from pages.parts.app import address, quarantine, state
from pages.parts.views import chart
from pages.parts.widgets import numbers
from tests.conftest import ROOT
from tests.headlines import faults, seen

PAGES = (
    "app.py",
    "pages/plan.py",
    "pages/pool.py",
    "pages/explore.py",
    "pages/judge.py",
    "pages/label.py",
    "pages/lab.py",
    "pages/estimate.py",
    "pages/surrogate.py",
    "pages/versions.py",
    "pages/models.py",
)
TIMEOUT = 120
CREATED = "2026-01-01T00:00:00+00:00"

BARE = ""

OpenPage = Callable[..., AppTest]


@functools.cache
def practice() -> Pool:
    """The bundled pool whose items have prompts."""
    return read(state.PRACTICE, state.PRACTICE_NAME)


def same(pool: Pool) -> str:
    """What two pools that are alike have in common."""
    return repr((pool.digest, pool.name, pool.notes, pool.origin, pool.account))


def shared(read: Callable[[str], Pool]) -> Callable[[str], Pool]:
    """A function that reads as the given one does, and of pools that are alike gives the one that was read first."""
    known = dict[str, Pool]()

    def one(digest: str) -> Pool:
        pool = read(digest)
        return known.setdefault(same(pool), pool)

    return one


class NoTimer(threading.Timer):
    """A timer whose time never comes, without a thread that waits for it."""

    def start(self) -> None:
        """Start nothing."""


@contextmanager
def light() -> Iterator[None]:
    """What an AppTest does beside running the page, done once or at less cost."""
    with pytest.MonkeyPatch.context() as patch:
        # It reads the metadata of all installed packages again, which takes longer than to draw a page.
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        # It asks every millisecond whether the page is drawn.
        patch.setattr(local_script_runner, "require_widgets_deltas", _wait)
        # It compiles the pages for every run.
        pages = ScriptCache()
        patch.setattr(app_test, "ScriptCache", lambda: pages)
        patch.setattr(local_script_runner, "ScriptCache", lambda: pages)
        # Its stand-in for a browser, which has sent no headers, is made for every look at them.
        patch.setattr(context, "_get_client_context", lambda: None)
        # Its stand-in for the server is a class of its own for every run.
        patch.setattr(app_test, "MagicMock", lambda spec: SimpleNamespace())
        # A thread waits to show a spinner after half a second.
        patch.setattr(spinner, "threading", SimpleNamespace(Lock=threading.Lock, Timer=NoTimer))
        # It makes a checksum of whatever is drawn, for browsers that keep it.
        patch.setattr(script_run_context, "populate_hash_if_needed", lambda message: message)
        # Each test has a home of its own, from which it would read the same pools, and work out what is known of them.
        patch.setattr(state, "_stored", shared(state._stored))
        # No browser asks for a file that a callback would wait for.
        patch.setattr(files, "_MAKING", 0.0)
        yield


@pytest.fixture(autouse=True, scope="session")
def light_runs() -> Iterator[None]:
    """No page is drawn with more than it needs."""
    with light():
        yield


def _wait(runner: LocalScriptRunner, timeout: float) -> None:
    assert runner._script_thread is not None
    runner._script_thread.join(timeout)
    if not runner.script_stopped():
        runner.request_stop()
        raise RuntimeError(f"The page is not drawn after {timeout} s.")


class ReadHere(Quarantine):
    """Reads files in this process, since to start another one takes longer than most tests."""

    def warm(self) -> None:
        """Start nothing."""

    def _in_turn(self, job: Mapping[str, Any], source: Source, folder: Path) -> Crossing:
        with _file_of(source, folder) as file:
            try:
                sent = json.loads(json.dumps(job["options"]))
                table, rest = READERS[job["kind"]](Path(f"/dev/fd/{file.fileno()}"), job["name"], sent)
            except NeymanError as error:
                raise to_error(json.loads(json.dumps(of_error(error)))) from None
        return Crossing(table, json.loads(json.dumps(rest)))


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in this process; ``test_quarantine`` has them read as the app does."""
    monkeypatch.setattr(quarantine, "_quarantine", ReadHere)


@pytest.fixture(autouse=True)
def no_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is not copied when the app starts, as it does in each test; ``test_home`` has it copied."""
    monkeypatch.setattr(Database, "copy_daily", lambda database, now: None)


@pytest.fixture(scope="session")
def save(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Pool, Path], None]:
    """A function that keeps a pool in a home; a new home is a copy of the first one with that pool."""
    homes, saved = dict[str, Path](), dict[tuple[Path, str], str]()

    def save(pool: Pool, home: Path) -> None:
        if home.exists():
            # Most tests open one pool again and again.
            if saved.get((home, pool.digest)) != same(pool):
                Archive(home).pools.save(pool, CREATED)
        else:
            if same(pool) not in homes:
                Archive(folder := tmp_path_factory.mktemp("home")).pools.save(pool, CREATED)
                homes[same(pool)] = folder
            shutil.copytree(homes[same(pool)], home)
        saved[home, pool.digest] = same(pool)

    return save


@pytest.fixture
def open_page(neyman_home: Path, save: Callable[[Pool, Path], None]) -> OpenPage:
    """A function ``open_page(page, pool, opened, **query)`` that draws a page with some panels open.

    Without a pool it is that of the practice pool; with `BARE` in its place the address is empty.
    """

    def draw(page: str, pool: Pool | str | None = None, opened: Iterable[str] = (), /, **query: Any) -> AppTest:
        app = AppTest.from_file(ROOT / "app.py", default_timeout=TIMEOUT)
        for panel in opened:
            app.session_state[panel] = True
        if isinstance(pool, Pool):
            save(pool, neyman_home)
            app.query_params["pool"] = pool.digest[:16]
        elif pool != BARE:
            app.query_params["pool"] = practice().digest[:16]
            query = query or {"v": address.VERSION}
        for name, value in query.items():
            app.query_params[name] = str(value)
        if page != "app.py":
            app.switch_page(page)
        return run(app)

    return draw


def run(app: AppTest) -> AppTest:
    """Run the page; an exception in it fails the test, and a headline that says more than one thing."""
    app.run()
    assert [error.value for error in app.exception] == []
    assert {words: wrong for words in headlines(app) if (wrong := faults(words))} == {}
    return app


def headlines(app: AppTest) -> list[str]:
    """The titles and the sentences above figures."""
    return [
        seen(one.value) for one in (*app.title, *app.main.markdown) if one.type == "title" or one.value[:3] == "## "
    ]


def bare(elements: Iterable[Any]) -> str:
    """What elements say, without the signs that keep Markdown from reading it; headlines with their full stop."""
    said = [str(e.value).replace("\\", "").replace("\u2060", "") for e in elements]
    return "\n".join(f"{one}." if one.startswith("## ") else one for one in said)


def button(app: AppTest, label: str) -> Any:
    """The button whose name begins so."""
    return next(one for one in app.button if one.label.startswith(label))


def press(app: AppTest, label: str) -> AppTest:
    """Click a button, and run the page."""
    button(app, label).click()
    return run(app)


def components(app: AppTest, name: str) -> list[Any]:
    """The components of this name on the page, as they are sent to the browser."""
    return [one.proto for one in app.get("bidi_component") if one.proto.component_name == name]


def figures(app: AppTest) -> list[dict[str, Any]]:
    """The figures on the page."""
    return [json.loads(component.bytes)["figure"] for component in components(app, chart.NAME)]


def figure(app: AppTest, position: int = 0) -> dict[str, Any]:
    """One of the figures on the page."""
    return figures(app)[position]


def dials(app: AppTest) -> dict[str, Any]:
    """What each dial on the page shows: a number, or both ends of a range."""
    given = [json.loads(component.json) for component in components(app, numbers.NAME)]
    return {one["parameter"]: one["values"][0] if len(one["values"]) == 1 else tuple(one["values"]) for one in given}


def turn(app: AppTest, key: str, *values: float) -> AppTest:
    """Set a dial as a browser does, both ends of one for a range, and run the page."""
    (component,) = (one for one in components(app, numbers.NAME) if json.loads(one.json)["parameter"] == key)
    states = app._tree.get_widget_states()
    sent = {"values": values, "number": json.loads(component.json)["heard"] + 1}
    states.widgets.add(id=component.id, json_value=json.dumps({"turned": sent}))
    app._run(states)
    assert [error.value for error in app.exception] == []
    return app


def table(app: AppTest, position: int) -> pd.DataFrame:
    """A table as it is sent to the browser; unlike ``.value`` this also reads columns of lists."""
    return pa.ipc.open_stream(app.dataframe[position].proto.arrow_data.data).read_all().to_pandas(ignore_metadata=True)


def sentences(app: AppTest) -> list[str]:
    """All that stands on the page in Markdown, captions and messages, and behind their question marks."""
    elements = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.success, *app.subheader]
    hints = [element.proto.help for element in (*app.markdown, *app.caption)]
    return [*(element.value for element in elements), *filter(None, hints)]


def messages(app: AppTest, kind: str) -> list[str]:
    return [element.value for element in app.get(kind)]


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Callable[[], str]]]:
    """What each download button of the last run hands out, by its label."""
    offered: dict[str, Callable[[], str]] = {}
    original = st.download_button

    def noted(label: str, data: Any, *args: Any, **kwargs: Any) -> bool:
        offered[label] = data if callable(data) else lambda: data
        return original(label, data, *args, **kwargs)

    monkeypatch.setattr(st, "download_button", noted)
    yield offered
