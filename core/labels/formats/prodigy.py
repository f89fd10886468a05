"""Prodigy: tasks as JSON Lines for the ``choice`` or ``text_input`` interface, and what ``db-out`` writes.

Prodigy writes its own ``answer`` (accept, reject, ignore), so no key of a task has that name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from ..kinds import KINDS
from ..rows import label_text, text_of
from .records import IGNORED, REJECTED, Records, Row
from .tasks import CONTROL, NOTE, Task, all_have_choices, label_choices, tasks_of, with_shown

_NO_LABEL = {"reject": REJECTED, "ignore": IGNORED}


def to_tasks(frame: pd.DataFrame, kind: str) -> str:
    """Return the request as JSON Lines, in its order, with ``options`` if the labels can be chosen."""
    items = list(tasks_of(frame))
    choices = not KINDS[kind].judges and all_have_choices(items)
    return "".join(json.dumps(_document(task, kind, choices), ensure_ascii=False) + "\n" for task in items)


def read_tasks(records: Records) -> Iterator[Row]:
    """Yield the rows of ``db-out``."""
    for number, record in records.items():
        value = record["accept"] if "accept" in record else record.get(CONTROL, record.get("label"))
        person = record.get("_annotator_id") or record.get("_session_id")
        status = _NO_LABEL.get(str(record.get("answer")), "")
        payload = with_shown(record, record.get("text"))
        yield Row.of(number, payload, label_text(value), text_of(person), text_of(record.get(NOTE)), status)


def _document(task: Task, kind: str, choices: bool) -> dict[str, Any]:
    options = label_choices(kind).items() if KINDS[kind].verdicts else task.options if choices else ()
    text = task.prompt if choices and task.answer is None and task.prompt else task.question
    document = {"text": text, **task.payload}
    document["meta"] = {"item": task.payload["item_id"], "plan": task.payload["plan_id"]}
    if task.images:
        # Prodigy shows one image a task.
        document["image"] = "\n".join(task.images)
    if options:
        document["options"] = [{"id": name, "text": shown} for name, shown in options]
    else:
        document |= {"field_id": CONTROL, "field_label": "Label"}
    return document
