"""The race on page Explore: two methods draw sample after sample, and histograms of their estimates grow."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.figures import style
from core.prospect import Prospect
from core.simulation import Race
from core.words import PER_CENT, counted, per_cent, value, width
from pages.parts import player
from pages.parts.app import frame

_MOUNT = player.component("neyman_race", Path(__file__).with_name("race"))
_ROUNDS = 1000


def possible(prospect: Prospect) -> bool:
    """Whether rounds of a design can be simulated while somebody waits, and differ."""
    exact = not prospect.uniform and prospect.is_exact and prospect.varies
    return exact and not prospect.is_slow(_ROUNDS)


def section(prospect: Prospect) -> None:
    """Draw the race of a design for which it is `possible`, with what it finds above it."""
    run, budget, share = prospect.race(_ROUNDS), prospect.budget, prospect.share
    frame.finding(_finding(run))
    _draw(run, prospect.method, share)
    st.caption(
        f"Simulated: {_ROUNDS:,} rounds of {counted(budget, 'label')} each, drawn by either method from the known "
        f"outcomes. Each bar counts estimates. Near means within the shaded band, ±{width(run.tolerance, share)} "
        f"around the truth. The shares have a standard error of at most {width(run.error, True)}."
    )


def _finding(run: Race) -> str:
    uniform, ours = map(per_cent, run.shares)
    return f"{ours} of this design’s estimates come near the truth, {uniform} of Uniform’s"


def _draw(run: Race, method: str, share: bool) -> None:
    """Hand the figure its numbers: the bar of each estimate, and whether it is near the truth."""
    scale = 100.0 if share else 1.0
    named = f"{'True accuracy' if share else 'True mean loss'} {value(run.truth, share)}"
    looks = (style.METHOD_STYLES["uniform"], style.METHOD_STYLES[method])
    _MOUNT(
        key="race-figure",
        data={
            "methods": [
                {
                    "name": look.label,
                    "colour": look.colour,
                    "bins": bars.tolist(),
                    "inside": "".join(map(str, near.astype(int))),
                }
                for look, bars, near in zip(looks, run.bars, run.inside, strict=True)
            ],
            "start": scale * run.start,
            "wide": scale * run.wide,
            "count": run.count,
            "near": [scale * (run.truth - run.tolerance), scale * (run.truth + run.tolerance)],
            "within": f"within ±{width(run.tolerance, share)}",
            "axis": player.axis(
                scale * run.start, scale * run.end, PER_CENT if share else "", scale * run.truth, named
            ),
        },
    )
