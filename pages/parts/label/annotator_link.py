"""Labelling alone, for annotators: a link that shows neither design nor target, and gives the same list everywhere."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import streamlit as st

from core import labels
from core.archive import AnnotatorLink
from core.errors import NeymanError
from core.labels import is_reserved
from core.pool import Pool
from core.study import Labelling, Reading, Study, kept_plan
from core.words import counted
from pages.parts import targets
from pages.parts.app import address, frame, session, state, visitor
from pages.parts.label import annotate as label_here
from pages.parts.label import desk
from pages.parts.label.place import LINK, opened_link
from pages.parts.markup import plain

ONLY = "label"
_NAME, _DAYS = "link-name", "link-days"
_CHOICES = (1, 7, 30)


@dataclass(slots=True)
class NewLink:
    """The link that was created last, which is shown only now."""

    number: int | None = None
    address: str = ""


def applies() -> bool:
    """Whether labelling alone is asked for, or all that the visitor may see."""
    return session.parameter("only") == ONLY or visitor.links() is not None


def link(study: Study) -> None:
    """Draw links for annotators: one for each if the app is shared, else one for this machine.

    The plan of the study's list is kept, so that its name is enough to draw the list again.
    """
    box = st.popover("Link for a colleague", key="annotators", on_change="rerun", icon=":material/link:")
    if not box.open:
        return
    with box:
        if not frame.possible("A link for other people"):
            return
        study.labels.save_plan(state.archive(), state.now())
        shared = visitor.address()
        if shared is None:
            _local(study)
        else:
            _personal(study, shared)


def page() -> None:
    """The page that the link opens."""
    frame.settings("Label")
    st.title("Label")
    frame.failures()
    with frame.errors():
        try:
            study, annotator = _study()
        except NeymanError:
            if visitor.links() is None:
                raise
            # What is wrong may name files and pools.
            st.error("This list cannot be opened. Tell whoever sent you the link.", icon=":material/error:")
            desk.mount_waiting()
            return
        label_here.section(study, alone=True, annotator=annotator)


def _local(study: Study) -> None:
    query = address.parameters(study.labels.origin.digest, only=ONLY, plan=study.plan.plan_id, asks=study.kind)
    if study.labels.judged:
        query["of"] = labels.target_code(study.labels.judged)
    st.caption(
        "It shows the items of this list one by one, and neither the settings nor whose answers are judged. "
        "Whoever opens it gives a name, and finds the same place again after a reload."
    )
    st.code(f"{str(st.context.url or '').partition('?')[0]}?{urlencode(query)}", language=None, wrap_lines=True)
    st.caption(
        "This link works on this machine alone. For people at other machines, start the app with `make share`, or send "
        "them the list as an Excel workbook, and import it on the tab “Import labels”."
    )


def _personal(study: Study, shared: str) -> None:
    st.caption(
        "Each link opens this list for one person, and nothing else: no settings, no truth, no names of targets, no "
        "other page. Labels are saved under the name that you give here."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Annotator", key=_NAME, max_chars=80)
        st.selectbox("Works for", _CHOICES, 1, lambda days: counted(days, "day"), key=_DAYS)
        st.button("Create the link", icon=":material/add_link:", on_click=_create, args=(study, shared))
    new = session.held(NewLink)
    links = [one for one in state.archive().links.of(study.plan.plan_id) if one.opens(state.now())]
    for one in links:
        if new.number == one.number:
            st.caption(plain(f"Send this to {one.annotator}. It is shown only now."))
            st.code(new.address, language=None, wrap_lines=True)
    for one in links:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(plain(f"{one.annotator}, until {one.expires[:16].replace('T', ' ')} UTC"), width="content")
            st.button("Revoke", key=f"revoke-{one.number}", icon=":material/link_off:", on_click=_revoke, args=(one,))


@frame.in_callback
def _create(study: Study, shared: str) -> None:
    name, archive, now = str(session.widget(_NAME) or "").strip(), state.archive(), state.now()
    if not name or is_reserved(name):
        raise NeymanError("the link needs the annotator’s name: it keeps this person’s labels apart from others’.")
    if any(one.annotator == name and one.opens(now) for one in archive.links.of(study.plan.plan_id)):
        raise NeymanError(f"{name} has a link to this list already. Revoke it first, or give another name.")
    expires = datetime.fromisoformat(now) + timedelta(days=int(session.widget(_DAYS)))
    token = secrets.token_urlsafe(32)
    number = archive.links.save(
        AnnotatorLink(
            study.plan.plan_id,
            study.labels.origin.digest,
            study.kind,
            study.labels.judged or "",
            name,
            now,
            expires.astimezone(UTC).isoformat(timespec="seconds"),
        ),
        token,
    )
    new = session.held(NewLink)
    new.number, new.address = number, f"{shared}/open/{token}"


@frame.in_callback
def _revoke(link: AnnotatorLink) -> None:
    state.archive().links.revoke(link.number, state.now())


def _study() -> tuple[Study, str | None]:
    """Return the study that is labelled, and who labels, if the link says it."""
    if session.parameter(LINK) is not None or visitor.links() is not None:
        link = opened_link()
        if link is None:
            raise NeymanError("this link has expired or was revoked: ask whoever sent it for a new one.")
        pool = state.by_digest(link.digest)
        return _study_of(pool, targets.known(pool), link.plan_id, link.kind, link.target or None), link.annotator
    code, pool = session.parameter("of"), state.pool()
    study = _study_of(pool, targets.known(pool), session.parameter("plan"), session.parameter("asks"), None)
    target = targets.by_code(study.pool, study.kind, code)
    return Study(study.labels.about(Reading(study.kind, target or ""))), None


def _study_of(pool: Pool, known: Pool, plan: str | None, kind: str | None, target: str | None) -> Study:
    archive = state.archive()
    if plan is None or plan not in set(archive.plans.table(pool.items_digest)["plan_id"]):
        raise NeymanError("the plan of this link is not kept here: ask whoever sent it for a new one.")
    if kind is None or kind not in labels.KINDS:
        raise NeymanError("this link is damaged (it does not say what is asked): ask whoever sent it for a new one.")
    drawn = kept_plan(archive, plan, pool)
    return Study(Labelling.load(archive, drawn, targets.asked(drawn, known), kind, target))
