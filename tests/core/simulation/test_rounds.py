"""Simulated rounds: each is the draw and the estimate of a plan, and together they are what the formulas say."""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest

from core.design import Design, Scheme
from core.errors import DesignError
from core.pool import Pool
from core.simulation import exact_mse, rounds
from core.simulation.replications import round_seeds

RNG = np.random.default_rng(17)
EASE = RNG.beta(1.2, 0.8, 400)
ANSWERS = [["A" if u < ease else "BCD"[int(3 * u) % 3] for u in RNG.random(10)] for ease in EASE]
POOL = Pool.from_records([{"id": f"q{i}", "generations": row} for i, row in enumerate(ANSWERS)])
WRONG = (RNG.random(400) > EASE).astype(float)
SCORES = RNG.beta(0.5, 0.9, 400)
LOSSES = {"binary": WRONG, "shares": SCORES, "unbounded": 7 * SCORES - 3}
DESIGNS = [Design(60), Design(40, Scheme(allocation="equal")), Design(25, Scheme(allocation="uniform"), seed=4)]


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.scheme.allocation)
def test_a_round_is_the_estimate_of_the_plan_drawn_with_its_seed(kind: str, design: Design) -> None:
    losses = LOSSES[kind]
    table = rounds(design, POOL, losses, trials=5, seed=3, confidence=0.9)
    assert table.columns.tolist() == ["value", "standard_error", "low", "high"]
    for row, seed in zip(table.itertuples(index=False), round_seeds(5, 3), strict=True):
        estimate = design.draw(POOL, seed=int(seed)).estimate(losses, 0.9)
        assert tuple(row) == pytest.approx(astuple(estimate)[:4], rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("kind", LOSSES)
def test_a_round_of_two_waves_is_the_estimate_of_the_second_wave_s_plan(kind: str) -> None:
    design, losses = Design(48, Scheme(waves=2, n_strata=24)), LOSSES[kind]
    table = rounds(design, POOL, losses, trials=4, seed=3, confidence=0.9)
    for row, seed in zip(table.itertuples(index=False), round_seeds(4, 3), strict=True):
        estimate = design.draw(POOL, seed=int(seed)).next_wave(losses).estimate(losses, 0.9)
        assert tuple(row) == pytest.approx(astuple(estimate)[:4], rel=1e-9, abs=1e-10)


@pytest.mark.trial
def test_two_waves_are_unbiased_and_their_standard_errors_are_true() -> None:
    table = rounds(Design(60, Scheme(waves=2, n_strata=30)), POOL, WRONG, trials=200)
    mse = table["value"].var()
    assert table["value"].mean() == pytest.approx(WRONG.mean(), abs=3 * math.sqrt(mse / 200))
    assert (table["standard_error"] ** 2).mean() == pytest.approx(mse, rel=4 * math.sqrt(2 / 200))


@pytest.mark.parametrize("kind", ["binary", "shares"])
def test_rounds_are_unbiased_and_their_standard_errors_are_true(kind: str) -> None:
    design, losses, trials = Design(60), LOSSES[kind], 4000
    table, plan = rounds(design, POOL, losses, trials), design.draw(POOL, seed=0)
    mse = exact_mse(losses, plan.stratum, plan.allocation)
    assert table["value"].mean() == pytest.approx(losses.mean(), abs=3 * math.sqrt(mse / trials))
    assert ((table["value"] - losses.mean()) ** 2).mean() == pytest.approx(mse, rel=4 * math.sqrt(2 / trials))
    squares = table["standard_error"] ** 2
    assert squares.mean() == pytest.approx(mse, abs=4 * squares.std() / math.sqrt(trials))
    covered = ((table["low"] <= losses.mean()) & (losses.mean() <= table["high"])).mean()
    assert covered > 0.94 - 3 * math.sqrt(0.94 * 0.06 / trials)


def test_losses_by_item_id_are_found_whatever_their_order() -> None:
    by_id = pd.Series(WRONG, index=POOL.ids)
    expected = rounds(DESIGNS[0], POOL, WRONG, trials=5)
    for losses in (by_id.sample(frac=1, random_state=0), by_id.to_dict()):
        assert rounds(DESIGNS[0], POOL, losses, trials=5).equals(expected)


def test_one_loss_outside_0_to_1_decides_the_limits_of_rounds_that_miss_it_too() -> None:
    losses = WRONG.copy()
    losses[7] = 50.0
    table = rounds(DESIGNS[0], POOL, losses, trials=8)
    missed = 0
    for row, seed in zip(table.itertuples(index=False), round_seeds(8, 0), strict=True):
        plan = DESIGNS[0].draw(POOL, seed=int(seed))
        estimate = plan.estimate(pd.Series(losses, index=POOL.ids))
        assert tuple(row) == pytest.approx(astuple(estimate)[:4], rel=1e-9, abs=1e-10)
        missed += 7 not in plan.positions
    assert missed


def test_the_seed_decides() -> None:
    first, again, other = (rounds(DESIGNS[0], POOL, WRONG, 20, seed) for seed in (1, 1, 2))
    assert first.equals(again) and not first["value"].equals(other["value"])
    assert rounds(DESIGNS[0], POOL, WRONG, 5, 1).equals(first.head(5)), "more rounds leave the first ones as they were"


def test_a_census_has_no_width() -> None:
    table = rounds(Design(400), POOL, WRONG, trials=3)
    assert np.allclose(table[["value", "low", "high"]], WRONG.mean()) and set(table["standard_error"]) == {0.0}


def test_errors() -> None:
    with pytest.raises(DesignError, match="3 losses for 400 items"):
        rounds(DESIGNS[0], POOL, [0.0, 1.0, 0.0])
    with pytest.raises(DesignError, match="1 of 400 losses"):
        rounds(DESIGNS[0], POOL, np.where(np.arange(400) == 9, np.nan, WRONG))
    with pytest.raises(DesignError, match="number of trials"):
        rounds(DESIGNS[0], POOL, WRONG, trials=0)
    with pytest.raises(DesignError, match=r"number of trials .* 2\.5"):
        rounds(DESIGNS[0], POOL, WRONG, trials=2.5)  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="not numbers"):
        rounds(DESIGNS[0], POOL, "name")
    with pytest.raises(DesignError, match=r"seed .* -1"):
        rounds(DESIGNS[0], POOL, WRONG, seed=-1)
    with pytest.raises(DesignError, match="confidence"):
        rounds(DESIGNS[0], POOL, WRONG, confidence=95)
