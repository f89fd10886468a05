"""The settings that a comparison varies, and the experiments behind the lab's tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from ..allocation.ways import ON_STRATA, RECOMMENDED, RULES
from ..design.scheme import PAPER, Scheme
from ..errors import DesignError
from ..pool.pool import Pool
from ..prospect.prospect import Prospect
from ..prospect.question import Question
from ..stratification.cuts import METHODS
from ..stratification.profiles import STRATIFIERS, Outcome, outcome, profile

BUDGETS = (50, 100, 200, 400, 800)
TRIALS = 3000
STRATA = (2, 3, 5, 8)
OFFSETS = (0.5, 0.75, 1.0, 2.0, 5.0)
TABLES = ("allocation", "stratifier", "strata", "offset")
# In the order of the paper's table.
STRATIFIER_COLUMNS = METHODS[::-1]


@dataclass(frozen=True, slots=True)
class Variant:
    """One column of a table.

    Parameters
    ----------
    key : str
        Its key in frames.
    label : str
        The name people read.
    scheme : Scheme
        The scheme it stands for.
    """

    key: str
    label: str
    scheme: Scheme


def variants(table: str, scheme: Scheme = PAPER) -> tuple[Variant, ...]:
    """Columns of a table: the paper's, and the given scheme if it is not among them.

    Parameters
    ----------
    table : str
        One of `TABLES`.
    scheme : Scheme
        What all columns share but the one choice that the table varies.

    Raises
    ------
    DesignError
        There is no such table.
    """
    if table == "allocation":
        return tuple(Variant(rule, RULES[rule].title, replace(scheme, allocation=rule)) for rule in ON_STRATA)
    if table == "stratifier":
        return tuple(
            Variant(key, STRATIFIERS[key].title, replace(scheme, stratifier=key)) for key in STRATIFIER_COLUMNS
        )
    if table == "strata":
        counts = sorted({*STRATA, scheme.n_strata})
        return tuple(Variant(f"H = {h}", f"H = {h}", replace(scheme, n_strata=h)) for h in counts)
    if table == "offset":
        offsets = sorted({*OFFSETS, scheme.offset})
        return tuple(Variant(f"δ = {d:g}", f"δ = {d:g}", replace(scheme, offset=d)) for d in offsets)
    raise DesignError(f"There is no table called “{table}”. Choose one of {', '.join(TABLES)}.")


def chosen(table: str, scheme: Scheme) -> str:
    """Key of the column that is the given scheme."""
    return next(variant.key for variant in variants(table, scheme) if variant.scheme == scheme)


def default_budgets(n_strata: int, n_items: int) -> tuple[int, ...]:
    """The paper's budgets from H up to the pool's size, ascending; fractions of the pool if none fits.

    N itself is left out as long as there is another: with every item labelled, every method is exact.

    Parameters
    ----------
    n_strata : int
        H, the smallest budget.
    n_items : int
        N, the largest.
    """
    clipped = {min(max(budget, n_strata), n_items) for budget in BUDGETS}
    below = {budget for budget in clipped if budget < n_items}
    if not below:
        below = {m for m in (n_items // 4, n_items // 3, n_items // 2) if n_strata <= m < n_items}
    return tuple(sorted(below or {n_items}))


def checked_budgets(budgets: Sequence[int], n_strata: int, n_items: int) -> tuple[int, ...]:
    """Budgets ascending, each once.

    Parameters
    ----------
    budgets : sequence of int
        Numbers of labels.
    n_strata : int
        H, the smallest budget.
    n_items : int
        N, the largest.

    Raises
    ------
    DesignError
        A budget is below H or above N, or there is none at all.
    """
    ascending = tuple(sorted(set(budgets)))
    if not ascending:
        raise DesignError("No budget is given. Name at least one, such as 100.")
    least, most = ascending[0], ascending[-1]
    if least < n_strata:
        raise DesignError(
            f"A budget of {least} is too small for {n_strata} strata. The smallest possible budget is {n_strata}."
        )
    if most > n_items:
        raise DesignError(f"A budget of {most} is more than the {n_items} items whose outcome is known.")
    return ascending


def parsed_budgets(text: str) -> tuple[int, ...]:
    """Budgets from a text: whole numbers with commas, semicolons or blanks between them.

    Raises
    ------
    DesignError
        Something in the text is not a whole number above 0.
    """
    words = text.replace(",", " ").replace(";", " ").split()
    for word in words:
        if not (word.isascii() and word.isdigit() and 0 < len(word) < 12 and int(word) > 0):
            raise DesignError(f"Budgets must be whole numbers, such as 50, 100, 200. Found “{word[:30]}”.")
    return tuple(int(word) for word in words)


# The settings behind the lab's tables: a target on a pool, the budgets, and what all tables share.


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
    pool.check_unweighted("Lab")
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
