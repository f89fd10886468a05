"""A list sent to a running labelling tool, and its labels fetched back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from core.errors import NeymanError
from core.labels import LabelFile, queues
from core.study import Study
from pages.parts.app import frame, quarantine, session, state, visitor
from pages.parts.app.progress import Progress
from pages.parts.markup import plain


@dataclass(frozen=True, slots=True)
class Returned:
    """Labels that came back.

    Parameters
    ----------
    name : str
        Of their file; what comes from a tool is named as if it were one.
    key : str
        Another one for each file that is uploaded and each time that labels are fetched.
    labels : LabelFile
        What came back.
    """

    name: str
    key: str
    labels: LabelFile


@dataclass(slots=True)
class Queued:
    """The last list sent to a labelling tool and the last one fetched from it, each with what it is about."""

    sent: tuple[object, queues.Pushed | None] = (None, None)
    fetched: tuple[object, Returned | None] = (None, None)


def send(study: Study, request: pd.DataFrame, possible: bool) -> None:
    """Draw what sends the items of ``request`` to a running tool; ``possible``: they can be labelled."""
    if not frame.possible("Sending lists to a labelling tool"):
        return
    queue = _queue(study)
    if st.button("Send the list", key="send", icon=":material/send:", disabled=not possible):
        listed = study.labels.request()
        listed = listed[listed["item_id"].isin(request["item_id"])].reset_index(drop=True)
        with _shown_errors(), st.spinner(f"Sending to {queue.about.title}"):
            session.held(Queued).sent = _about(study, queue), _push(study, queue, listed)
    about, pushed = session.held(Queued).sent
    if pushed is not None and about == _about(study, queue):
        st.success(plain(" ".join(pushed.sentences)), icon=":material/check_circle:")
        with st.container(horizontal=True):
            st.link_button(f"Label in {queue.about.title}", pushed.url, icon=":material/open_in_new:")
        st.caption("Their labels come back on the tab “Import labels”. Sending again adds only what is missing.")


def fetch(study: Study) -> Returned | None:
    """The labels that were fetched last, if they are of this list; and what fetches them."""
    panel = frame.panel("Fetch labels from a labelling tool", "fetch-labels", "move_to_inbox")
    if panel is not None:
        with panel:
            if not frame.possible("Fetching labels from a labelling tool"):
                return None
            queue = _queue(study)
            if st.button("Fetch labels", key="fetch", icon=":material/download:"):
                session.held(Queued).fetched = (None, None)
                with _shown_errors(), st.spinner(f"Fetching labels from {queue.about.title}"):
                    session.held(Queued).fetched = _list(study), _pull(study, queue)
    about, fetched = session.held(Queued).fetched
    return fetched if about == _list(study) else None


def _push(study: Study, queue: queues.Queue, request: pd.DataFrame) -> queues.Pushed:
    # Before anybody labels: without its plan a label has no weight.
    study.labels.save_plan(state.archive(), state.now())
    with Progress("Sent", len(request), "items") as progress:
        return queues.push(queue, _assignment(study, request), lambda done, due: progress(done / max(due, 1)))


def _pull(study: Study, queue: queues.Queue) -> Returned:
    content = queues.pull(queue, _assignment(study, study.labels.request()))
    name = f"neyman-{study.plan.plan_id}.json"
    returned = quarantine.quarantine().labels(content, name, state.archive().folder)
    return Returned(name, f"{queue.service} {state.now()}", replace(returned, source=queue.service))


def _assignment(study: Study, request: pd.DataFrame) -> queues.Assignment:
    return queues.Assignment(study.plan, request, study.kind, study.labels.family)


def _queue(study: Study) -> queues.Queue:
    """The fields that say where the list goes, the same on both tabs; keys are shown nowhere."""
    cells = st.columns(3)
    name = cells[0].selectbox(
        "Labelling tool",
        list(queues.SERVICES),
        key="queue-service",
        format_func=lambda one: queues.SERVICES[one].title,
        persist_state="session",
    )
    service = queues.SERVICES[name]
    configured = state.secret(service.address_variable) or ""
    shared = visitor.address() is not None
    typed = cells[1].text_input(
        "Address",
        configured if configured or shared else service.address,
        key=f"queue-address-{name}",
        disabled=shared,
        help=f"{service.address_variable} of the environment or of Streamlit’s secrets sets it. In a shared app it "
        "comes from there alone, so that no visitor can have the key sent elsewhere.",
        persist_state="session",
    )
    plans = state.archive().plans.table(study.plan.items_digest)["plan_id"]
    # A larger list of the same design goes where the first one went.
    first = next((plan for plan in reversed(plans.tolist()) if plan in study.labels.family), "")
    usual = _assignment(study, study.labels.request()).name(first)
    project = cells[2].text_input(
        f"Name of the {service.container}", usual, key=f"queue-project-{name}-{usual}", persist_state="session"
    )
    keys = {variable: state.secret(variable) or "" for variable in service.keys}
    needed = {**keys, **({service.address_variable: configured} if shared else {})}
    known = [f"{variable} {'is set' if value else 'is not set'}" for variable, value in needed.items()]
    st.caption(plain(f"In the environment: {', '.join(known)}. The key is never kept or shown."))
    # What a disabled field holds, a browser may still change.
    return queues.Queue(name, configured if shared else typed, project, tuple(keys.values()))


def _about(study: Study, queue: queues.Queue) -> tuple[object, ...]:
    return (*_list(study), queue.service, queue.root, queue.project)


def _list(study: Study) -> tuple[str, ...]:
    return study.plan.plan_id, study.kind, study.labels.judged


@contextmanager
def _shown_errors() -> Iterator[None]:
    try:
        yield
    except NeymanError as error:
        frame.show_error(error)
