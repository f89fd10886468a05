"""Events that a worker hands to the store, and the inventory that it finds there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from ..faults import ItemFault

CUT = ("length", "repetition")
"""Why a generation ended that was not at its end, in a server's words."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One sample of one item.

    Parameters
    ----------
    sample : int
        Its number among the item's k, from 0.
    text : str
        What the model said, without its reasoning.
    answer : str or None
        The parsed answer; None if there is none.
    reasoning : str or None
        The model's reasoning.
    finish : str or None
        Why it ended, in the server's word ("stop", "length" …).
    tokens : int or None
        Number of its tokens, those of the reasoning included.
    logprob : float or None
        Σ log p of the tokens of the text, nats; None if the server gave none. Those of the reasoning are not in it, but
        in jobs of versions before 0.3.0.
    token_logprob : float or None
        Mean log p of the same tokens, nats.
    """

    sample: int
    text: str
    answer: str | None
    reasoning: str | None = None
    finish: str | None = None
    tokens: int | None = None
    logprob: float | None = None
    token_logprob: float | None = None

    @property
    def cut(self) -> bool:
        """Whether the token limit ended it, or a server that saw it repeat itself."""
        return self.finish in CUT

    @property
    def cut_in_reasoning(self) -> bool:
        """Whether it was ended before the model began to answer."""
        return self.cut and self.reasoning is not None and not self.text.strip()

    @property
    def filtered(self) -> bool:
        """Whether a content filter took the text away."""
        return self.finish == "content_filter" and not self.text


GENERATION_COLUMNS = tuple(column.name for column in fields(Generation))
"""Columns of a stored generation, in the order of the fields."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an item lacks generations.

    Parameters
    ----------
    kind, message
        As in :class:`core.surrogate.faults.ItemFault`.
    final : bool
        Whether a resumed job skips the item.
    """

    kind: str
    message: str
    final: bool


@dataclass(frozen=True, slots=True)
class Event:
    """The results of one request for an item.

    Parameters
    ----------
    position : int
        The item's place in the pool, from 0.
    generations : sequence of Generation
        The new samples.
    counts : tuple of int, optional
        Sizes of the item's classes of equal answers, descending, once all its samples are there.
    failure : Failure, optional
        Why the item cannot be generated.
    prompt_tokens, completion_tokens : int
        What it took.
    estimated_tokens : int
        How many of these were counted here, because the server does not say.
    requests : int
        1, or 0 if nothing was asked.
    key : bytes, optional
        Of the pair of answers that the generation is a verdict on.
    """

    position: int
    generations: Sequence[Generation] = ()
    counts: tuple[int, ...] | None = None
    failure: Failure | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated_tokens: int = 0
    requests: int = 1
    key: bytes | None = None

    @classmethod
    def failed(cls, position: int, fault: ItemFault) -> Event:
        """The item at ``position`` cannot be generated."""
        return cls(position, failure=Failure(fault.kind, fault.message, fault.final), requests=0)


@dataclass(frozen=True, slots=True)
class Inventory:
    """The items and samples that a job has already.

    Parameters
    ----------
    complete, failed : frozenset of int
        Positions of the items that have all their generations, and of those that failed for good.
    partial : mapping of int to frozenset of int
        Samples of the items that have some, by position.
    """

    complete: frozenset[int]
    failed: frozenset[int]
    partial: Mapping[int, frozenset[int]]

    @property
    def settled(self) -> frozenset[int]:
        """Positions of the items that are not asked for."""
        return self.complete | self.failed
