"""The recommended design on page Explore, with the paper's beside it, exact."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from core.figures import signal as figures
from core.figures import strata as strata_figures
from core.planning import Partition
from core.pool import Pool
from core.simulation import findings
from core.stratification import Moments, Outcome, Profile, Stratification, merged_table, stratum_table
from core.words import UNKNOWN
from pages.parts import calls, comparison, downloads, forecast, knowledge, recommendation
from pages.parts.app import frame
from pages.parts.explore import chart, race, shown
from pages.parts.recommendation import Recommendation
from pages.parts.widgets import controls

_WORTH_COLUMNS = {
    "signal": st.column_config.TextColumn("Signal"),
    "error": downloads.share("Expected error"),
    "low": downloads.share("From"),
    "high": downloads.share("To"),
    "why": st.column_config.TextColumn("What this rests on"),
    "how": st.column_config.TextColumn("How it is made"),
}


def section(
    pool: Pool, target: str | None, kind: str | None, left: DeltaGenerator, right: DeltaGenerator, gate: bool = False
) -> None:
    """Draw the controls on the left, the figures on the right, and their numbers below.

    ``gate``: the design is the one for a decision that may be looked at after every label.
    """
    with left, frame.errors():
        chosen = recommendation.choose(pool, target, kind, gate)
        outcome = chosen.outcome(pool)
        profile = chosen.profile if outcome is None else outcome.profile
        size = profile.signal.size
        budget = controls.budget(chosen.least(outcome), size)
        strata = chosen.strata(budget, outcome)
        simulate = outcome is not None and controls.SIMULATE.draw()
        trials = controls.TRIALS.draw() if simulate else 0
    moments = None if outcome is None else outcome.moments_in(strata)
    table = _stratum_table(pool, strata, chosen.labels(budget, outcome), profile, moments)
    curve = simulated = None
    kind_of = "for a decision" if gate else "recommended"
    words = "drawn uniformly" if chosen.uniform else f"{kind_of}, along {chosen.signal}"
    setting = chart.Setting(pool, chosen.basis.target, (words,), budget, trials)
    with right:
        if chosen.uniform:
            recommendation.nothing_known()
        if outcome is None:
            shown.no_outcome()
            coarse = Partition(chosen.scheme(budget), strata, profile) if gate else None
            forecast.section(pool, chosen, budget, partition=coarse)
        else:
            shown.partial(outcome)
            curve, gain = comparison.compared(pool, chosen, outcome, budget)
            headline = shown.finding(gain)
            if curve["relative_mse"].notna().any():
                simulated = chart.section(
                    setting,
                    curve,
                    chosen.method,
                    outcome.moments.binary,
                    float(curve["relative_mse"].min()),
                    headline,
                    partial(comparison.simulated, chosen, outcome, curve, budget, trials),
                    calls.is_slow(outcome, trials),
                )
            shown.caution(gain)
            shown.cost(budget)
            if simulated is not None or curve["relative_mse"].notna().any():
                shown.lines(*_explained(pool, trials))
            race.section(outcome, strata, chosen.labels(budget, outcome), chosen.method)
        if strata.by_item:
            _strata(table, chosen, setting)
        if outcome is not None and not chosen.uniform and chosen.whole.scheme.signal != "group":
            _quality(chosen, outcome)
    if not chosen.uniform and (panel := frame.panel("What each signal is worth", "worth", "insights")):
        with panel, frame.errors():
            _worths(pool, chosen)
    shown.numbers(table, moments, curve, simulated)


def _stratum_table(
    pool: Pool, strata: Stratification, labels: NDArray[np.int64], profile: Profile, moments: Moments | None
) -> pd.DataFrame:
    """The strata with what is known of them: consistency and predicted risk where there are such."""
    table = stratum_table(strata, labels, np.full(strata.n_strata, np.nan), moments).drop(columns="proxy")
    if not pool.n_generations:
        table = table.drop(columns="consistency")
    if profile.risk is None:
        return table
    return table.assign(risk=np.bincount(strata.of_level, profile.risk) / strata.sizes)


def _worths(pool: Pool, chosen: Recommendation) -> None:
    """What each signal is worth."""
    st.caption("Before any label: the expected squared error with the same number of labels, Uniform = 100 %.")
    st.dataframe(
        downloads.in_per_cent(knowledge.worths(pool, chosen.basis), ["error", "low", "high"]),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config=_WORTH_COLUMNS,
        alt="Each signal with its expected error, its range, what that rests on, and how it is made.",
    )


def _explained(pool: Pool, trials: int) -> tuple[str, str]:
    points = f"Points: {trials:,} simulated rounds of this design each, with bars of one standard error. "
    paper = (
        "Proxy-Neyman is the paper’s design (five strata, δ = 0.75). Proportional and Oracle-Neyman use its strata; "
        "Oracle-Neyman knows the target’s losses, which nobody has before labelling."
    )
    return points if trials else "", paper if pool.n_generations else ""


def _strata(table: pd.DataFrame, chosen: Recommendation, setting: chart.Setting) -> None:
    merged = merged_table(table)
    shown.strata(strata_figures.fine_strata(merged), setting, merged, findings.fine_finding(table, chosen.signal))
    each = ""
    if len(merged) < len(table):
        each = f"Each step stands for {-(-len(table) // len(merged)):,} neighbouring strata. "
    st.caption(f"{each}Items are sorted along the signal: the riskier one looks, the further right it is.")


def _quality(chosen: Recommendation, outcome: Outcome) -> None:
    """Draw how well the signal ranks the items, and whether its probabilities hold."""
    judged = comparison.judged(chosen, outcome)
    if judged.finding:
        frame.finding(judged.finding)
    if judged.calibration is not None:
        frame.chart(figures.calibration(judged.calibration), "calibration", judged.finding)
        st.caption(
            "One point for about a tenth of the items, with two standard errors up and down. On the dotted line, as "
            "many answers are wrong as predicted. Off it, the design loses precision, and the estimate stays unbiased."
        )
