"""The home on page Pool: its bank of verdicts, and the way to forget a pool."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.bank import Bank, correct, is_on, remove, switch, take_in
from core.pool import Pool
from core.words import counted, shortened
from pages.parts import downloads
from pages.parts.app import frame, session, state
from pages.parts.app.quarantine import quarantine
from pages.parts.markup import plain
from pages.parts.views import verdicts

_SWITCH, _FILE, _ITEM, _ROW = "bank-on", "bank-file", "bank-item", "bank-row"
_LONGEST = 60


def section(pool: Pool) -> None:
    """Draw what people do with the bank of their home."""
    panel = frame.panel("The bank of graded answers", "bank-panel", "account_balance")
    if panel is None:
        return
    with panel, frame.errors():
        archive = state.archive()
        on = is_on(archive)
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
            icon = ":material/download:"
            st.download_button(
                "Bank as Parquet",
                bank.to_bytes,
                "neyman-bank.parquet",
                on_click="ignore",
                icon=icon,
                key="bank-parquet",
            )
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


def forget_section(pool: Pool) -> None:
    """Draw the way to forget the current pool; nothing for one that the home does not list."""
    if pool.digest not in set(state.archive().pools.listed()["digest"]):
        return
    with st.popover("Forget this pool", icon=":material/playlist_remove:", type="tertiary"), frame.errors():
        # Here, so that other pages do not wait for what only jobs use.
        from core.surrogate import forget_pool, pool_holdings

        held = pool_holdings(state.archive(), state.store(), pool.digest)
        st.markdown(plain(held.sentence))
        if held.running:
            st.caption(plain(f"The run {held.running[0]} works on it: stop it first, or wait until it is over."))
        pressed = st.button("Take it off the lists", key="forget-pool", disabled=bool(held.running))
        if not pressed:
            return
        forget_pool(state.archive(), state.store(), pool.digest)
        session.write({"pool": None})
        st.toast(plain(f"{pool.name} is off the lists."), icon=":material/check:")
        st.rerun()
