"""The figures of page Estimate, each with its files: an image for a paper, and its numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from core.design import Plan, Scheme, recommend
from core.figures import intervals, style
from core.labels import of_target
from core.report import sentences
from core.study import Result, Study, labelled
from core.words import counted, level
from pages.parts import downloads
from pages.parts.app import frame, kept, state
from pages.parts.app.frame import chart
from pages.parts.markup import plain


def show(
    study: Study,
    key: str,
    draw: Callable[[], style.Figure],
    words: str,
    title: str,
    table: Callable[[], pd.DataFrame],
    with_files: bool = True,
) -> None:
    """Draw a figure and, below it, a panel with its files.

    Parameters
    ----------
    study : Study
        What it is about.
    key : str
        Of the figure; its files are named after it.
    draw : callable
        Makes the figure.
    words : str
        What it says.
    title : str
        What stands above it on paper.
    table : callable
        Makes the table of its numbers.
    with_files : bool
        Whether its files are offered here; otherwise `files` does elsewhere.
    """
    chart(draw(), key, words, button=False)
    if with_files:
        files(study, key, draw, title, table)


def files(
    study: Study, key: str, draw: Callable[[], style.Figure], title: str, table: Callable[[], pd.DataFrame]
) -> None:
    """Draw the panel with a figure's files; parameters as of `show`."""
    name = downloads.slug("neyman", study.pool.name, study.plan.plan_id, key.removesuffix("-figure"))
    downloads.figure(key, draw, title, _notes(study), name, partial(_with_source, study, table))


def colour_of(scheme: Scheme) -> str:
    """The colour that the design's method has on every page."""
    return style.METHOD_STYLES[scheme.method].colour


def _notes(study: Study) -> tuple[str, ...]:
    sure = f"Bars: {level(study.labels.interval.confidence)} intervals"
    return (
        downloads.subject(study.pool, study.target),
        f"Plan {study.plan.plan_id} · {counted(len(study.outcomes.table), 'label')}",
        f"{sure}, computed from these labels; nothing is simulated.",
    )


def _with_source(study: Study, table: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """The numbers, each row with where it comes from."""
    return table().assign(pool=study.pool.name, plan=study.plan.plan_id, confidence=study.labels.interval.confidence)


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
        figure = intervals.estimates(result.beside_uniform, result.unit, True, colour_of(result.plan.design.scheme))
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
