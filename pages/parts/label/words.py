"""What the words of a label file mean: asked once, remembered in the home, and changed if it was wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pandas as pd
import streamlit as st

from core.labels import MEANINGS, Word, statement, translated, unknown_words, words_of
from core.words import counted
from pages.parts.app import session, state
from pages.parts.app.frame import in_callback
from pages.parts.markup import plain

# Labels that are sentences are no words to ask for.
_MOST, _LONGEST = 12, 40


def read(rows: pd.DataFrame, usual: Mapping[str, str] = MappingProxyType({})) -> tuple[pd.DataFrame, bool]:
    """Read a file's words as a person has said, and ask for those that nobody has given a meaning.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.LabelFile`.
    usual : mapping
        Words that need no mention, such as pass and fail of a list that checks a judge.

    Returns
    -------
    DataFrame, bool
        The rows, with "right" and "wrong" in place of words that are known; and whether most of the others have a
        common meaning, which a person has to confirm.
    """
    said = translated(rows, {**usual, **state.archive().words.all()})
    known = tuple(one for one in words_of(said) if one.word not in usual)
    unknown = [one for one in unknown_words(said) if len(one.word) <= _LONGEST]
    if known:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/translate: {plain(statement(known))}", width="content")
            st.button("Forget these words", icon=":material/undo:", on_click=_forget, args=(known,))
    common = sum(one.labels for one in unknown if one.meaning)
    if common or 0 < len(unknown) <= _MOST:
        _ask(sorted(unknown, key=lambda one: one.meaning is None)[:_MOST])
    return said, 2 * common > sum(one.labels for one in unknown)


def _ask(unknown: Sequence[Word]) -> None:
    labels = counted(sum(one.labels for one in unknown), "label")
    verb = "uses" if labels.startswith("1 ") else "use"
    with st.form("label-words"):
        st.markdown(f"**What do these words mean?** {labels} {verb} words that Neyman does not know.")
        for one in unknown:
            st.segmented_control(
                plain(f"“{one.word}” ({counted(one.labels, 'label')})"),
                MEANINGS,
                default=one.meaning,
                key=_key(one),
                format_func=_title,
            )
        proposed = "Common words come with a proposal. " if any(one.meaning for one in unknown) else ""
        st.caption(f"{proposed}Nothing counts until you press the button. Later files are then read the same way.")
        st.form_submit_button(
            "Use these meanings", type="primary", icon=":material/translate:", on_click=_learn, args=(unknown,)
        )


def _title(meaning: str) -> str:
    return "No label" if meaning == MEANINGS[-1] else meaning.capitalize()


def _key(word: Word) -> str:
    return f"label-word-{word.word}"


@in_callback
def _learn(words: Sequence[Word]) -> None:
    said = {one.word: meaning for one in words if (meaning := session.widget(_key(one)))}
    state.archive().words.save(said, state.now())


@in_callback
def _forget(words: Sequence[Word]) -> None:
    state.archive().words.forget(one.word for one in words)
