"""Speed of Lab: LURE, and every exact table."""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench import Row, median
from bench.pools import ITEMS, simulated
from core import lure
from core.lab import BUDGETS, TABLES, ablations, baselines, ladder, variants
from core.stratification import Outcome

LARGE = 1_000_000
TRIALS, FEW_TRIALS = 3000, 300


def rows() -> list[Row]:
    outcomes = simulated(ITEMS)
    return [*_lure(outcomes), *_tables(outcomes)]


def _lure(small: Outcome) -> list[Row]:
    few = partial(lure.estimates, small.losses, small.profile.signal, BUDGETS, TRIALS)
    large = simulated(LARGE)
    work = partial(lure.estimates, large.losses, large.profile.signal, BUDGETS)
    peak = _peak_bytes(partial(work, 10))
    return [
        (f"LURE, N = {ITEMS:,}, T = {TRIALS:,}, budgets to {max(BUDGETS)}", median(few), 1.5),
        (
            f"LURE, N = {LARGE:,}, T = {FEW_TRIALS}, to {max(BUDGETS)}, peak {peak >> 20} of 2,048 MiB",
            median(partial(work, FEW_TRIALS)),
            30.0,
        ),
    ]


def _peak_bytes(work: partial[NDArray[np.float64]]) -> int:
    # The arrays of a block of trials are the same however many trials follow.
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def _tables(outcomes: Outcome) -> list[Row]:
    size = f"N = {ITEMS:,}"
    tables: list[Row] = []
    for name in TABLES:
        columns = variants(name)

        def work(columns: tuple = columns) -> None:  # type: ignore[type-arg]
            ablations.marked(ablations.exact(outcomes, columns, BUDGETS))

        tables.append((f"table of {name}, exact and marked, {size}", median(work), 0.1))
    return [
        *tables,
        (f"table of baselines, exact, {size}", median(partial(baselines.exact, outcomes, BUDGETS)), 0.1),
        (f"label savings, both ways, {size}", median(partial(ladder.savings, outcomes, BUDGETS)), 0.1),
        (f"H × δ map, 9 × 21, {size}", median(partial(ablations.map_exact, outcomes, 100)), 0.2),
    ]
