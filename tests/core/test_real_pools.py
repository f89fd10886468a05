"""Real models' outputs: the reference table of the data's README, from file to relative error.

Exact relative error in %, mean over M = 50, 100, 200, 400 with M ≤ N/3; five adaptive strata, δ = 0.75.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from core.allocation import METHODS
from core.design import Design
from core.pool import Pool
from core.readers import ModelResults, read
from core.simulation import curve, monte_carlo_curve, relative_mse_curve
from core.stratification import Profile, profile
from data.mmlu_pro import FILE, facts, write

Find = Callable[[str], Path]

# The paper's rules that share labels; others come after them.
RULES = METHODS[1:6]
# Target: risk, share of items with SE = 0, then Equal, Proportional, Power, proxy-Neyman, oracle-Neyman.
EXAMS = {
    "gpt-3.5-turbo T=0.0": (0.420, 0.32, 79.0, 79.8, 77.7, 78.1, 77.6),
    "gpt-3.5-turbo T=1.0": (0.424, 0.32, 74.7, 75.9, 73.7, 74.0, 73.4),
}
GSM8K = {
    "gpt-4o-mini-2024-07-18": (0.058, 0.15, 100.8, 92.6, 97.2, 84.1, 61.5),
    "gemini-1.5-flash": (0.086, 0.15, 96.8, 88.7, 93.3, 80.5, 56.9),
    "Meta-Llama-3.1-70B-Instruct": (0.058, 0.15, 103.1, 95.0, 99.4, 88.1, 77.1),
    "claude-3-haiku-20240307": (0.112, 0.15, 96.4, 89.0, 93.1, 81.8, 69.9),
}
BLINK = {
    "GPT4Turbo": (0.456, 0.04, 112.2, 93.2, 98.4, 92.9, 92.8),
    "GPT4o": (0.401, 0.04, 116.7, 97.6, 102.5, 97.8, 97.5),
}
MMLU_PRO = {
    "jamba-1.5-large": (0.507, 0.06, 104.9, 90.6, 94.9, 90.2, 90.1),
    "Meta-Llama-3-70B": (0.480, 0.06, 106.9, 92.0, 96.6, 91.2, 91.2),
}
Row = tuple[float, ...]


def figures(uncertainty: Profile, losses: NDArray[np.float64]) -> Row:
    """One row of the table."""
    strata = uncertainty.stratify(5, "adaptive")
    outcome = uncertainty.moments(losses).merge(strata.of_level)
    budgets = [m for m in (50, 100, 200, 400) if m <= losses.size / 3]
    means = curve(outcome, strata.consistency, budgets).groupby("method")["relative_mse"].mean() * 100
    return (outcome.mean, float(np.mean(uncertainty.signal == 0)), *(float(means[m]) for m in RULES))


def compare(pool: Pool, target: str, expected: Row) -> None:
    row = figures(profile(pool.classes()), pool.losses(target))
    print(f"{pool.name} → {target}: " + " · ".join(f"{x:.3f}" for x in row[:2]), *(f"{x:.1f}" for x in row[2:]))
    assert row[0] == pytest.approx(expected[0], abs=0.0005001)
    assert row[1] == pytest.approx(expected[1], abs=0.005001)
    np.testing.assert_allclose(row[2:], expected[2:], rtol=0, atol=0.3)


@pytest.fixture(scope="module")
def exams(real_pool: Find) -> Pool:
    return read(real_pool("exams-gpt35-k10.jsonl"))


@pytest.fixture(scope="module")
def gsm8k(real_pool: Find) -> Pool:
    return read(real_pool("gsm8k-committee10.jsonl"))


@pytest.fixture(scope="module")
def blink(real_pool: Find) -> Pool:
    return read(real_pool("blink-vlm-committee10.jsonl"))


@pytest.fixture(scope="module")
def committee(official: ModelResults) -> Pool:
    """MMLU-Pro with the ten least accurate models as committee and the other two as targets."""
    ranked = official.summary().sort_values("accuracy", kind="stable")["model"].tolist()
    return official.pool(ranked[:10], ranked[10:])


@pytest.mark.parametrize(("target", "expected"), EXAMS.items(), ids=EXAMS)
def test_ten_exams(exams: Pool, target: str, expected: Row) -> None:
    assert (exams.n_items, exams.n_generations) == (1000, 10)
    compare(exams, target, expected)


@pytest.mark.parametrize(("target", "expected"), GSM8K.items(), ids=GSM8K)
def test_gsm8k(gsm8k: Pool, target: str, expected: Row) -> None:
    assert (gsm8k.n_items, gsm8k.n_generations) == (1319, 10)
    compare(gsm8k, target, expected)


@pytest.mark.parametrize(("target", "expected"), BLINK.items(), ids=BLINK)
def test_blink(blink: Pool, target: str, expected: Row) -> None:
    assert (blink.n_items, blink.n_generations) == (1901, 10)
    compare(blink, target, expected)


@pytest.mark.parametrize(("target", "expected"), MMLU_PRO.items(), ids=MMLU_PRO)
def test_mmlu_pro(committee: Pool, target: str, expected: Row) -> None:
    assert (committee.n_items, committee.n_generations) == (12032, 10)
    compare(committee, target, expected)


def test_the_profile_takes_no_shortcut(gsm8k: Pool) -> None:
    """The curve from the few distinct values of the signal equals the one from every item."""
    signals, losses = profile(gsm8k.classes()), gsm8k.losses("gemini-1.5-flash")
    strata = signals.stratify(5)
    budgets = [5, 50, 400, 1319]
    by_item = relative_mse_curve(losses, strata.of_level[signals.levels.member], signals.consistency, budgets)
    by_level = curve(signals.moments(losses).merge(strata.of_level), strata.consistency, budgets)
    np.testing.assert_allclose(by_level["mse"], by_item["mse"], rtol=1e-9, atol=1e-20)


def test_monte_carlo_agrees_on_a_real_pool(blink: Pool) -> None:
    signals, losses = profile(blink.classes()), blink.losses("GPT4o")
    strata = signals.stratify(5).of_level[signals.levels.member]
    budgets = [20, 60, 200, 600, 1500]
    exact = relative_mse_curve(losses, strata, signals.consistency, budgets)
    simulated = monte_carlo_curve(losses, strata, signals.consistency, budgets, seed=12)
    gap = np.abs(simulated["relative_mse"] - exact["relative_mse"])
    assert np.all(gap <= 4 * simulated["relative_standard_error"])


def test_a_plan_for_a_real_pool(exams: Pool) -> None:
    plan = Design(100, seed=1).draw(exams)
    assert plan.ids.tolist() == exams.items.index[plan.positions].tolist()
    assert plan.allocation.sum() == 100


def test_the_bundled_results_are_those_that_were_published(official: ModelResults, tmp_path: Path) -> None:
    write(facts(official), tmp_path / "again.parquet")
    again, bundled = read(tmp_path / "again.parquet"), read(FILE)
    assert again.digest == bundled.digest and bundled.notes == ()
    accuracy = dict(zip(official.models, official.accuracy, strict=True))
    for name in bundled.targets:
        assert 1 - bundled.losses(name).mean() == pytest.approx(accuracy[name])
