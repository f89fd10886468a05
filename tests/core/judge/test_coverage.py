"""How often 95 % limits hold the truth: exactly over all samples of one stratum a class, by simulation in strata."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.design.judging import class_labels, n_strata
from core.judge import MEASURES, VerdictPair, VerdictSample
from tests.core.judge.exact import JudgeCell

LEAST = {"pass_rate": 0.94, "tnr": 0.93, "tpr": 0.93, "agreement": 0.93, "kappa": 0.93}
JUDGES = ((0.9, 0.8), (0.95, 0.6), (0.8, 0.9), (0.97, 0.93), (1.0, 0.7), (0.9, 1.0))
FEW = 15
# What 2,000 rounds would show of a share near 95 %, two standard errors of it.
ROOM = 0.01


@pytest.mark.parametrize(
    ("size", "fails", "judge", "budget"),
    [
        (1_000, 0.1, (0.9, 0.8), 50),
        (1_000, 0.05, (0.95, 0.6), 100),
        (300, 0.2, (1.0, 0.7), 100),
        (300, 0.1, (0.95, 0.6), 100),
    ],
)
def test_limits_hold_the_truth(size: int, fails: float, judge: tuple[float, float], budget: int) -> None:
    found = JudgeCell.of(size, fails, *judge).coverage(budget, tuple(LEAST))
    assert {name: share for name, share in found.items() if share < LEAST[name]} == {}


@pytest.mark.trial
@pytest.mark.parametrize("size", [300, 1_000, 5_000])
@pytest.mark.parametrize("judge", JUDGES)
def test_limits_hold_the_truth_on_the_grid(size: int, judge: tuple[float, float]) -> None:
    """Fails 2 to 50 %, 50 to 200 labels; cells with few failing items are those that warn."""
    missed = {}
    for fails in (0.02, 0.05, 0.1, 0.2, 0.35, 0.5):
        cell = JudgeCell.of(size, fails, *judge)
        if cell.failing <= FEW:
            continue
        for budget in (50, 100, 200):
            found = cell.coverage(budget, tuple(LEAST))
            missed |= {(fails, budget, name): share for name, share in found.items() if share < LEAST[name] - ROOM}
    assert missed == {}


def test_limits_hold_the_truth_in_three_strata_of_risk() -> None:
    """Failures twice as frequent in each next stratum; within two standard errors of 400 rounds."""
    rng, rounds = np.random.default_rng(11), 400
    cell, held = JudgeCell.of(1_000, 0.15, 0.9, 0.75), dict.fromkeys(LEAST, 0)
    n_fail, n_pass = cell.caught + cell.alarms, cell.missed + cell.good
    classes = []
    budgets = class_labels(n_fail, n_pass, 100)
    for size, failing, labels in zip((n_fail, n_pass), (cell.caught, cell.missed), budgets, strict=True):
        parts = n_strata(labels)
        sizes = [len(part) for part in np.array_split(np.arange(size), parts)]
        found = [round(failing * weight / 7) for weight in (1, 2, 4)]
        found[-1] += failing - sum(found)
        given = [len(part) for part in np.array_split(np.arange(labels), parts)]
        classes.append((sizes, found, given))
    truth = {name: cell.whole.value(MEASURES[name]) for name in LEAST}
    for _ in range(rounds):
        drawn = [
            VerdictSample(
                tuple(sizes),
                tuple(given),
                tuple(int(rng.hypergeometric(d, n - d, m)) for n, d, m in zip(sizes, found, given, strict=True)),
            )
            for sizes, found, given in classes
        ]
        pair = VerdictPair(*drawn)
        for name, value in truth.items():
            low, high = pair.limits(MEASURES[name])
            held[name] += low <= value <= high
    for name, count in held.items():
        assert count / rounds >= LEAST[name] - 2 * math.sqrt(0.05 * 0.95 / rounds), name
