"""A judge that grades: the corrected mean with its calibration and the next step, and tabs for the rest."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.figures import intervals
from core.judge import NOT_TRUSTED, TRUSTED, JudgeGrades, grades_json, grades_markdown, judging_of, labels_by_grade
from core.report import judge_grades_bundle, judge_grades_html
from core.words import counted, listed
from pages.parts import downloads
from pages.parts.app import frame, state
from pages.parts.judge import sections
from pages.parts.judge.controls import GOOD_FROM, MOST_BIAS, PART
from pages.parts.judge.inputs import GradesQuestion
from pages.parts.markup import plain


def answer(asked: GradesQuestion) -> None:
    """Draw the corrected mean beside the judge's own, people's mean by its grade, and the next step."""
    result = asked.result
    if result is None:
        scale = judging_of(asked.plan).scale
        frame.finding(plain(f"Grade {counted(asked.plan.ids.size, 'item')} to see how far the judge is off"))
        shares = [f"{count:,} of {grade}" for grade, count in labels_by_grade(asked.plan).items()]
        st.caption(plain(f"Grades from {scale}. Labels by the judge’s grade: {listed(shares)}; people do not see it."))
    else:
        headline, *others = result.lines
        frame.finding(plain(headline), plain(result.title))
        figure = intervals.calibration(result.calibration, result.scale)
        frame.chart(figure, "judge-calibration", "People’s mean grade by the judge’s grade.")
        st.markdown(plain(" ".join(others)))
        if result.study.outcomes.weights_line:
            st.caption(plain(result.study.outcomes.weights_line))
    sections.ask_whom(asked)
    with st.container(horizontal=True):
        sections.to_label(asked)
        if result is not None:
            _download(asked, result, "Report (HTML)", "-report.html", "text/html", _html)


def details(asked: GradesQuestion) -> None:
    """Draw a tab for all that there is more."""
    parts: dict[str, tuple[str, Callable[[], None]]] = {}
    if asked.result is not None:
        parts["grades"] = "", partial(_calibration, asked, asked.result)
    parts["list"] = "", partial(sections.the_list, asked)
    frame.tabs(PART, parts)


def _calibration(asked: GradesQuestion, result: JudgeGrades) -> None:
    """Draw what is decided, the calibration as a table, reservations, and the files."""
    good = result.study.outcomes.good_from
    with st.container(horizontal=True):
        if good is not None:
            GOOD_FROM.draw(f"{good:g}")
        most = MOST_BIAS.draw("nothing is decided")
    if most:
        verdict, _, why = result.decision(most).partition(": ")
        is_good = {TRUSTED: True, NOT_TRUSTED: False}.get(verdict.lower())
        frame.verdict(verdict.capitalize(), is_good, plain(why))
    st.dataframe(result.shown(), hide_index=True, width="content", alt="People’s mean by the judge’s grade.")
    for remark in result.remarks:
        st.caption(plain(remark))
    with st.container(horizontal=True):
        for file in _FILES:
            _download(asked, result, *file)
        downloads.csv("Calibration as CSV", lambda: result.calibration.to_csv(index=False), "neyman-judge.csv")


_Write = Callable[[JudgeGrades, float | None], str | bytes]


def _html(result: JudgeGrades, most: float | None) -> str:
    return judge_grades_html(result, most, state.made())


def _bundle(result: JudgeGrades, most: float | None) -> bytes:
    return judge_grades_bundle(result, most, state.made(), f"neyman-{result.study.plan.plan_id}.zip")


_FILES: tuple[tuple[str, str, str, _Write], ...] = (
    ("Summary as Markdown", ".md", "text/markdown", grades_markdown),
    ("All numbers as JSON", ".json", "application/json", grades_json),
    ("Bundle to reproduce it", ".zip", "application/zip", _bundle),
)


def _download(asked: GradesQuestion, result: JudgeGrades, title: str, ending: str, mime: str, write: _Write) -> None:
    """Draw the button of a file; that of the report is filled if it is the next step."""
    most = MOST_BIAS.value or None
    st.download_button(
        title,
        partial(write, result, most),
        f"neyman-{result.study.plan.plan_id}{ending}",
        mime,
        on_click="ignore",
        type="primary" if write is _html and not asked.to_label else "secondary",
        icon=":material/download:",
    )
