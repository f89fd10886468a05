"""Batch files: the requests of a job as a file, and results read back, in any order and in parts.

For OpenAI's Batch API a file has at most 50,000 lines and 200 MB; ``vllm run-batch`` takes one of any size. A line is
one request, named ``<job>-<position>-<first sample>-<samples>``. What a job has already is not written again, so
writing once more after reading makes the file for what expired or failed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Literal

from core.surrogate.batch.batch_results import Reading, Report, open_items, source_of
from core.surrogate.client.asking import Sent, missing_samples
from core.surrogate.client.prompting import messages
from core.surrogate.faults import ItemFault, SurrogateError
from core.surrogate.job.claim import Claim
from core.surrogate.job.events import Event, Failure, Present
from core.surrogate.job.settings import JobSpec
from core.surrogate.job.source import Item
from core.surrogate.job.store import Store

Flavour = Literal["openai", "vllm"]

MAX_LINES = 50_000
MAX_BYTES = 200_000_000
_URL = "/v1/chat/completions"
_NOT_OPENAI = ("top_k", "repetition_penalty")


def create(store: Store, spec: JobSpec) -> str:
    """Insert a job that waits for results; return its id."""
    source = source_of(store, spec)
    return store.create(spec, source.size if spec.items is None else len(source.positions(spec.items)), "waiting")


def write(
    store: Store,
    job: str,
    folder: Path,
    flavour: Flavour = "openai",
    together: bool = True,
    leave_out: Iterable[str] = (),
    max_lines: int = MAX_LINES,
    max_bytes: int = MAX_BYTES,
) -> list[Path]:
    """Write the requests for all that a job lacks; return the files.

    Parameters
    ----------
    together : all samples of an item in one request (``n``), else one request each with seeds of their own.
    leave_out : parameters that the model refuses; nothing can be tried out beforehand here.
    """
    with closing(Claim(store, job)) as claim:
        try:
            spec = claim.row.spec
            sent = sent_to(spec, flavour, together, leave_out)
            claim.note(sent=sent.to_json())
            present = claim.present(spec.sampling.k)
            items = open_items(store, spec, present)
            folder.mkdir(parents=True, exist_ok=True)
            limits = (max_lines, max_bytes) if flavour == "openai" else (None, None)
            with _Files(folder, claim.row.id, *limits) as files:
                for item in items:
                    _write_item(files, claim, spec, sent, item, present)
            return files.paths
        finally:
            claim.finish("waiting")


def read(store: Store, job: str, paths: Sequence[Path]) -> Report:
    """Store the results in files that a batch service gave, those with its errors among them.

    Raises
    ------
    SurrogateError : a file cannot be read, or none of their lines belongs to the job.
    """
    report = Report()
    with closing(Claim(store, job)) as claim:
        state = "waiting"
        try:
            reading = Reading(store, claim, report)
            for path in paths:
                reading.file(path)
            if report.foreign and not (report.taken or report.repeated or report.failed or report.passing):
                raise SurrogateError(f"None of these results belongs to the job {claim.row.id}.")
            after = claim.present(reading.spec.sampling.k)
            report.missing_items = claim.row.total - len(after.settled)
            state = "waiting" if report.missing_items else "done"
        finally:
            claim.finish(state)
    return report


def sent_to(spec: JobSpec, flavour: Flavour, together: bool, leave_out: Iterable[str]) -> Sent:
    """The parameters of the requests in a file: those the service knows."""
    left_out = dict.fromkeys(leave_out, "Left out on request.")
    if flavour == "openai":
        left_out |= dict.fromkeys(_NOT_OPENAI, "OpenAI has no such parameter.")
        left_out |= {} if spec.sampling.max_tokens is None else {"max_tokens": "OpenAI calls it max_completion_tokens."}
    wanted = Sent.wanted(spec.sampling)
    known = {name: why for name, why in left_out.items() if name in (*wanted.parameters, "n", "seed")}
    return replace(wanted, together=wanted.together and together).without(known)


def _write_item(files: _Files, claim: Claim, spec: JobSpec, sent: Sent, item: Item, present: Present) -> None:
    try:
        asked = messages(item, spec.prompting)
        missing = list(missing_samples(spec.sampling.k, present.partial.get(item.position, ())))
        for run in sent.runs(missing):
            body = sent.body(spec, asked, item.position, run)
            name = f"{claim.row.id}-{item.position}-{run.first}-{run.count}"
            files.write({"custom_id": name, "method": "POST", "url": _URL, "body": body})
    except ItemFault as fault:
        failure = Failure(fault.kind, fault.message, fault.final)
        claim.add([Event(item.position, failure=failure, requests=0)])


class _Files:
    """Request files, a new one whenever a limit is reached."""

    def __init__(self, folder: Path, job: str, max_lines: int | None, max_bytes: int | None) -> None:
        self.paths: list[Path] = []
        self._folder, self._job = folder, job
        self._max_lines, self._max_bytes = max_lines, max_bytes
        self._file: IO[bytes] | None = None
        self._lines = self._bytes = 0

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, request: dict[str, Any]) -> None:
        line = json.dumps(request, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        if self._max_bytes is not None and len(line) > self._max_bytes:
            raise ItemFault("too long", "The item's request is larger than a batch file may be.")
        full = self._max_lines is not None and self._lines == self._max_lines
        full = full or (self._max_bytes is not None and self._bytes + len(line) > self._max_bytes)
        if self._file is None or full:
            self._next()
        assert self._file is not None
        self._file.write(line)
        self._lines += 1
        self._bytes += len(line)

    def _next(self) -> None:
        if self._file is not None:
            self._file.close()
        path = self._folder / f"requests-{self._job}-{len(self.paths) + 1:03d}.jsonl"
        self._file = path.open("wb")
        self.paths.append(path)
        self._lines = self._bytes = 0
