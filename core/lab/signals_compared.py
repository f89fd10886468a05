"""Which signal, and which surrogate, is good enough: how each ranks the items by loss, and what its strata save."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..design.scheme import PAPER, Scheme
from ..errors import DesignError
from ..pool.pool import Pool
from ..signals.entropy import predictive_entropy, self_consistency, semantic_entropy
from ..signals.quality import auroc
from ..simulation.exact import curve
from ..stratification.cuts import Levels, levels
from ..stratification.moments import group_means
from ..stratification.profiles import Profile, outcome
from ..words import SIGNAL_NAMES
from .surrogates import COLUMN, OWN, surrogates


@dataclass(frozen=True, slots=True, eq=False)
class SurrogateSignal:
    """One signal on a pool of N items.

    Parameters
    ----------
    surrogate : str
        Whose generations it comes from: "own" for the pool's, "column" for a number that the pool brings along.
    name : str
        A key of `core.words.SIGNAL_NAMES`, or the column.
    values : (N,) float
        NaN where the item has no signal.
    consistency : (N,) float
        Self-consistency, for the allocation.
    """

    surrogate: str
    name: str
    values: NDArray[np.float64]
    consistency: NDArray[np.float64]

    @property
    def label(self) -> str:
        """The name people read, with the surrogate where it is not the pool's own."""
        if self.surrogate == COLUMN:
            return self.name
        name = SIGNAL_NAMES[self.name]
        return name if self.surrogate == OWN else f"{name} of {self.surrogate}"


def signals(pool: Pool, kind: str | None = None) -> list[SurrogateSignal]:
    """Every signal of a pool, and its numeric columns.

    Of each surrogate: semantic entropy, self-consistency and, with log-probabilities, likelihood-weighted semantic
    entropy and predictive entropy.

    Parameters
    ----------
    kind : str, optional
        Answer kind for all generations, by default the pool's own.

    Raises
    ------
    PoolError
        The pool has no generations, or those of another surrogate are not lists of texts.
    """
    signals = []
    consistency = self_consistency(pool.classes(kind))
    for name, answered in surrogates(pool).items():
        classes = answered.classes(kind)
        of_surrogate = consistency if name == OWN else self_consistency(classes)
        signals.append(SurrogateSignal(name, "semantic-entropy", semantic_entropy(classes), of_surrogate))
        if answered.logprobs is not None:
            signals.append(
                SurrogateSignal(
                    name, "weighted-semantic-entropy", semantic_entropy(classes, answered.logprobs), of_surrogate
                )
            )
        signals.append(SurrogateSignal(name, "self-consistency", 1.0 - of_surrogate, of_surrogate))
        if answered.token_logprobs is not None:
            signals.append(
                SurrogateSignal(name, "predictive-entropy", predictive_entropy(answered.token_logprobs), of_surrogate)
            )
    items = pool.items
    for column in items.columns:
        if pd.api.types.is_numeric_dtype(items[column]):
            values = items[column].to_numpy(dtype=np.float64, na_value=np.nan)
            signals.append(SurrogateSignal(COLUMN, str(column), values, consistency))
    return signals


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
        after stratifying on the signal; NaN where the budget is below the strata or above the items).

    Raises
    ------
    DesignError
        A signal is infinite somewhere.
    """
    rows = []
    for done, (signal, target) in enumerate(product(signals, targets), start=1):
        losses = pool.losses(target, scheme.parser)
        known = np.isfinite(losses)
        if known.any():
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
        NaN results where either is constant.
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
