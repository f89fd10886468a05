"""Figures of a plan."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from core.figures.planning import gate_chances, half_widths
from core.planning import Gate, assumed_frame, belief, curve

BELIEVED = belief(0.8)


def named(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


def test_half_widths_are_points_with_their_band() -> None:
    table = curve(assumed_frame(), BELIEVED, [20, 100])
    figure = half_widths(table, 100)
    own = table[table["method"] == "recommended"]
    assert named(figure, "Recommended").y == pytest.approx((100 * own["half_width"]).tolist())
    assert named(figure, "Believed range").y == pytest.approx((100 * own["half_width_low"]).tolist())
    assert named(figure, "Your plan").x == (100,)
    low, high = figure.layout.yaxis.range
    assert 10**low < 100 * own["half_width_low"].min() and 10**high > 100 * table["worst"].max()


def test_a_census_has_no_place_on_the_axis() -> None:
    table = curve(assumed_frame(30), BELIEVED, [30])
    assert half_widths(table, 30).layout.yaxis.range is None
    both = half_widths(curve(assumed_frame(30), BELIEVED, [10, 30]))
    assert all(math.isfinite(end) for end in both.layout.yaxis.range)


def test_what_was_reached_is_drawn_over_it() -> None:
    reached = pd.DataFrame({"labels": [20, 40], "half_width": [0.2, 0.15]})
    figure = half_widths(curve(assumed_frame(), BELIEVED, [20, 100]), None, reached)
    assert named(figure, "Reached").y == pytest.approx((20, 15))


def test_chances_are_in_per_cent_around_the_bar() -> None:
    table = Gate(0.8, 0.05).chances(100, [0.7, 0.8, 0.9])
    figure = gate_chances(table, 0.8, 0.05)
    assert named(figure, "Ship").y == pytest.approx((100 * table["ship"]).tolist())
    assert [shape.x0 for shape in figure.layout.shapes] == pytest.approx([75, 80])
