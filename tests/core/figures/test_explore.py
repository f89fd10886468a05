"""The main figure: marks stand where the frame says, axes stay, lines are named and told apart, and a cut is marked."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from plotly.graph_objects import Figure

from core.allocation import METHODS
from core.figures import explore as figures
from core.figures.style import GREY, METHOD_STYLES
from core.figures.units import UNITS, unit
from core.simulation import in_units

BUDGETS = [5, 50, 500]
# The thick line, and those beside it.
LOUD = ("proxy-neyman", "uniform", "oracle-neyman")


@pytest.fixture
def curve():
    """Six methods at three budgets; at the last one Uniform's error is 0, so the ratio is unknown."""
    ratio = np.linspace(0.5, 1.0, 3 * len(METHODS))
    ratio[2::3] = np.nan
    ratio[:2] = 1
    rows = pd.DataFrame({"method": np.repeat(METHODS, 3), "budget": BUDGETS * len(METHODS), "relative_mse": ratio})
    return in_units(rows.assign(mse=ratio * 0.25 * (1 / rows["budget"] - 1 / 500)), 500)


@pytest.fixture
def simulated(curve):
    rows = curve[curve["budget"] < 500][["method", "budget", "mse", "relative_mse"]]
    more = {"relative_mse": rows["relative_mse"] + 0.01, "relative_standard_error": 0.02, "standard_error": 1e-4}
    return in_units(rows.assign(**more), 500)


def drawn(figure):
    """The figure as the browser gets it."""
    return json.loads(Figure(figure).to_json())


def lines(figure):
    """In the order of the frame."""
    order = {look.label: place for place, look in enumerate(METHOD_STYLES.values())}
    found = [t for t in drawn(figure)["data"] if t["mode"] == "lines" and t.get("hoverinfo") != "skip"]
    return sorted(found, key=lambda trace: order[trace["name"].split(" = ")[0]])


def names(figure):
    """What stands beside the plot, from below."""
    return [note["text"].replace("\u00a0", " ").strip() for note in sorted(beside(figure), key=lambda note: note["y"])]


def beside(figure):
    """The notes that name lines."""
    return [note for note in drawn(figure)["layout"]["annotations"] if note["x"] == 1 and note["text"][0] == "\u00a0"]


def test_every_method_has_a_line_in_percent_in_the_order_of_the_frame(curve):
    traces = lines(figures.relative_mse(curve))
    assert [trace["name"] for trace in traces] == [METHOD_STYLES[m].label for m in METHODS]
    for trace, (_, rows) in zip(traces, curve.groupby("method", sort=False), strict=True):
        assert trace["x"] == BUDGETS
        assert trace["y"][:2] == pytest.approx((100 * rows["relative_mse"]).tolist()[:2])
        assert trace["y"][2] is None


@pytest.mark.parametrize("name", UNITS)
def test_each_unit_draws_its_column_and_the_crosshair_says_it_of_every_line(curve, simulated, name):
    shown = unit(name)
    figure = figures.relative_mse(curve, simulated, 50, shown)
    assert drawn(figure)["layout"]["hovermode"] == "x unified"
    for trace, (_, rows) in zip(lines(figure), curve.groupby("method", sort=False), strict=True):
        assert trace["y"][1] == pytest.approx(100 * rows[shown.column].iloc[1])
        assert trace["customdata"][1].startswith(shown.written(rows[shown.column].iloc[1]))


def test_which_budget_the_values_are_of_stands_right_above_them(curve):
    figure = figures.relative_mse(curve, None, 50)
    (said,) = [note for note in drawn(figure)["layout"]["annotations"] if note["text"] == "at M = 50"]
    assert said["y"] == max(note["y"] for note in beside(figure)) and 0 < said["yshift"] < 40


@pytest.mark.parametrize(("least", "low"), [(0.4, 0), (0.7, 50), (0.9, 80)])
def test_the_axis_of_shares_leaves_no_half_of_the_figure_empty(curve, least, low):
    assert drawn(figures.relative_mse(curve, None, 50, least=least))["layout"]["yaxis"]["range"] == [low, 120]


def test_the_axis_begins_at_0_or_says_that_it_does_not(curve):
    for shown, least in ((UNITS["relative"], 0.4), (UNITS["relative"], 0.7), (UNITS["points"], 0.7)):
        layout = drawn(figures.relative_mse(curve, None, 50, shown, least=least))["layout"]
        (title,) = [note["text"] for note in layout["annotations"] if shown.title in note["text"]]
        from_zero = layout["yaxis"].get("type") != "log" and layout["yaxis"]["range"][0] == 0
        assert from_zero != ("not 0" in title or "not from 0" in title)


@pytest.mark.parametrize("name", UNITS)
def test_the_axes_are_the_same_whatever_the_methods_errors_are(curve, name):
    worse = curve.assign(relative_mse=curve["relative_mse"].where(curve["method"] == "uniform", 3.0))
    worse = worse[(worse["budget"] > 5) | (worse["method"] == "uniform")]
    one, other = (drawn(figures.relative_mse(c, None, 50, unit(name)))["layout"] for c in (curve, worse))
    for axis in ("xaxis", "yaxis", "margin"):
        assert one[axis] == other[axis]


def test_names_stand_beside_the_ends_with_their_values_and_never_overlap(curve):
    figure = figures.relative_mse(curve, None, 50)
    assert drawn(figure)["layout"]["showlegend"] is False
    assert len(names(figure)) == len(METHODS)
    for text, method in zip(names(figure), METHODS[1:], strict=False):
        assert text.startswith(METHOD_STYLES[method].label) and text.endswith("%") == (method in LOUD)
    layout = drawn(figure)["layout"]
    (low, high), (left, right) = layout["yaxis"]["range"], layout["xaxis"]["range"]
    places = sorted(figures._ROOM * note["y"] for note in beside(figure))
    assert min(above - below for below, above in pairwise(places)) >= 14.9
    # A leader goes from the line's last point to the plot's edge.
    ends = {trace["line"]["color"]: trace["y"][1] for trace in lines(figure)}
    leaders = [shape for shape in layout["shapes"] if shape["x1"] == 1]
    assert sorted(leader["y1"] for leader in leaders) == pytest.approx(sorted(note["y"] for note in beside(figure)))
    for leader in leaders:
        assert leader["x0"] == pytest.approx((math.log10(50) - left) / (right - left))
        if leader["line"]["color"] != GREY:
            assert leader["y0"] == pytest.approx((ends[leader["line"]["color"]] - low) / (high - low))


def test_lines_that_are_the_same_are_one_line_with_both_names(curve):
    same = curve.copy()
    columns = ["mse", "relative_mse", "margin", "label_share", "uniform_labels"]
    same.loc[same["method"] == "power", columns] = same.loc[same["method"] == "equal", columns].to_numpy()
    figure = figures.relative_mse(same, None, 50)
    assert "Equal = Power" in [trace["name"] for trace in lines(figure)]
    assert len(lines(figure)) == len(METHODS) - 1
    assert "Equal =<br> Power" in names(figure)


@pytest.mark.parametrize("thick", ["proxy-neyman", "equal"])
def test_one_line_is_thick_those_beside_it_thin_and_the_rest_grey_hairlines_with_a_dash_of_their_own(curve, thick):
    figure = figures.relative_mse(curve, None, 50, loud=[thick, "proxy-neyman"])
    widths = {trace["name"]: trace["line"]["width"] for trace in lines(figure)}
    looks = {METHOD_STYLES[method].label: method for method in METHODS}
    beside = {"proxy-neyman", "uniform", "oracle-neyman"} - {thick}
    assert {looks[name] for name, width in widths.items() if width == max(widths.values())} == {thick}
    assert {looks[name] for name, width in widths.items() if min(widths.values()) < width < 4} == beside
    quiet = [trace for trace in lines(figure) if trace["line"]["width"] == min(widths.values())]
    assert len({trace["line"]["dash"] for trace in quiet}) == len(quiet) == len(METHODS) - 1 - len(beside)
    assert {trace["line"]["color"] for trace in quiet} == {GREY}
    assert drawn(figure)["data"][-1]["name"] == METHOD_STYLES[thick].label, "it is drawn over all others"


def test_a_method_may_have_another_name(curve):
    figure = figures.relative_mse(curve, None, 50, names={"proxy-neyman": "These settings"})
    assert drawn(figure)["data"][-1]["name"] == "These settings"
    assert any(one.startswith("These settings ") for one in names(figure))


def test_the_point_takes_the_look_of_the_thick_line_at_the_budget_and_carries_its_standard_error(curve, simulated):
    figure = figures.relative_mse(curve, simulated, 50)
    (trace,) = [trace for trace in drawn(figure)["data"] if trace["name"] == "simulated"]
    row = simulated[(simulated["method"] == "proxy-neyman") & (simulated["budget"] == 50)].iloc[0]
    assert trace["x"] == [50] and trace["error_y"]["array"] == [2]
    assert trace["y"] == pytest.approx([100 * row["relative_mse"]])
    assert trace["marker"]["color"] == METHOD_STYLES["proxy-neyman"].colour
    assert "standard error 2" in trace["customdata"][0]
    assert not [t for t in drawn(figures.relative_mse(curve, simulated, 5000))["data"] if t["name"] == "simulated"]


@pytest.mark.parametrize("name", UNITS)
def test_no_bar_falls_to_the_axis(curve, simulated, name):
    figure = drawn(figures.relative_mse(curve, simulated, 50, unit(name)))
    (trace,) = [trace for trace in figure["data"] if trace["name"] == "simulated"]
    assert trace["y"][0] - trace["error_y"]["array"][0] > 0


def test_the_budget_is_marked_where_it_is_on_a_logarithmic_axis(curve):
    layout = drawn(figures.relative_mse(curve, budget=50))["layout"]
    assert layout["xaxis"]["type"] == "log"
    (line,) = [shape for shape in layout["shapes"] if shape["line"].get("dash") == "dot"]
    (flag,) = [note for note in layout["annotations"] if note["text"] == "M = 50"]
    assert line["x0"] == line["x1"] == 50 and flag["x"] == pytest.approx(math.log10(50))
    bare = drawn(figures.relative_mse(curve))["layout"]
    assert not [shape for shape in bare.get("shapes", ()) if shape["line"].get("dash") == "dot"]


@pytest.mark.parametrize("most", [20, 500, 12_032, 1_000_000])
def test_the_ticks_of_the_budgets_are_round_inside_and_few(curve, most):
    budgets = curve["budget"].replace({50: 10, 500: most})
    axis = drawn(figures.relative_mse(curve.assign(budget=budgets)))["layout"]["xaxis"]
    assert all(5 <= tick <= most and str(tick).strip("0") in ("1", "2", "3", "5") for tick in axis["tickvals"])
    assert 2 <= len(axis["tickvals"]) <= 7 and max(map(len, axis["ticktext"])) <= 6


def test_a_value_above_the_figure_is_cut_with_a_mark_that_says_it(curve):
    far = curve.assign(relative_mse=curve["relative_mse"].mask(curve["method"] == "proxy-neyman", 5.67))
    figure = figures.relative_mse(far, None, 50)
    (mark,) = [trace for trace in drawn(figure)["data"] if trace["name"].endswith("above the figure")]
    top = drawn(figure)["layout"]["yaxis"]["range"][1]
    assert (mark["x"], mark["y"], mark["text"]) == ([50], [top], ["567.0\u00a0%"])
    assert mark["marker"]["color"] == METHOD_STYLES["proxy-neyman"].colour
    assert not [t for t in drawn(figures.relative_mse(curve, None, 50))["data"] if t["name"].endswith("the figure")]


def test_the_former_setting_is_a_ghost_that_says_what_it_was(curve):
    line = curve[curve["method"] == "proxy-neyman"]
    former = figures.Former("δ = 0.75", line)
    figure = figures.relative_mse(curve, None, 50, former=former)
    ghost, *rest = drawn(figure)["data"]
    assert ghost["x"] == [5, 50] and ghost["y"] == pytest.approx((100 * line["relative_mse"]).tolist()[:2])
    assert ghost["opacity"] < 0.5 and ghost["hoverinfo"] == "skip" and len(rest) == len(METHODS)
    layout = drawn(figure)["layout"]
    assert any("before your change (δ = 0.75)" in note["text"] for note in layout["annotations"])
    assert {shape["x0"] for shape in layout["shapes"] if shape["line"].get("dash") == "dot"} == {50}
    assert layout["yaxis"] == drawn(figures.relative_mse(curve, None, 50))["layout"]["yaxis"]


def test_losses_without_a_scale_have_errors_in_their_unit(curve):
    shown = unit("points", share=False)
    (line, *_) = lines(figures.relative_mse(curve, None, 50, shown))
    assert line["y"][1] == pytest.approx(curve["margin"].iloc[1])
    assert "%" not in shown.written(1.2345) and unit("relative", share=False) == UNITS["relative"]


def test_constant_losses_and_single_budgets_are_drawn(curve):
    nothing = curve.assign(**dict.fromkeys(("mse", "margin"), 0.0), relative_mse=np.nan, label_share=np.nan)
    for name in UNITS:
        assert drawn(figures.relative_mse(nothing, None, 50, unit(name)))["data"]
        assert drawn(figures.relative_mse(curve[curve["budget"] == 50], None, 50, unit(name)))["data"]
