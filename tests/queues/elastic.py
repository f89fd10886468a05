"""What Argilla asks of Elasticsearch to keep datasets and records: yes to everything.

Argilla keeps its records in its own database; the search engine only serves searches and filters of its pages, which
lists and labels need none of.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_ACTIONS = frozenset({"create", "delete", "index", "update"})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65_536

    def serve(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        document: dict[str, Any] = {"acknowledged": True, "result": "updated", "_id": "1"}
        if self.path.partition("?")[0].endswith("/_bulk"):
            lines = [json.loads(line) for line in content.decode().splitlines() if line]
            actions = [line for line in lines if len(line) == 1 and line.keys() <= _ACTIONS]
            done = [{name: {**given, "status": 200} for name, given in action.items()} for action in actions]
            document = {"took": 1, "errors": False, "items": done}
        answer = b"" if self.command == "HEAD" else json.dumps(document).encode()
        self.send_response(200)
        # Its client talks to nothing else.
        self.send_header("X-Elastic-Product", "Elasticsearch")
        self.send_header("Content-Type", "application/vnd.elasticsearch+json;compatible-with=8")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_DELETE = do_GET = do_HEAD = do_POST = do_PUT = serve

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def elastic() -> Iterator[str]:
    """Run it; yields its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
