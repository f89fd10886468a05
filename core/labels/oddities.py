"""What is odd about labels that come back, and how it is told."""

from __future__ import annotations

import pandas as pd

from core.pool.problems import shown

# What can be odd about a row, in the order in which it is told, and what it means for the estimate.
ODD: dict[str, str] = {
    "another plan": "belong to another plan; they are left out",
    "another target": "judge another target's answers; they are left out",
    "foreign id": "name an item that is not on this list; they are left out",
    "unknown label": "say none of the expected things; they count as missing",
    "score out of range": (
        "give a score outside 0 to 1; they count as missing: divide scores by the highest possible one, or allow "
        "scores outside 0 to 1 on page Estimate"
    ),
    "several labels": "give several answers at once; they count as missing",
    "cancelled": "were given up, cancelled, rejected, discarded or left as a draft; they count as missing",
    "duplicate": "repeat a label of the same person; they count once",
    "conflict": "disagree with another label of the same item; the most frequent counts, a tie waits for your decision",
    "several scores": "differ from another score of the same item; the mean counts",
}
_SHOWN = 3

# What, row, item, annotator, label and status of each odd row.
Odd = list[tuple[str, int, str, str, str | None, str]]


def sentences(odd: pd.DataFrame) -> tuple[str, ...]:
    """A sentence for each kind of oddity, with its first rows named; ``odd`` : of `core.labels.Settlement`."""
    told = []
    for what, meaning in ODD.items():
        rows = odd[odd["what"] == what]
        if len(rows):
            examples = [_example(*row) for row in rows.drop(columns=["what", "status"]).head(_SHOWN).values]
            rest = ", …" if len(rows) > _SHOWN else ""
            verb = meaning if len(rows) > 1 else _singular(meaning)
            word = "row" if rows["row"].any() else "label"
            told.append(f"{len(rows):,} {word}{'s' if len(rows) > 1 else ''} {verb} ({', '.join(examples)}{rest}).")
    return tuple(told)


def foreign(odd: Odd, plan_id: str, plans: list[str | None]) -> str:
    """Why no row belongs to this list; ``plans`` : those that the rows name."""
    what, row, item, *_ = odd[0]
    none = f"None of the {len(odd):,} rows" if len(odd) > 1 else "The only row does not"
    belongs, names, judges = ("belongs", "names", "judges") if len(odd) > 1 else ("belong", "name", "judge")
    if what == "another plan":
        others = list(dict.fromkeys(shown(plan, 20) for plan in plans if plan is not None))
        named = f"plan {others[0]}" if len(others) == 1 else f"the plans {', '.join(others[:_SHOWN])}"
        they = "they are" if len(odd) > 1 else "it is"
        return f"{none} {belongs} to plan {plan_id}: {they} of {named}. Open that design, on the pool it was made from."
    if what == "another target":
        return f"{none} {judges} the answers of the target that was chosen. Choose the one whose answers were shown."
    return (
        f"{none} {names} an item of plan {plan_id} (row {row or 1}: {shown(item, 40)}): "
        "this is another pool's list, or a program changed the ids (then fill the XLSX or JSON Lines list)."
    )


def _example(row: int, item: str, person: str, label: str | None) -> str:
    """One odd row in few words; a label that came from no file is told by its annotator."""
    where = f"row {row}: " if row else ""
    value = f" = {shown(label, 20)}" if label is not None else ""
    whose = f" by {shown(person, 30)}" if person and not row else ""
    return f"{where}{shown(item, 30)}{value}{whose}"


def _singular(meaning: str) -> str:
    for plural, single in (
        ("belong", "belongs"),
        ("name", "names"),
        ("have", "has"),
        ("give", "gives"),
        ("were", "was"),
        ("repeat", "repeats"),
        ("judge", "judges"),
        ("say", "says"),
        ("disagree", "disagrees"),
        ("differ", "differs"),
    ):
        if meaning.startswith(plural + " "):
            meaning = single + meaning[len(plural) :]
    return meaning.replace("they are left out", "it is left out").replace("they count", "it counts")
