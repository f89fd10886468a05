"""Argilla 2: records to log, the settings of their dataset, and exports, flattened or not.

``id`` is the item's id, which Argilla keeps; item_id and plan_id are in the metadata as well. The settings have the
fields text (and image), the question `CONTROL`, a note, and the metadata. Export with ``flatten=True``: other exports
do not say which responses were discarded or are drafts.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from ...readers.json_records import list_of, object_of, objects_in
from ..kinds import KINDS
from ..rows import label_text, text_of
from .records import DISCARDED, DRAFT, Records, Row, only_one
from .tasks import (
    CONTROL,
    NOTE,
    PROBABILITY,
    Task,
    all_have_choices,
    image_name,
    label_choices,
    most_images,
    tasks_of,
    with_shown,
)

_RESPONSES = ".responses"
_COMPLETED, _PENDING = "completed", "pending"
REMARK = (
    "This export does not say which responses were discarded or are drafts, so some of them may count as labels. "
    "Export with records.to_list(flatten=True) to leave them out."
)

_METADATA = {
    **dict.fromkeys(("item_id", "plan_id", "answers_of", "kind"), "terms"),
    "position": "integer",
    PROBABILITY: "float",
}


def to_records(frame: pd.DataFrame) -> str:
    """Return the request as records (JSON), in its order, for ``dataset.records.log(json.load(file))``."""
    records = [
        {
            "id": str(task.payload["item_id"]),
            # Argilla shows texts as HTML: of “a<b and c>d” only “ad” would be left.
            "text": html.escape(task.question, quote=False),
            **{image_name(number): image for number, image in enumerate(task.images, start=1)},
            **task.payload,
        }
        for task in tasks_of(frame)
    ]
    return json.dumps(records, ensure_ascii=False, indent=1)


def to_settings(frame: pd.DataFrame, kind: str, title: str = "") -> str:
    """Return the dataset's settings (JSON), for ``rg.Dataset(name, settings=rg.Settings.from_json(file)).create()``."""
    items = list(tasks_of(frame))
    fields = [_property("text", "Item", {"type": "text", "use_markdown": False}, required=True)]
    for number in range(1, most_images(items) + 1):
        fields.append(_property(image_name(number), f"Image {number}", {"type": "image"}, required=False))
    note = _property(NOTE, "Note", {"type": "text", "use_markdown": False}, required=False)
    settings = {
        "guidelines": " · ".join(filter(None, (title, KINDS[kind].question))),
        "allow_extra_metadata": True,
        "fields": fields,
        "questions": [_property(CONTROL, KINDS[kind].question, _answers(items, kind), required=True), note],
        "metadata": [
            _property(name, name, {"type": type_}) for name, type_ in _METADATA.items() if name in frame.columns
        ],
        "vectors": [],
        "distribution": {"strategy": "overlap", "min_submitted": 1},
    }
    return json.dumps(settings, ensure_ascii=False, indent=1)


def read_flat(records: Records) -> Iterator[Row]:
    """Yield the rows of ``records.to_list(flatten=True)``: one a response, or an empty one for a record without."""
    question = _question({name for record in records.values() for name in record})
    for number, record in records.items():
        payload = _payload(record, record, record.get("text"))
        values = list_of(record.get(question + _RESPONSES))
        users = list_of(record.get(f"{question}{_RESPONSES}.users"))
        states = list_of(record.get(f"{question}{_RESPONSES}.status"))
        notes = list_of(record.get(NOTE + _RESPONSES))
        note_users = list_of(record.get(f"{NOTE}{_RESPONSES}.users"))
        note_of = dict(zip(map(str, note_users), notes, strict=False))
        if not values:
            yield Row.of(number, payload, None)
        for place, value in enumerate(values):
            user = text_of(users[place]) if place < len(users) else None
            status = _status(states[place]) if place < len(states) else ""
            yield Row.of(number, payload, label_text(value), user, text_of(note_of.get(str(user))), status)


def read_nested(records: Records) -> Iterator[Row]:
    """Yield the rows of ``records.to_list()`` and of ``records.to_json``."""
    question = _question(
        {name + _RESPONSES for record in records.values() for name in object_of(record.get("responses"))}
    )
    completed = (record for record in records.values() if record.get("status") == _COMPLETED)
    one_suffices = any(_n_users(record, question) == 1 for record in completed)
    for number, record in records.items():
        payload = _payload(record, object_of(record.get("metadata")), object_of(record.get("fields")).get("text"))
        answered = object_of(record.get("responses"))
        responses = list_of(answered.get(question))
        # A pending record lacks submitted responses: if one is enough, none of its responses was submitted.
        default = DRAFT if one_suffices and record.get("status") == _PENDING else ""
        notes = {str(n.get("user_id")): n.get("value") for n in objects_in(answered.get(NOTE))}
        if not responses:
            yield Row.of(number, payload, None)
        for response in responses:
            if not isinstance(response, dict):
                yield Row.broken(number, "A response is not an object.")
                continue
            label, user = label_text(response.get("value")), text_of(response.get("user_id"))
            status = _status(response["status"]) if "status" in response else default
            yield Row.of(number, payload, label, user, text_of(notes.get(str(user))), status)


def _property(name: str, title: str, settings: Mapping[str, Any], **more: bool) -> dict[str, Any]:
    return {"name": name, "title": title, "settings": settings, "type": settings["type"], **more}


def _answers(items: list[Task], kind: str) -> dict[str, Any]:
    """Return the settings of the question: labels if there is something to choose from, else a text."""
    if KINDS[kind].verdicts:
        options = list(label_choices(kind).items())
    elif not KINDS[kind].judges and all_have_choices(items):
        # The items share the letters; each has its own texts for them.
        longest = max((task.options for task in items), key=len)
        options = [(name, name) for name, _ in longest]
    else:
        return {"type": "text", "use_markdown": False}
    labels = [{"value": value, "text": text, "description": None} for value, text in options]
    return {"type": "label_selection", "options": labels, "visible_options": None}


def _question(names: set[str]) -> str:
    """Return the question that holds the labels: `CONTROL`, or else the only other.

    Raises
    ------
    LabelError
        If there are several others.
    """
    questions = {name.removesuffix(_RESPONSES) for name in names if name.endswith(_RESPONSES)}
    return CONTROL if CONTROL in questions else only_one(questions - {NOTE}, "questions", CONTROL) or CONTROL


def _payload(record: Mapping[str, Any], holder: Mapping[str, Any], text: object) -> dict[str, Any]:
    item = holder.get("item_id")
    # A flattened record has every name that any record has.
    item = record.get("id") if item is None else item
    payload = {"plan_id": holder.get("plan_id"), "answers_of": holder.get("answers_of"), "kind": holder.get("kind")}
    payload = with_shown(payload, html.unescape(text) if isinstance(text, str) else None)
    return payload if item is None else {**payload, "item_id": item}


def _status(state: Any) -> str:
    return state if isinstance(state, str) and state in (DISCARDED, DRAFT) else ""


def _n_users(record: Mapping[str, Any], question: str) -> int:
    responses = list_of(object_of(record.get("responses")).get(question))
    return len({str(response.get("user_id")) for response in responses if isinstance(response, dict)})
