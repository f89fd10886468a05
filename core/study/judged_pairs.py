"""Verdicts that a file has on every pair, such as a judge's, against people's preferences on some."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..estimation.mean import Estimate
from ..words import counted, gap_span, per_cent, signed
from .labelling import Labelling
from .outcomes import Outcomes

WIN, TIE, LOSS = "win", "tie", "loss"
_CLASSES = (WIN, TIE, LOSS)
# Values above are wins, those as far below a half losses.
_WINS = 0.75


@dataclass(frozen=True, eq=False, repr=False)
class JudgedPairs:
    """A judge's preferences on all pairs of a pool, and people's on the labelled ones.

    Parameters
    ----------
    outcomes : Outcomes
        People's preferences: their estimate is the corrected win rate.
    values : (N,) float
        The judge's value of every item: 1 of a win, a half of a tie, 0 of a loss.
    weights : (N,) float or None
        How much each item counts; None: all the same.
    """

    outcomes: Outcomes
    values: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None

    @property
    def judge_only(self) -> float:
        """The win rate by the judge alone, known of every item."""
        return float(np.average(self.values, weights=self.weights))

    @property
    def bias(self) -> Estimate:
        """The judge's win rate less the corrected one: above 0 it flatters the first model."""
        one, own = self.outcomes.estimate, self.judge_only
        return replace(one, value=own - one.value, low=own - one.high, high=own - one.low, measure="bias")

    def table(self) -> pd.DataFrame:
        """Count the labelled items, a row for each verdict of both: judge and people ("win", "tie", "loss"), labels."""
        judge, people = classes(self.values[self.outcomes.positions]), classes(self.outcomes.values)
        rows = [(one, other, int(((judge == one) & (people == other)).sum())) for one in _CLASSES for other in _CLASSES]
        return pd.DataFrame(rows, columns=["judge", "people", "labels"])

    @property
    def sentence(self) -> str:
        """The judge's win rate, its bias, and how often it agrees with people on the labelled pairs."""
        table, bias = self.table(), self.bias
        agree = int(table.loc[table["judge"] == table["people"], "labels"].sum())
        limits = f" (bias {gap_span(bias.low, bias.high, True)})" if bias.has_interval else ""
        gap = f"{signed(abs(bias.value), True).lstrip('+')} points too {'high' if bias.value > 0 else 'low'}"
        pairs, own = counted(int(table["labels"].sum()), "labelled pair"), per_cent(self.judge_only, 1)
        return (
            f"The verdicts of the file, on every pair, give a win rate of {own}: {gap}{limits}."
            f" They agree with people on {agree:,} of {pairs}."
        )


def judged_pairs(labels: Labelling, outcomes: Outcomes) -> JudgedPairs | None:
    """Hold the verdicts of a pool on its pairs against people's; None if it has none, or not on every pair."""
    if labels.pair is None or labels.pair.name not in labels.pool.targets or outcomes.waiting.size:
        return None
    values = 1.0 - labels.pool.losses(labels.pair.name)
    kept = outcomes.plan.design.weights
    weights = None if kept is None else np.asarray(kept)
    return JudgedPairs(outcomes, values, weights) if np.isfinite(values).all() else None


def classes(values: NDArray[np.float64]) -> NDArray[np.str_]:
    """Return what values from 0 to 1 say: "win", "tie" or "loss"."""
    return np.where(values >= _WINS, WIN, np.where(values <= 1 - _WINS, LOSS, TIE))
