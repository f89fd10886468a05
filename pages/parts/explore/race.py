"""The race on page Explore: two methods draw sample after sample, and histograms of their estimates grow."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.figures import style
from core.prospect import Prospect
from core.words import PER_CENT, counted, per_cent, value, width
from pages.parts import player
from pages.parts.app import frame

_MOUNT = player.component("neyman_race", Path(__file__).with_name("race"))
_ROUNDS = 1000
# Bars of a histogram, about; and standard errors of Uniform on either side that they cover at most.
_BARS, _ERRORS = 45, 4.0


def section(prospect: Prospect) -> None:
    """Draw the race of a design in a panel, with what it finds above it; nothing where nothing varies."""
    budget, method = prospect.budget, prospect.method
    if not prospect.is_exact or not prospect.promise.uniform > 0 or prospect.is_slow(_ROUNDS):
        return
    panel = frame.panel("Watch it against Uniform", "race", "sports_score")
    if panel is None:
        return
    share = prospect.share
    truth = 1 - prospect.truth if share else prospect.truth
    draws = list(prospect.draws(_ROUNDS))
    names = [style.METHOD_STYLES["uniform"].label, style.METHOD_STYLES[method].label]
    tolerance = _rounded(float(np.sqrt(((draws[0] - truth) ** 2).mean())))
    inside = [np.abs(drawn - truth) <= tolerance * (1 + 1e-9) for drawn in draws]
    shares = [float(near.mean()) for near in inside]
    with panel:
        frame.finding(_finding(shares, tolerance, budget, share))
        _draw(draws, inside, names, method, truth, tolerance, budget, share)
        error = width(math.sqrt(max(p * (1 - p) for p in shares) / _ROUNDS), True)
        st.caption(
            f"Simulated: {_ROUNDS:,} rounds of {counted(budget, 'label')} each, drawn by either method from the known "
            f"outcomes. Each bar counts estimates, and the shaded band is ±{width(tolerance, share)} around the truth. "
            f"The shares have a standard error of at most {error}."
        )


def _finding(shares: list[float], tolerance: float, budget: int, share: bool) -> str:
    ours, uniform = per_cent(shares[1]), per_cent(shares[0])
    return (
        f"With {counted(budget, 'label')}, {ours} of this design’s estimates come within ±{width(tolerance, share)} of "
        f"the truth, and {uniform} of Uniform’s"
    )


def _draw(
    draws: list[NDArray[np.float64]],
    inside: list[NDArray[np.bool_]],
    names: list[str],
    method: str,
    truth: float,
    tolerance: float,
    budget: int,
    share: bool,
) -> None:
    """Hand the figure its numbers: the bar of each estimate, and whether it is near the truth."""
    half_range = min(_ERRORS * float(draws[0].std()), max(float(np.abs(drawn - truth).max()) for drawn in draws))
    wide = 2 * half_range / _BARS
    if share:
        # Uniform's estimates are whole numbers of wrong answers: a bar for each so many of them.
        wide = max(1, round(wide * budget)) / budget
    start = truth - half_range if not share else (math.floor((truth - half_range) / wide) - 0.5) * wide
    count = math.ceil((truth + half_range - start) / wide) + 1
    bins = [np.clip(np.floor((drawn - start) / wide + 1e-9), 0, count - 1).astype(int) for drawn in draws]
    if share:
        # People read an accuracy: the same from right to left.
        bins, start, truth = [count - 1 - bar for bar in bins], 1 - start - count * wide, 1 - truth
    scale = 100.0 if share else 1.0
    named = f"{'True accuracy' if share else 'True mean loss'} {value(truth, share)}"
    ends = scale * start, scale * (start + count * wide)
    looks = (style.METHOD_STYLES["uniform"].colour, style.METHOD_STYLES[method].colour)
    _MOUNT(
        key="race-figure",
        data={
            "methods": [
                {"name": name, "colour": look, "bins": bars.tolist(), "inside": "".join(map(str, near.astype(int)))}
                for name, look, bars, near in zip(names, looks, bins, inside, strict=True)
            ],
            "start": ends[0],
            "wide": scale * wide,
            "count": count,
            "near": [scale * (truth - tolerance), scale * (truth + tolerance)],
            "within": f"within ±{width(tolerance, share)}",
            "axis": player.axis(*ends, PER_CENT if share else "", scale * truth, named),
        },
    )


def _rounded(number: float) -> float:
    """A number with one significant digit, so that people remember it."""
    return float(f"{number:.1g}")
