"""The answer kind of a pool: a hint if another one is likely to be the right one."""

from __future__ import annotations

import streamlit as st

from core.answers import OPEN
from core.pool import Pool, shown, spellings
from core.readers import FolderPool
from core.simulation import findings
from core.stratification import Profile
from core.study import plans_by_earlier_rules
from core.words import per_cent
from pages.parts import prospects
from pages.parts.app import address, frame, kept, state
from pages.parts.markup import plain
from pages.parts.surrogate import role as surrogate_role
from pages.parts.widgets import controls

_LONGEST = 30


def hint(pool: Pool, profile: Profile, kind: str | None) -> None:
    """Say so if texts look unparsed, or if one number counts as several answers; with the way to mend it."""
    several = kept.once("spellings", pool.digest, lambda: spellings(pool)) if kind is None else None
    if several is not None:
        first, second = shown(several.first, _LONGEST), shown(several.second, _LONGEST)
        gain = ""
        if not isinstance(pool, FolderPool):
            now, then = (per_cent(one.agreeing) for one in (profile, prospects.profile(pool, "number")))
            gain = f" Read as numbers, all answers agree on {then} of the items, now on {now}."
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                plain(
                    f"On {per_cent(several.share)} of the items, one number is written in several ways, such as "
                    f"{first} and {second}, and counts as several answers.{gain}"
                ),
                width="content",
            )
            st.button("Read them as numbers", icon=":material/123:", on_click=_as_numbers)
    elif findings.looks_raw(profile.signal, pool.n_generations):
        st.warning(
            "On most items every generation is its own answer. These look like raw texts: choose how answers are read.",
            icon=":material/rule:",
        )


def earlier_rules(pool: Pool) -> None:
    """Say if lists were drawn under earlier rules for reading answers, and offer to read the file again."""
    said = plans_by_earlier_rules(state.archive(), pool)
    if not said:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(plain(said), icon=":material/history:")
        if pool.origin is not None:
            st.caption("What the file’s reader chose was kept: open the file again above to read it by today’s rules.")
        frame.step("pages/label.py", "Draw a list by today’s rules", ":material/checklist:")


def judge(pool: Pool) -> None:
    """Draw the way to a judge if right answers are free texts; nothing for a pool of other answers."""
    if isinstance(pool, FolderPool) or not {"prompt", "answer_kind"} <= {*pool.item_columns}:
        return
    is_open = OPEN in pool.source.column("answer_kind").unique().to_pylist()
    if not is_open or all(target.texts is None for target in pool.targets.values()):
        return
    pressed = st.button(
        "Have a judge look at the answers",
        key="to-judge",
        icon=":material/gavel:",
        help="A model says of each answer how likely it is right. That sorts the items, so fewer labels are enough.",
        on_click=surrogate_role.preset_judge,
    )
    if pressed:
        st.switch_page("pages/surrogate.py", query_params=address.choices().parameters())


def _as_numbers() -> None:
    controls.PARSER.set("number")
