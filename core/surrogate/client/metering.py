"""Requests within what a job may spend, and the tokens of replies that do not report theirs."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..faults import JobPaused
from ..job.parameters import Prices
from .replies import Reply
from .retries import RetryingClient
from .tokens import rough_body_tokens, rough_tokens


class MeteredClient:
    """A client that sends no request which might exceed what a job may spend.

    A request counts as long as the longest completion so far, at most as the tokens that it allows, until its reply
    says what it took. So the limits are exceeded only by what requests under way write beyond that.

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
        """How many requests may be under way at a time."""
        return self._client.width

    async def wider_than(self, width: int) -> None:
        """Wait until more requests may be under way than these, or nothing more is sent."""
        await self._client.wider_than(width)

    async def complete(self, body: Mapping[str, Any]) -> Reply:
        """Send one request, as :meth:`RetryingClient.complete`, once there is room for it.

        Raises
        ------
        JobPaused
            There is no room, and no reply under way can make any.
        """
        if not self._prices.limited:
            return await self._send(body)
        prompt, completion = await self._reserve(body)
        taken = (0, 0)
        try:
            reply = await self._send(body)
            taken = (reply.prompt_tokens, reply.completion_tokens)
            each = -(-reply.completion_tokens // len(reply.completions))
            self._longest = max(self._longest or 0, each)
            self._density = max(self._density or 0.0, reply.prompt_tokens / rough_body_tokens(body))
            return reply
        finally:
            async with self._changed:
                self._under_way -= 1
                self._prompt += taken[0] - prompt
                self._completion += taken[1] - completion
                self._changed.notify_all()

    async def _send(self, body: Mapping[str, Any]) -> Reply:
        return counted(await self._client.complete(body), lambda: rough_body_tokens(body))

    async def _reserve(self, body: Mapping[str, Any]) -> tuple[int, int]:
        """Wait until there is room; count the request, and return the tokens that it is counted with."""
        async with self._changed:
            while True:
                prompt = math.ceil((self._density or 1.0) * rough_body_tokens(body))
                completion = self._expected(body)
                # As long as nothing is known of the replies, one is waited for.
                if completion is not None or not self._under_way:
                    excess = self._prices.excess(self._prompt + prompt, self._completion + (completion or 0))
                    if not excess:
                        break
                    if not self._under_way:
                        raise JobPaused(excess)
                await self._changed.wait()
            self._under_way += 1
            self._prompt += prompt
            self._completion += completion or 0
            return prompt, completion or 0

    def _expected(self, body: Mapping[str, Any]) -> int | None:
        """The completion tokens that a request will take, as far as can be said; None before the first reply."""
        if self._longest is None:
            return None
        allowed = body.get("max_completion_tokens") or body.get("max_tokens")
        each = self._longest if not isinstance(allowed, int) else min(self._longest, allowed)
        return int(body.get("n", 1)) * each


def counted(reply: Reply, prompt_tokens: Callable[[], int]) -> Reply:
    """Count the tokens of a reply where the server reports none: exactly if it lists them, or roughly.

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
