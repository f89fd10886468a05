"""Questions about a pool before any label, and the costs of labels: money and time of all that they take."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..design.scheme import Scheme
from ..errors import DesignError
from ..estimation.intervals import Interval
from ..words import PER_CENT, SPACE, counted, span, value
from .prior import Range

_BEFORE = ("$", "£", "¥", "₹")


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs, set once.

    Parameters
    ----------
    label : float
        Price of one label, at least 0.
    minutes : float
        Minutes that a label takes, at least 0.
    target_run : float
        Price of the target's answer to one item, at least 0: items that are labelled are run.
    tokens : float
        Tokens of the surrogate's pass for one item, at least 0: every item of the pool is run.
    million_tokens : float
        Price of a million of them, at least 0.
    currency : str
        A sign or a code.

    Raises
    ------
    DesignError
        A price is negative or not a number.
    """

    label: float = 0.0
    minutes: float = 0.0
    target_run: float = 0.0
    tokens: float = 0.0
    million_tokens: float = 0.0
    currency: str = "€"

    def __post_init__(self) -> None:
        for name in ("label", "minutes", "target_run", "tokens", "million_tokens"):
            number = getattr(self, name)
            if not 0 <= number < math.inf:
                raise DesignError(f"Costs and times must be numbers of at least 0. Found {number!r} for {name}.")

    @property
    def each(self) -> float:
        """Price of one more label, with the target's run."""
        return self.label + self.target_run

    def surrogate_pass(self, n_items: int) -> float:
        """Price of the surrogate's answers to all items."""
        return n_items * self.tokens * self.million_tokens / 1e6

    def money(self, labels: int) -> float:
        """Price of labels and of running the target on them."""
        return labels * self.each

    def hours(self, labels: int) -> float:
        """Hours of labelling."""
        return labels * self.minutes / 60

    def labels(self, money: float, n_items: int, fixed: float = 0.0) -> int:
        """Labels that an amount of money pays for, at most N.

        Parameters
        ----------
        money : float
            The amount.
        n_items : int
            N.
        fixed : float
            What is spent beside, such as the surrogate's pass.

        Raises
        ------
        DesignError
            A label costs nothing, or the money does not pay for one.
        """
        if self.each <= 0:
            raise DesignError("Give the price of a label first: without it, money says nothing about labels.")
        count = math.floor((money - fixed) / self.each + 1e-9)
        if count < 1:
            rest = f" after {self.amount(fixed)} for the surrogate" if fixed else ""
            raise DesignError(f"{self.amount(money)} does not pay for a single label{rest}. Raise the budget.")
        return min(count, n_items)

    def spent(self, labels: int) -> str:
        """Cost of labels in words, such as “1,800 €, 3 hours”; "" if no price is set."""
        return Payment(self, labels, None, None).words

    def bill(self, labels: int, n_items: int | None = None) -> list[tuple[str, str]]:
        """Bill of an evaluation, entries of what is paid for and its price in words; none if nothing has a price.

        Parameters
        ----------
        labels : int
            M.
        n_items : int, optional
            N, on all of which the surrogate answers; None for very many, which nobody can ask.
        """
        paid = Payment(self, labels, None, n_items)
        parts = {
            "Labels": labels * self.label,
            "The target’s answers to these items": labels * self.target_run,
            "The surrogate’s answers to all items": paid.surrogate_pass,
        }
        entries = [(name, self.amount(money)) for name, money in parts.items() if money > 0]
        if len(entries) > 1:
            entries.append(("Together", self.amount(paid.money)))
        return [*entries, *([("Time of labelling", duration(self.hours(labels)))] if self.minutes > 0 else [])]

    def amount(self, money: float) -> str:
        """An amount in words, “1,800 €” or “$1,800”; with cents below 100."""
        digits = f"{abs(money):,.2f}" if abs(money) < 100 and round(abs(money), 2) % 1 else f"{abs(money):,.0f}"
        sign = "−" if money < 0 and digits.strip("0.,") else ""
        before = self.currency in _BEFORE
        return f"{sign}{self.currency}{digits}" if before else f"{sign}{digits}{SPACE}{self.currency}"


@dataclass(frozen=True, slots=True)
class Payment:
    """Cost of an evaluation, beside that of one with the labels that Uniform needs.

    Parameters
    ----------
    costs : Costs
        What a label costs.
    labels : int
        M.
    uniform_labels : int or None
        Labels that Uniform needs for the same precision; None if there are not as many.
    n_items : int or None
        N, on all of which the surrogate answers; None is very many, which nobody can ask.
    """

    costs: Costs
    labels: int
    uniform_labels: int | None
    n_items: int | None

    @property
    def surrogate_pass(self) -> float:
        """Price of the surrogate's answers to all items; 0 for very many."""
        return 0.0 if self.n_items is None else self.costs.surrogate_pass(self.n_items)

    @property
    def money(self) -> float:
        """Price of everything: labels, target, surrogate."""
        return self.costs.money(self.labels) + self.surrogate_pass

    @property
    def more_money(self) -> float:
        """Extra price of the labels that Uniform needs; negative if Uniform is cheaper, NaN if it is unknown."""
        return math.nan if self.uniform_labels is None else self.costs.money(self.uniform_labels) - self.money

    @property
    def break_even(self) -> float:
        """Price of the surrogate's pass below which it pays; NaN if it is not known."""
        return math.nan if self.uniform_labels is None else self.costs.money(self.uniform_labels - self.labels)

    @property
    def words(self) -> str:
        """Money and hours, such as “1,203 €, 8.3 hours”; "" if no price is set."""
        parts = [self.costs.amount(self.money)] if self.money > 0 else []
        parts += [duration(self.costs.hours(self.labels))] if self.costs.minutes > 0 else []
        return ", ".join(parts)

    @property
    def beside(self) -> str:
        """Extra price of Uniform's labels in words, more or less; "" if there is nothing to compare."""
        if self.costs.each <= 0 or math.isnan(self.more_money) or not self.more_money:
            return ""
        return f"{self.costs.amount(abs(self.more_money))} {'more' if self.more_money > 0 else 'less'}"


def duration(hours: float) -> str:
    """A time of work in words, “45 minutes”, “3 hours”, “2.5 hours”."""
    if hours < 1:
        minutes = max(1, round(60 * hours)) if hours > 0 else 0
        return f"{minutes}{SPACE}minute{'' if minutes == 1 else 's'}"
    shown = f"{hours:.1f}".removesuffix(".0") if hours < 10 else f"{hours:,.0f}"
    return f"{shown}{SPACE}hour{'' if shown == '1' else 's'}"


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
        Believed AUROC of the signal, as in `core.prospect.prior`; None is what past outcomes on the pool show, or
        else what such a signal is usually worth.
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
