"""Labels that wait in the browser, on pages without a desk: whatever page is opened after a restart, they are sent.

What looks for them is small; the desk, which sends them, is put on the page only if some wait.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.parts.app import session
from pages.parts.label import desk

_finder = st.components.v2.component(
    "neyman_finder",
    html="",
    js="""export default function ({ setTriggerValue }) {
        let waits = window.neymanWaiting?.() ?? false;
        try {
            waits ||= Object.keys(localStorage).some((name) => name.startsWith("neyman-label:"));
        } catch {
            // No storage: then nothing is stored.
        }
        if (waits) setTriggerValue("waits", Date.now());
    }""",
)


@dataclass(slots=True)
class Found:
    """Whether labels wait in this tab's browser, or did when it was opened."""

    waits: bool = False


def send() -> None:
    """Look for labels that wait, and send them, in a separate container: what appears here moves what is below."""
    with st.container():
        if session.held(Found).waits:
            desk.mount_waiting()
        else:
            _finder(key="waiting-finder", on_waits_change=_found)


def _found() -> None:
    session.held(Found).waits = True
