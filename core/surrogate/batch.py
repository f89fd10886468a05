"""Batch files: the requests of a job as a file, and results read back, in any order and in parts.

For OpenAI's Batch API a file has at most 50,000 lines and 200 MB; ``vllm run-batch`` takes one of any size. A line is
one request, named ``<job>-<position>-<first sample>-<samples>``. What a job has already is not written again, so
writing once more after reading makes the file for what expired or failed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Literal

from core.surrogate.asking import Run, Sent, missing_samples
from core.surrogate.claim import Claim
from core.surrogate.faults import ItemFault, SurrogateError, Trouble
from core.surrogate.generating import Answers, arrival
from core.surrogate.prompting import messages
from core.surrogate.refusals import meaning
from core.surrogate.replies import reply_of
from core.surrogate.settings import JobSpec
from core.surrogate.source import Item, Source
from core.surrogate.store import Event, Failure, Present, Store

Flavour = Literal["openai", "vllm"]

MAX_LINES = 50_000
MAX_BYTES = 200_000_000
_URL = "/v1/chat/completions"
_NAME = re.compile(r"([0-9a-f]{16})-(\d{1,9})-(\d{1,4})-(\d{1,4})")
_NOT_OPENAI = ("top_k", "repetition_penalty")
_PASSING = ("batch_expired", "batch_cancelled", "batch_canceled")
_TOGETHER = 500


@dataclass(slots=True)
class Report:
    """What reading results came to. Lines: ``taken``, ``repeated`` (had before), ``failed`` (item recorded with its
    reason), ``passing`` (expired and the like: to be asked again), ``foreign`` (of another job), ``unreadable``."""

    taken: int = 0
    repeated: int = 0
    failed: int = 0
    passing: int = 0
    foreign: int = 0
    unreadable: int = 0
    missing_items: int = 0
    reasons: dict[str, int] = field(default_factory=dict)


def create(store: Store, spec: JobSpec) -> str:
    """Insert a job that waits for results; return its id."""
    source = _source(store, spec)
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
            spec = JobSpec.from_json(claim.row["spec"])
            sent = sent_to(spec, flavour, together, leave_out)
            claim.note(sent=sent.to_json())
            present = claim.present(spec.sampling.k)
            items = _items(store, spec, present)
            folder.mkdir(parents=True, exist_ok=True)
            limits = (max_lines, max_bytes) if flavour == "openai" else (None, None)
            with _Files(folder, str(claim.row["id"]), *limits) as files:
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
            reading = _Reading(store, claim, report)
            for path in paths:
                reading.file(path)
            if report.foreign and not (report.taken or report.repeated or report.failed or report.passing):
                raise SurrogateError(f"None of these results belongs to the job {claim.row['id']}.")
            after = claim.present(reading.spec.sampling.k)
            report.missing_items = claim.row["total"] - len(after.settled)
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
            name = f"{claim.row['id']}-{item.position}-{run.first}-{run.count}"
            files.write({"custom_id": name, "method": "POST", "url": _URL, "body": body})
    except ItemFault as fault:
        failure = Failure(fault.kind, fault.message, fault.final)
        claim.add([Event(item.position, failure=failure, requests=0)])


def _source(store: Store, spec: JobSpec) -> Source:
    return Source(store.folder / "pools" / f"{spec.digest}.parquet")


def _items(store: Store, spec: JobSpec, present: Present) -> Iterator[Item]:
    source = _source(store, spec)
    wanted = None if spec.items is None else source.positions(spec.items)
    return source.items(lambda position: position not in present.settled and (wanted is None or position in wanted))


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


class _Reading:
    """One reading of result files: what each line means for its item."""

    def __init__(self, store: Store, claim: Claim, report: Report) -> None:
        self.spec = JobSpec.from_json(claim.row["spec"])
        self._claim, self._report = claim, report
        self._present = claim.present(self.spec.sampling.k)
        # Prompts and images are not needed to read answers, and may be large.
        self._items = {
            item.position: replace(item, prompt="", images=()) for item in _items(store, self.spec, self._present)
        }
        self._answers: dict[int, Answers] = {}
        self._failed: set[int] = set()
        self._events: list[Event] = []
        self._model = ""

    def file(self, path: Path) -> None:
        try:
            with path.open("rb") as lines:
                for line in lines:
                    if line.strip():
                        self._line(line)
                        if len(self._events) >= _TOGETHER:
                            self._flush()
        except OSError as error:
            raise SurrogateError(f"“{path.name}” cannot be read ({error.strerror}).") from error
        finally:
            self._flush()

    def _flush(self) -> None:
        if self._events:
            self._claim.add(self._events)
            self._events = []
        if self._model:
            self._claim.note(server_model=self._model)

    def _line(self, line: bytes) -> None:
        try:
            result = json.loads(line)
            name = _NAME.fullmatch(str(result["custom_id"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            self._report.unreadable += 1
            return
        if name is None or name[1] != self._claim.row["id"]:
            self._report.foreign += 1
            return
        position, run = int(name[2]), Run(int(name[3]), int(name[4]))
        item = self._items.get(position)
        if item is None or position in self._failed:
            self._report.repeated += 1
            return
        try:
            self._take(item, run, result)
        except Trouble as trouble:
            self._report.passing += 1
            self._count(trouble.message)
        except (ItemFault, SurrogateError) as fault:
            self._fail(position, fault)

    def _take(self, item: Item, run: Run, result: dict[str, Any]) -> None:
        reply = reply_of(_body(result))
        answers = self._answers.get(item.position)
        if answers is None:
            there = sorted(self._present.partial.get(item.position, ()))
            answers = dict(zip(there, self._claim.answers(item.position), strict=True)) if there else {}
            self._answers[item.position] = answers
        event = arrival(item, run, reply, answers, self.spec.sampling.k)
        self._model = self._model or reply.model
        if event.generations:
            self._events.append(event)
            self._report.taken += 1
        else:
            self._report.repeated += 1
        if event.counts is not None:
            del self._items[item.position], self._answers[item.position]
        elif any(choice.filtered for choice in reply.choices):
            raise ItemFault("content filter", "A content filter took an answer away.")

    def _fail(self, position: int, fault: ItemFault | SurrogateError) -> None:
        failure = Failure("refused", str(fault), False)
        if isinstance(fault, ItemFault):
            failure = Failure(fault.kind, fault.message, fault.final)
        self._failed.add(position)
        self._events.append(Event(position, failure=failure, requests=0))
        self._report.failed += 1
        self._count(failure.message)

    def _count(self, reason: str) -> None:
        self._report.reasons[reason] = self._report.reasons.get(reason, 0) + 1


def _body(result: dict[str, Any]) -> Any:
    """The chat completion in a line of results.

    Raises
    ------
    Trouble : it expired or failed for a passing reason. ItemFault, SurrogateError : the request was refused.
    """
    response, error = result.get("response") or {}, result.get("error")
    status = int(response.get("status_code") or (200 if response.get("body") else 400))
    body = response.get("body")
    if isinstance(error, dict) and error.get("code") in _PASSING:
        raise Trouble("server error", f"The batch ended before this request ({error['code']}).")
    if error is None and status == 200 and body is not None:
        return body
    told = error if error is not None else body
    text = told if isinstance(told, str) else json.dumps(told if told is not None else {})
    fault = meaning(status if status != 200 else 400, text, None, {})
    if isinstance(fault, (Trouble, ItemFault, SurrogateError)):
        raise fault
    raise ItemFault("refused", f"The request was refused ({fault}).")
