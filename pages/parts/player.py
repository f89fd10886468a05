"""Figures that the browser plays from numbers that come with the page: what they share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_SHARED = Path(__file__).with_name("player")


def component(name: str, file: Path) -> ComponentRenderer:
    """Return a function that draws a figure.

    Parameters
    ----------
    name : str
        Of the component.
    file : Path
        Its script, and its style sheet if it has one, without a suffix. They may use what stands in the player's.
    """
    paths = {suffix: [_SHARED.with_suffix(suffix), file.with_suffix(suffix)] for suffix in (".css", ".js")}
    style, script = (
        "\n".join(path.read_text(encoding="utf-8") for path in both if path.exists()) for both in paths.values()
    )
    return st.components.v2.component(name, css=style, js=script)


def axis(low: float, high: float, sign: str, truth: float | None = None, named: str = "") -> dict[str, Any]:
    """Return a scale with round ticks.

    Parameters
    ----------
    low, high : float
        Its ends.
    sign : str
        The unit behind each number.
    truth : float, optional
        Marked by a line.
    named : str
        What stands there.
    """
    span = high - low
    step = next(s * 10.0**p for p in range(-6, 9) for s in (1, 2, 5) if span / (s * 10.0**p) <= 7)
    ticks = [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    texts = [{"at": tick, "text": f"{tick:,.{digits}f}{sign}".replace("-", "−")} for tick in ticks]
    return {"low": low, "high": high, "ticks": texts, "truth": truth, "named": named, "sign": sign}
