"""Which signal, and which surrogate, is good enough: how each ranks the items by loss, and what its strata save."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.design.scheme import PAPER, Scheme
from core.errors import DesignError
from core.lab.surrogates import COLUMN, OWN, surrogates
from core.pool.pool import Pool
from core.signals import predictive_entropy, self_consistency, semantic_entropy
from core.simulation.exact import curve
from core.stratification.cuts import Levels, levels
from core.stratification.moments import group_means
from core.stratification.profiles import Profile, outcome

SE, WEIGHTED, SC, PE = "SE", "SE, likelihood-weighted", "1 − SC", "PE"


@dataclass(frozen=True, slots=True, eq=False)
class Signal:
    """One signal on a pool of N items.

    ``surrogate``: whose generations it comes from ("own": the pool's; "column": a number that the pool brings along);
    ``name``; ``values`` (N,) float, NaN = no signal; ``consistency`` (N,) self-consistency, for the allocation.
    """

    surrogate: str
    name: str
    values: NDArray[np.float64]
    consistency: NDArray[np.float64]


def signals(pool: Pool, kind: str | None = None) -> list[Signal]:
    """Every signal of a pool: of each surrogate SE, 1 − SC and, with log-probabilities, weighted SE and PE; columns.

    Parameters
    ----------
    kind : answer kind for all generations, by default the pool's own.

    Raises
    ------
    PoolError : no generations, or a further surrogate's generations that are no lists of texts.
    """
    found = []
    consistency = self_consistency(pool.classes(kind))
    for name, seen in surrogates(pool).items():
        classes = seen.classes(kind)
        own = consistency if name == OWN else self_consistency(classes)
        found.append(Signal(name, SE, semantic_entropy(classes), own))
        if seen.logprobs is not None:
            found.append(Signal(name, WEIGHTED, semantic_entropy(classes, seen.logprobs), own))
        found.append(Signal(name, SC, 1.0 - own, own))
        if seen.token_logprobs is not None:
            found.append(Signal(name, PE, predictive_entropy(seen.token_logprobs), own))
    items = pool.items
    for column in items.columns:
        if pd.api.types.is_numeric_dtype(items[column]):
            values = items[column].to_numpy(dtype=np.float64, na_value=np.nan)
            found.append(Signal(COLUMN, str(column), values, consistency))
    return found


def compare(
    pool: Pool,
    found: Sequence[Signal],
    targets: Sequence[str],
    budgets: Sequence[int],
    scheme: Scheme = PAPER,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Each signal against each target.

    Parameters
    ----------
    found : from `signals`. targets : names of the pool's targets; those without a known loss are left out.
    budgets : (B,) int ≥ 1. scheme : how strata and labels follow from a signal; its parser
    reads the targets' outputs.
    progress : called with the share done.

    Returns
    -------
    Tidy frame: surrogate, signal, target, items (with a known loss), zeros (share of them with a signal of 0), auroc
    (chance that an item with loss 1 has a larger signal than one with loss 0, ties half; NaN for losses other than 0/1
    and where all are equal), spearman (rank correlation with the loss, ties at their average rank; NaN where either is
    constant), strata (H that resulted), budget, relative_mse (exact, a ratio, of the scheme's allocation after
    stratifying on the signal; NaN where the budget is below the strata or above the items). An item without a signal
    counts as the largest throughout.

    Raises
    ------
    DesignError : a signal is infinite somewhere.
    """
    rows = []
    for done, (signal, target) in enumerate(product(found, targets), start=1):
        losses = pool.losses(target, scheme.parser)
        known = np.isfinite(losses)
        if known.any():
            rows.append(_row(signal, target, losses[known], known, budgets, scheme))
        if progress is not None:
            progress(done / (len(found) * len(targets)))
    columns = ["surrogate", "signal", "target", "items", "zeros", "auroc", "spearman", "strata"]
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=[*columns, "budget", "relative_mse"])


def auroc(signal: Levels, losses: ArrayLike) -> float:
    """Area under the ROC curve of a signal, given as its levels, for losses (N,) of 0 and 1; NaN for any others."""
    loss = np.asarray(losses, dtype=np.float64)
    wrong = np.bincount(signal.member, weights=loss, minlength=signal.values.size)
    right = signal.counts - wrong
    pairs = float(wrong.sum() * right.sum())
    if pairs == 0 or not np.all((loss == 0) | (loss == 1)):
        return float("nan")
    return float((wrong * (np.cumsum(right) - right / 2)).sum() / pairs)


def spearman(signal: Levels, losses: ArrayLike) -> float:
    """Rank correlation of a signal, given as its levels, with losses (N,); NaN where either is constant."""
    other = levels(losses)
    first, second = _ranks(signal), _ranks(other)
    first, second = first - first.mean(), second - second.mean()
    scale = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / scale if scale > 0 else float("nan")


def _ranks(found: Levels) -> NDArray[np.float64]:
    """Average rank of each item, (N,)."""
    return np.asarray((np.cumsum(found.counts) - (found.counts - 1) / 2)[found.member])


def _row(
    signal: Signal,
    target: str,
    losses: NDArray[np.float64],
    known: NDArray[np.bool_],
    budgets: Sequence[int],
    scheme: Scheme,
) -> pd.DataFrame:
    values, consistency = signal.values[known], signal.consistency[known]
    try:
        found = levels(values)
    except DesignError as error:
        raise DesignError(f"{signal.name} ({signal.surrogate}): {error}") from None
    seen = outcome(Profile(values, consistency, found, group_means(consistency, found.member)), losses)
    assert seen is not None
    strata = seen.profile.stratify(scheme.n_strata, scheme.stratifier)
    possible = [m for m in budgets if strata.n_strata <= m <= losses.size]
    moments = seen.moments.merge(strata.of_level)
    errors = curve(moments, strata.consistency, possible, scheme.offset, [scheme.allocation])
    cells = errors.set_index("budget")["relative_mse"].reindex(list(budgets))
    return pd.DataFrame(
        {
            "surrogate": signal.surrogate,
            "signal": signal.name,
            "target": target,
            "items": losses.size,
            "zeros": float(np.mean(values == 0)),
            "auroc": auroc(found, losses),
            "spearman": spearman(found, losses),
            "strata": strata.n_strata,
            "budget": list(budgets),
            "relative_mse": cells.to_numpy(),
        }
    )
