"""What is forecast of the current pool, from what is believed on page Plan: wherever labels are counted."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.errors import NeymanError
from core.figures import planning as figures
from core.planning import (
    Belief,
    Outlook,
    Range,
    SamplingFrame,
    belief,
    curve,
    design_frame,
    from_labels,
    grid,
    measured_auroc,
)
from core.pool import Pool
from pages.parts import controls, frame, prices
from pages.parts.markup import plain
from pages.parts.recommendation import Basis, Recommendation

# What is assumed of a signal where no outcomes are known, other than "typical".
_USUAL = {"agreement": "strong", "column": "weak", "past-results": "past results", "risk": "past results"}


def sampling_frame(pool: Pool, chosen: Recommendation) -> SamplingFrame:
    """Return the frame of a pool along the recommended design's signal."""
    return _of_pool(pool.digest, chosen.basis, pool, chosen)


def measured(pool: Pool, chosen: Recommendation) -> Range | None:
    """Return the signal's AUROC on models whose results are known; None without any."""
    return _measured(pool.digest, chosen.basis.target, chosen.basis.parser, pool)


def auroc_names(known: Range | None, signal: str | None) -> dict[str, str]:
    """Name the choices of an AUROC: what past outcomes show comes first, or else what such a signal is worth."""
    names = dict(controls.AUROC.names)
    if signal in _USUAL:
        names = {_USUAL[signal]: names[_USUAL[signal]], **names}
    return names if known is None else {controls.MEASURED: f"Measured here ({known.middle:.2f})", **names}


def auroc(name: str, known: Range | None) -> str | tuple[float, float]:
    """Return the AUROC that a choice stands for."""
    return (known.low, known.high) if name == controls.MEASURED and known is not None else name


def believed(pool: Pool, chosen: Recommendation) -> Belief:
    """Return what page Plan's controls are set to, or would be at first."""
    known = measured(pool, chosen)
    control = controls.AUROC.of(auroc_names(known, chosen.whole.scheme.signal))
    low, high = controls.BELIEVED.current()
    return belief((low / 100, high / 100), auroc(control.current(), known))


def section(pool: Pool, chosen: Recommendation, labels: int, reached: pd.DataFrame | None = None) -> None:
    """Draw what so many labels will give, with the way to page Plan; nothing where it cannot be forecast.

    Parameters
    ----------
    pool : Pool
        The pool.
    chosen : Recommendation
        The recommended design.
    labels : int
        The budget.
    reached : DataFrame, optional
        Half-widths of labels that came in: labels, half_width.
    """
    try:
        items, beliefs = sampling_frame(pool, chosen), believed(pool, chosen)
        outlook = from_labels(items, beliefs, labels, prices.current())
        table = curve(items, beliefs, grid(items, labels))
    except NeymanError as error:
        st.caption(plain(f"Nothing can be forecast. {error}"))
        return
    st.markdown(f"##### Forecast: {plain(outlook.sentence())}")
    frame.chart(figures.half_widths(table, labels, reached, height=320), "forecast", outlook.sentence())
    st.caption(plain(_rests_on(beliefs, items)))
    frame.step("pages/plan.py", "Change what is believed", ":material/calculate:", **{"plan-for": controls.THIS_POOL})


def verdict(pool: Pool, chosen: Recommendation, labels: int) -> Outlook | None:
    """Return what so many labels should give; None where it cannot be forecast."""
    try:
        return from_labels(sampling_frame(pool, chosen), believed(pool, chosen), labels, prices.current())
    except NeymanError:
        return None


def _rests_on(beliefs: Belief, items: SamplingFrame) -> str:
    accuracy, ranked = beliefs.accuracy, beliefs.auroc
    return (
        f"No outcome is needed for this. It rests on a believed accuracy of {100 * accuracy.low:.0f} to "
        f"{100 * accuracy.high:.0f} % and an AUROC of {ranked.low:.2f} to {ranked.high:.2f} of {items.signal}."
    )


@st.cache_resource(max_entries=6, show_spinner="Sorting the items by what is known …")
def _of_pool(digest: str, basis: Basis, _pool: Pool, _chosen: Recommendation) -> SamplingFrame:
    return design_frame(_pool, _chosen.whole, _chosen.profile)


@st.cache_data(max_entries=12, show_spinner="Measuring the signal on models whose results are known …")
def _measured(digest: str, target: str | None, kind: str | None, _pool: Pool) -> Range | None:
    return measured_auroc(_pool, target, parser=kind)
