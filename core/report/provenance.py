"""Where the labels of a result come from, in sentences."""

from __future__ import annotations

from ..labels.agreement import BeyondChance
from ..labels.formats.records import NOBODY
from ..labels.kinds import KINDS
from ..labels.vocabulary import statement
from ..study.provenance import Provenance
from ..words import PER_CENT, counted, listed, per_cent, shortened

_MOST, _LONGEST = 20, 40


def sentences(labels: Provenance) -> list[str]:
    """Say what labels mean, who gave them, how they agree and how conflicts were settled."""
    said = [KINDS[labels.kind].meaning]
    if KINDS[labels.kind].averaged:
        said[0] = said[0][:-1] + (", without bounds." if labels.unbounded else ", from 0 to 1.")
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
