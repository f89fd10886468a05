"""Label Studio: a project made with the labelling config of the list, its tasks, and their annotations.

A personal access token is exchanged for one that holds for minutes; a legacy token is sent as it is. What an item is
known by stands in the ``data`` of its task, beside what the config shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Self

from ...errors import LabelError
from ...pool.problems import shown
from ...web import client as web
from ..formats import label_studio
from ..formats.tasks import CONTROL
from .assignment import Assignment, Entry
from .client import Changed, QueueClient, Refused
from .services import Queue

_PAGE = 500
_LOOKS = 600
_ORDER = json.dumps({"ordering": ["tasks:id"]})
_QUESTION = re.compile(rf"<(\w+)\b[^>]*\bname=[\"']{CONTROL}[\"'][^>]*>")
_IMAGE = re.compile(r"\$(image(?:_[0-9]+)?)\b")


class Project:
    """A project; parameters are a client to its server, the queue, the list, and what Label Studio says of it."""

    batch = 100

    def __init__(self, client: QueueClient, queue: Queue, assignment: Assignment, project: dict[str, Any]) -> None:
        self._client, self._assignment = client, assignment
        self._number, self._config = project["id"], str(project.get("label_config") or "")
        self.url = f"{queue.root}/projects/{self._number}/data"

    @staticmethod
    def connect(queue: Queue) -> QueueClient:
        """Connect to the server."""
        client, token = QueueClient(queue), queue.keys[0]
        if token.count(".") != 2:
            client.authorize("Token", token)
            return client

        def renew() -> None:
            client.authorize("Bearer", client.post("/api/token/refresh", {"refresh": token}, safe=True)["access"])

        # The first request has no token yet, as one whose token has run out.
        client.renew_with(renew)
        return client

    @classmethod
    def find(cls, client: QueueClient, queue: Queue, assignment: Assignment) -> Self | None:
        """Return the project of this name, the oldest of several; None if there is none."""
        page, same = 1, list[dict[str, Any]]()
        while True:
            answer = client.get("/api/projects", title=queue.project, page=page, page_size=100)
            same += [one for one in answer["results"] if one["title"] == queue.project]
            if not answer.get("next"):
                break
            page += 1
        return cls(client, queue, assignment, min(same, key=lambda one: int(one["id"]))) if same else None

    @classmethod
    def make(cls, client: QueueClient, queue: Queue, assignment: Assignment) -> Self:
        """Make a project with the labelling config of this list, or return an older one, made at the same moment."""
        config = label_studio.to_config(assignment.frame, assignment.kind, assignment.title)
        project = client.post("/api/projects", {"title": queue.project, "label_config": config})
        oldest = cls.find(client, queue, assignment)
        if oldest is None or oldest._number == project["id"]:
            return cls(client, queue, assignment, {**project, "label_config": config})
        client.delete(f"/api/projects/{project['id']}")
        return oldest

    def check(self) -> None:
        """Check that the config asks what the list asks and shows all its images, however people changed the rest."""
        config = label_studio.to_config(self._assignment.frame, self._assignment.kind)
        if _question(self._config) != _question(config) or not _images(config) <= _images(self._config):
            raise LabelError(
                "The project of this name asks another question, or shows fewer images than this list has. Choose "
                "another name."
            )

    def items(self) -> Iterator[tuple[str, Entry | None]]:
        """Yield its tasks, the eldest first, and what they are known by."""
        for task in self._tasks("task_only"):
            yield str(task["id"]), Entry.of(task["data"])

    def add(self, entries: Sequence[Entry]) -> None:
        """Import tasks, and wait for them: other editions than the community's import them behind the scenes."""
        tasks = [self._documents[entry] for entry in entries]
        answer = self._client.post(f"/api/projects/{self._number}/import", tasks)
        number = answer.get("import")
        for _ in range(_LOOKS if number else 0):
            job = self._client.get(f"/api/projects/{self._number}/imports/{number}")
            if job["status"] == "completed":
                return
            if job["status"] == "failed":
                raise LabelError(f"Label Studio could not import the tasks ({shown(str(job.get('error')), 200)}).")
            web.wait(2 * web.FIRST_PAUSE)
        if number:
            raise LabelError("Label Studio is still importing. Send the list again once it has finished.")

    def labels(self) -> bytes:
        """Return its tasks with their annotations, as the export JSON has them."""
        tasks = [{name: task.get(name) for name in ("id", "data", "annotations")} for task in self._tasks("all")]
        return json.dumps(tasks, ensure_ascii=False).encode()

    @cached_property
    def _documents(self) -> dict[Entry, dict[str, Any]]:
        """The tasks of the list; Label Studio refuses one that lacks an image that the config shows."""
        blank = dict.fromkeys(sorted(_images(self._config)), "")
        tasks = json.loads(label_studio.to_tasks(self._assignment.frame, self._assignment.kind))
        documents = ({"data": {**blank, **task["data"]}} for task in tasks)
        return dict(zip(self._assignment.entries, documents, strict=True))

    def _tasks(self, fields: str) -> Iterator[dict[str, Any]]:
        page, left = 1, 1
        while left > 0:
            try:
                answer = self._client.get(
                    "/api/tasks", project=self._number, fields=fields, query=_ORDER, page=page, page_size=_PAGE
                )
            except Refused as error:
                # A page behind the last: tasks were removed.
                raise Changed("project") if page > 1 and error.status == 404 else error from None
            yield from answer["tasks"]
            # A server may give fewer than are asked for, and refuses a page behind the last.
            left = answer["total"] if page == 1 else left
            left -= len(answer["tasks"]) or left
            page += 1


def _question(config: str) -> tuple[str, bool] | None:
    """Return the element that takes the label, and whether its choices are the item's own; None if there is none."""
    tag = _QUESTION.search(config)
    return None if tag is None else (tag[1], "$options" in tag[0])


def _images(config: str) -> set[str]:
    return set(_IMAGE.findall(config))
