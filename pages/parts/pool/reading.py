"""How the answers of a pool are read: a hint where another answer kind is likely to be the right one."""

from __future__ import annotations

import streamlit as st

from core.pool import Pool, shown, spellings
from core.simulation import findings
from core.stratification import Profile
from core.words import per_cent
from pages.parts.app import kept
from pages.parts.markup import plain
from pages.parts.widgets import controls

_LONGEST = 30


def hint(pool: Pool, profile: Profile, kind: str | None) -> None:
    """Say so where texts look unparsed, or where one number counts as several answers; with the way to mend it."""
    several = kept.once("spellings", pool.digest, lambda: spellings(pool)) if kind is None else None
    if several is not None:
        first, second = shown(several.first, _LONGEST), shown(several.second, _LONGEST)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                plain(
                    f"On {per_cent(several.share)} of the items, one number is written in several ways, such as "
                    f"{first} and {second}, and counts as several answers."
                ),
                width="content",
            )
            st.button("Read them as numbers", icon=":material/123:", on_click=_as_numbers)
    elif findings.looks_raw(profile.signal, pool.n_generations):
        st.warning(
            "On most items every generation is its own answer. These look like raw texts: choose the answer kind.",
            icon=":material/rule:",
        )


def _as_numbers() -> None:
    controls.PARSER.set("number")
