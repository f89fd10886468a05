"""Two waves beside one on a real pool: the figures of docs/designs.md, "Two waves"."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from core.design import Design, pool_profile, recommend
from core.pool import Pool
from core.readers import read

TARGETS = ("gpt-4o-mini-2024-07-18", "gemini-1.5-flash", "Meta-Llama-3.1-70B-Instruct", "claude-3-haiku-20240307")


def estimates(pool: Pool, target: str, design: Design, rounds: int) -> tuple[NDArray[np.float64], float]:
    """Errors of the estimate in so many rounds of labelling, and how often the interval holds the truth."""
    losses = np.array(pool.losses(target), dtype=float)
    truth, profile = losses.mean(), pool_profile(pool, design.scheme, design.risk)
    errors, covered = np.empty(rounds), 0
    for seed in range(rounds):
        plan = design.draw(pool, seed=seed, profile=profile)
        if plan.waits:
            plan = plan.next_wave(losses, profile=profile)
        one = plan.estimate(losses)
        errors[seed] = one.value - truth
        covered += one.low <= truth <= one.high
    return errors, covered / rounds


def check(pool: Pool, target: str, budget: int, rounds: int) -> None:
    one = recommend(pool, budget, target)
    assert one.scheme.waves == 1
    shares = []
    for design in (one, Design(budget, replace(one.scheme, waves=2), risk=one.risk)):
        errors, covered = estimates(pool, target, design, rounds)
        bias, error = float(errors.mean()), float(errors.std(ddof=1)) / np.sqrt(rounds)
        shares.append(float((errors**2).mean()))
        name = f"{target}, M = {budget}, {design.scheme.waves} wave(s)"
        print(f"{name}: coverage {covered:.2%}, bias {100 * bias:+.3f} ± {100 * error:.3f} points")
        assert abs(bias) < 4 * error
        assert covered + 2 * np.sqrt(covered * (1 - covered) / rounds) >= 0.94
    print(f"{target}, M = {budget}: error of two waves by that of one {shares[1] / shares[0]:.2f}")


def test_a_sample_of_two_waves_is_unbiased_and_covered(real_pool) -> None:
    check(read(real_pool("gsm8k-committee10")), TARGETS[0], 50, 150)


@pytest.mark.trial
@pytest.mark.parametrize("budget", [20, 50, 100])
@pytest.mark.parametrize("target", TARGETS)
def test_two_waves_are_unbiased_and_covered(real_pool, target: str, budget: int) -> None:
    check(read(real_pool("gsm8k-committee10")), target, budget, 10_000)
