"""Labelling alone, for annotators: a link that shows neither design nor target, and gives the same list everywhere."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from core import labels
from core.errors import NeymanError
from core.study import Study, kept_plan
from pages.parts import address, calls, frame, state, targets
from pages.parts.label import annotate as label_here

ONLY = "label"


def wanted() -> bool:
    """Whether the address asks for labelling alone."""
    return st.query_params.get("only") == ONLY


def link(study: Study) -> None:
    """The link, to be copied. The plan is kept, so that its name is enough to draw the list again."""
    panel = frame.panel("Link for an annotator", "annotators", "link")
    if panel is None:
        return
    study.save_plan(state.archive(), state.now())
    query = address.parameters(study.origin.digest, only=ONLY, plan=study.plan.plan_id, asks=study.kind)
    if study.judged:
        query["of"] = labels.target_code(study.judged)
    with panel:
        st.caption(
            "It shows the items of this list one by one, and neither the settings nor whose answers are judged. "
            "Whoever opens it gives a name, and finds the same place again after a reload."
        )
        st.code(f"{str(st.context.url or '').partition('?')[0]}?{urlencode(query)}", language=None, wrap_lines=True)


def page() -> None:
    """The page that the link opens."""
    st.set_page_config(page_title="Label · Neyman", page_icon="🎯", layout="wide")
    st.title("Label")
    frame.failures()
    with frame.errors():
        label_here.section(_study(), alone=True)


def _study() -> Study:
    pool, archive = state.pool(), state.archive()
    known, kind = targets.known(pool), st.query_params.get("asks")
    name = st.query_params.get("plan")
    if name is None or name not in set(archive.designs(pool.items_digest)["plan_id"]):
        raise NeymanError("the plan of this link is not kept here: ask whoever sent it for a new one.")
    if kind not in labels.KINDS:
        raise NeymanError("this link is damaged (it does not say what is asked): ask whoever sent it for a new one.")
    code = st.query_params.get("of")
    target = next((one for one in known.targets if labels.target_code(one) == code), None)
    return Study.kept(archive, kept_plan(archive, name, pool, calls.pool_profile), known, kind, target)
