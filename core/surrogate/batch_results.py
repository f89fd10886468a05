"""Results of a batch, line by line, and the service with OpenAI's Batch API from which they come."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from ..web import OpenAIClient, TooLarge, WebError, bearer, clean
from .client.http import api_key, fault_of, words_of
from .client.metering import counted
from .client.prompting import rough_item_tokens
from .client.replies import Answers, largest, reply_of
from .faults import ItemFault, SurrogateError, TransientFault
from .job.claim import Claim, filling
from .job.events import Event
from .job.parameters import Connection
from .job.request import RequestFormat, SampleRange
from .job.source import Item, ItemSource
from .job.store import Store

OPENAI = "https://api.openai.com/v1"
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""States in which a batch stays."""
GONE = "gone"
"""State of a batch that the service does not know, or whose results it no longer has."""
_BATCH = {"endpoint": "/v1/chat/completions", "completion_window": "24h"}
_PAGE = 100
_UNKNOWN = frozenset({404, 410})
_OF_ALL_FILES = frozenset({401, 403, 429})
# Whom OpenAI charges, if an account has several.
_ACCOUNTS = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}


class BatchGone(SurrogateError):
    """The service has no such batch or file: it keeps them for a time, and each account sees its own alone."""


class BadFile(SurrogateError):
    """A file of results that cannot be used: the service does not give it, it is too large, or no line is a result."""


class _Named(BaseModel):
    """A thing that the service has a name for."""

    id: Annotated[str, Field(min_length=1)]


class _Reason(BaseModel):
    message: str | None = None


class _Reasons(BaseModel):
    data: list[_Reason] | None = None


class _RequestCounts(BaseModel):
    completed: int = 0
    failed: int = 0
    total: int = 0


class Batch(_Named):
    """A batch at one moment, as the service describes it."""

    status: str
    input_file_id: str
    output_file_id: str | None = None
    error_file_id: str | None = None
    request_counts: _RequestCounts | None = None
    errors: _Reasons | None = None

    def columns(self) -> dict[str, str | int | None]:
        """The values of its row in the table ``surrogate_batches``."""
        counts = self.request_counts or _RequestCounts()
        reasons = [one.message or "" for one in (self.errors and self.errors.data) or ()]
        return {
            "batch": self.id,
            "state": self.status,
            "output": self.output_file_id,
            "errors": self.error_file_id,
            "answered": counts.completed,
            "failed": counts.failed,
            "total": counts.total,
            "reason": clean(" ".join(dict.fromkeys(reasons))),
        }


class _Page(BaseModel):
    data: list[Batch]
    has_more: bool | None = None


_Answer = TypeVar("_Answer", bound=BaseModel)


class BatchService:
    """A connection to such a service.

    Parameters
    ----------
    connection : Connection
        Its address, by default OpenAI's, the variable of its key, and the time for one request.

    Raises
    ------
    SurrogateError
        Of every method: the service cannot be reached, or refuses.
    BatchGone
        Of those that name a batch or a file: it has no such one.
    BadFile
        Of `download`: this file cannot be had, while others may be.
    """

    def __init__(self, connection: Connection) -> None:
        url = next(iter(connection.base_urls), OPENAI).rstrip("/")
        key = api_key(connection, url)
        self._secrets = (key,) if key else ()
        headers = bearer(key)
        if urlsplit(url).hostname == urlsplit(OPENAI).hostname:
            headers |= {name: account for name, from_ in _ACCOUNTS.items() if (account := os.environ.get(from_))}
        self._service = OpenAIClient(url, headers, connection.timeout)

    def close(self) -> None:
        """Close the connection."""
        self._service.close()

    def upload(self, path: Path) -> str:
        """Send a file of requests; return the service's name for it."""
        with path.open("rb") as file:
            uploaded = path.name, file
            return self._ask(
                _Named, lambda service: service.files.with_streaming_response.create(file=uploaded, purpose="batch")
            ).id

    def create(self, file: str, job: str) -> Batch:
        """Make a batch of an uploaded file, once only: a second one would be paid for too."""
        body = {"input_file_id": file, **_BATCH, "metadata": {"neyman_job": job}}
        return self._ask(Batch, lambda service: service.batches.with_streaming_response.create(**body), safe=False)

    def of_file(self, file: str) -> Batch | None:
        """Find the batch that was made of an uploaded file; None if there is none."""
        after, seen = dict[str, str](), set[str]()
        while True:
            page = self._ask(_Page, partial(_listed, **after))
            found = next((batch for batch in page.data if batch.input_file_id == file), None)
            # A service that gives the same page again and again has no more.
            ends = not page.data or not page.has_more or page.data[-1].id in seen
            if found is not None or ends:
                return found
            after = {"after": page.data[-1].id}
            seen.add(page.data[-1].id)

    def status(self, batch: str) -> Batch:
        """Ask how a batch stands."""
        return self._ask(Batch, lambda service: service.batches.with_streaming_response.retrieve(batch))

    def download(self, file: str, path: Path, most: int) -> None:
        """Fetch a file of results of at most so many bytes; it takes its place when it is whole."""
        temporary = path.with_name(f".{path.name}.part")
        with self._in_sentences():
            try:
                self._service.ask(
                    lambda service: service.files.with_streaming_response.content(file), into=temporary, most=most
                )
            except WebError as error:
                temporary.unlink(missing_ok=True)
                if isinstance(error, TooLarge):
                    raise BadFile(f"The file {file} has {error.size}.") from None
                answer = error.answer
                if answer is not None and answer.status >= 400 and answer.status not in _UNKNOWN | _OF_ALL_FILES:
                    reason = clean(words_of(answer.text)[0], self._secrets)
                    raise BadFile(f"The service does not give the file {file} ({answer.status}: {reason}).") from None
                raise
        os.replace(temporary, path)

    def _ask(self, kind: type[_Answer], call: Callable[[Any], Any], safe: bool = True) -> _Answer:
        with self._in_sentences():
            return kind.model_validate_json(self._service.ask(call, safe).content)

    @contextmanager
    def _in_sentences(self) -> Iterator[None]:
        try:
            yield
        except ValidationError:
            raise SurrogateError("The server does not answer as a batch service does. Check the address.") from None
        except WebError as error:
            if error.answer is None:
                reason = clean(error.reason, self._secrets)
                raise SurrogateError(f"The batch service cannot be reached ({reason}). Try again later.") from None
            status, text = error.answer.status, error.answer.text
            if error.answer.location:
                place = clean(error.answer.location, self._secrets)
                raise SurrogateError(
                    f"The batch service redirects requests to {place}, and they are only sent where you said. If that"
                    " address is the right one, give it."
                ) from None
            fault = fault_of(status, text, None, {}, self._secrets)
            if isinstance(fault, SurrogateError):
                raise fault from None
            reason = clean(words_of(text)[0], self._secrets)
            kind = BatchGone if status in _UNKNOWN else SurrogateError
            raise kind(f"The batch service refuses ({status}: {reason}).") from None


def _listed(service: Any, **after: str) -> Any:
    return service.batches.with_streaming_response.list(limit=_PAGE, **after)


_NAME = re.compile(r"([0-9a-f]{16})-(\d{1,9})-(\d{1,4})-(\d{1,4})")
_PASSING = ("batch_expired", "batch_cancelled", "batch_canceled")
_TOGETHER = 500


@dataclass(slots=True)
class BatchReport:
    """The outcome of reading results.

    Parameters
    ----------
    stored, repeated : int
        Lines that were stored; lines whose results the job had already.
    failed : int
        Lines whose item is recorded with its reason.
    passing : int
        Lines that expired, were refused for a reason that may pass, or the like, to be asked again.
    foreign, unreadable : int
        Lines of another job; lines that are no results.
    missing_items : int
        Items of the job that still lack generations.
    gone : int
        Batches that the service no longer has.
    bad : list of str
        Files of results that cannot be used, each with the reason.
    reasons : Counter
        Reason → lines, for the failed and the passing.
    """

    stored: int = 0
    repeated: int = 0
    failed: int = 0
    passing: int = 0
    foreign: int = 0
    unreadable: int = 0
    missing_items: int = 0
    gone: int = 0
    bad: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, other: BatchReport) -> None:
        """Count what came of further files, too."""
        for name in ("stored", "repeated", "failed", "passing", "foreign", "unreadable"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.missing_items = other.missing_items
        self.reasons += other.reasons

    def __str__(self) -> str:
        return (
            f"{self.stored:,} results stored, {self.repeated:,} stored before, {self.failed:,} refused,"
            f" {self.passing:,} to request again, {self.foreign:,} of another job, {self.unreadable:,} unreadable;"
            f" {self.missing_items:,} items still lack generations"
        )


def read(store: Store, job: str, paths: Sequence[Path]) -> BatchReport:
    """Store the results in the files that a batch service gave, those with its errors among them.

    Raises
    ------
    BadFile
        A file cannot be read, or no line is a result of the job.
    SurrogateError
        The job is running, or done.
    """
    report = BatchReport()
    with filling(store, job) as claim:
        reading = _BatchReading(store, claim, report)
        for path in paths:
            reading.file(path)
        if not (report.stored or report.repeated or report.failed or report.passing):
            names = ", ".join(f"“{path.name}”" for path in paths)
            if report.foreign:
                raise BadFile(f"None of these results belongs to the job {claim.row.id}: {names}.")
            if report.unreadable:
                raise BadFile(f"No line is a result: {names}.")
        report.missing_items = claim.open_items()
    return report


class _BatchReading:
    def __init__(self, store: Store, claim: Claim, report: BatchReport) -> None:
        self._claim, self._report = claim, report
        self._spec = spec = claim.row.spec
        inventory = claim.inventory(spec.sampling.k)
        self._partial = inventory.partial
        self._failed = set(inventory.failed)
        # Items that failed may have got answers all the same. Prompts and images are not needed here, and may be large.
        self._source, self._prompting = ItemSource(store.folder, spec), spec.prompting
        items = self._source.items(inventory.complete)
        self._items = {item.position: replace(item, prompt="", images=()) for item in items}
        self._answers: dict[int, Answers] = {}
        self._events: list[Event] = []
        self._model = ""
        sent = claim.row.sent
        form = RequestFormat.complete(spec.sampling) if sent is None else RequestFormat.from_json(sent)
        self._thinks = form.thinks
        self._largest = largest({**form.parameters, "n": spec.sampling.k})

    @cached_property
    def _prompt_tokens(self) -> dict[int, int]:
        """Rough tokens of the items' prompts, for results that report none."""
        return {item.position: rough_item_tokens(item, self._prompting) for item in self._source.items()}

    def file(self, path: Path) -> None:
        try:
            with path.open("rb") as lines:
                while line := lines.readline(self._largest):
                    if line.strip():
                        self._line(line)
                    if len(self._events) >= _TOGETHER:
                        self._flush()
        except OSError as error:
            raise BadFile(f"“{path.name}” cannot be read ({error.strerror}).") from error
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
        if name is None or name[1] != self._claim.row.id:
            self._report.foreign += 1
            return
        item = self._items.get(int(name[2]))
        if item is None:
            self._report.repeated += 1
            return
        try:
            self._store(item, SampleRange(int(name[3]), int(name[4])), result)
        except ItemFault as fault:
            if fault.final:
                self._fail(item, fault)
            else:
                self._pass(fault.message)
        except (TransientFault, SurrogateError) as fault:
            self._pass(str(fault))

    def _store(self, item: Item, samples: SampleRange, result: dict[str, Any]) -> None:
        reply = counted(reply_of(_body(result)), lambda: self._prompt_tokens[item.position])
        if item.position not in self._answers:
            stored = item.position in self._partial
            self._answers[item.position] = self._claim.answers(item.position) if stored else {}
        event = reply.event(item, samples, self._answers[item.position], self._spec, self._thinks)
        self._model = self._model or reply.model
        if event.generations:
            self._events.append(event)
            self._report.stored += 1
        elif not reply.filtered:
            self._report.repeated += 1
        if event.counts is not None:
            del self._items[item.position], self._answers[item.position]
        elif reply.filtered:
            raise ItemFault("content filter", "A content filter removed an answer.")

    def _pass(self, reason: str) -> None:
        self._report.passing += 1
        self._report.reasons[reason] += 1

    def _fail(self, item: Item, fault: ItemFault) -> None:
        if item.position in self._failed:
            self._report.repeated += 1
            return
        self._failed.add(item.position)
        self._events.append(Event.failed(item.position, fault))
        self._report.failed += 1
        self._report.reasons[fault.message] += 1


def _body(result: dict[str, Any]) -> Any:
    """The chat completion in a line of results.

    Raises
    ------
    TransientFault
        It expired or failed for a passing reason.
    ItemFault, SurrogateError
        The request was refused.
    """
    response, error = result.get("response") or {}, result.get("error")
    try:
        body = response.get("body")
        status = int(response.get("status_code") or (200 if body else 400))
    except (AttributeError, TypeError, ValueError, OverflowError) as fault:
        raise TransientFault("unreadable", "The batch's result has no status.") from fault
    if isinstance(error, dict) and error.get("code") in _PASSING:
        raise TransientFault("server error", f"The batch ended before this request ({error['code']}).")
    if error is None and status == 200 and body is not None:
        return body
    words = error if error is not None else body
    text = words if isinstance(words, str) else json.dumps(words if words is not None else {})
    raise fault_of(status if status != 200 else 400, text, None, {})
