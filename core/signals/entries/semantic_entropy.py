"""The paper's signal: how much a surrogate's generations disagree in meaning."""

from __future__ import annotations

from ...pool.pool import Pool
from ...words import counted
from ..entropy import semantic_entropy
from ..signal import Given, Signal, SignalReading, reading


def _read(pool: Pool, given: Given) -> SignalReading:
    values = semantic_entropy(pool.class_counts(given.parser))
    how = f"How much {counted(pool.n_generations, 'generation')} an item disagree, as semantic entropy"
    return reading(SIGNAL.name, values, None, how)


SIGNAL = Signal(
    name="semantic-entropy",
    title="Semantic entropy",
    noun="semantic entropy",
    along="how much another model’s answers to them disagree (semantic entropy)",
    rests_on="the surrogate's samples",
    when="always available",
    there=lambda pool, given: pool.n_generations > 0,
    read=_read,
    why=lambda pool, given: (
        "A cheap model (the surrogate) answered every item several times: how much its answers disagree is known."
    ),
    order=4,
    of_surrogate=True,
    nats=True,
)
