"""Versions and models side by side on page Models: accuracy, cost in labels, and which differences are certain."""

from __future__ import annotations

import streamlit as st

from core.bank import (
    best_first,
    best_title,
    differences,
    differences_title,
    elsewhere,
    history,
    informative,
    limits_of,
)
from core.figures import intervals
from core.pool import Pool, are_versions
from core.words import UNKNOWN
from pages.parts import downloads
from pages.parts.app import frame, kept
from pages.parts.markup import plain
from pages.parts.views import verdicts

# Larger pools, and more versions than limits are kept for, take too long to compare.
_MOST_ITEMS = 50_000
_number = st.column_config.NumberColumn
_COLUMNS = {
    "version": st.column_config.TextColumn("Version", pinned=True),
    "date": st.column_config.TextColumn("Date"),
    "value": downloads.share("Accuracy"),
    "low": downloads.share("from"),
    "high": downloads.share("to"),
    "labels": _number("Labels", format="localized"),
    "saved": _number("Labels saved", format="localized", help="How many more Uniform would take for this interval."),
    "carried": _number("Verdicts carried", format="localized"),
    "audited": _number("of them audited", format="localized"),
    "basis": st.column_config.TextColumn("Rests on"),
}
_PAIRS = {
    "earlier": st.column_config.TextColumn("Earlier"),
    "later": st.column_config.TextColumn("Later"),
    "value": _number("Difference, points", format="%+.1f"),
    "low": _number("from", format="%+.1f"),
    "high": _number("to", format="%+.1f"),
    "other_low": _number("Other questions, from", format="%+.1f"),
    "other_high": _number("to", format="%+.1f"),
    "certain": st.column_config.CheckboxColumn("Certain"),
}
# Of models that are no versions of each other.
_UNORDERED = {"earlier": "First", "later": "Second"}


@frame.fragment
def section(pool: Pool) -> None:
    """Draw each version's accuracy, and the differences of pairs with their joint limits."""
    if len(pool.targets) < 2 or pool.n_items > _MOST_ITEMS:
        st.markdown("Once a pool has the answers of two models or more, this shows what is known about each.")
        return
    bank = verdicts.bank(pool)
    key = (verdicts.key_of(pool), "over time")
    table, pairs = kept.once("version gates", key, lambda: (history(bank, pool), differences(bank, pool)))
    if table.empty:
        st.markdown("Nothing is known of these versions yet. Label a list of one, on page Label.")
        return
    versions = are_versions(table["version"], table["date"])
    noun = "version" if versions else "model"
    table = table if versions else best_first(table)
    best = "" if versions else best_title(table, pairs)
    certain = "A difference is certain if its limits exclude 0; an exact one if those for other questions do."
    frame.finding(plain(best or differences_title(pairs)), certain)
    if beyond := elsewhere(pairs):
        st.markdown(plain(beyond))
    on_top = ", the oldest on top" if versions else ", the best on top"
    frame.chart(intervals.over_time(table), "versions", f"Accuracy of each {noun} with its interval{on_top}.")
    shown = downloads.in_per_cent(table, ["value", "low", "high"])
    alt = f"Each {noun}’s accuracy with its limits, and the labels that it took."
    named = {} if versions else {"version": st.column_config.TextColumn("Model", pinned=True)}
    config = _COLUMNS | named
    order = informative(table)
    st.dataframe(shown, hide_index=True, column_order=order, column_config=config, placeholder=UNKNOWN, alt=alt)
    downloads.csv(f"{noun.capitalize()}s as CSV", lambda: downloads.as_csv(table), "neyman-versions.csv")
    if versions and pairs["value"].notna().any():
        frame.chart(intervals.pairs(pairs), "version-pairs", "Differences of versions that follow each other.")
    points = downloads.in_per_cent(pairs, ["value", "low", "high", "other_low", "other_high"])
    less = "later less earlier" if versions else "second less first"
    alt = f"Differences in accuracy of all pairs, {less}, with joint limits."
    pinned = {name: st.column_config.TextColumn(said, pinned=True) for name, said in _UNORDERED.items()}
    config = _PAIRS if versions else _PAIRS | pinned
    order = informative(pairs.drop(columns="neighbours"))
    st.dataframe(points, hide_index=True, column_order=order, column_config=config, placeholder=UNKNOWN, alt=alt)
    st.caption(plain(limits_of(table, pairs, noun)))
