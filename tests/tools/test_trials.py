"""Trials of carried verdicts and of version gates on real answers: a sample of the tables of docs/versions.md, 5."""

from __future__ import annotations

import functools
import math

import pytest

from core.errors import DesignError
from core.pool import Pool
from tools.versions import (
    BUDGETS,
    MOST_TARGETS,
    POOLS,
    CarryTrial,
    carried_trial,
    gate_trial,
    past_of,
    pool_of,
    settings,
)

# (pool, past models, M); everything is tried by `make trials`.
SAMPLE = [("GSM8K", 3, 50)]


pool_of = functools.cache(pool_of)


def check(pool: Pool, target: str, setting: CarryTrial, budget: int, rounds: int) -> None:
    """Coverage is at least .94 less two standard errors; perfect verdicts never raise the error."""
    row = carried_trial(pool, target, setting, budget, rounds)
    assert row["coverage"] >= 0.94 - 2 * math.sqrt(0.94 * 0.06 / rounds), (target, setting, budget, row)
    if setting.wrong == 0:
        assert row["error"] <= row["fresh_error"] + 2 * math.hypot(row["error_error"], row["fresh_error_error"])


@pytest.mark.parametrize(("name", "past", "budget"), SAMPLE)
def test_carried_verdicts_cover_and_save(name: str, past: int, budget: int) -> None:
    pool = pool_of(name)
    target = next(iter(pool.targets))
    for setting in settings(pool, target, [min(past, len(pool.targets) - 1)]):
        check(pool, target, setting, budget, 400)


@pytest.mark.trial
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("name", POOLS)
def test_carried_verdicts_cover_and_save_everywhere(name: str, budget: int) -> None:
    pool = pool_of(name)
    for target in list(pool.targets)[:MOST_TARGETS]:
        for setting in settings(pool, target, sorted({min(count, len(pool.targets) - 1) for count in (1, 3, 99)})):
            check(pool, target, setting, budget, 2000)


def test_past_versions_are_the_nearest_that_are_worse() -> None:
    rates = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.95}
    records = [
        {
            "id": str(n),
            "targets": {name: {"answer": "x", "loss": float(n >= 100 * rate)} for name, rate in rates.items()},
        }
        for n in range(100)
    ]
    pool = Pool.from_records(records)
    assert past_of(pool, "a", 1) == ("b",) and past_of(pool, "a", 3) == ("b", "c", "d")


def test_a_trial_needs_every_outcome() -> None:
    pool = Pool.from_records([{"id": str(n), "targets": {"m": {"answer": "x"}}} for n in range(20)])
    with pytest.raises(DesignError, match="every outcome"):
        carried_trial(pool, "m", CarryTrial(()), 5)


GATES = [(500, 100, 0.5, 0.03), (2000, 200, 0.3, 0.02), (12_032, 1203, 0.5, 0.02)]


@pytest.mark.parametrize(("n", "differ", "old_wrong", "margin"), GATES)
@pytest.mark.parametrize("graded", [1.0, 0.5, 0.0])
def test_a_gate_passes_what_it_should_and_rarely_what_it_should_not(
    n: int, differ: int, old_wrong: float, margin: float, graded: float
) -> None:
    rounds = 4000
    row = gate_trial(n, differ, old_wrong, margin, graded, rounds)
    assert max(row["false_pass"], row["false_fail"]) <= 0.06 + 2 * math.sqrt(0.06 * 0.94 / rounds)
    # Half of the old verdicts wrong is the largest variance there can be, .25; .2 is planned for.
    assert row["power"] >= (0.78 if not graded else 0.65)


def test_a_difference_that_cannot_be_has_no_rate() -> None:
    row = gate_trial(500, 10, 0.5, 0.1)
    assert math.isnan(row["false_pass"]) and row["power"] == 1.0
