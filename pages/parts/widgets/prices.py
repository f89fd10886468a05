"""Prices of labels: set once on page Plan or Overview, read wherever labels are counted."""

from __future__ import annotations

from dataclasses import replace

from core.prospect import Costs
from pages.parts.widgets import controls
from pages.parts.widgets.numbers import Amount

LONGEST_CURRENCY = 5
_EURO = "€"
# Of a label, where they are called an assumption: an expert at 60 € an hour.
_PRICE, _MINUTES = 5.0, 5.0


def current() -> Costs:
    """Return the prices that the address has; 0 if there are none."""
    sign = controls.CURRENCY.value or _EURO
    return Costs(
        controls.PRICE.value or 0.0,
        controls.MINUTES.value or 0.0,
        controls.RUN_PRICE.value or 0.0,
        controls.TOKENS.value or 0.0,
        controls.TOKEN_PRICE.value or 0.0,
        sign[:LONGEST_CURRENCY],
    )


def assumed() -> Costs:
    """Return what a label is assumed to cost, in money and in time, if neither is set; 0 for what is set."""
    money = 0.0 if _is_set(controls.PRICE) or _is_set(controls.RUN_PRICE) else _PRICE
    time = 0.0 if _is_set(controls.MINUTES) else _MINUTES
    return Costs(money, time, currency=current().currency)


def assumed_words() -> str:
    """Write what a label is assumed to cost, “at 5 € a label (assumed)”; "" if its price is set."""
    guess = assumed().label
    return f"at {current().amount(guess)} a label (assumed)" if guess else ""


def completed() -> Costs:
    """Return the prices that are set, completed with what is assumed."""
    costs, others = current(), assumed()
    return replace(costs, label=costs.label + others.label, minutes=costs.minutes + others.minutes)


def for_money() -> Costs:
    """Return the prices that are set, with what a label is assumed to cost if none is: money alone counts labels."""
    return replace(current(), label=current().label + assumed().label)


def of_labels(count: int) -> str:
    """Write what labels cost, such as “1,800 €, 3 hours”; "" if no price is set."""
    return current().spent(count)


def fields() -> None:
    """Draw fields for what a label costs on another page than Plan, which say what is assumed."""
    others = assumed()
    for control, guess in ((controls.PRICE, others.label), (controls.MINUTES, others.minutes)):
        control.draw(f"{guess:g}, assumed" if guess else "none")
    controls.CURRENCY.draw(_EURO, LONGEST_CURRENCY)


def _is_set(control: Amount) -> bool:
    return control.value is not None
