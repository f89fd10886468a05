"""Rows of a long table whose “model” is the right answer: “gold”, “reference”, “ground_truth”."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..pool.columns import TARGETS
from ..pool.problems import Problems, shown
from ..words import counted, listed
from .answers import text_of
from .field_names import is_of_people
from .joining import MODEL
from .model_names import says_right

_Row = tuple[int, dict[str, Any]]
# What may be the name of a system, too.
_MAY_BE_MODELS = frozenset({"oracle", "key", "official"})


def with_right_answers(
    rows: Sequence[_Row], item_of: Callable[[dict[str, Any]], Any], problems: Problems
) -> list[_Row]:
    """Take what is called as right out of the models, and give it to the rows of its item as their right answer.

    Parameters
    ----------
    rows : sequence of (int, dict)
        Place in the file, and record with its model and outcome.
    item_of : callable
        Returns what names the item of a record.
    problems : Problems
        Where notes are added.

    Returns
    -------
    list of (int, dict)
        The rows of models; all rows if no other model is among them.
    """
    names = dict.fromkeys(str(record.get(MODEL)) for _, record in rows if record.get(MODEL) is not None)
    called = [name for name in names if says_right(name) and name.strip().casefold() not in _MAY_BE_MODELS]
    if people := [name for name in names if is_of_people(name)] if len(names) > 1 and not called else []:
        problems.note(_of_people(people, rows))
    if not called or len(called) == len(names):
        return list(rows)
    answers, kept, used = dict[Any, str | None](), list[_Row](), list[int]()
    truths = [(row, record) for row, record in rows if str(record.get(MODEL)) in called]
    for _, record in truths:
        answers[item_of(record)] = answers.get(item_of(record)) or _text(record)
    for row, record in rows:
        if str(record.get(MODEL)) not in called:
            answer = answers.get(item_of(record)) if record.get("answer") is None else None
            used += [row] * (answer is not None)
            kept.append((row, record if answer is None else {**record, "answer": answer}))
    for row, _ in truths:
        if used:
            problems.tally.complete(row)
        else:
            problems.tally.leave_out("rows of right answers among those of models", row)
    read = "they are read as the right answers" if used else "they are left out"
    problems.note(
        f"{counted(len(truths), 'row is', 'rows are')} called {listed(list(map(shown, called)))} where others name a "
        f"model: {read}. If that is a model, name it otherwise in the file."
    )
    return kept


def _text(record: dict[str, Any]) -> str | None:
    """Return the output of a row, or the first of its samples."""
    outcome: dict[str, Any] = next(iter(record.get(TARGETS, {}).values()), {})
    said = outcome.get("text") or outcome.get("answer") or next(iter(record.get("generations") or ()), None)
    return None if said is None or not str(said).strip() else text_of(said)


def _of_people(people: Sequence[str], rows: Sequence[_Row]) -> str:
    """Say that what people answered is read as a model's outputs; "" if right answers or scores are known."""
    outcomes = [one for _, record in rows for one in record.get(TARGETS, {}).values()]
    if any(one.get("loss") is not None for one in outcomes) or any(record.get("answer") for _, record in rows):
        return ""
    named = listed(list(map(shown, people)))
    return (
        f"{named} {'is' if len(people) == 1 else 'are'} read as a model. If these are the right answers, call them "
        "“gold” in the file."
    )
