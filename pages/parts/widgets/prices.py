"""What labels cost: set once on page Plan or Overview, read wherever labels are counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from core.planning import Costs
from pages.parts.widgets import controls
from pages.parts.widgets.control import Amount, Control

LONGEST_CURRENCY = 5
_EURO = "€"
# Of a label, on Overview alone, where they are called an assumption: an expert at 60 € an hour.
_PRICE, _MINUTES = 5.0, 5.0


def current() -> Costs:
    """Return the prices that the session or the address has; 0 where there are none."""
    sign = str(st.session_state.get(controls.CURRENCY.key, controls.CURRENCY.address) or _EURO)
    return Costs(
        controls.PRICE.current(),
        controls.MINUTES.current(),
        controls.RUN_PRICE.current(),
        controls.TOKENS.current(),
        controls.TOKEN_PRICE.current(),
        sign[:LONGEST_CURRENCY],
    )


def assumed() -> Costs:
    """Return what a label is assumed to cost, in money and in time, where neither is set; 0 for what is set."""
    money = 0.0 if _is_set(controls.PRICE) or _is_set(controls.RUN_PRICE) else _PRICE
    time = 0.0 if _is_set(controls.MINUTES) else _MINUTES
    return Costs(money, time, currency=current().currency)


def completed() -> Costs:
    """Return the prices that are set, completed with what is assumed."""
    costs, others = current(), assumed()
    return replace(costs, label=costs.label + others.label, minutes=costs.minutes + others.minutes)


def of_labels(count: int) -> str:
    """Write what labels cost, such as “1,800 €, 3 hours”; "" where no price is set."""
    return current().spent(count)


def fields() -> None:
    """Draw fields for what a label costs on another page than Plan, whose controls take over what is set here."""
    others = assumed()
    for control, guess in ((controls.PRICE, others.label), (controls.MINUTES, others.minutes)):
        empty = f"{guess:g}, assumed" if guess else "none"
        look: dict[str, Any] = {"min_value": control.low, "step": 1.0, "format": "%.6g", "placeholder": empty}
        number = control.current() if _is_set(control) else None
        st.number_input(control.label, value=None, **look, **_following(control, number))
    sign = str(_given(controls.CURRENCY) or "")[:LONGEST_CURRENCY]
    look = {"max_chars": LONGEST_CURRENCY, "placeholder": _EURO}
    st.text_input(controls.CURRENCY.label, **look, **_following(controls.CURRENCY, sign))


def _following(control: Control[Any], value: object) -> dict[str, Any]:
    """Key and callback of a field that shows what a control of another page is set to, and sets it."""
    key = f"here-{control.key}"
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    return {"key": key, "on_change": _take, "args": (control, key)}


def _take(control: Control[Any], key: str) -> None:
    given = st.session_state[key]
    st.session_state[control.key] = given
    if given in (None, ""):
        # What is set reaches the address by itself (`address.carry`).
        st.query_params.pop(control.key, None)


def _given(control: Control[Any]) -> object:
    return st.session_state.get(control.key, control.address)


def _is_set(control: Amount) -> bool:
    return _given(control) not in (None, "")
