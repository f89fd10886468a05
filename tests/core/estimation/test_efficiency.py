"""A sample beside a uniform one: the design effect, and the labels saved with their range."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.allocation import allocate, proxy_neyman
from core.design import recommend
from core.estimation import sample, top_up, uniform
from core.estimation.efficiency import Precision, design_effect, population_variance, precision
from core.pool import Pool
from core.readers import read
from tests.core.estimation.designs import D1, POOLS, SAMPLES, SIZES, WEIGHTS, Known, labelled
from tests.pools import path_of


def test_survey_package_d1_effective_size_and_design_effect() -> None:
    assert precision(D1).effective_size == pytest.approx(99.35899544920, abs=1e-9)
    assert precision(D1).design_effect == pytest.approx(0.71104245614, abs=1e-9)
    # With replacement the simple random sample has no finite-population correction.
    assert design_effect(D1) * (1 - 70 / 3000) == pytest.approx(0.694451465497, abs=1e-9)


def test_the_pools_variance_is_estimated_without_bias() -> None:
    """Mean over every stratified sample of a small pool."""
    strata = [np.array([0.0, 1.0, 1.0, 0.3]), np.array([0.0, 0.0, 1.0, 0.0, 0.7])]
    pool = np.concatenate(strata)
    variances = [
        population_variance(sample([*a, *b], [0] * 2 + [1] * 3, (4, 5)))
        for a in itertools.combinations(strata[0], 2)
        for b in itertools.combinations(strata[1], 3)
    ]
    assert min(variances) > 0
    assert np.mean(variances) == pytest.approx(np.var(pool, ddof=1), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.integers(0, 100))
def test_a_uniform_sample_is_worth_itself(losses: list[float], rest: int) -> None:
    size = len(losses) + rest
    sampled = sample(losses, [0] * len(losses), [size])
    outlook, estimate = precision(sampled), uniform(losses, size)
    assert (outlook.uniform.value, outlook.uniform.standard_error) == pytest.approx(
        (estimate.value, estimate.standard_error), abs=1e-9
    )
    if sampled.variance > 1e-12:
        assert outlook.uniform_needed == pytest.approx(len(losses), abs=1)
        assert outlook.design_effect == pytest.approx(1, abs=1e-6)
        assert (outlook.uniform.low, outlook.uniform.high) == pytest.approx((estimate.low, estimate.high), abs=1e-6)


def test_labels_that_uniform_needs_are_the_fewest() -> None:
    outlook, variance = precision(D1), population_variance(D1)

    def error(labels: int) -> float:
        return variance * (1 / labels - 1 / 3000)

    assert error(outlook.uniform_needed) <= D1.variance < error(outlook.uniform_needed - 1)
    assert outlook.saved(70) == pytest.approx(1 - 70 / outlook.uniform_needed)
    assert outlook.uniform.standard_error == pytest.approx(math.sqrt(error(70)))


def test_no_spread_and_census_have_no_design_effect() -> None:
    alike = precision(labelled((10, 5, 5, 5, 5), (10, 5, 5, 5, 5)))
    assert math.isnan(alike.design_effect)
    assert (alike.effective_size, alike.uniform_needed) == (30, None) and math.isnan(alike.saved(30))
    whole = precision(labelled((3, 2), (1, 1), (3, 2)))
    assert (whole.uniform.low, whole.uniform.high) == (0.4, 0.4)
    lonely = precision(labelled((1, 1), (1, 0), (10, 30)))
    assert math.isnan(lonely.uniform.standard_error)
    assert (lonely.uniform.low, lonely.uniform.high) == (0.0, 1.0)


@given(st.integers(2, 40), st.integers(0, 100), st.data())
def test_a_simple_random_samples_design_effect_is_one(labels: int, rest: int, data: st.DataObject) -> None:
    """It saves no label."""
    ones = data.draw(st.integers(1, labels - 1))
    sampled = labelled((labels,), (ones,), (labels + rest,))
    if rest == 0:
        assert math.isnan(design_effect(sampled))
    else:
        assert design_effect(sampled) == pytest.approx(1, abs=1e-9)
        assert precision(sampled).uniform_needed == labels and precision(sampled).saved(labels) == 0


def test_a_design_effect_by_hand() -> None:
    """Halves of a pool of 200 with 2 of 10 and 5 of 10: R̂ = 0.35, σ̂² = 0.35 · 0.65, s² = 1.6/9 and 2.5/9.

    V̂ = ¼ · 0.9 · (1.6 + 2.5)/90, and a simple random sample of 20 would have σ̂²/19 · 0.9.
    """
    sampled = labelled((10, 10), (2, 5), (100, 100))
    assert design_effect(sampled) == pytest.approx(0.25 * 0.9 * 4.1 / 90 / (0.35 * 0.65 / 19 * 0.9), rel=1e-12)
    # The pool's variance without bias is larger by V̂, and by N/(N − 1).
    assert population_variance(sampled) == pytest.approx(200 / 199 * (0.35 * 0.65 + 0.25 * 0.9 * 4.1 / 90), rel=1e-12)


def test_strata_that_are_constant_within_have_no_design_effect() -> None:
    """The pool varies, the estimate seems not to: that is no design of effect 0."""
    apart = labelled((10, 5), (10, 0), (100, 50))
    assert apart.variance == 0 and population_variance(apart) > 0
    assert math.isnan(design_effect(apart)) and precision(apart).uniform_needed is None
    assert math.isnan(design_effect(labelled((1, 1), (1, 0), (10, 30))))


def test_a_range_of_savings_holds_the_estimate() -> None:
    outlook = precision(D1)
    # Labels that Uniform needs are rounded up.
    assert 0 < outlook.saved_least < outlook.saved(70) < outlook.saved_most + 0.01 < 1
    alike = precision(labelled((10, 5, 5, 5, 5), (10, 5, 5, 5, 5)))
    assert math.isnan(alike.saved_least) and math.isnan(alike.saved_most)


def savings(
    pool: Pool, target: str, budget: int, labels: int, shuffled: bool, times: int
) -> tuple[float, list[Precision]]:
    """What the recommended design saves with so many labels of its list, and what samples of these say."""
    plan, losses = recommend(pool, budget, target).draw(pool, seed=0), pool.losses(target)
    losses = np.random.default_rng(3).permutation(losses) if shuffled else losses
    sizes = plan.strata.sizes
    counts = np.bincount(plan.stratum[plan.positions[:labels]], minlength=sizes.size)
    cut = Known(losses, plan.stratum, sizes, plan.weights, counts, plan.turns)
    return cut.saved(), [precision(one) for one in cut.samples(np.random.default_rng(1), times)]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("labels", [35, 42, 60])
def test_a_range_of_savings_of_fine_strata_waits_for_two_labels_each(labels: int, shuffled: bool) -> None:
    """Thirty strata cut at 35 labels claimed 41 % saved from five pairs, and whole lists that shuffled losses save.

    Until each stratum has two labels, the others' variance stands in for those of one, and no range is offered.
    """
    pool = read(path_of("exams-gpt35-k10"))
    truth, found = savings(pool, next(iter(pool.targets)), 60, labels, shuffled, SAMPLES)
    if labels < 60:
        assert all(math.isnan(one.saved_least) and math.isnan(one.saved_most) for one in found)
        return
    ranges = [(one.saved_least, one.saved_most) for one in found if one.uniform_needed is not None]
    assert len(ranges) > SAMPLES / 2 and np.mean([low <= truth <= high for low, high in ranges]) >= 0.75
    if shuffled:
        assert np.mean([low > 0 for low, _ in ranges]) < 0.1


@pytest.mark.trial
def test_a_range_of_savings_of_fine_strata_holds_on_every_pool() -> None:
    """Whole lists, and lists with 8, 12 or 20 labels more than strata, which offer none; 50 samples a cell."""
    held, claimed = list[float](), list[float]()
    for name in ("demo", "exams-gpt35-k10", "gsm8k-committee10", "blink-vlm-committee10"):
        pool = read(POOLS.get(name) or path_of(name))
        for target, budget, shuffled in itertools.product(list(pool.targets)[:2], (20, 30, 60, 200), (False, True)):
            for labels in (budget, *(budget // 2 + more for more in (8, 12, 20) if more < budget // 2)):
                truth, found = savings(pool, target, budget, labels, shuffled, 50)
                ranges = [(one.saved_least, one.saved_most) for one in found if not math.isnan(one.saved_least)]
                if ranges:
                    held.append(float(np.mean([low <= truth <= high for low, high in ranges])))
                if ranges and shuffled:
                    claimed.append(float(np.mean([low > 0 for low, _ in ranges])))
    lowest, most = 100 * min(held), 100 * max(claimed)
    print(
        f"{len(held)} cells: {lowest:.0f} % at least, {100 * np.mean(held):.1f} % on average; claimed in {most:.0f} %"
    )
    assert min(held) >= 0.7 and max(claimed) <= 0.1


@pytest.mark.parametrize("wrong", [27, 90])
def test_pairs_of_small_strata_alone_do_not_make_savings_of_fine_strata(wrong: int) -> None:
    """Ranges held in 53 and 88 % of samples, and excluded 0 in the others, where V̂ came from strata of 10 items."""
    sizes = np.repeat([10, 80], 10)
    member, losses = np.repeat(np.arange(20), sizes), np.zeros(900)
    losses[np.random.default_rng(0).permutation(900)[:wrong]] = 1
    pool = Known(losses, member, sizes, np.ones(20), np.full(20, 2), np.arange(20))
    found = [one for one in map(precision, pool.samples(np.random.default_rng(1), SAMPLES)) if one.uniform_needed]
    assert len(found) > SAMPLES / 2 and not any(one.saved_least > 0 for one in found)
    assert np.mean([one.saved_least <= pool.saved() <= one.saved_most for one in found]) >= 0.9


def test_strata_that_are_alike_save_nothing_for_certain() -> None:
    """More labels than their share for strata that are no different: savings are not claimed in 9 of 10 samples."""
    rng = np.random.default_rng(4)
    losses = np.concatenate([np.repeat([1.0, 0.0], [n // 5, n - n // 5]) for n in SIZES])
    member = np.repeat(np.arange(5), SIZES)
    alike = Known(losses, member, np.array(SIZES), WEIGHTS, allocate(np.array(WEIGHTS), SIZES, 70), np.arange(5))
    claimed = [precision(sampled).saved_least > 0 for sampled in alike.samples(rng, SAMPLES)]
    assert np.mean(claimed) < 0.1


def test_efficiency_shows_itself_in_a_line() -> None:
    assert "0.711" in repr(precision(D1)) and f"{precision(D1).uniform_needed} labels" in repr(precision(D1))
    more = top_up(WEIGHTS, D1, 0.03)
    assert "±0.03" in repr(more) and f"{more.further:,} more labels" in repr(more) and "80 % range" in repr(more)
    assert "unknown" in repr(precision(labelled((10, 5, 5, 5, 5), (10, 5, 5, 5, 5))))


@pytest.mark.parametrize(("shares", "most_said"), [((0.3,) * 5, 0.2), ((0.05, 0.2, 0.4, 0.5, 0.6), 1.0)])
def test_saved_labels_are_said_where_there_are_some_and_the_range_holds_the_truth(
    shares: tuple[float, ...], most_said: float
) -> None:
    """300 seeded samples of 100 labels by the paper's weights, from strata that differ and from strata that do not."""
    sizes, consistency = np.array([321, 173, 175, 169, 162]), np.array([1.0, 0.87, 0.71, 0.55, 0.4])
    counts = allocate(proxy_neyman(sizes, consistency), sizes, 100)
    ones = np.rint(sizes * np.array(shares)).astype(int)
    within, total = ones * (sizes - ones) / sizes / (sizes - 1), ones.sum()
    variance = ((sizes / 1000) ** 2 * (1 - counts / sizes) * within / counts).sum()
    truth = 1 - 100 * (variance / (total * (1000 - total) / 1000 / 999) + 1 / 1000)
    rng, said, covered, strata = np.random.default_rng(9), 0, 0, np.repeat(np.arange(5), counts)
    for _ in range(300):
        drawn = rng.hypergeometric(ones, sizes - ones, counts)
        losses = np.concatenate([np.repeat([1.0, 0.0], [k, m - k]) for k, m in zip(drawn, counts, strict=True)])
        reached = precision(sample(losses, strata, sizes))
        assert reached.saved_least <= reached.saved_most
        said, covered = said + (reached.saved_least > 0), covered + (reached.saved_least <= truth <= reached.saved_most)
    assert covered / 300 >= 0.8 and said / 300 <= most_said and (truth > 0) == (said > 150)
