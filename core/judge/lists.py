"""The list that checks a judge: which items people label (docs/judge.md, 2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..design.basis import pool_profile
from ..design.design import Design, Plan, drawn
from ..design.judging import Criterion, Judging, class_labels, n_strata
from ..design.sampling import permanent_random_numbers, some_seed
from ..design.scheme import PAPER, whole
from ..errors import DesignError
from ..pool.pool import Pool
from ..stratification.profiles import Stratification
from .belief import forecast
from .columns import JudgeVerdicts, meanings, verdicts
from .measures import TNR

LEAST_BUDGET = 4
# The column of a pool that says how likely each item fails, whatever made it; with a judge's name before it, of that
# judge alone.
RISK = "risk"


def judge(
    pool: Pool,
    column: str | Criterion | Sequence[Criterion],
    budget: int,
    risk: ArrayLike | str | None = None,
    seed: int | None = None,
    *,
    threshold: float | None = None,
    words: Mapping[str, str] = MappingProxyType({}),
    target: str | None = None,
) -> Plan:
    """Draw the items that people label, to find out how far a judge can be trusted.

    Parameters
    ----------
    pool : Pool
        With a verdict of the judge on every item.
    column : str, Criterion or several
        The judge: a column of the items, or a target whose outcomes a judge gave (`core.judge.verdicts`). Or a
        criterion with its rubric; or several, which people decide on one pass through the items: the list is drawn for
        the one whose rate of failures caught would be known worst.
    budget : int
        M ≥ 4, the number of labels.
    risk : (N,) float or str, optional
        How doubtful each verdict is, the higher the more, or the column that says so. By default the judge's score,
        else the column “risk”, else the semantic entropy of the pool's generations; without any of these each class of
        verdicts is one stratum.
    seed : int, optional
        At least 0; without it a random one, which the plan records.
    threshold : float, optional
        The score from which on the judge passes, if it gives other numbers than 0 and 1.
    words : mapping, optional
        What other words than pass and fail mean, as ``{"gut": "pass"}``.
    target : str, optional
        The target whose answers the judge has seen and people are shown; by default ``column`` if it is a target, or
        the only one of the pool that has answers.

    Returns
    -------
    Plan
        Hand it to ``neyman.judge.request`` for the list, and to ``neyman.judged`` with the labels.

    Raises
    ------
    DesignError
        The budget is out of its range, there is no such target, or as `core.judge.verdicts`.
    """
    criteria = () if isinstance(column, str) else (column,) if isinstance(column, Criterion) else tuple(column)
    if criteria and threshold is not None:
        raise DesignError("Several criteria have no common threshold. Give each criterion its threshold.")
    read = [verdicts_on(pool, one, words) for one in criteria] or [verdicts(pool, str(column), threshold, words)]
    number = some_seed() if seed is None else whole("seed", seed, 0)
    labels = whole("budget", budget, LEAST_BUDGET)
    if labels > pool.n_items:
        raise DesignError(f"The budget of {labels:,} labels is above the number of items, {pool.n_items:,}.")
    _check_apart(criteria)
    said = max(read, key=lambda one: forecast(one.n_fail, one.n_pass, labels).half_width(TNR)) if criteria else read[0]
    doubt = _risk(pool, said, risk)
    stratum, failing = _strata(said.fails, doubt, labels, number)
    judging = Judging(said.judge, failing, said.threshold, _target(pool, said, target), criteria)
    design = Design(labels, seed=number, judging=judging)
    plan = drawn(design, pool.items_digest, pool.ids, _described(stratum, doubt), stratum)
    return replace(plan, pool=pool)


def follows_risk(plan: Plan) -> bool:
    """Whether the strata of a list that checks a judge are cut along a risk."""
    return bool(np.isfinite(plan.strata.low).any())


def verdicts_on(pool: Pool, criterion: Criterion, words: Mapping[str, str] = MappingProxyType({})) -> JudgeVerdicts:
    """Read a judge's verdicts on a criterion.

    Parameters
    ----------
    pool : Pool
        The pool.
    criterion : Criterion
        What is judged.
    words : mapping, optional
        As in `core.judge.verdicts`; the criterion's own come first.

    Raises
    ------
    DesignError
        As `core.judge.verdicts`.
    """
    said = dict(words)
    if criterion.passing is not None:
        said |= meanings(pool, criterion.column, criterion.passing)
    return verdicts(pool, criterion.column, criterion.threshold, said)


def _check_apart(criteria: Sequence[Criterion]) -> None:
    """Check that criteria have different names and columns."""
    for what in ("name", "column"):
        given = [getattr(one, what) for one in criteria]
        twice = next((one for one in given if given.count(one) > 1), None)
        if twice is not None:
            raise DesignError(f"Two criteria have the {what} “{twice}”. Give each its own.")


def _risk(pool: Pool, said: JudgeVerdicts, risk: ArrayLike | str | None) -> NDArray[np.float64] | None:
    """How doubtful each verdict is; None if nothing says so."""
    if isinstance(risk, str):
        return _column(pool, risk)
    if risk is not None:
        try:
            given = np.asarray(risk, dtype=np.float64)
        except (TypeError, ValueError):
            raise DesignError("The risk must be numbers, one for each item.") from None
        if given.shape != (pool.n_items,):
            raise DesignError(f"There are {given.size:,} risks for {pool.n_items:,} items. Give one for each item.")
        return given
    if said.scores is not None:
        return -said.scores
    for name in (f"{said.judge} {RISK}", RISK):
        if name in pool.item_columns:
            return _column(pool, name)
    return pool_profile(pool, PAPER).signal if pool.n_generations else None


def _column(pool: Pool, name: str) -> NDArray[np.float64]:
    if name not in pool.item_columns:
        raise DesignError(f"This pool has no column “{name}” for the risk. Leave risk out, or name one that it has.")
    try:
        return np.array([math.nan if one in (None, "") else float(one) for one in pool.items[name]])
    except (TypeError, ValueError):
        raise DesignError(f"The column “{name}” is no risk: it must hold numbers.") from None


def _strata(
    fails: NDArray[np.bool_], risk: NDArray[np.float64] | None, budget: int, seed: int
) -> tuple[NDArray[np.int64], int]:
    """Stratum of every item, those of fail verdicts first, and how many these are."""
    # Not the numbers by which items are drawn: of equal risks, the first drawn would all be in the lower stratum.
    ties = permanent_random_numbers(seed, fails.size, wave=2)
    stratum, first, failing = np.empty(fails.size, dtype=np.int64), 0, 0
    classes = [np.flatnonzero(fails), np.flatnonzero(~fails)]
    for places, labels in zip(classes, class_labels(classes[0].size, classes[1].size, budget), strict=True):
        if places.size:
            of_class = None if risk is None else risk[places]
            parts = 1 if of_class is None or np.unique(of_class[~np.isnan(of_class)]).size < 2 else n_strata(labels)
            order = places if of_class is None else places[np.lexsort((ties[places], of_class))]
            for part in np.array_split(order, parts):
                stratum[part] = first
                first += 1
        failing = first if places is classes[0] else failing
    return stratum, failing


def _described(stratum: NDArray[np.int64], risk: NDArray[np.float64] | None) -> Stratification:
    sizes = np.bincount(stratum).astype(np.int64)
    ends = np.full((2, sizes.size), math.nan)
    if risk is not None:
        for h in range(sizes.size):
            inside = risk[stratum == h]
            known = inside[~np.isnan(inside)]
            ends[:, h] = (known.min(), known.max()) if known.size else math.nan
    # Without generations there is no self-consistency: 1/2, as elsewhere.
    return Stratification(stratum, sizes, np.full(sizes.size, 0.5), ends[0], ends[1], by_item=True)


def _target(pool: Pool, said: JudgeVerdicts, target: str | None) -> str:
    if target is not None and target not in pool.targets:
        raise DesignError(f"This pool has no target “{target}”.")
    if target is not None or said.target:
        return target or said.target
    answered: Sequence[str] = [
        name for name, one in pool.targets.items() if one.texts is not None or one.answers is not None
    ]
    return answered[0] if len(answered) == 1 else ""
