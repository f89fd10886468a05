"""The expected precision of the list's labels, on page Label, and the precision that those at hand have reached."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from core.design import Plan
from core.errors import NeymanError
from core.gates import gate_of
from core.pool import Pool
from core.study import Study, reached
from core.words import counted
from pages.parts import prospects
from pages.parts.markup import plain
from pages.parts.views import promises
from pages.parts.widgets import controls, prices

# Beginnings of the list whose half-widths are drawn, at most.
_POINTS = 8


def line(known: Pool, target: str | None, plan: Plan) -> str:
    """Draw what the list promises, in a line; what it costs alone if it cannot be forecast, or takes seconds.

    Returns the half-width that all its labels give, such as “±5.5 points”; "" if that is not known.
    A list with carried verdicts promises what is said where they are chosen, and that of a version gate no accuracy.
    """
    if (own := gate_of(known)) is not None:
        st.markdown(plain(own.selection))
        return ""
    if known.n_items <= prospects.LARGE and plan.design.carried is None:
        with suppress(NeymanError):
            promised = prospects.of(known, target, controls.current_parser(), plan.design.budget).drawn(plan).promise
            st.markdown(plain(promised.statement))
            return promised.brief.partition(",")[0] if promised.half_width > 0 else ""
    if money := prices.of_labels(plan.design.budget):
        st.caption(plain(f"{counted(plan.design.budget, 'label')}: {money}."))
    return ""


def section(known: Pool, target: str | None, study: Study) -> None:
    """Draw what the list promises, with what was reached drawn over it.

    Parameters
    ----------
    known : Pool
        The pool with the answers of targets that were run since.
    target : str or None
        The target.
    study : Study
        The list with its labels.
    """
    design = study.plan.design
    asked = prospects.of(known, target, controls.current_parser(), design.budget)
    promises.section(asked.drawn(study.plan), reached(study.outcomes, _POINTS))
    if design.carried is not None:
        st.caption("As if nothing were carried over.")
    if design.scheme.in_waves:
        st.caption("As if in one wave: the second one follows the labels of the first.")
