"""Names beside lines: apart from each other, in order, and no farther from their lines than they must be."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.figures.labels import NamedLine, layout, rows, spread
from core.figures.style import METHOD_STYLES


def test_boxes_with_room_stay_where_they_are():
    assert spread([20.0, 60.0], [10.0, 10.0], 100.0) == [20.0, 60.0]


def test_boxes_on_one_place_part_about_it():
    assert spread([50.0, 50.0, 50.0], [10.0, 10.0, 10.0], 100.0) == pytest.approx([40.0, 50.0, 60.0])


def test_boxes_at_the_edge_are_pushed_inside():
    assert spread([0.0, 1.0], [10.0, 20.0], 100.0) == pytest.approx([5.0, 20.0])
    assert spread([99.0, 100.0], [10.0, 10.0], 100.0) == pytest.approx([85.0, 95.0])


@given(st.lists(st.tuples(st.floats(0, 300), st.sampled_from([15.0, 30.0, 45.0])), min_size=1, max_size=12))
def test_boxes_keep_their_order_and_never_overlap(boxes):
    boxes.sort()
    places, heights = [place for place, _ in boxes], [height for _, height in boxes]
    middles = spread(places, heights, 300.0)
    edges = [(middle - height / 2, middle + height / 2) for middle, height in zip(middles, heights, strict=True)]
    for (_, below), (above, _) in pairwise(edges):
        assert above >= below - 1e-9
    if sum(heights) <= 300:
        assert edges[0][0] >= -1e-9 and edges[-1][1] <= 300 + 1e-9


def test_lines_are_named_at_their_last_point_on_axes_that_hold_them():
    look, other = METHOD_STYLES["uniform"], METHOD_STYLES["power"]
    lines = [NamedLine((look,), [10, 100, 1000], [80.0, 20.0, math.nan]), NamedLine((other,), [10, 100], [5.0, 10.0])]
    drawn = layout(lines, {"type": "log"}, {"ticksuffix": " %"}, "Error", beyond=[0.0, 100.0])
    (first, second), (left, right) = drawn["yaxis"]["range"], drawn["xaxis"]["range"]
    assert first == 0 and second > 100 and left < 1 and right > 3 and drawn["showlegend"] is False
    power, uniform, title = drawn["annotations"]
    assert uniform["text"].endswith("Uniform") and "Power" in power["text"] and title["text"] == "Error"
    # Leaders go from the lines' last points to the names at the plot's edge.
    for name, leader, value in zip((power, uniform), drawn["shapes"], (10, 20), strict=True):
        assert (leader["x0"], leader["y0"]) == pytest.approx(((2 - left) / (right - left), value / second))
        assert (leader["x1"], leader["y1"]) == (name["x"], name["y"]) and name["x"] == 1


def test_lines_that_end_together_have_their_names_in_the_order_of_the_lines():
    names = ("upper", "lower", "middle")
    before = {"upper": 3.0, "middle": 2.0, "lower": 1.0}
    look = METHOD_STYLES["uniform"]
    lines = [NamedLine((replace(look, label=name),), [1.0, 2.0, 3.0], [9.0, before[name], 0.0]) for name in names]
    notes = layout(lines, {}, {}, "Error")["annotations"]
    found = {name: note["y"] for name in names for note in notes if name in note["text"]}
    assert found["lower"] < found["middle"] < found["upper"]


def test_long_names_break_where_a_bracket_or_a_word_begins():
    assert rows("Uniform") == ["Uniform"]
    assert rows("Recommended (+ past results)") == ["Recommended", "(+ past results)"]
    assert rows("Best possible for these strata") == ["Best possible for", "these strata"]
