"""The form of a job's requests: what is sent, what is left out and why, and how the samples of an item are split.

Noted with the job, for people: at every start a server is tried out again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

from .parameters import LIMITS, STANDARD_OF_BASE_MODELS, Prompting, Sampling
from .source import Item
from .spec import JobSpec, hash_of

_SEEDS = 2**31
GUIDES = ("structured_outputs", "guided_choice")
"""Fields for the answers to choose from: vLLM's since 0.11, and in its earlier versions."""
_TOKENS_OF_BASE_MODELS = 1_024
# Most samples of an item.
_ALL = 1_000


@dataclass(frozen=True, slots=True)
class SampleRange:
    """Consecutive samples of an item that one request asks for: ``first`` … ``first + count − 1``."""

    first: int
    count: int


@dataclass(frozen=True, slots=True)
class RequestFormat:
    """The form of the requests that are sent.

    Parameters
    ----------
    parameters : mapping
        Fields of every request.
    most : int
        Samples that one request asks for at most. It saves requests, not work: a server may read the prompt again for
        each sample. If an item needs several requests, they have different seeds.
    seeded : bool
        Whether the server takes seeds.
    dropped : mapping
        Parameter that is not sent → the server's reason.
    guide : str or None
        The field with the answers that the server chooses from; None: it knows no such field.
    """

    parameters: Mapping[str, Any]
    most: int
    seeded: bool
    dropped: Mapping[str, str] = field(default_factory=dict)
    guide: str | None = GUIDES[0]

    @classmethod
    def complete(cls, sampling: Sampling) -> RequestFormat:
        """Everything that ``sampling`` says, as long as nothing is known of the server."""
        return cls(sampling.parameters(), most=sampling.k, seeded=True)

    @classmethod
    def from_json(cls, text: str) -> RequestFormat:
        """Read what :meth:`to_json` wrote, here or in an earlier version."""
        values = json.loads(text)
        together = values.pop("together", None)
        return cls(**values) if together is None else cls(most=_ALL if together else 1, **values)

    def to_json(self) -> str:
        """The format as JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @property
    def thinks(self) -> bool:
        """Whether the request asks the model to think before it answers."""
        fields = self.parameters.get("chat_template_kwargs")
        return isinstance(fields, Mapping) and fields.get("enable_thinking") is True

    @property
    def limited(self) -> bool:
        """Whether a limit of the tokens is sent."""
        return any(name in self.parameters for name in LIMITS)

    def unlimited(self) -> RequestFormat:
        """Return the format without a limit of the tokens, for an item that leaves no room for it."""
        without = (*LIMITS, "thinking_token_budget")
        return replace(self, parameters={name: one for name, one in self.parameters.items() if name not in without})

    def without(self, reasons: Mapping[str, str]) -> RequestFormat:
        """Leave out what was refused.

        The older name of the token limit first gives way to its newer one. A refused ``n`` is halved; at 1 it is not
        sent.
        """
        guide = self.guide if self.guide not in reasons else dict(pairwise((*GUIDES, None))).get(self.guide)
        most = max(1, self.most // 2) if "n" in reasons else self.most
        dropped = {name: reason for name, reason in reasons.items() if name != "n" or most == 1}
        parameters = {name: value for name, value in self.parameters.items() if name not in reasons}
        if "max_tokens" in reasons and "max_tokens" in self.parameters:
            parameters.setdefault("max_completion_tokens", self.parameters["max_tokens"])
        return replace(
            self,
            parameters=parameters,
            most=most,
            seeded=self.seeded and "seed" not in reasons,
            guide=guide,
            dropped={**self.dropped, **dropped},
        )

    def ranges(self, k: int, present: Collection[int] = ()) -> list[SampleRange]:
        """The requests that bring those of k samples that are not ``present``."""
        ranges: list[SampleRange] = []
        for sample in range(k):
            if sample in present:
                continue
            last = ranges[-1] if ranges else None
            if last is not None and last.count < self.most and last.first + last.count == sample:
                ranges[-1] = replace(last, count=last.count + 1)
            else:
                ranges.append(SampleRange(sample, 1))
        return ranges

    def body(
        self, spec: JobSpec, messages: Sequence[Mapping[str, Any]], item: Item, samples: SampleRange
    ) -> dict[str, Any]:
        """The request for some samples of an item: a chat completion, or a completion if it has a ``prompt``."""
        prompting = spec.prompting
        if prompting.base_model:
            body = {
                "model": spec.model,
                "prompt": messages[-1]["content"],
                **_of_base_model(prompting, self.parameters),
            }
        else:
            body = {"model": spec.model, "messages": list(messages), **self.parameters}
        if self.guide is not None and (letters := self.letters(spec, item)):
            body |= {self.guide: {"choice": letters} if self.guide == GUIDES[0] else letters}
        if samples.count > 1:
            body["n"] = samples.count
        seed = self.seed(spec, item, samples.first)
        return body if seed is None else body | {"seed": seed}

    def letters(self, spec: JobSpec, item: Item) -> list[str]:
        """The answers that the server chooses from; empty if it may write anything."""
        return list(item.letters) if spec.prompting.letters_only and self.guide is not None else []

    def seed(self, spec: JobSpec, item: Item, sample: int) -> int | None:
        """The seed of one sample, which is that of a request whose first sample it is; None if none is sent.

        It is a hash of the job's seed and the item's id, plus the number of the sample: vLLM gives the samples of one
        request consecutive seeds, so a sample has the same seed in whatever request, on whatever machine. Without a
        seed of the job only requests that share an item have seeds, so that no cache answers both alike.
        """
        sampling = spec.sampling
        if not self.seeded or "seed" in self.parameters or (sampling.seed is None and self.most >= sampling.k):
            return None
        if spec.seeds == "position":
            start = zlib.crc32(f"{spec.key}/{item.position}".encode())
            return ((start if sampling.seed is None else sampling.seed + item.position * sampling.k) + sample) % _SEEDS
        source = spec.work if sampling.seed is None else sampling.seed
        return hash_of(f"{source}/{item.id}") % (_SEEDS - _ALL) + sample


def _of_base_model(prompting: Prompting, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a completion: log-probabilities are a number there, and the answer needs an end.

    It ends where the model goes on to the next question by the template, and at 1,024 tokens if the job sets no
    limit: servers would end it at 16.
    """
    template = STANDARD_OF_BASE_MODELS if prompting.template is None else prompting.template
    before = template.partition("{question}")[0].rpartition("\n")[2].strip()
    fields: dict[str, Any] = {"max_tokens": _TOKENS_OF_BASE_MODELS} | ({"stop": [f"\n{before}"]} if before else {})
    if "max_completion_tokens" in parameters:
        del fields["max_tokens"]
    return fields | dict(parameters) | ({"logprobs": 1} if parameters.get("logprobs") else {})
