"""Features of a risk model: numbers that are known of each item, and of a target's answer, before any label.

Source: docs/method.md, 7.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..pool.pool import Pool
from .entropy import self_consistency, semantic_entropy, share_agreeing
from .past import answered, past_risk

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Known:
    """The material of features: ``past`` holds the losses (N, J) of other models, ``target`` may have answers."""

    pool: Pool
    target: str | None
    past: Values
    accuracy: float | None
    parser: str | None

    @cached_property
    def past_risk(self) -> Values | None:
        if not (~np.isnan(self.past)).any():
            return None
        risk = np.clip(past_risk(self.past, self.accuracy), 1e-6, 1 - 1e-6)
        return np.asarray(np.log(risk / (1 - risk)))

    @cached_property
    def disagreement(self) -> Values | None:
        if self.target is None or not answered(self.pool, self.target, self.parser):
            return None
        agreeing, counts = self.pool.agreeing(self.target, self.parser), self.pool.class_counts(self.parser)
        return 1.0 - share_agreeing(agreeing, counts)

    def both(self) -> Values | None:
        past, disagreement = self.past_risk, self.disagreement
        return None if past is None or disagreement is None else past * disagreement

    def entropy(self) -> Values | None:
        k = self.pool.n_generations
        return semantic_entropy(self.pool.class_counts(self.parser)) / np.log(k) if k > 1 else None

    def inconsistency(self) -> Values | None:
        return 1.0 - self_consistency(self.pool.class_counts(self.parser)) if self.pool.n_generations else None

    def favourite(self) -> Values | None:
        disagreement, inconsistency = self.disagreement, self.inconsistency()
        if disagreement is None:
            return None
        return np.where(np.isnan(disagreement), np.nan, disagreement == inconsistency)

    def options(self) -> Values | None:
        items = self.pool.items
        if "choices" not in items.columns:
            return None
        count = items["choices"].map(len, na_action="ignore").to_numpy(dtype=np.float64, na_value=np.nan)
        return np.asarray(np.log(count))

    def unparsed(self) -> Values | None:
        if not self.pool.n_generations:
            return None
        shares = [sum(a is None for a in row) / len(row) if row else np.nan for row in self.pool.answers(self.parser)]
        return np.array(shares)

    def length(self) -> Values | None:
        items = self.pool.items
        if "prompt" not in items.columns:
            return None
        return np.asarray(np.log1p(items["prompt"].str.len().to_numpy(dtype=np.float64, na_value=np.nan)))

    def group(self) -> Values | None:
        items, entropy = self.pool.items, self.entropy()
        if "group" not in items.columns or entropy is None:
            return None
        means = pd.Series(entropy).groupby(items["group"].to_numpy()).transform("mean")
        return means.to_numpy(dtype=np.float64)


_MAKERS: dict[str, Callable[[_Known], Values | None]] = {
    "past risk": attrgetter("past_risk"),
    "disagreement": attrgetter("disagreement"),
    "past risk × disagreement": _Known.both,
    "semantic entropy": _Known.entropy,
    "1 − self-consistency": _Known.inconsistency,
    "surrogates' favourite": _Known.favourite,
    "options": _Known.options,
    "unparsed": _Known.unparsed,
    "length": _Known.length,
    "group's entropy": _Known.group,
}
FEATURES = tuple(_MAKERS)


def features(
    pool: Pool,
    target: str | None,
    past: NDArray[np.float64],
    names: Sequence[str] = FEATURES,
    *,
    accuracy: float | None = None,
    parser: str | None = None,
) -> pd.DataFrame:
    """Features of a target on a pool of N items; its losses are not looked at.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str or None
        The target whose answers count; None leaves its features out.
    past : (N, J) float
        Losses of J ≥ 0 other models.
    names : sequence of str
        Of `core.signals.FEATURES`: "past risk" (the logit of what other models' losses predict), "disagreement"
        (1 − agreement), "past risk × disagreement", "semantic entropy" (÷ ln k), "1 − self-consistency",
        "surrogates' favourite" (1 if the target gives it, else 0), "options" (log of their number), "unparsed"
        (share of generations), "length" (log of the prompt's), "group's entropy" (mean over the item's group).
    accuracy : float, optional
        The believed accuracy of the target.
    parser : str, optional
        A kind of `core.answers` for all items.

    Returns
    -------
    DataFrame
        N rows, a column for each of the names that the pool has; NaN if an item lacks it.
    """
    known = _Known(pool, target, past, accuracy, parser)
    columns = {name: _MAKERS[name](known) for name in names}
    return pd.DataFrame(
        {name: values for name, values in columns.items() if values is not None and not np.isnan(values).all()},
        index=range(pool.n_items),
    )
