"""Designs of items with weights; `pytest -rP -k table_of_weights -m trial` prints what they gain on real pools."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.contests import best
from core.design import Design, carrying, manifest, pool_profile, recommend
from core.design.known_verdicts import Carried
from core.design.scheme import weighted_as
from core.errors import DesignError
from core.estimation.intervals import Interval
from core.estimation.weighting import WeightedStrata
from core.gates import gate
from core.judge import Criterion, judge
from core.pool import Pool
from core.prospect import Prospect
from core.prospect.forecast import middle_risks
from core.readers import read
from core.simulation import exact_mse, uniform_mse
from core.stratification.equal_mass import bands

POOLS = {
    "exams": "exams-gpt35-k10.jsonl",
    "GSM8K": "gsm8k-committee10.jsonl",
    "MMLU-Pro": "data/mmlu-pro.parquet",
    "demo": "data/demo.jsonl.gz",
}
# Coefficients of variation of log-normal weights, and the most that the error may be, weighted uniform draws = 1.
AIMS = {0.8: 0.45, 1.8: 0.25, 5.0: 0.12}
BESIDE, AT = 0.60, 1.8


def pool_of(name: str, real_pool) -> Pool:
    path = POOLS[name]
    return read(path if path.startswith("data/") else real_pool(path))


def lognormal(cv: float, n_items: int, seed: int) -> np.ndarray:
    weights = np.random.default_rng(seed).lognormal(0, np.sqrt(np.log(1 + cv**2)), n_items)
    return weights / weights.mean()


def targets_of(pool: Pool, most: int) -> list[str]:
    return [name for name in pool.targets if np.isin(pool.losses(name), (0.0, 1.0)).all()][:most]


def cells(pool: Pool, cv: float, targets: int, draws: int, budget: int = 100) -> pd.DataFrame:
    """Exact squared errors over those of weighted uniform draws, and over those of the design without the weights.

    Uniform draws are estimated by Σ N w ℓ/(M Σ w), and by the weighted mean Σ w ℓ/Σ w, whose error is linearised.
    """
    rows = []
    for target in targets_of(pool, targets):
        losses, design = np.asarray(pool.losses(target)), recommend(pool, budget, target)
        plain = pool_profile(pool, design.scheme, design.risk)
        before = design.scheme.stratify(plain)
        ignoring = plain.stratum(before), design.scheme.allocate(before, budget)
        for seed in range(draws):
            weights = lognormal(cv, pool.n_items, seed)
            profile = weighted_as(plain, weights)
            strata = design.scheme.stratify(profile)
            own = exact_mse(weights * losses, profile.stratum(strata), design.scheme.allocate(strata, budget))
            residuals = weights * (losses - weights @ losses / losses.size)
            rows.append(
                {
                    "expanded": own / uniform_mse(weights * losses, budget),
                    "weighted mean": own / uniform_mse(residuals, budget),
                    "ignoring weights": own / exact_mse(weights * losses, *ignoring),
                }
            )
    return pd.DataFrame(rows)


def simulated(pool: Pool, cv: float, target: str, trials: int, seed: int = 0, budget: int = 100) -> tuple[float, float]:
    """Coverage of 95 % limits, and bias in standard errors, of simulated lists."""
    rng, losses, design = np.random.default_rng(seed), np.asarray(pool.losses(target)), recommend(pool, budget, target)
    weights = lognormal(cv, pool.n_items, seed)
    profile = weighted_as(pool_profile(pool, design.scheme, design.risk), weights)
    strata = design.scheme.stratify(profile)
    counts, band = design.scheme.allocate(strata, budget), bands(weights, design.scheme.n_strata)
    known = WeightedStrata.of(weights, profile.stratum(strata), band)
    scaled, labels = known.scaled(losses), np.full((trials, counts.size, counts.max()), np.nan)
    for h, many in enumerate(counts):
        member = np.flatnonzero(known.stratum == h)
        labels[:, h, :many] = scaled[member][rng.random((trials, member.size)).argsort(axis=1)[:, :many]]
    given = ~np.isnan(labels)
    drawn = np.where(given, labels, 0.0)
    values = drawn.sum(axis=-1) / counts @ known.share
    truth = float(weights @ losses / losses.size)
    limits = Interval().of_labels(
        drawn, given.astype(float), counts, known.sizes, weights=known.share, waves=known.bands
    )
    inside = (np.minimum(limits.low, values) <= truth) & (truth <= np.maximum(limits.high, values))
    return float(inside.mean()), float((values.mean() - truth) / values.std(ddof=1) * np.sqrt(trials))


@pytest.mark.parametrize("name", ["exams", "GSM8K", "demo"])
def test_weights_are_worth_labels(name, real_pool):
    pool = pool_of(name, real_pool)
    for cv, most in AIMS.items():
        table = cells(pool, cv, targets=1, draws=3).mean()
        assert table[["expanded", "weighted mean"]].max() <= most
        assert cv != AT or table["ignoring weights"] <= BESIDE


@pytest.mark.parametrize("cv", AIMS)
def test_limits_hold_whatever_the_weights(cv, real_pool):
    pool, trials = pool_of("exams", real_pool), 400
    inside, bias = simulated(pool, cv, targets_of(pool, 1)[0], trials)
    assert inside >= 0.94 - 4 * np.sqrt(0.94 * 0.06 / trials)
    assert abs(bias) <= 3


@pytest.mark.trial
@pytest.mark.parametrize("name", POOLS)
def test_table_of_weights_on_real_pools(name, real_pool):
    pool, trials = pool_of(name, real_pool), 2000
    rows = {}
    for cv in AIMS:
        table = cells(pool, cv, targets=4, draws=6).mean()
        ends = [simulated(pool, cv, target, trials, seed) for seed, target in enumerate(targets_of(pool, 3))]
        rows[cv] = [*table, min(one[0] for one in ends), max(abs(one[1]) for one in ends)]
        print(
            f"{name}, CV {cv}: ", dict(zip([*table.index, "coverage", "|bias z|"], np.round(rows[cv], 3), strict=True))
        )
    for cv, (expanded, mean, beside, inside, bias) in rows.items():
        assert max(expanded, mean) <= AIMS[cv]
        assert cv != AT or beside <= BESIDE
        assert inside >= 0.94 - 2 * np.sqrt(0.94 * 0.06 / trials)
        assert bias <= 3.2


@pytest.fixture(scope="module")
def pool() -> Pool:
    rng = np.random.default_rng(2)
    return Pool.from_records(
        {
            "id": f"q{number}",
            "prompt": f"Question {number}?",
            "group": "abc"[number % 3],
            "traffic": float(rng.lognormal(0, 1.2)),
            "same": 3,
            "generations": ["A" if rng.random() < 0.7 else "B" for _ in range(5)],
            "targets": {"one": {"loss": int(rng.random() < 0.3)}, "two": {"loss": int(rng.random() < 0.4)}},
        }
        for number in range(240)
    )


@pytest.fixture(scope="module")
def weighted(pool: Pool) -> Pool:
    return pool.weighted("traffic")


def test_equal_weights_draw_the_plan_without_weights_to_the_id(pool):
    for budget in (10, 41, 100):
        plain, same = (recommend(one, budget, "one").draw(one, seed=4) for one in (pool, pool.weighted("same")))
        assert plain.plan_id == same.plan_id
        assert plain.ids.tolist() == same.ids.tolist()
        assert plain.estimate(pool.losses("one")) == same.estimate(pool.losses("one"))


def test_a_manifest_keeps_the_weights(pool, weighted):
    plan = recommend(weighted, 60, "one").draw(weighted, seed=1)
    text = manifest.write(plan, "pool")
    # Also for a pool that has lost its weights, or got others.
    for other in (weighted, pool, pool.weighted({"a": 70})):
        again = manifest.reproduce(manifest.read(text), other)
        assert (again.plan_id, again.design.weights) == (plan.plan_id, plan.design.weights)
        assert again.estimate(pool.losses("one")) == plan.estimate(pool.losses("one"))
    assert plan.plan_id != recommend(pool, 60, "one").draw(pool, seed=1).plan_id


def test_a_manifest_without_weights_estimates_as_before(pool, weighted):
    plan = recommend(pool, 60, "one").draw(pool, seed=1)
    again = manifest.reproduce(manifest.read(manifest.write(plan, "pool")), weighted)
    assert again.estimate(pool.losses("one")) == plan.estimate(pool.losses("one"))


def test_other_weights_are_another_plan(pool):
    one, two = (recommend(p, 60).draw(p, seed=1) for p in (pool.weighted({"a": 70}), pool.weighted({"a": 69.99})))
    assert one.plan_id != two.plan_id


@pytest.mark.parametrize("budget", [1, 2, 3, 5, 20, 60, 200, 239, 240])
def test_any_budget_has_a_plan_that_larger_ones_extend(weighted, budget):
    plan = recommend(weighted, budget, "one").draw(weighted, seed=1)
    assert plan.ids.size == budget
    assert np.isfinite(plan.estimate(weighted.losses("one")).value)
    if plan.strata.n_strata < budget < 240:
        assert plan.with_budget(budget + 1).ids[:budget].tolist() == plan.ids.tolist()


def test_the_heaviest_items_are_drawn_for_certain(pool):
    weights = np.ones(240)
    weights[[7, 90]] = 500.0
    design = replace(recommend(pool, 40, "one"), weights=tuple(weights))
    plan = design.draw(pool, seed=3)
    assert {"q7", "q90"} <= set(plan.ids)


def test_bands_hold_like_weights_together():
    weights = np.repeat([1.0, 2.0, 30.0], [60, 30, 2])
    assert bands(weights, 50).tolist() == np.repeat([0, 1, 2], [60, 30, 2]).tolist()
    assert bands(np.random.default_rng(0).lognormal(0, 1, 500), 3).max() <= 2


REFUSED = {
    "two waves": lambda pool: Design(40, n_strata=5, waves=2, stratifier="equal-mass").draw(pool),
    "the paper's design": lambda pool: Design(40).draw(pool),
    "uniform draws": lambda pool: Design(40, allocation="uniform").draw(pool),
    "a gate between versions": lambda pool: gate(pool, "one", "two"),
    "a gate's labels": lambda pool: Prospect(pool, "one", 40).gate(0.7),
    "pairs": lambda pool: Prospect(pool, "one", 40).pairs(0.8, 0.05),
    "exact errors": lambda pool: Prospect(pool, "one", 40).errors([40]),
    "several criteria": lambda pool: judge(pool, [Criterion("same"), Criterion("other")], 40),
    "the best": lambda pool: best(pool),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_follow_weights_says_so(name, weighted):
    with pytest.raises(DesignError, match="weights"):
        REFUSED[name](weighted)


def test_verdicts_are_not_carried_over(weighted):
    design, half = recommend(weighted, 60, "one"), [0.0] * 120 + [None] * 120
    kept = carrying(design, weighted, "one", Carried(tuple(half), follows=True))
    assert kept.carried is None
    assert "No verdict is carried over, because items have weights." in kept.why
    with pytest.raises(DesignError, match="weights"):
        replace(design, carried=Carried(tuple(half), follows=True)).draw(weighted)


def test_the_forecast_is_the_width_to_expect(weighted):
    """Losses drawn as the belief has them: the mean half-width of lists is within a tenth of the forecast."""
    prospect = Prospect(weighted, "one", 60)
    frame, belief = prospect.frame, prospect.belief
    rng, halves = np.random.default_rng(5), []
    risk = middle_risks(frame, belief)[frame.level]
    for seed in range(60):
        plan = prospect.plan(seed)
        one = plan.estimate((rng.random(240) < risk).astype(float))
        halves.append((one.high - one.low) / 2)
    error = np.std(halves) / np.sqrt(len(halves))
    assert np.mean(halves) == pytest.approx(prospect.forecast.half_width, rel=0.1, abs=4 * error)


def test_nothing_but_weights_is_known():
    bare = Pool.from_records({"id": str(n), "prompt": f"{n}?", "traffic": 1 + n % 7} for n in range(60))
    pool = bare.weighted("traffic")
    design = recommend(pool, 20)
    assert design.why == "Weights are all that is known of the items."
    assert design.draw(pool, seed=0).ids.size == 20
    assert 0 < Prospect(pool, None, 20).forecast.half_width < 0.5
