"""A pool of five models whose accuracies and answers are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.lab.against import Contest, contests
from core.pool import Pool

ROUNDS = 2000
# Shares of right answers, in another order than that of the pool.
EASE = {"best": 0.87, "second": 0.8, "middle": 0.7, "weak": 0.6, "weakest": 0.5}


def versions_of(n_items: int = 240, seed: int = 0) -> Pool:
    """Items with options, whose difficulty all models share."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 1.5, n_items)
    right = {
        name: rng.random(n_items) < 1 / (1 + np.exp(hard - np.log(ease / (1 - ease)))) for name, ease in EASE.items()
    }
    wrong = {name: rng.integers(0, 3, n_items) for name in EASE}
    records: list[dict[str, Any]] = []
    for item in range(n_items):
        targets = {
            name: {
                "answer": "A" if right[name][item] else "BCD"[wrong[name][item]],
                "loss": float(not right[name][item]),
            }
            for name in reversed(EASE)
        }
        letters = ["A" if rng.random() > 0.2 + 0.15 * hard[item] else "BCD"[rng.integers(3)] for _ in range(5)]
        record = {"id": f"q{item}", "choices": ["1", "2", "3", "4"], "answer": "A", "targets": targets}
        records.append(record | {"prompt": f"question {item}", "generations": letters})
    return Pool.from_records(records, "versions")


def far(values: np.ndarray, mean: float) -> float:
    """By how many standard errors a sample's mean is off."""
    return abs(float(values.mean()) - mean) / (float(values.std(ddof=1)) / np.sqrt(values.size))


@pytest.fixture(scope="session")
def versions() -> Pool:
    return versions_of()


@pytest.fixture(scope="session")
def contest(versions: Pool) -> Contest:
    return contests(versions)[0]
