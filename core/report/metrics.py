"""Sentences on precision, recall, F1 and accuracy where answered."""

from __future__ import annotations

import math

from ..estimation.mean import Estimate
from ..study.metrics import Answered, Metrics
from ..words import level, listed, per_cent, share_span


def headline(metrics: Metrics) -> str:
    """Say how often the target is right if it says the answer, for a headline; then ranges, recall and F1."""
    who, what = f"“{metrics.target}”" if metrics.target else "the model", f"“{metrics.positive}”"
    precision, recall, f1 = metrics.estimates
    if math.isnan(precision.value):
        first = f"On no labelled item does {who} say {what}, so its precision is not known yet"
    else:
        first = f"When {who} says {what}, it is right {per_cent(precision.value)} of the time"
        first += f". This is its precision{_beside(precision)}"
    if math.isnan(recall.value):
        second = f"On no labelled item is {what} the right answer, so its recall is not known yet"
    else:
        second = f"Of the items whose answer is {what}, it finds {_share(recall)}"
    third = "" if math.isnan(f1.value) else f" F1 is {_share(f1)}."
    return f"{first}. {second}.{third} Ranges are {level(metrics.confidence)} confidence intervals."


def answered_headline(answered: Answered) -> str:
    """Return how often the target is right where it answers, for a headline; then how often it answers, and ranges."""
    who, right = f"“{answered.target}”" if answered.target else "the model", answered.right
    share = f"It answers {_share(answered.share)} of the pool’s items"
    if math.isnan(right.value):
        return f"Of the labelled items, {who} answers none. {share}."
    sure = level(answered.confidence)
    interval = "" if right.low == right.high else f" The {sure} interval is {share_span(right.low, right.high)}."
    return f"Where {who} answers, it is right {per_cent(right.value)} of the time.{interval} {share}."


def counts_in_words(metrics: Metrics) -> str:
    """Return the number of labels behind it, in words."""
    who, what = f"“{metrics.target}”" if metrics.target else "the model", f"“{metrics.positive}”"
    says = f"{metrics.said:,} where {who} says {what}"
    parts = [says, f"{metrics.true:,} whose right answer is {what}", f"{metrics.both:,} where both hold"]
    return f"From {metrics.n_labels:,} labelled items: {listed(parts)}."


def _share(one: Estimate) -> str:
    """Write a share with its limits, “82 % (71 % to 90 %)”."""
    return f"{per_cent(one.value)}{_beside(one)}"


def _beside(one: Estimate) -> str:
    """Write the limits of a share, “ (71 % to 90 %)”; "" if it is exact."""
    return "" if one.low == one.high else f" ({share_span(one.low, one.high)})"
