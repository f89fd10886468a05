"""Losses between 0 and 1 with rare large ones: limits that hold whatever they are, and when they are needed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import rel_entr

from core.estimation import sample
from tests.sampled import sampled


def pool(rare: float, seed: int = 0) -> np.ndarray:
    """Losses around 0.02, and a few of 1 at random."""
    rng = np.random.default_rng(seed)
    losses = rng.beta(2, 98, 4000)
    losses[rng.choice(4000, int(4000 * rare), replace=False)] = 1
    return losses


@pytest.mark.parametrize(
    ("labels", "counts"),
    sampled(product([20, 50], [(1, 1, 1, 1), (2, 1, 1, 1)]), lambda labels, counts: (labels == 20) == (counts[0] == 1)),
)
def test_they_hold_and_what_the_interval_misses_is_warned_of(labels: int, counts: tuple[int, ...]) -> None:
    losses, rng = pool(0.02), np.random.default_rng(1)
    sizes, each = np.full(4, 1000), np.array(counts) * labels // sum(counts)
    strata, covered, held, warned = np.repeat(np.arange(4), each), 0, 0, 0
    for _ in range(150):
        items = np.concatenate([1000 * h + rng.choice(1000, m, replace=False) for h, m in enumerate(each)])
        one = sample(losses[items], strata, sizes)
        plain, (low, high) = one.estimate(), one.whatever()
        covered += plain.low <= losses.mean() <= plain.high
        held += low <= losses.mean() <= high
        warned += one.unseen > (plain.high - plain.low) / 4
    assert held >= 0.95 * 150 and warned >= 0.95 * (150 - covered)


def test_of_a_simple_random_sample_they_are_hoeffdings() -> None:
    losses = np.linspace(0, 0.5, 25)
    one, mean = sample(losses, np.zeros(25, dtype=int), [1000]), losses.mean()
    bound = np.log(2 / 0.05) / 25
    ends = [
        brentq(lambda x: rel_entr(mean, x) + rel_entr(1 - mean, 1 - x) - bound, *limits)
        for limits in ((1e-9, mean), (mean, 1 - 1e-9))
    ]
    assert one.whatever() == pytest.approx(ends, abs=1e-9)


def test_scores_of_the_whole_scale_need_none() -> None:
    spread = np.random.default_rng(2).random(60)
    one = sample(spread, np.zeros(60, dtype=int), [1000])
    assert one.unseen < (one.estimate().high - one.estimate().low) / 4
    low, high = one.whatever()
    assert low < one.estimate().low and high > one.estimate().high
