"""The form of a job's requests: what is sent, what is left out and why, and how the samples of an item are split.

Kept with the job, so that a resumed job sends the same.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from core.surrogate.job.spec import JobSpec, Sampling

_SEEDS = 2**31


@dataclass(frozen=True, slots=True)
class SampleRange:
    """Consecutive samples of an item that one request asks for: ``first`` … ``first + count − 1``."""

    first: int
    count: int


@dataclass(frozen=True, slots=True)
class RequestFormat:
    """What is really sent.

    Parameters
    ----------
    parameters : mapping
        Fields of every request.
    together : bool
        Whether one request asks for all samples of an item (its prompt is processed once); otherwise one request each,
        with different seeds.
    seeded : bool
        Whether the server takes seeds.
    dropped : mapping
        Parameter that is not sent → the server's reason.
    """

    parameters: Mapping[str, Any]
    together: bool
    seeded: bool
    dropped: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def complete(cls, sampling: Sampling) -> RequestFormat:
        """Everything that ``sampling`` says, as long as nothing is known of the server."""
        return cls(sampling.parameters(), together=sampling.k > 1, seeded=True)

    @classmethod
    def from_json(cls, text: str) -> RequestFormat:
        """Read what :meth:`to_json` wrote."""
        return cls(**json.loads(text))

    def to_json(self) -> str:
        """The format as JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    def without(self, reasons: Mapping[str, str]) -> RequestFormat:
        """Leave out what was refused; the older name of the token limit first gives way to its newer one."""
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

    def ranges(self, k: int, present: Collection[int] = ()) -> list[SampleRange]:
        """The requests that bring those of k samples that are not ``present``."""
        ranges: list[SampleRange] = []
        for sample in range(k):
            if sample in present:
                continue
            if self.together and ranges and ranges[-1].first + ranges[-1].count == sample:
                ranges[-1] = replace(ranges[-1], count=ranges[-1].count + 1)
            else:
                ranges.append(SampleRange(sample, 1))
        return ranges

    def body(
        self, spec: JobSpec, messages: Sequence[Mapping[str, Any]], position: int, samples: SampleRange
    ) -> dict[str, Any]:
        """The request for some samples of the item at ``position``."""
        body = {"model": spec.model, "messages": list(messages), **self.parameters}
        if samples.count > 1:
            body["n"] = samples.count
        seed = self._seed(spec, position, samples.first)
        return body if seed is None else body | {"seed": seed}

    def _seed(self, spec: JobSpec, position: int, first: int) -> int | None:
        """The seed of a request: a server gives the samples of one request consecutive seeds, and so do we."""
        sampling = spec.sampling
        if not self.seeded or "seed" in self.parameters:
            return None
        if sampling.seed is not None:
            return (sampling.seed + position * sampling.k + first) % _SEEDS
        if self.together or sampling.k == 1:
            return None
        return (zlib.crc32(f"{spec.key}/{position}".encode()) + first) % _SEEDS
