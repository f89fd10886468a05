"""The strata on page Explore: their shares of pool and labels, and what they rest on."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.figures import strata as figures
from core.figures import strata as signals
from core.figures import style
from core.prospect import Prospect
from core.simulation import findings
from core.stratification import merged_table
from pages.parts import downloads
from pages.parts.app import frame
from pages.parts.explore.chart import Setting
from pages.parts.explore.designs import Designs
from pages.parts.markup import plain


def section(designs: Designs) -> None:
    """Draw the strata of the design that Label draws, and how well its signal ranks the items."""
    drawn, setting = designs.drawn, Setting.of(designs)
    if drawn.strata.by_item:
        _fine(drawn, setting)
    elif not drawn.uniform:
        table = drawn.table
        heading = findings.strata_finding(table, drawn.scheme.n_strata)
        _figure(figures.strata(table), setting, table, heading)
    if drawn.known is not None and not drawn.uniform and drawn.strata.by_item and drawn.whole.scheme.along.ordered:
        _quality(drawn)


def _fine(drawn: Prospect, setting: Setting) -> None:
    table = drawn.table
    merged = merged_table(table)
    _figure(figures.fine_strata(merged), setting, merged, findings.fine_finding(table, plain(drawn.signal)))
    each = ""
    if len(merged) < len(table):
        each = f"Each step stands for {-(-len(table) // len(merged)):,} neighbouring strata. "
    st.caption(f"{each}Items are sorted along the signal: the riskier one looks, the further right it is.")


def _figure(figure: style.Figure, setting: Setting, table: pd.DataFrame, heading: str) -> None:
    """Draw the figure with its files below its finding."""
    frame.headline(heading)
    frame.chart(figure, "strata-figure", heading, button=False)
    title = "Strata: share of the pool and of the labels, and what it rests on"
    notes = (*setting.notes[:2], "Exact: nothing here is simulated, and no seed is needed.")
    downloads.figure("strata", lambda: figure, title, notes, setting.file("strata"), lambda: table)


def _quality(drawn: Prospect) -> None:
    """Draw how well the signal ranks the items, and whether its probabilities hold."""
    judged = drawn.quality
    if judged.finding:
        frame.headline(judged.finding)
    if judged.calibration is not None:
        frame.chart(signals.calibration(judged.calibration), "calibration", judged.finding)
        st.caption(
            "Each point is a group of items with similar predictions: about a tenth of the items, or more if "
            "predictions are equal, with two standard errors up and down. On the dotted line, as many answers are "
            "wrong as predicted. Off it, the design loses precision; the estimate stays unbiased."
        )
