"""Label Studio: tasks, their labelling config, and the exports JSON, JSON_MIN and CSV.

All that a task carries is in its ``data``: Label Studio gives tasks its own ids and drops their ``meta``. An export has
a column for each control, which replaces data of that name; hence the name `CONTROL`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

import pandas as pd

from ...files.jsontext import BadJson, decode
from ..kinds import KINDS
from ..rows import label_text, text_of
from ..targets import ANSWERS_OF
from .list_reader import ITEM_COLUMNS
from .records import CANCELLED, Records, Row, only_one
from .tasks import (
    CONTROL,
    NOTE,
    PROBABILITY,
    Task,
    all_have_choices,
    image_name,
    most_images,
    tasks_of,
    with_shown,
)

# Columns that JSON_MIN and CSV add to a task's data, and the data of `to_tasks`.
_ADDED = frozenset(
    {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", "history"}
)
_TASK_DATA = frozenset(
    {
        "position",
        "item_id",
        "plan_id",
        ANSWERS_OF,
        # Of a filled list.
        "prompt",
        "target_answer",
        "kind",
        "image",
        "group",
        "stratum",
        "semantic_entropy",
        "text",
        "options",
        NOTE,
        PROBABILITY,
    }
)
_IMAGE = re.compile(r"image(_[0-9]+)?")
# How a control's results begin in CSV, and the kinds of result that are not regions of a text or image.
_PACKED = ('[{"', '{"')
_RESULTS = frozenset({"choices", "text", "number", "rating", "datetime", "selected"})
_REQUIRED = "Add a label or skip this task."


def to_tasks(frame: pd.DataFrame, kind: str) -> str:
    """Return the request as tasks to import (JSON), in its order."""
    items = list(tasks_of(frame))
    images = most_images(items)
    choices = not KINDS[kind].judges and all_have_choices(items)
    documents = [{"data": _data(task, images, choices)} for task in items]
    return json.dumps(documents, ensure_ascii=False, indent=1)


def to_config(frame: pd.DataFrame, kind: str, title: str = "") -> str:
    """Return the labelling config (XML) for the tasks of `to_tasks`, with ``title`` above each task."""
    items = list(tasks_of(frame))
    lines = ["<View>", _tag("Header", value=_literal(" · ".join(filter(None, (title, KINDS[kind].question)))))]
    images = most_images(items)
    # A tag for each image: a list of images hides all but one, and an empty list stops Label Studio.
    size = {"maxWidth": "400px"} if images > 1 else {}
    lines += [
        _tag("Image", name=f"shown_{image_name(number)}", value=f"${image_name(number)}", **size)
        for number in range(1, images + 1)
    ]
    # Without the style, indented code and blank runs collapse.
    lines.append('<View style="white-space: pre-wrap">' + _tag("Text", name="shown_text", value="$text") + "</View>")
    lines += _control(kind, all_have_choices(items))
    lines.append(_tag("TextArea", name=NOTE, toName="shown_text", rows="1", maxSubmissions="1", placeholder="Note"))
    return "\n  ".join(lines) + "\n</View>\n"


def read_tasks(documents: Records) -> Iterator[Row]:
    """Yield the rows of the export JSON: one an annotation, or an empty one for a task without.

    Raises
    ------
    LabelError
        If several controls may hold the labels.
    """
    tasks = {number: (task.get("data"), _annotations(task)) for number, task in documents.items()}
    control = _control_of([one for _, given in tasks.values() for one in given or ()])
    for number, (data, given) in tasks.items():
        if not isinstance(data, dict):
            yield Row.broken(number, "`data` is missing.")
            continue
        if given is None:
            yield Row.broken(number, "`annotations` must be a list of annotations.")
            continue
        displayed, payload = _displayed(data), with_shown(data, data.get("text"))
        for annotation in given or [{}]:
            label, note = _result(annotation, control, displayed)
            status = CANCELLED if annotation.get("was_cancelled") else ""
            yield Row.of(number, payload, label, _person(annotation.get("completed_by")), note, status)


def read_min(records: Records) -> Iterator[Row]:
    """Yield the rows of JSON_MIN and CSV: the task's data, Label Studio's columns, and a column for each control.

    Raises
    ------
    LabelError
        If several columns may hold the labels.
    """
    control = _column_of(records)
    for number, record in records.items():
        label = label_text(_unpacked(record.get(control)))
        # CSV has the options as JSON, which takes time to read: only if the label may be an option as it was shown.
        if label is not None and (". " in label or not isinstance(record.get("options"), str)):
            label = _letter(label, _displayed(record))
        payload = with_shown(record, record.get("text"))
        yield Row.of(number, payload, label, text_of(record.get("annotator")), text_of(record.get(NOTE)))


def _column_of(records: Records) -> str:
    """Return the column with the labels: `CONTROL`, or else the only one from neither Label Studio nor `to_tasks`.

    Raises
    ------
    LabelError
        If there are several, controls or data of the tasks.
    """
    names = {name for record in records.values() for name in record}
    if CONTROL in names:
        return CONTROL
    others = {name for name in names - _ADDED - _TASK_DATA if not _IMAGE.fullmatch(name)}
    # A list's own columns hold no labels, unless a control is called so.
    return only_one(others.difference(ITEM_COLUMNS) or others, "columns", CONTROL) or CONTROL


def _data(task: Task, images: int, choices: bool) -> dict[str, Any]:
    # The choices show the options already, but with any white space as one blank.
    repeated = choices and any(" ".join(text.split()) != text.strip() for _, text in task.options)
    data = {**task.payload, "text": task.question if repeated or not choices else task.unlisted}
    if task.options:
        data["options"] = [{"value": _unnamed(f"{name}. {text}"), "alias": name} for name, text in task.options]
    shown = {image_name(number): image for number, image in enumerate(task.images, start=1)}
    # Label Studio refuses a task that lacks what the config shows.
    return {**data, **{image_name(number): "" for number in range(1, images + 1)}, **shown}


def _control(kind: str, choices: bool) -> list[str]:
    # Without “required”, an early Submit stores an annotation without a label.
    where = {"name": CONTROL, "toName": "shown_text", "required": "true", "requiredMessage": _REQUIRED}
    if KINDS[kind].verdicts:
        numbered = enumerate(KINDS[kind].verdicts, start=1)
        options = ["  " + _tag("Choice", value=value, hotkey=str(number)) for number, value in numbered]
        opened = _tag("Choices", **where, choice="single-radio", showInline="true").replace("/>", ">")
        return [opened, *options, "</Choices>"]
    if KINDS[kind].averaged:
        scale = KINDS[kind].scale
        low, high = (0.0, 1.0) if scale is None else (scale.low, scale.high)
        return [_tag("Number", **where, min=f"{low:g}", max=f"{high:g}", step="1" if KINDS[kind].keys else "0.01")]
    if choices:
        return [_tag("Choices", **where, value="$options", choice="single-radio")]
    return [_tag("TextArea", **where, rows="1", maxSubmissions="1", editable="true", placeholder="The right answer")]


def _tag(element: str, /, **attributes: str) -> str:
    return f"<{element} {' '.join(f'{key}={quoteattr(value)}' for key, value in attributes.items())}/>"


def _literal(text: str) -> str:
    """Return text that an attribute shows unchanged; XML has no control characters."""
    return _unnamed("".join(char if char.isprintable() else " " for char in text))


def _unnamed(text: str) -> str:
    """Put a word joiner, which is invisible, after each $.

    Label Studio replaces ``$name`` by the task's data of that name, in options too: “$5” would show as “undefined”.
    """
    return text.replace("$", "$\u2060")


def _annotations(task: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the annotations of a task, None if they are something else."""
    entries = task.get("annotations") or task.get("completions") or []
    if not isinstance(entries, list):
        return None
    for one in entries:
        if not isinstance(one, dict):
            return None
    return entries


def _control_of(annotations: Iterable[Mapping[str, Any]]) -> str:
    """Return the control with the labels of a file: `CONTROL` if any annotation uses it, else the only one in use.

    Raises
    ------
    LabelError
        If several are used: one may hold labels, another comments.
    """
    names = {name for one in annotations for name, _ in _parts(one)} - {NOTE}
    return CONTROL if CONTROL in names else only_one(names, "controls", CONTROL) or CONTROL


def _parts(annotation: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the control's name and the result, for each result of an annotation with a value."""
    result = annotation.get("result")
    if not isinstance(result, list):
        return []
    return [
        (str(part.get("from_name")), part)
        for part in result
        if isinstance(part, dict) and isinstance(part.get("value"), dict)
    ]


def _result(annotation: Mapping[str, Any], control: str, displayed: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Return label and note of an annotation: the values of ``control`` and of the control for notes."""
    labels: list[Any] = []
    notes: list[Any] = []
    for name, part in _parts(annotation):
        if name in (control, NOTE):
            kind, value = part.get("type"), part["value"]
            inner = value.get(kind) if isinstance(kind, str) else None
            values = labels if name == control else notes
            values.append(value.get("text", value.get("choices")) if inner is None else inner)
    note = label_text(_single(notes)) if notes else None
    return _letter(label_text(_single(labels)), displayed), note


def _single(values: list[Any]) -> Any:
    """Return the only value of a control's results, or all of them as a list; None if there are none."""
    if not values:
        return None
    if len(values) == 1 and not isinstance(values[0], list):
        return values[0]
    flat = [entry for value in values for entry in (value if isinstance(value, list) else [value])]
    return flat[0] if len(flat) == 1 else flat


def _unpacked(value: Any) -> Any:
    """Unpack a control's value in JSON_MIN and (as JSON) in CSV.

    A single choice or text is bare, numbers and ratings are [{"number": 0.5}], several choices or texts are
    {"choices": ["A", "B"]}. Anything else is a text, even if it looks like JSON.
    """
    packed = value
    if isinstance(value, str):
        if not value.startswith(_PACKED):
            return value
        try:
            packed = decode(value)
        except BadJson:
            return value
    if isinstance(packed, dict):
        several = packed.get("choices", packed.get("text"))
        return several if len(packed) == 1 and isinstance(several, list) else value
    if isinstance(packed, list) and all(isinstance(part, dict) and len(part) == 1 for part in packed):
        results = [(name, inner) for part in packed for name, inner in part.items()]
        if all(name in _RESULTS for name, _ in results):
            return _single([inner for _, inner in results])
    return value


def _displayed(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the letter of each option by its text on the screen."""
    options = data.get("options")
    if isinstance(options, str):
        try:
            options = decode(options)
        except BadJson:
            return {}
    if not isinstance(options, list):
        return {}
    return {
        str(option["value"]): str(option["alias"])
        for option in options
        if isinstance(option, dict) and "value" in option and "alias" in option
    }


def _letter(label: str | None, displayed: Mapping[str, str]) -> str | None:
    return label if label is None else displayed.get(label, label)


def _person(value: Any) -> str | None:
    if isinstance(value, dict):
        value = value.get("email") or value.get("username") or value.get("id")
    return text_of(value)
