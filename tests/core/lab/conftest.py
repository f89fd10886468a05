"""Pools whose exact values are known from elsewhere in core."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.lab import coverage
from core.pool import Pool
from core.stratification import Outcome, outcome, profile

# The tables of an experiment, each followed by the paper's.
TABLE_NAMES = [
    "baselines",
    "ladder",
    "savings",
    "published-savings",
    "signals",
    "map",
    "intervals",
    "related",
    "allocation",
    "published-allocation",
    "stratifier",
    "published-stratifier",
    "strata",
    "published-strata",
    "offset",
    "published-offset",
]


def pool_of(n_items: int = 400, seed: int = 0, real: bool = False, k: int = 10) -> Pool:
    """Items whose generations agree more often on easy ones; every log-probability is there."""
    rng = np.random.default_rng(seed)
    records: list[dict[str, Any]] = []
    for number in range(n_items):
        ease = rng.beta(1.2, 0.9)
        letters = ["ABCD"[c] for c in np.where(rng.random(k) < ease, 0, rng.integers(0, 4, k)).tolist()]
        loss = float(rng.normal(1 - ease, 0.2) if real else rng.random() > 0.4 + 0.6 * ease)
        tokens = (-0.1 - (1 - ease) * rng.random(k)).tolist()
        records.append(
            {
                "id": f"q{number}",
                "generations": letters,
                "targets": {"model": {"loss": loss}, "other": {"loss": float(rng.random() < 0.5)}},
                "logprobs": [20 * x for x in tokens],
                "token_logprobs": tokens,
                "difficulty": float(1 - ease),
                "vector": [float(ease), tokens[0]],
            }
        )
    return Pool.from_records(records, "made")


def outcome_of(pool: Pool, target: str = "model") -> Outcome:
    simulated = outcome(profile(pool.classes()), pool.losses(target))
    assert simulated is not None
    return simulated


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundredth of the samples that tell the coverage of intervals, for tests that ask for their table alone."""
    monkeypatch.setattr(coverage, "TRIALS", coverage.TRIALS // 100)


@pytest.fixture(scope="session")
def binary() -> Pool:
    return pool_of()


@pytest.fixture(scope="session")
def real() -> Pool:
    return pool_of(300, real=True)
