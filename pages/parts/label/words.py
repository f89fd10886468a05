"""Meanings of the words in a label file: asked once, remembered in the home, and changed if it was wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

import pandas as pd
import streamlit as st

from core.labels import KINDS, MEANINGS, cells, statement, translated, unknown_words, words_of
from core.pool import number_in
from core.study import Incoming, Study
from core.words import counted
from pages.parts.app import session, state
from pages.parts.markup import plain
from pages.parts.views import verdicts

# Labels that are sentences are no words to ask for.
_MOST, _LONGEST = 12, 40


@dataclass(slots=True)
class FileNumbers:
    """Meanings of numbers and blanks in one file; another file may have another scale."""

    file: str = ""
    said: dict[str, str] = field(default_factory=dict)


def read(
    study: Study, rows: pd.DataFrame, file: str, usual: Mapping[str, str] = MappingProxyType({})
) -> tuple[pd.DataFrame, bool]:
    """Read a file's words as a person has said.

    Parameters
    ----------
    study : Study
        The list, with the kind of label that is asked for.
    rows : DataFrame
        Of `core.labels.LabelFile`.
    file : str
        Another one for each upload.
    usual : mapping
        Words that need no mention, such as pass and fail of a list that checks a judge.

    Returns
    -------
    DataFrame, bool
        The rows, with what words mean in their place; and whether most of the others have a common meaning, which a
        person has to confirm, or somebody said what numbers mean.
    """
    numbers = session.held(FileNumbers)
    of_file = numbers.said if numbers.file == file else {}
    said = translated(rows, {**usual, **state.archive().words.all(), **of_file}, study.kind, study.labels.is_answer)
    known = tuple(one for one in words_of(said) if one.word not in usual)
    if known:
        verdicts.read_as(statement(known), [one.word for one in known])
    unknown = unknown_words(said) if KINDS[study.kind].verdicts else []
    common = sum(one.labels for one in unknown if one.meaning)
    return said, bool(of_file) or 2 * common > sum(one.labels for one in unknown)


def ask(incoming: Incoming, file: str, other: bool = False) -> None:
    """Name every label that is not understood, and ask what its word means.

    Parameters
    ----------
    incoming : Incoming
        The rows with at least one such label.
    file : str
        As in `read`.
    other : bool
        Whether another kind of label is offered above.
    """
    bad = incoming.not_understood
    there = [one for one in incoming.labels.words_to_ask(bad) if len(one.word) <= _LONGEST]
    free = any(KINDS[kind].averaged for kind in bad["kind"]) and incoming.labels.unbounded
    judges = all(KINDS[kind].judges for kind in bad["kind"]) and not free
    few = len({*bad["label"]}) <= _MOST
    asked = 0 < len(there) <= _MOST
    said = cells.statement(bad) if few else f"{counted(len(bad), 'label')} are not understood: the table has them all."
    way = verdicts.remedy(judges, not incoming.labels.asks_for_verdicts, asked, incoming.scale, free)
    if not judges and (sentences := incoming.labels.of_sentences):
        way = f"{sentences} {way}"
    if other:
        way = f"Read them as offered above{', say below what each means' * asked}, or correct the list."
    st.warning(plain(f"{said} {way}"), icon=":material/help:")
    if asked:
        labels = counted(len(bad), "label")
        verb = "uses" if len(bad) == 1 else "use"
        meanings = MEANINGS if judges else MEANINGS[-1:]
        verdicts.ask(there, f"{labels} {verb}", "No verdict", partial(_learn, file), meanings)
    table = bad[["row", "item_id", "annotator", "label"]]
    titles = {"row": "Row", "item_id": "Item", "annotator": "Annotator", "label": "Label"}
    st.dataframe(table, hide_index=True, column_config=titles, alt="Every label that is not understood.")


def ask_of_blanks(meaning: str, file: str) -> None:
    """Say that all verdicts are the same and rows between them blank, and offer that a blank means the other one.

    Parameters
    ----------
    meaning : str
        The other verdict.
    file : str
        As in `read`.
    """
    only = next(one for one in KINDS["right-wrong"].verdicts if one != meaning)
    st.warning(
        f"Every verdict of this file is “{only}”, and rows between them are blank. They count as without a verdict, "
        f"unless you say that a blank means {meaning}. Then every blank row of the file does, also those at its end.",
        icon=":material/help:",
    )
    title = f"Blank means {meaning}"
    st.button(
        title, key="blank-means", icon=":material/check_box_outline_blank:", on_click=_learn_blank, args=(meaning, file)
    )


def _learn_blank(meaning: str, file: str) -> None:
    """Keep what a blank means for this file alone."""
    held = session.held(FileNumbers)
    held.said = {**(held.said if held.file == file else {}), "": meaning}
    held.file = file


def _learn(file: str, said: Mapping[str, str]) -> None:
    """Keep words in the home, and numbers for this file alone."""
    numbers = {word: meaning for word, meaning in said.items() if number_in(word) is not None}
    held = session.held(FileNumbers)
    held.said = {**(held.said if held.file == file else {}), **numbers}
    held.file = file
    state.archive().words.save({word: one for word, one in said.items() if word not in numbers}, state.now())
