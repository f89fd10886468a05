"""Sections of the report beyond the one number: comparison, metrics, provenance, strata without a label."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import pandas as pd

from ..estimation.mean import Estimate
from ..figures import intervals
from ..labels.agreement import BeyondChance
from ..labels.formats.records import NOBODY
from ..labels.kinds import KINDS
from ..labels.vocabulary import statement
from ..study.comparison import Comparison
from ..study.metrics import Answered, Metrics
from ..study.outcomes import BEGUN, JOINED, mean_named
from ..study.partial import Partial
from ..study.provenance import Provenance
from ..study.result import Result
from ..words import (
    PER_CENT,
    SPACE,
    counted,
    gap_span,
    level,
    listed,
    per_cent,
    points,
    share_span,
    shortened,
    signed,
    span,
    strata_named,
    value,
    width,
)
from ..words.scale import Unit
from .blocks import Drawing, Fold, Paragraph, Table, drawing, fold


def comparison(result: Result) -> Iterator[Fold]:
    """Show the comparison with another target; nothing if none was made."""
    pair = result.comparison
    if pair is None:
        return
    title, start = "Comparison with another target", [Paragraph(comparison_headline(pair), "say")]
    notes = [Paragraph(words, "soft") for words in remarks(pair)]
    gap, unit = pair.gap, pair.unit
    if gap is None:
        yield from fold(title, [*start, *notes], "waits for labels")
        return
    rows = [
        (str(r["label"]), value(r["value"], unit), span(r["low"], r["high"], unit))
        for r in pair.table().to_dict("records")
    ]
    limits = gap_span(gap.low, gap.high, unit)
    difference = f"Difference: “{pair.names[0]}” minus “{pair.names[1]}”"
    rows.append((difference, f"{signed(gap.value, unit)}{points(unit)}", limits))
    gaps = pair.gap_table()
    parts = [
        *start,
        values_drawn(pair.table(), lambda v: value(v, unit), unit, first=True),
        Drawing(
            drawing(
                intervals.difference(gaps, unit, pair.sides, lambda v: signed(v, unit)),
                in_words(gaps, lambda v: signed(v, unit)),
            )
        ),
        Paragraph(beside_separate(pair)),
        Table(["", "Value", f"{level(pair.confidence)} interval"], rows),
        *notes,
    ]
    yield from fold(title, parts, "on the same items")


def metrics(result: Result) -> Iterator[Fold]:
    """Precision, recall and F1 of one answer; nothing if none was chosen."""
    chosen = result.metrics
    if chosen is None:
        return
    rows = chosen.table()
    cells = [
        (str(r["label"]), value(r["value"], True), span(r["low"], r["high"], True), f"{r['labels']:,}")
        for r in rows.to_dict("records")
    ]
    parts = [
        Paragraph(metrics_headline(chosen), "say"),
        values_drawn(rows, lambda v: value(v, True), True),
        Table(["", "Value", f"{level(chosen.confidence)} interval", "Labels used"], cells),
        Paragraph(counts_in_words(chosen), "soft"),
    ]
    yield from fold("Precision, recall, F1", parts, f"of “{chosen.positive}”")


def answered(result: Result) -> Iterator[Fold]:
    """Accuracy where the target answered; nothing if it answered everything."""
    part = result.answered
    if part is None:
        return
    parts = [
        Paragraph(answered_headline(part), "say"),
        values_drawn(part.table(), lambda v: value(v, True), True),
    ]
    yield from fold("Where the model answered", parts)


def provenance(labels: Provenance | None) -> Iterator[Fold]:
    """Where the labels come from; nothing if that is not known."""
    if labels is None:
        return
    parts = [Paragraph(words) for words in sentences(labels)]
    yield from fold("Where the labels come from", parts)


def values_drawn(table: pd.DataFrame, number: Callable[[float], str], unit: Unit, first: bool = False) -> Drawing:
    """Draw values with their intervals, each written at the right; ``first``: the first is accented."""
    figure = intervals.estimates(table, unit, first, written=number)
    return Drawing(drawing(figure, in_words(table, number)))


def in_words(table: pd.DataFrame, number: Callable[[float], str]) -> str:
    """Return a figure of values in words, for people who do not see it."""
    return "; ".join(f"{row['label']}: {number(float(row['value']))}" for row in table.to_dict("records"))


# Sentences on a comparison of two targets.


def comparison_headline(comparison: Comparison) -> str:
    """Whether a difference is shown, which of the two is better on these labels, and by how much.

    The difference and its limits are those of the first less the second, as in table and figure.
    """
    first, second = (f"“{name}”" for name in comparison.names)
    if comparison.gap is None:
        where = strata_named(comparison.empty)
        return f"{first} and {second} cannot be compared yet: no item of {where} is judged for both."
    gap = comparison.gap
    more, less, alike = {
        "accuracy": ("is right more often than", "is right less often than", "are right equally often"),
        "score": ("scores higher than", "scores lower than", "score the same"),
        "win rate": ("wins more often than", "wins less often than", "win equally often"),
    }[comparison.measure]
    if gap.value == 0:
        claim = f"{first} and {second} {alike}"
    else:
        claim = f"{first} {more if gap.value > 0 else less} {second} by {width(abs(gap.value), comparison.unit)}"
    if not gap.has_interval:
        return f"No difference is shown. On these labels {claim}, but they do not vary, so there is no interval."
    limits = gap_span(gap.low, gap.high, comparison.unit)
    sure = f"{level(comparison.confidence)} interval of the difference: {limits}"
    if comparison.shown:
        return f"{claim}. {sure}."
    return f"No difference is shown. On these labels {claim} ({sure}, which includes 0)."


def beside_separate(comparison: Comparison) -> str:
    """Say what the same items for both are worth beside two separate samples; "" without an interval."""
    if comparison.gap is None or not comparison.gap.has_interval:
        return ""
    paired, separate = comparison.gap.standard_error, comparison.separate_error
    said = f"The same items for both: standard error of the difference {width(paired, comparison.unit)}"
    apart = "two separate samples, each with the same number of labels, would have"
    return f"{said}; {apart} {width(separate, comparison.unit)}."


def remarks(comparison: Comparison) -> list[str]:
    """Say what was used and what was left out."""
    first, second = comparison.names
    verb = "is" if comparison.n_both == 1 else "are"
    used = f"{counted(comparison.n_both, 'item')} {verb} judged for both"
    one, other = comparison.bases
    used += f", by {one}." if one == other else f"; “{first}” by {one}, “{second}” by {other}."
    if not comparison.left_out:
        return [used]
    verb = "is" if comparison.left_out == 1 else "are"
    return [used, f"{counted(comparison.left_out, 'item')}{SPACE}{verb} left out: only one of the two is judged there."]


# Sentences on precision, recall, F1 and accuracy where answered.


def metrics_headline(metrics: Metrics) -> str:
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


# Where the labels of a result come from, in sentences.

_MOST, _LONGEST = 20, 40


def sentences(labels: Provenance) -> list[str]:
    """Say what labels mean, who gave them, how they agree and how conflicts were settled."""
    said = [KINDS[labels.kind].meaning]
    if KINDS[labels.kind].averaged:
        bounds = ", without bounds." if labels.unbounded else ", from 0 to 1."
        said[0] = said[0] if KINDS[labels.kind].scale is not None else said[0][:-1] + bounds
    if labels.read_as is not None:
        said.append(f"Answers were read by the rules of “{labels.read_as}”.")
    if labels.compared_as:
        said.append(f"Answers were compared with right ones as {listed(list(labels.compared_as))}.")
    said += [given(labels)] if labels.labels else []
    said += [statement(labels.words)] if labels.words else []
    if labels.from_pool:
        outcomes = counted(labels.from_pool, "label is an outcome", "labels are outcomes")
        said.append(f"{outcomes} that the pool knew; such a label counts only if nobody has labelled the item.")
    said += [words for words in (agreement(labels), _settled(labels)) if words]
    said += labels.left_out
    if labels.notes:
        said.append(f"{counted(len(labels.notes), 'note')} came with the labels; the JSON file holds them.")
    return said


def given(labels: Provenance) -> str:
    """Return a sentence on the numbers of people and of labels."""
    labelled = f"{counted(labels.labels, 'label')} of {counted(labels.items, 'item')}"
    if {name for name, _ in labels.people} == {NOBODY}:
        return f"{labelled}, annotator not named."
    named = [f"{shortened(name, _LONGEST)} {count:,}" for name, count in labels.people[:_MOST]]
    if len(labels.people) > _MOST:
        named.append(counted(len(labels.people) - _MOST, "other"))
    who = counted(len(labels.people), "person", "people")
    return f"{labelled} by {who}: {listed(named)}."


def agreement(labels: Provenance) -> str:
    """Return a sentence on how often people agree, also beyond chance; "" if no item has two labels."""
    if not labels.several:
        return ""
    where = counted(labels.several, "item has", "items have")
    share = per_cent(labels.alike / labels.several)
    return (
        f"{where} two labels or more; on {labels.alike:,} of them ({share}) all agree.{_beyond(labels.beyond_chance)}"
    )


def _beyond(chance: BeyondChance | None) -> str:
    if chance is None:
        return ""
    name = {"kappa": "Cohen’s kappa", "alpha": "Krippendorff’s alpha"}[chance.coefficient]
    limits = "" if chance.low is None else f" (95{PER_CENT} interval {_signed(chance.low)} to {_signed(chance.high)})"
    who = f"{chance.annotators:,} named people on {counted(chance.items, 'item')}"
    return (
        f" Beyond chance, {who} agree with a {name} of {_signed(chance.value)}{limits}: 1 is full agreement, 0 is what "
        "chance brings."
    )


def _signed(value: float | None) -> str:
    return f"{0.0 if value is None else value + 0.0:.2f}".replace("-", "−")


def _settled(labels: Provenance) -> str:
    if not labels.conflicts:
        return ""
    ways = (
        (labels.by_most_frequent, "settled by the most frequent answer"),
        (labels.by_mean, "settled by their mean"),
        (labels.by_decision, "settled by a decision"),
        (labels.undecided, "not settled yet"),
    )
    summary = listed([f"{count:,} {how}" for count, how in ways if count])
    return f"{counted(labels.conflicts, 'conflict')}: {summary}."


# Sentences about a partly labelled plan, with a stratum that has no label.

_NOT_THE_POOL = "This is not an estimate of the whole pool."


def partial_headline(partial: Partial) -> str:
    """The number if labels are missing at random, and then its interval; else which strata wait, so no estimate."""
    if partial.estimate is None:
        return "No stratum has a label yet, so there is no estimate."
    if partial.joined is not None:
        one = partial.joined
        about, limits = value(one.value, partial.unit), span(one.low, one.high, partial.unit)
        return f"{one.measure.capitalize()} about {about} ({limits}), provisional, {partial.how_joined}."
    which = f"{strata_named(partial.empty).capitalize()} {'has' if len(partial.empty) == 1 else 'have'}"
    return f"{which} no label yet, so there is no estimate of the whole pool."


def provisional_finding(partial: Partial) -> str:
    """Say the provisional number with its interval, for a headline; as `partial_headline` if there is none."""
    one = partial.joined
    if one is None:
        return partial_headline(partial)
    who = f"“{partial.target}”" if partial.target else "The model"
    about, limits = value(one.value, partial.unit), span(one.low, one.high, partial.unit)
    says = f"has a {mean_named(partial.measure)} of about {about}"
    says = f"gets about {about} right" if partial.measure == "accuracy" else says
    return f"{who} {says} ({limits}), provisional."


def reason(partial: Partial) -> str:
    """Return the basis of the number, or the reason why there is none."""
    enough = "One label in each stratum is enough for a value, two for a variance."
    if partial.estimate is None:
        return enough
    one = len(partial.empty) == 1
    where = "this stratum" if one else "these strata"
    if partial.joined is not None and partial.begun:
        labels, waiting = counted(partial.joined.n_labels, "label"), counted(len(partial.empty), "stratum", "strata")
        return (
            f"From the first {labels} of the list, which are spread over the whole pool, {BEGUN}. {waiting} of "
            f"{len(partial.strata):,} still {'waits' if one else 'wait'} for a label; reports and gates wait with "
            f"{'it' if one else 'them'}."
        )
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


def partial_statement(partial: Partial) -> str:
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
