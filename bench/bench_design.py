"""Recommending a design, drawing it, and simulating rounds of labelling in one wave and in two."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from bench import Row, median
from bench.pools import answered
from core.design import Design, Scheme, recommend
from core.simulation import rounds
from core.stratification import EQUAL_MASS, signal_profile


def rows() -> list[Row]:
    small = answered(("new", "a", "b", "c", "d"))
    losses = np.asarray(small.losses("new"))
    design = recommend(small, 200, "new")
    waves = replace(recommend(small, 200, "new", ()), seed=None)
    two = replace(waves, scheme=replace(waves.scheme, waves=2))
    size = "N = 12,032"
    fine = Design(200, Scheme(stratifier=EQUAL_MASS, n_strata=100, allocation="equal"), seed=0)
    return [
        (f"recommend without training, {size}", median(lambda: recommend(small, 200, "new", ())), 0.3),
        (f"recommend with training on four models, {size}", median(lambda: recommend(small, 200, "new")), 5.0),
        (f"draw of a recommended design, {size}", median(partial(design.draw, small, 0)), 0.02),
        ("draw of a recommended design, N = 1,000,000", median(_draw(1_000_000, fine)), 0.5),
        (f"1,000 rounds of 200 labels in 100 strata, {size}", median(partial(rounds, design, small, losses)), 3.0),
        (f"1,000 rounds of 200 labels in two waves, {size}", median(partial(rounds, two, small, losses)), 15.0),
    ]


def _draw(n_items: int, design: Design) -> partial[object]:
    rng = np.random.default_rng(0)
    consistency = rng.integers(1, 11, n_items) / 10
    known = signal_profile(np.round(1 - consistency + rng.integers(0, 4, n_items) / 40, 3), consistency)
    ids = np.arange(n_items).astype(object)
    return partial(design.plan, "0" * 64, ids, known, 0)
