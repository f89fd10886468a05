"""Signals and surrogates compared: how each ranks the items by loss, and what its strata save."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from ..design.scheme import PAPER, Scheme
from ..errors import DesignError, PoolError, Problem
from ..pool.columns import TEXTS
from ..pool.pool import Pool
from ..signals.entries import SIGNALS, offered
from ..signals.entropy import self_consistency
from ..signals.quality import auroc
from ..signals.signal import Given
from ..simulation.exact import curve
from ..stratification.cuts import Levels, levels
from ..stratification.moments import group_means
from ..stratification.profiles import Profile, outcome

PREFIX = "generations:"
# Names in place of a surrogate's: the pool's own generations, and signals that are columns of the pool.
OWN = "own"
COLUMN = "column"
_COLUMNS = ("id", "choices", "answer_kind")
_REMEDY = 'Write a list of texts such as ["A", "B", "A"].'


def surrogates(pool: Pool) -> dict[str, Pool]:
    """The pool with the generations of each of its surrogates, by name: the pool itself as "own", then the others.

    The others' pools hold ids, choices, answer kinds and that surrogate's generations, parsed as the pool's own are.

    Raises
    ------
    PoolError
        A value of such a key is not a list of texts; every such item is named.
    """
    pools = {OWN: pool} if pool.n_generations else {}
    problems: list[Problem] = []
    for name in pool.source.column_names:
        if name.startswith(PREFIX):
            pools[name.removeprefix(PREFIX).strip() or PREFIX] = _pool(pool, name, problems)
    if problems:
        raise PoolError(problems)
    return pools


def _pool(pool: Pool, column: str, problems: list[Problem]) -> Pool:
    lists = []
    for row, text in enumerate(pool.source.column(column).to_pylist(), start=1):
        value = _texts(text)
        if value is None and text is not None:
            problems.append(Problem(f"{str(text)[:30]} is not a list of texts.", row, column, _REMEDY))
        lists.append(value or None)
    columns = [name for name in _COLUMNS if name in pool.source.column_names]
    return Pool(
        column, pool.source.select(columns).append_column("generations", pa.chunked_array([pa.array(lists, TEXTS)]))
    )


def _texts(value: Any) -> list[str] | None:
    """A list of texts from its JSON text; None if it is not one."""
    if value is None:
        return None
    try:
        texts = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(texts, list) or any(isinstance(text, list | dict | bool) for text in texts):
        return None
    return ["" if text is None else str(text) for text in texts]


@dataclass(frozen=True, slots=True, eq=False)
class SurrogateSignal:
    """One signal on a pool of N items.

    Parameters
    ----------
    surrogate : str
        Whose generations it comes from: "own" for the pool's, "column" for a number that the pool brings along.
    name : str
        One of `core.signals.SIGNALS`, or the column.
    values : (N,) float
        NaN if the item has no signal.
    consistency : (N,) float
        Self-consistency, for the allocation; of a pool without generations 1 − p̂, or 1/2 if the signal is no risk.
    target : str or None
        The target that it is made for; None: it counts for all.
    """

    surrogate: str
    name: str
    values: NDArray[np.float64]
    consistency: NDArray[np.float64]
    target: str | None = None

    @property
    def key(self) -> tuple[str, str, str | None]:
        """The key that tells it from others: surrogate, name and target."""
        return self.surrogate, self.name, self.target

    @property
    def label(self) -> str:
        """The name people read, with the surrogate if it is not the pool's own."""
        if self.surrogate == COLUMN:
            return self.name
        name = SIGNALS[self.name].noun
        return name if self.surrogate == OWN else f"{name} of {self.surrogate}"


def signals(pool: Pool, kind: str | None = None, targets: Sequence[str] = ()) -> list[SurrogateSignal]:
    """Every signal of the catalogue that a pool has: of each surrogate, of each numeric column, and for each target.

    Parameters
    ----------
    pool : Pool
        The pool.
    kind : str, optional
        Answer kind for all generations, by default the pool's own.
    targets : sequence of str
        Those for which signals are made that need a target: its answers, or the results of the others.

    Raises
    ------
    PoolError
        Generations of another surrogate are not lists of texts.
    """
    consistency = self_consistency(pool.classes(kind)) if pool.n_generations else np.full(pool.n_items, 0.5)
    found = []
    for name, answered in surrogates(pool).items() if pool.n_generations else ():
        of_surrogate = consistency if name == OWN else self_consistency(answered.classes(kind))
        for signal, given in offered(answered, Given(past=(), parser=kind)):
            if signal.of_surrogate:
                values = signal.read(answered, given).values
                found.append(SurrogateSignal(name, signal.name, values, of_surrogate))
    for target in (None, *targets):
        given, for_all = Given(target, () if target is None else None, parser=kind), {one.key for one in found}
        for signal, made_from in offered(pool, given):
            by, name = (COLUMN, str(made_from.column)) if signal.of_column else (OWN, signal.name)
            if not signal.of_surrogate and (by, name, None) not in for_all:
                read = signal.read(pool, made_from)
                certain = consistency if pool.n_generations or read.risk is None else 1 - read.risk
                found.append(SurrogateSignal(by, name, read.values, certain, target))
    return found


def compare(
    pool: Pool,
    signals: Sequence[SurrogateSignal],
    targets: Sequence[str],
    budgets: Sequence[int],
    scheme: Scheme = PAPER,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Each signal against each target. An item without a signal counts as the largest throughout.

    Parameters
    ----------
    pool : Pool
        The pool of the signals.
    signals : sequence of SurrogateSignal
        Of `signals`.
    targets : sequence of str
        Names of the pool's targets; those without a known loss are left out.
    budgets : (B,) int
        At least 1.
    scheme : Scheme
        How strata and labels follow from a signal; its parser reads the targets' outputs.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    DataFrame
        Tidy: surrogate, signal, label, target, items (with a known loss), zeros (share of them with a signal of 0),
        auroc, spearman, strata (H that resulted), budget, relative_mse (exact, a ratio, of the scheme's allocation
        after stratifying on the signal; NaN if the budget is below the strata or above the items).

    Raises
    ------
    DesignError
        A signal is infinite somewhere.
    """
    rows = []
    for done, (signal, target) in enumerate(product(signals, targets), start=1):
        losses = pool.losses(target, scheme.parser)
        known = np.isfinite(losses)
        if known.any() and signal.target in (None, target):
            rows.append(_row(signal, target, losses[known], known, budgets, scheme))
        if progress is not None:
            progress(done / (len(signals) * len(targets)))
    columns = ["surrogate", "signal", "label", "target", "items", "zeros", "auroc", "spearman", "strata"]
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=[*columns, "budget", "relative_mse"])


def spearman(signal: Levels, losses: ArrayLike) -> float:
    """Rank correlation of a signal with the losses, ties at their average rank.

    Parameters
    ----------
    signal : Levels
        Of N items.
    losses : (N,) array_like
        NaN results if either is constant.
    """
    other = levels(losses)
    first, second = _ranks(signal), _ranks(other)
    first, second = first - first.mean(), second - second.mean()
    scale = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / scale if scale > 0 else float("nan")


def _ranks(signal: Levels) -> NDArray[np.float64]:
    """Average rank of each item, (N,)."""
    return np.asarray((np.cumsum(signal.counts) - (signal.counts - 1) / 2)[signal.member])


def _row(
    signal: SurrogateSignal,
    target: str,
    losses: NDArray[np.float64],
    known: NDArray[np.bool_],
    budgets: Sequence[int],
    scheme: Scheme,
) -> pd.DataFrame:
    values, consistency = signal.values[known], signal.consistency[known]
    try:
        cut = levels(values)
    except DesignError as error:
        raise DesignError(f"Signal “{signal.label}”: {error}") from None
    known_outcome = outcome(Profile(values, consistency, cut, group_means(consistency, cut.member)), losses)
    assert known_outcome is not None
    strata = known_outcome.profile.stratify(scheme.n_strata, scheme.stratifier, scheme.floor)
    possible = [m for m in budgets if strata.n_strata <= m <= losses.size]
    moments = known_outcome.moments_in(strata)
    errors = curve(moments, strata.consistency, possible, scheme.offset, [scheme.allocation])
    cells = errors.set_index("budget")["relative_mse"].reindex(list(budgets))
    return pd.DataFrame(
        {
            "surrogate": signal.surrogate,
            "signal": signal.name,
            "label": signal.label,
            "target": target,
            "items": losses.size,
            "zeros": float(np.mean(values == 0)),
            "auroc": auroc(cut.member, losses),
            "spearman": spearman(cut, losses),
            "strata": strata.n_strata,
            "budget": list(budgets),
            "relative_mse": cells.to_numpy(),
        }
    )
