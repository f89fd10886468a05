"""A service with OpenAI's Batch API: files go up, batches are made of them, results come down."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
import openai
from openai.types import Batch

from ..client.http import api_key
from ..client.refusals import fault_of
from ..faults import SurrogateError, clean
from ..job.parameters import LOCAL_HOSTS, Connection

OPENAI = "https://api.openai.com/v1"
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
"""States in which a batch stays."""
_ENDPOINT: Final = "/v1/chat/completions"
_WINDOW: Final = "24h"
_TRIES = 5
_OPENAI_HOST = "api.openai.com"


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """A batch at one moment.

    Parameters
    ----------
    id, state : str
        Its name, and in the service's word how it stands.
    output, errors : str or None
        The files with what was answered and what was not.
    answered, failed, total : int
        Requests.
    reason : str
        Why the service refused it; empty where it did not.
    """

    id: str
    state: str
    output: str | None = None
    errors: str | None = None
    answered: int = 0
    failed: int = 0
    total: int = 0
    reason: str = ""


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
    """

    def __init__(self, connection: Connection) -> None:
        url = next(iter(connection.base_urls), OPENAI)
        key = api_key(connection, url)
        host = urlsplit(url).hostname or ""
        self._secrets = (key,) if key else ()
        # A redirection would hand prompts to another server than the one that was named.
        transport = openai.DefaultHttpxClient(trust_env=host not in LOCAL_HOSTS, follow_redirects=False)
        # The package takes these from the environment; they concern OpenAI alone.
        names = () if host == _OPENAI_HOST else ("OpenAI-Organization", "OpenAI-Project")
        headers: dict[str, Any] = {name: openai.Omit() for name in names}
        self._openai = openai.OpenAI(
            base_url=url,
            api_key=key or "none",
            max_retries=_TRIES,
            timeout=connection.timeout,
            http_client=transport,
            default_headers=headers,
        )

    def close(self) -> None:
        """Close the connection."""
        self._openai.close()

    def upload(self, path: Path) -> str:
        """Send a file of requests; return the service's name for it."""
        with self._in_sentences(), path.open("rb") as file:
            return self._openai.files.create(file=(path.name, file), purpose="batch").id

    def create(self, file: str, job: str) -> BatchStatus:
        """Make a batch of an uploaded file, once only: a second one would be paid for too."""
        with self._in_sentences():
            once = self._openai.with_options(max_retries=0)
            return _status(
                once.batches.create(
                    input_file_id=file,
                    endpoint=_ENDPOINT,
                    completion_window=_WINDOW,
                    metadata={"neyman_job": job},
                )
            )

    def of_file(self, file: str) -> BatchStatus | None:
        """Find the batch that was made of an uploaded file; None where there is none."""
        with self._in_sentences():
            known = (batch for batch in self._openai.batches.list(limit=100) if batch.input_file_id == file)
            batch = next(known, None)
            return None if batch is None else _status(batch)

    def status(self, batch: str) -> BatchStatus:
        """How a batch stands."""
        with self._in_sentences():
            return _status(self._openai.batches.retrieve(batch))

    def download(self, file: str, path: Path) -> None:
        """Fetch a file of results; it takes its place when it is whole."""
        temporary = path.with_name(f".{path.name}.part")
        with self._in_sentences(), self._openai.files.with_streaming_response.content(file) as answer:
            answer.stream_to_file(temporary)
        os.replace(temporary, path)

    @contextmanager
    def _in_sentences(self) -> Iterator[None]:
        try:
            yield
        except openai.APIStatusError as error:
            fault = fault_of(error.status_code, error.response.text, None, {}, self._secrets)
            if isinstance(fault, SurrogateError):
                raise fault from None
            reason = clean(error.message, self._secrets)
            raise SurrogateError(f"The batch service refuses ({error.status_code}: {reason}).") from None
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            reason = clean(str(error.__cause__ or error), self._secrets)
            raise SurrogateError(f"The batch service cannot be reached ({reason}). Try again later.") from None


def _status(batch: Batch) -> BatchStatus:
    counts = batch.request_counts
    reasons = [error.message or "" for error in (batch.errors.data or [])] if batch.errors is not None else []
    return BatchStatus(
        batch.id,
        str(batch.status),
        batch.output_file_id,
        batch.error_file_id,
        *((counts.completed, counts.failed, counts.total) if counts is not None else (0, 0, 0)),
        clean(" ".join(dict.fromkeys(reasons))),
    )
