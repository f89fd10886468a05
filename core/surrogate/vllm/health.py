"""Whether a server hangs: it takes connections and answers none, or works on requests and gets no further."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from ...web import Answer, ParallelClient, WebError, bearer
from ..faults import SurrogateError

SILENCE = 60.0
STANDSTILL = 300.0
"""Seconds that one answer may take, and that requests may be under way without a sign of work on any."""
_EVERY = 10.0
_ANSWERED = re.compile(r"^vllm:request_success_total.* [0-9.e+]*[1-9][0-9.e+]*$", re.MULTILINE)


class ServerHangs(SurrogateError):
    """A server that runs, and answers no more."""


class Health:
    """A look at a server of our own.

    Parameters
    ----------
    url, key : str
        Its address, …/v1, and what opens it.
    """

    def __init__(self, url: str, key: str) -> None:
        self._url = url
        self._server = ParallelClient(url, bearer(key), SILENCE, connect=SILENCE)

    async def aclose(self) -> None:
        """Close its connections."""
        await self._server.aclose()

    async def is_ready(self) -> bool:
        """Whether it answers; not while nobody listens at its port.

        Raises
        ------
        ServerHangs
            It takes the connection, and gives no answer within ``SILENCE``.
        """
        answer = await self._answer("/v1/models")
        return answer is not None and answer.status == 200

    async def watch(self, is_busy: Callable[[], bool], first: float) -> None:
        """Look at it every ten seconds until it hangs.

        Parameters
        ----------
        is_busy : callable
            Whether requests are under way.
        first : float
            Seconds that its first work may take: a server may compile what it needs only then.

        Raises
        ------
        ServerHangs
            It gives no answer within ``SILENCE``, or its counts of work stand still while it is busy: for
            ``STANDSTILL``, or for ``first`` before it has answered any request.
        """
        loop = asyncio.get_running_loop()
        work, moved = "", loop.time()
        while True:
            answer = await self._answer("/metrics")
            # Whatever the model does changes one of vLLM's counts; without any, nothing can be said.
            now = "" if answer is None else "\n".join(line for line in answer.text.splitlines() if line[:5] == "vllm:")
            if now != work or not now or not is_busy():
                work, moved = now, loop.time()
            elif loop.time() - moved >= (patience := STANDSTILL if _ANSWERED.search(now) else max(first, STANDSTILL)):
                raise ServerHangs(f"The server has not worked on any request for {patience:g} s.")
            await asyncio.sleep(_EVERY)

    async def _answer(self, path: str) -> Answer | None:
        """Return its answer; None if the connection is refused or cut, or it says too much."""
        try:
            return await self._server.send(self._url.removesuffix("/v1") + path)
        except WebError as error:
            if not error.late:
                return None
            raise ServerHangs(f"The server takes connections, but gives no answer within {SILENCE:g} s.") from None
