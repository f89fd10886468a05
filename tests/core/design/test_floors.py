"""The floor of fine strata that past models choose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from core.design import Plan, recommend
from core.design.recommend import UNCHECKED, chosen_floor
from core.pool import Pool
from core.simulation import exact_mse, uniform_mse
from tests.pools import opened

N = 600
FLOORS = (1.0, 0.5, 0.25, 0.125)


def pool_of(losses: NDArray[np.float64]) -> Pool:
    """A pool of J models with these losses, (N, J)."""
    models = [f"m{place}" for place in range(losses.shape[1])]
    return Pool.from_records(
        [
            {"id": f"q{item}", "targets": {name: {"loss": float(loss)} for name, loss in zip(models, row, strict=True)}}
            for item, row in enumerate(losses)
        ]
    )


def alike(strength: float, models: int = 6, seed: int = 0) -> NDArray[np.float64]:
    """Losses of models that fail the same items the more, the larger the strength."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=N)[:, None]
    return (strength * hard + rng.normal(size=(N, models)) > 0.8 * (1 + strength)).astype(float)


@pytest.mark.parametrize(("strength", "floors"), [(0.0, (1.0,)), (1.0, (0.5, 0.25)), (3.0, (0.25, 0.125))])
def test_models_that_fail_alike_choose_a_low_floor(strength: float, floors: tuple[float, ...]) -> None:
    chosen = {
        chosen_floor(pool_of(alike(strength, seed=seed)), None, [f"m{place}" for place in range(6)])
        for seed in range(4)
    }
    assert chosen <= set(floors)


def test_a_single_past_model_chooses_nothing() -> None:
    assert chosen_floor(pool_of(alike(3.0)), None, ["m0"]) == UNCHECKED
    assert chosen_floor(pool_of(alike(3.0)), "m0", ["m0", "m1"]) == UNCHECKED
    assert chosen_floor(pool_of(3 * alike(3.0)), None, ["m0", "m1", "m2"]) == UNCHECKED


def test_models_that_are_always_right_do_not_count() -> None:
    losses = alike(3.0)
    losses[:, 1:] = 0.0
    assert chosen_floor(pool_of(losses), None, [f"m{place}" for place in range(6)]) == UNCHECKED


def test_the_losses_of_the_target_are_never_looked_at() -> None:
    losses = alike(3.0)
    turned = losses.copy()
    turned[:, 0] = 1 - turned[:, 0]
    past = [f"m{place}" for place in range(6)]
    assert chosen_floor(pool_of(losses), "m0", past) == chosen_floor(pool_of(turned), "m0", past)


def test_a_recommended_design_has_the_floor_of_its_past_models() -> None:
    source = pool_of(alike(3.0))
    assert recommend(source, 60, "m0").scheme.floor == chosen_floor(
        source, "m0", [f"m{place}" for place in range(1, 6)]
    )
    # A risk from elsewhere was not tried on them.
    assert recommend(source, 60, "m0", risk=np.linspace(0, 1, N)).scheme.floor == UNCHECKED


def relative(plan: Plan, losses: NDArray[np.float64]) -> float:
    """Exact squared error, Uniform = 1."""
    return exact_mse(losses, plan.stratum, plan.allocation) / uniform_mse(losses, int(plan.allocation.sum()))


def hidden(risk: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Losses of a model that fails 2 % of the items, all of them among the tenth with the smallest predicted risk."""
    losses, safest = np.zeros(risk.size), np.argsort(risk, kind="stable")[: risk.size // 10]
    losses[rng.choice(safest, round(0.02 * risk.size), replace=False)] = 1.0
    return losses


def test_many_models_that_fail_alike_leave_two_fifths_of_the_error() -> None:
    source = pool_of(alike(4.0, models=40))
    errors = [
        relative(recommend(source, budget, name).draw(source, seed=0), np.asarray(source.losses(name), dtype=float))
        for name in ("m0", "m1", "m2")
        for budget in (20, 50, 100)
    ]
    print(f"40 models that fail alike: {np.mean(errors):.3f} of Uniform's error")
    assert np.mean(errors) <= 0.4


def test_useless_past_results_cost_at_most_six_points() -> None:
    """Past models whose failures say nothing of each other choose the highest floor."""
    rng = np.random.default_rng(0)
    losses = alike(3.0)
    losses[:, 1:] = rng.permuted(losses[:, 1:], axis=0)
    source, truth = pool_of(losses), losses[:, 0]
    designs = [recommend(source, budget, "m0") for budget in (20, 50, 100)]
    errors = [relative(design.draw(source, seed=0), truth) for design in designs]
    print(f"useless past results: {np.mean(errors):.3f} of Uniform's error, floor {designs[0].scheme.floor:g}")
    assert np.mean(errors) <= 1.06 and {design.scheme.floor for design in designs} == {1.0}


@pytest.mark.trial
@pytest.mark.parametrize("name", ["gsm8k-committee10", "blink-vlm-committee10", "mmlu-pro"])
def test_what_floors_gain_and_cost(name: str) -> None:
    """The table of docs/designs.md: along past results, along useless ones, and with errors where none is predicted."""
    pool, rng, rows = opened(name), np.random.default_rng(0), []
    for target in pool.targets:
        losses = np.asarray(pool.losses(target), dtype=float)
        for budget in (20, 50, 100):
            best = recommend(pool, budget, target)
            risk = np.array(best.risk)
            concealed, shuffled = [hidden(risk, rng) for _ in range(16)], [rng.permutation(risk) for _ in range(4)]
            for label, floor in {**{f"{floor:g}": floor for floor in FLOORS}, "chosen": best.scheme.floor}.items():
                design = replace(best, scheme=replace(best.scheme, floor=floor))
                plan = design.draw(pool, seed=0)
                useless = [relative(replace(design, risk=tuple(by)).draw(pool, seed=0), losses) for by in shuffled]
                behind = [relative(plan, one) for one in concealed]
                rows.append((label, relative(plan, losses), np.mean(useless), np.mean(behind), max(behind)))
    table = pd.DataFrame(rows, columns=["floor", "past results", "useless", "hidden", "hidden, worst"])
    means = table.groupby("floor").mean().assign(worst=table.groupby("floor")["hidden, worst"].max())
    print(f"{name}, {len(pool.targets)} targets\n{means.round(3).to_string()}")
    assert means.loc["chosen", "past results"] <= 1.01 * means.loc["1", "past results"]
    assert means.loc["1", "useless"] <= 1.06
