"""Semantic entropy, each generation weighted by its likelihood."""

from __future__ import annotations

from ...errors import PoolError
from ...pool.pool import Pool
from ...words import counted
from ..entropy import semantic_entropy
from ..signal import Given, Signal, SignalReading, reading


def _read(pool: Pool, given: Given) -> SignalReading:
    classes, logprobs = pool.classes(given.parser), pool.logprobs
    if logprobs is None:
        raise PoolError(
            "This pool has no log-probability for each generation. Run the surrogate with log-probabilities, or use "
            "semantic entropy."
        )
    how = f"Semantic entropy of {counted(pool.n_generations, 'generation')} an item, weighted by their likelihood"
    return reading(SIGNAL.name, semantic_entropy(classes, logprobs), None, how)


SIGNAL = Signal(
    name="likelihood-entropy",
    title="Weighted entropy",
    noun="likelihood-weighted semantic entropy",
    along="how much another model’s answers to them disagree (semantic entropy)",
    rests_on="samples with log-probabilities",
    when="open-ended answers",
    there=lambda pool, given: pool.n_generations > 0 and pool.logprobs is not None,
    read=_read,
    of_surrogate=True,
    nats=True,
    aliases=("weighted-semantic-entropy",),
)
