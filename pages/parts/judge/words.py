"""Words of people's verdicts beside a judge's: what somebody said that they mean, and those that are to be asked."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.judge import is_called_peoples, judges, words_to_ask, words_without_meaning
from core.labels import MEANINGS, statement
from core.pool import Pool
from core.words import listed
from pages.parts.app import state
from pages.parts.markup import plain
from pages.parts.views import words

_AS_OF_A_JUDGE = dict(zip(MEANINGS, ("pass", "fail", "skip"), strict=True))


def remembered() -> dict[str, str]:
    """Return the remembered meanings of words, as a judge's words are given."""
    return {word: _AS_OF_A_JUDGE[meaning] for word, meaning in state.archive().words.all().items()}


def unknown(known: Pool, column: str, given: Mapping[str, str]) -> tuple[str, ...]:
    """Words of a column that nobody has given a meaning."""
    return tuple(word for word in words_without_meaning(known, column) if word not in given)


def section(known: Pool, judge: str, unread: Mapping[str, tuple[str, ...]]) -> None:
    """Draw how words of people's columns were read, and ask for those that nobody has given a meaning.

    Parameters
    ----------
    known : Pool
        The pool.
    judge : str
        The judge, whose words are given elsewhere.
    unread : mapping of str to tuple of str
        Columns with words to be asked for.
    """
    peoples = [one for one in judges(known) if is_called_peoples(known, one) and one not in (judge, *unread)]
    said = state.archive().words.all()
    recalled = tuple(one._replace(meaning=said[one.word]) for one in words_to_ask(known, peoples) if one.word in said)
    if recalled:
        words.known(statement(recalled, "no verdict"), [one.word for one in recalled])
    if not unread:
        return
    left = dict.fromkeys(word for of_column in unread.values() for word in of_column)
    whose = f"{listed([f'“{one}”' for one in unread])} {'has' if len(unread) == 1 else 'have'}"
    title = f"{whose} words that Neyman does not know: {listed([f'“{word}”' for word in left])}"
    with st.expander(plain(title), icon=":material/translate:"):
        words.ask([one for one in words_to_ask(known, unread) if one.word in left], whose, "No verdict")
