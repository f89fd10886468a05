"""Two waves beside one on a real pool: the figures of docs/designs.md, "Two waves"."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.design import Design, recommend
from core.pool import Pool
from core.readers import read
from core.simulation import rounds

TARGETS = ("gpt-4o-mini-2024-07-18", "gemini-1.5-flash", "Meta-Llama-3.1-70B-Instruct", "claude-3-haiku-20240307")


def check(pool: Pool, target: str, budget: int, trials: int) -> None:
    losses = np.array(pool.losses(target), dtype=float)
    truth = losses.mean()
    one = recommend(pool, budget, target)
    assert one.scheme.waves == 1
    shares = []
    for design in (one, Design(budget, replace(one.scheme, waves=2), risk=one.risk)):
        table = rounds(design, pool, losses, trials)
        errors = table["value"] - truth
        covered = float(((table["low"] <= truth) & (truth <= table["high"])).mean())
        bias, error = float(errors.mean()), float(errors.std()) / np.sqrt(trials)
        shares.append(float((errors**2).mean()))
        name = f"{target}, M = {budget}, {design.scheme.waves} wave(s)"
        print(f"{name}: coverage {covered:.2%}, bias {100 * bias:+.3f} ± {100 * error:.3f} points")
        assert abs(bias) < 4 * error
        assert covered + 2 * np.sqrt(covered * (1 - covered) / trials) >= 0.94
    print(f"{target}, M = {budget}: error of two waves by that of one {shares[1] / shares[0]:.2f}")


def test_a_sample_of_two_waves_is_unbiased_and_covered(real_pool) -> None:
    check(read(real_pool("gsm8k-committee10")), TARGETS[0], 50, 80)


@pytest.mark.trial
@pytest.mark.parametrize("budget", [20, 50, 100])
@pytest.mark.parametrize("target", TARGETS)
def test_two_waves_are_unbiased_and_covered(real_pool, target: str, budget: int) -> None:
    check(read(real_pool("gsm8k-committee10")), target, budget, 10_000)
