"""Charts: the same intervals as the numbers, a point where there is none, and marks that are whole."""

from __future__ import annotations

import math

import pytest

from core.design import Plan
from core.figures import intervals as charts
from core.pool import Pool
from core.report.sentences import remarks
from core.stratification import Profile
from tests.core.report.conftest import made


def test_without_an_interval_there_is_one_remark_and_a_point(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen, first=plan.strata.n_strata)
    said = " ".join(remarks(found))
    assert "no interval yet" in said and "pooled" not in said
    assert found.beside_uniform[["low", "high"]].isna().all(axis=None)
    drawn = charts.estimates(found.beside_uniform, compared=True)
    assert [trace.error_x.visible for trace in drawn.data] == [False, False]
    assert all("no interval yet" in trace.hovertemplate for trace in drawn.data)


def test_marks_at_the_ends_of_the_scale_are_whole(pool: Pool, plan: Plan, seen: Profile) -> None:
    axis = charts.estimates(made(pool, plan, seen).beside_uniform).layout.xaxis
    assert axis.range[0] < 0 and axis.range[1] > 100
    assert (axis.tickvals[0], axis.tickvals[-1]) == (0, 100)


def test_the_figure_of_the_page_shows_the_same_intervals(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen)
    drawn = charts.estimates(found.beside_uniform, compared=True)
    for trace, own in zip(drawn.data, (found.estimate, found.precision.uniform), strict=True):
        value, low, high = trace.x[0], trace.error_x.arrayminus[0], trace.error_x.array[0]
        assert (value, value - low, value + high) == pytest.approx((100 * own.value, 100 * own.low, 100 * own.high))
    assert drawn.data[0].marker.color != drawn.data[1].marker.color
    table = found.groups.rename(columns={"group": "label"})
    assert "<script" not in charts.estimates(table).to_json()
    empty = table.assign(value=math.nan)
    assert len(charts.estimates(empty).data) == 0
    assert charts.estimates(found.beside_uniform, unit=False).layout.xaxis.range is None
