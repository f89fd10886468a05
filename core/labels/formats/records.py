"""What every reader of labels gives: rows, and the texts in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from core.errors import LabelError
from core.labels.rows import WITHDRAWN, Several, id_text, label_text, text_of
from core.pool.problems import shown

__all__ = [
    "CANCELLED",
    "DECISION",
    "DISCARDED",
    "DRAFT",
    "EMPTY",
    "GIVEN_UP",
    "IGNORED",
    "NOBODY",
    "POOL",
    "REJECTED",
    "SEVERAL",
    "SKIPPED",
    "STATUSES",
    "WITHDRAWN",
    "Row",
    "Several",
    "id_text",
    "is_reserved",
    "label_text",
    "only_one",
    "text_of",
]

# Why a row has no label.
EMPTY, CANCELLED, REJECTED, IGNORED, DISCARDED, DRAFT, SEVERAL = (
    "empty",
    "cancelled",
    "rejected",
    "ignored",
    "discarded",
    "draft",
    "several",
)
# Why a row that was given on page Label has none: it comes again, or it never will.
SKIPPED, GIVEN_UP = "skipped", "given up"
# What the column “status” of a list of kept labels may say.
STATUSES = frozenset((CANCELLED, REJECTED, IGNORED, DISCARDED, DRAFT, SKIPPED, GIVEN_UP))

# Names under which the program keeps labels of its own; nobody who labels may be called so. A decision between
# annotators, the outcomes that the pool knows, and labels given here by somebody who gave no name.
DECISION, POOL, NOBODY = "(decision)", "(pool)", "(no name)"
_RESERVED = frozenset((DECISION, POOL, NOBODY))
_TOLD = 8


def is_reserved(name: str) -> bool:
    """Whether nobody who labels may be called so."""
    return " ".join(name.casefold().split()) in _RESERVED


def only_one(names: Iterable[str], what: str, ours: str) -> str | None:
    """The only of ``names``, None where there is none; ``what`` they are, and the name ``ours`` gives it.

    Raises
    ------
    LabelError : there are several, so that which of them holds the labels cannot be known.
    """
    found = sorted(names)
    if len(found) > 1:
        told = " or ".join(shown(name, 30) for name in found[:_TOLD]) + (" …" if len(found) > _TOLD else "")
        raise LabelError(f"The labels may stand in the {what} {told}: rename the one that holds them to “{ours}”.")
    return found[0] if found else None


class Row(NamedTuple):
    """One person's label of one item.

    ``row``: number of the record in its file, from 1; ``label``: the text as given, None where there is none, and then
    ``status`` says why; ``answers_of``: code of the target it judges, where the list said so; ``kind`` of label, where
    it said that; ``problem``: why the record cannot be read at all, then nothing else holds.
    """

    row: int
    item_id: str
    label: str | None
    annotator: str
    plan_id: str | None
    note: str | None
    status: str
    answers_of: str | None = None
    kind: str | None = None
    problem: str | None = None

    @classmethod
    def broken(cls, row: int, problem: str) -> Row:
        """A record that cannot be read."""
        return cls(row, "", None, "", None, None, "", problem=problem)

    @classmethod
    def of(
        cls,
        row: int,
        payload: Mapping[str, Any],
        label: str | None,
        annotator: str | None = None,
        note: str | None = None,
        status: str = "",
    ) -> Row:
        """The row of a record whose ``payload`` holds item_id, and maybe plan_id and answers_of."""
        item = id_text(payload.get("item_id"))
        if item is None:
            missing = "item_id" not in payload
            return cls.broken(row, "there is no “item_id”." if missing else "“item_id” is no text.")
        # Some tools write an empty text where nothing is said.
        plan, judged = text_of(payload.get("plan_id")) or None, text_of(payload.get("answers_of"))
        if status:
            label = None
        elif label is None:
            status = EMPTY
        elif isinstance(label, Several):
            status = SEVERAL
        return cls(row, item, label, annotator or "", plan, note, status, judged or None)
