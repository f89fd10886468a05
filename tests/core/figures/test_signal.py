"""Figures of a signal: bars or a histogram of the same shares."""

from __future__ import annotations

import json

import numpy as np
import pytest
from plotly.graph_objects import Figure

from core.figures import strata as figures


def drawn(figure):
    """The figure as the browser gets it."""
    return json.loads(Figure(figure).to_json())


def test_few_values_are_bars_with_one_highlighted():
    (trace,) = drawn(figures.distribution([0.0, 0.5, 1.0], [6, 3, 1], "signal", 0.0))["data"]
    assert trace["type"] == "bar" and trace["y"] == pytest.approx([60, 30, 10]) and trace["customdata"] == [6, 3, 1]
    first, *others = trace["marker"]["color"]
    assert len(set(others)) == 1 and first not in others


def test_many_values_are_a_histogram_of_the_same_shares():
    values = np.linspace(0, 1, 200)
    (trace,) = drawn(figures.distribution(values.tolist(), [1] * 200, "signal"))["data"]
    assert trace["type"] == "histogram" and sum(trace["y"]) == pytest.approx(100)


@pytest.mark.parametrize("values", [[0.0], [2.0], [0.0, 1e-9], []])
def test_a_distribution_of_next_to_nothing_is_drawn(values):
    figure = drawn(figures.distribution(values, [3] * len(values), "signal", 0.0))
    assert len(figure["data"]) == 1
    assert figure["data"][0].get("width", 1) > 0
