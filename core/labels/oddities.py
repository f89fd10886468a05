"""Odd labels, in sentences."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from ..pool.problems import shown
from ..words import counted
from .rows import column

NOT_A_LABEL, OUT_OF_RANGE = "unknown label", "score out of range"


class Oddity(NamedTuple):
    """A remark on one odd row (``one``) or several (``many``), and its ``remedy``."""

    one: str
    many: str
    remedy: str = ""


# Kinds of odd rows, in the order in which they are reported.
ODDITIES: dict[str, Oddity] = {
    "another plan": Oddity(
        "belongs to another plan and is left out",
        "belong to another plan and are left out",
    ),
    "another target": Oddity(
        "judges another target's answers and is left out",
        "judge another target's answers and are left out",
    ),
    "foreign id": Oddity(
        "is about no item of this list and is left out",
        "are about no item of this list and are left out",
    ),
    NOT_A_LABEL: Oddity(
        "has a label that is not understood",
        "have labels that are not understood",
    ),
    OUT_OF_RANGE: Oddity(
        "has a score outside 0 to 1",
        "have scores outside 0 to 1",
        "Divide the scores by the highest possible one, or allow scores outside 0 to 1 on page Estimate.",
    ),
    "several labels": Oddity(
        "has several answers at once and counts as missing",
        "have several answers at once and count as missing",
    ),
    "contradiction": Oddity(
        "has a label and a status that says there is none, and counts as missing",
        "have labels and statuses that say there is none, and count as missing",
        "Remove the label or the status.",
    ),
    "cancelled": Oddity(
        "was dropped, replaced, cancelled, rejected, discarded or left as a draft: it is no label",
        "were dropped, replaced, cancelled, rejected, discarded or left as a draft: they are no labels",
    ),
    "duplicate": Oddity(
        "repeats a label of the same person and counts once",
        "repeat labels of the same person and count once",
    ),
    "conflict": Oddity(
        "disagrees with another label of the same item",
        "disagree with other labels of the same item",
        "The most frequent label counts; a tie waits for your decision.",
    ),
    "several scores": Oddity(
        "differs from another score of the same item",
        "differ from other scores of the same item",
        "Their mean counts.",
    ),
}
# How a file decides a tie.
DECIDE = "To decide a tie, keep the label that counts in one row of the item, and empty the others."
_EXAMPLES = 3

# Kind of oddity, row, item, annotator, label and status of each odd row.
OddRows = list[tuple[str, int, str, str, str | None, str]]


def sentences(odd: pd.DataFrame) -> tuple[str, ...]:
    """Return a sentence for each kind of oddity, with the first rows as examples.

    Parameters
    ----------
    odd : DataFrame
        The odd rows, of `core.labels.Settlement`.
    """
    texts, there = [], set(odd["what"])
    for kind, oddity in ODDITIES.items():
        if kind in there:
            rows = odd[odd["what"] == kind]
            examples = [_example(*row) for row in rows.drop(columns=["what", "status"]).head(_EXAMPLES).values]
            listed = ", ".join(examples) + (", …" if len(rows) > _EXAMPLES else "")
            many = counted(len(rows), "row" if rows["row"].any() else "label")
            verb = oddity.one if len(rows) == 1 else oddity.many
            texts.append(f"{many} {verb} ({listed}). {oddity.remedy}".rstrip())
    return tuple(texts)


def no_row_fits(odd: OddRows, plan_id: str, rows: pd.DataFrame) -> str:
    """Return why no row belongs to the list of a plan.

    Parameters
    ----------
    odd : list of tuple
        All rows of the file.
    plan_id : str
        The plan's id.
    rows : DataFrame
        The same rows, for the plans that they name.
    """
    kind, row, item, *_ = odd[0]
    one = len(odd) == 1
    subject, ending = ("The only row does not", "") if one else (f"None of the {len(odd):,} rows", "s")
    if kind == "another plan":
        plans = list(dict.fromkeys(shown(plan, 20) for plan in column(rows, "plan_id") if plan is not None))
        named = f"plan {plans[0]}" if len(plans) == 1 else f"the plans {', '.join(plans[:_EXAMPLES])}"
        belong = "It belongs" if one else "They belong"
        remedy = "Open that design, on the pool it was drawn from."
        return f"{subject} belong{ending} to plan {plan_id}. {belong} to {named}. {remedy}"
    if kind == "another target":
        remedy = "Choose the target whose answers were shown."
        return f"{subject} judge{ending} the answers of the chosen target. {remedy}"
    listing = f"plan {plan_id}" if plan_id else "this list"
    return (
        f"{subject} name{ending} an item of {listing} (row {row or 1}: {shown(item, 40)}). The list belongs "
        "to another pool, or a program changed the ids: in that case, fill in the XLSX or JSON Lines list."
    )


def _example(row: int, item: str, person: str, label: str | None) -> str:
    """Return one odd row in few words; a label that comes from no file is known by its annotator."""
    where = f"row {row}: " if row else ""
    value = f" = {shown(label, 20)}" if label is not None else ""
    by = f" by {shown(person, 30)}" if person and not row else ""
    return f"{where}{shown(item, 30)}{value}{by}"
