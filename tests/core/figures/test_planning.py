"""Figures of a plan."""

from __future__ import annotations

import pandas as pd
import pytest
from plotly.graph_objects import Figure

from core.figures.planning import alike, gate_chances, half_widths
from core.gates import Gate
from core.prospect.forecast import curve
from core.prospect.prior import belief
from core.prospect.sampling_frame import assumed_frame

BELIEVED = belief(0.8)


def named(figure, name):
    return next(trace for trace in figure.data if (trace.name or "").split(" = ")[0] == name)


def test_half_widths_are_points_with_their_band() -> None:
    table = curve(assumed_frame(), belief(0.8, "strong"), [20, 100])
    figure = Figure(half_widths(table, 100))
    recommended = table[table["method"] == "recommended"]
    assert named(figure, "Recommended design").y == pytest.approx((100 * recommended["half_width"]).tolist())
    assert named(figure, "Range").y == pytest.approx((100 * recommended["half_width_low"]).tolist())
    assert named(figure, "Your plan").x == (100,)


def test_a_census_is_exact() -> None:
    figure = Figure(half_widths(curve(assumed_frame(30), BELIEVED, [10, 30]), 30))
    assert named(figure, "Your plan").y == (0,) and figure.layout.yaxis.rangemode == "tozero"


def test_lines_that_lie_on_each_other_are_one() -> None:
    table = curve(assumed_frame(), belief(0.8, "weak"), [100, 400])
    assert alike(table) == [("uniform", "proxy-neyman"), ("recommended",)]
    one = Figure(half_widths(table, 100))
    lines = [trace for trace in one.data if trace.mode == "lines" and trace.line.width]
    assert [line.name.split(" = ") for line in lines] == [
        ["Worst case"],
        ["Uniform", "The paper’s design"],
        ["Recommended design"],
    ]
    apart = alike(curve(assumed_frame(), belief(0.8, "past results"), [20, 100, 400]))
    assert apart[0] == ("uniform",) and apart[-1][0] == "recommended"


def test_what_was_reached_is_drawn_over_it() -> None:
    reached = pd.DataFrame({"labels": [20, 40], "half_width": [0.2, 0.15]})
    figure = Figure(half_widths(curve(assumed_frame(), BELIEVED, [20, 100]), None, reached))
    assert named(figure, "Reached").y == pytest.approx((20, 15))


def test_chances_are_in_per_cent_around_the_bar() -> None:
    table = Gate(0.8, 0.05).chances(100, [0.7, 0.8, 0.9])
    figure = Figure(gate_chances(table, 0.8, 0.05))
    assert named(figure, "Ship").y == pytest.approx((100 * table["ship"]).tolist())
    assert [shape.x0 for shape in figure.layout.shapes][:2] == pytest.approx([75, 80])
