"""Details of a list: its strata and manifest, its precision, what was graded before, and ways to make it again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from core import labels
from core.allocation import bernoulli_proxy
from core.design import manifest
from core.errors import NeymanError
from core.gates import gate_of
from core.pool import Pool
from core.prospect import Question
from core.stratification import stratum_table
from core.study import Study
from core.words import UNKNOWN, counted
from pages.parts import downloads, prospects
from pages.parts.app import frame
from pages.parts.label import export, forecast, judgeable
from pages.parts.markup import plain
from pages.parts.views import verdicts
from pages.parts.widgets.controls import LIST_DETAIL

_STRATA = ["stratum", "se_low", "se_high", "items", "share_of_pool", "labels", "inclusion_probability"]

_FEW = 8
_MANIFEST = "Keep the manifest: it reproduces the list and has the weights."


def section(known: Pool, target: str | None, study: Study) -> None:
    """Draw the tabs, of which only the open one is made.

    Parameters
    ----------
    known : Pool
        The pool with the answers of targets that were run since.
    target : str or None
        The target.
    study : Study
        The list with its labels.
    """
    parts: dict[str, Callable[[], None]] = {"strata": partial(_strata, study)}
    if study.plan.design.judging is None and gate_of(known) is None and study.labels.pair is None:
        parts["precision"] = partial(forecast.section, known, target, study)
    if study.labels.pair is None:
        parts["known"] = partial(verdicts.graded_before, known, Question(target))
    parts["run"] = partial(_commands, study)
    parts["reproduce"] = partial(_again, study)
    frame.tabs(LIST_DETAIL, {name: ("", draw) for name, draw in parts.items()})


@frame.fragment
def _strata(study: Study) -> None:
    proxy = bernoulli_proxy(study.plan.strata.consistency, study.plan.design.scheme.offset)
    # Page Explore has the other columns.
    table = stratum_table(study.plan.strata, study.plan.allocation, proxy)[_STRATA]
    columns = {name: downloads.STRATA_COLUMNS[name] for name in _STRATA}
    if table[["se_low", "se_high"]].dropna().duplicated().any():
        alike = "Rows with the same range share the items of that range."
        columns |= {name: {**columns[name], "help": alike} for name in ("se_low", "se_high")}
    # Of fine strata the first ones show what all are like.
    if len(table) > _FEW and not st.toggle(f"All {len(table):,} groups (strata)", key="all-strata"):
        table = table.head(_FEW)
    st.dataframe(
        downloads.in_per_cent(table, downloads.SHARES),
        hide_index=True,
        column_config=columns,
        placeholder=UNKNOWN,
        alt="Each stratum's size, labels and inclusion probability.",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        file, keep = f"neyman-{study.plan.plan_id}.manifest.json", partial(export.keep_plan, study)
        document, icon = (lambda: study.labels.manifest), "receipt_long"
        downloads.kept("Manifest", document, file, "application/json", "manifest-made", keep, icon, help=_MANIFEST)
    frame.failure()


def _commands(study: Study) -> None:
    if "prompt" in study.pool.item_columns:
        st.caption("Here, on this machine or on any server with OpenAI’s interface: its answers need no file.")
        judgeable.to_surrogate(study, "Ask your model on page Surrogate", "ask-target")
    task = st.text_input("Name of the task in the tool", "my_task", key="task", persist_state="session")
    for command in labels.commands(study.labels.ids, study.plan.positions, task):
        st.caption(f"{command.tool}. {plain(command.assumes)}")
        st.code(command.line, language=None, wrap_lines=True)


def _again(study: Study) -> None:
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
    request = labels.request(drawn, study.pool)
    with st.container(horizontal=True):
        for form, make in (("csv", labels.to_csv), ("jsonl", labels.to_jsonl)):
            title, ending, mime = labels.FORMATS[form]
            look: dict[str, Any] = {"on_click": "ignore", "icon": ":material/download:"}
            file = f"neyman-{drawn.plan_id}.{ending}"
            st.download_button(f"List as {title}", partial(make, request), file, mime, key=f"{form}-again", **look)
