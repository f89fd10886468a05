"""The requests of a job as files.

For OpenAI's Batch API a file has at most 50,000 lines and 200 MB; ``vllm run-batch`` takes one of any size. A line is
one request, named ``<job>-<position>-<first sample>-<samples>``. What a job has already is not written again, so
writing once more after reading makes the file for what expired or failed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Literal

from ..client.prompting import messages
from ..faults import ItemFault
from ..job.claim import filling
from ..job.events import Event
from ..job.request import RequestFormat
from ..job.source import Item, ItemSource
from ..job.spec import JobSpec
from ..job.store import Store

Flavour = Literal["openai", "vllm"]

MAX_LINES = 50_000
MAX_BYTES = 200_000_000
_NOT_OPENAI = ("top_k", "repetition_penalty", "repetition_detection", "thinking_token_budget", "chat_template_kwargs")


def create(store: Store, spec: JobSpec) -> str:
    """Insert a job that waits for results; return its id."""
    return store.create(spec, ItemSource(store.folder, spec).size, "waiting")


def write(
    store: Store,
    job: str,
    folder: Path,
    flavour: Flavour = "openai",
    together: bool = True,
    leave_out: Iterable[str] = (),
    under_way: frozenset[int] = frozenset(),
) -> list[Path]:
    """Write the requests for all that a job lacks; return the files.

    Parameters
    ----------
    store, job
        Where the job is, and its id.
    folder : Path
        Where the files go.
    flavour : {"openai", "vllm"}
        Whose batches they are for.
    together : bool
        Whether one request asks for all samples of an item (``n``); otherwise one request each, with different seeds.
    leave_out : iterable of str
        Parameters that the model refuses; nothing can be tried out beforehand here.
    under_way : frozenset of int
        Positions of the items that other requests are to bring.

    Raises
    ------
    SurrogateError
        The job is running or done.
    """
    with filling(store, job) as claim:
        spec = claim.row.spec
        form = _format(spec, flavour, together, leave_out)
        claim.note(sent=form.to_json())
        inventory = claim.inventory(spec.sampling.k)
        folder.mkdir(parents=True, exist_ok=True)
        limits = (MAX_LINES, MAX_BYTES) if flavour == "openai" else (math.inf, math.inf)
        with closing(_Files(folder, claim.row.id, *limits)) as files:
            for item in ItemSource(store.folder, spec).items(inventory.settled | under_way):
                try:
                    _write_item(files, spec, form, item, inventory.partial.get(item.position, frozenset()))
                except ItemFault as fault:
                    claim.add([Event.failed(item.position, fault)])
        return files.paths


def _format(spec: JobSpec, flavour: Flavour, together: bool, leave_out: Iterable[str]) -> RequestFormat:
    """The form of the requests: parameters that the service knows."""
    reasons = dict.fromkeys(leave_out, "Left out on request.")
    if flavour == "openai":
        reasons |= dict.fromkeys(_NOT_OPENAI, "OpenAI has no such parameter.")
        reasons |= {} if spec.sampling.max_tokens is None else {"max_tokens": "OpenAI calls it max_completion_tokens."}
    form = RequestFormat.complete(spec.sampling)
    form = replace(form, guide=None if flavour == "openai" else form.guide)
    known = {name: reason for name, reason in reasons.items() if name in (*form.parameters, "n", "seed")}
    most = form.most if together and "n" not in known else 1
    return replace(form, most=most).without(known)


def _write_item(files: _Files, spec: JobSpec, form: RequestFormat, item: Item, present: frozenset[int]) -> None:
    chat = messages(item, spec.prompting)
    for samples in form.ranges(spec.sampling.k, present):
        body = form.body(spec, chat, item, samples)
        name = f"{files.job}-{item.position}-{samples.first}-{samples.count}"
        url = "/v1/completions" if "prompt" in body else "/v1/chat/completions"
        files.write({"custom_id": name, "method": "POST", "url": url, "body": body})


class _Files:
    """Request files, a new one whenever a limit is reached."""

    def __init__(self, folder: Path, job: str, max_lines: float, max_bytes: float) -> None:
        self.job = job
        self.paths: list[Path] = []
        self._folder = folder
        self._max_lines, self._max_bytes = max_lines, max_bytes
        self._file: IO[bytes] | None = None
        self._lines = self._bytes = 0

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, request: dict[str, Any]) -> None:
        line = json.dumps(request, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        if len(line) > self._max_bytes:
            raise ItemFault("too long", "The item's request is larger than a batch file may be.")
        full = self._lines == self._max_lines or self._bytes + len(line) > self._max_bytes
        file = self._next() if self._file is None or full else self._file
        file.write(line)
        self._lines += 1
        self._bytes += len(line)

    def _next(self) -> IO[bytes]:
        self.close()
        path = self._folder / f"requests-{self.job}-{len(self.paths) + 1:03d}.jsonl"
        self._file = path.open("wb")
        self.paths.append(path)
        self._lines = self._bytes = 0
        return self._file
