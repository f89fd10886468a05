"""Strata without a label join their neighbours: bias and coverage if labels are missing at random."""

from __future__ import annotations

import numpy as np
import pytest

from core.design import recommend
from core.estimation import sample
from core.estimation.shrinkage import can_join, joined
from core.prospect import Prospect
from core.simulation.replications import Samples
from tests.pools import opened


@pytest.mark.parametrize(
    ("counts", "place"),
    [
        ([2, 0, 2], [0, 1, 1]),
        ([2, 2, 0, 2], [0, 1, 1, 2]),
        ([3, 0, 1], [0, 1, 1]),
        ([0, 0, 1, 0, 0, 0, 2], [0, 0, 0, 0, 0, 1, 1]),
        ([0, 5], [0, 0]),
        ([1, 1], [0, 1]),
    ],
)
def test_the_nearest_then_fewer_labels_then_either_side_in_turn(counts: list[int], place: list[int]) -> None:
    assert joined(np.array(counts)).tolist() == place


@pytest.mark.parametrize(
    ("counts", "place"),
    [
        ([1, 0, 1, 1, 1], [0, 0, 0, 1, 1]),
        ([1, 1, 1], [0, 0, 0]),
        ([2, 1, 0, 1, 1], [0, 1, 1, 1, 1]),
        ([1, 2, 1, 1], [0, 0, 1, 1]),
        ([0, 1, 0], [0, 0, 0]),
    ],
)
def test_neighbours_are_joined_until_each_has_two_labels(counts: list[int], place: list[int]) -> None:
    assert joined(np.array(counts), 2).tolist() == place


@pytest.mark.parametrize(
    ("counts", "planned", "possible"),
    [
        ([2] * 40 + [0] * 2 + [1] * 8, [2] * 50, True),
        # Ten labels of one stratum are not missing by chance where all others came back.
        ([10, 0, 10, 10], [10] * 4, False),
        ([2] * 3 + [0] * 7, [2] * 10, False),
        ([0, 0], [2, 2], False),
    ],
)
def test_labels_that_chance_does_not_take_leave_no_estimate(
    counts: list[int], planned: list[int], possible: bool
) -> None:
    assert can_join(np.array(counts), np.array(planned)) == possible


def simulated(pool: str, budget: int, missing: float, rounds: int) -> tuple[float, float, float, float, float]:
    """Bias and its standard error in points, coverage, the share of rounds that have an estimate, and their mean error.

    The bias is the mean of what is to be expected in each round, given how many labels are missing where; the mean
    error is that of the estimates themselves, in their standard errors.
    """
    given = opened(pool)
    prospect = Prospect(given, next(iter(given.targets)), 20)
    assert prospect.known is not None
    at, losses, rng = prospect.at(budget), np.asarray(prospect.known.losses), np.random.default_rng(5)
    places = [np.flatnonzero(at.stratum == h) for h in range(at.labels.size)]
    sizes, truth = np.array([one.size for one in places]), losses.mean()
    means = np.array([losses[one].mean() for one in places])
    found, values, covered = list[float](), list[float](), 0
    for _ in range(rounds):
        items = np.concatenate([rng.choice(one, m, replace=False) for one, m in zip(places, at.labels, strict=True)])
        kept = items[rng.random(items.size) >= missing]
        counts = np.bincount(at.stratum[kept], minlength=sizes.size)
        if not can_join(counts, at.labels):
            continue
        place = joined(counts)
        merged = np.bincount(place, weights=sizes).astype(np.int64)
        one = sample(losses[kept], place[at.stratum[kept]], merged).estimate()
        found.append(float(merged @ (np.bincount(place, counts * means) / np.bincount(place, counts))) / losses.size)
        values.append(one.value)
        covered += one.low - 1e-12 <= truth <= one.high + 1e-12
    bias, error = 100 * (np.mean(found) - truth), 100 * np.std(found) / len(found) ** 0.5
    mean_error = (np.mean(values) - truth) / (np.std(values) / len(values) ** 0.5)
    return float(bias), float(error), covered / len(found), len(found) / rounds, float(mean_error)


def test_a_fifth_missing_at_random_biases_the_estimate_by_less_than_a_twentieth_of_a_point() -> None:
    """Two labels a stratum; without joining, 65 % of rounds have no estimate, and always to the lower it is -0.06."""
    bias, error, coverage, possible, mean_error = simulated("gsm8k-committee10", 50, 0.2, 400)
    assert abs(bias) < 3 * error < 0.05 and abs(mean_error) < 3 and coverage >= 0.94 and possible > 0.99


@pytest.mark.trial
@pytest.mark.parametrize("missing", [0.2, 0.4])
@pytest.mark.parametrize("budget", [20, 50, 100])
@pytest.mark.parametrize("pool", ["gsm8k-committee10", "exams-gpt35-k10", "blink-vlm-committee10"])
def test_missing_at_random_on_real_pools(pool: str, budget: int, missing: float) -> None:
    bias, error, coverage, possible, _ = simulated(pool, budget, missing, 2000)
    print(
        f"{pool}, M = {budget}, {missing:.0%} missing: bias {bias:+.3f} ± {error:.3f} points, "
        f"coverage {100 * coverage:.1f} %, an estimate in {100 * possible:.0f} % of rounds"
    )
    assert abs(bias) < (0.05 if missing < 0.3 else 0.25) + 3 * error and coverage >= 0.94


def beginnings(pool: str, target: str, budget: int, labels: int, rounds: int) -> tuple[float, float, float] | None:
    """Coverage, mean half-width and bias in points of the number from a list's beginning; None if it has an estimate.

    A tenth of the rounds each have strata of their own, cut by another seed.
    """
    given = opened(pool)
    losses = np.asarray(given.losses(target))
    covered, widths, values, plans = 0, 0.0, list[float](), 10
    for seed in range(plans):
        plan, rng = recommend(given, budget, target).draw(given, seed), np.random.default_rng(seed)
        sizes, n_strata = plan.strata.sizes, plan.strata.n_strata
        if labels >= n_strata:
            return None
        counts = np.bincount(plan.stratum[plan.positions[:labels]], minlength=n_strata)
        ones = np.bincount(plan.stratum, losses, n_strata).astype(np.int64)
        place = joined(counts, 2)
        drawn = rng.hypergeometric(ones, sizes - ones, counts, (rounds // plans, n_strata))
        blocks = np.eye(place.max() + 1, dtype=np.int64)[place]
        counted, merged, found = counts @ blocks, sizes @ blocks, drawn @ blocks
        means = found / counted
        table = Samples(counted, merged, means, found * (1 - means)).estimates()
        covered += int(((table["low"] - 1e-12 <= losses.mean()) & (losses.mean() <= table["high"] + 1e-12)).sum())
        widths += float((table["high"] - table["low"]).sum() / 2)
        values += table["value"].tolist()
    return covered / rounds, 100 * widths / rounds, 100 * float(np.mean(values) - losses.mean())


def test_the_number_from_thirty_labels_covers() -> None:
    coverage, width, bias = beginnings("blink-vlm-committee10", "GPT4o", 200, 30, 1000) or (0, 0, 0)
    assert coverage >= 0.94 - 2 * (0.94 * 0.06 / 1000) ** 0.5 and width < 20 and abs(bias) < 4


@pytest.mark.trial
@pytest.mark.parametrize("labels", [20, 30, 50])
@pytest.mark.parametrize("pool", ["demo", "gsm8k-committee10", "exams-gpt35-k10", "blink-vlm-committee10", "mmlu-pro"])
def test_numbers_from_the_beginnings_of_lists_cover(pool: str, labels: int) -> None:
    cells = {
        (target, budget): cell
        for target in list(opened(pool).targets)[:4]
        for budget in (100, 150, 200, 300)
        if (cell := beginnings(pool, target, budget, labels, 4000)) is not None
    }
    for (target, budget), (coverage, width, bias) in cells.items():
        print(f"{pool}, {target}, {labels} of {budget}: {100 * coverage:.1f} %, ±{width:.1f}, bias {bias:+.1f} points")
    assert min(coverage for coverage, _, _ in cells.values()) >= 0.94 - 2 * (0.94 * 0.06 / 4000) ** 0.5
