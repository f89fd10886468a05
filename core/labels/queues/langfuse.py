"""Langfuse: an annotation queue, a trace for each item, and the scores that people give in the queue.

A queue holds nothing but ids of traces. So the id of an item's trace is a digest of what the item is known by, and what
people read goes out as an OpenTelemetry span, which versions 3 and 4 take. Sent again, a span has the same ids and the
same time, that of the queue, so that it replaces itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

from ...errors import LabelError
from ...pool.problems import shown
from ..formats.tasks import CONTROL, Task, all_have_choices, tasks_of
from ..kinds import KINDS
from ..rows import label_text
from .assignment import Assignment, Entry
from .client import Changed, QueueClient, Refused
from .services import Queue

_PAGE = 100
_NAME = 200
_FINISHED = "COMPLETED"
_SPAN_HEADERS = {"x-langfuse-ingestion-version": "4"}


class AnnotationQueue:
    """An annotation queue; parameters are a client, the queue, the list, and what Langfuse says of it."""

    batch = 20

    def __init__(self, client: QueueClient, queue: Queue, assignment: Assignment, there: Mapping[str, Any]) -> None:
        self._client, self._assignment, self._there = client, assignment, there
        self._path = f"/api/public/annotation-queues/{there['id']}"
        self._known = {trace_id(entry): entry for entry in assignment.known}
        project = client.get("/api/public/projects")["data"][0]["id"]
        self.url = f"{queue.root}/project/{project}/annotation-queues/{there['id']}"

    @staticmethod
    def connect(queue: Queue) -> QueueClient:
        """Connect to the server."""
        public, secret = queue.keys
        return QueueClient(queue, _SPAN_HEADERS, (public, secret))

    @classmethod
    def find(cls, client: QueueClient, queue: Queue, assignment: Assignment) -> Self | None:
        """Return the queue of this name, the oldest of several; None if there is none."""
        queues = _pages(client, "/api/public/annotation-queues")
        same = [one for one in queues if one["name"] == queue.project]
        if not same:
            return None
        return cls(client, queue, assignment, min(same, key=lambda one: str(one["createdAt"])))

    @classmethod
    def make(cls, client: QueueClient, queue: Queue, assignment: Assignment) -> Self:
        """Make a queue, and the score config that it asks by."""
        score = _score_config(assignment)
        fitting = _fitting(client, score)
        config = fitting[0] if fitting else client.post("/api/public/score-configs", score)["id"]
        description = " · ".join(filter(None, (assignment.title, KINDS[assignment.kind].question)))
        body = {"name": queue.project, "description": description, "scoreConfigIds": [config]}
        return cls(client, queue, assignment, client.post("/api/public/annotation-queues", body))

    def check(self) -> None:
        """Check that the queue asks what the list asks."""
        configs = _fitting(self._client, _score_config(self._assignment))
        if not set(configs) & set(self._there["scoreConfigIds"]):
            raise LabelError("The annotation queue of this name asks another question. Choose another name.")

    def items(self) -> Iterator[tuple[str, Entry | None]]:
        """Yield its items, the eldest first; of other lists nothing is known but that they are there."""
        for item in sorted(self._items(), key=lambda one: (str(one["createdAt"]), str(one["id"]))):
            yield item["id"], self._known.get(item["objectId"])

    def add(self, entries: Sequence[Entry]) -> None:
        """Send what people read, then put it into the queue."""
        spans = [self._span(entry, self._tasks[entry]) for entry in entries]
        # Langfuse takes a few megabytes at a time, which images may fill.
        step = 1 if any(self._tasks[entry].images for entry in entries) else len(spans)
        for start in range(0, len(spans), step):
            scope = {"scope": {"name": "neyman"}, "spans": spans[start : start + step]}
            body = {"resourceSpans": [{"scopeSpans": [scope]}]}
            partial = (self._client.post("/api/public/otel/v1/traces", body, safe=True) or {}).get(
                "partialSuccess"
            ) or {}
            if int(partial.get("rejectedSpans") or 0):
                raise LabelError(f"Langfuse rejects items ({shown(str(partial.get('errorMessage')), 200)}).")
        for entry in entries:
            self._client.post(f"{self._path}/items", {"objectId": trace_id(entry), "objectType": "TRACE"})

    def labels(self) -> bytes:
        """Return its items with their scores, as a list in JSON Lines; a score of an unfinished item is a draft."""
        scores: dict[str, list[dict[str, Any]]] = {}
        for score in self._scores():
            if score["name"] == CONTROL:
                scores.setdefault(_trace_of(score), []).append(score)
        finished: dict[str, bool] = {}
        for item in self._items():
            finished[item["objectId"]] = finished.get(item["objectId"], False) or item["status"] == _FINISHED
        rows = [
            {**self._known[trace]._asdict(), "kind": self._assignment.kind, **_label(score), "status": status}
            for trace, done in finished.items()
            if trace in self._known
            for status in ["" if done else "draft"]
            for score in scores.get(trace, [{}])
        ]
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()

    @cached_property
    def _tasks(self) -> dict[Entry, Task]:
        return dict(zip(self._assignment.entries, tasks_of(self._assignment.frame), strict=True))

    def _span(self, entry: Entry, task: Task) -> dict[str, Any]:
        """Return the span of an item: what is to be read, the answer that is judged, and what the item is known by."""
        trace = trace_id(entry)
        read: dict[str, Any] = {"question": "\n\n".join(filter(None, (task.prompt, task.listed))) or entry.item_id}
        read |= {"images": list(task.images)} if task.images else {}
        name = entry.item_id[:_NAME]
        attributes: dict[str, Any] = {"langfuse.trace.name": name}
        for level in ("trace", "observation"):
            attributes[f"langfuse.{level}.input"] = json.dumps(read, ensure_ascii=False)
            if task.answer is not None:
                attributes[f"langfuse.{level}.output"] = task.answer or "(none)"
            for key, value in task.payload.items():
                attributes[f"langfuse.{level}.metadata.{key}"] = value
        moment = datetime.fromisoformat(str(self._there["createdAt"])).timestamp()
        nanoseconds = str(round(moment * 1000) * 1_000_000)
        return {
            "traceId": trace,
            "spanId": trace[:16],
            "name": name,
            "kind": 1,
            "startTimeUnixNano": nanoseconds,
            "endTimeUnixNano": nanoseconds,
            "attributes": [_attribute(key, value) for key, value in attributes.items() if value is not None],
            "status": {},
        }

    def _items(self) -> Iterator[dict[str, Any]]:
        return _pages(self._client, f"{self._path}/items")

    def _scores(self) -> Iterator[dict[str, Any]]:
        """Yield the scores given in the queue; older servers know the second form of their list alone."""
        parameters = {"queueId": self._there["id"], "limit": _PAGE}
        cursor = None
        try:
            while True:
                more = {"fields": "details,subject,annotation", "cursor": cursor}
                answer = self._client.get("/api/public/v3/scores", **parameters, **more)
                yield from answer["data"]
                cursor = answer["meta"].get("cursor")
                if not cursor:
                    return
        except Refused as error:
            if error.status != 404 or cursor:
                raise
        yield from _pages(self._client, "/api/public/v2/scores", queueId=self._there["id"])


def trace_id(entry: Entry) -> str:
    """Return the id of an item's trace: 32 hex digits of the SHA-256 of what it is known by."""
    return sha256("\n".join((entry.plan_id, entry.answers_of, entry.item_id)).encode()).hexdigest()[:32]


def _pages(client: QueueClient, path: str, **parameters: Any) -> Iterator[dict[str, Any]]:
    page, last, count, most = 1, 1, 0, 0
    while page <= last:
        answer = client.get(path, **parameters, page=page, limit=_PAGE)
        yield from answer["data"]
        last, most = answer["meta"]["totalPages"], max(most, answer["meta"].get("totalItems", 0))
        count += len(answer["data"])
        page += 1
    if count < most:
        raise Changed("list")


def _score_config(assignment: Assignment) -> dict[str, Any]:
    """Return what the score is to be: one of the verdicts, one of the letters, a number from 0 to 1, or a text."""
    config: dict[str, Any] = {"name": CONTROL, "description": KINDS[assignment.kind].question}
    kind = KINDS[assignment.kind]
    if kind.averaged:
        low, high = (0, 1) if kind.scale is None else (kind.scale.low, kind.scale.high)
        return config | {"dataType": "NUMERIC", "minValue": low, "maxValue": high}
    items = list(tasks_of(assignment.frame))
    if kind.verdicts:
        names = list(kind.verdicts)
    elif all_have_choices(items):
        names = [name for name, _ in max((task.options for task in items), key=len)]
    else:
        return config | {"dataType": "TEXT"}
    return config | {
        "dataType": "CATEGORICAL",
        "categories": [{"label": name, "value": number} for number, name in enumerate(names)],
    }


def _fitting(client: QueueClient, score: Mapping[str, Any]) -> list[str]:
    """Return the ids of the score configs that ask the same; more letters than are needed do no harm."""
    names = {one["label"] for one in score.get("categories", ())}
    return [
        one["id"]
        for one in _pages(client, "/api/public/score-configs")
        if one["name"] == CONTROL
        and one["dataType"] == score["dataType"]
        and not one["isArchived"]
        and names <= {category["label"] for category in one.get("categories") or ()}
        and one.get("description") == score["description"]
    ]


def _attribute(key: str, value: Any) -> dict[str, Any]:
    if isinstance(value, float):
        return {"key": key, "value": {"doubleValue": value}}
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return {"key": key, "value": {"stringValue": text}}


def _trace_of(score: Mapping[str, Any]) -> str:
    """Return the trace that a score is about, in both forms of the list."""
    subject = score.get("subject") or {}
    return str(score.get("traceId") or subject.get("traceId") or subject.get("id"))


def _label(score: Mapping[str, Any]) -> dict[str, str | None]:
    value = score.get("stringValue") or score.get("value")
    return {
        "label": label_text(value),
        "annotator": str(score.get("authorUserId") or ""),
        "note": score.get("comment"),
    }
