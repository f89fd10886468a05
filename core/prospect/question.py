"""Questions about a pool before any label."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..design.scheme import Scheme
from ..estimation.intervals import Interval
from ..words import PER_CENT, counted, span, value
from .belief import Range
from .costs import Costs

# A signal beside those of `core.signals.SIGNALS`: the risk that a model trained on other pools predicts.
ELSEWHERE = "elsewhere"
# Accuracies that are believed if nobody says otherwise and nothing is known.
USUALLY = (0.7, 0.85)
_FREE = Costs()
# Fields of a question that decide the recommended design, beside the pools to learn from.
_BASIS = ("target", "past", "accuracy", "parser", "column", "signal", "floor")


@dataclass(frozen=True, slots=True)
class Pilot:
    """An estimate of a target from earlier labels.

    Parameters
    ----------
    accuracy : float
        The estimate, in [0, 1].
    n_labels : int
        Labels that it rests on.
    plan_id : str
        Their plan.
    low, high : float
        Its interval, of 95 %; NaN if there is none.
    here : bool
        Whether the labels are of these items, not of those of an earlier version of the pool.
    share : bool
        Whether it is an accuracy, no mean score.
    disputes : int
        Open disputes: the estimate is then the range over both ways of settling each.
    least, most : float
        The ends of that range; NaN if no dispute is open.
    """

    accuracy: float
    n_labels: int
    plan_id: str
    low: float = math.nan
    high: float = math.nan
    here: bool = True
    share: bool = True
    disputes: int = 0
    least: float = math.nan
    most: float = math.nan

    @property
    def number(self) -> str:
        """The estimate, “about 75.4 %”, or its range while disputes are open."""
        if self.least < self.most:
            return span(self.least, self.most, True)
        return f"about {value(self.accuracy, True, self.high - self.low)}"

    def title_of(self, target: str | None) -> str:
        """The estimate, as a headline; ``target``: None if the labels name none."""
        target = target or "Your model"
        if self.share:
            return f"{target} is right on {self.number} of all items"
        return f"{target} has a mean score of {self.number} on all items"

    @property
    def because(self) -> str:
        """Its interval, and what it rests on."""
        limits, labels = f"{span(self.low, self.high, True)} (95{PER_CENT} confidence)", counted(self.n_labels, "label")
        if not self.least < self.most:
            return f"{limits}, from {labels}."
        items = counted(self.disputes, "disputed item is", "disputed items are")
        return f"It depends on how {items} settled; {limits}, whichever way they are settled, from {labels}."


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a pool, with beliefs and costs; equal questions of equal pools have equal answers.

    Parameters
    ----------
    target : str or None
        The model to be evaluated; None if it has not run.
    past, accuracy, parser, column
        As in `core.design.Scheme`.
    signal : str or None
        Of `core.signals.SIGNALS`, or `ELSEWHERE`: what the recommended design is to rest on; None is the best known.
    others : tuple of str
        Digests of the pools that `ELSEWHERE` learns from.
    floor : float or None
        Floor of the masses of strata along a predicted risk; None is the one that `core.design.recommend` chooses.
    gate : bool
        For a decision that may be looked at after every label: the strata are coarse.
    scheme : Scheme or None
        The design that is asked for; None is the recommended one.
    expected : float, (float, float), Range or None
        The target's believed accuracy, or the range in which it lies; None is what past outcomes on the pool show, or
        else `USUALLY`.
    auroc : str, float, (float, float) or None
        Believed AUROC of the signal, as in `core.prospect.belief`; None is what past outcomes on the pool show, or else
        what such a signal is usually worth.
    costs : Costs
        What labels cost.
    confidence : float
        Of the interval, in (0, 1).
    n_items : int or None
        The size of a pool that is not there yet; None is very many.
    """

    target: str | None = None
    past: tuple[str, ...] | None = None
    accuracy: float | None = None
    parser: str | None = None
    column: str | None = None
    signal: str | None = None
    others: tuple[str, ...] = ()
    floor: float | None = None
    gate: bool = False
    scheme: Scheme | None = None
    expected: float | tuple[float, float] | Range | None = None
    auroc: str | float | tuple[float, float] | None = None
    costs: Costs = _FREE
    confidence: float = 0.95
    n_items: int | None = None

    @property
    def basis(self) -> Question:
        """The part of the question that decides the recommended design."""
        kept = {name: getattr(self, name) for name in _BASIS}
        return Question(**kept, others=self.others if self.signal == ELSEWHERE else ())

    @property
    def interval(self) -> Interval:
        """The interval that is asked for."""
        return Interval(confidence=self.confidence)

    @property
    def of_best(self) -> Question:
        """The same question of the recommended design along the best signal."""
        return replace(self, signal=None, column=None, gate=False, scheme=None)
