"""One generation before a run: whether each address answers, how fast, and what it takes of the job's parameters."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from .client.http import Client, api_key
from .client.metering import counted
from .client.prompting import messages, probe, rough_prompt_tokens
from .client.replies import Reply
from .faults import ItemFault, SurrogateError, TransientFault
from .job.parameters import Connection
from .job.request import RequestFormat
from .job.source import Item
from .job.spec import JobSpec

_SAMPLES = 2
_ALL_REASONING = "If the model does not think, the server takes its answers for reasoning: turn thinking off."
_IGNORED = "The server or the model’s chat template ignores the switch: choose the model’s default."


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of one request to an address.

    Parameters
    ----------
    url : str
        The address.
    models : tuple of str
        The models that it offers; empty if it does not say.
    error : str
        Why there is no generation; empty if there is one.
    model : str
        The server's own name for what answered.
    version : str or None
        The version of vLLM; None if it is no vLLM.
    seconds : float
        From the request to the answer; requests that were refused for a parameter are not counted.
    text, answer : str
        The generation, and the answer that is read from it, None if there is none.
    reasoning : str or None
        What the model said before its answer; None if it answered at once.
    cut : bool
        Whether the token limit ended the generation.
    thinking : {"on", "off"} or None
        Whether the model was told to think; None: it decides.
    samples : int
        Generations that the request brought.
    prompt_tokens, completion_tokens : int
        What the request took.
    taken : tuple of str
        Names of the parameters that the server takes.
    refused : mapping
        Parameter that it does not take → its reason.
    """

    url: str
    models: tuple[str, ...] = ()
    error: str = ""
    model: str = ""
    version: str | None = None
    seconds: float = 0.0
    text: str = ""
    answer: str | None = None
    reasoning: str | None = None
    cut: bool = False
    thinking: str | None = None
    samples: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    taken: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def summary(self) -> str:
        """Return a sentence: who answered, how fast, and which parameters it takes."""
        version = "" if self.version is None else f" (vLLM {self.version})"
        tokens = f"{self.prompt_tokens:,} tokens in, {self.completion_tokens:,} out"
        return f"{self.model}{version} answered in {self.seconds:.2f} s, {tokens}; it accepts {', '.join(self.taken)}"

    def thinking_note(self) -> str:
        """Say whether the answer began with reasoning, and what to do if that is not as it was set."""
        if self.reasoning is None:
            began = "The answer began without reasoning"
            return f"{began}, although thinking is on. {_IGNORED}" if self.thinking == "on" else f"{began}."
        began = "The answer began with reasoning"
        if self.cut and not self.text.strip():
            return f"{began}, and the token limit cut it there, so there is no answer. Raise the limit."
        if not self.text.strip():
            return f"{began}, and no answer followed. {_ALL_REASONING}"
        return f"{began}, although thinking is off. {_IGNORED}" if self.thinking == "off" else f"{began}."

    def forecast(self, spec: JobSpec, requests: int) -> str:
        """Say how many tokens a run writes, and how long it takes, at the pace of this trial.

        Parameters
        ----------
        spec : JobSpec
            The job.
        requests : int
            Its items, or its comparisons.
        """
        if self.error or not self.samples or not self.completion_tokens:
            return ""
        each, k, limit = self.completion_tokens / self.samples, spec.sampling.k, spec.sampling.longest
        # A server that gives one sample a request is asked k times.
        rounds = requests * (k if "n" in self.refused else 1)
        width = min(rounds, spec.width * len(spec.connection.base_urls))
        seconds = rounds * self.seconds / width
        expected = f"about {requests * k * each:,.0f} tokens of answers and {duration(seconds)}"
        most = (
            ""
            if limit is None
            else (
                f"; if every answer reaches the limit, {requests * k * limit:,} tokens and"
                f" {duration(seconds * max(limit / each, 1))}"
            )
        )
        return f"At the pace of this test, {width:,} at a time: {expected}{most}. A full server takes longer."


def duration(seconds: float) -> str:
    """Return a time in words: seconds, minutes or hours."""
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:,.0f} seconds"


def try_out(spec: JobSpec, item: Item, key: str | None = None) -> list[Trial]:
    """Ask each address of a job for one item at the job's settings, with two samples at most; nothing is stored.

    Parameters
    ----------
    spec : JobSpec
        The job.
    item : Item
        The item.
    key : str, optional
        The server's key; by default the environment's.

    Raises
    ------
    SurrogateError
        The job names no address, the key's variable is not set, or the template has no place for the question.
    ItemFault
        The item has no prompt, or an image that cannot be sent.
    """
    if not spec.connection.base_urls:
        raise SurrogateError("There is no address to try: give one.")
    # A seed shows whether the server takes one, two samples whether it gives several at once.
    sampling = replace(spec.sampling, k=min(spec.sampling.k, _SAMPLES), seed=spec.sampling.seed or 0)
    spec = replace(spec, sampling=sampling)
    messages(item, spec.prompting)
    keys = [key or api_key(spec.connection, url) for url in spec.connection.base_urls]

    async def together() -> list[Trial]:
        pairs = zip(spec.connection.base_urls, keys, strict=True)
        return await asyncio.gather(*(_tried(Client(url, key, spec.connection), spec, item) for url, key in pairs))

    return asyncio.run(together())


def offered(url: str, key: str | None = None, connection: Connection | None = None) -> tuple[str, ...]:
    """The models that the server at an address offers; empty if it does not say.

    Parameters
    ----------
    url : str
        The address.
    key : str, optional
        The server's key; by default the environment's.
    connection : Connection, optional
        How it is asked.

    Raises
    ------
    SurrogateError
        The address is none, or the key's variable is not set.
    """
    connection = replace(connection or Connection(), base_urls=(url,))

    async def names() -> tuple[str, ...]:
        async with aclosing(Client(url, key or api_key(connection, url), connection)) as client:
            return await client.models()

    return asyncio.run(names())


class _Clock:
    """A client that measures its last request."""

    def __init__(self, client: Client) -> None:
        self.seconds = 0.0
        self._client = client

    async def complete(self, body: Mapping[str, Any]) -> Reply:
        began = time.perf_counter()
        reply = await self._client.complete(body)
        self.seconds = time.perf_counter() - began
        return reply


async def _tried(client: Client, spec: JobSpec, item: Item) -> Trial:
    async with aclosing(client):
        models, version = await asyncio.gather(client.models(), client.vllm_version())
        trial = Trial(client.url, models, version=version)
        chat = messages(item, spec.prompting)
        clock = _Clock(client)
        try:
            form, samples, reply = await probe(clock, spec, RequestFormat.complete(spec.sampling), chat, item)
        except (ItemFault, TransientFault) as fault:
            return replace(trial, error=fault.message)
        except SurrogateError as error:
            return replace(trial, error=str(error))
        reply = counted(reply, lambda: rough_prompt_tokens(chat))
        event = reply.event(item, samples, {}, spec, form.thinks)
        first = (*event.generations, *reply.completions)[0]
        sent = [*form.parameters, *(["n"] if spec.sampling.k > 1 else []), "seed"]
        sent += [form.guide] if form.guide and form.letters(spec, item) else []
        return replace(
            trial,
            model=reply.model,
            seconds=clock.seconds,
            text=first.text,
            answer=event.generations[0].answer if event.generations else None,
            reasoning=first.reasoning,
            cut=first.cut,
            thinking=spec.sampling.thinking,
            samples=len(reply.completions),
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            taken=tuple(name for name in sent if name not in form.dropped),
            refused=form.dropped,
        )
