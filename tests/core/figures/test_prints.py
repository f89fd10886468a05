"""A figure on paper: the marks of the page's figure at their places, under a title, never beyond the plot."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from core.figures import explore, intervals, prints, strata
from core.figures.scales import scale
from core.simulation import in_units

NOTES = ("Pool <b> & co · target m", "H = 5, δ = 0.75 · M = 50 labels", "Lines: exact. Points: simulated, seed 0.")


@pytest.fixture(scope="module")
def figure():
    budgets, methods = [5, 50, 400], ("uniform", "proxy-neyman")
    rows = pd.DataFrame({"method": np.repeat(methods, 3), "budget": budgets * 2})
    rows["relative_mse"] = [1.0, 1.0, 1.0, 0.8, 0.9, 1.9]
    rows["mse"] = 0.25 * rows["relative_mse"] / rows["budget"]
    curve = in_units(rows, 500)
    return explore.relative_mse(curve, None, 50)


def elements(drawing, tag):
    return ET.fromstring(drawing).iter(f"{{http://www.w3.org/2000/svg}}{tag}")


def words(drawing):
    return ["".join(one.itertext()) for one in elements(drawing, "text")]


def test_title_and_notes_are_on_it_as_text(figure):
    drawing = prints.svg(figure, "Error & labels", NOTES)
    assert {"Error & labels", *NOTES, "M = 50"} <= set(words(drawing))
    assert any(text.strip().startswith("Proxy-Neyman 90.0") for text in words(drawing))
    assert [one.text for one in elements(drawing, "title")] == ["Error & labels"]


def test_lines_end_at_the_edge_of_the_plot_and_keep_their_dashes(figure):
    drawing = prints.svg(figure, "Error", NOTES)
    lower = next(one for one in elements(drawing, "path") if one.get("stroke") == "#0072B2")
    heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", lower.get("d"))]
    # 190 % is above the axis, which ends at 120 %: the line is cut there.
    top = next(float(one.get("y1")) for one in elements(drawing, "line") if one.get("stroke") == "#E4E7EB")
    assert min(heights) >= min(top, min(heights)) and len(heights) == 3
    marks = [one for one in elements(drawing, "polygon") if one.get("fill") == "#0072B2"]
    assert len(marks) == 1
    assert any(one.get("stroke-dasharray") for one in elements(drawing, "line"))


def test_bigger_values_stand_higher_and_further_right(figure):
    drawing = prints.svg(figure, "Error")
    xs = [float(one.get("x")) for one in elements(drawing, "text") if "".join(one.itertext()) in ("10", "100")]
    ys = [float(one.get("y")) for one in elements(drawing, "text") if "".join(one.itertext()) in ("0 %", "100 %")]
    assert xs == sorted(xs) and ys == sorted(ys, reverse=True) and len(xs) == len(ys) == 2


def test_bars_are_drawn():
    bars = strata.distribution([0.0, 0.5, 1.0], [6, 3, 1], "Signal")
    heights = [float(one.get("height")) for one in elements(prints.svg(bars, "Signal"), "rect")][1:]
    assert heights == pytest.approx([6 * heights[2], 3 * heights[2], heights[2]], abs=0.5)


def test_intervals_have_caps_names_that_fit_and_ticks_on_the_paper():
    names = ["a" * 28, "Uniform"]
    table = pd.DataFrame({"label": names, "value": [0.7, 0.7], "low": [0.6, np.nan], "high": [0.75, np.nan]})
    drawing = prints.svg(intervals.estimates(table), "Accuracy", NOTES)
    height = float(ET.fromstring(drawing).get("height"))
    places = {"".join(one.itertext()): one for one in elements(drawing, "text")}
    middle = next(elements(drawing, "circle"))
    bars = [one for one in elements(drawing, "line") if one.get("stroke-width") == "3"]
    ends = sorted({float(one.get(end)) for one in bars for end in ("x1", "x2")})
    assert len(bars) == 3 and len(ends) == 2 and len(list(elements(drawing, "circle"))) == 2
    scale_of = (ends[1] - ends[0]) / 0.15
    assert float(middle.get("cx")) == pytest.approx(ends[0] + 0.1 * scale_of, abs=0.2)
    assert float(places["a" * 28].get("x")) >= 6 * 28 and float(places["70\u00a0%"].get("y")) < height
    assert float(places["scale from 60\u00a0%, not 0"].get("y")) < height


def test_pdf_has_letters_and_lines_and_png_three_pixels_for_one(figure):
    document, image = prints.pdf(figure, "Error", NOTES), prints.png(figure, "Error", NOTES)
    assert document.startswith(b"%PDF-") and b"/FontFile" in document and b"/Subtype /Image" not in document
    width, height = (int.from_bytes(image[at : at + 4], "big") for at in (16, 20))
    assert image.startswith(b"\x89PNG") and width == 3 * 760 and height > 3 * 440


def test_scales_have_round_ticks_inside():
    linear = scale({"rangemode": "tozero", "ticksuffix": " %"}, [3.0, 41.0], 100.0, 0.0)
    assert linear.at(0) == 100 and [words for _, words in linear.ticks] == ["0 %", "10 %", "20 %", "30 %", "40 %"]
    log = scale({"type": "log", "range": [0, 2], "tickvals": [1, 10], "ticktext": ["1", "10"]}, [], 0.0, 200.0)
    assert log.at(10) == 100 and np.isnan(log.at(0))
    names = scale({"type": "category"}, ["a", "b", "a"], 0.0, 100.0)
    assert (names.at("a"), names.at("b")) == (25.0, 75.0)
    assert scale({}, [], 0.0, 1.0).ticks


def test_inside_a_page_the_style_sheet_decides_on_the_colours():
    names = ["Ours <b>", "Uniform"]
    table = pd.DataFrame({"label": names, "value": [0.7, 0.7], "low": [0.65, 0.6], "high": [0.75, 0.8]})
    drawing = prints.inline(intervals.compared(table, ["a", "<i>"]), "What <it> says", 560)
    root = ET.fromstring(drawing)
    assert root.get("aria-label") == "What <it> says" and root.get("viewBox").startswith("0 0 560 ")
    colours = {value for one in root.iter() for name in ("fill", "stroke") if (value := one.get(name))}
    assert {"var(--accent)", "var(--soft)", "var(--ink)", "var(--rule)"} <= colours
    assert not {colour for colour in colours if colour.startswith("#")}
    assert {"Ours <b>", "a", "<i>"} <= {"".join(one.itertext()) for one in root.iter("text")}


def test_a_band_lies_between_its_two_lines():
    edge = {"type": "scatter", "mode": "lines", "x": [1, 2, 3], "line": {"width": 0}}
    figure = {
        "data": [edge | {"y": [3, 4, None]}, edge | {"y": [1, 2, None], "fill": "tonexty", "fillcolor": "#123456"}],
        "layout": {"height": 200, "margin": {"l": 0, "r": 0, "t": 0, "b": 0}, "xaxis": {}, "yaxis": {}},
    }
    (band,) = [one for one in elements(prints.svg(figure, "Band"), "polygon") if one.get("fill") == "#123456"]
    corners = [tuple(map(float, corner.split(","))) for corner in band.get("points").split()]
    assert len(corners) == 4 and corners[0][0] == corners[3][0] and corners[1][0] == corners[2][0]
    assert corners[0][1] - corners[3][1] == pytest.approx(corners[1][1] - corners[2][1])
