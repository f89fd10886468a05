"""The recommended design on page Explore, with the paper's beside it, exact."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.figures import signal as figures
from core.figures import strata as strata_figures
from core.prospect import Prospect
from core.simulation import findings
from core.stratification import merged_table
from core.study import Pilot
from core.words import UNKNOWN
from pages.parts import downloads
from pages.parts.app import frame
from pages.parts.explore import chart, race, shown
from pages.parts.markup import plain
from pages.parts.views import promise
from pages.parts.widgets import basis, controls

_WORTH_COLUMNS = {
    "signal": st.column_config.TextColumn("Signal"),
    "error": downloads.share("Expected error"),
    "low": downloads.share("From"),
    "high": downloads.share("To"),
    "why": st.column_config.TextColumn("What this rests on"),
    "how": st.column_config.TextColumn("How it is made"),
}


def section(
    prospect: Prospect, left: DeltaGenerator, right: DeltaGenerator, gate: bool = False, earlier: Pilot | None = None
) -> None:
    """Draw the controls on the left, the figures on the right, and their numbers below.

    ``gate`` and ``earlier``: as in `basis.choose`.
    """
    with left, frame.errors():
        prospect = basis.choose(prospect, gate, earlier)
        prospect = prospect.at(controls.budget(prospect.least, prospect.n_items))
        known = prospect.known
        simulate = known is not None and controls.SIMULATE.draw()
        trials = controls.TRIALS.draw() if simulate else 0
    kind_of = "for a decision" if gate else "recommended"
    words = "drawn uniformly" if prospect.uniform else f"{kind_of}, along {prospect.signal}"
    setting = chart.Setting(prospect.pool, prospect.question.target, (words,), prospect.budget, trials)
    table, curve, simulated = prospect.table, None, None
    with right:
        if prospect.uniform:
            basis.nothing_known()
        if known is None:
            shown.no_outcome()
            promise.section(prospect)
        else:
            shown.partial(known)
            curve, promised = prospect.curve(), prospect.promise
            frame.finding(promised.headline)
            if curve["relative_mse"].notna().any():
                simulated = chart.section(
                    setting,
                    curve,
                    prospect.method,
                    prospect.share,
                    float(curve["relative_mse"].min()),
                    promised.headline,
                    partial(prospect.rounds, trials),
                    prospect.is_slow(trials),
                )
            shown.caution(promised)
            shown.cost(prospect.budget)
            if simulated is not None or curve["relative_mse"].notna().any():
                shown.lines(*_explained(prospect, trials))
            race.section(prospect)
        if prospect.strata.by_item:
            _strata(prospect, setting)
        if known is not None and not prospect.uniform and prospect.whole.scheme.signal != "group":
            _quality(prospect)
    if not prospect.uniform and (panel := frame.panel("What each signal is worth", "worth", "insights")):
        with panel, frame.errors():
            _worths(prospect)
    shown.numbers(table, prospect, curve, simulated)


def _worths(prospect: Prospect) -> None:
    """What each signal is worth."""
    st.caption("Before any label: the expected squared error with the same number of labels, Uniform = 100 %.")
    st.dataframe(
        downloads.in_per_cent(prospect.signals, ["error", "low", "high"]),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config=_WORTH_COLUMNS,
        alt="Each signal with its expected error, its range, what that rests on, and how it is made.",
    )


def _explained(prospect: Prospect, trials: int) -> tuple[str, str]:
    points = f"Points: {trials:,} simulated rounds of this design each, with bars of one standard error. "
    paper = (
        "Proxy-Neyman is the paper’s design (five strata, δ = 0.75). Proportional and Oracle-Neyman use its strata; "
        "Oracle-Neyman knows the target’s losses, which nobody has before labelling."
    )
    return points if trials else "", paper if prospect.pool.n_generations else ""


def _strata(prospect: Prospect, setting: chart.Setting) -> None:
    table = prospect.table
    merged = merged_table(table)
    finding = findings.fine_finding(table, plain(prospect.signal))
    shown.strata(strata_figures.fine_strata(merged), setting, merged, finding)
    each = ""
    if len(merged) < len(table):
        each = f"Each step stands for {-(-len(table) // len(merged)):,} neighbouring strata. "
    st.caption(f"{each}Items are sorted along the signal: the riskier one looks, the further right it is.")


def _quality(prospect: Prospect) -> None:
    """Draw how well the signal ranks the items, and whether its probabilities hold."""
    judged = prospect.quality
    if judged.finding:
        frame.finding(judged.finding)
    if judged.calibration is not None:
        frame.chart(figures.calibration(judged.calibration), "calibration", judged.finding)
        st.caption(
            "One point for about a tenth of the items, with two standard errors up and down. On the dotted line, as "
            "many answers are wrong as predicted. Off it, the design loses precision, and the estimate stays unbiased."
        )
