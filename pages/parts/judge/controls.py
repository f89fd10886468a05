"""Controls of page Judge: the automatic judge, what is believed of it, and words of people's verdicts."""

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
from pages.parts.widgets.control import Names, Options
from pages.parts.widgets.numbers import Amount, Number, Share

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


JUDGE = Options(
    key="judge",
    of_pool=True,
    label="Judge",
    default="",
    more=True,
    help="The column with its verdicts, or the model whose outputs a judge scored.",
)
PASS_FROM = Amount(key="pass-from", of_pool=True, label="It passes from a score of", low=-1e9)
PASS_WORDS = Names(key="pass-words", of_pool=True, label="These words mean pass", help="All others mean fail.")
# Beside the words, for a slip that means fail.
NO_PASS_WORD = "None of these"
CRITERIA = Names(
    key="criteria",
    of_pool=True,
    label="More criteria",
    help="Other columns with verdicts of the judge: people decide all criteria while they read an item once.",
)
CRITERION = Options(key="criterion", of_pool=True, label="Criterion", default="", more=True)
PEOPLE = Options(
    key="people",
    of_pool=True,
    label="People’s verdicts",
    default="",
    names={"": "Labels that are given here"},
    more=True,
    help="If a column of the pool has what people say of every item, the labels of the list can be taken from there.",
)
GRADED = Options(
    key="graded",
    of_pool=True,
    label="The judge graded",
    default="",
    names={"": "Say which model"},
    more=True,
    help="The model whose answers the judge has seen. People who label are shown the same ones.",
)
BESIDE = Options(
    key="beside",
    of_pool=True,
    label="Compare with another judge",
    default="",
    names={"": "no other judge"},
    more=True,
    help="A column with another judge’s verdicts, compared on the same labelled items.",
)
LEAST_TPR = Number(key="least-tpr", label="Good answers passed, at least %", default=90.0, low=1.0, high=99.0)
LEAST_TNR = Number(key="least-tnr", label="Failures caught, at least %", default=80.0, low=1.0, high=99.0)
BELIEVED_TPR = Number(key="believed-tpr", label="Good answers passed, %", default=90.0, low=1.0, high=100.0)
BELIEVED_TNR = Number(key="believed-tnr", label="Failures caught, %", default=80.0, low=1.0, high=100.0)
BELIEVED_FAILS = Share(key="believed-fails", label="Items that fail, %", high=99)
