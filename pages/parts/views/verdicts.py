"""Verdicts that are known already, as pages Pool and Label show them."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

import streamlit as st

from core.bank import Bank, Known, edits, gather
from core.design import Design, carried_verdicts
from core.design import carrying as carried
from core.pool import Pool
from core.prospect import Prospect, Question
from pages.parts import downloads
from pages.parts.app import frame, kept, state
from pages.parts.markup import plain

# Larger pools take seconds to look through.
_MOST = 50_000


def bank(pool: Pool) -> Bank:
    """Return what this home and the pool itself know; nothing while the home's bank is switched off."""
    return _bank(pool, key_of(pool))


def _bank(pool: Pool, key: Hashable) -> Bank:
    own, title = of_pool(pool), "Looking for known verdicts …"
    return kept.once("bank", key, lambda: gather(state.archive(), state.now(), own), title)


def of_pool(pool: Pool) -> Bank:
    """Return what the pool’s own models alone say, without this home."""
    return kept.once("bank", pool.digest, lambda: Bank.of(pool))


def key_of(pool: Pool) -> Hashable:
    """Return the key of the bank that a pool sees: pools and labels of the home, and what people say of verdicts."""
    archive = state.archive()
    pools = tuple(archive.pools.table()["digest"])
    return str(archive.folder), pool.digest, pools, archive.labels.state(), edits(archive)


def may_be_known(pool: Pool, asked: Question) -> bool:
    """Whether to look for verdicts: the target's answers are there, and the pool is not too large."""
    return asked.target is not None and asked.target in pool.targets and pool.n_items <= _MOST


def known(pool: Pool, asked: Question) -> Known | None:
    """Return what is known of the target; None without its answers, or of a pool too large to look through."""
    return _known(pool, asked, key_of(pool)) if may_be_known(pool, asked) else None


def _known(pool: Pool, asked: Question, key: Hashable) -> Known:
    everything, target = _bank(pool, key), str(asked.target)
    here = (key, target, asked.parser)
    return kept.once("known verdicts", here, lambda: everything.lookup(pool, target, asked.parser))


def carrying(prospect: Prospect, follows: bool) -> Design:
    """Return the prospect's design with verdicts carried over."""
    asked, pool, design = prospect.question, prospect.pool, prospect.design
    # Once for all three, since it asks the home.
    key, target = key_of(pool), str(asked.target)
    here = (key, target, asked.parser, follows)
    found, log = _known(pool, asked, key), _bank(pool, key).log
    # The same for every budget.
    verdicts = kept.once("carried verdicts", here, lambda: carried_verdicts(found, log(pool), follows))
    # On a separate shelf: the designs of a few budgets would push out what is known, which takes a second to find.
    make = partial(carried, design, pool, target, verdicts, asked.parser)
    return kept.once("designs that carry", (here, design), make)


def section(pool: Pool, asked: Question) -> None:
    """Draw what is known of a target: how many verdicts, from where, and some of them side by side."""
    panel = frame.panel("Answers that were graded before", "known-verdicts-panel", "inventory_2")
    if panel is None:
        return
    with panel, frame.errors():
        found = known(pool, asked)
        if found is None:
            st.markdown("Verdicts are known of a target whose answers are in the pool. This pool has none.")
            return
        frame.headline(plain(found.sentence))
        if not found.n_known:
            return
        share = st.column_config.NumberColumn("share of the items", format="percent")
        st.dataframe(found.by_source(), hide_index=True, column_config={"share": share}, width="content")
        st.markdown("**Some of them, beside what their verdict comes from**")
        st.dataframe(found.examples(pool), hide_index=True)
        downloads.csv("Known verdicts as CSV", lambda: found.frame().to_csv(index=False), "neyman-known-verdicts.csv")
