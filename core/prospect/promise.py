"""The promise of a design: from known outcomes, else a forecast, in the same words."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import pandas as pd

from ..simulation import findings
from ..simulation.findings import SMALL_SAVING, Gain
from ..words import bare, counted, per_cent, share_span, width
from .question import Payment

# What a range is called that rests on results of models, and one that rests on assumptions alone.
RANGE, ASSUMPTION = "range", "assumed range"


@dataclass(frozen=True, slots=True)
class Promise:
    """The precision and the price of so many labels of a design, and what this rests on.

    Parameters
    ----------
    payment : Payment
        The labels, those that Uniform needs for the same precision, and what they cost.
    half_width : float
        To expect of the interval, as a fraction if losses are shares. It is a forecast, also from known outcomes.
    low, high : float
        Range of the half-width over what is believed; by known outcomes, the half-width itself.
    uniform : float
        The half-width of an equal number of labels drawn uniformly.
    rests_on : str
        What this rests on, in a sentence.
    share : bool
        Losses are 0 and 1, so that people read an accuracy.
    gain : Gain or None
        The exact errors; None of a forecast.
    worst : float
        Half-width whatever the losses are; NaN unless forecast, like what follows.
    saved_low, saved_high : float
        Range over the belief of the share of Uniform's labels that are saved; NaN if it is not known.
    agreeing : float
        Share of the items on which the surrogate agrees with itself; NaN if that is not known.
    measured : bool
        Whether ranges rest on models whose results are known, and not on assumptions alone.
    """

    payment: Payment
    half_width: float
    low: float
    high: float
    uniform: float
    rests_on: str = ""
    share: bool = True
    gain: Gain | None = None
    worst: float = math.nan
    saved_low: float = math.nan
    saved_high: float = math.nan
    agreeing: float = math.nan
    measured: bool = False

    @property
    def labels(self) -> int:
        """M."""
        return self.payment.labels

    @property
    def uniform_labels(self) -> int | None:
        """Labels that Uniform needs for the same precision; None if there are not as many."""
        return self.payment.uniform_labels

    @property
    def exact(self) -> bool:
        """Whether it rests on known outcomes alone."""
        return self.gain is not None

    @property
    def saved(self) -> float:
        """Share of Uniform's labels that are saved, in (−∞, 1); NaN if it is not known."""
        return math.nan if self.uniform_labels is None else 1 - self.labels / self.uniform_labels

    @property
    def ranges(self) -> str:
        """Name of the ranges of a forecast, which may rest on assumptions alone; "" by known outcomes."""
        return "" if self.exact else RANGE if self.measured else ASSUMPTION

    @property
    def fewer(self) -> int:
        """Labels saved, at least 0; 0 if it is not known."""
        return 0 if self.uniform_labels is None else max(self.uniform_labels - self.labels, 0)

    @property
    def title(self) -> str:
        """The promise for somebody who has never heard of squared errors."""
        return self.title_of()

    def title_of(self, whose: str = "your model’s", place: str = "") -> str:
        """Return the title with whose accuracy it is, and on which benchmark, such as " on MMLU-Pro"."""
        if self.gain is not None:
            return findings.promise(self.gain, self.share, whose, place)
        exactly = "exactly" if self.half_width <= 0 else f"to about ±{width(self.half_width, True)}"
        return f"Know {whose} accuracy{place} {exactly}"

    @property
    def against(self) -> str:
        """Labels that a random sample would need, for somebody who has read the title alone; "" if that is no more."""
        needed = counted(self.labels + self.fewer, "label")
        about = "" if self.exact else "about "
        return f"A plain random sample (Uniform) needs {about}{needed} to be as precise." if self.fewer else ""

    @property
    def sentence(self) -> str:
        """The answer in a sentence or two: what the labels give, and what Uniform would take."""
        gain, payment = self.gain, self.payment
        if gain is not None and (gain.budget == gain.n_items or math.isnan(gain.relative[gain.method])):
            return findings.saving(gain)
        if gain is None and payment.n_items is not None and self.labels >= payment.n_items:
            return self._said("the accuracy exactly (every item is labelled)")
        about = "" if self.exact else "about "
        return self._said(f"{about}±{width(self.half_width, self.share)}", bare(self.uniform, self.share))

    @property
    def below(self) -> str:
        """The sentence for below the title, which has the half-width of a forecast already."""
        if self.exact or not self.half_width > 0:
            return self.sentence
        return self._said("", width(self.uniform, True))

    def _said(self, given: str, uniform: str = "") -> str:
        """Write what labels give and cost; and with Uniform's half-width, what that would take."""
        payment, needed = self.payment, self.uniform_labels
        labels, rest = counted(self.labels, "label"), ", ".join(filter(None, (given, payment.words)))
        first = (f"{labels}: {rest}" if rest else f"From {labels}") + "."
        if not uniform:
            return first
        takes = "takes the same number"
        if needed is not None and needed != self.labels:
            same = f"would take {counted(needed, 'label')} for the same precision"
            takes = ", ".join(filter(None, (same, payment.beside)))
        return f"{first} Uniform (a plain random sample): ±{uniform}; it {takes}."

    @property
    def statement(self) -> str:
        """The sentence if nothing beside it says whether it is a forecast."""
        return self.sentence if self.exact else f"Forecast: {self.sentence}"

    @property
    def brief(self) -> str:
        """The same in a few words, for a list of designs."""
        if self.gain is not None and self.gain.standard_error <= 0:
            all_alike = self.gain.budget < self.gain.n_items
            return "No error: all items have the same outcome" if all_alike else "No error: every item is labelled"
        if self.half_width <= 0:
            return "No error: every item is labelled"
        about = "" if self.exact else "about "
        needed = "" if self.uniform_labels is None else f", like {counted(self.uniform_labels, 'random label')}"
        return f"{about}±{width(self.half_width, self.share)}{needed}"

    @property
    def headline(self) -> str:
        """The finding above a figure of errors."""
        return self.sentence if self.gain is None else findings.headline(self.gain)

    @property
    def verdict(self) -> str:
        """Whether choosing the items this way helps; of a forecast with a range, and the price that pays."""
        if self.gain is not None:
            return findings.saving(self.gain)
        if math.isnan(self.saved):
            return "Every item is needed for this precision: there is nothing to save."
        saved, between = per_cent(max(self.saved, 0)), share_span(self.saved_low, self.saved_high)
        span = "" if between == saved else f" ({self.ranges} {between})"
        if self.saved < SMALL_SAVING:
            expected = f"It will hardly help: {saved} of the labels saved{span}"
            if saved == per_cent(0):
                expected = "No saving is to be expected" + (span if self.saved_high >= SMALL_SAVING else "")
            return (
                f"{expected}. Draw uniformly, or sort the items by something that predicts mistakes better than what "
                "is known of them now."
            )
        helps, payment = f"Choosing the items this way should save {saved} of the labels{span}", self.payment
        if payment.costs.each <= 0:
            return f"{helps}."
        amount = payment.costs.amount
        price = f"what they are sorted by may cost up to {amount(payment.break_even)}"
        if payment.surrogate_pass > payment.break_even:
            return f"{helps}, but {price}, and it costs {amount(payment.surrogate_pass)}: it does not pay."
        return f"{helps}; {price}."

    @property
    def remark(self) -> str:
        """The verdict below title and sentence, which say how many labels Uniform takes; "" if it is the sentence."""
        said = self.verdict if self.gain is None else findings.saving(self.gain, compared=False)
        return "" if self.verdict == self.sentence else said

    @property
    def caveat(self) -> str | None:
        """A caution if another method is better; None if none is, or if nothing is known."""
        return None if self.gain is None else findings.caveat(self.gain)

    def summary_frame(self) -> pd.DataFrame:
        """One row with all numbers: of a forecast its ranges and prices too."""
        payment, forecast = self.payment, ("worst", "saved_low", "saved_high", "agreeing", "measured")
        numbers = ("labels", "half_width", "low", "high", "uniform", "uniform_labels", "saved", "rests_on")
        row = {name: getattr(self, name) for name in (*numbers, *(() if self.exact else forecast))}
        row |= {name: getattr(payment, name) for name in ("money", "more_money", "break_even")}
        more = {} if self.exact else {"n_items": payment.n_items, **asdict(payment.costs)}
        return pd.DataFrame([{"outcome_known": self.exact, **row, "hours": payment.costs.hours(self.labels), **more}])

    def __repr__(self) -> str:
        return f"Promise: {self.sentence} {self.rests_on}".rstrip()
