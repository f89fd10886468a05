"""What a design promises on a pool before any label: the one object that is shown before labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pandas as pd

from ..allocation.budgets import budget_options
from ..allocation.rules import PROXY_NEYMAN, UNIFORM
from ..allocation.ways import RECOMMENDED
from ..design.scheme import PAPER
from ..errors import DesignError, NeymanError
from ..planning.belief import Belief, Range, belief
from ..planning.forecast import curve, grid, labels_for, middle_risks
from ..planning.outlook import Outlook, from_labels
from ..planning.sampling_frame import CHOSEN, VERY_MANY, Partition, SamplingFrame, assumed_frame, beside, design_frame
from ..planning.savings import measured_auroc
from ..pool.pool import Pool
from ..simulation.exact import uniform_mse
from ..words import counted, width
from . import promise
from .curves import Compared
from .memo import Memo
from .promise import Promise
from .proposal import Pools
from .question import Question

_SORTING = "Sorting the items by what is known …"
# Budget at which curves end, unless more is looked at.
_CURVE_END = 1000


class Prospect(Compared):
    """What a design promises on a pool before any label.

    Nothing is computed before it is asked for, and nothing twice: what depends on the budget alone is all that `at`
    computes anew. The losses of the target decide no design; where they are known, errors are exact.

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
        budget: int = 100,
        question: Question | None = None,
        *,
        others: Pools = (),
        memo: Memo | None = None,
    ) -> None:
        asked = Question() if question is None else question
        super().__init__(pool, budget, asked if target is None else replace(asked, target=target), others, memo)

    def __repr__(self) -> str:
        name = "a pool that is not there yet" if not self.has_pool else f"“{self.pool.name}”"
        try:
            return f"Prospect of {name}: {self.promise.sentence} {self.promise.rests_on}"
        except NeymanError as error:
            return f"Prospect of {name}: {counted(self.budget, 'label')}. {error}"

    @property
    def promise(self) -> Promise:
        """What the labels give: exact where the target's outcome is known for this design, else forecast."""
        gain = self.gain
        if gain is None:
            return promise.forecast_promise(self.forecast, self.belief.rests_on(self.frame.signal))
        known, z = self._outcome, NormalDist().inv_cdf(0.5 + self.question.confidence / 2)
        rests_on = promise.of_outcome(str(self.question.target), known.losses.size, known.n_items)
        uniform = uniform_mse(known.losses, self.budget)
        return promise.exact_promise(gain, uniform, z, known.moments.binary, rests_on)

    @property
    def forecast(self) -> Outlook:
        """What is forecast of the labels, whatever outcome is known.

        Raises
        ------
        DesignError
            The budget is out of the range of the design.
        """
        items, asked = self.frame, self.question
        return from_labels(items, self.belief, self.budget, asked.costs, asked.interval, self.forecast_method)

    @property
    def forecast_method(self) -> str:
        """What the design is called among the rows of a forecast."""
        return RECOMMENDED.name if self._is_usual else CHOSEN

    def curve(self, budgets: Sequence[int] | None = None, methods: Sequence[str] | None = None) -> pd.DataFrame:
        """Errors over budgets: exact where the outcome is known, else forecast.

        Parameters
        ----------
        budgets : sequence of int, optional
            Ascending; by default about 20, this one among them.
        methods : sequence of str, optional
            Any of the rules of `core.allocation`, "recommended" and "gate"; by default the design and those beside it.

        Returns
        -------
        DataFrame
            Tidy. Exact: method, budget, mse, relative_mse, half_width, label_share, uniform_labels, as of
            `core.simulation.in_units`. Forecast: as of `core.planning.curve`.
        """
        if self.known is not None:
            return self.exact_curve(budgets, methods)
        table = self.forecast_curve(budgets)
        return table if methods is None else table[table["method"].isin(list(methods))]

    def forecast_curve(self, budgets: Sequence[int] | None = None) -> pd.DataFrame:
        """Forecast half-widths over budgets, as of `core.planning.curve`, whatever outcome is known."""
        items = self.frame
        return curve(
            items, self.belief, grid(items, self.budget) if budgets is None else budgets, self.question.interval
        )

    def half_width_curve(self) -> pd.DataFrame:
        """Half-widths over budgets in the columns of `core.planning.curve`, exact where the outcome is known."""
        if self.gain is None:
            return self.forecast_curve()
        size, method = self._outcome.losses.size, self.forecast_method
        beside = [UNIFORM.name, *([PROXY_NEYMAN.name] if self.pool.n_generations else [])]
        most = min(size, max(_CURVE_END, 2 * self.budget))
        budgets = sorted({*budget_options(min(max(self.least, 10), most), most)[::2], self.budget, most})
        usual = self if self._is_usual else self.asking(self.question.of_best)
        others = usual.exact_curve(budgets, beside if self._is_usual else [*beside, RECOMMENDED.name])
        z = NormalDist().inv_cdf(0.5 + self.question.confidence / 2)
        own = [budget for budget in budgets if budget >= self.least]
        half = z * np.sqrt(self.errors(own))
        table = pd.concat([others, pd.DataFrame({"method": method, "budget": own, "half_width": half})])
        table["half_width"] = table["half_width"].where(table["method"] == method, z * np.sqrt(table["mse"]))
        table = table[["method", "budget", "half_width"]].reset_index(drop=True)
        return table.assign(half_width_low=table["half_width"], half_width_high=table["half_width"])

    def for_half_width(self, half_width: float) -> Prospect:
        """Return the same question with the fewest labels that give a half-width, exact where the outcome is known.

        Parameters
        ----------
        half_width : float
            Above 0, as a fraction where losses are shares: 0.03 is 3 points.

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
        z = NormalDist().inv_cdf(0.5 + self.question.confidence / 2)
        low, high = self.least, self.n_items
        while low < high:
            middle = (low + high) // 2
            enough = z**2 * float(self.errors([middle])[0]) <= half_width**2 * (1 + 1e-12)
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

    @property
    def measured(self) -> Range | None:
        """The signal's AUROC on models whose results are known; None without any."""
        if not self.has_pool:
            return None
        asked, pool = self.question, self.pool
        key, title = (
            (pool.digest, asked.target, asked.parser),
            "Measuring the signal on models whose results are known …",
        )
        return self.memo.once("measured", key, lambda: measured_auroc(pool, asked.target, parser=asked.parser), title)

    @property
    def belief(self) -> Belief:
        """What is believed of the target and of the signal."""
        auroc = self.question.auroc
        if auroc is None:
            seen, scheme = self.measured, self._sorted.design.scheme if self.has_pool else PAPER
            auroc = scheme.along.usual if seen is None else (seen.low, seen.high)
        return belief(self.question.expected, auroc)

    @property
    def frame(self) -> SamplingFrame:
        """What forecasts are made of: the items along the recommended design's signal, and this design beside it."""
        if not self.has_pool:
            size = self.question.n_items
            return self.memo.once("frame", ("assumed", size), lambda: assumed_frame(size))
        if not self._is_usual:
            key = (*self._along, self.question.basis, self.scheme, self._drawn and self._drawn.plan_id)
            return self.memo.once("frame", key, self._beside)
        pool, design, profile = self.pool, self.whole, self.profile
        return self.memo.once("frame", self._along, lambda: design_frame(pool, design, profile), _SORTING)

    def _beside(self) -> SamplingFrame:
        """The frame of the recommended design with this one's strata beside it."""
        usual = self.asking(replace(self.question, scheme=None, gate=False))
        if self._drawn is None:
            strata = self.design.scheme.stratify(self.profile)
            chosen = Partition(self.design.scheme, strata, self.profile)
        else:
            chosen = Partition(self._drawn.design.scheme, self._drawn.strata, self._drawn.stratum)
        # Most strata need no items to stand for them but those that stand for the pool.
        frame = beside(usual.frame, chosen)
        return design_frame(self.pool, usual.whole, usual.profile, chosen) if frame is None else frame

    @property
    def _is_usual(self) -> bool:
        """Whether this is the recommended design."""
        return self.question.scheme is None and not self.question.gate and self._drawn is None
