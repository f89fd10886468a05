"""The row that every reader of labels yields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from ...errors import LabelError
from ...pool.problems import shown
from ..kinds import KINDS
from ..model_pair import SHOWN, both
from ..rows import Several, id_problem, text_of

# Why a row has no label.
EMPTY, CANCELLED, SEVERAL = "empty", "cancelled", "several"
REJECTED, IGNORED, DISCARDED, DRAFT = "rejected", "ignored", "discarded", "draft"
# Statuses from page Label: a skipped item is shown again later, one that was given up is replaced by another.
SKIPPED, GIVEN_UP = "skipped", "given up"
# All statuses that Neyman writes into the column “status” of a list.
STATUSES = frozenset((CANCELLED, REJECTED, IGNORED, DISCARDED, DRAFT, SKIPPED, GIVEN_UP))
# Statuses by which other tools mark a valid label.
_STANDS = frozenset(("complete", "completed", "submitted", "done", "finished", "final", "finalised", "finalized", "ok"))
_STANDS |= {"accepted", "approved", "valid", "verified", "confirmed", "reviewed", "labelled", "labeled", "annotated"}
_STANDS |= {"answered", "graded", "success", "closed", "empty"}
# Statuses that contradict a label; a skipped item may have been labelled since.
_CONTRADICTIONS = STATUSES - {SKIPPED}

# Annotators that are not people: decisions between annotators, outcomes that the pool knows, and labels from page Label
# without a name.
DECISION, POOL, NOBODY = "(decision)", "(pool)", "(no name)"
_RESERVED = frozenset((DECISION, POOL, NOBODY))

# The records of a file by their row numbers.
Records = Mapping[int, Mapping[str, Any]]
_SHOWN = 8


def status_of(text: str | None, has_label: bool) -> str:
    """Return the status in a cell: “empty” for anything unknown; of a row with a label what contradicts it, or “”."""
    status = (text or "").strip().casefold()
    if has_label:
        return status if status in _CONTRADICTIONS else ""
    return status if status in STATUSES else EMPTY


def status_note(statuses: Iterable[str | None], labels: Iterable[str | None]) -> str:
    """Return a sentence on labels beside a status that is not known; "" without any."""
    pairs = zip(statuses, labels, strict=True)
    beside = [" ".join(text.split()) for text, label in pairs if text is not None and label is not None]
    unknown = [text for text in beside if text and text.casefold() not in STATUSES | _STANDS]
    if not unknown:
        return ""
    texts = list(dict.fromkeys(unknown))
    names = ", ".join(shown(text, 30) for text in texts[:_SHOWN]) + (", …" if len(texts) > _SHOWN else "")
    many = "1 label stands" if len(unknown) == 1 else f"{len(unknown):,} labels stand"
    counts = "it counts" if len(unknown) == 1 else "they count"
    leave = "To leave a label out, write cancelled, rejected, ignored, discarded or draft."
    return f"{many} beside a status that Neyman does not know ({names}): {counts}. {leave}"


def by_people(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that people gave: no decision, and no outcome that the pool knew."""
    return rows[~rows["annotator"].isin([DECISION, POOL]) & (rows["source"] != "pool")]


def is_reserved(name: str) -> bool:
    """Whether an annotator may not use this name."""
    return " ".join(name.casefold().split()) in _RESERVED


def only_one(names: Iterable[str], what: str, ours: str) -> str | None:
    """Return the only name, None if there is none.

    Parameters
    ----------
    names : iterable of str
        The columns, controls or questions that may hold the labels.
    what : str
        What they are, for the message.
    ours : str
        The name that would settle it, for the message.

    Raises
    ------
    LabelError
        If there are several names.
    """
    candidates = sorted(names)
    if len(candidates) > 1:
        listed = " or ".join(shown(name, 30) for name in candidates[:_SHOWN])
        more = " …" if len(candidates) > _SHOWN else ""
        raise LabelError(f"The labels may be in the {what} {listed}{more}: rename the one with the labels to “{ours}”.")
    return candidates[0] if candidates else None


class Row(NamedTuple):
    """One person's label of one item, with the fields of `core.labels.LabelFile.rows`, and what was shown beside it.

    ``label`` is None if there is no label, and then ``status`` says why; a status beside a label contradicts it, or
    says that there are several. ``problem`` says why the record cannot be
    read at all; then only ``row`` holds.
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
    answer: str | None = None
    prompt: str | None = None
    choices: str | None = None
    problem: str | None = None

    @classmethod
    def broken(cls, row: int, problem: str) -> Row:
        """Return a record that cannot be read."""
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
        """Return the row of a record.

        Its ``payload`` holds item_id, and perhaps plan_id, answers_of, kind, target_answer, prompt and choices.
        """
        if "item_id" not in payload:
            return cls.broken(row, "`item_id` is missing.")
        item = payload["item_id"]
        # Nearly every id is plain text, of which nothing can be wrong.
        if type(item) is not str or not item.isascii():
            problem = id_problem(item)
            if problem is not None:
                return cls.broken(row, problem)
            item = text_of(item) or ""
        # Some tools write an empty text for a missing value.
        plan, code = text_of(payload.get("plan_id")) or None, text_of(payload.get("answers_of")) or None
        if status:
            label = None
        elif label is None:
            status = EMPTY
        elif isinstance(label, Several):
            status = SEVERAL
        answer, prompt = text_of(payload.get("target_answer")), text_of(payload.get("prompt"))
        if SHOWN[0] in payload:
            answer = both(*(text_of(payload.get(name)) or "" for name in SHOWN))
        kind = text_of(payload.get("kind"))
        kind = kind if kind in KINDS else None
        options = payload.get("choices")
        choices = "\n".join(map(str, options)) if isinstance(options, list) else text_of(options)
        return cls(row, item, label, annotator or "", plan, note, status, code, kind, answer, prompt, choices)
