"""Sentences on a result that can be repeated."""

from __future__ import annotations

from collections.abc import Iterator

from .. import words
from ..stratification.profiles import STRATIFIERS
from ..study.outcomes import mean_named
from ..study.result import Result, unfinished
from ..words import PER_CENT, counted, level, listed, per_cent, share_span

# Confidence of the ranges that are not the interval.
LIKELY = 0.8
# So many strata that are short of labels are named one by one.
_NAMED = 3
# Of an interval's width, how much longer one of its arms may be than the other for “±” to describe it.
_LOPSIDED = 0.1
_POOLED = "A stratum with a single label uses the pooled variance."


def number(result: Result, value: float) -> str:
    """Write a value on the scale of the result: per cent if losses lie in [0, 1]."""
    return words.value(value, result.unit, result.estimate.high - result.estimate.low)


def main_number(result: Result) -> str:
    """Write the result: while disputes are open, the range over both ways of settling each of them."""
    least, most = result.ends
    return span(result, least, most) if least < most else number(result, result.estimate.value)


def disputes(result: Result) -> str:
    """Say on what the range of the result depends, such as “depending on how 8 disputed items are settled”; or ""."""
    if result.disputed is None or result.ends[0] == result.ends[1]:
        return ""
    return f"depending on how {counted(len(result.disputed), 'disputed item is', 'disputed items are')} settled"


def name(result: Result) -> str:
    """Name the measure."""
    return mean_named(result.measure).capitalize()


def limits(result: Result) -> str:
    """Write the interval, or that there is none yet."""
    if not result.estimate.has_interval:
        return "no interval yet"
    return span(result, result.estimate.low, result.estimate.high)


def span(result: Result, low: float, high: float) -> str:
    """Write an interval, “70.7 % to 86.6 %”."""
    return words.span(low, high, result.unit)


def ends(result: Result, low: float, high: float) -> tuple[str, str]:
    """Write both limits apart."""
    return words.value(low, result.unit, high - low), words.value(high, result.unit, high - low)


def points(result: Result, width: float) -> str:
    """Write a width or an error: percentage points if losses lie in [0, 1]."""
    return words.width(width, result.unit)


def precision(result: Result) -> str:
    """Say the number of labels, and half the interval's width if “±” describes it, for the line below the number."""
    labels = f"{counted(result.estimate.n_labels, 'label')}{result.without}"
    if result.census:
        return f"{labels}, every item of the pool"
    if not result.estimate.has_interval:
        return f"{labels}, {'one' if result.single else 'all alike'} in each stratum"
    return f"±{points(result, result.half_width)}, {labels}" if symmetric(result) else labels


def symmetric(result: Result) -> bool:
    """Whether both limits are about as far from the estimate, so that “±” describes the interval."""
    estimate = result.estimate
    return abs(estimate.low + estimate.high - 2 * estimate.value) <= _LOPSIDED * (estimate.high - estimate.low)


def about_precision(result: Result) -> str:
    """Say what “±” is, and what the standard error is beside it."""
    estimate = result.estimate
    sure = f"{level(result.confidence)} confidence interval: {estimate.method}."
    if result.census or not estimate.has_interval:
        return sure
    half = f"{'±' if symmetric(result) else ''}{points(result, result.half_width)} is half its width"
    if not estimate.standard_error > 0:
        return f"{sure} {half}."
    error = points(result, estimate.standard_error)
    error = f"The standard error, how far such estimates usually lie from the true value, is {error}."
    return f"{sure} {half}. {error}{f' {_POOLED}' if result.estimator.pooled else ''}"


def headline(result: Result) -> str:
    """Say the result in one sentence that can be repeated."""
    pool = f"all {counted(result.n_items, 'item')} of “{result.pool}”" if result.n_items > 1 else f"“{result.pool}”"
    who = f"“{result.target}”" if result.target else "The model"
    value, limits = main_number(result), span(result, result.estimate.low, result.estimate.high)
    guess = "" if result.census else "an estimated "
    depends = f", {disputes(result)}" if disputes(result) else ""
    verb = {
        "accuracy": f"gets {guess}{value} of {pool} right",
        "score": f"has {guess or 'a '}mean score of {value} on {pool}",
        "win rate": f"has {guess or 'a '}win rate of {value} on {pool}, ties as half",
    }[result.measure]
    if result.census:
        known = "in the first run of each, which another run may change" if result.varies else "so nothing is estimated"
        return f"{who} {verb}; every item was labelled, {known}."
    sure = f"{level(result.confidence)} confidence interval"
    labels = f"{counted(result.estimate.n_labels, 'label')}{result.without}"
    if not result.estimate.has_interval:
        return f"{who} {verb}{depends}, from {labels}; there is no {sure} yet."
    if depends:
        return f"{who} {verb}{depends}, from {labels}; the {sure}, whichever way they are settled, is {limits}."
    return f"{who} {verb}, from {labels}; the {sure} is {limits}."


def finding(result: Result) -> tuple[str, str]:
    """Say the number with its interval, for a headline, and below it what it rests on."""
    who, value, depends = f"“{result.target}”" if result.target else "The model", main_number(result), disputes(result)
    beside = f" ({limits(result)})" if result.estimate.has_interval and not (depends or result.census) else ""
    first = {
        "accuracy": f"{who} gets {value} right{beside}.",
        "score": f"{who} has a mean score of {value}{beside}.",
        "win rate": f"{who}: a win rate of {value}{beside}, ties as half.",
    }[result.measure]
    items = counted(result.n_items, "item")
    number = counted(result.estimate.n_labels, "label")
    labels = f"{number}{result.of_kind} of {items}{result.without}"
    if result.census:
        if result.varies:
            return first, f"In these runs: all {items} are labelled, in the first run of each. Other runs may differ."
        return first, f"Exact: all {items} are labelled, so nothing is estimated."
    interval = f"{level(result.confidence)} confidence interval"
    if not result.estimate.has_interval:
        interval = f"no {interval} yet"
    elif depends:
        interval = f"{interval} {limits(result)}"
    elif symmetric(result):
        interval = f"{interval}: ±{points(result, result.half_width)}"
    if depends:
        rests = f"Estimated from {labels}, {depends}; {interval}, whichever way they are settled."
    else:
        either = ", whichever way these would have gone" * (result.open is not None)
        rests = f"Estimated from {labels}; {interval}{either}."
    return first, " ".join(filter(None, [result.shares_line, rests]))


def alike(result: Result) -> str:
    """Say why nothing is known of how the labels of a stratum differ."""
    if result.single:
        return "Each stratum has a single label"
    settled = "" if result.disputed is None and result.open is None else " that count"
    return f"The labels{settled} agree in each stratum"


def beside_uniform(result: Result) -> str:
    """Say what the design was worth against labels drawn uniformly."""
    if result.census:
        return "With every item labelled, every design is exact."
    if result.sample.sizes.size == 1 and result.carried is None:
        return "This is a Uniform sample: there is nothing to compare it with."
    beside, needed = result.precision, result.uniform_labels
    if needed is None:
        return f"{alike(result)}, so they cannot say what the design gained."
    limits = span(result, beside.uniform.low, beside.uniform.high)
    start = f"The same number of labels drawn uniformly would have given about {limits}"
    if result.carried is not None and not result.wider:
        return f"{start}; to be as precise Uniform would need about {counted(needed, 'label')}."
    likely = saved_range(result)
    if result.saves:
        takes = f"to be as precise Uniform would need about {counted(needed, 'label')}"
        return f"{start}; {takes} ({per_cent(result.saved)} saved, {likely})."
    if beside.saved_most <= 0:
        return f"{start}: judging by these labels, the design did not help here (saved labels: {likely})."
    if result.wider:
        return f"{start}, a narrower interval: {no_claim(result)}."
    return f"{start}; these labels cannot say whether the design saved any."


def no_claim(result: Result) -> str:
    """Say that no saving is claimed, and until when if labels are missing; for an interval wider than Uniform’s."""
    until = "while labels are missing" if result.n_absent else "while the list is unfinished" if result.not_yet else ""
    return f"no saving is claimed {until}".strip()


def saved_range(result: Result) -> str:
    """Write the likely range of the share of labels saved, “80 % range 12 % to 60 %”."""
    return f"{per_cent(LIKELY)} range {share_span(*result.saved_range)}"


def remarks(result: Result) -> list[str]:
    """Say what a reader must know beside the numbers."""
    notes = list(filter(None, [result.shares_line, result.weights_line]))
    notes += [carried(result)] if result.carried is not None else []
    notes += [_missing(result)] if result.n_absent else []
    if result.not_yet:
        notes.append(unfinished(len(result.not_yet), result.planned, result.estimate.has_interval))
    if result.unusable:
        notes.append(
            f"{result.unusable:,} of {counted(result.planned, 'planned label')} came back but cannot be used. Correct "
            "what you can: the estimate is unbiased only if these items are as hard as the others."
        )
    if result.n_open:
        notes.append(without_verdict(result))
    if result.undecided:
        which = "item is undecided because its" if result.undecided == 1 else "items are undecided because their"
        counts = (
            "decide them first, then use the estimate."
            if result.disputed is None
            else "the result and its limits cover both ways of settling each. The strata, a comparison, and precision "
            "and recall leave them out until you decide them."
        )
        notes.append(
            f"{result.undecided:,} {which} annotators disagree. Items that people disagree on are not missing at "
            f"random: {counts}"
        )
    if result.given_up_apart.size:
        notes.append(_given_up(result))
    if result.earlier:
        notes.append(_extended(result))
    notes += filter(None, [result.estimate.warning, _compared(result)])
    error, known = result.estimate.standard_error, result.estimate.has_interval
    if not known:
        more = " One more label gives one." if result.single else ""
        notes.append(f"{alike(result)}, so there is no interval yet.{more}")
    elif error == 0 and not result.census:
        notes.append(
            "All labels of each stratum agree. The interval allows for the differences that so few labels cannot show."
        )
    return notes


def without_verdict(result: Result) -> str:
    """Say that items have no verdict, and what this does to the estimate."""
    have = "item has" if result.n_open == 1 else "items have"
    start = f"{result.n_open:,} {have} no verdict of the people who saw the answer. The estimate is that of the others"
    if result.open is None:
        return f"{start}; as the scores have no bounds, its limits cannot allow for what is missing."
    ends = "it would have gone" if result.n_open == 1 else "these would have gone"
    return f"{start}, and its limits hold whichever way {ends}."


def carried(result: Result) -> str:
    """Say how many verdicts were carried over, how many of them audited, and what the audits found."""
    sample = result.carried
    assert sample is not None
    if result.drawn is not None:
        many = counted(sample.known, "item has", "items have")
        return f"{many} twice the same answer ({per_cent(sample.share)}): known ties that need no label."
    begin = (
        f"Verdicts of {sample.known:,} of {result.n_items:,} items ({per_cent(sample.share)}) are carried over from "
        "equal answers that were graded before"
    )
    if sample.follows:
        return f"{begin}; the result is valid if the verdict follows from the answer alone."
    were = "was" if sample.audit.wrong == 1 else "were"
    found = f"{sample.audit.wrong:g} of {counted(sample.audit.n, 'audited verdict')} {were} wrong"
    if not sample.log.n:
        return f"{begin}; {found}."
    alone = number(result, sample.unbiased)
    return (
        f"{begin}; {found}, and {sample.log.wrong:g} of {sample.log.n:,} in earlier lists of this pool. Without those, "
        f"which may have been easier, the unbiased estimate is {alone}."
    )


def second_wave(result: Result) -> str:
    """Say what the second of two waves brings, if it is not drawn yet."""
    more = counted(result.plan.design.budget - result.estimate.n_labels, "more label")
    return (
        f"These labels are the first of two waves. The second brings {more}, most of them where these say that it is "
        "uncertain. Draw it on page Label before you plan any others."
    )


def _missing(result: Result) -> str:
    """Say that planned labels are missing, and what this does to the estimate."""
    verb = "is" if result.n_absent == 1 else "are"
    start = f"{result.n_absent:,} of {counted(result.planned, 'planned label')} {verb} missing"
    replaced = result.estimate.n_labels - (result.planned - len(result.missing))
    instead = f"; {counted(replaced, 'replacement')} in the design’s order took their place" if replaced > 0 else ""
    return (
        f"{start}{instead}. The estimate uses the labels that came back; it is unbiased only if the others are missing "
        "at random."
    )


def _given_up(result: Result) -> str:
    """Say what the estimate is of if items will get no label, and what is certain of the whole pool."""
    count = result.given_up_apart.size
    items = counted(count, "item")
    they = "that item" if count == 1 else "those items"
    start = f"{items} cannot be labelled. The estimate is for the others"
    if result.worst_case is None:
        return f"{start}; as the scores have no bounds, nothing can be said of the whole pool."
    name, sure = mean_named(result.measure), f"{level(result.confidence)} confidence"
    limits = span(result, *result.worst_case)
    return f"{start}. On the whole pool the {name} is {limits} ({sure}), whatever {they} would show."


def _extended(result: Result) -> str:
    """Say what an extended list does to the estimate, with the estimate weighted by waves."""
    labels = listed([f"{budget:,}" for budget in result.earlier])
    start = (
        f"This list was extended after its first {labels} labels. If their interval decided how many more to label, "
        "the estimate is slightly biased towards what the first labels showed"
    )
    if result.bounded:
        start += ": in simulations by 0.2 to 0.7 points where 40 labels were extended to reach ±5 points"
    waves = result.in_waves
    if waves is None or not waves.has_interval:
        lacking = "a label" if waves is None else "two labels"
        return (
            f"{start}. The estimate that corrects this weights the lists apart: it needs {lacking} of every stratum in "
            "the first list and in what each later one adds."
        )
    limits = span(result, waves.low, waves.high)
    return (
        f"{start}. With weights that do not follow the labels it is {number(result, waves.value)} ({limits}), "
        "unbiased if it was certain from the start that the list would be extended. Report the estimate above: its "
        f"error was 2 to 14{PER_CENT} smaller in simulations. Report the weighted one if no bias is allowed."
    )


def _compared(result: Result) -> str:
    """Say that the interval that was chosen is there to compare; "" of the default one."""
    if not result.bounded or result.interval.name in words.RECOMMENDED or not result.estimate.has_interval:
        return ""
    rows = {row["interval"]: row for row in result.intervals.to_dict("records")}
    usual = rows[words.RECOMMENDED[0]]
    return (
        f"{words.INTERVAL_NAMES[result.interval.name]}’s interval is there to compare. It can be too narrow where "
        f"strata have few labels. The default one is {span(result, usual['low'], usual['high'])}."
    )


def along_entropy(result: Result) -> bool:
    """Whether the strata lie along an entropy, in nats."""
    return result.plan.design.scheme.along.nats


def method(result: Result) -> list[str]:
    """Say how the numbers were made."""
    sentences = [
        _drawn(result),
        *_by_rule(result),
        "It is unbiased for the whole pool if the number of labels was fixed before any was known and every item drawn "
        "is labelled.",
        f"Interval: {result.estimate.method}. Variance with finite-population correction.",
    ]
    if result.estimator.pooled:
        sentences.append(_POOLED)
    if result.bounded:
        sentences.append(
            "A value lies inside the limits unless the labels would be surprising if it were the true one. What they "
            "would then be like says a model of the strata: their labels, a few imagined ones along the strata, tilted "
            "to that value (docs/method.md, 5.7). Korn–Graubard’s and Wald’s limits are shown for comparison only; "
            "Wald’s miss too often for few labels or values near 0 or 1."
        )
    sentences.append(
        "Uniform’s interval is computed from the same labels with an estimate of the pool’s variance; it is an "
        "estimate itself. The ranges of labels saved and of further labels come from a Bayesian bootstrap. It adds to "
        "each stratum three labels distributed as in the whole pool."
    )
    if result.groups is not None:
        sentences.append(
            "Groups: if each stratum of a group holds at least two of its labels, the group’s known sizes weight them; "
            "otherwise a ratio estimate with linearised variance. Each group’s interval holds on its own, not all at "
            "once. Whether two groups differ is judged by limits that hold for all of them (Bonferroni)."
        )
        sentences.append(
            "Model-based: what the strata predict of the group’s other items, moved by the mean residual of its n "
            "labels times n/(n + 15). It borrows from the other groups, so it is closer for few labels and biased "
            "towards them; its interval comes from its estimated mean squared error."
        )
    if result.comparison is not None:
        sentences.append(
            "Two targets: difference of the paired values on the items judged for both. Its limits are those of a "
            "mean, for unbounded values from t."
        )
    if result.metrics is not None or result.answered is not None:
        sentences.append(
            "Precision, recall, F1 and accuracy where answered are ratios of two estimated means; their variance is "
            "that of the linearised residuals, and a ratio lies inside the limits unless its residuals would be "
            "surprising."
        )
    return sentences


def _by_rule(result: Result) -> Iterator[str]:
    """Return how the strata were cut and the labels shared among them; nothing if several rules had a part in it."""
    plan, scheme = result.plan, result.plan.design.scheme
    if scheme.uniform or plan.earlier is not None or plan.design.carried is not None:
        return
    cut, rule = STRATIFIERS[scheme.stratifier], scheme.rule
    offset = f", with δ = {scheme.offset:g}" if "offset" in rule.choices else ""
    yield (
        f"Strata are cut as “{cut.title}” says: {cut.about}. Labels are shared among them as “{rule.title}” says: "
        f"{rule.about}{offset}."
    )


def _drawn(result: Result) -> str:
    """Return how the labels were drawn, and what the estimate is."""
    plan, scheme, n_strata = result.plan, result.plan.design.scheme, result.sample.sizes.size
    items = counted(result.n_items, "item")
    if plan.earlier is not None and result.waves is not None:
        weight, last = result.waves.weights.tolist()
        return (
            f"Labels were taken in two waves (plans {plan.earlier.plan_id} and {plan.plan_id}). The first "
            f"{int(result.sample.sizes[0]):,} decided the {n_strata - 1:,} strata of the other items, in each of which "
            "labels were drawn without replacement. The estimate is that of the first wave times "
            f"{per_cent(weight)} plus that of both times {per_cent(last)}: the weights follow the numbers of labels "
            "alone."
        )
    if plan.design.weights is not None:
        return (
            f"The pool’s {items} were put into {n_strata:,} strata of items of like weight by {scheme.sorted_by}; "
            f"labels were drawn without replacement inside each stratum (plan {plan.plan_id}). The estimate counts "
            "each item by its weight (Horvitz–Thompson)."
        )
    if n_strata == 1:
        return (
            f"Labels were drawn without replacement from the pool’s {items} as a whole (plan {plan.plan_id}). The "
            "estimate is their mean."
        )
    return (
        f"The pool’s {items} were put into {n_strata:,} strata by {scheme.sorted_by}; labels were drawn without "
        f"replacement inside each stratum (plan {plan.plan_id}). The estimate weights each stratum’s mean by its share "
        "of the pool (Horvitz–Thompson)."
    )
