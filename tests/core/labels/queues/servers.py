"""Label Studio, Argilla and Langfuse as far as lists and labels need them, and the accidents of networks.

Each answers as the real one does (Label Studio 1.23, Argilla 2.8; Langfuse by its OpenAPI specification of version 5 of
its SDK): paths, fields, status codes, limits of pages, what is unique and what is not.
"""

from __future__ import annotations

import base64
import json
import re
import socket
import threading
import uuid
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

SECRET = "0123456789abcdef0123456789abcdef01234567"
Answer = tuple[int, Any]
NOWHERE: Answer = (404, {"detail": "Not found."})


class Accident:
    """What happens to the next ``times`` requests that match, after ``spared`` of them went well.

    ``kind``: "cut" loses the answer of a request that was carried out, "gone" loses the request itself, and a number is
    a status instead of an answer.
    """

    def __init__(self, pattern: str, kind: str | int, times: int = 1, spared: int = 0) -> None:
        self.pattern, self.kind, self.times, self.spared = pattern, kind, times, spared

    def strikes(self, request: str) -> bool:
        if not self.times or not re.search(self.pattern, request):
            return False
        if self.spared:
            self.spared -= 1
            return False
        self.times -= 1
        return True


class Server(ABC):
    """A service: its answers, and the requests that it got."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.accidents: list[Accident] = []
        self.address = ""

    @abstractmethod
    def authorized(self, headers: Any) -> bool:
        """Whether a request has the key."""

    @abstractmethod
    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        """Return status and content."""


def handler(server: Server) -> type[BaseHTTPRequestHandler]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Headers and body in one packet: the client confirms the first of two after 40 ms.
        wbufsize = 65_536

        def serve(self) -> None:
            with lock:
                self.serve_one()

        def serve_one(self) -> None:
            parts = urlsplit(self.path)
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = f"{self.command} {parts.path}"
            server.requests.append(request)
            accident = next((one for one in server.accidents if one.strikes(request)), None)
            if accident is not None and accident.kind == "gone":
                return self.hang_up()
            if accident is not None and isinstance(accident.kind, int):
                return self.send(accident.kind, {"detail": "Not now."})
            if not server.authorized(self.headers) and not parts.path.endswith("/token/refresh"):
                return self.send(401, {"detail": f"Invalid token {SECRET}."})
            body = json.loads(content) if content else None
            status, document = server.answer(self.command, parts.path, dict(parse_qsl(parts.query)), body)
            if accident is not None:
                return self.hang_up()
            return self.send(status, document)

        do_DELETE = do_GET = do_POST = do_PUT = serve

        def send(self, status: int, document: Any) -> None:
            content = document.encode() if isinstance(document, str) else json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            if status == 429:
                self.send_header("Retry-After", "0.01")
            if status == 302:
                self.send_header("Location", "https://elsewhere.example/login")
            self.end_headers()
            self.wfile.write(content)

        def hang_up(self) -> None:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


@contextmanager
def running(server: Server) -> Iterator[Server]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(server)) as http:
        http.daemon_threads = True
        server.address = f"http://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


class LabelStudio(Server):
    page = 7

    def __init__(self) -> None:
        super().__init__()
        self.projects: list[dict[str, Any]] = []
        self.tasks: list[dict[str, Any]] = []
        self.made = self.imported = 0
        # How often an import that runs behind the scenes is looked at before it ends, and how; None: it does not.
        self.behind: tuple[int, str] | None = None
        self.looks = 0
        # Requests that a personal access token's short-lived one holds for.
        self.holds_for = 5
        self.left = 0

    def authorized(self, headers: Any) -> bool:
        given = headers.get("Authorization")
        if given == "Bearer short.lived.token" and self.left:
            self.left -= 1
            return True
        return given == f"Token {SECRET}"

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        match method, path.strip("/").split("/")[1:]:
            case "POST", ["token", "refresh"]:
                if body != {"refresh": f"personal.{SECRET}.token"}:
                    return 401, {"detail": "Token is invalid", "code": "token_not_valid"}
                self.left = self.holds_for
                return 200, {"access": "short.lived.token"}
            case "GET", ["projects"]:
                named = [one for one in self.projects if query["title"].casefold() in one["title"].casefold()]
                return 200, {"count": len(named), "next": None, "results": named[::-1]}
            case "POST", ["projects"]:
                if not 3 <= len(body["title"]) <= 50:
                    detail = {"title": ["Ensure this field has no more than 50 characters."]}
                    return 400, {"detail": "Validation error", "validation_errors": detail}
                self.made += 1
                self.projects.append({"id": self.made, **body})
                return 201, self.projects[-1]
            case "DELETE", ["projects", number]:
                self.projects = [one for one in self.projects if one["id"] != int(number)]
                return 204, None
            case "POST", ["projects", number, "import"]:
                config = next(one["label_config"] for one in self.projects if one["id"] == int(number))
                needed = set(re.findall(r'value="\$(\w+)"', config))
                if any(needed - set(task["data"]) for task in body):
                    return 400, {"detail": "Validation error", "validation_errors": ["keys are missing"]}
                for task in body:
                    self.imported += 1
                    new = {"id": self.imported, "project": number, "annotations": [], "drafts": []}
                    self.tasks.append({**new, **task})
                self.looks = 0
                return 201, {"task_count": len(body)} if self.behind is None else {"import": 7}
            case "GET", ["projects", _, "imports", "7"]:
                assert self.behind is not None
                self.looks += 1
                end = {"status": self.behind[1], "error": "disk full"}
                return 200, end if self.looks > self.behind[0] else {"status": "in_progress"}
            case "GET", ["tasks"]:
                mine = [task for task in self.tasks if task["project"] == query["project"]]
                page, size = int(query["page"]), min(int(query["page_size"]), self.page)
                part = mine[(page - 1) * size : page * size]
                if page > 1 and not part:
                    return 404, {"detail": "Invalid page."}
                if query["fields"] == "task_only":
                    part = [{**task, "annotations": []} for task in part]
                return 200, {"tasks": part, "total": len(mine)}
        return NOWHERE

    def label(self, item: str, label: str | None, person: int = 1, note: str | None = None, copy: int = 0) -> None:
        """Submit an annotation, or skip the task; of several copies this one."""
        task = [task for task in self.tasks if task["data"]["item_id"] == item][copy]
        parts = [("neyman_label", "choices", {"choices": [label]}), ("neyman_note", "textarea", {"text": [note]})]
        result = [
            {"from_name": name, "to_name": "shown_text", "type": kind, "value": value}
            for (name, kind, value), given in zip(parts, (label, note), strict=True)
            if given is not None
        ]
        task["annotations"].append({"result": result, "was_cancelled": label is None, "completed_by": person})


class Argilla(Server):
    def __init__(self) -> None:
        super().__init__()
        self.workspaces = ["argilla"]
        self.datasets: list[dict[str, Any]] = []
        self.parts: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        self.records: list[dict[str, Any]] = []

    def authorized(self, headers: Any) -> bool:
        return headers.get("X-Argilla-Api-Key") == SECRET

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        match method, [part for part in path.strip("/").split("/")[2:] if part != "me"]:
            case "GET", ["workspaces"]:
                return 200, {"items": [{"id": f"w-{name}", "name": name} for name in self.workspaces]}
            case "GET", ["datasets"]:
                return 200, {"items": self.datasets}
            case "POST", ["datasets"]:
                if any(one["name"] == body["name"] for one in self.datasets):
                    return 409, {"detail": f"Dataset with name `{body['name']}` already exists"}
                self.datasets.append({"id": f"d{len(self.datasets)}", "status": "draft", **body})
                return 201, self.datasets[-1]
            case "PUT", ["datasets", number, "publish"]:
                dataset = self.datasets[int(number[1:])]
                settled = self.parts[number, "fields"] and self.parts[number, "questions"]
                if dataset["status"] != "draft" or not settled:
                    return 422, {"detail": "Dataset cannot be published"}
                dataset["status"] = "ready"
                return 200, dataset
            case "GET", ["datasets", number, "fields" | "questions" | "metadata-properties" as part]:
                return 200, {"items": self.parts[number, part]}
            case "POST", ["datasets", number, "fields" | "questions" | "metadata-properties" as part]:
                if any(one["name"] == body["name"] for one in self.parts[number, part]):
                    return 409, {"detail": f"{part} with name `{body['name']}` already exists"}
                self.parts[number, part].append(body)
                return 201, body
            case "PUT", ["datasets", number, "records", "bulk"]:
                if not 1 <= len(body["items"]) <= 500:
                    return 422, {"detail": "too many"}
                known = {(record["dataset"], record["external_id"]): record for record in self.records}
                for item in body["items"]:
                    new = {"id": str(uuid.uuid4()), "dataset": number, "status": "pending", "responses": []}
                    new["inserted_at"] = f"2026-11-20T12:00:{len(known):06}"
                    known.setdefault((number, item["external_id"]), new).update(item)
                self.records = list(known.values())
                return 200, {"items": body["items"]}
            case "GET", ["datasets", number, "records"]:
                offset, limit = int(query["offset"]), int(query["limit"])
                if limit > 1000:
                    return 422, {"detail": "limit"}
                mine = [record for record in self.records if record["dataset"] == number]
                hidden = set() if query.get("include") == "responses" else {"responses"}
                part = [{k: v for k, v in record.items() if k not in hidden} for record in mine[offset:][:limit]]
                return 200, {"items": part, "total": len(mine)}
        return NOWHERE

    def label(self, item: str, label: str | None, person: object = "u1", status: str = "submitted") -> None:
        """Submit, draft or discard a response."""
        record = next(record for record in self.records if record["metadata"]["item_id"] == item)
        values = None if label is None else {"neyman_label": {"value": label}, "neyman_note": {"value": "n"}}
        record["responses"].append({"user_id": person, "status": status, "values": values})


class Langfuse(Server):
    def __init__(self, third: bool = True) -> None:
        super().__init__()
        self.third = third
        self.rejects = False
        self.configs: list[dict[str, Any]] = []
        self.queues: list[dict[str, Any]] = []
        self.items: list[dict[str, Any]] = []
        self.queued = 0
        self.spans: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.scores: list[dict[str, Any]] = []

    def authorized(self, headers: Any) -> bool:
        return headers.get("Authorization") == "Basic " + base64.b64encode(f"pk-1:{SECRET}".encode()).decode()

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        match method, path.strip("/").split("/")[2:]:
            case "GET", ["projects"]:
                return 200, {"data": [{"id": "p1", "name": "project"}]}
            case "GET", ["score-configs"]:
                return paged(self.configs, query)
            case "POST", ["score-configs"]:
                self.configs.append({"id": f"c{len(self.configs)}", "isArchived": False, **body})
                return 200, self.configs[-1]
            case "GET", ["annotation-queues"]:
                return paged(self.queues, query)
            case "POST", ["annotation-queues"]:
                if any(one["name"] == body["name"] for one in self.queues):
                    return 409, {"message": "A queue with this name already exists.", "error": "LangfuseConflictError"}
                created = {"createdAt": "2026-11-20T12:00:00.123Z"}
                self.queues.append({"id": f"q{len(self.queues)}", **created, **body})
                return 200, self.queues[-1]
            case "POST", ["otel", "v1", "traces"] if self.rejects:
                return 200, {"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too large"}}
            case "POST", ["otel", "v1", "traces"]:
                for span in body["resourceSpans"][0]["scopeSpans"][0]["spans"]:
                    self.spans[span["traceId"], span["spanId"], span["startTimeUnixNano"]] = span
                return 200, {}
            case "GET", ["annotation-queues", number, "items"]:
                return paged([item for item in self.items[::-1] if item["queueId"] == number], query)
            case "POST", ["annotation-queues", number, "items"]:
                # Nothing keeps the same trace from being there twice.
                self.queued += 1
                new = {"id": f"i{self.queued:04}", "createdAt": "2026-11-20T12:00:00.123Z", "status": "PENDING"}
                self.items.append({**new, "queueId": number, **body})
                return 200, self.items[-1]
            case "GET", ["v3", "scores"] if self.third:
                start = int(query.get("cursor", "0"))
                part = [self.third_form(score) for score in self.scores[start : start + 2]]
                more = {"cursor": str(start + 2)} if start + 2 < len(self.scores) else {}
                return 200, {"data": part, "meta": {"limit": 2, **more}}
            case "GET", ["v2", "scores"] if not self.third:
                return paged(self.scores, query)
        return NOWHERE

    @staticmethod
    def third_form(score: dict[str, Any]) -> dict[str, Any]:
        value = score.get("stringValue") or score["value"]
        core = {key: entry for key, entry in score.items() if key not in ("stringValue", "traceId")}
        return {**core, "value": value, "subject": {"kind": "trace", "id": score["traceId"]}}

    def label(self, item: str, label: str | float, person: str = "u1", done: bool = True, copy: int = 0) -> None:
        """Score an item in the queue, and complete it; of several copies this one."""
        trace = next(ids[0] for ids, span in self.spans.items() if span["name"] == item)
        text = {"stringValue": label, "value": 0} if isinstance(label, str) else {"value": label}
        about = {"name": "neyman_label", "traceId": trace, "queueId": "q0", "comment": None, "authorUserId": person}
        self.scores.append({"id": f"s{len(self.scores)}", **about, **text})
        copies = [entry for entry in self.items if entry["objectId"] == trace]
        copies[copy]["status"] = "COMPLETED" if done else "PENDING"


def paged(rows: list[Any], query: dict[str, str]) -> Answer:
    page, limit = int(query.get("page", 1)), int(query.get("limit", 50))
    if limit > 100:
        return 400, {"message": "Invalid request data", "error": [{"path": ["limit"]}]}
    part = rows[(page - 1) * limit : page * limit]
    return 200, {
        "data": part,
        "meta": {"page": page, "limit": limit, "totalItems": len(rows), "totalPages": -(-len(rows) // limit)},
    }


SERVERS: dict[str, Callable[[], Server]] = {"label-studio": LabelStudio, "argilla": Argilla, "langfuse": Langfuse}
