"""Figures of a result: the frame's intervals, a point if there is none, and marks that are whole."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from plotly.graph_objects import Figure

from core.figures import intervals as charts


@pytest.fixture
def table() -> pd.DataFrame:
    rows = [("This design", 0.7, 0.62, 0.77), ("<script>", 0.68, 0.55, 0.8)]
    return pd.DataFrame(rows, columns=["label", "value", "low", "high"])


def test_without_limits_there_is_a_point_alone(table: pd.DataFrame) -> None:
    drawn = Figure(charts.estimates(table.assign(low=math.nan, high=math.nan), compared=True))
    assert [trace.error_x.visible for trace in drawn.data] == [False, False]
    assert all("no interval yet" in trace.hovertemplate for trace in drawn.data)


@pytest.mark.parametrize(
    ("low", "high", "ends"),
    [
        (0.55, 0.8, (55, 80)),
        (0.62, 0.77, (60, 80)),
        (0.0, 0.04, (0, 4)),
        (0.96, 1.0, (96, 100)),
        (0.05, 0.95, (0, 100)),
    ],
)
def test_the_scale_fits_the_intervals_and_says_where_it_does_not_begin_at_0(
    table: pd.DataFrame, low: float, high: float, ends: tuple[int, int]
) -> None:
    rows = table.assign(value=(low + high) / 2, low=low, high=high)
    axis = Figure(charts.estimates(rows)).layout.xaxis
    assert (axis.tickvals[0], axis.tickvals[-1]) == ends and 3 <= len(axis.tickvals) <= 7
    # Marks at the ends are whole.
    assert axis.range[0] < ends[0] and axis.range[1] > ends[1]
    assert ("not 0" in axis.title.text) == (ends[0] > 0)


def test_without_any_interval_the_scale_is_whole(table: pd.DataFrame) -> None:
    axis = Figure(charts.estimates(table.assign(value=0.7, low=math.nan, high=math.nan))).layout.xaxis
    assert (axis.tickvals[0], axis.tickvals[-1]) == (0, 100)


def test_bars_reach_from_limit_to_limit(table: pd.DataFrame) -> None:
    drawn = Figure(charts.estimates(table, compared=True))
    for trace, row in zip(drawn.data, table.itertuples(), strict=True):
        value, low, high = trace.x[0], trace.error_x.arrayminus[0], trace.error_x.array[0]
        assert (value, value - low, value + high) == pytest.approx((100 * row.value, 100 * row.low, 100 * row.high))
    assert drawn.data[0].marker.color != drawn.data[1].marker.color


@pytest.mark.parametrize("unit", [True, False])
def test_a_value_that_lies_between_two_is_a_bar_from_one_to_the_other(table: pd.DataFrame, unit: bool) -> None:
    between, point = Figure(charts.compared(table.assign(least=[0.66, 0.68], most=[0.74, 0.68]), ["", ""], unit)).data
    scale = 100 if unit else 1
    assert between.mode == "lines+markers" and between.x == pytest.approx((0.66 * scale, 0.74 * scale))
    assert between.x[0] - between.error_x.arrayminus[0] == pytest.approx(0.62 * scale)
    assert between.x[1] + between.error_x.array[1] == pytest.approx(0.77 * scale)
    assert (between.error_x.array[0], between.error_x.arrayminus[1]) == (0, 0)
    assert point.mode == "markers" and point.x == pytest.approx((0.68 * scale,))


def test_names_are_never_markup_and_unknown_values_leave_their_row_empty(table: pd.DataFrame) -> None:
    assert "<script" not in str(charts.estimates(table))
    assert charts.estimates(table.assign(value=math.nan))["data"] == []
    assert Figure(charts.estimates(table, unit=False)).layout.xaxis.range is None


def test_values_are_written_at_the_right_of_their_rows(table: pd.DataFrame) -> None:
    drawn = charts.estimates(table.assign(value=[0.5, math.nan]), written=str)
    notes = drawn["layout"]["annotations"]
    assert [note["text"] for note in notes] == ["0.5"] and all(note["x"] == 1 for note in notes)
    Figure(drawn)


def test_names_and_limits_stand_above_their_bars(table: pd.DataFrame) -> None:
    drawn = charts.compared(table, [f"<b>{row}" for row in range(len(table))])
    notes = drawn["layout"]["annotations"]
    assert [note["text"] for note in notes[1::2]] == [f"&lt;b&gt;{row}" for row in range(len(table))]
    assert [note["y"] for note in notes[::2]] == list(range(len(table)))
    Figure(drawn)
