"""What a design promises on a pool before any label: the one object that is shown before labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from ..allocation.budgets import USUAL_BUDGET, budget_options
from ..allocation.rules import PROXY_NEYMAN, UNIFORM
from ..allocation.ways import RECOMMENDED, WAYS
from ..errors import DesignError, NeymanError
from ..planning.costs import Payment
from ..planning.forecast import labels_for, middle_risks, textbook_size
from ..planning.sampling_frame import ASSUMED, VERY_MANY
from ..pool.pool import Pool
from ..words import counted, level, per_cent, width
from .curves import apart
from .decisions import Decisions
from .memo import Memo
from .promise import Promise, forecast_promise
from .proposal import Pools
from .question import Pilot, Question

# Budget at which curves end, unless more is looked at.
_CURVE_END = 1000


class Prospect(Decisions):
    """What a design promises on a pool before any label.

    Nothing is computed before it is asked for, and nothing twice: what depends on the budget alone is all that `at`
    computes again. The losses of the target decide no design; if they are known, errors are exact.

    Parameters
    ----------
    pool : Pool or None
        The pool; None for one that is not there yet, of which only forecasts are possible.
    target : str, optional
        The model to be evaluated; by default the question's.
    budget : int
        M, from 1 to N.
    question : Question, optional
        What is asked, believed and paid.
    others : sequence of Pool, or callable
        Pools on other items that the signal `core.prospect.ELSEWHERE` learns from; or what opens those of some digests.
    earlier : callable, optional
        Reads what earlier labels say of the target.
    memo : Memo, optional
        Where results are kept; by default a new one.

    Raises
    ------
    DesignError
        The budget is out of its range.
    """

    __slots__ = ()

    def __init__(
        self,
        pool: Pool | None,
        target: str | None = None,
        budget: int = USUAL_BUDGET,
        question: Question | None = None,
        *,
        others: Pools = (),
        earlier: Callable[[], Pilot | None] | None = None,
        memo: Memo | None = None,
    ) -> None:
        asked = Question() if question is None else question
        super().__init__(
            pool, budget, asked if target is None else replace(asked, target=target), others, earlier, memo
        )

    def __repr__(self) -> str:
        name = "a pool that is not there yet" if not self.has_pool else f"“{self.pool.name}”"
        try:
            return f"Prospect of {name}: {self.promise.sentence} {self.promise.rests_on}"
        except NeymanError as error:
            return f"Prospect of {name}: {counted(self.budget, 'label')}. {error}"

    @property
    def promise(self) -> Promise:
        """Precision that the labels give: by the target's outcome if it is known for this design, else forecast."""
        gain = self.gain
        if gain is None:
            return forecast_promise(self.forecast, self.rests_on)
        own = float(self.half_widths([self.budget])[0])
        uniform = float(self.half_widths_of(UNIFORM.name, [self.budget])[0])
        payment = Payment(self.question.costs, gain.budget, gain.uniform_needed, self.n_items)
        rests_on = (
            f"The outcome of “{self.question.target}” is known on every item: what is saved follows from it, and ± is "
            "the half-width to expect. A sample may give another one."
        )
        return Promise(gain.budget, own, uniform, gain.uniform_needed, own, own, rests_on, payment, self.share, gain)

    @property
    def meaning(self) -> str:
        """What "±" means, for somebody who has never heard of it."""
        return (
            f"± is the margin: {level(self.question.confidence)} of such evaluations come that close to the true "
            f"{self.measure}."
        )

    @property
    def explained(self) -> str:
        """What the promise rests on, and how its items are chosen."""
        return f"{self.promise.rests_on} {self.approach}"

    @property
    def approach(self) -> str:
        """How the items are chosen, and what a calculator would say, in sentences."""
        promise, known = self.promise, self.has_pool
        if known and self.uniform:
            text = "Nothing is known of these items before any label, so the recommended design draws them uniformly."
        else:
            text = "The recommended design labels more of the items that your model probably gets wrong."
            text += f" It sorts them by {self.signal}." if known else f" It assumes {ASSUMED}."
        if known and self.pool.n_generations:
            agreeing = per_cent(self.profile.agreeing)
            text += f" Another model’s answers agree with each other on {agreeing} of the items."
        if 0 < promise.half_width < 1 and self.share:
            accuracy = self.truth if promise.exact else self.belief.accuracy.middle
            labels = textbook_size(promise.half_width, accuracy, self.size, self.question.confidence)
            text += f" The textbook’s formula for Uniform: {labels:,} labels."
        if not known or self.pool.n_generations:
            text += " The paper’s design has five groups of items, by how much another model’s answers disagree."
        return text

    def curve(self, budgets: Sequence[int] | None = None, methods: Sequence[str] | None = None) -> pd.DataFrame:
        """Errors over budgets: exact if the outcome is known, else forecast.

        Parameters
        ----------
        budgets : sequence of int, optional
            Ascending; by default about 20, this one among them.
        methods : sequence of str, optional
            Any of the rules of `core.allocation`, "recommended" and "gate"; by default the design and those beside it.

        Returns
        -------
        DataFrame
            Tidy. Exact: method, budget, mse, relative_mse, margin, label_share, uniform_labels, as of
            `core.simulation.in_units`, and half_width, to expect of the interval. Forecast: as of
            `core.planning.curve`.

        Raises
        ------
        DesignError
            There is no such method.
        """
        if self.known is not None:
            lines = [
                part.assign(half_width=self.half_widths_of(str(name), part["budget"].tolist()))
                for name, part in self.exact_curve(budgets, methods).groupby("method", sort=False)
            ]
            return pd.concat(lines, ignore_index=True)
        table = self.forecast_curve(budgets)
        return table if methods is None else table[table["method"].isin([WAYS[name].name for name in methods])]

    def half_width_curve(self) -> pd.DataFrame:
        """Half-widths over budgets in the columns of `core.planning.curve`, by the target's outcome if it is known."""
        if self.gain is None:
            return self.forecast_curve()
        size, method = self.n_items, self.forecast_method
        most = min(size, max(_CURVE_END, 2 * self.budget))
        usual_budgets = budget_options(min(max(self.least, 10), most), most)[::2]
        budgets = sorted({*apart(usual_budgets, self.budget), self.budget, most})
        usual = self if self._is_usual else self.asking(self.question.of_best)
        half = self.half_widths_of(UNIFORM.name, budgets)
        tables = {UNIFORM.name: pd.DataFrame({"method": UNIFORM.name, "budget": budgets, "half_width": half})}
        # The last of a name counts: the design asked about may be one of the others.
        for name, design in ((PROXY_NEYMAN.name, usual._paper), (RECOMMENDED.name, usual), (method, self)):
            if design is not None:
                at = [budget for budget in budgets if budget >= design.least]
                tables[name] = pd.DataFrame({"method": name, "budget": at, "half_width": design.half_widths(at)})
        table = pd.concat(tables.values(), ignore_index=True)
        return table.assign(half_width_low=table["half_width"], half_width_high=table["half_width"])

    def for_half_width(self, half_width: float) -> Prospect:
        """Return the same question with the fewest labels that give a half-width, by the outcome if it is known.

        Parameters
        ----------
        half_width : float
            Above 0, as a fraction if losses are shares: 0.03 is 3 points.

        Raises
        ------
        DesignError
            More than a million labels are needed, or the half-width is out of its range.
        """
        if not 0 < half_width < 1:
            raise DesignError(f"A half-width lies between 0 and 1. Found {half_width:g}.")
        if self.known is None:
            risks = middle_risks(self.frame, self.belief)
            labels = labels_for(self.frame, risks, self.forecast_method, half_width, self.question.interval)
            if labels is None:
                raise DesignError(
                    f"±{width(half_width, True)} take more than a million labels. Choose a wider interval."
                )
            return self.at(labels)
        low, high = self.least, self.n_items
        while low < high:
            middle = (low + high) // 2
            enough = float(self.half_widths([middle])[0]) <= half_width * (1 + 1e-12)
            low, high = (low, middle) if enough else (middle + 1, high)
        return self.at(low)

    def for_money(self, money: float) -> Prospect:
        """Return the same question with the labels that an amount of money pays for, after the surrogate's pass.

        Raises
        ------
        DesignError
            A label costs nothing, or the money does not pay for one.
        """
        costs, items = self.question.costs, self.frame
        fixed = 0.0 if items.n_items >= VERY_MANY else costs.surrogate_pass(items.n_items)
        return self.at(costs.labels(money, items.n_items, fixed))
