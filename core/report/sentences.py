"""What a result says, in sentences that can be repeated."""

from __future__ import annotations

import numpy as np

from core import words as numbers
from core.report.result import Result
from core.words import counted, level, per_cent

# Confidence of the ranges that are not the interval.
LIKELY = 0.8


def number(found: Result, value: float) -> str:
    """A value on the result's scale: per cent where losses lie in [0, 1]."""
    return numbers.value(value, found.bounded, found.estimate.high - found.estimate.low)


def name(found: Result) -> str:
    """The measure's name."""
    return {"accuracy": "Accuracy", "loss": "Mean loss", "score": "Mean score"}[found.measure]


def limits(found: Result) -> str:
    """The interval, or that there is none yet."""
    if not found.estimate.has_interval:
        return "no interval yet"
    return span(found, found.estimate.low, found.estimate.high)


def span(found: Result, low: float, high: float) -> str:
    """An interval, “70.7 % to 86.6 %”."""
    return numbers.span(low, high, found.bounded)


def points(found: Result, width: float) -> str:
    """A width or an error: percentage points where losses lie in [0, 1]."""
    return numbers.width(width, found.bounded)


def spread(found: Result) -> str:
    """Standard error and number of labels, for the line below the number."""
    error, labels = found.estimate.standard_error, counted(found.estimate.n_labels, "label")
    if found.sample.census:
        return f"{labels}, every item of the pool"
    if not error > 0:
        return f"{labels}, no spread to see a standard error from"
    return f"± {points(found, error)} standard error, {labels}"


def headline(found: Result) -> str:
    """The sentence for a stakeholder."""
    pool = f"all {counted(found.n_items, 'item')} of “{found.pool}”" if found.n_items > 1 else f"“{found.pool}”"
    who = f"“{found.target}”" if found.target else "The model"
    value, limits = number(found, found.estimate.value), span(found, found.estimate.low, found.estimate.high)
    guess = "" if found.sample.census else "an estimated "
    verb = {
        "accuracy": f"gets {guess}{value} of {pool} right",
        "loss": f"has {guess or 'a '}mean loss of {value} on {pool}",
        "score": f"has {guess or 'a '}mean score of {value} on {pool}",
    }[found.measure]
    if found.sample.census:
        return f"{who} {verb}; every item was labelled, so nothing is estimated."
    sure = f"{level(found.confidence)} confidence interval"
    labels = counted(found.estimate.n_labels, "label")
    if not found.estimate.has_interval:
        return f"{who} {verb}, from {labels}; there is no {sure} yet."
    return f"{who} {verb}, from {labels}; the {sure} is {limits}."


def beside_uniform(found: Result) -> str:
    """What the design was worth against labels drawn uniformly."""
    if found.sample.census:
        return "With every item labelled all designs are exact."
    if found.sample.sizes.size == 1:
        return "This is a uniform sample: there is nothing to compare it with."
    seen, labels = found.precision, found.estimate.n_labels
    if seen.uniform_needed is None:
        return "The labels show no spread inside the strata, so they cannot say what the design was worth."
    limits = span(found, seen.uniform.low, seen.uniform.high)
    start = f"As many labels drawn uniformly would have given about {limits}"
    likely = " to ".join(per_cent(share).replace("-", "−") for share in (seen.saved_least, seen.saved_most))
    likely = f"{per_cent(LIKELY)} range {likely}"
    if seen.saved_least > 0 and seen.saved(labels) > 0:
        needed = f"Uniform would need about {counted(seen.uniform_needed, 'label')} for this precision"
        return f"{start}; {needed} ({per_cent(seen.saved(labels))} saved, {likely})."
    if seen.saved_most <= 0:
        return f"{start}: by these labels the design did not help here (saved labels: {likely})."
    return f"{start}; whether the design saved labels cannot be told from these (saved labels: {likely})."


def remarks(found: Result) -> list[str]:
    """What a reader must know beside the numbers."""
    said = [_missing(found)] if found.missing else []
    if found.undecided:
        which = "item is undecided because its" if found.undecided == 1 else "items are undecided because their"
        said.append(
            f"{found.undecided:,} {which} annotators disagree. Leaving out what people disagree on is not missing by "
            "chance: decide first, then use the estimate."
        )
    error, known = found.estimate.standard_error, found.estimate.has_interval
    if known:
        said += [_short(found, stratum) for stratum in found.short]
        if found.uneven and not found.short and found.bounded:
            said.append(_uneven(found))
        if (found.short or found.uneven) and found.bounded:
            kinds = "Intervals of metrics, of differences and of groups by a ratio"
            said.append(f"{kinds} are not widened for strata with few labels.")
    if found.sample.pooled and error > 0:
        said.append("A stratum with one label shows no spread of its own and takes the pooled one.")
    if not known:
        one = bool(np.all(found.sample.counts == 1))
        why = "One label in each stratum shows" if one else "Labels that agree in each stratum show"
        said.append(f"{why} no spread: there is no interval yet.")
    elif error == 0 and not found.sample.census:
        said.append("All labels of each stratum agree; the interval allows for what so few labels cannot show.")
    return said


def _missing(found: Result) -> str:
    """That planned labels are missing, and what this does to the estimate."""
    verb = "is" if len(found.missing) == 1 else "are"
    start = f"{len(found.missing):,} of {counted(found.planned, 'planned label')} {verb} missing"
    if found.cut_short and not found.undecided:
        first = counted(found.estimate.n_labels, "label")
        return (
            f"{start}: the {first} that came back are the first of the list. A list that is cut short is the sample of "
            "a smaller budget, so nothing is wrong with the estimate; it is only less precise than planned."
        )
    replaced = found.estimate.n_labels - (found.planned - len(found.missing))
    instead = f"; {counted(replaced, 'replacement')} in the design’s order came instead" if replaced > 0 else ""
    return (
        f"{start}{instead}. The estimate uses the labels that came back; it is right only if what is missing is "
        "missing by chance."
    )


def _short(found: Result, stratum: int) -> str:
    """That a stratum has far fewer labels than planned."""
    row = found.strata.iloc[stratum]
    allowed = "the interval is widened for that and may still" if found.bounded else "the interval may"
    return (
        f"Stratum {stratum}, {per_cent(row['share_of_pool'])} of the pool, has {row['labels']:,.0f} of its "
        f"{counted(int(row['planned']), 'planned label')}. So few can agree by chance: {allowed} be too narrow until "
        "more of them are labelled."
    )


def _uneven(found: Result) -> str:
    """That the design gives some strata few labels for their size."""
    counts, sizes = found.sample.counts, found.sample.sizes
    stratum = int(np.argmax(sizes / counts))
    of_pool, labels = per_cent(sizes[stratum] / sizes.sum()), counted(int(counts[stratum]), "label")
    return (
        f"This design spreads the labels unevenly: stratum {stratum}, {of_pool} of the pool, has {labels} of "
        f"{found.estimate.n_labels:,}. So few can agree by chance: the interval is widened for that. Proportional, or "
        "Proxy-Neyman with a larger offset, spreads them more evenly."
    )


def method(found: Result) -> list[str]:
    """How the numbers were made."""
    n_strata = found.sample.sizes.size
    drawn = (
        f"The pool’s {counted(found.n_items, 'item')} were put into {n_strata:,} strata by the semantic entropy of a "
        f"surrogate’s answers; labels were drawn without replacement inside each stratum (plan {found.plan_id}). The "
        "estimate weights each stratum’s mean by its share of the pool and is unbiased for the whole pool "
        "(Horvitz–Thompson)."
    )
    if n_strata == 1:
        drawn = (
            f"Labels were drawn without replacement from the pool’s {counted(found.n_items, 'item')} as a whole (plan "
            f"{found.plan_id}). The estimate is their mean and is unbiased for the whole pool."
        )
    own = [
        drawn,
        f"Interval: {found.estimate.method}. Variance with finite-population correction.",
    ]
    if found.bounded:
        own.append(
            "Wilson’s limits use the effective sample size p(1−p)/V and Student’s t with M − H degrees of freedom; "
            "Korn–Graubard’s are usually wider and conservative; Wald’s are shown for comparison only and miss too "
            "often for few labels or values near 0 or 1."
        )
    own.append(
        "Uniform’s interval is reckoned from the same labels by an unbiased estimate of the pool’s variance; it is an "
        "estimate itself. The ranges of labels saved and of further labels are from draws of what the strata may be "
        "like: a Bayesian bootstrap in which each stratum is joined by three labels as the whole pool has them."
    )
    if found.groups is not None:
        own.append(
            "Groups: where each stratum of a group holds at least two of its labels, the group’s known sizes weight "
            "them; otherwise a ratio estimate with linearised variance. Each group’s interval holds on its own, not "
            "all at once; whether two groups can be told apart is judged by limits that hold for all (Bonferroni)."
        )
    if found.comparison is not None:
        own.append(
            "Two targets: difference of the paired values on the items judged for both; its limits come from Wilson’s "
            "of the parts in which either is better (Zou & Donner’s MOVER), for unbounded values from t."
        )
    if found.metrics is not None or found.answered is not None:
        own.append(
            "Precision, recall, F1 and accuracy where answered are ratios of two estimated means; their variance is "
            "that of the linearised residuals."
        )
    return own
