"""plotly.js out of the installed plotly package, as far as figures need it, and where a browser finds it."""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from core.figures import style
from pages.parts.app import session

# Scatter is in Plotly's core; these begin the list of the others, each after what it rests on.
_KEPT = ("bar", "box", "heatmap", "histogram")
_PACKAGE, _PART = "neyman", "plotly"
ROUTE = f"_stcore/bidi-components/{_PACKAGE}.{_PART}"
_REGISTER, _END = ".register([", "])"
# Makes Chromium compile the whole file in a background thread; otherwise a page waits for each function at first use.
EAGER = "//# allFunctionsCalledOnLoad\n"
# Two sessions may draw the first figure at the same moment.
_MAKING = Lock()


def address() -> str:
    """Where plotly.js is, below the app's own address; Streamlit serves it as it serves a component's files."""
    manager = get_bidi_component_manager()
    with _MAKING:
        if manager.get_component_path(f"{_PACKAGE}.{_PART}") is None:
            part = ComponentConfig(_PART, file().parent.name)
            manager.register_from_manifest(ComponentManifest(_PACKAGE, "", [part]), file().parent.parent)
        return f"{ROUTE}/{file().name}"


@cache
def file() -> Path:
    """plotly.js as it is served, in a temporary folder that lasts as long as this process."""
    content = f"{EAGER}{slim(original())}".encode()
    (folder := _folder() / _PART).mkdir()
    # Named by what is in it, so that a browser may keep it for good.
    served = folder / f"plotly-{hashlib.sha256(content).hexdigest()[:16]}.js"
    served.write_bytes(content)
    return served


def original() -> str:
    """plotly.js as it is installed."""
    spec = find_spec("plotly")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).with_name("package_data").joinpath("plotly.min.js").read_text(encoding="utf-8")


def slim(script: str) -> str:
    """plotly.js without the kinds of traces that no figure has, a quarter of its size and a sixth of its time to load.

    Its last statement registers all kinds, by the functions that make them; each is defined after what it rests on. So
    what stands between the last one that is kept and that statement goes. If the file is built otherwise, it stays.
    """
    before, registers, after = script.rpartition(_REGISTER)
    kinds, ends, rest = after.partition(_END)
    kept = kinds.split(",")[: len(_KEPT)]
    name = kept[-1].removesuffix("()")
    begin, last = before.find(f"var {name}="), before.rfind("var ", 0, before.rfind("=>{"))
    end = before.find(");", begin) + 2
    if not (registers and ends and len(kept) == len(_KEPT) and 0 < begin < end < last):
        return script
    return "".join((before[:end], before[last:], registers, ",".join(kept), ends, rest))


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="neyman-")


def _folder() -> Path:
    return Path(_scratch().name)


NAME = "neyman_chart"
_HERE = Path(__file__)
# Outside a shadow root, where Plotly's own style sheet reaches it.
_mount = st.components.v2.component(
    NAME,
    css=_HERE.with_suffix(".css").read_text(encoding="utf-8"),
    js=_HERE.with_suffix(".js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def draw(
    figure: style.Figure,
    key: str,
    alt: str,
    button: bool = True,
    then: Callable[[Any, Any], None] | None = None,
) -> None:
    """Draw a figure in a place of its height, so that nothing below it moves while another takes its place.

    Parameters
    ----------
    figure : Figure
        With a height.
    key : str
        Of the element, and the name of the saved picture.
    alt : str
        What it shows.
    button : bool
        Draw the buttons that save the picture and that show it on the whole screen.
    then : callable, optional
        Called back with x and y of a mark that somebody clicks.
    """
    given = {"figure": figure, "alt": alt, "button": button, "name": f"neyman-{key}", "plotly": address()}
    place = f"chart-{key}"

    def take() -> None:
        sent = getattr(session.widget(place), "clicked", None)
        if then is not None and isinstance(sent, list) and len(sent) == 2:
            then(*sent)

    clicks: dict[str, Any] = {} if then is None else {"on_clicked_change": take}
    data = _written(given | {"clicks": then is not None})
    _mount(key=place, data=data, height=round(figure["layout"]["height"]), **clicks)


def _written(given: dict[str, Any]) -> bytes:
    try:
        return json.dumps(given, allow_nan=False).encode()
    except ValueError:
        return json.dumps(_with_gaps(given)).encode()


def _with_gaps(value: Any) -> Any:
    """None for each number that is none, which Plotly draws as a gap."""
    if isinstance(value, dict):
        return {key: _with_gaps(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_with_gaps(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
