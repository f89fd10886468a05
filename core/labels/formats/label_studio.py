"""Label Studio: tasks, the labelling config that belongs to them, and the exports JSON and JSON_MIN (CSV: `records`).

Everything of ours stands inside a task's ``data``: Label Studio gives tasks ids of its own and drops their ``meta``.
The control is called `CONTROL`, because an export has a column for each control, which replaces data of that name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

import pandas as pd

from core.labels.formats.records import CANCELLED, Row, label_text, only_one, text_of
from core.labels.formats.tasks import (
    CONTROL,
    NOTE,
    QUESTIONS,
    VERDICTS,
    Task,
    all_have_choices,
    image_name,
    most_images,
    tasks_of,
)
from core.labels.targets import ANSWERS_OF

# Columns that JSON_MIN and CSV add to a task's data, and those of our own tasks.
_ADDED = frozenset(
    {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", "history"}
)
_OURS = frozenset(
    {"position", "item_id", "plan_id", ANSWERS_OF, "group", "stratum", "semantic_entropy", "text", "options", NOTE}
)
_IMAGE = re.compile(r"image(_[0-9]+)?")
# How a control's results begin in CSV, and the kinds of result that are no regions.
_PACKED = ('[{"', '{"')
_RESULTS = frozenset({"choices", "text", "number", "rating", "datetime", "selected"})
_REQUIRED = "Give a label, or skip this task."


def to_tasks(frame: pd.DataFrame, kind: str) -> str:
    """The request as tasks to import (JSON), in its order."""
    found = list(tasks_of(frame))
    images = most_images(found)
    chosen = kind == "gold" and all_have_choices(found)
    documents = [{"data": _data(task, images, chosen)} for task in found]
    return json.dumps(documents, ensure_ascii=False, indent=1)


def to_config(frame: pd.DataFrame, kind: str, title: str = "") -> str:
    """The labelling config (XML) for the tasks of `to_tasks`; ``title`` stands above each task."""
    found = list(tasks_of(frame))
    lines = ["<View>", _tag("Header", value=_literal(" · ".join(filter(None, (title, QUESTIONS[kind])))))]
    images = most_images(found)
    # Several stand below one another: a list of images hides all but one, and an empty list stops Label Studio.
    size = {"maxWidth": "400px"} if images > 1 else {}
    lines += [
        _tag("Image", name=f"shown_{image_name(number)}", value=f"${image_name(number)}", **size)
        for number in range(1, images + 1)
    ]
    # Without the style, indented code and blank runs collapse.
    lines.append('<View style="white-space: pre-wrap">' + _tag("Text", name="shown_text", value="$text") + "</View>")
    lines += _control(kind, all_have_choices(found))
    lines.append(_tag("TextArea", name=NOTE, toName="shown_text", rows="1", maxSubmissions="1", placeholder="Note"))
    return "\n  ".join(lines) + "\n</View>\n"


def read_tasks(documents: Sequence[Any]) -> Iterator[Row]:
    """The rows of an export JSON: one for each annotation, or an empty one for a task without.

    Raises
    ------
    LabelError : which control holds the labels cannot be known.
    """
    control = _filled(documents)
    for number, task in enumerate(documents, start=1):
        data = task.get("data") if isinstance(task, dict) else None
        if not isinstance(data, dict):
            yield Row.broken(number, "there is no “data”.")
            continue
        found = _annotations(task)
        if found is None:
            yield Row.broken(number, "“annotations” is not a list of annotations.")
            continue
        for annotation in found or [{}]:
            label, note = _result(annotation, control, _displayed(data))
            status = CANCELLED if annotation.get("was_cancelled") else ""
            yield Row.of(number, data, label, _person(annotation.get("completed_by")), note, status)


def read_min(records: Sequence[Any]) -> Iterator[Row]:
    """The rows of JSON_MIN and CSV: the task's data, Label Studio's columns, and one column for each control.

    Raises
    ------
    LabelError : which column holds the labels cannot be known.
    """
    control = control_of(records)
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            yield Row.broken(number, "this is not an object.")
            continue
        label = label_text(_unpacked(record.get(control)))
        # CSV has the options as JSON, which takes time: a look only where the label may be one as it was shown.
        if label is not None and (". " in label or not isinstance(record.get("options"), str)):
            label = _letter(label, _displayed(record))
        yield Row.of(number, record, label, text_of(record.get("annotator")), text_of(record.get(NOTE)))


def control_of(records: Sequence[Any]) -> str:
    """The column that holds the labels: ours, or else the only one that is neither Label Studio's nor of our tasks.

    Raises
    ------
    LabelError : there are several such columns: data of the tasks, or controls.
    """
    names = {name for record in records if isinstance(record, dict) for name in record}
    if CONTROL in names:
        return CONTROL
    others = (name for name in names - _ADDED - _OURS if not _IMAGE.fullmatch(name))
    return only_one(others, "columns", CONTROL) or CONTROL


def _data(task: Task, images: int, chosen: bool) -> dict[str, Any]:
    # Options that are chosen from stand there already, but with white space of any kind as one blank.
    shown_twice = chosen and any(" ".join(text.split()) != text.strip() for _, text in task.options)
    data = {**task.payload, "text": task.question if shown_twice or not chosen else task.unlisted}
    if task.options:
        data["options"] = [{"value": _unnamed(f"{name}. {text}"), "alias": name} for name, text in task.options]
    shown = {image_name(number): image for number, image in enumerate(task.images, start=1)}
    # Label Studio refuses a task that lacks what the config shows.
    return {**data, **{image_name(number): "" for number in range(1, images + 1)}, **shown}


def _control(kind: str, choices: bool) -> list[str]:
    # Without “required” a hasty Submit stores an annotation without a label.
    where = {"name": CONTROL, "toName": "shown_text", "required": "true", "requiredMessage": _REQUIRED}
    if kind == "right-wrong":
        options = [
            "  " + _tag("Choice", value=value, hotkey=str(number)) for number, value in enumerate(VERDICTS, start=1)
        ]
        opened = _tag("Choices", **where, choice="single-radio", showInline="true").replace("/>", ">")
        return [opened, *options, "</Choices>"]
    if kind == "score":
        return [_tag("Number", **where, min="0", max="1", step="0.01")]
    if choices:
        return [_tag("Choices", **where, value="$options", choice="single-radio")]
    return [_tag("TextArea", **where, rows="1", maxSubmissions="1", editable="true", placeholder="The right answer")]


def _tag(element: str, /, **attributes: str) -> str:
    return f"<{element} {' '.join(f'{key}={quoteattr(value)}' for key, value in attributes.items())}/>"


def _literal(text: str) -> str:
    """Text that shows as it is in an attribute: XML has no control characters."""
    return _unnamed("".join(char if char.isprintable() else " " for char in text))


def _unnamed(text: str) -> str:
    """``text`` with a word joiner, which is invisible, after each $.

    Label Studio replaces ``$name`` by the task's data of that name, in options too: “$5” would show as “undefined”.
    """
    return text.replace("$", "$\u2060")


def _annotations(task: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The annotations of a task, None where something else stands there."""
    found = task.get("annotations") or task.get("completions") or []
    return found if isinstance(found, list) and all(isinstance(one, dict) for one in found) else None


def _filled(documents: Sequence[Any]) -> str:
    """The control of ours where any annotation fills it, or else the only one that any fills.

    Raises
    ------
    LabelError : there are several: what one task leaves empty may be what is asked, and another a comment.
    """
    annotations = (one for task in documents if isinstance(task, dict) for one in _annotations(task) or ())
    names = {name for one in annotations for name, _ in _parts(one)} - {NOTE}
    return CONTROL if CONTROL in names else only_one(names, "controls", CONTROL) or CONTROL


def _parts(annotation: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The name of the control and the whole of each result of an annotation that holds a value."""
    result = annotation.get("result")
    for part in result if isinstance(result, list) else []:
        if isinstance(part, dict) and isinstance(part.get("value"), dict):
            yield str(part.get("from_name")), part


def _result(annotation: Mapping[str, Any], control: str, displayed: Mapping[str, str]) -> tuple[str | None, str | None]:
    """(label, note) of an annotation: what ``control`` holds, and our control for notes."""
    values: dict[str, list[Any]] = {}
    for name, part in _parts(annotation):
        kind, value = part.get("type"), part["value"]
        inner = value.get(kind) if isinstance(kind, str) else None
        values.setdefault(name, []).append(value.get("text", value.get("choices")) if inner is None else inner)
    note = label_text(_single(values.get(NOTE)))
    return _letter(label_text(_single(values.get(control))), displayed), note


def _single(values: list[Any] | None) -> Any:
    """One value of a control's results; several stay a list."""
    if values is None:
        return None
    if len(values) == 1 and not isinstance(values[0], list):
        return values[0]
    flat = [entry for value in values for entry in (value if isinstance(value, list) else [value])]
    return flat[0] if len(flat) == 1 else flat


def _unpacked(value: Any) -> Any:
    """What JSON_MIN and CSV (there as JSON) pack; a single choice and a single text stand there bare.

    Numbers and ratings: [{"number": 0.5}]; several choices or texts: {"choices": ["A", "B"]}. Anything else is a text,
    also one that looks like JSON.
    """
    found = value
    if isinstance(value, str):
        if not value.startswith(_PACKED):
            return value
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            return value
    if isinstance(found, dict):
        several = found.get("choices", found.get("text"))
        return several if len(found) == 1 and isinstance(several, list) else value
    if isinstance(found, list) and all(isinstance(part, dict) and len(part) == 1 for part in found):
        results = [(name, inner) for part in found for name, inner in part.items()]
        if all(name in _RESULTS for name, _ in results):
            return _single([inner for _, inner in results])
    return value


def _displayed(data: Mapping[str, Any]) -> dict[str, str]:
    """What the options looked like → their letters."""
    options = data.get("options")
    if isinstance(options, str):
        try:
            options = json.loads(options)
        except (ValueError, RecursionError):
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
