"""The promise of labels, with its figure: wherever labels are counted."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.errors import NeymanError
from core.figures import planning as figures
from core.prospect import Prospect
from core.words import level
from pages.parts.app import frame
from pages.parts.markup import meanings, plain
from pages.parts.plan.controls import THIS_POOL


def section(prospect: Prospect, reached: pd.DataFrame | None = None) -> None:
    """Draw what the labels promise, with the way to page Plan; nothing if it cannot be forecast.

    Parameters
    ----------
    prospect : Prospect
        The pool, the question and the budget.
    reached : DataFrame, optional
        Half-widths of labels that came in: labels, half_width.
    """
    try:
        promise, table = prospect.promise, prospect.half_width_curve()
    except NeymanError as error:
        st.caption(plain(f"Nothing can be forecast. {error}"))
        return
    frame.finding(plain(promise.title))
    st.markdown(plain(promise.statement), help=meanings(promise.statement))
    figure(prospect, table, 320, reached)
    shared = figures.shared_lines(table, prospect.forecast_method)
    st.caption(plain(f"{meaning(prospect)} {promise.rests_on} {shared}".rstrip()))
    if not promise.exact:
        way = {"plan-for": THIS_POOL}
        frame.step("pages/plan.py", "Change the assumptions", ":material/calculate:", **way)


def figure(prospect: Prospect, table: pd.DataFrame, height: int, reached: pd.DataFrame | None = None) -> None:
    """Draw half-widths against labels; nothing if losses are no shares, which have no points."""
    if prospect.share:
        method, ranges = prospect.forecast_method, prospect.promise.ranges
        drawn = figures.half_widths(table, prospect.budget, reached, height, method, ranges)
        frame.chart(drawn, "forecast", prospect.promise.sentence)


def meaning(prospect: Prospect) -> str:
    """Write what "±" means."""
    return f"± is the half-width of the {level(prospect.question.confidence)} interval."
