"""The ways to answer: buttons with keys where the answers are few, else a field that keeps the cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core import labels
from core.pool import Pool
from core.study import Study
from pages.parts.label.item import options

Keep = Callable[[str], None]
_KEYS = "1234567890"


@st.cache_data(max_entries=16, show_spinner="Looking for the answers that items share …")
def _known(digest: str, kind: str | None, _pool: Pool) -> tuple[str, ...]:
    return labels.options.known_answers(_pool, kind)


def choices(study: Study, item: str) -> tuple[str, ...]:
    """The right answers to choose from; () where they are typed."""
    if study.kind != "gold":
        return ()
    listed = options(study, item)
    if listed:
        return tuple(map(labels.letter, range(len(listed)))) if len(listed) <= labels.options.MOST else ()
    return _known(study.pool.digest, study.parser, study.pool)


def typed(study: Study, item: str) -> bool:
    """Whether the answer is typed, so that keys belong to the field."""
    return study.kind != "right-wrong" and not choices(study, item)


def show(study: Study, item: str, keep: Keep) -> None:
    """Buttons to answer an item; ``keep`` is called with the label."""
    if study.kind == "right-wrong":
        with st.container(horizontal=True):
            _button(item, "Right", "right", "1", keep, ":material/check:")
            _button(item, "Wrong", "wrong", "0", keep, ":material/close:")
        return
    offered = choices(study, item)
    with st.container(horizontal=True):
        for answer, key in zip(offered, keys_of(offered), strict=True):
            _button(item, answer, answer, key, keep)
    if not options(study, item):
        # Keyed by the item: the cursor leaves the field with it, and keys choose again.
        with st.form(f"another-{item}", border=False):
            field(study, keep, f"another-answer-{item}", "Another answer")


def field(study: Study, keep: Keep, key: str = "given-answer", title: str = "The right answer") -> None:
    """The field of a form to type an answer in. While form and key stay the same, the cursor stays in it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if study.kind == "score":
            key = "given-score"
            st.number_input("Score, 0 to 1", 0.0, 1.0, None, 0.05, key=key, placeholder="Enter keeps it")
        else:
            st.text_input(title, key=key, placeholder="Enter keeps it", max_chars=2000)
        st.form_submit_button("Keep", on_click=_submit, args=(key, keep))


def keys_of(answers: Sequence[str]) -> list[str]:
    """The key of each of at most ten answers: a digit its own, the others the digits that are left, 1 to 0."""
    free = [key for key in _KEYS if key not in answers]
    return [answer if answer in _KEYS else free.pop(0) for answer in answers]


def _button(item: str, title: str, label: str, key: str, keep: Keep, icon: str | None = None) -> None:
    # Keyed by the item: a key pressed twice in haste does not label the next item.
    st.button(title, key=f"give-{label}-{item}", shortcut=key, icon=icon, on_click=keep, args=(label,))


def _submit(key: str, keep: Keep) -> None:
    given = st.session_state.get(key)
    if given is not None and str(given).strip():
        keep(str(given).strip())
