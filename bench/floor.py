"""A page of one slider and one chart: Streamlit's own, or with ``?own=yes`` ours. For :mod:`bench.bench_chart`."""

from __future__ import annotations

import math

import streamlit as st

from core.figures import style
from pages.parts.views import chart
from pages.parts.widgets.numbers import Dial

_KEY, _LABEL, _MOST = "budget", "Budget M (labels)", 400
_LINES, _POINTS = 6, 40


def figure(budget: int) -> style.Figure:
    """As many lines and points as the main figure of page Explore has, which the budget moves."""
    budgets = [2 * 1.15**step for step in range(_POINTS)]
    lines = [[100 / (1 + line * math.log1p(x * budget) / 30) for x in budgets] for line in range(_LINES)]
    traces = [{"type": "scatter", "mode": "lines+markers", "x": budgets, "y": y} for y in lines]
    return {"data": traces, "layout": style.layout(xaxis={"type": "log"})}


if __name__ == "__main__":
    st.set_page_config(layout="wide")
    if st.query_params.get("own"):
        budget = st.session_state.setdefault(_KEY, 100)
        dial = Dial(parameter=_KEY, label=_LABEL, stops=range(2, _MOST + 1), step=1)
        dial.draw([budget], lambda values: st.session_state.update({_KEY: values[0]}))
        chart.draw(figure(budget), "curve", "The error against the budget.", button=False)
    else:
        budget = st.slider(_LABEL, 2, _MOST, 100)
        st.plotly_chart(figure(budget), key="curve")
