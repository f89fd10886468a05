"""A server, asked many things at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from .answers import MOST, Answer, Body, head_of
from .connection import CONNECT_SECONDS, Hooks, listen_first_async, options
from .failure import Redirected, failure
from .texts import clean

if TYPE_CHECKING:
    import httpx2

_REDIRECTIONS = 5
# Redirections after which the same is sent; after all others a browser asks again, without what it had sent.
_SAME_METHOD = frozenset({307, 308})
# The HTTP library looks at all connections of a pool for each request: many small pools cost less than a large one.
_POOL = 16
# Answers that are larger than this come in one after the other, whatever a server does, since memory is for all.
_LARGE = 1_000_000


class ParallelClient:
    """A server, asked many things at once. Nothing is sent twice, and nothing to another server.

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
        self._options = options(address, headers, timeout, connect)
        self._timeout = timeout
        self._pools: list[httpx2.AsyncClient] = []
        # Pools with room for another request, one entry for each that it has room for.
        self._room: list[httpx2.AsyncClient] = []
        self._large = asyncio.Lock()

    async def aclose(self) -> None:
        """Close its connections."""
        await asyncio.gather(*(pool.aclose() for pool in self._pools))

    async def send(
        self, method: str, url: str, most: int = MOST, seconds: float | None = None, **content: Any
    ) -> Answer:
        """Send a request, also to where the server redirects it within itself.

        Parameters
        ----------
        method, url : str
            Of HTTP.
        most : int
            Bytes that the answer may have, unpacked; of an error the beginning is kept.
        seconds : float, optional
            Until the end of the answer; by default those of silence.
        **content
            As in ``httpx2.AsyncClient.build_request``.

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

        try:
            # The HTTP library's timeout is for silence; a body that drips without end is not silent.
            async with asyncio.timeout(self._timeout if seconds is None else seconds), self._pool() as pool:
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

    @asynccontextmanager
    async def _pool(self) -> AsyncIterator[httpx2.AsyncClient]:
        """A pool of connections with room for one request."""
        import httpx2

        if not self._room:
            limits = httpx2.Limits(max_connections=None)
            hooks: Hooks = {"request": [listen_first_async], "response": [refuse_other_requests]}
            pool = httpx2.AsyncClient(limits=limits, event_hooks=hooks, **self._options)
            self._pools.append(pool)
            self._room += [pool] * _POOL
        pool = self._room.pop()
        try:
            yield pool
        finally:
            self._room.append(pool)


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
