"""Warnings of uneven designs: whom they spare, what they propose, and that they come if intervals fall short."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from core.design import Scheme, guard, recommend
from core.design.guard import FLOOR
from core.errors import DesignError
from core.estimation.variance import unequal_weighting
from core.simulation.replications import Samples
from core.stratification import METHODS, Stratification, profile, signal_profile
from tests.pools import opened

# Strata of four real pools (ten exams, GSM8K, BLINK, MMLU-Pro) with their self-consistency.
POOLS = {
    "exams": ((321, 173, 175, 169, 162), (1.0, 0.87, 0.71, 0.55, 0.40)),
    "gsm8k": ((198, 290, 266, 278, 287), (1.0, 0.87, 0.74, 0.61, 0.37)),
    "blink": ((84, 477, 402, 499, 439), (1.0, 0.80, 0.61, 0.53, 0.40)),
    "mmlu": ((690, 2678, 2873, 3010, 2781), (1.0, 0.78, 0.55, 0.45, 0.30)),
}
TRIALS = 2000


def strata_of(sizes, consistency) -> Stratification:
    order = np.arange(len(sizes))
    return Stratification(order, np.array(sizes), np.array(consistency, dtype=float), order * 1.0, order * 1.0)


def offset(delta: float) -> Scheme:
    return Scheme(offset=delta)


def rule(name: str) -> Scheme:
    return Scheme(allocation=name)


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("budget", [20, 50, 100, 200])
def test_the_papers_offset_is_never_warned_of_and_a_safe_one_is_safe(name: str, budget: int) -> None:
    strata = strata_of(*POOLS[name])
    assert all(guard(offset(delta), strata, budget) is None for delta in (0.5, 0.75, 1, 2))
    for scheme in (*map(offset, (0.02, 0.05, 0.1, 0.2, 0.3)), rule("equal"), rule("power"), rule("proportional")):
        danger = guard(scheme, strata, budget)
        if danger is None:
            continue
        assert danger.safe != scheme and danger.safe_budget == budget and danger.way in danger.sentence
        assert guard(danger.safe, strata, budget) is None
        if scheme.allocation == "proxy-neyman":
            assert danger.safe.offset > scheme.offset and f"δ = {danger.safe.offset:g}" in danger.way
        else:
            assert danger.safe == rule("proportional")
        labels = scheme.allocate(strata, budget)
        assert danger.labels == labels[danger.stratum]
        assert danger.lowest == pytest.approx((labels / strata.sizes).min() * strata.n_items / budget)


def test_a_small_offset_is_warned_of() -> None:
    danger = guard(offset(0.05), strata_of(*POOLS["exams"]), 100)
    assert danger is not None and danger.stratum == 0 and danger.lowest < 0.2
    assert "by chance" in danger.sentence and "exceed Uniform’s" in danger.sentence
    assert guard(offset(0.4), strata_of(*POOLS["blink"]), 50) is None, "one label too few in a small stratum"


def test_equal_numbers_in_strata_of_unlike_sizes_are_warned_of() -> None:
    """In two strata none gets less than half of its share, but the error can be nearly twice Uniform's."""
    strata = strata_of((198, 1121), (1.0, 0.6))
    danger = guard(rule("equal"), strata, 50)
    assert danger is not None and danger.lowest > FLOOR and danger.safe == rule("proportional")
    assert "share would be 42" in danger.sentence and "by chance" not in danger.sentence
    assert guard(rule("equal"), strata_of((500, 500), (1.0, 0.6)), 50) is None
    assert guard(Scheme(allocation="uniform"), strata_of((1319,), (0.7,)), 1) is None


@pytest.mark.parametrize("name", ["proportional", "proxy-neyman", "equal"])
def test_with_a_label_in_each_stratum_it_names_more_labels(name: str) -> None:
    strata = strata_of((900, 50, 25, 25), (1.0, 0.5, 0.5, 0.5))
    danger = guard(rule(name), strata, 4)
    assert danger is not None and 4 < danger.safe_budget < 40 and f"{danger.safe_budget} labels" in danger.way
    assert guard(danger.safe, strata, danger.safe_budget) is None


def test_a_stratum_beside_many_tiny_ones_needs_more_labels() -> None:
    """Nineteen strata of an item each take one label each, whatever the rule."""
    danger = guard(offset(0.1), strata_of((400, *[1] * 19), (1.0, *[0.5] * 19)), 22)
    assert danger is not None and danger.safe_budget > 22


FLOORS = (0.0, 0.05, 0.25, 0.5, 1.0)


@pytest.mark.parametrize("risk", ["spread", "certain", "0 or 1", "rare"])
def test_equal_mass_is_safe_from_a_floor_of_a_half_on(risk: str) -> None:
    rng = np.random.default_rng(0)
    p = {
        "spread": rng.random(1000),
        "certain": np.zeros(1000),
        "0 or 1": np.repeat([0.0, 1.0], 500),
        "rare": np.r_[np.zeros(900), rng.random(100)],
    }[risk]
    pool, warned = signal_profile(p, np.ones(1000), p), []
    for floor in FLOORS:
        scheme = Scheme(signal="risk", stratifier="equal-mass", n_strata=50, allocation="equal", floor=floor)
        strata = scheme.stratify(pool)
        danger = guard(scheme, strata, 100)
        assert strata.sizes.min() >= 2 and strata.sizes.sum() == 1000
        warned.append(danger is not None)
        if danger is not None:
            assert danger.safe == replace(scheme, floor=0.5) and "floor of 0.5" in danger.way
    assert not any(warned[FLOORS.index(0.5) :]) and warned[0] == (risk in ("spread", "rare"))


def test_equal_mass_of_certain_items_alone_has_equal_sizes() -> None:
    pool = signal_profile(np.zeros(60), np.ones(60), np.zeros(60))
    assert pool.stratify(6, "equal-mass", 0.0).sizes.tolist() == [10] * 6


def coverage(scheme: Scheme, strata: Stratification, budget: int, ones) -> float:
    """Share of simulated samples whose interval contains the truth."""
    size, counts, truth = strata.sizes, scheme.allocate(strata, budget), ones.sum() / strata.n_items
    rng = np.random.default_rng(2)
    drawn = rng.hypergeometric(ones, size - ones, counts, size=(TRIALS, size.size))
    limits = Samples(counts, size, drawn / counts, drawn * (counts - drawn) / counts).estimates()
    return float(((limits["low"] <= truth + 1e-12) & (truth - 1e-12 <= limits["high"])).mean())


def test_intervals_hold_whether_it_warns_or_not() -> None:
    """Uncalibrated surrogate: 44 % of the items on which it always agrees are wrong."""
    strata = strata_of(*POOLS["exams"])
    ones = np.rint(strata.sizes * (0.44, 0.3, 0.3, 0.3, 0.4)).astype(int)
    covered = {delta: coverage(offset(delta), strata, 100, ones) for delta in (0.02, 0.75)}
    assert guard(offset(0.02), strata, 100) is not None and covered[0.02] >= 0.94
    assert guard(offset(0.75), strata, 100) is None and covered[0.75] >= 0.94


@pytest.mark.parametrize(
    ("name", "numbers", "budgets", "targets"),
    [
        ("exams-gpt35-k10", (2, 10), (20, 100), 1),
        *(
            pytest.param(name, (2, 5, 10), (20, 50, 100), 3, marks=pytest.mark.trial)
            for name in ("exams-gpt35-k10", "gsm8k-committee10", "blink-vlm-committee10")
        ),
    ],
)
def test_coverage_of_every_design_of_the_pages_without_a_warning(
    name: str, numbers: tuple[int, ...], budgets: tuple[int, ...], targets: int
) -> None:
    pool = opened(name)
    known, losses = profile(pool.classes()), [pool.losses(target) for target in pool.targets][:targets]
    least = 0.93 - 3 * math.sqrt(0.93 * 0.07 / TRIALS)
    rules = (rule("equal"), rule("power"), rule("proportional"), *map(offset, (0.0, 0.3, 0.75)))
    designs = warned = 0
    for stratifier, n_strata, one in itertools.product(METHODS, numbers, rules):
        scheme = replace(one, stratifier=stratifier, n_strata=n_strata)
        strata = scheme.stratify(known)
        member = known.stratum(strata)
        for budget in budgets:
            designs += 1
            if guard(scheme, strata, budget) is not None:
                warned += 1
                continue
            assert unequal_weighting(scheme.allocate(strata, budget), strata.sizes) <= 1.25
            for loss in losses:
                ones = np.bincount(member, loss).astype(int)
                assert coverage(scheme, strata, budget, ones) >= least, (scheme, budget)
    assert warned < designs / 2


@pytest.mark.parametrize("name", ["exams-gpt35-k10", "gsm8k-committee10"])
@pytest.mark.parametrize("budget", [2, 5, 8, 20, 51, 100, 333, 600])
def test_recommended_designs_are_not_warned_of(name: str, budget: int) -> None:
    pool = opened(name)
    for design in (recommend(pool, budget, past=()), recommend(pool, budget, next(iter(pool.targets)))):
        assert guard(design.scheme, design.draw(pool, seed=0).strata, budget) is None


def test_two_waves_say_nothing_yet() -> None:
    assert guard(Scheme(waves=2, floor=0.0), strata_of((900, 100), (1.0, 0.5)), 20) is None


def test_guard_errors() -> None:
    strata = strata_of(*POOLS["exams"])
    with pytest.raises(DesignError, match="too small"):
        guard(Scheme(), strata, 4)
    with pytest.raises(DesignError, match="oracle"):
        guard(rule("oracle-neyman"), strata, 40)
