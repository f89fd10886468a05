"""Figures of the lab: the frame's values in per cent, one style a method, gaps where nothing is known."""

from __future__ import annotations

import math
import re

import pandas as pd
import pytest
from plotly.graph_objects import Figure

from core.allocation import WAYS
from core.figures import lab as figures
from core.figures.style import ACCENT, INTERVAL_STYLES, METHOD_STYLES, styles
from core.words import INTERVAL_NAMES


def test_every_method_and_interval_has_a_name_and_a_style() -> None:
    assert set(METHOD_STYLES) == set(WAYS) and set(INTERVAL_STYLES) == set(INTERVAL_NAMES)


def test_one_thing_takes_the_accent_and_no_two_look_alike() -> None:
    looks = styles({key: key for key in "abcdef"}, accent="c")
    assert [key for key, look in looks.items() if look.colour == ACCENT] == ["c"]
    assert len({(look.colour, look.dash, look.symbol) for look in looks.values()}) == 6
    many = styles({key: key for key in "abcdefghijklm"}, accent="a").values()
    assert len({(look.colour, look.symbol) for look in many}) == 13, "no two look alike"


def test_simulated_baselines_have_bars_and_the_others_none() -> None:
    exact = pd.DataFrame({"method": "power", "budget": [20, 80], "relative_mse": [0.7, math.nan]})
    simulated = pd.DataFrame(
        {"method": "se-lure", "budget": [20, 80], "relative_mse": [2.0, 1.5], "relative_standard_error": [0.1, 0.05]}
    )
    line, lure = Figure(figures.baselines(exact, simulated)).data
    assert (line.name, list(line.y)) == ("Power", [pytest.approx(70), None]) and line.error_y.array is None
    assert list(lure.y) == [200, 150] and list(lure.error_y.array) == [10, 5]
    assert Figure(figures.baselines(exact)).layout.yaxis.type is None
    axis = Figure(figures.baselines(exact, simulated)).layout.yaxis
    assert axis.type == "log" and 10 ** axis.range[1] > 210, "a bar ends inside"


@pytest.mark.parametrize(("ours", "panels"), [(0.6, 2), (0.88, 1), (1.4, 1)])
def test_a_recommended_design_far_below_the_choices_leaves_no_figure_half_empty(ours: float, panels: int) -> None:
    errors = {"H = 3": [0.9, 0.94], "H = 5": [0.92, 0.95], "recommended": [ours, ours + 0.01]}
    rows = [
        {"variant": name, "label": name, "budget": budget, "relative_mse": value}
        for name, values in errors.items()
        for budget, value in zip((20, 80), values, strict=True)
    ]
    band = pd.DataFrame({"budget": [20, 80], "best": [0.9, 0.94], "largest": [0.91, 0.95]})
    figure = Figure(figures.ablation(pd.DataFrame(rows), "H = 5", band))
    assert ("yaxis2" in figure.layout) == (panels == 2)
    assert [line.yaxis for line in figure.data if line.name == "Recommended"] == ["y2" if panels == 2 else None]
    if panels == 2:
        axes = figure.layout.yaxis, figure.layout.yaxis2
        heights = [(axis.range[1] - axis.range[0]) / (axis.domain[1] - axis.domain[0]) for axis in axes]
        assert heights[0] == pytest.approx(heights[1], rel=0.15), "a point of error is as high in both"
        assert axes[1].range[0] < 60 and axes[1].range[1] > 61


def test_the_map_stars_its_best_cell_and_rings_the_chosen_one() -> None:
    table = pd.DataFrame(
        {
            "n_strata": [2, 2, 3, 3],
            "offset": [0.5, 0.75, 0.5, 0.75],
            "relative_mse": [0.9, 0.8, 0.7, math.nan],
            "noise": [False, True, True, False],
        }
    )
    cells, best, chosen = Figure(figures.heat_map(table, 2, 0.75)).data
    assert [list(row) for row in cells.z] == [[pytest.approx(90), pytest.approx(70)], [pytest.approx(80), None]]
    assert (best.x[0], best.y[0]) == ("3", 0.5) and (chosen.x[0], chosen.y[0]) == ("2", 0.75)
    assert len(figures.heat_map(table, 7, 0.75)["data"]) == 2


def test_a_line_is_around_the_settings_that_are_as_good_as_the_best() -> None:
    near = {(2, 0.75), (3, 0.5), (3, 0.75)}
    at = [(h, d) for h in (2, 3, 4) for d in (0.5, 0.75, 1.5)]
    table = pd.DataFrame(
        {
            "n_strata": [h for h, _ in at],
            "offset": [d for _, d in at],
            "relative_mse": [0.7 if one == (3, 0.75) else 0.8 for one in at],
            "noise": [one in near and one != (3, 0.75) for one in at],
        }
    )
    (line,) = figures.heat_map(table, 2, 0.75)["layout"]["shapes"]
    ends = [re.findall(r"-?[\d.]+", one) for one in line["path"].split("M")[1:]]
    edges = {tuple(sorted({(float(a), float(b)), (float(c), float(d))})) for a, b, c, d in ends}
    # Columns are at 0, 1, 2; rows end at .375, .625, 1.125.
    left, middle, right = -0.5, 0.5, 1.5
    assert edges == {
        ((middle, 0.375), (right, 0.375)),
        ((middle, 0.375), (middle, 0.625)),
        ((left, 0.625), (middle, 0.625)),
        ((left, 0.625), (left, 1.125)),
        ((left, 1.125), (middle, 1.125)),
        ((middle, 1.125), (right, 1.125)),
        ((right, 0.625), (right, 1.125)),
        ((right, 0.375), (right, 0.625)),
    }
    everywhere = table.assign(noise=True)
    assert figures.heat_map(everywhere, 2, 0.75)["layout"].get("shapes", []) == []


def test_names_of_targets_and_signals_are_never_markup() -> None:
    table = pd.DataFrame(
        {
            "surrogate": "own",
            "signal": "<b>",
            "label": "<b>",
            "target": "<i>",
            "budget": [20],
            "relative_mse": [0.8],
            "auroc": [math.nan],
            "spearman": [0.4],
        }
    )
    drawn = Figure(figures.signals(table, 20))
    assert "<b>" not in str(drawn) and "<i>" not in str(drawn)
    assert any(note.text.startswith("Spearman") for note in drawn.layout.annotations)


def test_the_recommended_design_is_a_line_clear_of_both_ends_of_the_axis() -> None:
    row = {"surrogate": "own", "signal": "a", "label": "a", "target": "t", "budget": 20, "auroc": 0.7, "spearman": 0.4}
    low, high = Figure(figures.signals(pd.DataFrame([row | {"relative_mse": 0.8}]), 20, 0.285)).layout.xaxis.range
    assert low < 28 and high > 101


def test_several_targets_are_named_by_their_signs_in_columns_that_fit_a_phone() -> None:
    targets = ["one", "another", "a third", "a fourth", "the fifth target"]
    rows = [
        {"surrogate": "own", "signal": "entropy", "label": "entropy", "target": target, "budget": 20}
        | {"relative_mse": 0.8, "auroc": 0.7, "spearman": 0.4}
        for target in targets
    ]
    drawn, alone = (Figure(figures.signals(pd.DataFrame(some), 20)) for some in (rows, rows[:1]))
    key, title = drawn.layout.annotations[:5], drawn.layout.annotations[5]
    assert [note.text.split("\u00a0", 1)[1] for note in key] == targets
    columns, levels = ([getattr(note, shift) for note in key] for shift in ("xshift", "yshift"))
    assert columns[0] == columns[1] < columns[2] == columns[3] < columns[4] and columns[0] == title.xshift
    assert columns[4] - columns[0] + 100 < 340, "on a phone"
    assert levels == [levels[0], levels[1]] * 2 + [levels[0]] and levels[0] - levels[1] == 15
    assert levels[1] - title.yshift >= 2 * 15, "the title has two rows"
    assert drawn.layout.height - alone.layout.height == levels[0] - title.yshift - 15
    assert not any("one" in note.text.split("<br>")[0] for note in alone.layout.annotations)


def test_of_many_targets_the_chosen_one_alone_has_a_colour() -> None:
    rows = [
        {"surrogate": "own", "signal": "entropy", "label": "entropy", "target": f"t{number}", "budget": 20}
        | {"relative_mse": 0.8, "auroc": 0.7, "spearman": 0.4}
        for number in range(12)
    ]
    drawn = Figure(figures.signals(pd.DataFrame(rows), 20, chosen="t3"))
    accented = [trace.name for trace in drawn.data if trace.marker.color == ACCENT]
    assert len(drawn.data) == 24 and accented == ["t3", "t3"] == [trace.name for trace in drawn.data[-2:]]
    key = [note.text.split("\u00a0", 1)[1] for note in drawn.layout.annotations[:2]]
    assert key == ["t3", "Other targets"]


def rungs() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "rung": ["uniform", "recommended-past"],
            "label": ["Uniform", "Recommended"],
            "budget": 50,
            "relative_mse": [1.0, 0.6],
            "exact": [True, False],
            "error": [0.0, 0.02],
            "why": ["Nothing.", "<b>others</b>"],
        }
    )


def test_the_ladder_draws_a_bar_a_rung_with_the_error_of_what_is_simulated() -> None:
    (bars,) = Figure(figures.ladder(rungs(), 50)).data
    assert list(bars.x) == [100, pytest.approx(60)] and list(bars.y) == ["Uniform", "Recommended"]
    assert bars.error_x.visible and list(bars.error_x.array) == [0, 2]
    assert "<b>" not in str(bars.customdata)
    assert not Figure(figures.ladder(rungs().assign(exact=True), 50)).data[0].error_x.visible


@pytest.mark.parametrize(("pools", "targets", "panels"), [(1, 1, 1), (2, 3, 4), (4, 2, 8), (5, 2, 5), (9, 1, 8)])
def test_pools_stand_side_by_side_on_the_same_axes(pools: int, targets: int, panels: int) -> None:
    table = pd.DataFrame(
        [
            {"digest": f"d{p}", "pool": f"<b>{p}", "target": f"t{t}", "method": m, "budget": b, "relative_mse": 0.9}
            for p in range(pools)
            for t in range(targets)
            for m in ("uniform", "proxy-neyman")
            for b in (50, 100)
        ]
    )
    drawings = [Figure(one) for one in figures.across(table)]
    assert len(drawings) == panels and all(len(one.data) == 2 for one in drawings)
    names = {(one.layout.annotations[-1].text.split(": ")[0]) for one in drawings}
    assert len(names) == panels and not any("<b>" in name for name in names)
    assert len({(one.layout.yaxis.range, one.layout.xaxis.range) for one in drawings}) == 1
    for one in drawings:
        assert one.layout.showlegend is False
        assert {note.text.strip() for note in one.layout.annotations[:-1]} == {"Uniform", "Proxy-Neyman"}


def test_each_interval_is_named_beside_both_of_its_lines() -> None:
    table = [
        {"interval": name, "budget": b, "coverage": 0.9, "coverage_error": 0.02, "width": w, "confidence": 0.95}
        for name, w in (("tilted", 0.2), ("wald", 0.1))
        for b in (50, 100)
    ]
    drawing = Figure(figures.coverage(pd.DataFrame(table)))
    names = [note for note in drawing.layout.annotations if "Wald" in note.text]
    assert [drawing.layout.yaxis2.domain[0] <= note.y <= drawing.layout.yaxis2.domain[1] for note in names] == [
        False,
        True,
    ]
    low, high = drawing.layout.yaxis.range
    assert low < 86 and high > 95 and drawing.layout.yaxis2.range[0] == 0 and drawing.layout.xaxis.anchor == "y2"
    for leader, value, panel in zip(drawing.layout.shapes[-2:], (10, 20), 2 * [drawing.layout.yaxis2], strict=True):
        start, end = panel.domain
        assert leader.y0 == pytest.approx(start + (end - start) * value / panel.range[1])
