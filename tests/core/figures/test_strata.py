"""Figures of the strata: one quantity a panel, marks where the table says."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from plotly.graph_objects import Figure

from core.figures import strata as figures
from core.stratification import merged_table, profile, stratum_table


def drawn(figure):
    """The figure as the browser gets it."""
    return json.loads(Figure(figure).to_json())


def table(outcome=True):
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 3, (90, 4)) * (rng.random((90, 1)) < 0.6)
    signals = profile(classes)
    strata = signals.stratify(3)
    moments = signals.moments((rng.random(90) < 0.3).astype(float)).merge(strata.of_level) if outcome else None
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


@pytest.mark.parametrize(("chances", "from_zero"), [((0.1, 0.15), False), ((0.05, 0.15), True)])
def test_chances_that_are_alike_fill_their_panel_and_say_that_it_does_not_begin_at_0(chances, from_zero):
    frame = merged_table(table()).head(2).assign(inclusion_probability=chances, labels=[10, 10], items=[100, 100])
    layout = drawn(figures.fine_strata(frame))["layout"]
    assert ("range" in layout["yaxis"]) != from_zero
    low, high = layout["yaxis"].get("range", (0, 15))
    assert 50 * (chances[1] - chances[0]) <= 0.5 * (high - low) <= 100 * (chances[1] - chances[0])
    assert any("not from 0" in note["text"] for note in layout["annotations"]) != from_zero
