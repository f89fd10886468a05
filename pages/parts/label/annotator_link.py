"""Labelling alone, for annotators: a link that shows neither design nor target, and gives the same list everywhere."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from core import labels
from core.errors import NeymanError
from pages.parts import address, calls, frame, state, targets
from pages.parts.label import annotate as label_here
from pages.parts.label.work import Work

ONLY = "label"


def wanted() -> bool:
    """Whether the address asks for labelling alone."""
    return st.query_params.get("only") == ONLY


def link(work: Work) -> None:
    """The link, to be copied. The plan is kept, so that its name is enough to draw the list again."""
    panel = st.expander("Link for an annotator", key="annotators", on_change="rerun", icon=":material/link:")
    if not panel.open:
        return
    work.keep_plan()
    query = address.parameters(work.pool_digest, only=ONLY, plan=work.plan.plan_id, asks=work.asked)
    if work.judged:
        query["of"] = labels.target_code(work.judged)
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
    with frame.errors():
        label_here.section(_work(), alone=True)


def _work() -> Work:
    pool, archive = state.pool(), state.archive()
    name = st.query_params.get("plan")
    if name is None or name not in set(archive.designs(pool.items_digest)["plan_id"]):
        raise NeymanError("the plan of this link is not kept here: ask whoever sent it for a new one.")
    plan = calls.kept_plan(archive, name, pool)
    scheme = plan.design.scheme
    profile = calls.pool_profile(pool, scheme.parser)
    known, asked = targets.known(pool), st.query_params.get("asks")
    if asked not in labels.KINDS:
        raise NeymanError("this link is damaged (it does not say what is asked): ask whoever sent it for a new one.")
    code = st.query_params.get("of")
    target = next((one for one in known.targets if labels.target_code(one) == code), None)
    return Work(
        known,
        scheme.parser,
        profile,
        plan,
        asked,
        target,
        archive,
        scheme.offset,
    )
