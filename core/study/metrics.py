"""Other metrics from the same labels: precision, recall and F1 of one answer, accuracy where the target answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..errors import DesignError
from ..estimation.contrasts import metric, ratio
from ..estimation.intervals import DEFAULT, Interval
from ..estimation.mean import Estimate
from ..estimation.waves import Waves
from ..estimation.weighting import WeightedLabels
from ..words import counted, level
from .outcomes import summary_frame, text_of

NAMES = {"precision": "Precision", "recall": "Recall", "f1": "F1"}
ANSWERED = ("Answered", "Right where answered")


@dataclass(frozen=True, slots=True, repr=False)
class Metrics:
    """Precision, recall and F1 of one answer.

    Parameters
    ----------
    target : str
        The model; "" = not named.
    positive : str
        The answer that counts as positive.
    confidence : float
        The level of the intervals.
    n_labels : int
        Labelled items used.
    said, true, both : int
        Items with this answer of the target, with this right answer, and with both.
    estimates : tuple of Estimate
        In the order of `NAMES`.
    """

    target: str
    positive: str
    confidence: float
    n_labels: int
    said: int
    true: int
    both: int
    estimates: tuple[Estimate, ...]

    def __repr__(self) -> str:
        """Show precision, recall and F1 with their limits."""
        head = f"Metrics of “{self.positive}”: {counted(self.n_labels, 'label')}, {level(self.confidence)} intervals"
        return f"{head}\n{text_of(self.summary_frame())}"

    def summary_frame(self) -> pd.DataFrame:
        """Tabulate the metrics, a row each: measure, value, standard_error, low, high, n_labels (that count)."""
        return summary_frame(self.estimates)

    def table(self) -> pd.DataFrame:
        """Tabulate the metrics: metric, label, value, standard_error, low, high, labels (that count), method."""
        return pd.DataFrame(
            [
                {
                    "metric": key,
                    "label": name,
                    "value": one.value,
                    "standard_error": one.standard_error,
                    "low": one.low,
                    "high": one.high,
                    "labels": one.n_labels,
                    "method": one.method,
                }
                for (key, name), one in zip(NAMES.items(), self.estimates, strict=True)
            ]
        )


@dataclass(frozen=True, slots=True)
class Answered:
    """Accuracy among the items that the target answered.

    Parameters
    ----------
    target : str
        The model; "" = not named.
    confidence : float
        The level of the intervals.
    n_labels : int
        Labelled items used.
    silent : int
        Labelled items without an answer of the target.
    share : Estimate
        Share of the pool that the target answers.
    right : Estimate
        Accuracy on that share.
    """

    target: str
    confidence: float
    n_labels: int
    silent: int
    share: Estimate
    right: Estimate

    def table(self) -> pd.DataFrame:
        """Two rows: measure, label (the same), value, low, high."""
        both = zip(ANSWERED, (self.share, self.right), strict=True)
        rows = [(name, name, one.value, one.low, one.high) for name, one in both]
        return pd.DataFrame(rows, columns=["measure", "label", "value", "low", "high"])


def metrics(
    said: Sequence[str | None],
    true: Sequence[str],
    positive: str,
    strata: ArrayLike,
    sizes: ArrayLike,
    *,
    target: str = "",
    interval: Interval = DEFAULT,
    in_waves: Waves | WeightedLabels | None = None,
) -> Metrics:
    """Precision, recall and F1 of one answer on the whole pool.

    Parameters
    ----------
    said : (M,) str or None
        Answers of the target; None = it gave none.
    true : (M,) str
        The right answers, spelled alike (`core.labels.answer_pairs`).
    positive : str
        The answer that counts as positive.
    strata, sizes
        As in `core.estimation.stratified`.
    target : str
        The model; "" = not named.
    interval : Interval
        How intervals are made.
    in_waves : Waves or WeightedLabels, optional
        As in `core.estimation.contrasts.ratio`.

    Raises
    ------
    DesignError
        Lengths differ, a stratum has no label, or as `core.estimation.contrasts.metric`.
    """
    predicted = np.array([answer == positive for answer in said], dtype=bool)
    truth = np.array([answer == positive for answer in true], dtype=bool)
    estimates = tuple(metric(name, predicted, truth, strata, sizes, interval, in_waves) for name in NAMES)
    n_said, n_true, n_both = (int(x.sum()) for x in (predicted, truth, predicted & truth))
    return Metrics(target, positive, interval.confidence, predicted.size, n_said, n_true, n_both, estimates)


def answered(
    right: ArrayLike,
    gave: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    *,
    target: str = "",
    interval: Interval = DEFAULT,
    in_waves: Waves | WeightedLabels | None = None,
) -> Answered:
    """Accuracy where the target gave an answer.

    Parameters
    ----------
    right : (M,) float
        Values in [0, 1] of the labelled items.
    gave : (M,) bool
        Whether the target answered each.
    strata, sizes, target, interval, in_waves
        As in `metrics`.
    """
    correct, replied = np.asarray(right, dtype=np.float64), np.asarray(gave, dtype=bool)
    if correct.shape != replied.shape:
        raise DesignError(f"There are {correct.size} values and {replied.size} answers: give both for each item.")
    share = ratio(replied, np.ones(replied.size), strata, sizes, interval, in_waves)
    accuracy = ratio(np.where(replied, correct, 0.0), replied, strata, sizes, interval, in_waves)
    share = replace(share, measure="share answered")
    accuracy = replace(accuracy, measure="accuracy among the answered")
    return Answered(target, interval.confidence, replied.size, int((~replied).sum()), share, accuracy)


def closed(true: Sequence[str], most: int = 12) -> tuple[str, ...]:
    """List the right answers of a small closed set, the most frequent first; empty if they are too many.

    A set is closed that has 2 to ``most`` different answers, on average of two labelled items or more each.
    """
    counts = pd.Series(list(true), dtype=object).value_counts()
    if not 2 <= counts.size <= min(most, len(true) / 2):
        return ()
    return tuple(sorted(map(str, counts.index), key=lambda name: (-int(counts[name]), name)))
