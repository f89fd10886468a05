"""The settings behind the lab's tables: a target on a pool, the budgets, and what all tables share."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from ..allocation.ways import RECOMMENDED
from ..design.scheme import PAPER, Scheme
from ..errors import DesignError
from ..pool.pool import Pool
from ..prospect.prospect import Prospect
from ..prospect.question import Question
from ..stratification.profiles import Outcome, outcome, profile
from .settings import TRIALS, checked_budgets, default_budgets


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """A target on a pool, the budgets, and the settings that all tables share.

    Parameters
    ----------
    prospect : Prospect
        What is asked of the pool and of one of its targets; gives the recommended design.
    outcome : Outcome
        The target's known losses under the scheme's parser.
    budgets : tuple of int
        Ascending, each from the number of strata to the number of known losses.
    budget : int
        The one that sentences and the map speak of.
    scheme : Scheme
        What every table shares but for the one choice that it varies.
    trials : int
        T ≥ 2 of every simulation; 0 simulates nothing.
    clip : float
        LURE's share of Uniform, in (0, 1].
    seed : int
        Of every simulation.
    judge : str or None
        The column of a judge's verdicts, 1 for right; by default “judge”, or else what the surrogate says.
    proxy : str or None
        The column of GAT's P(True); by default “p_true”, or else “logprob_true” with “logprob_false”.
    """

    prospect: Prospect
    outcome: Outcome
    budgets: tuple[int, ...]
    budget: int
    scheme: Scheme = PAPER
    trials: int = TRIALS
    clip: float = 0.1
    seed: int = 0
    judge: str | None = None
    proxy: str | None = None

    @property
    def pool(self) -> Pool:
        """The pool."""
        return self.prospect.pool

    @property
    def known(self) -> Prospect:
        """Return the prospect on the items alone whose outcome is known."""
        return self.prospect.evidence or self.prospect

    @property
    def target(self) -> str:
        """One of its targets."""
        return str(self.prospect.question.target)

    @property
    def recommended(self) -> pd.DataFrame:
        """Exact errors of the recommended design on the known items: method, budget, mse, relative_mse.

        They are those of every page if the outcome is known on all items.

        The strata follow the budget. A budget that the design does not allow has no row.
        """
        curve = self.known.exact_curve(self.budgets, [RECOMMENDED.name])
        return curve[["method", "budget", "mse", "relative_mse"]]

    @property
    def recommended_error(self) -> float:
        """Relative error of the recommended design at ``budget``, 1 for Uniform's; NaN if there is none."""
        curve = self.known.exact_curve([self.budget], [RECOMMENDED.name])
        return float(curve["relative_mse"].iloc[0]) if len(curve) else math.nan


def experiment(
    pool: Pool,
    target: str,
    budgets: tuple[int, ...] = (),
    scheme: Scheme = PAPER,
    trials: int = TRIALS,
    clip: float = 0.1,
    seed: int = 0,
    judge: str | None = None,
    proxy: str | None = None,
) -> Experiment:
    """An experiment on a pool; the paper's budgets, as far as they fit, if none is given.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str
        One of its targets.
    budgets, scheme, trials, clip, seed, judge, proxy
        As in `Experiment`.

    Raises
    ------
    PoolError
        The pool has no generations, or no such target.
    DesignError
        A budget or number of trials does not fit, or no outcome of the target is known.
    """
    if trials != 0 and trials < 2:
        raise DesignError(f"The number of trials must be at least 2, or 0 to simulate nothing. Found {trials}.")
    known = outcome(profile(pool.classes(scheme.parser)), pool.losses(target, scheme.parser))
    if known is None:
        raise DesignError(f"No outcome of “{target}” is known. Add its losses, or its answers and the truth.")
    fitting = fitting_budgets(known, scheme, budgets)
    prospect = Prospect(pool, target, fitting[0], Question(parser=scheme.parser))
    return Experiment(prospect, known, fitting, middle(fitting), scheme, trials, clip, seed, judge, proxy)


def fitting_budgets(outcome: Outcome, scheme: Scheme, budgets: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The given budgets, ascending, each once; the paper's as far as they fit if none is given.

    Parameters
    ----------
    outcome : Outcome
        The target's known losses.
    scheme : Scheme
        Gives the number of strata, the smallest budget.
    budgets : tuple of int
        Numbers of labels.

    Raises
    ------
    DesignError
        A budget is below the number of strata or above the number of known losses.
    """
    n_strata, n_items = (
        outcome.profile.stratify(scheme.n_strata, scheme.stratifier, scheme.floor).n_strata,
        outcome.losses.size,
    )
    return checked_budgets(budgets, n_strata, n_items) if budgets else default_budgets(n_strata, n_items)


def middle(budgets: tuple[int, ...], asked: int = 100) -> int:
    """The budget nearest to the one that is asked for, by default the paper's 100."""
    return min(budgets, key=lambda budget: (abs(budget - asked), budget))
