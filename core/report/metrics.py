"""Other metrics than accuracy from the same labels: precision, recall and F1 of one answer, accuracy where answered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.errors import DesignError
from core.estimation.contrasts import metric, ratio
from core.estimation.intervals import WILSON, Interval
from core.estimation.mean import Estimate
from core.words import level, listed, per_cent

NAMES = {"precision": "Precision", "recall": "Recall", "f1": "F1"}


@dataclass(frozen=True, slots=True)
class Metrics:
    """Precision, recall and F1 of the answer ``positive``.

    ``said``, ``true``, ``both``: labelled items with this answer of the target, with this right answer, with both;
    ``n_labels`` items used; ``estimates`` in the order of `NAMES`.
    """

    target: str
    positive: str
    confidence: float
    n_labels: int
    said: int
    true: int
    both: int
    estimates: tuple[Estimate, ...]

    def table(self) -> pd.DataFrame:
        """A row for each metric: metric, label, value, standard_error, low, high, labels (that tell of it), method."""
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

    ``silent``: labelled items that it left without an answer; ``share``: of the pool that it answers; ``right``: share
    of these that it gets right.
    """

    target: str
    confidence: float
    n_labels: int
    silent: int
    share: Estimate
    right: Estimate

    def table(self) -> pd.DataFrame:
        """Two rows: label, value, low, high."""
        rows = [("Answered", self.share), ("Right where answered", self.right)]
        return pd.DataFrame([{"label": n, "value": e.value, "low": e.low, "high": e.high} for n, e in rows])


def metrics(
    said: Sequence[str | None],
    true: Sequence[str],
    positive: str,
    strata: ArrayLike,
    sizes: ArrayLike,
    target: str = "",
    interval: Interval = WILSON,
) -> Metrics:
    """Precision, recall and F1 of one answer on the whole pool.

    Parameters
    ----------
    said : (M,) the target's answers, None = it gave none; true : (M,) the right answers; both spelled alike
    (`core.labels.answer_pairs`). strata, sizes, interval : as in `core.estimation.contrasts.ratio`.

    Raises
    ------
    DesignError : lengths differ, a stratum has no label, or as `core.estimation.contrasts.metric`.
    """
    predicted = np.array([answer == positive for answer in said], dtype=bool)
    truth = np.array([answer == positive for answer in true], dtype=bool)
    found = tuple(metric(name, predicted, truth, strata, sizes, interval) for name in NAMES)
    said_so, is_so, both = (int(x.sum()) for x in (predicted, truth, predicted & truth))
    return Metrics(target, positive, interval.confidence, predicted.size, said_so, is_so, both, found)


def answered(
    right: ArrayLike,
    gave: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    target: str = "",
    interval: Interval = WILSON,
) -> Answered:
    """Accuracy where the target gave an answer.

    Parameters
    ----------
    right : (M,) in [0, 1], 1 − loss of each labelled item. gave : (M,) bool, whether the target answered it.
    """
    correct, spoke = np.asarray(right, dtype=np.float64), np.asarray(gave, dtype=bool)
    if correct.shape != spoke.shape:
        raise DesignError(f"There are {correct.size} losses and {spoke.size} answers: give both for each item.")
    share = ratio(spoke, np.ones(spoke.size), strata, sizes, interval)
    own = ratio(np.where(spoke, correct, 0.0), spoke, strata, sizes, interval)
    return Answered(target, interval.confidence, spoke.size, int((~spoke).sum()), share, own)


def headline(found: Metrics) -> str:
    """What the three say, in one breath."""
    who, what = f"“{found.target}”" if found.target else "the model", f"“{found.positive}”"
    precision, recall, f1 = found.estimates
    if math.isnan(precision.value):
        first = f"On no labelled item does {who} say {what}, so its precision is not known yet"
    else:
        first = f"When {who} says {what} it is right {_told(precision)} of the time"
    if math.isnan(recall.value):
        second = f"on no labelled item is {what} the right answer, so its recall is not known yet"
    else:
        second = f"of the items whose answer is {what} it finds {_told(recall)}"
    third = "" if math.isnan(f1.value) else f"; F1 is {_told(f1)}"
    return f"{first}; {second}{third}. Intervals: {level(found.confidence)}."


def answered_headline(found: Answered) -> str:
    """How often the target is right where it answers."""
    who = f"“{found.target}”" if found.target else "The model"
    share = f"{who} answers {_told(found.share)} of the pool’s items"
    if math.isnan(found.right.value):
        return f"{share}; none of the labelled ones."
    right = f"of those it gets {_told(found.right)} right"
    return f"{share}; {right}. Intervals: {level(found.confidence)}."


def closed(true: Sequence[str], most: int = 12) -> tuple[str, ...]:
    """The right answers of a small closed set, the most frequent first; empty where they are too many.

    Closed: 2 to ``most`` different ones, on average of two labelled items or more each.
    """
    counts = pd.Series(list(true), dtype=object).value_counts()
    if not 2 <= counts.size <= min(most, len(true) / 2):
        return ()
    return tuple(sorted(map(str, counts.index), key=lambda name: (-int(counts[name]), name)))


def counts_in_words(found: Metrics) -> str:
    """How many labels stand behind it."""
    who, what = f"“{found.target}”" if found.target else "the model", f"“{found.positive}”"
    says = f"{found.said:,} where {who} says {what}"
    parts = [says, f"{found.true:,} whose right answer is {what}", f"{found.both:,} where both hold"]
    return f"From {found.n_labels:,} labelled items: {listed(parts)}."


def _told(one: Estimate) -> str:
    """A share with its limits, “82 % (71 % to 90 %)”."""
    return per_cent(one.value) + ("" if one.low == one.high else f" ({per_cent(one.low)} to {per_cent(one.high)})")
