"""Argilla 2: a dataset with the settings of the list, its records, and their responses.

The external id of a record names plan, target and item, so that the server itself refuses the same item twice. Making a
dataset takes several requests: what a lost connection left out is added by the next push.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from ...errors import LabelError
from ...pool.problems import shown
from ..formats import argilla
from ..formats.tasks import CONTROL, PROBABILITY
from .assignment import Assignment, Entry
from .client import Changed, QueueClient
from .services import Queue

_PAGE = 500
_SHOWN = 5
_PARTS = {"fields": "fields", "questions": "questions", "metadata": "metadata-properties"}


class Dataset:
    """A dataset; parameters are a client to its server, the queue, the list, and what Argilla says of it."""

    batch = 100

    def __init__(self, client: QueueClient, queue: Queue, assignment: Assignment, dataset: Mapping[str, Any]) -> None:
        self._client, self._assignment, self._dataset = client, assignment, dataset
        self._path = f"/api/v1/datasets/{dataset['id']}"
        self.url = f"{queue.root}/dataset/{dataset['id']}/annotation-mode"

    @staticmethod
    def connect(queue: Queue) -> QueueClient:
        """Connect to the server."""
        return QueueClient(queue, {"X-Argilla-Api-Key": queue.keys[0]})

    @classmethod
    def find(cls, client: QueueClient, queue: Queue, assignment: Assignment) -> Self | None:
        """Return the dataset of this name; None if there is none."""
        workspace, name = _workspace(client, queue)
        datasets = client.get("/api/v1/me/datasets", workspace_id=workspace, name=name)["items"]
        same = [one for one in datasets if one["name"] == name and one["workspace_id"] == workspace]
        return cls(client, queue, assignment, same[0]) if same else None

    @classmethod
    def make(cls, client: QueueClient, queue: Queue, assignment: Assignment) -> Self:
        """Make a dataset; `check` gives it its settings."""
        workspace, name = _workspace(client, queue)
        settings = _settings(assignment)
        copied = {part: settings[part] for part in ("guidelines", "allow_extra_metadata", "distribution")}
        dataset = client.post("/api/v1/datasets", {"name": name, "workspace_id": workspace, **copied})
        return cls(client, queue, assignment, dataset)

    def check(self) -> None:
        """Complete and publish a dataset that is a draft, and check that another one asks what the list asks."""
        if self._dataset["status"] == "draft":
            for part, path in _PARTS.items():
                names = {one["name"] for one in self._parts(path)}
                for one in self._settings[part]:
                    if one["name"] not in names:
                        self._client.post(f"{self._path}/{path}", one)
            self._dataset = self._client.put(f"{self._path}/publish")
        questions = {one["name"]: one["settings"] for one in self._parts("questions")}
        question = next(one["settings"] for one in self._settings["questions"] if one["name"] == CONTROL)
        known = questions.get(CONTROL, {})
        if known.get("type") != question["type"] or not _options(question) <= _options(known):
            raise LabelError("The dataset of this name asks another question. Choose another name.")

    def items(self) -> Iterator[tuple[str, Entry | None]]:
        """Yield its records, the eldest first, and what they are known by."""
        for record in sorted(self._records(), key=lambda one: str(one["inserted_at"])):
            yield record["id"], Entry.of(record.get("metadata") or {})

    def add(self, entries: Sequence[Entry]) -> None:
        """Add records; those that are there already stay one record each."""
        records = [self._documents[entry] for entry in entries]
        self._client.put(f"{self._path}/records/bulk", {"items": records})

    def labels(self) -> bytes:
        """Return its records with their responses, as ``records.to_list(flatten=True)`` has them."""
        records = [_flat(record) for record in self._records("responses")]
        return json.dumps(records, ensure_ascii=False).encode()

    @cached_property
    def _settings(self) -> dict[str, Any]:
        return _settings(self._assignment)

    @cached_property
    def _documents(self) -> dict[Entry, dict[str, Any]]:
        fields = [one["name"] for one in self._settings["fields"]]
        metadata = [one["name"] for one in self._settings["metadata"]]
        records = json.loads(argilla.to_records(self._assignment.frame))
        return {
            entry: {
                "external_id": "/".join((entry.plan_id, entry.answers_of, entry.item_id)),
                "fields": {name: record[name] for name in fields if name in record},
                "metadata": {name: record[name] for name in metadata if record.get(name) is not None},
            }
            for entry, record in zip(self._assignment.entries, records, strict=True)
        }

    def _parts(self, path: str) -> list[dict[str, Any]]:
        mine = "/me" if path == "metadata-properties" else ""
        parts: list[dict[str, Any]] = self._client.get(f"/api/v1{mine}/datasets/{self._dataset['id']}/{path}")["items"]
        return parts

    def _records(self, include: str | None = None) -> list[dict[str, Any]]:
        """Return all records.

        Raises
        ------
        Changed
            Somebody changed the dataset while it was read.
        """
        records: dict[str, dict[str, Any]] = {}
        offset, total = 0, 1
        while offset < total:
            answer = self._client.get(f"{self._path}/records", include=include, offset=offset, limit=_PAGE)
            records.update((record["id"], record) for record in answer["items"])
            total = answer["total"]
            offset += _PAGE
        if len(records) != total:
            raise Changed("dataset")
        return list(records.values())


def _workspace(client: QueueClient, queue: Queue) -> tuple[str, str]:
    """Return the id of the workspace and the name of the dataset that a queue names.

    Raises
    ------
    LabelError
        There is no such workspace, or which of several is meant is not said.
    """
    workspaces = {one["name"]: one["id"] for one in client.get("/api/v1/me/workspaces")["items"]}
    given, slash, name = queue.project.partition("/")
    if slash and given in workspaces:
        return str(workspaces[given]), name
    if not slash and len(workspaces) == 1:
        return str(next(iter(workspaces.values()))), queue.project
    listed = ", ".join(shown(one, 30) for one in list(workspaces)[:_SHOWN])
    if not workspaces:
        raise LabelError("The owner of the key is in no workspace of Argilla. Make one there first.")
    raise LabelError(f"Write the dataset as WORKSPACE/NAME. There are the workspaces {listed}.")


def _settings(assignment: Assignment) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads(argilla.to_settings(assignment.frame, assignment.kind, assignment.title))
    for one in settings["metadata"]:
        # Who knows how likely an item was drawn knows how hard it is thought to be.
        one["visible_for_annotators"] = one["name"] != PROBABILITY
        del one["type"]
    for one in (*settings["fields"], *settings["questions"]):
        del one["type"]
    return settings


def _options(settings: Mapping[str, Any]) -> set[str]:
    return {option["value"] for option in settings.get("options") or ()}


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    responses = record.get("responses") or []
    values = [response.get("values") or {} for response in responses]
    names = dict.fromkeys((CONTROL, *(name for one in values for name in one)))
    flat = dict(record.get("fields") or {})
    flat |= {"id": record.get("external_id"), "_server_id": record["id"], "status": record["status"]}
    flat |= record.get("metadata") or {}
    for name in names:
        flat[f"{name}.responses"] = [(one.get(name) or {}).get("value") for one in values]
        flat[f"{name}.responses.users"] = [response["user_id"] for response in responses]
        flat[f"{name}.responses.status"] = [response["status"] for response in responses]
    return flat
