"""Words of verdicts that nobody knows: asked for once, remembered in the home, and forgotten if that was wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import streamlit as st

from core.labels import MEANINGS, Word
from core.words import counted
from pages.parts.app import session, state
from pages.parts.app.frame import in_callback
from pages.parts.markup import plain


def ask(
    unknown: Sequence[Word],
    whose: str,
    nothing: str,
    learn: Callable[[Mapping[str, str]], None] | None = None,
    meanings: Sequence[str] = MEANINGS,
) -> None:
    """Draw a form that asks what words mean.

    Parameters
    ----------
    unknown : sequence of Word
        The words, how many labels are written so (0 if nobody counted), and what is proposed.
    whose : str
        What uses them, with its verb: “3 labels use”.
    nothing : str
        What a word means that is neither right nor wrong.
    learn : callable, optional
        Takes the meanings that were chosen; by default the home remembers them.
    meanings : sequence of str
        From which people choose.
    """
    with st.form("unknown-words"):
        st.markdown(f"**What do these words mean?** {plain(whose)} words that Neyman does not know.")
        for one in unknown:
            many = f" ({counted(one.labels, 'label')})" if one.labels else ""
            st.segmented_control(
                plain(f"“{one.word}”{many}"),
                meanings,
                default=one.meaning if one.meaning in meanings else None,
                key=_key(one.word),
                format_func=lambda meaning: nothing if meaning == MEANINGS[-1] else meaning.capitalize(),
            )
        proposed = "Common words come with a proposal. " if any(one.meaning for one in unknown) else ""
        st.caption(f"{proposed}Nothing counts until you press the button. Later files are then read the same way.")
        words = [one.word for one in unknown]
        st.form_submit_button(
            "Use these meanings",
            type="primary",
            icon=":material/translate:",
            on_click=_learn,
            args=(words, learn or _remember),
        )


def known(statement: str, words: Iterable[str]) -> None:
    """Say how words are read, with a button that forgets their meanings."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/translate: {plain(statement)}", width="content")
        st.button("Forget these words", icon=":material/undo:", on_click=_forget, args=(list(words),))


def _key(word: str) -> str:
    return f"unknown-word-{word}"


@in_callback
def _learn(words: Sequence[str], learn: Callable[[Mapping[str, str]], None]) -> None:
    learn({word: meaning for word in words if (meaning := session.widget(_key(word)))})


def _remember(said: Mapping[str, str]) -> None:
    state.archive().words.save(said, state.now())


@in_callback
def _forget(words: Sequence[str]) -> None:
    state.archive().words.forget(words)
