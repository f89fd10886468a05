"""The inputs of page Plan: the items, the question, what is believed, and prices."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from core.estimation import Interval
from core.planning import (
    Belief,
    Costs,
    Outlook,
    SamplingFrame,
    assumed_frame,
    belief,
    from_half_width,
    from_labels,
    from_money,
)
from core.pool import Pool
from pages.parts import forecast, recommendation
from pages.parts.app import state
from pages.parts.recommendation import Recommendation
from pages.parts.widgets import controls, prices

_POINTS = 100


@dataclass(frozen=True, slots=True)
class Inputs:
    """What page Plan rests on; ``chosen`` is None without a pool."""

    frame: SamplingFrame
    belief: Belief
    interval: Interval
    outlook: Outlook
    chosen: Recommendation | None

    @property
    def name(self) -> str:
        """What tells these items from others, for caches."""
        if self.chosen is None:
            return str(self.outlook.n_items)
        return repr((self.chosen.digest, self.chosen.basis))


def draw(pool: Pool) -> Inputs:
    """Draw the inputs below each other, those that few need in a popover, and answer the question.

    Raises
    ------
    DesignError
        The inputs contradict each other, such as money without a price.
    """
    # An address that names a pool is about that pool.
    start = controls.THIS_POOL if "pool" in st.query_params else controls.NO_POOL
    with_pool = replace(controls.PLAN_FOR, default=start).draw() == controls.THIS_POOL
    question = controls.QUESTION.draw_list()
    amount = st.container()
    low, high = controls.BELIEVED.draw()
    chosen = recommendation.best(pool, _target(pool), state.answer_kind()) if with_pool else None
    known = None if chosen is None else forecast.measured(pool, chosen)
    signal = None if chosen is None else chosen.whole.scheme.signal
    cells = st.columns(2, vertical_alignment="bottom")
    with cells[0]:
        frame = _frame(pool, chosen)
    with cells[1]:
        controls.PRICE.draw("none")
    with st.popover("More inputs", icon=":material/tune:", width="stretch"):
        ranked = forecast.auroc(forecast.auroc_control(known, signal).draw(), known, signal)
        cells = st.columns(2)
        with cells[0]:
            interval = Interval(confidence=controls.CONFIDENCE.draw())
            controls.MINUTES.draw("none")
            controls.RUN_PRICE.draw("none")
        with cells[1]:
            controls.CURRENCY.draw("€", prices.LONGEST_CURRENCY)
            controls.TOKENS.draw("none")
            controls.TOKEN_PRICE.draw("none")
    target_belief = belief((low / _POINTS, high / _POINTS), ranked)
    with amount:
        outlook = _answer(question, frame, target_belief, prices.current(), interval)
    return Inputs(frame, target_belief, interval, outlook, chosen)


def _answer(question: str, frame: SamplingFrame, target_belief: Belief, costs: Costs, interval: Interval) -> Outlook:
    if question == "half-width":
        return from_half_width(frame, target_belief, controls.POINTS.draw() / _POINTS, costs, interval)
    if question == "money":
        return from_money(frame, target_belief, controls.MONEY.draw(), costs, interval)
    return from_labels(frame, target_belief, min(controls.LABELS.draw(), frame.n_items), costs, interval)


def _frame(pool: Pool, chosen: Recommendation | None) -> SamplingFrame:
    if chosen is None:
        count = controls.ITEMS.draw("very many")
        return _assumed(None if count is None else int(count))
    st.text_input("Number of items", f"{pool.n_items:,}", disabled=True)
    return forecast.sampling_frame(pool, chosen)


def _target(pool: Pool) -> str | None:
    """The target chosen elsewhere, or the only one of the pool."""
    given = st.session_state.get(controls.TARGET.key, controls.TARGET.address)
    names = list(pool.targets)
    return given if given in names else names[0] if names and given is None else None


@st.cache_resource(max_entries=32, show_spinner=False)
def _assumed(n_items: int | None) -> SamplingFrame:
    return assumed_frame(n_items)
