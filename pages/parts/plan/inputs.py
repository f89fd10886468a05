"""The inputs of page Plan: the items, the question, what is believed, and prices."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.pool import Pool
from core.prospect import Prospect
from core.signals import SIGNALS
from core.words import per_cent
from pages.parts import prospects
from pages.parts.markup import plain
from pages.parts.plan.controls import (
    AUROC,
    BELIEVED,
    ITEMS,
    LABELS,
    MONEY,
    PLAN_FOR,
    POINTS,
    QUESTION,
    THIS_POOL,
    USUAL,
)
from pages.parts.widgets import controls, prices
from pages.parts.widgets.control import Options, panel
from pages.parts.widgets.numbers import Between

_POINTS = 100


def draw(pool: Pool) -> Prospect:
    """Draw the inputs below each other, those that few need in a popover; return what they ask.

    Raises
    ------
    DesignError
        The inputs contradict each other, such as money without a price.
    """
    with_pool = PLAN_FOR.draw() == THIS_POOL
    # A target that the file does not have, such as one that was run since, stays in the address for the other pages.
    offered = controls.TARGET.address in (None, controls.NEW, controls.NEW_NAME, *pool.targets)
    if with_pool and len(pool.targets) > 1 and offered:
        if controls.TARGET.address is None:
            controls.TARGET.set(prospects.target(pool))
        controls.target(pool, new=True)
    question = QUESTION.draw_list()
    amount = st.container()
    known = prospects.current(pool) if with_pool else None
    believed = _believed(known)
    exact = known is not None and known.fact is not None and known.is_exact
    if known is not None and exact:
        st.caption(plain(f"The outcomes of “{known.question.target}” are known and used: no accuracy is assumed."))
    else:
        believed.draw()
    cells = st.columns(2, vertical_alignment="bottom")
    with cells[0]:
        size = _items(known)
    with cells[1]:
        guess = prices.assumed().label if question == "money" else 0.0
        controls.PRICE.draw(f"{guess:g}, assumed" if guess else "none")
    with panel("More inputs", "more-inputs", icon=":material/tune:", width="stretch"):
        if exact:
            replace(believed, label=f"{BELIEVED.label}, for the gate alone").draw()
        _auroc(known).draw()
        cells = st.columns(2)
        with cells[0]:
            confidence = controls.CONFIDENCE.draw()
            controls.MINUTES.draw("none")
            controls.RUN_PRICE.draw("none")
        with cells[1]:
            controls.CURRENCY.draw("€", prices.LONGEST_CURRENCY)
            controls.TOKENS.draw("none")
            controls.TOKEN_PRICE.draw("none")
    # Here, where what is believed and paid has been drawn.
    if known is None:
        asked = prospects.without_pool(size, confidence=confidence)
    else:
        asked = prospects.current(pool, confidence=confidence)
    with amount:
        return _answer(question, asked)


def _answer(question: str, asked: Prospect) -> Prospect:
    if question == "half-width":
        return asked.for_half_width(POINTS.draw() / _POINTS)
    if question == "money":
        return asked.asking(replace(asked.question, costs=prices.for_money())).for_money(MONEY.draw())
    if asked.has_pool:
        return asked.at(controls.budget(asked.least, asked.n_items))
    return asked.at(min(LABELS.draw(), asked.frame.n_items))


def _items(known: Prospect | None) -> int | None:
    """The number of items of a pool that is not there yet; None for very many, and for one that is there."""
    if known is None:
        count = ITEMS.draw("very many")
        return None if count is None else int(count)
    st.text_input("Number of items", f"{known.pool.n_items:,}", disabled=True)
    return None


def _believed(known: Prospect | None) -> Between:
    """The expected accuracy; at first what the pool shows."""
    if known is None:
        return BELIEVED
    shown = known.asking(replace(known.question, expected=None)).belief.accuracy
    return replace(BELIEVED, default=(round(_POINTS * shown.low), round(_POINTS * shown.high)))


def _auroc(known: Prospect | None) -> Options[str]:
    """Name the first choice of an AUROC: what past outcomes show, or else what such a signal is usually worth."""
    first, seen = AUROC.names[USUAL], None if known is None else known.record
    usual = None if known is None else known.asking(replace(known.question, auroc=None))
    if usual is not None and usual.ranks:
        ranked = per_cent(usual.belief.auroc.middle)
        first = f"As on the items whose outcome is known (ranks them correctly {ranked} of the time)"
    elif seen is not None:
        first = f"As other models fared here (ranks them correctly {per_cent(seen.auroc.middle)} of the time)"
    elif known is not None:
        first = f"Not sure yet (ranks them correctly {per_cent(SIGNALS[known.design.scheme.signal].auroc)} of the time)"
    return AUROC.with_more({USUAL: first})
