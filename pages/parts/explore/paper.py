"""The paper's design on page Explore: every parameter, every method, exact and simulated."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from streamlit.delta_generator import DeltaGenerator

from core.figures import strata as figures
from core.prospect import Prospect
from core.simulation import findings
from core.stratification import STRATIFIERS
from pages.parts import guarded
from pages.parts.app import frame
from pages.parts.explore import chart, race, shown
from pages.parts.views import promise
from pages.parts.widgets import controls


def section(prospect: Prospect, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Draw the controls on the left, the figures on the right, and their numbers below."""
    with left, frame.errors():
        scheme = controls.scheme(prospect.question.parser)
        prospect = prospect.asking(replace(prospect.question, scheme=scheme))
        prospect = prospect.at(controls.budget(prospect.least, prospect.n_items))
        known = prospect.known
        simulate = known is not None and controls.SIMULATE.draw()
        trials = controls.TRIALS.draw() if simulate else 0
    words = (STRATIFIERS[scheme.stratifier].title, f"H = {scheme.n_strata}", f"δ = {scheme.offset:g}")
    setting = chart.Setting(prospect.pool, prospect.question.target, words, prospect.budget, trials)
    table, curve, simulated = prospect.table, None, None
    with right:
        if known is None:
            shown.no_outcome()
            promise.section(prospect)
            guarded.warn(prospect.guard)
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
                    prospect.smallest_error(controls.STRATA.high),
                    promised.headline,
                    partial(prospect.rounds, trials),
                    prospect.is_slow(trials),
                )
            shown.caution(promised)
            shown.cost(prospect.budget)
            guarded.warn(prospect.guard)
            shown.lines(
                f"Points: {trials:,} simulated rounds of labelling each, with bars of one standard error. "
                if simulated is not None
                else "",
                "Oracle-Neyman knows the target’s losses, which nobody has before labelling.",
            )
            race.section(prospect)
        finding = findings.strata_finding(table, scheme.n_strata)
        shown.strata(figures.strata(table), setting, table, finding)
    shown.numbers(table, prospect, curve, simulated)
