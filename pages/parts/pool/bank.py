"""The bank of graded answers: what it knows of the target, files out and in, a single verdict, and its switch."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.bank import Bank, correct, is_on, remove, switch, take_in
from core.pool import Pool
from core.prospect import Prospect
from core.words import counted, shortened
from pages.parts import downloads
from pages.parts.app import frame, session, state
from pages.parts.app.quarantine import quarantine
from pages.parts.markup import plain
from pages.parts.views import verdicts

_SWITCH, _FILE, _ITEM, _ROW = "bank-on", "bank-file", "bank-item", "bank-row"
_LONGEST = 60


def section(pool: Pool, prospect: Prospect | None) -> None:
    """Draw what is known of the target's answers already, and what people do with the bank of their home."""
    archive = state.archive()
    on = is_on(archive)
    if prospect is not None:
        verdicts.graded_before(pool, prospect.question)
    st.toggle(
        "Use verdicts that are known already",
        on,
        key=_SWITCH,
        on_change=_switched,
        help="When this is off, no list and no version gate uses these verdicts. The bank keeps what it has.",
    )
    frame.failure()
    if not on:
        st.markdown("The bank of this home is switched off.")
        return
    bank = verdicts.bank(pool)
    st.markdown(plain(f"{bank!r}."))
    with st.container(horizontal=True):
        icon, name = ":material/download:", "neyman-bank.parquet"
        st.download_button("Bank as Parquet", bank.to_bytes, name, on_click="ignore", icon=icon, key="bank-parquet")
        downloads.csv("Verdicts as CSV", lambda: downloads.as_csv(bank.rows), "neyman-bank.csv")
    _merge()
    _single(pool, bank)


@frame.in_callback
def _switched() -> None:
    switch(state.archive(), bool(session.widget(_SWITCH)), state.now())


def _merge() -> None:
    given = st.file_uploader("Merge another bank (Parquet or CSV, as exported here)", ["parquet", "csv"], key=_FILE)
    if given is None:
        return
    folder = state.archive().folder
    other = Bank.of_table(*quarantine().bank(given.getvalue(), given.name, folder))
    st.markdown(plain(f"{other!r}. Verdicts that both have stay as they are here; if they disagree, neither counts."))
    st.button("Merge it into this home’s bank", on_click=partial(_taken, other), icon=":material/merge:")


@frame.in_callback
def _taken(other: Bank) -> None:
    take_in(state.archive(), other, state.now())


def _single(pool: Pool, bank: Bank) -> None:
    """Correct or remove a single verdict."""
    item = st.text_input("A single verdict: id of its item in this pool", key=_ITEM, placeholder="such as q12").strip()
    if not item:
        return
    places = pool.places([item])
    rows = bank.rows[(bank.rows["item"] == pool.item_digests[places[0]]).to_numpy()] if places.size else bank.rows[:0]
    if rows.empty:
        st.caption(plain(f"The bank has no verdict on “{shortened(item, _LONGEST)}”."))
        return
    names = [_named(row) for row in rows.to_dict("records")]
    at = st.selectbox(
        f"{counted(len(rows), 'verdict')} on it", range(len(rows)), format_func=names.__getitem__, key=_ROW
    )
    chosen = rows.iloc[[at or 0]]
    with st.container(horizontal=True):
        for label, loss, icon in (("It is right", 0.0, "check"), ("It is wrong", 1.0, "close")):
            st.button(label, on_click=partial(_corrected, chosen, loss), icon=f":material/{icon}:")
        st.button("Remove it", on_click=partial(_removed, chosen), icon=":material/delete:")
    st.caption("Your correction stays, whatever the source says later. The label or outcome itself does not change.")


def _named(row: Mapping[Hashable, Any]) -> str:
    verdict = {0.0: "right", 1.0: "wrong"}.get(float(str(row["loss"])), f"loss {row['loss']}")
    who = "right answer" if row["is_key"] else str(row["model"])
    return f"{shortened(str(row['answer']), _LONGEST)}: {verdict} ({shortened(who, _LONGEST)}, {row['source']})"


@frame.in_callback
def _corrected(rows: pd.DataFrame, loss: float) -> None:
    correct(state.archive(), rows, loss, state.now())


@frame.in_callback
def _removed(rows: pd.DataFrame) -> None:
    remove(state.archive(), rows, state.now())
