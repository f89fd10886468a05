"""After labels: one sentence, the figure, the confusion table, the verdict, and the failures to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pandas as pd
import streamlit as st

from core.figures import intervals
from core.judge import (
    JudgeDecision,
    Judgement,
    as_json,
    criteria_rows,
    figure_table,
    markdown,
    pair_rows,
    rows_of,
)
from core.report import judgement_bundle, judgement_html
from core.words import PER_CENT, counted
from pages.parts import downloads
from pages.parts.app import frame, state
from pages.parts.judge import before
from pages.parts.judge.inputs import JudgeQuestion
from pages.parts.markup import plain

_NUMBER, _TEXT = st.column_config.NumberColumn, st.column_config.TextColumn
_CONFUSION = {
    "judge": _TEXT("The judge says"),
    "people": _TEXT("People say"),
    "labels": _NUMBER("Labels", format="localized"),
    "share": downloads.share("Share of the pool, weighted"),
    "items": _NUMBER("Items, weighted", format="%.0f"),
}
# The judge's reason stands beside what people say.
_READ = {
    "what": _TEXT("What", pinned=True),
    "item_id": _TEXT("Item"),
    "judge": _TEXT("Judge"),
    "people": _TEXT("People"),
    "reason": _TEXT("The judge’s reason"),
    "note": _TEXT("People’s note"),
    "group": _TEXT("Group"),
    "prompt": _TEXT("Question"),
    "output": _TEXT("Answer"),
}


def section(asked: JudgeQuestion, result: Judgement) -> None:
    """Draw what the labels say of the judge."""
    decision = result.decide(asked.tpr, asked.tnr)
    headline, others = result.lines_of(decision)
    against = before.decided(asked)
    if against is None and asked.is_known:
        # The verdict of all items stands above.
        some = f"How close a sample comes, with {counted(result.n_labels, 'label')} alone:"
        st.markdown(plain(f"{some} {headline} {others}"))
    elif against is None:
        frame.finding(plain(headline))
        st.markdown(plain(others))
        before.verdict(decision)
    else:
        # What the file knows of all items is the headline.
        st.markdown(
            plain(f"{against.disagreement(asked.known, result.labels)} By the labels alone: {headline} {others}")
        )
    drawn = intervals.rates(figure_table(result, asked.tpr, asked.tnr))
    frame.chart(drawn, "judge-rates", result.sentence)
    st.caption(plain(f"{result.title}. Bars are 95{PER_CENT} intervals; dotted lines are what the judge has to reach."))
    for remark in result.remarks:
        st.caption(plain(remark))
    _files(result, decision)
    _criteria(asked)
    _compared(result)
    _numbers(result)
    _failures(result)
    _groups(result)


def _files(result: Judgement, decision: JudgeDecision) -> None:
    """Draw the report and all numbers as files."""
    name = f"neyman-{result.study.plan.plan_id}"
    files: tuple[tuple[str, Callable[[], str | bytes], str, str], ...] = (
        ("Report (HTML)", lambda: judgement_html(result, decision, state.made()), f"{name}-report.html", "text/html"),
        ("Summary as Markdown", lambda: markdown(result, decision), "neyman-judge.md", "text/markdown"),
        ("All numbers as JSON", lambda: as_json(result, decision), "neyman-judge.json", "application/json"),
        (
            "Bundle to reproduce it",
            lambda: judgement_bundle(result, decision, state.made(), f"{name}.zip"),
            f"{name}.zip",
            "application/zip",
        ),
    )
    with st.container(horizontal=True):
        for place, (title, write, file, mime) in enumerate(files):
            look: Literal["primary", "secondary"] = "secondary" if place else "primary"
            st.download_button(title, write, file, mime, on_click="ignore", type=look, icon=":material/download:")
        downloads.csv("Numbers as CSV", lambda: result.measures_frame().to_csv(index=False), "neyman-judge.csv")


def _criteria(asked: JudgeQuestion) -> None:
    """Draw all criteria beside each other."""
    if not asked.criteria:
        return
    st.markdown("**All criteria**")
    head = ["criterion", "pass rate", "good answers passed", "failures caught", "verdict"]
    rows = pd.DataFrame(criteria_rows(asked.criteria, asked.tpr, asked.tnr), columns=head)
    st.dataframe(rows, hide_index=True, width="content", alt="The judge on each criterion.")
    st.caption(f"Limits hold for all criteria at once in 95{PER_CENT} of lists. The figure is of the criterion chosen.")


def _compared(result: Judgement) -> None:
    """Draw both judges beside each other."""
    pair = result.comparison
    if pair is None:
        return
    st.markdown("**Compared on the same items**")
    st.markdown(plain(pair.sentence))
    head = ["measure", *(f"“{name}”" for name in pair.names), "difference, points"]
    rows = pd.DataFrame(pair_rows(result), columns=head)
    st.dataframe(rows, hide_index=True, width="content", alt="Both judges with the difference.")
    for words in pair.remarks:
        st.caption(plain(words))


def _numbers(result: Judgement) -> None:
    """Draw every measure, and the weighted confusion table."""
    st.markdown("**Numbers**")
    rows = pd.DataFrame(rows_of(result), columns=["measure", "value", f"95{PER_CENT} limits"])
    st.dataframe(rows, hide_index=True, width="content", alt="Every measure of the judge with its limits.")
    st.markdown("**The judge’s verdicts and people’s**")
    shown = downloads.in_per_cent(result.confusion(), ("share",))
    alt = "Weighted confusion table."
    st.dataframe(shown, hide_index=True, width="content", column_config=_CONFUSION, alt=alt)


def _failures(result: Judgement) -> None:
    """Draw the failures that were found, and the false alarms."""
    table = result.disagreements()
    if table.empty:
        return
    st.markdown("**Read these: missed failures, false alarms, and failures that were caught**")
    order = [*_READ]
    st.dataframe(table, hide_index=True, column_order=order, column_config=_READ, alt="The judge’s mistakes first.")
    downloads.csv("Failures as CSV", lambda: table.to_csv(index=False), "neyman-judge-failures.csv")


def _groups(result: Judgement) -> None:
    """Draw corrected pass rates of groups in a panel."""
    if "group" not in result.study.pool.item_columns:
        return
    panel = frame.panel("Corrected pass rates by group", "judge-groups", "groups")
    if panel is None:
        return
    with panel, frame.errors():
        table = result.study.by("group")[["group", "items", "labels", "value", "low", "high"]]
        shown = downloads.in_per_cent(table, ("value", "low", "high"))
        columns = {
            "group": _TEXT("Group", pinned=True),
            "value": _NUMBER("Pass rate", format="%.1f %%"),
            "low": _NUMBER("From", format="%.1f %%"),
            "high": _NUMBER("To", format="%.1f %%"),
        }
        st.dataframe(shown, hide_index=True, column_config=columns, placeholder="–", alt="A row each group.")
