"""Prodigy: tasks as JSON Lines for the ``choice`` or ``text_input`` interface, and what ``db-out`` writes.

Prodigy answers in the key ``answer`` (accept, reject, ignore), so nothing of ours is called so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from core.labels.formats.records import IGNORED, REJECTED, Row, label_text, text_of
from core.labels.formats.tasks import CONTROL, NOTE, VERDICTS, Task, all_have_choices, tasks_of

_NO_LABEL = {"reject": REJECTED, "ignore": IGNORED}


def to_tasks(frame: pd.DataFrame, kind: str) -> str:
    """The request as JSON Lines, in its order; with ``options`` where the labels can be chosen."""
    found = list(tasks_of(frame))
    choices = kind == "gold" and all_have_choices(found)
    return "".join(json.dumps(_document(task, kind, choices), ensure_ascii=False) + "\n" for task in found)


def read_tasks(records: Sequence[Any]) -> Iterator[Row]:
    """The rows of ``db-out``."""
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            yield Row.broken(number, "this is not an object.")
            continue
        value = record["accept"] if "accept" in record else record.get(CONTROL, record.get("label"))
        person = record.get("_annotator_id") or record.get("_session_id")
        status = _NO_LABEL.get(str(record.get("answer")), "")
        yield Row.of(number, record, label_text(value), text_of(person), text_of(record.get(NOTE)), status)


def _document(task: Task, kind: str, choices: bool) -> dict[str, Any]:
    options = VERDICTS.items() if kind == "right-wrong" else task.options if choices else ()
    text = task.prompt if choices and task.answer is None and task.prompt else task.question
    document = {"text": text, **task.payload}
    document["meta"] = {"item": task.payload["item_id"], "plan": task.payload["plan_id"]}
    if task.images:
        # Its interfaces show one image.
        document["image"] = "\n".join(task.images)
    if options:
        document["options"] = [{"id": name, "text": shown} for name, shown in options]
    else:
        document |= {"field_id": CONTROL, "field_label": "Label"}
    return document
