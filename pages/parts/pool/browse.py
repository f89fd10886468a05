"""The items of a pool: a table to search, one item with all its answers, and the groups."""

from __future__ import annotations

import math
from typing import Literal

import pandas as pd
import streamlit as st

from core.pool import Pool, meanings, several
from core.readers import FolderPool
from core.stratification import Profile, by_group, in_order
from core.words import UNKNOWN, counted, textless
from pages.parts import downloads, markup
from pages.parts.markup import plain

_ROWS, _BRIEF, _WHOLE = 1000, 40, 20
_ORDERS = ("as in the pool", "most disagreement first", "most agreement first")
_number = st.column_config.NumberColumn


def groups(pool: Pool, profile: Profile | None, kind: str | None) -> None:
    """Draw a row for each group: items, disagreement, each target's accuracy or mean loss."""
    if pool.weights is not None:
        st.caption("Each item is counted once here.")
    table = by_group(pool, profile, kind)
    config = {c: downloads.share(c) for c in table.columns if c.startswith(("share", "accuracy · "))}
    st.dataframe(
        downloads.in_per_cent(table, config),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config=config
        | {
            "group": st.column_config.TextColumn(pinned=True),
            "mean semantic entropy": _number("mean semantic entropy", format="%.2f"),
        },
        alt="Items and disagreement by group.",
    )


def items(pool: Pool, profile: Profile | None, kind: str | None) -> None:
    """A table to browse, and one item's generations beside each other."""
    search, order = st.columns([2, 1])
    where = "Find an id or a group" if isinstance(pool, FolderPool) else "Find in id, prompt or group"
    query = search.text_input(where, key="find", persist_state="session")
    ordering = _ORDERS[0]
    if profile is not None:
        ordering = order.selectbox("Order", _ORDERS, key="order", persist_state="session")
    rows = pool.find(query)
    total = rows.size
    if total == 0:
        st.info("No item has this text in its id, prompt or group: try a shorter one.", icon=":material/search_off:")
        return
    if ordering != _ORDERS[0] and profile is not None:
        rows = in_order(profile, rows, _ROWS, descending=ordering == _ORDERS[1])
    rows = rows[:_ROWS]
    cut = f", the first {_ROWS:,} shown" if total > _ROWS else ""
    st.caption(f"{counted(total, 'item')}{cut}. Choose a row to read {'it' if profile is None else 'its answers'}.")
    shown = pool.rows(rows).reset_index()
    if profile is not None:
        shown.insert(1, "semantic entropy", profile.signal[rows])
        shown.insert(2, "self-consistency", profile.consistency[rows])
    event = st.dataframe(
        shown,
        hide_index=True,
        key="pool-items",
        on_select="rerun",
        selection_mode="single-row",
        height=320,
        column_config={
            "id": st.column_config.TextColumn(pinned=True),
            "semantic entropy": _number("semantic entropy", format="%.3f"),
            "self-consistency": _number("self-consistency", format="%.2f"),
        },
        alt="The pool's items with their semantic entropy and self-consistency.",
    )
    chosen = event["selection"]["rows"]
    _one(pool, int(rows[chosen[0]] if chosen and chosen[0] < rows.size else rows[0]), kind)


def _one(pool: Pool, row: int, kind: str | None) -> None:
    """One item: prompt and truth, the targets' answers, its generations by meaning."""
    pool = pool.part([row])
    item = pool.items.iloc[0]
    st.markdown(f"**Item {plain(str(item.name))}**")
    left, right = st.columns(2, gap="large")
    with left:
        if not _as_text(item.get("prompt")):
            st.caption(plain(textless(str(item.name), item.get("group"))))
        for name, title in (("prompt", "Prompt"), ("choices", "Choices"), ("answer", "Truth")):
            text = _as_text(item.get(name))
            if text:
                st.caption(title)
                markup.show(text, f"{name}-{row}")
        _targets(pool, row, kind)
    with right:
        if pool.generations is not None:
            _generations(pool, row, kind)


def _targets(pool: Pool, row: int, kind: str | None) -> None:
    """Show each target's output on the item, and whether it is right; several short answers as a table."""
    said = {
        name: next((str(one[0]) for one in (target.texts, target.answers) if one is not None and one[0]), "")
        for name, target in pool.targets.items()
    }
    verdicts = {name: _verdict(float(pool.losses(name, kind)[0])) for name in said}
    if len(said) > 1 and all(map(_brief, said.values())):
        rows = pd.DataFrame({"Target": list(said), "Answer": said.values(), "Outcome": verdicts.values()})
        height: Literal["content", "auto"] = "content" if len(rows) <= _WHOLE else "auto"
        st.dataframe(rows, hide_index=True, height=height, alt="What each target answered, and whether it is right.")
        return
    for name, text in said.items():
        st.caption(f"Target {plain(name)}: {verdicts[name]}")
        if text:
            markup.show(text, f"{name}-said-{row}")


def _brief(text: str) -> bool:
    """Whether a text fits into a cell or a heading."""
    return len(text) <= _BRIEF and "\n" not in text


def _generations(pool: Pool, row: int, kind: str | None) -> None:
    """The item's generations, the most frequent answer first; of each meaning one is open."""
    if not (pool.n_generations and pool.generations):
        st.caption("No answer of the surrogate: the item is in the group of the hardest items.")
        return
    for meaning in meanings(pool, 0, kind):
        heading = "no answer found" if meaning.answer is None else f"answer {meaning.answer}"
        # The same words are shown once, and not at all if the heading has them.
        shown = [(i, text) for i, text in meaning.wordings if not (text == meaning.answer and _brief(text))]
        (st.caption if shown else st.markdown)(plain(f"{meaning.count} of {len(pool.generations[0])}: {heading}"))
        for i, text in shown[:1]:
            markup.show(text, f"generation-{row}-{i}")
        if len(shown) > 1:
            with st.expander(counted(len(shown) - 1, "other wording")):
                for i, text in shown[1:]:
                    markup.show(text, f"generation-{row}-{i}")


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if several(value):
        return "\n".join(f"{chr(65 + i)}. {choice}" for i, choice in enumerate(value))
    return ""


def _verdict(loss: float) -> str:
    if math.isnan(loss):
        return "outcome unknown"
    return {0.0: "right", 1.0: "wrong"}.get(loss, f"loss {loss:g}")
