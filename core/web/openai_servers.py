"""Servers with OpenAI's interface, asked by OpenAI's own library: one request after the other, or many at once.

The library builds and sends requests, each once. By default it does more, which is unsafe with servers that people
name: it sends headers about this machine and account, follows redirections with the prompt, and reads the body of an
error whatever its size. So our headers replace its own, whatever is no success ends a request before its body is read
(as an exception of an event hook, which it lets pass), and bodies come in by pieces, unparsed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .bodies import MOST, Answer, Body, Redirected, clean, failure, head_of
from .client import (
    CONNECT_SECONDS,
    Hooks,
    WebClient,
    listen_first,
    listen_first_async,
    options,
    plain_headers,
    refuse_redirection,
)

# It takes a second to load, and 20 MB: only in a process that asks a server.
if TYPE_CHECKING:
    import httpx2
    from openai import APIConnectionError, AsyncOpenAI, OpenAI

_REDIRECTIONS = 5
# Redirections after which the same is sent; after all others a browser asks again, without what it had sent.
_SAME_METHOD = frozenset({307, 308})
# The HTTP library looks at all connections of a pool for each request: many small pools cost less than a large one.
_POOL = 16
# Answers that are larger than this come in one after the other, whatever a server does, since memory is for all.
_LARGE = 1_000_000
# By this header of a request that was sent, the library knows that it is not to read the answer.
_RAW = "X-Stainless-Raw-Response"
# What the library is made with if there is no key; our headers have none.
_NO_KEY = "none"


class _Refused(Exception):
    """An answer with the status of an error."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


class _Moved(Exception):
    """A redirection within the server; its only argument is the address."""


class OpenAIClient(WebClient):
    """A server with OpenAI's interface, asked with patience: parameters as of :class:`WebClient`."""

    def __init__(self, address: str, headers: Mapping[str, str] | None = None, timeout: float = 120.0) -> None:
        import httpx2
        from openai import OpenAI

        settings = options(address, headers, timeout)
        self._timeout = timeout
        hooks: Hooks = {
            "request": [plain_headers(settings["headers"]), listen_first],
            "response": [refuse_redirection, self._refuse],
        }
        self._client = httpx2.Client(event_hooks=hooks, **settings)
        self._openai = OpenAI(
            api_key=_NO_KEY,
            base_url=address,
            timeout=settings["timeout"],
            max_retries=0,
            http_client=self._client,
        )

    def ask(
        self,
        call: Callable[[OpenAI], AbstractContextManager[Any]],
        safe: bool = True,
        into: Path | None = None,
        most: int = MOST,
    ) -> Answer:
        """Have the library send a request until it is answered.

        Parameters
        ----------
        call : callable
            Takes the library's client and returns a response of its ``with_streaming_response``, not sent yet.
        safe, into, most
            As in :meth:`WebClient.send`, with its errors.
        """
        from openai import APIConnectionError

        def attempt() -> Answer:
            try:
                with call(self._openai) as response:
                    return self._take_in(response.http_response, into, most)
            except _Refused as refused:
                return refused.answer
            except APIConnectionError as error:
                failed = _cause(error)
            # Raised in there, it would be its own context's cause.
            raise failed

        return self._patiently(attempt, safe)

    def _refuse(self, response: httpx2.Response) -> None:
        response.request.headers[_RAW] = "stream"
        if not response.is_success:
            raise _Refused(self._take_in(response, None, MOST))


class ParallelClient:
    """A server with OpenAI's interface, asked many things at once. Nothing is sent twice, and nothing to another one.

    Parameters
    ----------
    address : str
        Its address.
    headers : mapping, optional
        Of every request, such as the one with the key.
    timeout : float, default 120
        Seconds of silence.
    connect : float
        Seconds to reach it in.
    """

    def __init__(
        self,
        address: str,
        headers: Mapping[str, str] | None = None,
        timeout: float = 120.0,
        connect: float = CONNECT_SECONDS,
    ) -> None:
        self._address, self._timeout = address, timeout
        self._options = options(address, headers, timeout, connect)
        self._pools: list[AsyncOpenAI] = []
        # Pools with room for another request, one entry for each that it has room for.
        self._room: list[AsyncOpenAI] = []
        self._large = asyncio.Lock()

    async def aclose(self) -> None:
        """Close its connections."""
        await asyncio.gather(*(pool.close() for pool in self._pools))

    async def send(
        self, url: str, content: bytes | None = None, most: int = MOST, seconds: float | None = None
    ) -> Answer:
        """Send a request, also to where the server redirects it within itself.

        Parameters
        ----------
        url : str
            Its address, or the path below that of the server.
        content : bytes, optional
            JSON to post; without it the request gets what is there.
        most : int
            Bytes that the answer may have, unpacked; of an error the beginning is kept.
        seconds : float, optional
            Until the end of the answer; by default those of silence.

        Returns
        -------
        Answer
            With whatever status.

        Raises
        ------
        WebError
            There was no answer, or a redirection to another server.
        TooLarge
            The answer has more bytes.
        """
        import httpx2
        from openai import APIConnectionError

        try:
            # The HTTP library's timeout is for silence; a body that drips without end is not silent.
            async with asyncio.timeout(self._timeout if seconds is None else seconds), self._pool() as pool:
                for _ in range(_REDIRECTIONS):
                    try:
                        response = await _opened(pool, url, content)
                    except _Moved as moved:
                        (url,) = moved.args
                        continue
                    try:
                        return await self._take_in(response, most)
                    finally:
                        await response.aclose()
        except _Refused as refused:
            return refused.answer
        except APIConnectionError as error:
            raise failure(_cause(error)) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
            raise failure(error) from None
        raise Redirected("The server redirects requests in a circle. Give the address that answers.")

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

    async def _refuse(self, response: httpx2.Response) -> None:
        if not response.is_success:
            raise _Refused(await self._take_in(response, MOST))

    @asynccontextmanager
    async def _pool(self) -> AsyncIterator[AsyncOpenAI]:
        """A pool of connections with room for one request."""
        if not self._room:
            self._room += [self._new_pool()] * _POOL
        pool = self._room.pop()
        try:
            yield pool
        finally:
            self._room.append(pool)

    def _new_pool(self) -> AsyncOpenAI:
        import httpx2
        from openai import AsyncOpenAI

        replace = plain_headers(self._options["headers"])

        async def replace_headers(request: httpx2.Request) -> None:
            replace(request)

        hooks: Hooks = {
            "request": [replace_headers, listen_first_async],
            "response": [refuse_other_requests, _follow, self._refuse],
        }
        client = httpx2.AsyncClient(limits=httpx2.Limits(max_connections=None), event_hooks=hooks, **self._options)
        timeout = self._options["timeout"]
        pool = AsyncOpenAI(api_key=_NO_KEY, base_url=self._address, timeout=timeout, max_retries=0, http_client=client)
        self._pools.append(pool)
        return pool


async def _opened(pool: AsyncOpenAI, url: str, content: bytes | None) -> httpx2.Response:
    """The answer to a request, before its body arrives."""
    import httpx2
    from openai import AsyncStream

    if content is None:
        opened: Any = await pool.get(url, cast_to=httpx2.Response, stream=True, stream_cls=AsyncStream[Any])
    else:
        opened = await pool.post(
            url, cast_to=httpx2.Response, content=content, stream=True, stream_cls=AsyncStream[Any]
        )
    return cast("httpx2.Response", opened)


def _cause(error: APIConnectionError) -> Exception:
    """The error of the HTTP library behind that of OpenAI's."""
    import httpx2

    cause = error.__cause__
    return cause if isinstance(cause, httpx2.HTTPError) else httpx2.ReadError(str(cause or error))


async def _follow(response: httpx2.Response) -> None:
    if response.has_redirect_location:
        raise _Moved(str(response.request.url.join(response.headers["location"])))


async def refuse_other_requests(response: httpx2.Response) -> None:
    """Refuse a redirection after which a request would reach another server than the one that was named, or none.

    Raises
    ------
    Redirected
        It leads elsewhere, to no address, or asks for another method, which leaves behind what was sent.
    """
    import httpx2

    if not response.has_redirect_location:
        return
    answer, old, place = head_of(response), response.request.url, response.headers["location"]
    try:
        new = old.join(place)
    except (httpx2.InvalidURL, ValueError):
        raise Redirected(
            f"The server redirects requests to “{clean(place)}”, which is no address. Give the address that answers.",
            answer=answer,
        ) from None
    shown = clean(f"{new.scheme}://{new.netloc.decode('ascii', 'replace')}")
    encrypted = (old.scheme, new.scheme) == ("http", "https") and old.port is new.port is None
    if new.host != old.host or not (encrypted or (new.scheme, new.port) == (old.scheme, old.port)):
        raise Redirected(
            f"The server redirects requests to {shown}, and prompts are only sent where you said. If that server is the"
            " right one, give its address.",
            answer=answer,
        )
    if response.request.method != "GET" and response.status_code not in _SAME_METHOD:
        raise Redirected(
            f"The server redirects requests to {clean(str(new))} with status {response.status_code}, which leaves the"
            " prompt behind. Give the address that it means.",
            answer=answer,
        )
