"""Figures of a judge: what it has to reach stands with the name of its row."""

from __future__ import annotations

import math

import pandas as pd

from core.figures import intervals
from core.figures.prints import svg


def test_a_threshold_is_said_below_the_name_of_its_row() -> None:
    rows = [("Corrected pass rate", 0.8, 0.7, 0.9, math.nan), ("Failures caught (TNR)", 0.6, 0.4, 0.9, 0.8)]
    figure = intervals.rates(pd.DataFrame(rows, columns=["label", "value", "low", "high", "threshold"]))
    layout = figure["layout"]
    first, second = layout["yaxis"]["ticktext"]
    assert first == "Corrected pass rate" and second.startswith("Failures caught (TNR)<br>") and "at least 80" in second
    assert [shape["x0"] for shape in layout["shapes"]] == [80]
    assert not any("at least" in note["text"] for note in layout["annotations"])
    # On paper too it is a row of its own.
    assert "&lt;br" not in (drawn := svg(figure, "Rates")) and ">at least 80" in drawn
