"""The list to label, in the form of each tool."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core import labels
from core.allocation import bernoulli_proxy
from core.design import manifest
from core.errors import HomeError, NeymanError
from core.gates import ONCE, gate_of
from core.judge import Criterion
from core.labels import KINDS
from core.stratification import stratum_table
from core.study import Study
from core.words import UNKNOWN, counted
from pages.parts import downloads, prospects
from pages.parts.app import frame, state
from pages.parts.label import annotator_link as label_alone
from pages.parts.label import judgeable as label_ways
from pages.parts.label import table as label_list
from pages.parts.label import tool as label_tool
from pages.parts.markup import plain

_STRATA = ["stratum", "se_low", "se_high", "items", "share_of_pool", "labels", "inclusion_probability"]


def section(study: Study) -> None:
    """Files to hand out, a look at the list, where it comes from, and reproducing one."""
    possible = label_ways.judgeable(study, files=True)
    # The files come first, what else they show after them.
    files, more = st.container(), st.container()
    with more:
        also = label_list.also_shown(study.pool.n_generations > 0)
    with files:
        request, name = label_list.choose(study, also)
        if request.empty:
            if not study.labels.unasked:
                st.success("Every item of the list has a label or cannot be labelled.", icon=":material/check_circle:")
            return
        _downloads(study, request, name, possible)
        _explained(study)
        label_tool.send(study, request, possible)
    with more:
        label_list.table(request)
    if possible and (study.labels.answers or not KINDS[study.kind].judges):
        label_alone.link(study, request, name)
    _commands(study)
    _strata(study)
    _again(study)


def _explained(study: Study) -> None:
    plan, own = study.plan, gate_of(study.pool)
    if own is not None:
        when = "decides once the whole list has labels" if own.looks == ONCE else "may be looked at after any label"
        st.caption(
            "Annotators fill in the column “label”, and “annotator” with their name, from the top of the list. The "
            f"gate {when}."
        )
        return
    least = plan.strata.n_strata if plan.earlier is None else plan.least_budget
    cut = "at any item" if least == 1 else f"at any item after the first {least}"
    first = "" if least == 1 else "The first interval is wide until each stratum has two labels. "
    interval = "" if least == 1 or plan.earlier is not None else f", with an interval from label {least + 1:,} on"
    more = "A larger budget only adds items at the end."
    if plan.waits:
        more = "The second wave adds the other items."
    elif plan.strata.by_item:
        # Fine strata follow the budget, so that another one on this page is another plan.
        more = "For more labels later, page Estimate adds items to this list."
    st.caption(
        "Annotators fill in the column “label”, and “annotator” with their name, from the top of the list. You can "
        f"stop {cut}: what is done is a valid sample{interval}. {more} Keep the manifest: it reproduces the list and "
        "has the weights.",
        help=f"{first}In a spreadsheet, use the XLSX list: a CSV file turns an answer like 1/2 into a date. JSON Lines "
        "keeps everything unchanged.",
    )


@frame.fragment
def _downloads(study: Study, request: pd.DataFrame, name: str, possible: bool) -> None:
    shown = {name: title for name, (title, _, _) in labels.FORMATS.items()}
    usual = ["csv", "jsonl"]
    keep_plan = partial(_keep_plan, study)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        downloads.request(request, name, keep_plan, lambda: study.labels.manifest, disabled=not possible)
    others = [form for form in shown if form not in usual]
    row = st.container(horizontal=True, vertical_alignment="bottom")
    tool = row.selectbox(
        "For another tool", others, key="format", format_func=lambda f: shown[f], persist_state="session"
    )
    title, ending, mime = labels.FORMATS[tool]

    asked = _criterion(study)
    if asked is not None and tool not in labels.FOR_CRITERIA:
        # A tool takes one label an item.
        listed = study.labels.request()
        request = listed[listed["item_id"].isin(request["item_id"])].reset_index(drop=True)
        name = downloads.slug(name, asked.name)
    heading = f"Plan {study.plan.plan_id}" if asked is None else f"{asked.name}: {asked.rubric}".removesuffix(": ")
    export = partial(labels.export, request, tool, study.kind, heading)
    make, keep = downloads.in_turn(export, keep_plan)
    with row:
        st.download_button(
            title,
            make,
            f"neyman-{name}.{ending}",
            mime,
            key="for-tool",
            on_click=keep,
            disabled=not possible,
            icon=":material/download:",
        )
    if asked is not None:
        st.caption(
            plain(
                "CSV, XLSX and JSON Lines have a column for each criterion. Other tools take one criterion at a time: "
                f"their list asks for “{asked.name}”. Choose the next one as “Target model” above for a separate list; "
                "labels that come back are joined here."
            )
        )
    frame.failure()


def _criterion(study: Study) -> Criterion | None:
    """Return the one of several criteria whose labels are shown; None if there is only one."""
    passes = labels.criteria.passes(study.plan.design.judging)
    return next((one for one in passes if one.labelled_as == study.target), None)


@frame.in_callback
def _keep_plan(study: Study) -> None:
    try:
        study.labels.save_plan(state.archive(), state.now())
    except HomeError as error:
        raise HomeError(
            f"The list was downloaded, but its plan is not kept yet. {error} Then download the same list again."
        ) from error


def _strata(study: Study) -> None:
    st.markdown("**Where they come from**")
    proxy = bernoulli_proxy(study.plan.strata.consistency, study.plan.design.scheme.offset)
    # As many columns as fit beside the controls; page Explore has the others.
    table = stratum_table(study.plan.strata, study.plan.allocation, proxy)[_STRATA]
    st.dataframe(
        downloads.in_per_cent(table, downloads.SHARES),
        hide_index=True,
        column_config={name: downloads.STRATA_COLUMNS[name] for name in _STRATA},
        placeholder=UNKNOWN,
        alt="Each stratum's size, labels and inclusion probability.",
    )
    if table[["se_low", "se_high"]].dropna().duplicated().any():
        st.caption("Rows with the same range share the items of that range.")


def _commands(study: Study) -> None:
    # A model that has not run is the next thing to do.
    panel = frame.panel("Run a target on just these items", "run-target", "terminal", study.target is None)
    if panel is None:
        return
    with panel:
        if "prompt" in study.pool.item_columns:
            st.caption("Here, on this machine or on any server with OpenAI’s interface: its answers need no file.")
            label_ways.to_surrogate(study, "Ask your model on page Surrogate", "ask-target")
        task = st.text_input("Name of the task in the tool", "my_task", key="task", persist_state="session")
        for command in labels.commands(study.labels.ids, study.plan.positions, task):
            st.caption(f"{command.tool}. {plain(command.assumes)}")
            st.code(command.line, language=None, wrap_lines=True)


def _again(study: Study) -> None:
    panel = frame.panel("Reproduce a list from its manifest", "reproduce", "replay")
    if panel is None:
        return
    with panel:
        given = st.file_uploader("Manifest (JSON)", ["json"], key="manifest")
        if given is None:
            return
        try:
            document = manifest.read(given.getvalue())
            scheme = document.design.scheme
            usual = scheme.signal == "semantic-entropy" and not document.strata.by_item
            profile = prospects.profile(study.pool, scheme.parser) if usual and study.pool.n_generations else None
            drawn = manifest.reproduce(document, study.pool if scheme.target else study.labels.origin, profile)
        except NeymanError as error:
            frame.show_error(error)
            return
        st.success(
            f"The same {counted(drawn.ids.size, 'item')}, in the same order, as when plan {drawn.plan_id} was made.",
            icon=":material/check_circle:",
        )
        downloads.request(labels.request(drawn, study.pool), drawn.plan_id)
