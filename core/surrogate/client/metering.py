"""Requests within what a job may spend, and the tokens of replies that do not report theirs."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..faults import ItemFault, JobPaused
from ..job.parameters import Prices, limits_in
from .prompting import rough_body_tokens, rough_tokens
from .replies import Reply
from .retries import RetryingClient


class MeteredClient:
    """A client that sends no request which might exceed what a job may spend.

    A request is sent if there is room for completions as long as the longest that the server has charged so far. Until
    its reply says what it took, it counts as all that it may take: the tokens that it allows, or the longest so far if
    that is more or it sets no limit. So a limit is exceeded by one reply at most, that of the request sent last; unless
    a server charges more than it is allowed and ever did before.

    Parameters
    ----------
    client : RetryingClient
        What sends the requests.
    prices : Prices
        Prices and limits.
    prompt_tokens, completion_tokens : int
        What the job has taken already.
    """

    def __init__(self, client: RetryingClient, prices: Prices, prompt_tokens: int, completion_tokens: int) -> None:
        self._client, self._prices = client, prices
        self._prompt, self._completion = prompt_tokens, completion_tokens
        self._longest: int | None = None
        self._density: float | None = None
        self._under_way = 0
        self._changed = asyncio.Condition()

    @property
    def width(self) -> int:
        """Number of requests that may be under way at a time."""
        return self._client.width

    async def complete(self, body: Mapping[str, Any], patient: bool = False) -> Reply:
        """Send one request, as :meth:`RetryingClient.complete`, once there is room for it.

        Raises
        ------
        JobPaused
            There is no room, and no reply under way can make any.
        """
        if not self._prices.limited:
            return await self._send(body, patient)
        prompt, completion = await self._reserve(body)
        taken = (0, 0)
        try:
            reply = await self._send(body, patient)
            taken = (reply.prompt_tokens, reply.completion_tokens)
            each = -(-reply.completion_tokens // len(reply.completions))
            self._longest = max(self._longest or 0, each)
            self._density = max(self._density or 0.0, reply.prompt_tokens / rough_body_tokens(body))
            return reply
        except ItemFault as fault:
            # What is too large to be read is charged all the same.
            taken = (prompt, completion) if fault.kind == "too large" else taken
            raise
        finally:
            async with self._changed:
                self._under_way -= 1
                self._prompt += taken[0] - prompt
                self._completion += taken[1] - completion
                self._changed.notify_all()

    async def _send(self, body: Mapping[str, Any], patient: bool) -> Reply:
        return counted(await self._client.complete(body, patient), lambda: rough_body_tokens(body))

    async def _reserve(self, body: Mapping[str, Any]) -> tuple[int, int]:
        """Wait until there is room; count the request, and return the tokens that it is counted with."""
        samples = int(body.get("n", 1))
        async with self._changed:
            while True:
                prompt = math.ceil((self._density or 1.0) * rough_body_tokens(body))
                # As long as nothing is known of the replies, one is waited for.
                if self._longest is not None or not self._under_way:
                    likely = samples * (self._longest or 0)
                    excess = self._prices.excess(self._prompt + prompt, self._completion + likely)
                    if not excess:
                        break
                    if not self._under_way:
                        raise JobPaused(excess)
                await self._changed.wait()
            completion = samples * max(self._longest or 0, *limits_in(body), 0)
            self._under_way += 1
            self._prompt += prompt
            self._completion += completion
            return prompt, completion


def counted(reply: Reply, prompt_tokens: Callable[[], int]) -> Reply:
    """Count the tokens of a reply if the server reports none: exactly if it lists them, or roughly.

    Parameters
    ----------
    reply : Reply
        What the server answered.
    prompt_tokens : callable
        Counts the tokens of the request's messages roughly.
    """
    prompt, completion = reply.prompt_tokens, reply.completion_tokens
    texts = [f"{one.reasoning or ''}{one.text}" for one in reply.completions]
    prompt = prompt or prompt_tokens()
    completion = completion or sum(
        one.tokens or rough_tokens(text) for one, text in zip(reply.completions, texts, strict=True)
    )
    estimated = prompt - reply.prompt_tokens + completion - reply.completion_tokens
    return replace(reply, prompt_tokens=prompt, completion_tokens=completion, estimated_tokens=estimated)
