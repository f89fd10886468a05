"""From samples that are missing to requests, and from the first answer to what the server really takes.

Servers refuse parameters: the first item is asked with all of them, and exactly what was refused is left out from then
on. What is sent in the end is kept with the job, and a resumed job sends the same.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from core.surrogate.client.client import Client
from core.surrogate.client.prompting import Message
from core.surrogate.client.replies import Reply
from core.surrogate.client.throttle import Throttle, pause
from core.surrogate.faults import ItemFault, Refused, ServerGone, Trouble
from core.surrogate.job.settings import Connection, JobSpec, Sampling

_RATE_LIMITS_PER_ATTEMPT = 10
_SEEDS = 2**31
_OVERLOAD = frozenset({"rate limit", "server error", "timeout"})


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive samples that one request asks for: ``first`` … ``first + count − 1``."""

    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Sent:
    """What is really sent: the parameters, and why others are not.

    ``together``: all samples of an item in one request (its prompt is processed once), else a request each, with
    different seeds. ``dropped``: parameter → the server's reason.
    """

    parameters: Mapping[str, Any]
    together: bool
    seeded: bool
    dropped: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def wanted(cls, sampling: Sampling) -> Sent:
        """Everything, as long as nothing is known of the server."""
        return cls(sampling.parameters(), together=sampling.k > 1, seeded=True)

    @classmethod
    def from_json(cls, text: str) -> Sent:
        """What :meth:`to_json` wrote."""
        return cls(**json.loads(text))

    def to_json(self) -> str:
        """As JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    def without(self, reasons: Mapping[str, str]) -> Sent:
        """The same less what was refused; the older name of the token limit is replaced by its newer one first."""
        parameters = {name: value for name, value in self.parameters.items() if name not in reasons}
        if "max_tokens" in reasons and "max_tokens" in self.parameters:
            parameters.setdefault("max_completion_tokens", self.parameters["max_tokens"])
        return replace(
            self,
            parameters=parameters,
            together=self.together and "n" not in reasons,
            seeded=self.seeded and "seed" not in reasons,
            dropped={**self.dropped, **reasons},
        )

    def runs(self, missing: Sequence[int]) -> list[Run]:
        """The requests that bring the missing samples (ascending)."""
        if not self.together:
            return [Run(sample, 1) for sample in missing]
        runs: list[Run] = []
        for sample in missing:
            if runs and runs[-1].first + runs[-1].count == sample:
                runs[-1] = Run(runs[-1].first, runs[-1].count + 1)
            else:
                runs.append(Run(sample, 1))
        return runs

    def body(self, spec: JobSpec, messages: Sequence[Message], position: int, run: Run) -> dict[str, Any]:
        """The request's body."""
        body = {"model": spec.model, "messages": list(messages), **self.parameters}
        if run.count > 1:
            body["n"] = run.count
        seed = self._seed(spec, position, run)
        return body if seed is None else body | {"seed": seed}

    def _seed(self, spec: JobSpec, position: int, run: Run) -> int | None:
        """The seed of a run: a server gives the samples of one request consecutive seeds, and so do we."""
        sampling = spec.sampling
        if not self.seeded or "seed" in self.parameters:
            return None
        if sampling.seed is not None:
            return (sampling.seed + position * sampling.k + run.first) % _SEEDS
        if self.together or sampling.k == 1:
            return None
        return (zlib.crc32(f"{spec.key}/{position}".encode()) + run.first) % _SEEDS


@dataclass(frozen=True, slots=True)
class Probed:
    """What the first answered item taught: what is sent from now on, and its own run and reply."""

    sent: Sent
    run: Run
    reply: Reply


class Asker:
    """Asks with patience: bounded tries, pauses with jitter, fewer requests at a time after an overload."""

    def __init__(self, client: Client, connection: Connection) -> None:
        self.retries = 0
        # Why nobody answers at the moment; "" while somebody does.
        self.silence = ""
        self._client = client
        self._connection = connection
        self._throttle = Throttle(connection.concurrency)
        self._heard_at = asyncio.get_running_loop().time()

    async def ask(self, body: Mapping[str, Any]) -> Reply:
        """Send one request until it is answered.

        Raises
        ------
        ItemFault : it cannot be answered, or no try was. Refused : parameters are not taken. ServerGone : nobody
        answers any more. SurrogateError : no request will succeed.
        """
        tries, limited = 0, 0
        while True:
            try:
                async with self._throttle.slot():
                    reply = await self._client.complete(body)
            except Trouble as trouble:
                self.retries += 1
                self.silence = trouble.message if trouble.kind == "unreachable" else ""
                if self.silence:
                    self._check_patience(trouble)
                else:
                    self._heard_at = asyncio.get_running_loop().time()
                    if trouble.kind == "rate limit":
                        limited += 1
                    else:
                        tries += 1
                    if trouble.kind in _OVERLOAD:
                        self._throttle.overloaded(trouble.retry_after)
                attempts = self._connection.attempts
                if tries >= attempts or limited >= attempts * _RATE_LIMITS_PER_ATTEMPT:
                    raise ItemFault("no answer", f"{tries + limited} tries failed. {trouble.message}", False) from None
                await asyncio.sleep(pause(min(tries + limited, 10), self._connection.backoff))
            else:
                self._heard_at, self.silence = asyncio.get_running_loop().time(), ""
                self._throttle.succeeded()
                return reply

    def _check_patience(self, trouble: Trouble) -> None:
        if asyncio.get_running_loop().time() - self._heard_at >= self._connection.patience:
            raise ServerGone(f"{trouble.message.rstrip('.')}; start it again, then resume.") from None


async def probe(asker: Asker, spec: JobSpec, messages: Sequence[Message], position: int) -> Probed:
    """Ask the first item for all its samples, and once more without each thing that is refused.

    Raises what :meth:`Asker.ask` raises, but Refused.
    """
    sent = Sent.wanted(spec.sampling)
    while True:
        run = sent.runs(range(spec.sampling.k))[0]
        try:
            reply = await asker.ask(sent.body(spec, messages, position, run))
        except Refused as refused:
            fewer = sent.without(refused.reasons)
            if fewer.parameters == sent.parameters and (fewer.together, fewer.seeded) == (sent.together, sent.seeded):
                reason = next(iter(refused.reasons.values()))
                raise ItemFault("refused", f"The server refuses the item ({reason}).") from None
            sent = fewer
        else:
            return Probed(_as_answered(sent, run, reply), run, reply)


def _as_answered(sent: Sent, run: Run, reply: Reply) -> Sent:
    """Note what the server took without complaint but did not heed."""
    if sent.together and len(reply.choices) == 1 < run.count:
        reason = f"The server gave one completion where {run.count} were asked for."
        sent = replace(sent, together=False, dropped={**sent.dropped, "n": reason})
    if sent.parameters.get("logprobs") and all(choice.logprob is None for choice in reply.choices):
        sent = replace(sent, dropped={**sent.dropped, "logprobs": "The server gave no log-probabilities."})
    return sent


def missing_samples(k: int, present: Iterable[int]) -> Iterator[int]:
    """Samples 0 … k−1 that are not present."""
    there = frozenset(present)
    return (sample for sample in range(k) if sample not in there)
