"""The sample of each stratum: the items with the smallest permanent random numbers, in labelling order."""

from __future__ import annotations

import numpy as np
import pytest

from core.design import sampling
from core.design.sampling import permanent_random_numbers, sampled_positions


@pytest.mark.parametrize("spare", [sampling._SPARE, 0], ids=["as it is", "too few by chance"])
@pytest.mark.parametrize("seed", range(5))
def test_the_smallest_numbers_of_each_stratum_come_in_turn(
    monkeypatch: pytest.MonkeyPatch, spare: int, seed: int
) -> None:
    monkeypatch.setattr(sampling, "_SPARE", spare)
    rng = np.random.default_rng(seed)
    stratum = rng.permutation(np.repeat(np.arange(6), [1, 2, 30, 400, 3000, 9000]))
    labels = np.array([1, 2, 30, 1, 2, 700])
    turns = rng.permutation(np.repeat(np.arange(6), labels))
    numbers = permanent_random_numbers(seed, stratum.size)
    sampled = sampled_positions(stratum, turns, labels, numbers)
    assert np.array_equal(stratum[sampled], turns)
    for h, m in enumerate(labels):
        member = np.flatnonzero(stratum == h)
        assert np.array_equal(sampled[turns == h], member[np.argsort(numbers[member])][:m])
