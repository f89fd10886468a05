"""The floor of fine strata that past models choose."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from core.design import recommend
from core.design.floors import UNCHECKED, chosen_floor
from core.pool import Pool

N = 600


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
    assert recommend(source, 60, "m0").scheme.floor == chosen_floor(source, "m0", [f"m{place}" for place in range(1, 6)])
    # A risk from elsewhere was not tried on them.
    assert recommend(source, 60, "m0", risk=np.linspace(0, 1, N)).scheme.floor == UNCHECKED
