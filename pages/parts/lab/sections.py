"""Lab's sections: each a finding, a figure, its table, and the table as CSV."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.figures import lab as figures
from core.lab import ablations, baselines, published, savings, sentences, shown, strata_map
from core.lab import settings as tables
from pages.parts.frame import CONFIG
from pages.parts.lab import calls as lab_calls
from pages.parts.lab import controls as lab_controls
from pages.parts.lab.calls import Seen
from pages.parts.lab.controls import LabSettings
from pages.parts.markup import plain

_WORDS = {
    "allocation": "allocation rules",
    "stratifier": "stratifiers",
    "strata": "numbers of strata",
    "offset": "offsets",
}


def compare_baselines(seen: Seen, settings: LabSettings) -> None:
    """Uniform, the allocation rules, the oracle and LURE."""
    exact = baselines.exact(seen.outcome, seen.budgets, settings.scheme)
    middle = min(seen.budgets, key=lambda budget: (abs(budget - 100), budget))
    finding = sentences.baselines(exact, middle)
    st.markdown(f"##### {plain(finding)}")
    beside, chart = st.empty(), st.empty()
    scores = lab_calls.lure_scores(seen, settings) if settings.lure else {}
    drawn = None
    if scores and exact["relative_mse"].notna().any():
        # The exact lines at once; LURE joins them when it is simulated.
        chart.plotly_chart(figures.baselines(exact), config=CONFIG, key="baselines-exact", alt=finding)
        drawn = lab_calls.lure(seen, settings, scores)
        beside.markdown(plain(sentences.lure(drawn, middle)))
    chart.plotly_chart(figures.baselines(exact, drawn), config=CONFIG, key="baselines", alt=finding)
    note = "Lines through exact values. "
    if drawn is not None:
        trials, clip = settings.trials, settings.clip
        note += f"LURE has no closed form: {trials:,} simulated draws, ± 1 standard error, clip {clip:g}. "
    st.caption(note + "Below 100 %: fewer labels than Uniform for the same precision.")
    if settings.lure and "pe-lure" not in scores:
        st.caption(plain(baselines.PE_LACKS))
    frame = exact if drawn is None else pd.concat([exact, drawn], ignore_index=True)
    _table(shown.baselines(exact, drawn), "Relative MSE of every baseline, in % of Uniform’s.")
    _csv("Baselines as CSV", frame, "neyman-lab-baselines.csv")


def save_labels(seen: Seen, settings: LabSettings) -> None:
    """Labels saved at equal error, both ways."""
    table = savings.savings(seen.outcome, seen.budgets, settings.scheme)
    st.markdown(f"##### {plain(sentences.savings(table))}")
    st.plotly_chart(
        figures.savings(table), config=CONFIG, key="savings", alt="Labels saved by each method against the budget."
    )
    st.caption(f"Exact. {shown.SAVINGS_NOTE}")
    with _beside():
        with st.container(width=520):
            st.markdown("**Your pool**")
            _table(shown.savings(table), "Labels needed and saved by each method.")
            _csv("Savings as CSV", table, "neyman-lab-savings.csv")
        with st.container(width=560):
            st.markdown("**As published**, on other pools")
            _table(shown.published_savings(published.savings()), "The paper’s label savings.")
            st.caption("From the paper’s simulated curves, T = 3,000.")


def ablate(seen: Seen, settings: LabSettings, name: str) -> None:
    """One of the paper's tables of ablations, the published one beside it."""
    columns = tables.variants(name, settings.scheme)
    exact = ablations.exact(seen.outcome, columns, seen.budgets)
    marks = ablations.marked(exact)
    own = next(v.key for v in columns if v.scheme == settings.scheme)
    finding, band = sentences.ablation(marks), ablations.band(marks)
    st.markdown(f"##### {plain(finding)}")
    chart = st.empty()
    chart.plotly_chart(figures.ablation(exact, own, band), config=CONFIG, key=f"{name}-exact", alt=finding)
    drawn = None
    if settings.simulate and exact["relative_mse"].notna().any():
        drawn = lab_calls.simulated(seen, settings, name)
        chart.plotly_chart(figures.ablation(exact, own, band, drawn), config=CONFIG, key=name, alt=finding)
    points = (
        f" Points: {settings.trials:,} simulated rounds of labelling each, ± 1 standard error."
        if drawn is not None
        else ""
    )
    st.caption(
        f"Lines through exact values.{points} Grey: what a simulation of 3,000 trials could not tell from the best."
    )
    simulated = drawn is not None
    with _beside():
        with st.container(width="stretch" if simulated else _width(len(columns))):
            st.markdown("**Your pool**, relative MSE in %, exact" + (" (simulated)" if simulated else ""))
            _table(shown.ablation(marks, drawn), f"Relative MSE of the {_WORDS[name]} on this pool.")
            _csv(f"Table of {_WORDS[name]} as CSV", ablations.joined(exact, marks, drawn), f"neyman-lab-{name}.csv")
        with st.container(width=_width(len(published.columns(name)))):
            st.markdown("**As published**, on another pool, simulated")
            marked = published.marked(name)
            _table(shown.ablation(marked), f"The paper’s table of {_WORDS[name]}.")
            st.caption(plain(f"{published.POOL}; T = 3,000. {sentences.ablation(marked)}"))
    st.caption(plain(f"{shown.noise_note()} In brackets: infeasible, never best or worst."))


def map_strata_and_offset(seen: Seen, settings: LabSettings) -> None:
    """Every H with every δ at one budget."""
    heading = st.empty()
    budget = lab_controls.map_budget(seen.budgets)
    table = strata_map.exact(seen.outcome, budget, settings.scheme)
    heading.markdown(
        f"##### {plain(sentences.heat_map(table, budget, settings.scheme.n_strata, settings.scheme.offset))}"
    )
    if table["relative_mse"].notna().any():
        st.plotly_chart(
            figures.heat_map(table, settings.scheme.n_strata, settings.scheme.offset),
            config=CONFIG,
            key="map",
            alt="Relative MSE for each number of strata and offset.",
        )
        st.caption(plain(f"Exact, M = {budget:,}. {shown.noise_note().replace('row’s', 'map’s')}"))
    drawn = None
    if settings.simulate and table["relative_mse"].notna().any():
        drawn = lab_calls.simulated_map(seen, settings, budget)
        st.caption(f"In brackets: simulated, {settings.trials:,} rounds of labelling each, ± 1 standard error.")
    _table(shown.heat_map(table, drawn), "Relative MSE in % of Uniform’s for each H and δ.")
    whole = table if drawn is None else table.merge(drawn, on=["n_strata", "offset"], how="left")
    _csv("Map as CSV", whole.assign(budget=budget), "neyman-lab-map.csv")


def cover_intervals(seen: Seen, settings: LabSettings) -> None:
    """How often each interval is right, and how wide it is."""
    if ((seen.outcome.losses < 0) | (seen.outcome.losses > 1)).any():
        st.info("These intervals are for losses between 0 and 1; this target has others.", icon=":material/info:")
        return
    table = lab_calls.coverage(seen, settings)
    middle = min(seen.budgets, key=lambda budget: (abs(budget - 100), budget))
    finding = sentences.coverage(table, middle)
    st.markdown(f"##### {plain(finding)}")
    st.plotly_chart(figures.coverage(table), config=CONFIG, key="coverage", alt=finding)
    st.caption(
        f"Simulated: {int(table['trials'].iloc[0]):,} samples of the design at each budget, ± 2 standard errors. "
        "Above the line an interval is right more often than it promises, and wider than it need be. "
        + sentences.widened(table)
    )
    _table(shown.coverage(table), "Coverage and mean width of each interval.")
    _csv("Coverage as CSV", table, "neyman-lab-coverage.csv")


def compare_signals(seen: Seen, settings: LabSettings) -> None:
    """Every signal of every surrogate, against every target."""
    heading = st.empty()
    budget = lab_controls.map_budget(seen.budgets)
    table = lab_calls.signals(seen, settings)
    heading.markdown(f"##### {plain(sentences.signals(table, budget, seen.target))}")
    st.plotly_chart(
        figures.signals(table, budget),
        config=CONFIG,
        key="signals",
        alt="Relative MSE and rank quality of each signal and target.",
    )
    st.caption(
        "Left: exact error after stratifying on the signal, left of 100 % is better than Uniform. Right: how well the "
        "signal ranks the items by loss. More surrogates: keys `generations:<name>` in the pool, lists like "
        "`generations`; more signals: any numeric column."
    )
    _table(shown.signals(table), "Rank quality and relative MSE of each signal and target.")
    _csv("Signals as CSV", table, "neyman-lab-signals.csv")


def _beside() -> DeltaGenerator:
    """Tables in one row where there is room, else below each other."""
    return st.container(horizontal=True, gap="small")


def _width(columns: int) -> int:
    """Pixels that a table of so many columns needs."""
    return 400 if columns <= 4 else 560


def _table(cells: pd.DataFrame, alt: str) -> None:
    st.dataframe(cells.style.map(_colour), hide_index=True, alt=alt)


def _colour(cell: object) -> str:
    """Colour for what the cell's own words say."""
    text = str(cell)
    if "best" in text:
        return "color: #009E73; font-weight: 600"
    return "color: #D55E00" if "worst" in text else ""


def _csv(label: str, table: pd.DataFrame, name: str) -> None:
    st.download_button(
        label, lambda: table.to_csv(index=False), name, "text/csv", on_click="ignore", icon=":material/download:"
    )
