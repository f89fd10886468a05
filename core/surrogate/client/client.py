"""One request to a server with OpenAI's interface, by the ``openai`` package, and what its answer means.

The answer's body is read as it came: turning ten completions with log-probabilities into the package's typed objects
would take longer than everything else the worker does. Tries are counted by the caller, so the package retries nothing.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from core.surrogate.client import refusals
from core.surrogate.client.replies import Reply, read_reply
from core.surrogate.faults import SurrogateError, Trouble, clean
from core.surrogate.job.settings import LOCAL_HOSTS, Connection
from core.surrogate.job.store import datetime_now

KEY_VARIABLE = "NEYMAN_API_KEY"
_OPENAI = "api.openai.com"
_VERSION_SECONDS = 5.0


class Client:
    """A server, asked for chat completions.

    Parameters
    ----------
    url : its address, …/v1. key : None: the server wants none.
    """

    def __init__(self, url: str, key: str | None, connection: Connection) -> None:
        self._secrets = (key,) if key else ()
        self._timeout = connection.timeout
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=connection.concurrency)
        timeout = httpx2.Timeout(connection.timeout, connect=min(10.0, connection.timeout))
        host = urlsplit(url).hostname or ""
        # A proxy that the environment names stands between this machine and others, not between its own processes.
        transport = openai.DefaultAsyncHttpxClient(limits=limits, timeout=timeout, trust_env=host not in LOCAL_HOSTS)
        self._headers: dict[str, Any] = {}
        if host != _OPENAI:
            # The package takes these from the environment; they concern OpenAI alone.
            self._headers = {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
        self._openai = openai.AsyncOpenAI(
            base_url=url,
            api_key=key or "none",
            max_retries=0,
            timeout=timeout,
            http_client=transport,
            default_headers=self._headers,
        )

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._openai.close()

    async def complete(self, body: Mapping[str, Any]) -> Reply:
        """Send one request.

        Raises
        ------
        Trouble : another try may help. ItemFault : this item cannot be generated. Refused : parameters are not taken.
        SurrogateError : no request will ever succeed (wrong key, unknown model, no credit left).
        """
        try:
            # The HTTP client's timeout is for silence; a body that drips without end is not silent.
            async with asyncio.timeout(self._timeout):
                answer = await self._openai.post("/chat/completions", cast_to=httpx2.Response, body=dict(body))
            return read_reply(answer.content, self._secrets)
        except openai.APIStatusError as error:
            raise self._meaning(error, body) from None
        except (openai.APITimeoutError, TimeoutError):
            raise Trouble("timeout", "The server did not answer in time.") from None
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            raise self._cut(error) from None

    async def vllm_version(self) -> str | None:
        """The version of vLLM behind the address; None where it is no vLLM, or does not tell."""
        url = f"{str(self._openai.base_url).rstrip('/').removesuffix('/v1')}/version"
        try:
            answer = await self._openai.get(url, cast_to=httpx2.Response, options={"timeout": _VERSION_SECONDS})
            version = answer.json()["version"]
        except (openai.OpenAIError, httpx2.HTTPError, ValueError, KeyError, TypeError):
            return None
        return version[:40] if isinstance(version, str) else None

    def _meaning(self, error: openai.APIStatusError, body: Mapping[str, Any]) -> Exception:
        wait = retry_after(error.response.headers)
        return refusals.meaning(error.status_code, error.response.text, wait, body, self._secrets)

    def _cut(self, error: Exception) -> Trouble:
        cause: BaseException = error.__cause__ or error
        reason = clean(str(cause) or type(cause).__name__, self._secrets)
        if isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout)):
            return Trouble("unreachable", f"The server cannot be reached ({reason}).")
        return Trouble("connection", f"The connection was cut ({reason}).")


def api_key(connection: Connection, url: str) -> str | None:
    """The key for a server, from the environment; None where there is none.

    OPENAI_API_KEY goes to OpenAI alone, unless ``key_variable`` names it.

    Raises
    ------
    SurrogateError : the named variable is not set, or what it holds cannot be a key.
    """
    names: Sequence[str] = (KEY_VARIABLE,)
    if connection.key_variable is not None:
        names = (connection.key_variable,)
    elif urlsplit(url).hostname == _OPENAI:
        names = (KEY_VARIABLE, "OPENAI_API_KEY")
    key = next((os.environ[name].strip() for name in names if os.environ.get(name, "").strip()), None)
    if key is None and connection.key_variable is not None:
        raise SurrogateError(f"The environment variable {connection.key_variable} is not set; it should hold the key.")
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise SurrogateError(f"What {' or '.join(names)} holds cannot be a key: it has blanks or line breaks.")
    return key


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: milliseconds, seconds or a date; None where it says nothing of use."""
    try:
        if "retry-after-ms" in headers:
            wait = float(headers["retry-after-ms"]) / 1000
        elif "retry-after" in headers:
            value = headers["retry-after"]
            try:
                wait = float(value)
            except ValueError:
                wait = (parsedate_to_datetime(value) - datetime_now()).total_seconds()
        else:
            return None
    except (TypeError, ValueError):
        return None
    return wait if 0 <= wait < float("inf") else None
