"""Names of columns in wide tables: ``generation_1`` … ``generation_k``, ``<model>:loss``; shared by CSV and Parquet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..pool.columns import TARGET_FIELDS, TARGETS
from ..pool.problems import Problems, shown

NUMBERED = re.compile(r"(generation|generation_answer|logprob|token_logprob|choice)_([0-9]{1,4}|[A-Z])")
LISTS = {
    "generation": "generations",
    "generation_answer": "generation_answers",
    "logprob": "logprobs",
    "token_logprob": "token_logprobs",
    "choice": "choices",
}


def outcome_of(name: str) -> tuple[str, str] | None:
    """Split the name of a column such as “gpt-4:loss” into model and field; None for another name."""
    model, colon, field = name.rpartition(":")
    return (model.strip(), field) if colon and model.strip() and field in TARGET_FIELDS else None


def check_names(header: Sequence[str], problems: Problems) -> None:
    """Add a problem for names that occur twice, and for lists or targets that are given in two ways."""
    names: set[str] = set()
    for name in header:
        if name and name in names:
            problems.add(f"there are two columns {shown(name)}.", remedy="Rename one of them.")
        names.add(name)
    split = {LISTS[match[1]] for match in map(NUMBERED.fullmatch, header) if match}
    if any(map(outcome_of, header)):
        split.add(TARGETS)
    for name in sorted(split & names):
        problems.add(f"{name} is given in one column and again in several.", remedy="Keep one of the two.")


def in_sequence(name: str, labels: Sequence[str], problems: Problems) -> list[str]:
    """Sort the labels of the numbered columns ``name``: 1 … k without gaps, or A, B … for choices."""
    if name == "choice":
        return sorted(labels, key=lambda label: (label.isdigit(), len(label), label))
    order = sorted(labels, key=lambda label: int(label) if label.isdigit() else 0)
    if order != [str(number) for number in range(1, len(labels) + 1)]:
        message = f"the columns {name}_… are not numbered 1 to {len(labels)}."
        problems.add(message, field=name, remedy="Number them without gaps.")
    return order


def without_end(values: Sequence[Any], missing: tuple[Any, ...] = (None,)) -> Sequence[Any]:
    """Remove missing values from the end of ``values``."""
    size = len(values)
    while size and values[size - 1] in missing:
        size -= 1
    return values[:size]
