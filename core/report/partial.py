"""Sentences about a partly labelled plan, with a stratum that has no label."""

from __future__ import annotations

from ..study.outcomes import JOINED, mean_named
from ..study.partial import Partial
from ..words import counted, level, per_cent, span, strata_named, value

_NOT_THE_POOL = "This is not an estimate of the whole pool."


def headline(partial: Partial) -> str:
    """The number if labels are missing at random, and then its interval; else which strata wait, so no estimate."""
    if partial.estimate is None:
        return "No stratum has a label yet, so there is no estimate."
    if partial.joined is not None:
        one = partial.joined
        about, limits = value(one.value, partial.unit), span(one.low, one.high, partial.unit)
        return f"{one.measure.capitalize()} about {about}, {partial.how_joined}. Interval: {limits}."
    which = f"{strata_named(partial.empty).capitalize()} {'has' if len(partial.empty) == 1 else 'have'}"
    return f"{which} no label yet, so there is no estimate of the whole pool."


def reason(partial: Partial) -> str:
    """Return the basis of the number, or the reason why there is none."""
    enough = "One label in each stratum is enough for a value, two for a variance."
    if partial.estimate is None:
        return enough
    one = len(partial.empty) == 1
    where = "this stratum" if one else "these strata"
    if partial.joined is not None:
        which = f"{strata_named(partial.empty).capitalize()} {'has' if one else 'have'} no label: "
        took = f"{per_cent(1 - partial.known, 1)} of the pool, which counts as part of the"
        hard = " If labels are missing because items are hard, the number is wrong."
        wrong = hard if partial.how_joined == JOINED else ""
        return f"{which}{took} neighbouring {'stratum' if one else 'strata'}.{wrong} {enough}"
    return (
        f"{per_cent(1 - partial.known, 1)} of the pool lies in {where}, without a label. Strata differ in how hard "
        "their items are: any number for the missing part would be a guess, and the estimate would not be unbiased. "
        f"{enough}"
    )


def statement(partial: Partial) -> str:
    """Say what the labels tell of the labelled strata alone."""
    estimate = partial.estimate
    if estimate is None:
        return ""
    where = f"Of the other {'strata' if len(partial.strata) - len(partial.empty) > 1 else 'stratum'}"
    where += f", {per_cent(partial.known, 1)} of the pool"
    labels = counted(estimate.n_labels, "label")
    if not estimate.standard_error >= 0:
        return f"{where}, {labels} came back: too few for a statement with an interval. {_NOT_THE_POOL}"
    name = mean_named(partial.measure)
    who = f"“{partial.target}”" if partial.target else "the model"
    about = f"about {value(estimate.value, partial.unit)}"
    if partial.ends[0] < partial.ends[1]:
        about = f"{span(*partial.ends, partial.unit)}, depending on how the disputed items are settled"
    sure = f"{level(partial.confidence)} interval {span(estimate.low, estimate.high, partial.unit)}"
    words = f"{where}: the {name} of {who} there is {about} ({sure}), from {labels}{partial.without}. {_NOT_THE_POOL}"
    if partial.worst_case is None:
        return words
    limits = span(*partial.worst_case, partial.unit)
    both = " and however disputed ones are settled" if partial.ends[0] < partial.ends[1] else ""
    return f"{words} On the whole pool the {name} is {limits}, whatever the items without a label are{both}."
