"""Versions that answer differently each time: their runs' noise is in the difference, and no gate cries wolf."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from core.estimation.intervals import Interval
from core.estimation.item_runs import ItemRuns, expected_difference
from core.gates import gate
from core.pool import Pool
from tests.pools import HERE


def pool_of(*versions: NDArray[np.float64]) -> Pool:
    """A pool of versions v0, v1 … by the losses of their runs, (N, R) each."""
    return Pool.from_records(
        {
            "id": str(n),
            "targets": {f"v{k}": {"loss": one[n, 0], "run_losses": one[n].tolist()} for k, one in enumerate(versions)},
        }
        for n in range(len(versions[0]))
    )


def test_no_trial_of_one_agent_fails_against_another() -> None:
    """tau-bench, airline, gpt-4o: 4 trials of one agent; taken for answers that stay, some pairs fail."""
    trials = pd.read_csv(HERE / "tau-bench-airline-gpt4o.csv").pivot(index="task", columns="run", values="success")
    pool = pool_of(*(1.0 - trials[[run]].to_numpy() for run in trials))
    verdicts, stay = [], []
    for old, new in permutations(pool.targets, 2):
        planned = gate(pool, old, new, margin=0.02, varies=True)
        decision = planned.decide({})
        verdicts.append(decision.verdict)
        assert "exactly" not in decision.sentence and decision.difference.low < decision.difference.high
        stay.append(gate(pool, old, new, margin=0.02).decide({}).verdict)
    assert verdicts == ["undecided"] * 12 and "fail" in stay


def test_a_pool_with_runs_says_that_its_versions_vary() -> None:
    rng = np.random.default_rng(2)
    chance = rng.beta(0.3, 0.3, 200)
    old, new = ((rng.random((200, 4)) < chance[:, None]).astype(float) for _ in range(2))
    planned = gate(pool_of(old, new), "v0", "v1")
    assert planned.runs is not None and planned.order.size == 0
    decision = planned.decide({})
    assert decision.difference.value == pytest.approx(new.mean() - old.mean())
    assert "800 graded runs of v0" in planned.sentence and "expected accuracy" in decision.sentence


def test_a_version_that_is_worse_fails_and_one_that_is_better_passes() -> None:
    rng = np.random.default_rng(7)
    good, bad = ((rng.random((300, 3)) < chance).astype(float) for chance in (0.2, 0.4))
    pool = pool_of(good, bad)
    assert gate(pool, "v0", "v1").decide({}).verdict == "fail"
    assert gate(pool, "v1", "v0").decide({}).verdict == "pass"


def test_runs_that_are_not_all_graded_leave_the_list_of_the_first_ones() -> None:
    losses = [[0.0, 1.0], [None, None], [1.0, 1.0]]
    said = [{"answer": a, "run_losses": one, "loss": one[0]} for a, one in zip("xyz", losses, strict=True)]
    pool = Pool.from_records(
        {"id": str(n), "targets": {"v0": one, "v1": {"answer": "w"}}} for n, one in enumerate(said)
    )
    planned = gate(pool, "v0", "v1")
    assert planned.varies and planned.runs is None and planned.order.size
    whole = {(item, name): 1.0 for item in "012" for name in ("v0", "v1")}
    decision = planned.decide(whole)
    assert "exactly" not in decision.sentence and "vary from run to run" in decision.sentence


def wrong_fails(agent: tuple[float, float], items: int, runs: tuple[int, int], rounds: int) -> float:
    """Share of comparisons of an agent with itself that a margin of (next to) nothing fails, at α = .05."""
    rng = np.random.default_rng([items, *runs, int(10 * agent[0])])
    fails = 0
    for _ in range(rounds):
        chance = rng.beta(*agent, items)
        new, old = (ItemRuns(rng.binomial(r, chance), np.full(items, r)) for r in runs)
        level = 0.90
        fails += expected_difference(new, old, Interval(confidence=level)).low > 0
    return fails / rounds


CELLS = [
    (agent, items, runs)
    for agent in ((0.3, 0.3), (2.0, 2.0), (1.0, 5.0))
    for items in (50, 200)
    for runs in ((1, 1), (4, 4), (2, 8))
]


@pytest.mark.parametrize("cell", CELLS[::4], ids=str)
def test_an_agent_seldom_fails_against_itself(cell: tuple[tuple[float, float], int, tuple[int, int]]) -> None:
    rounds = 150
    assert wrong_fails(*cell, rounds) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / rounds)


@pytest.mark.trial
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_an_agent_seldom_fails_against_itself_in_every_cell(
    cell: tuple[tuple[float, float], int, tuple[int, int]],
) -> None:
    rounds = 3000
    assert wrong_fails(*cell, rounds) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / rounds)
