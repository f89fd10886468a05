"""Argilla 2: records to log, and its exports, flattened or not.

``id`` is the item's id, which Argilla keeps; item_id and plan_id stand in the metadata as well. The dataset needs the
text fields text (and image), a question `CONTROL`, and the metadata item_id, plan_id and position.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from core.labels.records import DISCARDED, DRAFT, Row, label_text, text_of
from core.labels.tasks import CONTROL, NOTE, tasks

_RESPONSES = ".responses"


def to_records(frame: pd.DataFrame, kind: str) -> str:
    """The request as records (JSON), in its order: ``dataset.records.log(json.load(file))``."""
    records = [
        {
            "id": str(task.payload["item_id"]),
            "text": task.question,
            **({"image": task.image} if task.image else {}),
            **task.payload,
        }
        for task in tasks(frame)
    ]
    return json.dumps(records, ensure_ascii=False, indent=1)


def read_flat(records: Sequence[Any]) -> Iterator[Row]:
    """The rows of ``records.to_list(flatten=True)``: one for each response, or an empty one for a record without."""
    question = _question({name for record in records if isinstance(record, dict) for name in record})
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            yield Row.broken(number, "this is not an object.")
            continue
        payload = _payload(record, record)
        values = _list(record.get(question + _RESPONSES))
        users = _list(record.get(f"{question}{_RESPONSES}.users"))
        states = _list(record.get(f"{question}{_RESPONSES}.status"))
        notes = _list(record.get(NOTE + _RESPONSES))
        note_users = _list(record.get(f"{NOTE}{_RESPONSES}.users"))
        note_of = dict(zip(map(str, note_users), notes, strict=False))
        if not values:
            yield Row.of(number, payload, None)
        for place, value in enumerate(values):
            user = text_of(users[place]) if place < len(users) else None
            status = _status(states[place]) if place < len(states) else ""
            yield Row.of(number, payload, label_text(value), user, text_of(note_of.get(str(user))), status)


def read_nested(records: Sequence[Any]) -> Iterator[Row]:
    """The rows of ``records.to_list()`` and of ``to_json``: id, fields, metadata, suggestions, responses, status."""
    names = {name for record in records for name in _dict(record, "responses")}
    question = _question({name + _RESPONSES for name in names})
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            yield Row.broken(number, "this is not an object.")
            continue
        payload = _payload(record, _dict(record, "metadata"))
        responses = _list(_dict(record, "responses").get(question))
        notes = {
            str(note.get("user_id")): note.get("value")
            for note in _list(_dict(record, "responses").get(NOTE))
            if isinstance(note, dict)
        }
        if not responses:
            yield Row.of(number, payload, None)
        for response in responses:
            if not isinstance(response, dict):
                yield Row.broken(number, "a response is not an object.")
                continue
            user = text_of(response.get("user_id"))
            status = _status(response.get("status", record.get("status")))
            yield Row.of(
                number, payload, label_text(response.get("value")), user, text_of(notes.get(str(user))), status
            )


def _question(names: set[str]) -> str:
    """The question that holds the labels: ours, or else the only other."""
    found = sorted(name.removesuffix(_RESPONSES) for name in names if name.endswith(_RESPONSES))
    others = [name for name in found if name != NOTE]
    return others[0] if len(others) == 1 else CONTROL


def _payload(record: Mapping[str, Any], holder: Mapping[str, Any]) -> dict[str, Any]:
    item = holder.get("item_id", record.get("id"))
    said = {"plan_id": holder.get("plan_id"), "answers_of": holder.get("answers_of")}
    return {**said, **({} if item is None else {"item_id": item})}


def _status(state: Any) -> str:
    return state if isinstance(state, str) and state in (DISCARDED, DRAFT) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(record: Any, name: str) -> dict[str, Any]:
    found = record.get(name) if isinstance(record, dict) else None
    return found if isinstance(found, dict) else {}
