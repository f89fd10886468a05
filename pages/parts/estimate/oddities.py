"""What is odd about the kept labels on page Estimate: slips, scores on another scale, ties, and labels elsewhere."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import labels
from core.study import Study
from core.words import counted, shortened, significant
from pages.parts.estimate import decisions as estimate_decisions
from pages.parts.estimate.controls import UNBOUNDED
from pages.parts.estimate.handover import back_to_the_list
from pages.parts.markup import plain

_BEYOND = "score out of range"
# More than so many scores out of range are no slips.
_SLIPS = 0.1
_SHOWN, _LONGEST = 3, 40


def section(study: Study) -> None:
    """What is odd, and ties to decide; ends the page if the scores are on another scale."""
    for note in study.labels.to_check:
        st.warning(plain(note), icon=":material/rule:")
    beyond = study.labels.settlement.odd[study.labels.settlement.odd["what"] == _BEYOND]
    others = study.labels.settlement.odd.drop(beyond.index)
    # If people disagree, the panel of disputed items says it.
    for sentence in labels.oddities.sentences(others[others["what"] != "conflict"]):
        st.warning(plain(sentence), icon=":material/rule:")
    if len(beyond):
        _beyond(study, beyond)
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


def _beyond(study: Study, beyond: pd.DataFrame) -> None:
    """A few scores out of range are slips; many are on another scale, and the others are no sample of all."""
    given = study.labels.rows["label"].dropna()
    scores = [float(score) for score in (labels.canonical(str(label), "score") for label in given) if score is not None]
    many, total = len(beyond), len(scores)
    lie = "lies" if many == 1 else "lie"
    some = f"{many:,} of {counted(total, 'score')} {lie} outside 0 to 1"
    if many <= _SLIPS * total:
        counts = "counts" if many == 1 else "count"
        text = (
            f"{some} and {counts} as missing ({_examples(beyond)}): take a corrected list back on page Label, or turn "
            "on “Scores may lie outside 0 to 1” above."
        )
        st.warning(plain(text), icon=":material/rule:")
        return
    low, high = (significant(end, 3) for end in (min(scores), max(scores)))
    inside = ", and those inside give no fair estimate" if many < total else ""
    st.warning(
        plain(
            f"{some} ({_examples(beyond)}; all run from {low} to {high}), so they seem to be on another scale{inside}."
        ),
        icon=":material/rule:",
    )
    st.button("Allow scores outside 0 to 1", icon=":material/straighten:", type="primary", on_click=_allow)
    back_to_the_list(study)
    st.stop()


def _examples(rows: pd.DataFrame) -> str:
    named = [
        f"item “{shortened(str(row.item_id), _LONGEST)}” = “{shortened(str(row.label), _LONGEST)}”"
        + (f" by “{shortened(str(row.annotator), _LONGEST)}”" if row.annotator else "")
        for row in rows.head(_SHOWN).itertuples()
    ]
    return ", ".join(named) + (", …" if len(rows) > _SHOWN else "")


def _allow() -> None:
    UNBOUNDED.set(True)
