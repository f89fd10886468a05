"""The requests of a job as files, and a job by the Batch API: submit, poll, fetch, and again.

For OpenAI's Batch API a file has at most 50,000 lines and 200 MB; ``vllm run-batch`` takes one of any size. A line is
one request, named ``<job>-<position>-<first sample>-<samples>``. What a job has already is not written again, so
writing once more after reading makes the file for what expired or failed.

What was submitted is in the table ``surrogate_batches``, a row for each file of requests, so each step resumes where
it stopped: a file that was uploaded is not uploaded again, and no batch is made twice, for both would be paid.
"""

from __future__ import annotations

import fcntl
import json
import math
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal

from .batch_results import ENDED, GONE, BadFile, BatchGone, BatchReport, BatchService, read
from .client.prompting import messages
from .client.replies import largest
from .faults import ItemFault, SurrogateError
from .job.claim import filling
from .job.events import Event
from .job.request import RequestFormat
from .job.source import Item, ItemSource
from .job.spec import JobSpec
from .job.store import JobRow, Store

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


_FOLDER = "batches"
_NAME = re.compile(rb'"custom_id": "[0-9a-f]{16}-(\d+)-')
_COLUMNS = "number, requests, file, batch, state, output, errors, answered, failed, total, reason, fetched"


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """A file of requests on its way.

    Parameters
    ----------
    number : int
        Its row.
    requests : str
        Where it is, below the home's folder ``batches``.
    file, batch : str or None
        The service's names for the uploaded file and the batch; None if it has none yet.
    state : str
        "written", then in the service's words, or "gone".
    output, errors : str or None
        The files with what was answered and what was not.
    answered, failed, total : int
        Requests.
    reason : str
        Why the service refused the batch.
    fetched : int
        1 if its results are stored.
    """

    number: int
    requests: str
    file: str | None
    batch: str | None
    state: str
    output: str | None
    errors: str | None
    answered: int
    failed: int
    total: int
    reason: str
    fetched: int

    @property
    def open(self) -> bool:
        """Whether results may still come."""
        return not self.fetched and self.state not in (*ENDED, GONE)


@dataclass(frozen=True, slots=True)
class Submission:
    """A job's files, as far as their results are not stored.

    Parameters
    ----------
    files : tuple of SubmittedFile
        In the order in which they were written.
    """

    files: tuple[SubmittedFile, ...]

    @property
    def open(self) -> bool:
        """Whether some batch has not ended."""
        return any(file.open for file in self.files)

    @property
    def unsent(self) -> bool:
        """Whether some requests are written that the service has no batch of, because submitting was interrupted."""
        return any(file.batch is None for file in self.files)

    def __str__(self) -> str:
        if not self.files:
            return "No batch is under way."
        states = ", ".join(
            f"{number:,} {state}" for state, number in Counter(file.state for file in self.files).items()
        )
        answered, failed, total = (
            sum(getattr(file, name) for file in self.files) for name in ("answered", "failed", "total")
        )
        reasons = " ".join(dict.fromkeys(file.reason for file in self.files if file.reason))
        return f"Batches: {states}; {answered:,} of {total:,} requests answered, {failed:,} failed. {reasons}".rstrip()


def submission(store: Store, job: str) -> Submission:
    """The files of a job whose results are not stored yet."""
    return Submission(tuple(file for file in _files(store, job) if not file.fetched))


def submit(
    store: Store, job: str, service: BatchService, together: bool = True, leave_out: Iterable[str] = ()
) -> Submission:
    """Submit the requests for all that a job lacks and no batch under way is to bring.

    Parameters
    ----------
    store, job
        Where the job is, and its id.
    service : BatchService
        Where they go.
    together, leave_out
        As in :func:`core.surrogate.batch.write`.

    Raises
    ------
    SurrogateError
        The job is running or done, another process submits or fetches it, batches that have ended are not fetched, or
        the service refuses.
    """
    row = store.row(job)
    with _alone(store, row.id):
        if any(not file.open for file in submission(store, row.id).files):
            raise SurrogateError("Some batches of this job have ended. Fetch their results before you submit more.")
        _send(store, row.id, service)
        folder = store.folder / _FOLDER / row.id / f"{len(_files(store, row.id)):06d}"
        under_way = _positions(store, submission(store, row.id).files)
        paths = write(store, row.id, folder, "openai", together, leave_out, under_way)
        with store.database.writing() as database:
            database.executemany(
                "INSERT INTO surrogate_batches (job, requests, state) VALUES (?, ?, 'written')",
                [(row.number, str(path.relative_to(store.folder / _FOLDER))) for path in paths],
            )
        _send(store, row.id, service)
    return submission(store, row.id)


def poll(store: Store, job: str, service: BatchService) -> Submission:
    """Ask how the batches of a job stand.

    Raises
    ------
    SurrogateError
        The service cannot be reached, or refuses.
    """
    for file in submission(store, job).files:
        # What is gone may be another account's: with the right key it is there.
        if file.batch is not None and (file.open or file.state == GONE):
            try:
                _update(store, file.number, **service.status(file.batch).columns())
            except BatchGone as gone:
                _update(store, file.number, state=GONE, reason=str(gone))
    return submission(store, job)


def fetch(store: Store, job: str, service: BatchService, give_up: bool = False) -> BatchReport:
    """Store the results of the batches that have ended, those of expired ones as far as they came.

    Parameters
    ----------
    store, job, service
        As in :func:`submit`.
    give_up : bool, default False
        Whether results that cannot be had are to be requested again, and paid again: batches that the service no longer
        has, and files that cannot be used. Until then they are only counted and named, because with another key or
        later they may be there. Results of other files are stored in any case.

    Raises
    ------
    SurrogateError
        The service cannot be reached, the job is running, or another process submits or fetches it.
    """
    row = store.row(job)
    report = BatchReport()
    with _alone(store, row.id):
        for file in poll(store, row.id, service).files:
            if not file.open:
                _take(store, row, file, service, report, give_up)
        row = store.row(row.id)
        report.missing_items = row.total - row.done - row.failed
        if not submission(store, row.id).files:
            shutil.rmtree(store.folder / _FOLDER / row.id, ignore_errors=True)
    return report


@contextmanager
def _alone(store: Store, job: str) -> Iterator[None]:
    """Keep other processes from submitting the same requests, which would be paid twice."""
    folder = store.folder / _FOLDER
    folder.mkdir(exist_ok=True, mode=0o700)
    with (folder / f".{job}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SurrogateError(
                f"Another process submits or fetches the job {job}. Wait until it has ended."
            ) from None
        yield


def _most(requests: Path) -> int:
    """The most bytes that honest answers to a file of requests may have."""
    with requests.open("rb") as lines:
        return sum(largest(json.loads(line)["body"]) for line in lines)


def _take(
    store: Store, row: JobRow, file: SubmittedFile, service: BatchService, report: BatchReport, give_up: bool
) -> None:
    """Store the results of one batch that has ended, and count in ``report`` what came of them."""
    requests = store.folder / _FOLDER / file.requests
    paths, bad = [], []
    try:
        for name, kind in ((file.output, "output"), (file.errors, "errors")):
            if name is not None:
                path = requests.with_suffix(f".{kind}.jsonl")
                try:
                    service.download(name, path, _most(requests))
                    paths.append(path)
                    if store.row(row.id).state != "done":
                        report.add(read(store, row.id, [path]))
                except BadFile as error:
                    bad.append(f"Batch {file.batch}: {error}")
    except BatchGone as gone:
        file = replace(file, state=GONE, reason=str(gone))
        _update(store, file.number, state=GONE, reason=file.reason)
    if file.state == GONE and not give_up:
        report.gone += 1
        report.reasons[file.reason] += 1
        return
    report.bad += bad
    if bad and not give_up:
        return
    if file.reason:
        report.reasons[f"{file.state}: {file.reason}"] += 1
    _update(store, file.number, fetched=1)
    for path in (requests, *paths):
        path.unlink(missing_ok=True)


def _send(store: Store, job: str, service: BatchService) -> None:
    """Upload what is written, and make the batches that lack."""
    for file in _files(store, job):
        if file.batch is None:
            uploaded, batch = file.file, None
            if uploaded is None:
                uploaded = service.upload(store.folder / _FOLDER / file.requests)
                _update(store, file.number, file=uploaded)
            else:
                # The process may have ended after the service made the batch.
                batch = service.of_file(uploaded)
            _update(store, file.number, **(batch or service.create(uploaded, job)).columns())


def _update(store: Store, number: int, **values: str | int | None) -> None:
    assignments = ", ".join(f"{name} = ?" for name in values)
    store.database.execute(f"UPDATE surrogate_batches SET {assignments} WHERE number = ?", *values.values(), number)


def _files(store: Store, job: str) -> list[SubmittedFile]:
    query = f"SELECT {_COLUMNS} FROM surrogate_batches WHERE job = ? ORDER BY number"
    return [SubmittedFile(*values) for values in store.database.select(query, store.row(job).number)]


def _positions(store: Store, files: Sequence[SubmittedFile]) -> frozenset[int]:
    """The items that requests under way are for."""

    def lines() -> Iterator[bytes]:
        for file in files:
            with (store.folder / _FOLDER / file.requests).open("rb") as requests:
                yield from requests

    names = (_NAME.search(line, 0, 100) for line in lines())
    return frozenset(int(name[1]) for name in names if name is not None)
