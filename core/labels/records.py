"""What every reader of labels gives: rows, and the texts in them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

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

# Names under which the program keeps labels of its own; nobody who labels may be called so. A decision between
# annotators, the outcomes that the pool knows, and labels given here by somebody who gave no name.
DECISION, POOL, NOBODY = "(decision)", "(pool)", "(no name)"
_RESERVED = frozenset((DECISION, POOL, NOBODY))


def is_reserved(name: str) -> bool:
    """Whether nobody who labels may be called so."""
    return " ".join(name.casefold().split()) in _RESERVED


class Several(str):
    """Two answers or more where one was asked for, joined for display."""

    __slots__ = ()


class Row(NamedTuple):
    """One person's label of one item.

    ``row``: number of the record in its file, from 1; ``label``: the text as given, None where there is none, and then
    ``status`` says why; ``answers_of``: code of the target it judges, where the list said so; ``problem``: why the
    record cannot be read at all, then nothing else holds.
    """

    row: int
    item_id: str
    label: str | None
    annotator: str
    plan_id: str | None
    note: str | None
    status: str
    answers_of: str | None = None
    problem: str | None = None

    @classmethod
    def broken(cls, row: int, problem: str) -> Row:
        """A record that cannot be read."""
        return cls(row, "", None, "", None, None, "", None, problem)

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
        plan, judged = text_of(payload.get("plan_id")), text_of(payload.get("answers_of"))
        if status:
            label = None
        elif label is None:
            status = EMPTY
        elif isinstance(label, Several):
            status = SEVERAL
        return cls(row, item, label, annotator or "", plan, note, status, judged or None)


def label_text(value: Any) -> str | None:
    """A label as text: numbers and truth values as JSON writes them, a list of one as its entry; None for nothing."""
    if type(value) is str:
        return None if not value or value.isspace() else text_of(value)
    if isinstance(value, list):
        entries = [text for text in map(label_text, value) if text is not None]
        return Several(" | ".join(entries)) if len(entries) > 1 else (entries[0] if entries else None)
    if isinstance(value, dict):
        return label_text(value["value"]) if "value" in value else json.dumps(value, ensure_ascii=False)
    text = text_of(value)
    return None if text is None or not text.strip() else text


def text_of(value: Any) -> str | None:
    """A value as text, None for nothing; whole numbers without a fraction, lone surrogates replaced."""
    if type(value) is str:
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    text = value if isinstance(value, str) else str(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def id_text(value: Any) -> str | None:
    """An item's id as text, None where it is neither text nor a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return text_of(value)
