"""One request to a server with OpenAI's interface, and what its answer means.

A request is JSON and so is its answer; nothing else of the interface is needed, and typed objects of ten completions
with log-probabilities would take longer than everything else the worker does. Tries are counted by the caller.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2

from ...web import Answer, Body, TooLarge, clean, distrust, fits_header, head_of, options, retry_after
from ..faults import ItemFault, SurrogateError, TransientFault
from ..job.parameters import KEY_VARIABLE, Connection
from .load import Load, read_load
from .refusals import fault_of
from .replies import Reply, largest, read_reply

_Seen = TypeVar("_Seen")
_OPENAI = "api.openai.com"
_LOOK_SECONDS = 5.0
_LOOK_BYTES = 4_000_000
_SHOWN_MODELS = 8
_MUCH = (
    "That is several times what such answers take. If they are so long, set a token limit that allows it, or ask for"
    " fewer samples."
)
_TRUST = "Have it renewed, or trust its authority: SSL_CERT_FILE names a file with certificates."
_REDIRECTIONS = 5
# Redirections after which the same is sent; after all others a browser asks anew, without what it had sent.
_SAME_METHOD = frozenset({307, 308})
# The HTTP library looks at all connections of a pool for each request: many small pools cost less than a large one.
_POOL = 16
# Replies that are larger than this come in one after the other, whatever a server does, since memory is for all.
_LARGE = 1_000_000


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
        self._large = asyncio.Lock()

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
            No request will ever succeed (wrong key, unknown model, no credit left, a redirection to another server, a
            certificate that nobody vouches for).
        """
        path = "completions" if "prompt" in body else "chat/completions"
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        headers = {"Content-Type": "application/json"}
        try:
            answer = await self._send(
                "POST", f"{self._base}/{path}", largest(body), self._timeout, content=content, headers=headers
            )
        except TooLarge as error:
            raise ItemFault("too large", f"The server's answer has {error}. {_MUCH}", False) from None
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            if why := distrust(error):
                raise SurrogateError(f"The certificate of {self.url} is not trusted: {why}. {_TRUST}") from None
            raise TransientFault("unreachable", f"The server cannot be reached ({self._reason(error)}).") from None
        except (httpx2.TimeoutException, TimeoutError):
            raise TransientFault("timeout", "The server did not answer in time.") from None
        except httpx2.HTTPError as error:
            raise TransientFault("connection", f"The connection was cut ({self._reason(error)}).") from None
        if answer.is_success:
            return read_reply(answer.content, self._secrets)
        wait = retry_after(answer.headers, datetime.now(UTC))
        fault = fault_of(answer.status, answer.text, wait, body, self._secrets)
        if isinstance(fault, TransientFault) and fault.kind == "not found" and (models := await self.models()):
            more = f" and {len(models) - _SHOWN_MODELS:,} more" if len(models) > _SHOWN_MODELS else ""
            fault.message += f" It offers {', '.join(f'“{name}”' for name in models[:_SHOWN_MODELS])}{more}."
        raise fault

    async def vllm_version(self) -> str | None:
        """The version of vLLM behind the address; None if it is no vLLM, or does not say."""
        place = f"{self._base.removesuffix('/v1')}/version"
        version = await self._look(place, lambda shown: json.loads(shown)["version"])
        return clean(version, self._secrets, 40) if isinstance(version, str) else None

    async def models(self) -> tuple[str, ...]:
        """The models that the server offers, in its order; empty if it does not say."""
        names = await self._look(
            f"{self._base}/models", lambda shown: [str(model["id"]) for model in json.loads(shown)["data"]]
        )
        return tuple(clean(name, self._secrets) for name in names or ())

    async def load(self) -> Load | None:
        """The load that a vLLM server shows; None if it is no vLLM, or shows none."""
        return await self._look(
            f"{self._base.removesuffix('/v1')}/metrics", lambda shown: read_load(shown.decode("utf-8", "replace"))
        )

    async def _look(self, url: str, read: Callable[[bytes], _Seen]) -> _Seen | None:
        """What a server shows at an address; None if it shows nothing there, or nothing that can be read."""
        try:
            answer = await self._send("GET", url, _LOOK_BYTES, _LOOK_SECONDS)
            return read(answer.content) if answer.is_success else None
        except (httpx2.HTTPError, TimeoutError, SurrogateError, TooLarge):
            return None
        except (ValueError, KeyError, TypeError, RecursionError):
            return None

    async def _send(self, method: str, url: str, most: int, seconds: float, **content: Any) -> Answer:
        """Send a request, also to where the server redirects it, and take in at most so many bytes of its answer."""
        # The HTTP client's timeout is for silence; a body that drips without end is not silent.
        async with asyncio.timeout(seconds), self._pool() as pool:
            request: httpx2.Request | None = pool.build_request(method, url, **content)
            for _ in range(_REDIRECTIONS):
                assert request is not None
                response = await pool.send(request, stream=True)
                try:
                    request = response.next_request
                    if request is None:
                        return await self._take_in(response, most)
                finally:
                    await response.aclose()
        raise SurrogateError("The server redirects requests in a circle. Give the address that answers.")

    async def _take_in(self, response: httpx2.Response, most: int) -> Answer:
        body = Body(head_of(response), most)
        async with AsyncExitStack() as turn:
            has_turn = False
            async for piece in response.aiter_bytes():
                if not body.add(piece):
                    break
                if body.size > _LARGE and not has_turn:
                    await turn.enter_async_context(self._large)
                    has_turn = True
            return body.answer()

    @asynccontextmanager
    async def _pool(self) -> AsyncIterator[httpx2.AsyncClient]:
        """A pool of connections with room for one request."""
        if not self._room:
            pool = httpx2.AsyncClient(
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=_POOL),
                event_hooks={"response": [refuse_other_requests]},
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


async def refuse_other_requests(response: httpx2.Response) -> None:
    """Refuse a redirection after which a prompt would reach another server than the one that was named, or none.

    Raises
    ------
    SurrogateError
        It leads elsewhere, to no address, or asks for another method, which brings no prompt.
    """
    if not response.has_redirect_location:
        return
    old, place = response.request.url, response.headers["location"]
    try:
        new = old.join(place)
    except (httpx2.InvalidURL, ValueError):
        raise SurrogateError(
            f"The server redirects requests to “{clean(place)}”, which is no address. Give the address that answers."
        ) from None
    shown = clean(f"{new.scheme}://{new.netloc.decode('ascii', 'replace')}")
    encrypted = (old.scheme, new.scheme) == ("http", "https") and old.port is new.port is None
    if new.host != old.host or not (encrypted or (new.scheme, new.port) == (old.scheme, old.port)):
        raise SurrogateError(
            f"The server redirects requests to {shown}, and prompts are only sent where you said. If that server is the"
            " right one, give its address."
        )
    if response.request.method != "GET" and response.status_code not in _SAME_METHOD:
        raise SurrogateError(
            f"The server redirects requests to {clean(str(new))} with status {response.status_code}, which leaves the"
            " prompt behind. Give the address that it means."
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
