"""The figure of the report's first page: places are shares of the width, whatever the width is."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pandas as pd
import pytest

from core.figures import svg

ROWS = pd.DataFrame({"label": ["Ours", "Uniform"], "value": [0.7, 0.7], "low": [0.65, 0.6], "high": [0.75, 0.8]})


def places(drawing: str, tag: str, *names: str) -> list[list[float]]:
    """Shares of the width of each element of a kind, in per cent."""
    elements = [one for one in ET.fromstring(drawing).iter(tag) if one.get("class") != "grid"]
    return [[float(one.get(name, "").removesuffix("%")) for name in names] for one in elements]


def test_bars_stand_at_shares_of_the_width() -> None:
    drawing = svg.compared(ROWS, str, ["a", "<b>"], unit=True)
    assert [place for (place,) in places(drawing, "circle", "cx")] == [50.0, 50.0]
    ours, uniform = places(drawing, "line", "x1", "x2")
    # The scale runs from 60 % to 80 % over 6 to 94 % of the width.
    assert ours == pytest.approx([28, 72]) and uniform == pytest.approx([6, 94])
    words = ["".join(one.itertext()) for one in ET.fromstring(drawing).iter("text")]
    assert {"Ours", "Uniform", "a", "<b>", "60\u00a0%", "80\u00a0%", "scale from 60\u00a0%, not 0"} <= set(words)


def test_values_without_bounds_get_round_ticks_and_unknown_limits_no_bar() -> None:
    rows = pd.DataFrame({"label": ["Ours"], "value": [5.8], "low": [math.nan], "high": [math.nan]})
    assert places(svg.compared(rows, str, [""], unit=False), "line", "x1") == []
    wide = svg.compared(rows.assign(low=5.4, high=6.2), str, [""], unit=False)
    words = ["".join(one.itertext()) for one in ET.fromstring(wide).iter("text")]
    assert {"5.4", "5.6", "5.8", "6", "6.2"} <= set(words)
