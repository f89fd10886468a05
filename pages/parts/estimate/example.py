"""An example of page Estimate, if no label has come back yet: the practice pool, whose outcomes are known."""

from __future__ import annotations

import streamlit as st

from core.design import Plan, recommend
from core.figures import intervals as charts
from core.labels import of_target
from core.report import sentences
from core.study import Result, Study, labelled
from core.words import counted
from pages.parts.app import frame, kept, state
from pages.parts.estimate.figures import colour_of
from pages.parts.markup import plain

_LABELS, _SEED = 100, 0


def section() -> None:
    """Draw the headline and the interval of an example, named as one."""
    result = kept.once("example", "", _example, "Making an example …")
    with st.container(border=True):
        target = plain(f"“{result.target}” on the practice pool")
        st.caption(f"An example of a result: {target}, {counted(_LABELS, 'label')} of its known outcomes.")
        headline, rests = sentences.finding(result)
        frame.finding(plain(headline))
        st.markdown(plain(f"{rests} {sentences.beside_uniform(result)}"))
        figure = charts.estimates(result.beside_uniform, result.bounded, True, colour_of(result.plan.design.scheme))
        frame.chart(figure, "example-figure", sentences.headline(result))


def _example() -> Result:
    pool = state.practice()
    target = next(iter(pool.targets))
    plan = recommend(pool, _LABELS, target).draw(pool, _SEED)
    return rehearsed(plan, target).result()


def rehearsed(plan: Plan, target: str, parser: str | None = None) -> Study:
    """Label a plan with the outcomes that its pool knows, as if somebody had given them."""
    assert plan.pool is not None
    known = of_target(plan.pool, target, plan.ids.tolist(), parser).rows
    return labelled(plan, known.assign(annotator="rehearsal"), target, "right-wrong")
