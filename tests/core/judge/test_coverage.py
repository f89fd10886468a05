"""How often 95 % limits hold the truth: exactly over all samples of one stratum a class, by simulation in strata."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.design.judging import class_labels, n_strata
from core.judge.measures import MEASURES, VerdictPair, limits_of
from core.judge.rates import VerdictSample
from tests.core.judge.exact import JudgeCell

MEASURED = ("pass_rate", "tnr", "tpr", "agreement", "kappa")
LEAST = dict.fromkeys(MEASURED, 0.94)
JUDGES = ((0.9, 0.8), (0.95, 0.6), (0.8, 0.9), (0.97, 0.93), (1.0, 0.7), (0.9, 1.0), (0.6, 0.5), (0.99, 0.3))


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
    """Fails 2 to 50 %, 50 to 200 labels; exact."""
    shares = {
        (fails, budget, name): share
        for fails in (0.02, 0.05, 0.1, 0.2, 0.35, 0.5)
        for budget in (50, 100, 200)
        for name, share in JudgeCell.of(size, fails, *judge).coverage(budget, MEASURED).items()
    }
    for name in MEASURED:
        of = {cell: share for cell, share in shares.items() if cell[-1] == name}
        lowest = min(of, key=of.__getitem__)
        print(f"{name}: mean {np.mean(list(of.values())):.4f}, lowest {of[lowest]:.4f} at {lowest[:2]}")
    assert {cell: share for cell, share in shares.items() if share < LEAST[cell[-1]]} == {}


def test_limits_hold_the_truth_in_three_strata_of_risk() -> None:
    """Failures twice as frequent in each next stratum; within two standard errors of 400 rounds."""
    rng, rounds = np.random.default_rng(11), 400
    cell = JudgeCell.of(1_000, 0.15, 0.9, 0.75)
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
    drawn = [
        VerdictPair(
            *(
                VerdictSample(
                    tuple(sizes),
                    tuple(given),
                    tuple(int(rng.hypergeometric(d, n - d, m)) for n, d, m in zip(sizes, found, given, strict=True)),
                )
                for sizes, found, given in classes
            )
        )
        for _ in range(rounds)
    ]
    limits = limits_of(drawn, [MEASURES[name] for name in MEASURED])
    for name, (low, high) in zip(MEASURED, np.moveaxis(limits, 0, -1), strict=True):
        truth = cell.whole.value(MEASURES[name])
        held = float(((low <= truth) & (truth <= high)).mean())
        assert held >= LEAST[name] - 2 * math.sqrt(0.05 * 0.95 / rounds), name
