"""What is forecast of the current pool, from what is believed on page Plan: wherever labels are counted."""

from __future__ import annotations

from hashlib import sha256

import pandas as pd
import streamlit as st

from core.design import Scheme
from core.errors import NeymanError
from core.figures import planning as figures
from core.planning import (
    CHOSEN,
    Belief,
    Outlook,
    Partition,
    Range,
    SamplingFrame,
    belief,
    beside,
    curve,
    design_frame,
    from_labels,
    grid,
    measured_auroc,
)
from core.pool import Pool
from core.signals import SIGNALS
from core.stratification import Profile
from core.words import per_cent
from pages.parts.app import frame
from pages.parts.knowledge import Basis
from pages.parts.markup import plain
from pages.parts.recommendation import Recommendation
from pages.parts.widgets import controls, prices
from pages.parts.widgets.control import Options


def sampling_frame(pool: Pool, chosen: Recommendation, partition: Partition | None = None) -> SamplingFrame:
    """Return the frame of a pool along the recommended design's signal, with strata to be forecast beside it."""
    # Strata of a profile follow from the scheme.
    given = None if partition is None or isinstance(partition.stratum, Profile) else partition.stratum
    digest = "" if given is None else sha256(given.tobytes()).hexdigest()
    scheme = None if partition is None else partition.scheme
    return _of_pool(pool.digest, chosen.basis, scheme, digest, pool, chosen, partition)


def measured(pool: Pool, chosen: Recommendation) -> Range | None:
    """Return the signal's AUROC on models whose results are known; None without any."""
    return _measured(pool.digest, chosen.basis.target, chosen.basis.parser, pool)


def auroc_control(known: Range | None, signal: str | None) -> Options[str]:
    """Name the first choice of an AUROC: what past outcomes show, or else what such a signal is usually worth."""
    usual = f"As usual here ({SIGNALS[signal].auroc:g})" if signal is not None else controls.AUROC.names[controls.USUAL]
    first = usual if known is None else f"Measured here ({known.middle:.2f})"
    return controls.AUROC.with_more({controls.USUAL: first})


def auroc(name: str, known: Range | None, signal: str | None) -> str | tuple[float, float]:
    """Return the AUROC that a choice stands for."""
    if name != controls.USUAL:
        return name
    return (SIGNALS[signal].usual if signal is not None else "typical") if known is None else (known.low, known.high)


def believed(pool: Pool, chosen: Recommendation) -> Belief:
    """Return what page Plan's controls are set to, or would be at first."""
    known = measured(pool, chosen)
    signal = chosen.whole.scheme.signal
    low, high = controls.BELIEVED.current()
    return belief((low / 100, high / 100), auroc(auroc_control(known, signal).current(), known, signal))


def section(
    pool: Pool,
    chosen: Recommendation,
    labels: int,
    reached: pd.DataFrame | None = None,
    partition: Partition | None = None,
) -> None:
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
    partition : Partition, optional
        Strata that the labels are drawn from, where they are not those of the recommended design.
    """
    method = "recommended" if partition is None else CHOSEN
    try:
        items, beliefs = sampling_frame(pool, chosen, partition), believed(pool, chosen)
        outlook = from_labels(items, beliefs, labels, prices.current(), method=method)
        table = curve(items, beliefs, grid(items, labels))
    except NeymanError as error:
        st.caption(plain(f"Nothing can be forecast. {error}"))
        return
    frame.finding(f"Forecast: {plain(outlook.sentence())}")
    frame.chart(figures.half_widths(table, labels, reached, 320, method), "forecast", outlook.sentence())
    st.caption(plain(f"{_rests_on(beliefs, items)}{coinciding(table, method)}"))
    frame.step("pages/plan.py", "Change what is believed", ":material/calculate:", **{"plan-for": controls.THIS_POOL})


def verdict(pool: Pool, chosen: Recommendation, labels: int) -> Outlook | None:
    """Return what so many labels should give; None where it cannot be forecast."""
    try:
        return from_labels(sampling_frame(pool, chosen), believed(pool, chosen), labels, prices.current())
    except NeymanError:
        return None


def coinciding(table: pd.DataFrame, method: str = "recommended") -> str:
    """Write why designs share a line of the figure, with a space before; "" where none do."""
    shared = any(len(group) > 1 for group in figures.alike(table, method))
    return f" Designs that differ by less than {per_cent(figures.ALIKE)} share one line." if shared else ""


def _rests_on(beliefs: Belief, items: SamplingFrame) -> str:
    accuracy, ranked = beliefs.accuracy, beliefs.auroc
    return (
        "± is the half-width of the interval. No outcome is needed for this: it rests on a believed accuracy of "
        f"{100 * accuracy.low:.0f} to {100 * accuracy.high:.0f} % and an AUROC of {ranked.low:.2f} to "
        f"{ranked.high:.2f} of {items.signal}."
    )


@st.cache_resource(max_entries=6, show_spinner="Sorting the items by what is known …")
def _of_pool(
    digest: str,
    basis: Basis,
    scheme: Scheme | None,
    strata: str,
    _pool: Pool,
    _chosen: Recommendation,
    _partition: Partition | None,
) -> SamplingFrame:
    if _partition is not None:
        # Most strata need no items to stand for them but those that stand for the pool.
        known = beside(_of_pool(digest, basis, None, "", _pool, _chosen, None), _partition)
        if known is not None:
            return known
    return design_frame(_pool, _chosen.whole, _chosen.profile, _partition)


@st.cache_data(max_entries=12, show_spinner="Measuring the signal on models whose results are known …")
def _measured(digest: str, target: str | None, kind: str | None, _pool: Pool) -> Range | None:
    return measured_auroc(_pool, target, parser=kind)
