"""Odd kept labels on page Estimate: slips, scores on another scale, ties, and labels elsewhere."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import labels
from core.labels import KINDS
from core.pool import number_in
from core.study import Study
from core.words import counted, shortened, significant
from pages.parts.estimate import decisions as estimate_decisions
from pages.parts.estimate.controls import UNBOUNDED
from pages.parts.estimate.handover import back_to_the_list
from pages.parts.estimate.unread import unreadable
from pages.parts.markup import plain
from pages.parts.views import words

_SHOWN, _LONGEST, _MOST = 3, 40, 12


def section(study: Study) -> None:
    """Show odd labels and ties to decide; end the page if labels are not understood."""
    for note in study.labels.to_check:
        st.warning(plain(note), icon=":material/rule:")
    odd = study.labels.settlement.odd
    # If people disagree, the panel of disputed items says it; what is not understood is asked below.
    elsewhere = odd["what"].isin(["conflict", labels.oddities.NOT_A_LABEL, labels.oddities.OUT_OF_RANGE])
    for sentence in labels.oddities.sentences(odd[~elsewhere]):
        st.warning(plain(sentence), icon=":material/rule:")
    if len(study.labels.not_understood):
        _withdrawn(study)
    if account := study.labels.account.sentence:
        st.caption(plain(account))
    if study.labels.beyond:
        more = counted(study.labels.beyond, "further item is", "further items are")
        st.caption(f"{more} labelled on a larger list of this design: choose that plan to use them.")
    if study.labels.settlement.labels.empty and study.labels.ties:
        st.info(plain(_all_tied(len(study.labels.ties))), icon=":material/balance:")
    estimate_decisions.section(study)


def _all_tied(count: int) -> str:
    where = "the only labelled item" if count == 1 else f"each of the {count:,} labelled items"
    return (
        f"There is no estimate until ties are decided: on {where}, people are split evenly. Decide "
        "below what counts, or have one more person label."
    )


def _withdrawn(study: Study) -> None:
    """Say why there is no number, ask what words mean, and end the page."""
    bad = study.labels.not_understood
    is_scale = KINDS[study.kind].averaged and bool((bad["why"] == labels.cells.OFF_SCALE).any())
    st.warning(
        "There is no number while labels are not understood; what is kept has not changed.", icon=":material/block:"
    )
    if is_scale:
        st.warning(plain(_beyond(study, bad)), icon=":material/rule:")
        st.button("Allow scores outside 0 to 1", icon=":material/straighten:", type="primary", on_click=_allow)
    elif study.labels.unreadable:
        st.warning(plain(unreadable(study)), icon=":material/rule:")
    # A number means what it does in its list alone: it is said where the list comes back.
    there = [one for one in labels.cells.words_in(bad) if number_in(one.word) is None and len(one.word) <= _LONGEST]
    free = KINDS[study.kind].averaged and study.labels.unbounded
    judges, asked = KINDS[study.kind].judges and not free, 0 < len(there) <= _MOST
    if not is_scale and not study.labels.unreadable:
        of_list = study.labels.of_list(study.labels.rows, study.labels.settlement)
        kinds, scale = study.plan.design.judging is None, labels.cells.off_scale(of_list)
        way = words.remedy(judges, kinds, asked, scale, free)
        st.warning(plain(f"{labels.cells.statement(bad)} {way}"), icon=":material/rule:")
    if asked:
        meanings = labels.MEANINGS if judges else labels.MEANINGS[-1:]
        words.ask(
            there, f"{counted(len(bad), 'label')} {'uses' if len(bad) == 1 else 'use'}", "No verdict", None, meanings
        )
    back_to_the_list(study)
    st.stop()


def _beyond(study: Study, bad: pd.DataFrame) -> str:
    """Name scores that lie outside 0 to 1: a slip, or another scale."""
    given = study.labels.rows["label"].dropna()
    scores = [float(score) for score in (labels.canonical(str(label), "score") for label in given) if score is not None]
    many, total = len(bad), len(scores)
    low, high = (significant(end, 3) for end in (min(scores), max(scores)))
    return (
        f"{many:,} of {counted(total, 'score')} {'lies' if many == 1 else 'lie'} outside 0 to 1 ({_examples(bad)}; all "
        f"run from {low} to {high}). If they are on another scale, allow it below, or divide them by the highest one; "
        "correct slips in the file and take it back on page Label."
    )


def _examples(rows: pd.DataFrame) -> str:
    named = [
        f"item “{shortened(str(row.item_id), _LONGEST)}” = “{shortened(str(row.label), _LONGEST)}”"
        + (f" by “{shortened(str(row.annotator), _LONGEST)}”" if row.annotator else "")
        for row in rows.head(_SHOWN).itertuples()
    ]
    return ", ".join(named) + (", …" if len(rows) > _SHOWN else "")


def _allow() -> None:
    UNBOUNDED.set(True)
