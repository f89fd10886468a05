"""The signal “predictive entropy”: how unlikely a surrogate finds its own words."""

from __future__ import annotations

from ...errors import PoolError
from ...pool.pool import Pool
from ...words import counted
from ..entropy import predictive_entropy
from ..signal import Given, Signal, SignalReading, reading


def _read(pool: Pool, given: Given) -> SignalReading:
    if pool.token_logprobs is None:
        raise PoolError(
            "This pool has no mean log-probability per token of each generation (“token_logprobs”). Run the surrogate "
            "with log-probabilities, or use semantic entropy."
        )
    how = f"The mean negative log-probability per token of {counted(pool.n_generations, 'generation')} an item"
    return reading(SIGNAL.name, predictive_entropy(pool.token_logprobs), None, how)


SIGNAL = Signal(
    name="predictive-entropy",
    title="Predictive entropy",
    noun="predictive entropy",
    along="how unsure another model is of its answers to them",
    rests_on="samples with log-probabilities per token",
    when="answers cannot be grouped by meaning",
    there=lambda pool, given: pool.n_generations > 0 and pool.token_logprobs is not None,
    read=_read,
    of_surrogate=True,
    nats=True,
)
