"""A result for people who are no statisticians: the answer, what it took and saved, what it means."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ..estimation.variance import fine
from ..labels.kinds import KINDS
from ..study.provenance import Provenance
from ..study.result import Result
from ..words import SPACE, bare, counted, level, per_cent, width
from . import sentences

_ODDS = 1000


@dataclass(frozen=True, slots=True)
class Fact:
    """A number of the first page.

    Parameters
    ----------
    name : str
        What it is.
    number : str
        The number with its unit.
    note : str
        What stands below it.
    """

    name: str
    number: str
    note: str


def answer(result: Result) -> str:
    """Say the result in one sentence without a term of statistics; its interval stands beside it."""
    who = f"“{result.target}”" if result.target else "The model"
    questions = "these questions" if result.n_items > 1 else "this question"
    value = sentences.main_number(result)
    verb = {
        "accuracy": f"answers {value} of {questions} correctly",
        "score": f"scores {value} on average on {questions}",
        "win rate": f"wins {value} of {questions}, ties as half",
    }[result.measure]
    if depends := sentences.disputes(result):
        return f"{who} {verb}, {depends}."
    if result.census or result.estimate.has_interval:
        return f"{who} {verb}"
    return f"{who} {verb}, but the labels are too few to say how sure that is"


def odds(confidence: float) -> str:
    """Say a confidence as odds, “19 times out of 20”; in per cent if they are no small numbers."""
    share = Fraction(confidence).limit_denominator(_ODDS)
    if not 0 < share < 1 or abs(float(share) - confidence) > 1e-9:
        return f"in {level(confidence)} of such samples"
    return f"{share.numerator:,}{SPACE}times out of{SPACE}{share.denominator:,}"


def facts(result: Result, price: Callable[[int], str]) -> list[Fact]:
    """Gather what it took, how precise it is, and what it saved."""
    labels = result.estimate.n_labels + (0 if result.disputed is None else len(result.disputed))
    given = labels if result.gradings is None else result.gradings
    took = f"{per_cent(labels / result.n_items, 1)} of {counted(result.n_items, 'question')}"
    took = took if given <= labels else f"on {counted(labels, 'question')}, {took}"
    if not given:
        took = f"the outcomes of {counted(labels, 'question')} were known before, {took}"
    cost = Fact("It took", counted(given, "label"), "; ".join(filter(None, (price(given), took))))
    if result.census:
        return [cost, Fact("Precision", "exact", "Every question is labelled.")]
    if not result.estimate.has_interval:
        return [cost, Fact("Precision", "not known", "The labels do not vary, or are too few.")]
    uniform = result.precision.uniform
    number = f"±{_points(result, result.half_width)}" if sentences.symmetric(result) else sentences.limits(result)
    note = f"An interval made like this contains the true value {odds(result.confidence)}."
    if result.sample.sizes.size > 1 and uniform.has_interval:
        other = _points(result, (uniform.high - uniform.low) / 2)
        note = f"Uniform (a plain random sample), with the same number of labels: ±{other}."
    note = " ".join(filter(None, (note, before_labels(result))))
    return [cost, Fact("Precision", number, note), saving(result, price)]


def saving(result: Result, price: Callable[[int], str]) -> Fact:
    """State the labels saved against Uniform; nothing is claimed if their range includes 0."""
    name = "Saved against Uniform"
    if result.sample.sizes.size == 1:
        return Fact("Saved", "nothing", "This is a Uniform sample: each question had the same chance.")
    beside, labels = result.precision, result.estimate.n_labels
    if beside.uniform_needed is None:
        return Fact(name, "not known", f"{sentences.alike(result)}, so the labels cannot say.")
    if math.isnan(beside.saved_least):
        few = "The labels are too few to say."
        known = "known ties" if result.drawn is not None else "carried verdicts"
        return Fact(name, "not known", few if result.carried is None else f"No range is computed with {known}.")
    likely = sentences.saved_range(result)
    if beside.saved_most <= 0:
        return Fact(name, "nothing", f"Judging by these labels, the design did not help: {likely}.")
    if result.wider:
        return Fact(name, "no claim", f"Uniform’s interval would be narrower: {sentences.no_claim(result)}.")
    if not result.saves:
        return Fact(name, "no claim", f"These labels cannot say: their {per_cent(sentences.LIKELY)} range includes 0.")
    needed = result.uniform_labels or labels
    money = price(needed - labels)
    worth = f"{per_cent(result.saved)} of Uniform’s {needed:,}{f', or {money}' if money else ''}"
    return Fact(name, f"about {counted(needed - labels, 'label')}", f"{worth}; {likely}.")


def before_labels(result: Result) -> str:
    """Say what the list promised before its labels, and what these gave; "" if nothing was known, or no error left."""
    promise = result.promise
    if promise is None or promise.share != (result.measure == "accuracy") or not promise.half_width > 0:
        return ""
    about = "" if promise.exact else "about "
    limits = " on average" if promise.exact else f" ({bare(promise.low, True)} to {_points(result, promise.high)})"
    labels = result.estimate.n_labels
    gave = "these" if labels == promise.labels else counted(labels, "label")
    given = f"; {gave} gave ±{_points(result, result.half_width)}" if result.estimate.has_interval else ""
    expected = f"{about}±{_points(result, promise.half_width)}{limits} from {counted(promise.labels, 'label')}"
    return f"Expected before labelling: {expected}{given}."


def basis(result: Result) -> str:
    """Say which of these numbers are computed and which simulated; "" if there is nothing to compare."""
    if result.census or result.sample.sizes.size == 1 or result.precision.uniform_needed is None:
        return ""
    computed = result.wider or math.isnan(result.precision.saved_least) or fine(result.sample.counts)
    simulated = "" if computed else f" Only the {level(sentences.LIKELY)} range is simulated."
    return (
        "Uniform draws every question with the same chance. Its numbers are computed from these same labels, in closed "
        f"form; no such sample was labelled.{simulated}"
    )


def meaning(result: Result) -> list[str]:
    """Say in three lines what the result is about, what chance does to it, and what it does not mean."""
    labels = counted(_drawn(result), "question")
    if result.census:
        chance = "Every question is labelled: chance plays no part."
    elif result.estimate.has_interval:
        chance = (
            f"Another draw of {labels} would give another range. Such ranges contain the true value "
            f"{odds(result.confidence)}."
        )
    else:
        chance = f"Another draw of {labels} may give quite another value."
    return [
        f"The result is about all {counted(result.n_items, 'question')} of “{result.pool}”, labelled or not.",
        chance,
        "It says nothing about other questions, or about whether the labels are right.",
    ]


def procedure(result: Result, labels: Provenance | None) -> str:
    """Say in two sentences how the number came about."""
    count, scheme = f"{_drawn(result):,}", result.plan.design.scheme
    n_items = counted(result.n_items, "question")
    if result.census:
        drawn = f"All {n_items} were labelled."
    elif result.sample.sizes.size == 1:
        drawn = f"Of the {n_items}, {count} were drawn at random, each with the same chance."
    elif result.waves is not None:
        drawn = (
            f"Of the {n_items}, {count} were drawn at random in two waves, the second mostly where the first was "
            "uncertain."
        )
    else:
        along = scheme.along.said_plainly(scheme.column)
        strata = f"{counted(result.sample.sizes.size, 'group')} of similar items (strata)"
        drawn = (
            f"The {n_items} were sorted into {strata} by {along}, and {count} were drawn at random within these strata."
        )
    by_people = labels is not None and labels.labels > 0
    done = KINDS[labels.kind].done if labels is not None and by_people else "those were labelled"
    weighs = "the estimate is their average" if result.sample.sizes.size == 1 else "each stratum counts by its size"
    weighs = weighs if result.plan.design.weights is None else "each item counts by its weight"
    used = result.estimate.n_labels
    if used < _drawn(result):
        done += f", of which {used:,} {'has' if used == 1 else 'have'} a label that counts"
    return f"{drawn} Then {done}, and {weighs}."


def _drawn(result: Result) -> int:
    """Return how many items were drawn and come to: all of the list but those that nobody has come to yet."""
    return max(result.estimate.n_labels, len(result.plan.ids) - len(result.not_yet))


def _points(result: Result, half: float) -> str:
    return width(half, result.unit)
