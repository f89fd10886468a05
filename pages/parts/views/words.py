"""Words of verdicts that nobody knows: asked for once, remembered in the home, and forgotten if that was wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import streamlit as st

from core.labels import MEANINGS, Word, cells
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


def remedy(judges: bool, kinds: bool, asked: bool, scale: cells.GradeRange | None, free: bool = False) -> str:
    """Say on a page what to do about labels that are not understood.

    Parameters
    ----------
    judges : bool
        Whether labels judge answers in words.
    kinds : bool
        Whether the page has a choice of kinds of label.
    asked : bool
        Whether a form below asks what their words mean.
    scale : GradeRange or None
        Of the grades, if some lie outside 0 to 1.
    free : bool
        Whether labels are scores that may lie outside 0 to 1.
    """
    if free:
        return f"Write the score of each in the list{', or say below that it has no verdict' * asked}."
    if not judges:
        said = "Correct the list: write an option of the item, one of the answers of the pool, or a number."
        said += " Or say below what is no answer." if asked else ""
        return f"{said} If labels say right or wrong, choose another kind of label above." if kinds else said
    meant = "Say below what each means, or correct the list." if asked else "Correct the list."
    if scale is None:
        return f"{meant} If it holds labels of another kind, choose that kind above." if kinds else meant
    said = f"Grades {scale} were given, and Neyman reads scores from 0 (worst) to 1 (best). {meant}"
    to_scores = "For scores, write (grade − lowest possible) / (highest possible − lowest possible) instead."
    return f"{said} {to_scores}" if kinds else said


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
