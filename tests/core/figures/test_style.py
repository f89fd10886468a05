"""The palette: colours that stand out in both themes, also for colour-blind readers, and text that is never markup."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from core.allocation import METHODS
from core.figures.style import (
    ACCENT,
    CONTRAST,
    CORNERS,
    DASHES,
    GREY,
    INTERVAL_STYLES,
    METHOD_STYLES,
    TRUTH,
    escaped,
    round_budget_axis,
)

# The light and the dark theme of .streamlit/config.toml.
BACKGROUNDS = ("#FFFFFF", "#0E1117")
# Linear RGB as a dichromat sees it: Machado, Oliveira & Fernandes 2009, table 1, severity 1.0.
VISION = {
    "usual": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}
# Linear RGB to CIE XYZ, and the white of D65.
TO_XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
WHITE = (0.95047, 1.0, 1.08883)
# CIE 1976 distance; 2.3 is just noticed.
FAR = 10
# Methods that stand in one figure, by figure.
TOGETHER = {
    "settings": (*METHODS, "recommended"),
    "gate": (*METHODS, "recommended", "gate"),
}


def linear(colour):
    """The shares of red, green and blue light: IEC 61966-2-1."""
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """WCAG 2.2: (L₁ + 0.05) / (L₂ + 0.05) of the luminances, the lighter one above."""
    low, high = sorted(float(linear(colour) @ (0.2126, 0.7152, 0.0722)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def distance(one, other, vision):
    """CIE 1976: the Euclidean distance in L*a*b* of two colours as they are seen."""

    def lab(colour):
        perceived = np.clip(np.array(VISION[vision]) @ linear(colour), 0, 1)
        share = np.array(TO_XYZ) @ perceived / WHITE
        x, y, z = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116)
        return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])

    return float(np.linalg.norm(lab(one) - lab(other)))


def free(names, count=5):
    """Colours that stand out and are told apart from those of these methods that are, the farthest first."""
    taken = []
    for name in names:
        colour = METHOD_STYLES[name].colour
        if all(distance(colour, other, vision) >= FAR for other in taken for vision in VISION):
            taken.append(colour)
    grid = ("#{:02X}{:02X}{:02X}".format(*parts) for parts in product(range(0, 256, 32), repeat=3))
    far = {
        colour: min(distance(colour, other, vision) for other in taken for vision in VISION)
        for colour in grid
        if all(contrast(colour, background) >= 3 for background in BACKGROUNDS)
    }
    return [colour for colour in sorted(far, key=lambda one: -far[one]) if far[colour] >= FAR][:count]


def test_the_formulas_agree_with_known_values():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)
    assert distance("#000000", "#FFFFFF", "usual") == pytest.approx(100, abs=0.01)
    # Red and the green that a deuteranope takes for it.
    assert distance("#D00000", "#6B6B00", "deuteranopia") < distance("#D00000", "#6B6B00", "usual") / 3


def test_methods_differ_in_colour_and_in_a_second_channel():
    styles = list(METHOD_STYLES.values())
    drawn = [CORNERS[style.symbol] for style in styles if style.symbol in CORNERS]
    unused = {"symbol": f"; free: {', '.join(name for name, corners in CORNERS.items() if corners not in drawn)}"}
    for field in ("colour", "label", "symbol"):
        counts = Counter(getattr(style, field) for style in styles)
        twice = [value for value, count in counts.items() if count > 1]
        assert twice == [], f"two methods have one {field}{unused.get(field, '')}"


@pytest.mark.parametrize("name", METHOD_STYLES)
def test_a_method_has_the_same_marker_and_dash_on_paper(name):
    style = METHOD_STYLES[name]
    assert style.symbol in CORNERS, f"choose one of {', '.join(CORNERS)}, or give its corners"
    assert style.dash in ("solid", *DASHES), f"choose “solid” or one of {', '.join(DASHES)}"


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("colour", sorted({one.colour for one in METHOD_STYLES.values()} | {ACCENT, CONTRAST, TRUTH}))
def test_marks_stand_out_on_light_and_on_dark(colour, background):
    """WCAG 1.4.11 asks for 3 : 1; text is in the theme's own colour."""
    assert contrast(colour, background) >= 3


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("names", TOGETHER.values(), ids=TOGETHER)
def test_methods_of_one_figure_are_told_apart_also_by_colour_blind_readers(names, vision):
    near = {
        (one, other): distance(METHOD_STYLES[one].colour, METHOD_STYLES[other].colour, vision)
        for one, other in combinations(names, 2)
    }
    assert {pair: far for pair, far in near.items() if far < FAR} == {}, f"free colours: {', '.join(free(names))}"


@pytest.mark.parametrize("vision", VISION)
def test_the_four_colours_of_other_figures_are_told_apart(vision):
    colours = {ACCENT, CONTRAST, TRUTH, GREY, *(one.colour for one in INTERVAL_STYLES.values())}
    assert min(distance(one, other, vision) for one, other in combinations(colours, 2)) >= FAR


@pytest.mark.parametrize("text", ["<b>bold</b>", "<a href='x'>y</a>", "a & b", "<br>"])
def test_tags_in_text_are_shown_and_not_rendered(text):
    assert "<" not in escaped(text)


@pytest.mark.parametrize(
    ("low", "high", "ticks"), [(20, 500, [20, 50, 100, 200, 500]), (25, 80, [30, 40, 50, 60, 70, 80]), (7, 7, [7])]
)
def test_an_axis_of_budgets_has_round_ticks_and_more_of_them_if_they_are_few(low, high, ticks):
    assert round_budget_axis(pd.Series([low, high]))["tickvals"] == ticks
