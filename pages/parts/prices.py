"""What labels cost: set once on page Plan, read wherever labels are counted."""

from __future__ import annotations

import streamlit as st

from core.planning import Costs
from pages.parts import controls

LONGEST_CURRENCY = 5
_EURO = "€"


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


def of_labels(count: int) -> str:
    """Write what labels cost, such as “1,800 €, 3 hours”; "" where no price is set."""
    return current().spent(count)
