"""Simulated agents whose success varies from run to run, and how often intervals hold the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from core.estimation.item_runs import ALL, MEAN, SOME, ItemRuns, expected

Array = NDArray[np.float64]

AGENTS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "Beta(.3, .3)": lambda rng, n: rng.beta(0.3, 0.3, n),
    "Beta(2, 2)": lambda rng, n: rng.beta(2, 2, n),
    "two points": lambda rng, n: np.where(rng.random(n) < 0.7, 0.95, 0.1),
    "few that flip": lambda rng, n: np.where(rng.random(n) < 0.95, 1.0, 0.5),
}


@dataclass(frozen=True)
class Cell:
    """One setting; of runs (1, 8), each item has one of these numbers."""

    agent: str
    items: int
    labelled: int
    runs: tuple[int, ...]
    measure: str
    tries: int
    strata: int


def cells(agent: str) -> list[Cell]:
    """Return the settings of an agent: N, M, equal and unequal numbers of runs, measures, strata in order of risk."""
    return [
        Cell(agent, items, labelled, runs, measure, tries, strata)
        for items, labelled in ((50, 20), (50, 50), (200, 100), (200, 200), (2000, 100), (2000, 2000))
        for runs in ((1,), (2,), (4,), (8,), (1, 2, 5))
        for measure, tries in ((MEAN, 1), (SOME, 2), (ALL, 2), (ALL, 4))
        for strata in (1, 5)
        if min(runs) >= tries
    ]


def coverage(cell: Cell, rounds: int) -> float:
    """Return the share of samples whose limits hold the truth; a seed of its own for each cell."""
    rng = np.random.default_rng(crc32(repr(cell).encode()))
    p = np.sort(AGENTS[cell.agent](rng, cell.items))
    truth = float((1 - p**cell.tries if cell.measure == ALL else (1 - p) ** cell.tries).mean())
    bounds = np.linspace(0, cell.items, cell.strata + 1).astype(int)
    sizes, each = np.diff(bounds), cell.labelled // cell.strata
    strata = np.repeat(np.arange(cell.strata), each)
    hits = 0
    for _ in range(rounds):
        chosen = np.concatenate(
            [start + rng.choice(size, each, replace=False) for start, size in zip(bounds, sizes, strict=False)]
        )
        total = rng.choice(cell.runs, chosen.size)
        runs = ItemRuns(rng.binomial(total, p[chosen]), total)
        one = expected(runs, strata, sizes, cell.measure, cell.tries)
        hits += one.low - 1e-12 <= truth <= one.high + 1e-12
    return hits / rounds
