"""One request to a server with OpenAI's interface, by the ``openai`` package, and what its answer means.

The answer's body is read as it came: turning ten completions with log-probabilities into the package's typed objects
would take longer than everything else the worker does. Tries are counted by the caller, so the package retries nothing.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from core.surrogate.client.load import Load, read_load
from core.surrogate.client.refusals import fault_of
from core.surrogate.client.replies import Reply, read_reply
from core.surrogate.client.throttle import MOST
from core.surrogate.faults import SurrogateError, TransientFault, clean
from core.surrogate.job.spec import KEY_VARIABLE, LOCAL_HOSTS, Connection

_OPENAI = "api.openai.com"
_LOOK_SECONDS = 5.0
_SHOWN_MODELS = 8


class Client:
    """A server of chat completions.

    Parameters
    ----------
    url : str
        Its address, …/v1.
    key : str or None
        None where the server needs none.
    connection : Connection
        Timeout and number of connections.

    Attributes
    ----------
    url : str
        Its address.
    """

    def __init__(self, url: str, key: str | None, connection: Connection) -> None:
        self.url = url
        self._secrets = (key,) if key else ()
        self._timeout = connection.timeout
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=connection.concurrency or MOST)
        timeout = httpx2.Timeout(connection.timeout, connect=min(10.0, connection.timeout))
        host = urlsplit(url).hostname or ""
        # A proxy that the environment names stands between this machine and others, not between its own processes.
        transport = openai.DefaultAsyncHttpxClient(
            limits=limits,
            timeout=timeout,
            trust_env=host not in LOCAL_HOSTS,
            event_hooks={"response": [refuse_other_servers]},
        )
        headers: dict[str, Any] = {}
        if host != _OPENAI:
            # The package takes these from the environment; they concern OpenAI alone.
            headers = {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
        self._openai = openai.AsyncOpenAI(
            base_url=url,
            api_key=key or "none",
            max_retries=0,
            timeout=timeout,
            http_client=transport,
            default_headers=headers,
        )

    async def aclose(self) -> None:
        """Close its connections."""
        await self._openai.close()

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
        try:
            # The HTTP client's timeout is for silence; a body that drips without end is not silent.
            async with asyncio.timeout(self._timeout):
                answer = await self._openai.post("/chat/completions", cast_to=httpx2.Response, body=dict(body))
            return read_reply(answer.content, self._secrets)
        except openai.APIStatusError as error:
            wait = retry_after(error.response.headers)
            fault = fault_of(error.status_code, error.response.text, wait, body, self._secrets)
            if isinstance(fault, TransientFault) and fault.kind == "not found" and (models := await self.models()):
                more = f" and {len(models) - _SHOWN_MODELS:,} more" if len(models) > _SHOWN_MODELS else ""
                fault.message += f" It offers {', '.join(f'“{name}”' for name in models[:_SHOWN_MODELS])}{more}."
            raise fault from None
        except (openai.APITimeoutError, TimeoutError):
            raise TransientFault("timeout", "The server did not answer in time.") from None
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            raise self._connection_fault(error) from None

    async def vllm_version(self) -> str | None:
        """The version of vLLM behind the address; None where it is no vLLM, or does not say."""
        try:
            version = (await self._look("/version")).json()["version"]
        except (openai.OpenAIError, httpx2.HTTPError, ValueError, KeyError, TypeError):
            return None
        return version[:40] if isinstance(version, str) else None

    async def models(self) -> tuple[str, ...]:
        """The models that the server offers, in its order; empty where it does not say."""
        try:
            answer = await self._openai.get("/models", cast_to=httpx2.Response, options={"timeout": _LOOK_SECONDS})
            names = [str(model["id"]) for model in answer.json()["data"]]
        except (openai.OpenAIError, httpx2.HTTPError, ValueError, KeyError, TypeError):
            return ()
        return tuple(clean(name, self._secrets) for name in names)

    async def load(self) -> Load | None:
        """The load that a vLLM server shows; None where it is no vLLM, or shows none."""
        try:
            return read_load((await self._look("/metrics")).text)
        except (openai.OpenAIError, httpx2.HTTPError, ValueError):
            return None

    async def _look(self, path: str) -> httpx2.Response:
        """Get what stands beside the interface of OpenAI."""
        url = f"{self.url.rstrip('/').removesuffix('/v1')}{path}"
        return await self._openai.get(url, cast_to=httpx2.Response, options={"timeout": _LOOK_SECONDS})

    def _connection_fault(self, error: Exception) -> TransientFault | SurrogateError:
        cause: BaseException = error.__cause__ or error
        if isinstance(cause, SurrogateError):
            return cause
        reason = clean(str(cause) or type(cause).__name__, self._secrets)
        if isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout)):
            return TransientFault("unreachable", f"The server cannot be reached ({reason}).")
        return TransientFault("connection", f"The connection was cut ({reason}).")


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
    """The key for the server at ``url``, from the environment; None where there is none.

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
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise SurrogateError(f"The value of {' or '.join(names)} cannot be a key: it has blanks or line breaks.")
    return key


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, given in milliseconds, seconds or as a date; None where it does not say."""
    try:
        if "retry-after-ms" in headers:
            wait = float(headers["retry-after-ms"]) / 1000
        else:
            wait = _seconds(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    return wait if 0 <= wait < float("inf") else None


def _seconds(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
