"""plotly.js: as much of the installed one as figures need, where a browser finds it."""

from __future__ import annotations

import re
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2.component_manager import BidiComponentManager

from pages.parts.views import chart
from tests.conftest import ROOT

LISTED = "bar", "box", "heatmap", "histogram", "pie"
PARTS = [f"var {name}=W((e,t)=>{{t.exports=of{name}()}});" for name in LISTED]


def index(names: tuple[str, ...]) -> str:
    return f"var last=W((e,t)=>{{var c=core();c.register([{','.join(f'{name}()' for name in names)}]);t.exports=c}});"


def test_it_is_a_quarter_of_the_installed_one_and_ends_as_that_does() -> None:
    whole, slim = chart.original(), chart.slim(chart.original())
    assert len(slim) < len(whole) / 4 and whole.startswith(slim[:1_000_000]) and slim.endswith(whole[-1000:])
    assert chart.file().read_text(encoding="utf-8") == chart.EAGER + slim
    assert chart.file().name in chart.address()


def test_sessions_that_draw_the_first_figure_at_once_make_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    manager, made = BidiComponentManager(), []
    monkeypatch.setattr(chart, "get_bidi_component_manager", lambda: manager)
    slow = chart.slim

    def noted(script: str) -> str:
        made.append(script)
        time.sleep(0.05)
        return slow(script)

    monkeypatch.setattr(chart, "slim", noted)
    monkeypatch.setattr(chart, "file", cache(chart.file.__wrapped__))
    monkeypatch.setattr(chart, "_folder", cache(lambda: Path(tempfile.mkdtemp())))
    with ThreadPoolExecutor(4) as threads:
        assert len({one.result() for one in [threads.submit(chart.address) for _ in range(4)]}) == 1
    assert len(made) == 1


def test_every_kind_of_trace_that_a_figure_has_is_kept() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("core/figures/*.py"))
    installed = set(re.findall(r'name:"(\w+)",basePlotModule', chart.original()))
    kept = set(re.findall(r'name:"(\w+)",basePlotModule', chart.slim(chart.original())))
    assert set(re.findall(r'"type": "(\w+)"', source)) & installed <= kept < installed
    assert {"scatter", "bar", "heatmap", "histogram"} <= kept


def test_what_rests_on_nothing_that_is_kept_goes() -> None:
    script = "".join([*PARTS, "var more=W(()=>{});", index(LISTED), "return last();"])
    assert chart.slim(script) == "".join([*PARTS[:4], index(LISTED[:4]), "return last();"])


def test_where_it_is_built_otherwise_it_stays() -> None:
    end = "return last();"
    for script in (
        "".join([*PARTS, end]),
        "".join([*PARTS, index(LISTED[:3]), end]),
        "".join([index(LISTED), *PARTS, end]),
        "".join([*PARTS[:3], index(LISTED), end]),
    ):
        assert chart.slim(script) == script
