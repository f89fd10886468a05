"""Speed of Lab: LURE beside plain loops, every exact table, and the page's first figure."""

from __future__ import annotations

import time
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import Row, median, plain_loops
from core import lure
from core.lab import BUDGETS, TABLES, ablations, baselines, ladder, variants
from core.stratification import Outcome, outcome, profile

SMALL, LARGE = 12_032, 1_000_000
TRIALS, FEW_TRIALS = 3000, 300
TIMES_FASTER = 200


def rows() -> list[Row]:
    outcomes = made_up(SMALL)
    return [*_lure(outcomes), *_tables(outcomes), _page()]


def made_up(n_items: int) -> Outcome:
    """A pool of multiple-choice items, ten generations each, easy and hard ones, and a target's 0/1 losses."""
    rng = np.random.default_rng(0)
    ease = rng.beta(1.2, 0.9, (n_items, 1))
    classes = np.where(rng.random((n_items, 10)) < ease, 0, rng.integers(0, 4, (n_items, 10)))
    losses = (rng.random(n_items) > 0.3 + 0.7 * ease[:, 0]).astype(np.float64)
    simulated = outcome(profile(classes), losses)
    assert simulated is not None
    return simulated


def _lure(small: Outcome) -> list[Row]:
    losses, scores = small.losses, small.profile.signal
    fast = median(partial(lure.estimates, losses, scores, BUDGETS, TRIALS))
    plain = _plain_seconds(losses, lure.proposal(scores))
    large = made_up(LARGE)
    work = partial(lure.estimates, large.losses, large.profile.signal, BUDGETS)
    peak = _peak_bytes(partial(work, 10))
    return [
        (f"LURE, N = {SMALL:,}, T = {TRIALS:,}, budgets to {max(BUDGETS)}", fast, 1.5),
        (f"… {plain / fast:,.0f} × faster than plain loops, at least {TIMES_FASTER} ×", fast, plain / TIMES_FASTER),
        (
            f"LURE, N = {LARGE:,}, T = {FEW_TRIALS}, to {max(BUDGETS)}, peak {peak >> 20} of 2,048 MiB",
            median(partial(work, FEW_TRIALS)),
            30.0,
        ),
    ]


def _plain_seconds(losses: NDArray[np.float64], probability: NDArray[np.float64], trials: int = 3) -> float:
    """Seconds that plain loops take for all trials, from a few of them."""
    start = time.perf_counter()
    plain_loops.estimates(losses, probability, BUDGETS, trials, seed=0)
    return (time.perf_counter() - start) / trials * TRIALS


def _peak_bytes(work: partial[NDArray[np.float64]]) -> int:
    # The arrays of a block of trials are the same however many trials follow.
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def _tables(outcomes: Outcome) -> list[Row]:
    size = f"N = {SMALL:,}"
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


def _page() -> Row:
    """From the request to the first figure, the bundled pool read again."""
    import streamlit as st
    from streamlit.testing.v1 import AppTest

    from core.figures import lab as figures

    drawn: list[float] = []
    original = figures.baselines

    def noted(*args: object, **kwargs: object) -> object:
        drawn.append(time.perf_counter())
        return original(*args, **kwargs)  # type: ignore[arg-type]

    def first_figure() -> float:
        st.cache_resource.clear()
        app = AppTest.from_file(Path(__file__).parents[1] / "app.py", default_timeout=120)
        app.switch_page("pages/lab.py")
        drawn.clear()
        start = time.perf_counter()
        app.run()
        return drawn[0] - start

    figures.baselines = noted  # type: ignore[assignment]
    try:
        return (
            "page Lab, the bundled pool opened, to the first figure",
            float(np.median([first_figure() for _ in range(6)][1:])),
            1.0,
        )
    finally:
        figures.baselines = original
