"""What a worker hands to the store, and finds there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Generation:
    """One sample of one item. ``logprob``: Σ log p of its tokens; ``token_logprob``: their mean; None: not given."""

    sample: int
    text: str
    answer: str | None
    reasoning: str | None = None
    finish: str | None = None
    tokens: int | None = None
    logprob: float | None = None
    token_logprob: float | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """What one request brought: generations of an item, and whether it is finished or failed with them.

    ``counts`` are the sizes of the item's classes of equal answers once all its samples are there, else None;
    ``failure`` is (kind, message, final) where the item cannot be generated.
    """

    position: int
    generations: Sequence[Generation] = ()
    counts: tuple[int, ...] | None = None
    failure: Failure | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    requests: int = 1


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an item has no generations; ``final``: asking again would not help."""

    kind: str
    message: str
    final: bool


@dataclass(frozen=True, slots=True)
class Present:
    """What a job has already: positions that are complete or failed for good, and samples of those in between."""

    settled: frozenset[int]
    partial: Mapping[int, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Pulse:
    """What a worker says once a second."""

    phase: str
    retries: int = 0
    seconds: float = 0.0
    item_rate: float = 0.0
    token_rate: float = 0.0
    latest: Sequence[int] = field(default_factory=tuple)
