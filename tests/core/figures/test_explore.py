"""Figures: marks stand where the frame says, each method looks the same everywhere, and text is never markup."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from core.allocation import METHODS
from core.figures import explore as figures
from core.figures.style import METHOD_STYLES, escaped
from core.stratification import merged_table, profile, stratum_table

BUDGETS = [5, 50, 500]


@pytest.fixture
def curve():
    """Six methods at three budgets; at the last one Uniform's error is 0, so the ratio is unknown."""
    ratio = np.linspace(0.5, 1.0, 3 * len(METHODS))
    ratio[2::3] = np.nan
    return pd.DataFrame({"method": np.repeat(METHODS, 3), "budget": BUDGETS * len(METHODS), "relative_mse": ratio})


@pytest.fixture
def simulated(curve):
    rows = curve[curve["budget"] < 500]
    return rows.assign(relative_mse=rows["relative_mse"] + 0.01, relative_standard_error=0.02)


def drawn(figure):
    """The figure as the browser gets it."""
    return json.loads(figure.to_json())


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_method_has_a_line_in_percent_in_the_order_of_the_frame(curve):
    traces = drawn(figures.relative_mse(curve))["data"]
    assert [trace["name"] for trace in traces] == [METHOD_STYLES[m].label for m in METHODS]
    for trace, (_, rows) in zip(traces, curve.groupby("method", sort=False), strict=True):
        assert trace["mode"] == "lines" and trace["x"] == BUDGETS
        assert trace["y"][:2] == pytest.approx((100 * rows["relative_mse"]).tolist()[:2])
        assert trace["y"][2] is None


def test_points_take_the_colour_of_their_line_and_carry_their_standard_error(curve, simulated):
    traces = drawn(figures.relative_mse(curve, simulated))["data"]
    lines, points = traces[: len(METHODS)], traces[len(METHODS) :]
    assert len(points) == len(METHODS)
    for line, point in zip(lines, points, strict=True):
        assert point["mode"] == "markers" and point["legendgroup"] == line["legendgroup"]
        assert point["marker"]["color"] == point["error_y"]["color"] == line["line"]["color"]
        assert point["error_y"]["array"] == [2, 2] and point["x"] == [5, 50] and not point["showlegend"]


def test_the_budget_is_marked_where_it_is_on_a_logarithmic_axis(curve):
    layout = drawn(figures.relative_mse(curve, budget=50))["layout"]
    assert layout["xaxis"]["type"] == "log"
    (line,), (flag,) = layout["shapes"], layout["annotations"]
    assert line["x0"] == line["x1"] == 50
    assert flag["x"] == pytest.approx(math.log10(50)) and flag["text"] == "M = 50"
    assert not drawn(figures.relative_mse(curve))["layout"].get("shapes")


def test_the_labels_of_the_budget_axis_are_round_and_inside(curve):
    axis = drawn(figures.relative_mse(curve))["layout"]["xaxis"]
    assert axis["tickvals"] == [5, 10, 20, 50, 100, 200, 500]
    assert axis["ticktext"] == ["5", "10", "20", "50", "100", "200", "500"]


def test_methods_differ_in_colour_and_in_a_second_channel():
    styles = list(METHOD_STYLES.values())
    assert len({style.colour for style in styles}) == len({style.label for style in styles}) == len(styles)
    assert len({style.symbol for style in styles}) == len(styles)


@pytest.mark.parametrize("method", METHOD_STYLES)
@pytest.mark.parametrize("background", ["#FFFFFF", "#0E1117"])
def test_colours_stand_out_on_light_and_on_dark(method, background):
    assert contrast(METHOD_STYLES[method].colour, background) >= 3


def table(outcome=True):
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 3, (90, 4)) * (rng.random((90, 1)) < 0.6)
    found = profile(classes)
    strata = found.stratify(3)
    moments = found.moments((rng.random(90) < 0.3).astype(float)).merge(strata.of_level) if outcome else None
    return stratum_table(strata, [5] * strata.n_strata, [0.5] * strata.n_strata, moments)


def test_strata_show_shares_and_spreads_of_the_table():
    frame = table()
    traces = {trace["name"]: trace for trace in drawn(figures.strata(frame))["data"]}
    bars = [trace for trace in traces.values() if trace["type"] == "bar"]
    for bar, share, count in zip(bars, ("share_of_pool", "share_of_budget"), ("items", "labels"), strict=True):
        assert bar["y"] == pytest.approx((100 * frame[share]).tolist())
        assert bar["customdata"] == frame[count].tolist()
    shown = [trace["y"] for trace in traces.values() if trace["type"] != "bar"]
    for column in ("proxy", "sd"):
        assert any(y == pytest.approx(frame[column].tolist()) for y in shown)


def test_without_an_outcome_there_is_one_mark_less():
    with_outcome, without = (len(drawn(figures.strata(table(known)))["data"]) for known in (True, False))
    assert with_outcome == without + 1


def test_a_stratum_is_named_by_its_number_and_its_range():
    assert figures.stratum_name(2, 0.5, 0.5) == "2<br>0.5"
    assert "0.50" in figures.stratum_name(2, 0.5, 0.75) and "0.75" in figures.stratum_name(2, 0.5, 0.75)
    assert "no" in figures.stratum_name(4, math.nan, math.nan)


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


@pytest.mark.parametrize("text", ["<b>bold</b>", "<a href='x'>y</a>", "a & b", "<br>"])
def test_tags_in_text_are_shown_and_not_rendered(text):
    assert "<" not in escaped(text)


def test_fine_strata_are_a_step_line_of_chances_beside_what_is_known():
    frame = merged_table(table())
    chance, uniform, *known = drawn(figures.fine_strata(frame))["data"]
    assert chance["line"]["shape"] == "hv" and chance["x"][0] == 0 and chance["x"][-1] == pytest.approx(100)
    assert chance["y"][:-1] == pytest.approx((100 * frame["inclusion_probability"]).tolist())
    assert uniform["y"] == [pytest.approx(100 * 15 / 90)] * 2
    assert [trace["y"] for trace in known] == [
        pytest.approx(frame[column].tolist()) for column in ("mean_loss", "sd", "consistency")
    ]
    assert len(drawn(figures.fine_strata(merged_table(table(False))))["data"]) == 3
