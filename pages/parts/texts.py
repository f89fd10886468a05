"""Texts of a pool, which may be huge: in part, with a way to all of it."""

from __future__ import annotations

import streamlit as st

from core.words import counted

LONGEST = 20_000


def beginning(text: str) -> str:
    """The part of a text that is shown at first: all of it, or so much that a page stays fast."""
    return text if len(text) <= LONGEST else text[:LONGEST]


def show(text: str, key: str) -> None:
    """Show a text as it is, never as markup; of a huge one the beginning, until all is wanted.

    Parameters
    ----------
    text : str
        The text.
    key : str
        Key of the switch, which no other text on the page has.
    """
    rest = len(text) - len(beginning(text))
    if not rest:
        st.text(text)
        return
    whole = st.toggle(f"Show all ({counted(rest, 'more character')})", key=f"whole-{key}")
    _draw(text if whole else beginning(text))


def _draw(text: str) -> None:
    # A browser lays out one huge element much longer than many small ones.
    for start in range(0, len(text), LONGEST):
        st.text(text[start : start + LONGEST])
