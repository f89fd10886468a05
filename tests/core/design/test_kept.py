"""Recommended designs over targets and budgets: docs/designs.md, “Figures that every version must keep”."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from core.design import Design, Plan, recommend
from core.estimation.contrasts import difference
from core.pool import Pool
from core.simulation import exact_mse, rounds, uniform_mse
from tests.pools import opened

NAMES = ("exams-gpt35-k10", "gsm8k-committee10", "blink-vlm-committee10", "mmlu-pro")
KNOWN = ("surrogate", "answers", "past results")
BUDGETS = (20, 50, 100, 200, 400)


@dataclass(frozen=True)
class Cell:
    """A recommended design for a target, whose losses it does not know."""

    pool: Pool
    target: str
    known: str
    budget: int

    @property
    def design(self) -> Design:
        if self.known == "surrogate":
            return recommend(self.pool, self.budget, past=())
        return recommend(self.pool, self.budget, self.target, () if self.known == "answers" else None)

    @property
    def losses(self) -> np.ndarray:
        return np.asarray(self.pool.losses(self.target), dtype=float)


def cells(name: str, budgets: tuple[int, ...] = BUDGETS, most: int = 12) -> Iterator[Cell]:
    pool = opened(name)
    for target in list(pool.targets)[:most]:
        for known in KNOWN:
            for budget in (budget for budget in budgets if budget <= pool.n_items / 3):
                yield Cell(pool, target, known, budget)


def distances(found: Iterator[Cell], trials: int) -> list[float]:
    """Mean of the rounds' estimates less the truth, in standard errors."""
    away = []
    for cell in found:
        values = rounds(cell.design, cell.pool, cell.losses, trials)["value"]
        away.append(float((values.mean() - cell.losses.mean()) / (values.std() / trials**0.5)))
    return away


def test_estimates_are_unbiased() -> None:
    away = distances(cells("exams-gpt35-k10", (20, 100)), 1000)
    assert len(away) == 12 and np.abs(away).max() < 4


@pytest.mark.trial
def test_estimates_are_unbiased_in_every_cell() -> None:
    away = np.concatenate([distances(cells(name, most=4), 1000) for name in NAMES])
    print(f"{away.size} cells, largest |z| {np.abs(away).max():.2f}, variance of z {away.var():.2f}")
    assert np.abs(away).max() < 4.2 and 0.6 < away.var() < 1.4


def relative(cell: Cell, design: Design | None = None) -> float:
    """Exact squared error, Uniform = 1; the list has as many labels as were asked for."""
    plan = (design or cell.design).draw(cell.pool, seed=0)
    assert plan.allocation.sum() == len(plan.items) == cell.budget and plan.items["item_id"].is_unique
    return exact_mse(cell.losses, plan.stratum, plan.allocation) / uniform_mse(cell.losses, cell.budget)


@pytest.mark.trial
@pytest.mark.parametrize("name", NAMES)
def test_each_piece_of_information_lowers_the_mean_error(name: str) -> None:
    table = pd.DataFrame([(cell.known, relative(cell)) for cell in cells(name)])
    means = table.groupby(0)[1].mean()
    print(f"{name}: {', '.join(f'{known} {means[known]:.2f}' for known in KNOWN)}; largest {table[1].max():.2f}")
    assert means["past results"] < means["answers"] < means["surrogate"] < 1


def test_mean_errors_and_exact_spending() -> None:
    """Of the three pools of models that others made; the surrogate of MMLU-Pro's has the targets among its samples."""
    table = pd.DataFrame([(cell.known, relative(cell)) for name in NAMES[:3] for cell in cells(name)])
    means = table.groupby(0)[1].mean()
    print(", ".join(f"{known} {means[known]:.3f}" for known in KNOWN))
    assert means["surrogate"] <= 0.92 and means["answers"] <= 0.86 and means["past results"] <= 0.60


@pytest.mark.parametrize("name", [NAMES[0], *(pytest.param(name, marks=pytest.mark.trial) for name in NAMES[1:3])])
def test_lists_nearly_as_long_as_the_pool_are_no_worse_than_uniform(name: str) -> None:
    """Neither by what is known, nor by a risk that is useless or reversed."""
    pool, rng, ratios = opened(name), np.random.default_rng(0), list[float]()
    for share in (0.81, 0.9, 0.97, 1 - 5 / pool.n_items):
        for target in pool.targets:
            found = [Cell(pool, target, known, int(share * pool.n_items)) for known in KNOWN]
            risk = np.asarray(found[-1].design.risk, dtype=float)
            useless, reversed_ = (recommend(pool, found[0].budget, risk=p) for p in (rng.permutation(risk), 1 - risk))
            ratios += [relative(cell) for cell in found]
            ratios += [relative(found[0], useless), relative(found[0], reversed_)]
    print(f"{name}: {len(ratios)} cells of more than 80 %, largest error {max(ratios):.3f} of Uniform's")
    assert max(ratios) <= 1.02


def compared(plan: Plan, one: np.ndarray, other: np.ndarray, trials: int) -> tuple[float, float]:
    """Distance of the mean difference from the truth in standard errors, and coverage."""
    rng, truth, sizes = np.random.default_rng(1), one.mean() - other.mean(), plan.strata.sizes
    places = [np.flatnonzero(plan.stratum == h) for h in range(sizes.size)]
    strata, values, covered = np.repeat(np.arange(sizes.size), plan.allocation), [], 0
    for _ in range(trials):
        drawn = np.concatenate(
            [rng.choice(part, m, replace=False) for part, m in zip(places, plan.allocation, strict=True)]
        )
        found = difference(one[drawn], other[drawn], strata, sizes)
        values.append(found.value)
        covered += found.low - 1e-9 <= truth <= found.high + 1e-9
    return float((np.mean(values) - truth) / (np.std(values) / trials**0.5)), covered / trials


def differences(name: str, budgets: tuple[int, ...], trials: int) -> tuple[float, float, int]:
    """Largest distance, lowest coverage, and cells, over pairs of targets on the first one's recommended list."""
    pool, found = opened(name), list[tuple[float, float]]()
    for first, second in list(combinations(pool.targets, 2))[:3]:
        one, other = (np.asarray(pool.losses(target), dtype=float) for target in (first, second))
        for budget in budgets:
            plan = recommend(pool, budget, first).draw(pool, seed=0)
            found.append(compared(plan, one, other, trials))
    return max(abs(z) for z, _ in found), min(held for _, held in found), len(found)


def test_the_difference_of_two_targets() -> None:
    away, held, _ = differences("exams-gpt35-k10", (50,), 150)
    assert away < 4 and held >= 0.94 - 3 * (0.94 * 0.06 / 150) ** 0.5


@pytest.mark.trial
@pytest.mark.parametrize("name", NAMES)
def test_the_difference_of_two_targets_on_every_pool(name: str) -> None:
    away, held, count = differences(name, (30, 50, 100, 200), 500)
    print(f"{name}: {count} cells, largest |z| {away:.2f}, lowest coverage {held:.1%}")
    assert away < 4.2 and held >= 0.94 - 3 * (0.94 * 0.06 / 500) ** 0.5
