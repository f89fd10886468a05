"""What each tool writes when somebody gave ``labels`` (item id → label, None = skipped)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

from openpyxl import load_workbook

from core.labels.formats.escaping import item_id, keep_id, unescape


def fill_csv(content: bytes, labels: dict[str, str | None]) -> bytes:
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    item, label = rows[0].index("item_id"), rows[0].index("label")
    plain = {keep_id(key): value for key, value in labels.items()}
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(rows[0])
    writer.writerows([*row[:label], plain[row[item]] or "", *row[label + 1 :]] for row in rows[1:])
    return stream.getvalue().encode()


def fill_jsonl(content: bytes, labels: dict[str, str | None]) -> bytes:
    records = [json.loads(line) for line in content.decode().split("\n") if line]
    return "\n".join(json.dumps({**record, "label": labels[record["item_id"]]}) for record in records).encode()


def fill_xlsx(content: bytes, labels: dict[str, str | None]) -> bytes:
    book = load_workbook(io.BytesIO(content))
    sheet = book.active
    header = [cell.value for cell in sheet[1]]
    for row in sheet.iter_rows(min_row=2):
        given_label = labels[item_id(unescape(str(row[header.index("item_id")].value)))]
        filled = row[header.index("label")]
        filled.value = given_label
        # The cells are formatted as text, so that what a person types stays text.
        assert filled.number_format == "@"
        filled.data_type = "s" if given_label is not None else "n"
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _studio(content: bytes, labels: dict[str, str | None]) -> list[dict[str, Any]]:
    exported = []
    for number, task in enumerate(json.loads(content), start=1):
        label = labels[task["data"]["item_id"]]
        if "options" in task["data"]:
            value, kind = {"choices": [label]}, "choices"
        else:
            value, kind = {"text": [label]}, "textarea"
        result = [{"id": "r", "from_name": "neyman_label", "to_name": "shown_text", "type": kind, "value": value}]
        annotation = {
            "id": number * 7,
            "was_cancelled": label is None,
            "ground_truth": False,
            "completed_by": 3,
            "lead_time": 4.2,
            "result": result if label is not None else [],
        }
        # Label Studio numbers the tasks itself and drops their meta.
        exported.append({"id": number + 1000, "data": task["data"], "annotations": [annotation], "predictions": [9]})
    return exported


def fill_studio(content: bytes, labels: dict[str, str | None]) -> bytes:
    return json.dumps(_studio(content, labels)).encode()


def _minimal(content: bytes, labels: dict[str, str | None]) -> list[dict[str, Any]]:
    times = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "lead_time": 4.2}
    return [
        {
            **task["data"],
            "id": task["id"],
            "neyman_label": labels[task["data"]["item_id"]],
            "annotator": 3,
            "annotation_id": task["annotations"][0]["id"],
            **times,
        }
        for task in _studio(content, labels)
        if not task["annotations"][0]["was_cancelled"]
    ]


def fill_studio_min(content: bytes, labels: dict[str, str | None]) -> bytes:
    return json.dumps(_minimal(content, labels)).encode()


def fill_studio_csv(content: bytes, labels: dict[str, str | None]) -> bytes:
    return _csv_of(_minimal(content, labels))


def studio_csv(document: list[dict[str, Any]]) -> bytes:
    given_labels = [task["annotations"][0]["result"][0]["value"]["choices"][0] for task in document]
    rows = zip(document, given_labels, strict=True)
    return _csv_of([{**task["data"], "neyman_label": label, "annotation_id": 1} for task, label in rows])


def _csv_of(records: list[dict[str, Any]]) -> bytes:
    rows = [{k: json.dumps(v) if isinstance(v, list) else v for k, v in record.items()} for record in records]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


_METADATA = ("item_id", "plan_id", "answers_of", "position", "group")


def fill_argilla_flat(content: bytes, labels: dict[str, str | None]) -> bytes:
    records = []
    for number, record in enumerate(json.loads(content)):
        label = labels[record["id"]]
        responses = {
            "neyman_label.responses": [label or "A"],
            "neyman_label.responses.users": ["u-1"],
            "neyman_label.responses.status": ["submitted" if label is not None else "discarded"],
        }
        records.append(
            {**record, "status": "completed", "_server_id": str(number), "neyman_label.suggestion": None, **responses}
        )
    return json.dumps(records).encode()


def fill_argilla_nested(content: bytes, labels: dict[str, str | None]) -> bytes:
    records = []
    for record in json.loads(content):
        label = labels[record["id"]]
        metadata = {key: record[key] for key in _METADATA if key in record}
        records.append(
            {
                "id": record["id"],
                "fields": {"text": record["text"]},
                "metadata": metadata,
                "suggestions": {},
                "responses": {"neyman_label": [{"value": label, "user_id": "u-1"}]} if label is not None else {},
                "status": "completed" if label is not None else "pending",
                "_server_id": "s",
            }
        )
    return json.dumps(records).encode()


def fill_prodigy(content: bytes, labels: dict[str, str | None]) -> bytes:
    lines = []
    for line in content.decode().split("\n"):
        if line:
            record = json.loads(line)
            label = labels[record["item_id"]]
            given_label = {"accept": [label] if label else []} if "options" in record else {"neyman_label": label}
            lines.append(
                {
                    **record,
                    **given_label,
                    "answer": "accept" if label is not None else "ignore",
                    "_input_hash": 1,
                    "_task_hash": 2,
                    "_view_id": "choice",
                    "_session_id": "db-ann",
                    "_timestamp": 1,
                }
            )
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


Fill = Callable[[bytes, dict[str, str | None]], bytes]
TOOLS: list[tuple[str, str, Fill]] = [
    ("csv", "csv", fill_csv),
    ("jsonl", "jsonl", fill_jsonl),
    ("xlsx", "xlsx", fill_xlsx),
    ("label-studio", "label-studio", fill_studio),
    ("label-studio", "label-studio-min", fill_studio_min),
    ("label-studio", "label-studio-csv", fill_studio_csv),
    ("argilla", "argilla", fill_argilla_flat),
    ("argilla", "argilla", fill_argilla_nested),
    ("prodigy", "prodigy", fill_prodigy),
]
