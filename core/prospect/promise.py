"""The promise of a design: from known outcomes of the target, else a forecast, in the same words everywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from ..planning.costs import Payment
from ..planning.outlook import Outlook, is_wider, said
from ..simulation import findings
from ..simulation.findings import Gain
from ..words import bare, counted, width


@dataclass(frozen=True, slots=True)
class Promise:
    """What so many labels of a design give, and what this rests on.

    Parameters
    ----------
    labels : int
        M.
    half_width : float
        To expect of the interval, as a fraction if losses are shares. It is a forecast, also from known outcomes.
    uniform : float
        The same of an equal number of labels drawn uniformly.
    uniform_labels : int or None
        Labels that Uniform needs for the same precision; None if there are not as many.
    low, high : float
        Range of the half-width over what is believed; by known outcomes, the half-width itself.
    rests_on : str
        What this rests on, in a sentence.
    payment : Payment
        What the labels cost.
    share : bool
        Losses are 0 and 1, so that people read an accuracy.
    gain : Gain or None
        The exact errors; None if the outcome is not known.
    outlook : Outlook or None
        The forecast from what is believed; None if the outcome is known.
    """

    labels: int
    half_width: float
    uniform: float
    uniform_labels: int | None
    low: float
    high: float
    rests_on: str
    payment: Payment
    share: bool = True
    gain: Gain | None = None
    outlook: Outlook | None = None

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
        """What the ranges of a forecast are called: "assumption" if they rest on nothing else."""
        return "" if self.outlook is None else self.outlook.ranges

    @property
    def fewer(self) -> int:
        """Labels saved, at least 0; 0 if it is not known."""
        return 0 if self.uniform_labels is None else max(self.uniform_labels - self.labels, 0)

    @property
    def wider(self) -> bool:
        """Whether the interval to expect is wider than Uniform's, as they are written."""
        return is_wider(self.half_width, self.uniform, self.share)

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
        """What a random sample would need, for somebody who has read the title alone; "" if that is no more."""
        needed = counted(self.labels + self.fewer, "label")
        about = "" if self.exact else "about "
        precise = "for the same squared error, although its interval is narrower" if self.wider else "to be as precise"
        return f"A plain random sample (Uniform) needs {about}{needed} {precise}." if self.fewer else ""

    @property
    def sentence(self) -> str:
        """What the labels give and what Uniform would take, in a sentence or two."""
        if self.outlook is not None:
            return self.outlook.sentence()
        gain = self.gain
        assert gain is not None
        if gain.budget == gain.n_items or math.isnan(gain.relative[gain.method]):
            return findings.saving(gain)
        given, uniform = f"±{width(self.half_width, self.share)}", bare(self.uniform, self.share)
        return said(given, self.payment, uniform, "squared error", self.wider)

    @property
    def below(self) -> str:
        """The sentence for below the title, which has the half-width of a forecast already."""
        if self.outlook is None or not self.half_width > 0:
            return self.sentence
        return said("", self.payment, width(self.uniform, True), wider=self.wider)

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
        """Whether choosing the items this way helps."""
        if self.outlook is not None:
            return self.outlook.verdict()
        assert self.gain is not None
        return findings.saving(self.gain)

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
        """One row with all numbers: of a forecast those of `core.planning.Outlook` too."""
        numbers = ("labels", "half_width", "low", "high", "uniform", "uniform_labels", "saved", "rests_on")
        row = {"outcome_known": self.exact, **{name: getattr(self, name) for name in numbers}}
        money = {name: getattr(self.payment, name) for name in ("money", "more_money", "break_even")}
        table = pd.DataFrame([row | money | {"hours": self.payment.costs.hours(self.labels)}])
        if self.outlook is None:
            return table
        more = self.outlook.summary_frame()
        return table.join(more[[name for name in more if name not in table]])

    def __repr__(self) -> str:
        return f"Promise: {self.sentence} {self.rests_on}"


def forecast_promise(outlook: Outlook, rests_on: str) -> Promise:
    """Return the promise of a forecast."""
    same = ("labels", "half_width", "uniform", "uniform_labels", "low", "high", "payment")
    return Promise(**{name: getattr(outlook, name) for name in same}, rests_on=rests_on, outlook=outlook)
