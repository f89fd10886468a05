"""A service with OpenAI's Batch API: files go up, batches are made of them, results come down."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from ...web import OpenAIClient, TooLarge, WebError, bearer, clean
from ..client.http import api_key, fault_of, words_of
from ..faults import SurrogateError
from ..job.parameters import Connection

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
