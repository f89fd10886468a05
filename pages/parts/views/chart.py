"""A chart: a Plotly dictionary that plotly.js draws in the browser, in the theme's colours."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from core.figures import style
from pages.parts.app import session
from pages.parts.views import plotlyjs

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
    given = {"figure": figure, "alt": alt, "button": button, "name": f"neyman-{key}", "plotly": plotlyjs.address()}
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
