"""Who looks at the page, as the porter of a shared app says (:mod:`server.porter`), which lets nobody else say it.

Without a porter there is one person, at this machine.
"""

from __future__ import annotations

import streamlit as st

# Numbers of the links that an annotator came with.
LINKS = "x-neyman-links"
# Where others reach the app.
ADDRESS = "x-neyman-address"


def links() -> frozenset[int] | None:
    """Return the numbers of the links that are all an annotator may see; None for whoever may see everything."""
    given = st.context.headers.get(LINKS)
    return None if given is None else frozenset(int(number) for number in given.split(",") if number)


def address() -> str | None:
    """Return the address at which others reach the app; None if it answers this machine alone."""
    return st.context.headers.get(ADDRESS)
