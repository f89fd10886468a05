"""The list to label, in the form of each tool."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import labels
from core.errors import HomeError
from core.gates import ONCE, gate_of
from core.judge import Criterion
from core.labels import KINDS
from core.study import Study
from pages.parts import downloads
from pages.parts.app import frame, state
from pages.parts.label import annotator_link as label_alone
from pages.parts.label import judgeable as label_ways
from pages.parts.label import table as label_list
from pages.parts.label import tool as label_tool
from pages.parts.markup import plain
from pages.parts.widgets.controls import DESK, PART

# Forms that have a button each.
_USUAL = ("csv", "xlsx", "jsonl")


def section(study: Study, also: list[str]) -> None:
    """Draw the ways to label the list, a look at it, and what of it is shown.

    Parameters
    ----------
    study : Study
        The list with its labels.
    also : list of str
        Columns that are shown to annotators besides (`table.also_shown`).
    """
    possible = label_ways.judgeable(study, files=True)
    # The list stands above what chooses its items.
    ways, shown, chooses = st.container(), st.container(), st.container()
    with chooses:
        request, name = label_list.choose(study, also)
    if request.empty:
        if not study.labels.unasked:
            st.success("Every item of the list has a label or cannot be labelled.", icon=":material/check_circle:")
        return
    with ways:
        _ways(study, request, name, possible)
        _explained(study)
    with shown:
        label_list.table(request)


def _explained(study: Study) -> None:
    plan, own = study.plan, gate_of(study.pool)
    filled = "Annotators fill in the columns “label” and “annotator” (their name), from the top of the list."
    if own is not None:
        when = "decides once the whole list has labels" if own.looks == ONCE else "may be looked at after any label"
        st.caption(f"{filled} The gate {when}.")
        return
    least = plan.strata.n_strata if plan.earlier is None else plan.least_budget
    cut = "anywhere" if least == 1 else f"anywhere after the first {least}"
    first = "" if least == 1 else "The first interval is wide until each stratum has two labels. "
    if least > 1 and plan.earlier is None:
        first = f"An interval comes with label {least + 1:,}, and is wide until each stratum has two. "
    more = "A larger budget only adds items at the end."
    if plan.waits:
        more = "The second wave adds the other items."
    elif plan.strata.by_item:
        # Fine strata follow the budget, so that another one on this page is another plan.
        more = "For more labels later, page Estimate adds items to this list."
    st.caption(
        f"You can stop {cut}: what is done is a valid sample.",
        help=f"{filled} {more} {first}In a spreadsheet, use the Excel list: a CSV file turns an answer like 1/2 into a "
        "date. JSON Lines keeps everything unchanged.",
    )


@frame.fragment
def _ways(study: Study, request: pd.DataFrame, name: str, possible: bool) -> None:
    """Draw the ways to label in a row; in a fragment, since the rerun of a page revokes a file that is asked for."""
    with st.container(horizontal=True):
        go: dict[str, Any] = {"type": "primary", "icon": ":material/edit_note:", "on_click": PART.set, "args": (DESK,)}
        if st.button("Label here", key="label-here", **go):
            st.rerun()
        for form, title in (("csv", "CSV"), ("xlsx", "Excel")):
            _file(study, request, name, form, title, disabled=not possible)
        tools = st.popover("Label Studio …", key="send-list", on_change="rerun", icon=":material/outbox:")
        if possible and (study.labels.answers or not KINDS[study.kind].judges):
            label_alone.link(study)
    with tools:
        _tools(study, request, name, possible)
        if tools.open:
            label_tool.send(study, request, possible)
    frame.failure()


def _tools(study: Study, request: pd.DataFrame, name: str, possible: bool) -> None:
    """Draw the list as files for tools."""
    _file(study, request, name, "jsonl", disabled=not possible)
    others = [form for form in labels.FORMATS if form not in _USUAL]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tool = st.selectbox(
            "For another tool",
            others,
            key="format",
            format_func=lambda form: labels.FORMATS[form][0],
            persist_state="session",
        )
        asked = _criterion(study)
        if asked is None or tool in labels.FOR_CRITERIA:
            _file(study, request, name, tool, key="for-tool", disabled=not possible)
        else:
            # A tool takes one label an item.
            listed = study.labels.request()
            only = listed[listed["item_id"].isin(request["item_id"])].reset_index(drop=True)
            _file(study, only, downloads.slug(name, asked.name), tool, key="for-tool", disabled=not possible)
    if asked is not None:
        st.caption(
            plain(
                "CSV, XLSX and JSON Lines have a column for each criterion. Other tools take one criterion at a time: "
                f"their list asks for “{asked.name}”. Choose the next one as “Target model” above for a separate list; "
                "labels that come back are joined here."
            )
        )


def _file(
    study: Study, request: pd.DataFrame, name: str, form: str, title: str = "", key: str = "", disabled: bool = False
) -> None:
    """Draw the list as a file of one form; the plan is kept once it is taken."""
    own, ending, mime = labels.FORMATS[form]
    asked = _criterion(study)
    heading = f"Plan {study.plan.plan_id}" if asked is None else f"{asked.name}: {asked.rubric}".removesuffix(": ")
    # The columns of a list are as they are in files that nobody asked for a tool.
    make: Callable[[], str | bytes] = partial(labels.export, request, form, study.kind, heading)
    if form in ("csv", "jsonl"):
        make = partial(labels.to_csv if form == "csv" else labels.to_jsonl, request)
    keep = partial(keep_plan, study)
    downloads.kept(title or own, make, f"neyman-{name}.{ending}", mime, key or f"{form}-made", keep, disabled=disabled)


def _criterion(study: Study) -> Criterion | None:
    """Return the one of several criteria whose labels are shown; None if there is only one."""
    passes = labels.criteria.passes(study.plan.design.judging)
    return next((one for one in passes if one.labelled_as == study.target), None)


@frame.in_callback
def keep_plan(study: Study) -> None:
    """Keep the list’s plan, once its list or its manifest is taken; for a callback."""
    try:
        study.labels.save_plan(state.archive(), state.now())
    except HomeError as error:
        raise HomeError(
            f"The list was downloaded, but its plan is not kept yet. {error} Then download the same list again."
        ) from error
