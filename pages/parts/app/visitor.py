"""Who looks at the page and may start runs, as the porter of a shared app says (:mod:`server.porter`), and nobody else.

Without a porter there is one person, at this machine.
"""

from __future__ import annotations

import streamlit as st

from core.errors import NeymanError

# Numbers of the links that an annotator came with.
LINKS = "x-neyman-links"
# Where others reach the app.
ADDRESS = "x-neyman-address"
# "yes" for whoever may start processes on the machine of a shared app.
STARTS = "x-neyman-starts"
REFUSAL = (
    "Only the owner of this shared app can start runs and test connections, because both use the owner’s machine and "
    "keys. Ask the owner. If that is you, open the address with “?token=” that the terminal printed. If Neyman is "
    "started with `--anyone-starts`, everybody can start runs."
)


def links() -> frozenset[int] | None:
    """Return the numbers of the links that are all an annotator may see; None for whoever may see everything."""
    given = st.context.headers.get(LINKS)
    return None if given is None else frozenset(int(number) for number in given.split(",") if number)


def address() -> str | None:
    """Return the address at which others reach the app; None if it answers this machine alone."""
    return st.context.headers.get(ADDRESS)


def may_start() -> bool:
    """Whether the visitor may start processes on this machine: anybody at their own, in a shared app its owner."""
    return links() is None and st.context.headers.get(STARTS, "yes") == "yes"


def check_may_start() -> None:
    """Refuse to start a process for somebody who may not; pages ask it where they would start one.

    Raises
    ------
    NeymanError
        The visitor may start none.
    """
    if not may_start():
        raise NeymanError(REFUSAL)
