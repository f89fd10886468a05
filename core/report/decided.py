"""Decisions that labels allow, as rows of a plan's table: every number that page Plan shows of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..allocation.rules import UNIFORM
from ..allocation.ways import GATE, RECOMMENDED
from ..prospect import Differing, EarlyGate, GatePromise, PairPromise
from ..prospect.savings import Saving
from ..words import bare, per_cent


class Decided(NamedTuple):
    """A number of labels and what it decides; None for what does not apply.

    Parameters
    ----------
    question : str
        What is decided, in words.
    method : str
        How the items are drawn, of `core.allocation.ways.WAYS`.
    budget : int or None
        Number of labels; None if it takes more than 100,000.
    accuracy : float or None
        True accuracy for which the chance holds, or the accuracy of a target whose outcome is known.
    answer : str or None
        What is answered: "ship", "hold" or "unclear".
    chance : float or None
        Of this answer, or of detecting the difference.
    difference : float or None
        Of two accuracies.
    half_width : float or None
        Of the interval.
    saved : float or None
        Share of Uniform's labels.
    auroc : float or None
        Of the design's signal.
    """

    question: str
    method: str
    budget: int | None
    accuracy: float | None = None
    answer: str | None = None
    chance: float | None = None
    difference: float | None = None
    half_width: float | None = None
    saved: float | None = None
    auroc: float | None = None


def of_gate(promise: GatePromise, early: EarlyGate | None) -> Iterator[Decided]:
    """Give what an accuracy gate takes, what the plan's labels decide, and each chance of the figure."""
    rule = promise.rule
    asked = f"ship or hold at {per_cent(rule.bar, 1)} ± {bare(rule.band, True)}"
    once = f"{asked}, decided once"
    yield Decided(once, UNIFORM.name, promise.labels, chance=rule.power)
    labels, ends = min(promise.planned, rule.items), (min(rule.bar + rule.band, 1.0), max(rule.bar - rule.band, 0.0))
    for row, answer in zip(rule.chances(labels, ends).to_dict("records"), ("ship", "hold"), strict=True):
        about = f"{once}, with the plan’s labels"
        yield Decided(about, UNIFORM.name, labels, row["accuracy"], answer, row[answer])
    if promise.labels is not None:
        for row in promise.chances.to_dict("records"):
            for answer in ("ship", "hold", "unclear"):
                figure = f"{once}, chances"
                yield Decided(figure, UNIFORM.name, promise.labels, row["accuracy"], answer, row[answer])
    if early is not None:
        yield from _of_early(f"{asked}, checked after every label", early)


def _of_early(asked: str, early: EarlyGate) -> Iterator[Decided]:
    for answer, runs in (("ship", early.ship), ("hold", early.hold)):
        yield Decided(f"{asked}, mean", GATE.name, round(runs.labels), runs.accuracy, answer, runs.decided)
    yield Decided(f"{asked}, at most", GATE.name, early.promise.most)
    if early.recommended is not None:
        for method, labels in ((GATE.name, early.promise.labels), (RECOMMENDED.name, early.recommended)):
            yield Decided("half-width of the gate’s list", method, labels, half_width=early.half_width)


def of_pairs(promise: PairPromise, differing: Differing | None) -> Iterator[Decided]:
    """Give what a comparison of targets takes, and the smallest difference that the plan's labels detect."""
    rule, about = promise.rule, f"difference between {promise.rule.targets} targets"
    yield Decided(about, UNIFORM.name, promise.labels, chance=rule.power, difference=promise.difference)
    least = f"{about}, the smallest for the plan’s labels"
    yield Decided(least, UNIFORM.name, promise.budget, chance=rule.power, difference=promise.detectable)
    if differing is not None:
        where = (
            f"difference between “{differing.first}” and “{differing.second}” on the {per_cent(differing.share, 1)} of "
            "the items where their answers differ"
        )
        if differing.labels is not None:
            yield Decided(where, UNIFORM.name, differing.labels, chance=rule.power, difference=promise.difference)


def of_savings(savings: Iterable[Saving]) -> Iterator[Decided]:
    """Give what the recommended design saved on pools with known outcomes."""
    for one in savings:
        about = f"saved on “{one.pool}”, target “{one.target}”"
        yield Decided(about, RECOMMENDED.name, one.labels, accuracy=one.accuracy, saved=one.saved, auroc=one.auroc)
