"""The three questions before any label: what labels, a precision, or an amount of money give."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from ..allocation.rules import UNIFORM
from ..allocation.ways import RECOMMENDED
from ..estimation.intervals import DEFAULT, Interval
from ..words import bare, counted, per_cent, share_span, width
from .belief import Belief
from .costs import Costs, Payment
from .forecast import forecast_widths, middle_risks, risks_of, uniform_labels
from .sampling_frame import VERY_MANY, SamplingFrame, layout

# What a range is called that rests on results of models, and one that rests on assumptions alone.
RANGE, ASSUMPTION = "range", "assumed range"
# A smaller share of labels saved is none that anybody would notice.
_SMALL = 0.03


@dataclass(frozen=True, slots=True)
class Outlook:
    """What so many labels of a design give, and what they cost.

    Parameters
    ----------
    labels : int
        M.
    half_width, low, high : float
        Forecast half-width of the interval, and its range over the belief.
    worst : float
        Half-width whatever the losses are.
    uniform : float
        Forecast half-width of the same number of labels drawn uniformly.
    uniform_labels : int or None
        Labels that Uniform needs for the same half-width; None if there are not as many.
    saved_low, saved_high : float
        Range over the belief of the share of Uniform's labels that are saved; NaN if it is not known.
    agreeing : float
        Share of the items on which the surrogate agrees with itself; NaN if that is not known.
    n_items : int or None
        N; None is very many.
    prices : Costs
        What labels cost.
    measured : bool
        Whether ranges rest on models whose results are known, and not on assumptions alone.
    """

    labels: int
    half_width: float
    low: float
    high: float
    worst: float
    uniform: float
    uniform_labels: int | None
    saved_low: float
    saved_high: float
    agreeing: float
    n_items: int | None
    prices: Costs
    measured: bool = False

    @property
    def ranges(self) -> str:
        """What its ranges are called."""
        return RANGE if self.measured else ASSUMPTION

    @property
    def saved(self) -> float:
        """Share of Uniform's labels that are saved, in (−∞, 1); NaN if it is not known."""
        return math.nan if self.uniform_labels is None else 1 - self.labels / self.uniform_labels

    @property
    def payment(self) -> Payment:
        """What it costs."""
        return Payment(self.prices, self.labels, self.uniform_labels, self.n_items)

    def sentence(self) -> str:
        """The answer in a sentence or two."""
        if self.n_items is not None and self.labels >= self.n_items:
            return said("the accuracy exactly (every item is labelled)", self.payment)
        given = f"about ±{width(self.half_width, True)}"
        return said(given, self.payment, bare(self.uniform, True), wider=is_wider(self.half_width, self.uniform))

    def verdict(self) -> str:
        """Whether the method helps, with a range, and the price that the surrogate's pass may have."""
        if math.isnan(self.saved):
            return "Every item is needed for this precision: there is nothing to save."
        saved, between = per_cent(max(self.saved, 0)), share_span(self.saved_low, self.saved_high)
        span = "" if between == saved else f" ({self.ranges} {between})"
        if self.saved < _SMALL:
            expected = f"It will hardly help: {saved} of the labels saved{span}"
            if saved == per_cent(0):
                expected = "No saving is to be expected" + (span if self.saved_high >= _SMALL else "")
            return (
                f"{expected}. Draw uniformly, or sort the items by something that predicts mistakes better than what "
                "is known of them now."
            )
        helps = f"Choosing the items this way should save {saved} of the labels{span}"
        if self.prices.each <= 0:
            return f"{helps}."
        payment = self.payment
        gain = self.prices.amount(payment.break_even)
        price = f"asking another model (the surrogate) pays as long as it costs less than {gain}"
        if payment.surrogate_pass > payment.break_even:
            return f"{helps}, but {price}, and it costs {self.prices.amount(payment.surrogate_pass)}: it does not pay."
        return f"{helps}; {price}."

    def summary_frame(self) -> pd.DataFrame:
        """One row with all numbers."""
        row = asdict(self)
        prices = row.pop("prices")
        money = {name: getattr(self.payment, name) for name in ("money", "more_money", "break_even")}
        return pd.DataFrame([row | {"saved": self.saved, **money, "hours": self.prices.hours(self.labels), **prices}])

    def __repr__(self) -> str:
        return f"Outlook: {self.sentence()}"


def is_wider(half_width: float, uniform: float, share: bool = True) -> bool:
    """Whether an interval is wider than Uniform's as both are written."""
    return half_width > uniform and bare(half_width, share) != bare(uniform, share)


def said(given: str, payment: Payment, uniform: str = "", same: str = "precision", wider: bool = False) -> str:
    """Write what labels give and cost, and what Uniform gives and would take.

    Parameters
    ----------
    given : str
        What they give, such as “±4.3 points”; "" if that stands above.
    payment : Payment
        How many they are, and what they cost.
    uniform : str
        Uniform's half-width without its unit; "" if it is not compared.
    same : str
        In what the labels that Uniform would take are equal.
    wider : bool
        The interval is wider than Uniform's, so that labels saved are of the squared error alone.
    """
    labels, rest = counted(payment.labels, "label"), ", ".join(filter(None, (given, payment.words)))
    first = (f"{labels}: {rest}" if rest else f"From {labels}") + "."
    if not uniform:
        return first
    needed, takes = payment.uniform_labels, "takes the same number"
    wider = wider and needed is not None and needed > payment.labels
    if needed is not None and needed != payment.labels:
        takes = f"would take {counted(needed, 'label')} for the same {'squared error' if wider else same}"
        takes = ", ".join(filter(None, (takes, payment.beside)))
    why = " Its interval is narrower all the same: few labels in each stratum say little of the spread there."
    return f"{first} Uniform (a plain random sample): ±{uniform}; it {takes}.{why * wider}"


def from_labels(
    frame: SamplingFrame,
    belief: Belief,
    labels: int,
    prices: Costs | None = None,
    interval: Interval = DEFAULT,
    method: str = RECOMMENDED.name,
    measured: bool = False,
) -> Outlook:
    """What a number of labels gives.

    Parameters
    ----------
    frame : SamplingFrame
        The items.
    belief : Belief
        What is believed of the target.
    labels : int
        M, from 1 to N.
    prices : Costs, optional
        What labels cost.
    interval : Interval
        How the interval is made.
    method : str
        As in `core.planning.sampling_frame.layout`.
    measured : bool
        As in `Outlook`.

    Raises
    ------
    DesignError
        The number of labels is out of its range.
    """
    whole, middle = layout(frame, UNIFORM.name, labels), middle_risks(frame, belief)
    beliefs = [middle, *(risks_of(frame, *pair) for pair in belief.extremes)]
    *widths, worst = forecast_widths(frame, belief, method, labels, interval)
    cut = layout(frame, method, labels)
    needed = uniform_labels(frame, np.stack(beliefs), [cut.mse(p) for p in beliefs])
    saved = [1 - labels / count for count in needed if count is not None]
    return Outlook(
        labels,
        widths[0],
        min(widths),
        max(widths),
        worst,
        whole.half_width(middle, interval),
        needed[0],
        min(saved, default=math.nan),
        max(saved, default=math.nan),
        frame.agreeing,
        None if frame.n_items >= VERY_MANY else frame.n_items,
        prices or Costs(),
        measured,
    )
