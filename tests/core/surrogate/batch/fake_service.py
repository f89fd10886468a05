"""A service that imitates OpenAI's Batch API: files, batches, and results when the test says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.core.surrogate.fake_server import Fake

LINES, BYTES = 50_000, 200_000_000


@dataclass(slots=True)
class BatchFake:
    """What was sent to the service, and how it behaves: ``refuse`` is a reason for which every batch fails, and
    ``drop`` how many answers to a request for a batch are lost after it was made, ``page`` how many batches are
    listed at a time (``stuck``: again and again the first ones), ``gone`` the files and batches that it no longer
    has, ``broken`` those for which it answers 500."""

    server: Fake = field(default_factory=lambda: Fake({"deterministic": True, "answers": 1_000}))
    key: str = "sk-batch"
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    refuse: str = ""
    drop: int = 0
    page: int = 100
    stuck: bool = False
    gone: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    url: str = ""

    def requests(self, batch: str) -> list[dict[str, Any]]:
        content = self.files[self.batches[batch]["input_file_id"]]
        return [json.loads(line) for line in content.splitlines()]

    def end(self, batch: str, state: str = "completed", answered: int | None = None, broken: int = 0) -> None:
        """End a batch: the first ``answered`` requests have answers, the next ``broken`` errors, others expire."""
        requests = self.requests(batch)
        answered = len(requests) if answered is None else answered
        results = [self._answer(request) for request in requests[:answered]]
        errors = [
            self._line(request, {"status_code": 500, "body": {"error": {"message": "broken"}}}, None)
            for request in requests[answered : answered + broken]
        ]
        expired = {"code": "batch_expired", "message": "This request could not be executed in time."}
        errors += [self._line(request, None, expired) for request in requests[answered + broken :]]
        for name, lines in (("output_file_id", results), ("error_file_id", errors)):
            if lines:
                identifier = f"file-{name}-{batch}"
                self.files[identifier] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
                self.batches[batch][name] = identifier
        counts = {"total": len(requests), "completed": answered, "failed": len(requests) - answered}
        self.batches[batch] |= {"status": state, "request_counts": counts}

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        body = self.server.completion(request["body"], request["body"].get("n", 1))
        return self._line(request, {"status_code": 200, "request_id": "x", "body": body}, None)

    def _line(self, request: dict[str, Any], response: Any, error: Any) -> dict[str, Any]:
        return {"id": "batch_req", "custom_id": request["custom_id"], "response": response, "error": error}

    def upload(self, head: bytes, content: bytes) -> dict[str, Any]:
        message = BytesParser(policy=HTTP).parsebytes(head + b"\r\n\r\n" + content)
        parts = {part.get_param("name", header="content-disposition"): part for part in message.iter_parts()}
        assert parts["purpose"].get_content().strip() == "batch"
        payload = parts["file"].get_payload(decode=True)
        assert isinstance(payload, bytes) and len(payload) <= BYTES
        identifier = f"file-{len(self.files)}"
        self.files[identifier] = payload
        return {"id": identifier, "object": "file", "bytes": len(payload), "created_at": 0, "filename": "f"} | {
            "purpose": "batch",
            "status": "processed",
        }

    def create(self, body: dict[str, Any]) -> dict[str, Any]:
        assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
        lines = self.files[body["input_file_id"]].splitlines()
        assert 0 < len(lines) <= LINES
        assert len({json.loads(line)["custom_id"] for line in lines}) == len(lines)
        identifier = f"batch-{len(self.batches)}"
        batch = {"id": identifier, "object": "batch", "created_at": 0, "status": "validating"} | body
        if self.refuse:
            batch |= {"status": "failed", "errors": {"object": "list", "data": [{"message": self.refuse}]}}
        self.batches[identifier] = batch
        return batch


def handler(fake: BatchFake) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            if not self.allowed():
                return
            if self.path == "/v1/files":
                self.answer(fake.upload(b"Content-Type: " + self.headers["Content-Type"].encode(), content))
            elif fake.drop:
                fake.create(json.loads(content))
                fake.drop -= 1
                self.close_connection = True
            else:
                self.answer(fake.create(json.loads(content)))

        def do_GET(self) -> None:
            if not self.allowed():
                return
            parts = self.path.partition("?")[0].split("/")[2:]
            if len(parts) > 1 and parts[1] in fake.gone:
                self.answer({"error": {"message": f"No such object: {parts[1]}"}}, 404)
            elif len(parts) > 1 and parts[1] in fake.broken:
                self.answer({"error": {"message": "storage is broken"}}, 500)
            elif parts[0] == "files":
                self.answer(fake.files[parts[1]])
            elif len(parts) == 1:
                after = dict(parse_qsl(urlsplit(self.path).query)).get("after")
                first = 0 if after is None or fake.stuck else list(fake.batches).index(after) + 1
                listed = list(fake.batches.values())[first : first + fake.page]
                more = fake.stuck or first + len(listed) < len(fake.batches)
                self.answer({"object": "list", "data": listed, "has_more": more})
            else:
                self.answer(fake.batches[parts[1]])

        def allowed(self) -> bool:
            right = self.headers["Authorization"] == f"Bearer {fake.key}"
            if not right:
                self.answer({"error": {"message": f"Incorrect API key: {self.headers['Authorization']}"}}, 401)
            return right

        def answer(self, body: dict[str, Any] | bytes, status: int = 200) -> None:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


@contextmanager
def batch_service() -> Iterator[BatchFake]:
    fake = BatchFake()
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(fake)) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        fake.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        try:
            yield fake
        finally:
            server.shutdown()
            thread.join()
