"""One request to a server with OpenAI's interface, and what its answer means.

A request is JSON and so is its answer; nothing else of the interface is needed, and typed objects of ten completions
with log-probabilities would take longer than everything else the worker does. Tries are counted by the caller.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2

from ...web import clean, fits_header, options, retry_after
from ..faults import SurrogateError, TransientFault
from ..job.parameters import KEY_VARIABLE, Connection
from .load import Load, read_load
from .refusals import fault_of
from .replies import Reply, read_reply

_OPENAI = "api.openai.com"
_LOOK_SECONDS = 5.0
_SHOWN_MODELS = 8
# The HTTP library looks at all connections of a pool for each request: many small pools cost less than a large one.
_POOL = 16


class Client:
    """A server of chat completions.

    Parameters
    ----------
    url : str
        Its address, …/v1.
    key : str or None
        None if the server needs none.
    connection : Connection
        Timeout.

    Attributes
    ----------
    url : str
        Its address.
    """

    def __init__(self, url: str, key: str | None, connection: Connection) -> None:
        self.url = url
        self._base = url.rstrip("/")
        self._secrets = (key,) if key else ()
        self._timeout = connection.timeout
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._pools: list[httpx2.AsyncClient] = []
        # Pools with room for another request, one entry for each that it has room for.
        self._room: list[httpx2.AsyncClient] = []

    async def aclose(self) -> None:
        """Close its connections."""
        await asyncio.gather(*(pool.aclose() for pool in self._pools))

    async def complete(self, body: Mapping[str, Any]) -> Reply:
        """Send one request.

        Raises
        ------
        TransientFault
            Another try may help.
        ItemFault
            This item cannot be generated.
        ParameterFault
            The server refuses parameters.
        SurrogateError
            No request will ever succeed (wrong key, unknown model, no credit left, a redirection to another server).
        """
        path = "completions" if "prompt" in body else "chat/completions"
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        headers = {"Content-Type": "application/json"}
        try:
            # The HTTP client's timeout is for silence; a body that drips without end is not silent.
            async with asyncio.timeout(self._timeout), self._pool() as pool:
                answer = await pool.post(f"{self._base}/{path}", content=content, headers=headers)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise TransientFault("unreachable", f"The server cannot be reached ({self._reason(error)}).") from None
        except (httpx2.TimeoutException, TimeoutError):
            raise TransientFault("timeout", "The server did not answer in time.") from None
        except httpx2.HTTPError as error:
            raise TransientFault("connection", f"The connection was cut ({self._reason(error)}).") from None
        if answer.is_success:
            return read_reply(answer.content, self._secrets)
        wait = retry_after(answer.headers, datetime.now(UTC))
        fault = fault_of(answer.status_code, answer.text, wait, body, self._secrets)
        if isinstance(fault, TransientFault) and fault.kind == "not found" and (models := await self.models()):
            more = f" and {len(models) - _SHOWN_MODELS:,} more" if len(models) > _SHOWN_MODELS else ""
            fault.message += f" It offers {', '.join(f'“{name}”' for name in models[:_SHOWN_MODELS])}{more}."
        raise fault

    async def vllm_version(self) -> str | None:
        """The version of vLLM behind the address; None if it is no vLLM, or does not say."""
        try:
            version = (await self._look(f"{self._base.removesuffix('/v1')}/version")).json()["version"]
        except (httpx2.HTTPError, SurrogateError, ValueError, KeyError, TypeError):
            return None
        return version[:40] if isinstance(version, str) else None

    async def models(self) -> tuple[str, ...]:
        """The models that the server offers, in its order; empty where it does not say."""
        try:
            answer = await self._look(f"{self._base}/models")
            names = [str(model["id"]) for model in answer.json()["data"]]
        except (httpx2.HTTPError, SurrogateError, ValueError, KeyError, TypeError):
            return ()
        return tuple(clean(name, self._secrets) for name in names)

    async def load(self) -> Load | None:
        """The load that a vLLM server shows; None if it is no vLLM, or shows none."""
        try:
            return read_load((await self._look(f"{self._base.removesuffix('/v1')}/metrics")).text)
        except (httpx2.HTTPError, SurrogateError, ValueError):
            return None

    async def _look(self, url: str) -> httpx2.Response:
        async with self._pool() as pool:
            answer = await pool.get(url, timeout=_LOOK_SECONDS)
        return answer.raise_for_status()

    @asynccontextmanager
    async def _pool(self) -> AsyncIterator[httpx2.AsyncClient]:
        """A pool of connections with room for one request."""
        if not self._room:
            pool = httpx2.AsyncClient(
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=_POOL),
                follow_redirects=True,
                event_hooks={"response": [refuse_other_servers]},
                **options(self.url, self._headers, self._timeout),
            )
            self._pools.append(pool)
            self._room += [pool] * _POOL
        pool = self._room.pop()
        try:
            yield pool
        finally:
            self._room.append(pool)

    def _reason(self, error: Exception) -> str:
        return clean(str(error) or type(error).__name__, self._secrets)


async def refuse_other_servers(response: httpx2.Response) -> None:
    """Refuse a redirection that would hand prompts to another server than the one that was named."""
    if not response.has_redirect_location:
        return
    old = response.request.url
    new = old.join(response.headers["location"])
    encrypted = (old.scheme, new.scheme) == ("http", "https") and old.port is new.port is None
    if new.host != old.host or not (encrypted or (new.scheme, new.port) == (old.scheme, old.port)):
        raise SurrogateError(
            f"The server redirects requests to {new.scheme}://{new.netloc.decode()}, and prompts are only sent where"
            " you said. If that server is the right one, give its address."
        )


def api_key(connection: Connection, url: str) -> str | None:
    """The key for the server at ``url``, from the environment; None if there is none.

    OPENAI_API_KEY goes to OpenAI alone, unless ``key_variable`` names it.

    Raises
    ------
    SurrogateError
        The named variable is not set, or what it contains cannot be a key.
    """
    names = [connection.key_variable or KEY_VARIABLE]
    if connection.key_variable is None and urlsplit(url).hostname == _OPENAI:
        names.append("OPENAI_API_KEY")
    key = next(filter(None, (os.environ.get(name, "").strip() for name in names)), None)
    if key is None and connection.key_variable is not None:
        raise SurrogateError(f"The environment variable {connection.key_variable} is not set. Put the key into it.")
    if key is not None and not fits_header(key):
        raise SurrogateError(f"The value of {' or '.join(names)} cannot be a key: it has blanks or line breaks.")
    return key
