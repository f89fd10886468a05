"""Labels needed for a width, and their range."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.allocation import allocate
from core.design import recommend
from core.errors import DesignError
from core.estimation import Sample, sample, stratified, top_up
from core.estimation.efficiency import precision
from core.estimation.intervals import DEFAULT, Interval
from core.estimation.top_ups import half_widths
from core.readers import read
from core.simulation.replications import Samples
from tests.core.estimation.designs import D1, DEMO, POOLS, SAMPLES, SIZES, WEIGHTS, Known, known, labelled
from tests.pools import opened, path_of


@pytest.mark.parametrize("interval", ["wilson", "korn-graubard", "wald"])
def test_a_smaller_width_takes_more_labels(interval: str) -> None:
    plans = [top_up(WEIGHTS, D1, half_width, Interval(interval)) for half_width in (0.06, 0.04, 0.02)]
    assert not any(one.reached for one in plans)
    assert [one.total for one in plans] == sorted({one.total for one in plans})
    for one in plans:
        assert one.further == one.total - 70
        assert 70 <= one.least < one.total < one.most <= 3000


def test_labels_that_are_missing_come_first() -> None:
    """Where a stratum misses most of its labels, the list of fewer labels than planned would drop others' labels."""
    planned = allocate(np.array(WEIGHTS), SIZES, 70)
    counts = np.array([3, *planned[1:]])
    sampled = labelled(tuple(counts.tolist()), tuple((counts // 2).tolist()))
    more = top_up(WEIGHTS, sampled, 0.14, current=0.2)
    assert np.all(allocate(np.array(WEIGHTS), SIZES, more.least) >= counts)
    assert more.further == more.total - sampled.n_labels >= planned[0] - 3 - 2


def test_with_many_labels_a_top_up_is_the_fewest_labels() -> None:
    """Strata that are known well leave one number: so many labels have the wanted half-width, fewer have not."""
    sizes = (100_000, 100_000)
    sampled = labelled((2000, 2000), (600, 1000), sizes)
    more = top_up([1.0, 1.0], sampled, 0.01)

    def half(budget: int) -> float:
        """Mean over simulated samples of a pool like the labels."""
        counts, ones = np.array([budget // 2, budget // 2]), np.array([30_000, 50_000])
        drawn = np.random.default_rng(0).hypergeometric(ones, 100_000 - ones, counts, (50, 2))
        table = Samples(counts, np.array(sizes), drawn / counts, drawn * (counts - drawn) / counts).estimates()
        return float((table["high"] - table["low"]).mean()) / 2

    assert half(int(1.015 * more.total) // 2 * 2) < 0.01 < half(int(0.985 * more.total) // 2 * 2)
    assert more.most / more.least < 1.1


def test_a_wish_that_is_fulfilled_needs_nothing() -> None:
    additional = top_up(WEIGHTS, D1, 0.2)
    assert additional.reached
    assert (additional.total, additional.further, additional.least, additional.most) == (70, 0, 70, 70)
    alone = stratified(
        np.concatenate([np.repeat([1.0, 0.0], [k, m - k]) for m, k in zip(D1.counts, (24, 9, 8, 7, 5), strict=True)]),
        np.repeat(np.arange(5), D1.counts),
        SIZES,
    )
    assert additional.current == pytest.approx((alone.high - alone.low) / 2)


@given(st.lists(st.floats(0, 1), min_size=5, max_size=5), st.floats(0.9, 0.9999))
def test_a_wish_that_is_not_fulfilled_takes_a_further_label(shares: list[float], part: float) -> None:
    """Whatever draws of the strata say, the labels at hand are known not to do."""
    ones = tuple(round(m * p) for m, p in zip(D1.counts.tolist(), shares, strict=True))
    sampled = labelled(tuple(D1.counts.tolist()), ones)
    now = top_up(WEIGHTS, sampled, 0.99).current
    more = top_up(WEIGHTS, sampled, part * now)
    assert not more.reached and more.current == now
    assert more.further == more.total - 70 >= 1
    assert 70 <= more.least <= more.total <= more.most


def test_a_wider_interval_than_planned_is_taken_at_its_word() -> None:
    more = top_up(WEIGHTS, D1, 0.15, current=0.2)
    assert (more.reached, more.total, more.further) == (False, 71, 1)


@pytest.mark.parametrize("sizes", [(90, 60, 60, 60, 60), SIZES])
def test_the_width_at_hand_is_the_intervals_own(sizes: tuple[int, ...]) -> None:
    sampled = labelled((26, 4, 5, 16, 3), (20, 4, 3, 9, 1), sizes)
    alone = stratified(sampled.losses, sampled.strata, sizes)
    more = top_up(WEIGHTS, sampled, 0.99)
    assert more.current == pytest.approx((alone.high - alone.low) / 2, abs=1e-12)


def test_a_hair_of_width_takes_a_census() -> None:
    assert top_up(WEIGHTS, D1, 1e-9).total == 3000


def test_without_observed_spread_the_range_is_wide() -> None:
    additional = top_up(WEIGHTS, labelled((10, 5, 5, 5, 5), (10, 5, 5, 5, 5)), 0.03)
    assert 30 <= additional.least < additional.total < additional.most


def test_unbounded_losses() -> None:
    rng = np.random.default_rng(3)
    sampled = sample(rng.normal(5, 2, 40), np.repeat([0, 1], 20), (500, 700), bounded=False)
    more = top_up([1.0, 1.0], sampled, 0.3, Interval(bounded=False))
    # 1.96 · 2/√n = 0.3 → n ≈ 170 of an endless pool.
    assert 100 < more.total < 240
    assert 40 < more.least < more.total < more.most
    assert precision(sampled, Interval(bounded=False)).uniform.method.startswith("t,")


def test_unbounded_losses_count_as_many_as_they_are() -> None:
    """p(1 − p) is the variance of 0/1 losses alone, even where the mean happens to lie between 0 and 1."""
    losses = np.random.default_rng(3).normal(0.5, 2, 40)
    sampled = sample(losses, np.repeat([0, 1], 20), (500, 700), bounded=False)
    assert 0 < sampled.value < 1
    outlook = precision(sampled, Interval(bounded=False))
    assert outlook.effective_size == 40
    assert outlook.uniform.high - outlook.uniform.value == pytest.approx(
        stats.t(39).ppf(0.975) * outlook.uniform.standard_error
    )


def check(pool: Known, half_width: float) -> None:
    """Median of the planned totals, and how often the ranges hold what is true, within three standard errors."""
    rng = np.random.default_rng(11)
    needed, samples = pool.needed(rng, half_width), pool.samples(rng, SAMPLES)
    plans = [more for sampled in samples if not (more := top_up(pool.weights, sampled, half_width)).reached]
    ratio = float(np.median([more.total for more in plans])) / needed
    held = float(np.mean([more.least <= needed <= more.most for more in plans]))
    spans = [(one.saved_least, one.saved_most) for one in map(precision, samples)]
    saved = float(np.mean([low <= pool.saved() <= high for low, high in spans]))
    print(f"labels needed: median {ratio:.2f} of the truth, range held in {held:.0%}; saved: range held in {saved:.0%}")
    room = 3 * math.sqrt(0.7 * 0.3 / SAMPLES)
    assert 0.85 < ratio < 1.15 and held > 0.75 - room and saved > 0.8 - room


@pytest.mark.trial
@pytest.mark.parametrize(
    ("budget", "half_width"),
    [(70, 0.05), (40, 0.06), (100, 0.04)],
)
def test_ranges_hold_the_truth_on_the_demo_pool(budget: int, half_width: float) -> None:
    check(known(DEMO, 0, budget), half_width)


@pytest.mark.parametrize(
    ("name", "target", "budget", "half_width"),
    [
        pytest.param("gsm8k-committee10.jsonl", 1, 70, 0.04, marks=pytest.mark.trial),
        pytest.param("gsm8k-committee10.jsonl", 0, 100, 0.03, marks=pytest.mark.trial),
        pytest.param("exams-gpt35-k10.jsonl", 0, 70, 0.06, marks=pytest.mark.trial),
        ("blink-vlm-committee10.jsonl", 0, 70, 0.07),
    ],
)
def test_ranges_hold_the_truth_on_real_pools(
    real_pool: Callable[[str], Path], name: str, target: int, budget: int, half_width: float
) -> None:
    check(known(real_pool(name), target, budget), half_width)


def test_scores_between_0_and_1_have_a_range_too() -> None:
    """Half-width is that of the true strata of a pool of many-valued scores."""
    rng = np.random.default_rng(2)
    sizes, middles = (1500, 400, 400, 400, 300), (0.05, 0.15, 0.3, 0.45, 0.6)
    pool = [rng.beta(2 * a, 2 * (1 - a), n) for a, n in zip(middles, sizes, strict=True)]
    counts = allocate(WEIGHTS, sizes, 60)

    def half(budget: int) -> float:
        labels, widths = allocate(WEIGHTS, sizes, budget), list[float]()
        for _ in range(60):
            drawn = [rng.choice(part, m, replace=False) for part, m in zip(pool, labels, strict=True)]
            one = sample(np.concatenate(drawn), np.repeat(np.arange(5), labels), sizes).estimate()
            widths.append(one.high - one.low)
        return float(np.mean(widths)) / 2

    needed = next(budget for budget in range(60, 3000, 4) if half(budget) <= 0.035)
    ranges = []
    for _ in range(SAMPLES // 2):
        drawn = [rng.choice(part, m, replace=False) for part, m in zip(pool, counts, strict=True)]
        sampled = sample(np.concatenate(drawn), np.repeat(np.arange(5), counts), sizes)
        ranges.append(top_up(WEIGHTS, sampled, 0.035))
    assert 0.85 < float(np.median([more.total for more in ranges])) / needed < 1.15
    assert np.mean([more.least <= needed <= more.most for more in ranges]) > 0.7


def test_the_same_labels_say_the_same() -> None:
    assert top_up(WEIGHTS, D1, 0.03) == top_up(WEIGHTS, D1, 0.03)
    assert precision(D1) == precision(D1)


def test_errors() -> None:
    with pytest.raises(DesignError, match="above 0"):
        top_up(WEIGHTS, D1, 0.0)
    with pytest.raises(DesignError, match=r"0\.05"):
        top_up(WEIGHTS, D1, 5)
    assert top_up([1.0, 1.0], labelled((3, 3), (1, 2), (10, 30)), 5, Interval(bounded=False)).reached
    with pytest.raises(DesignError, match="no variance to plan from"):
        top_up([1.0, 1.0], labelled((1, 1), (1, 0), (10, 30)), 0.05)


def forecasts(pool: Known, half_width: float, needed: int, drawn: list[Sample]) -> tuple[float, float, float]:
    """Median of the planned totals over the truth, how often the range holds it, and the median's standard error."""
    # Of few labels many samples are alike, and so are their plans.
    alike = {one.losses.tobytes(): one for one in drawn}
    planned = {key: top_up(pool.weights, one, half_width, DEFAULT, turns=pool.turns) for key, one in alike.items()}
    plans = [planned[one.losses.tobytes()] for one in drawn]
    held = [plan.least <= needed <= plan.most for plan in plans if not plan.reached]
    ratios = [plan.total / needed for plan in plans]
    low, median, high = np.quantile(ratios, 0.5 + np.array([-0.5, 0, 0.5]) / len(drawn) ** 0.5)
    return float(median), float(np.mean(held)), float(high - low) / 2


def fine_cells(
    path: Path,
    target: int,
    budgets: tuple[int, ...],
    times: int,
    further: tuple[float, ...] = (2.2,),
) -> list[tuple[float, float, float]]:
    """`forecasts` of the recommended design for the width of some times the labels."""
    pool, found = read(path), list[tuple[float, float, float]]()
    judged = list(pool.targets)[target]
    for budget in budgets:
        plan = recommend(pool, budget, judged).draw(pool, seed=0)
        known = Known(pool.losses(judged), plan.stratum, plan.strata.sizes, plan.weights, plan.allocation, plan.turns)
        drawn = known.samples(np.random.default_rng(3), times)
        for times_more in (more for more in further if more * budget <= pool.n_items / 3):
            rng = np.random.default_rng(1)
            half = round(known.half_width(rng, int(times_more * budget), DEFAULT), 3)
            needed = known.needed(rng, half, DEFAULT)
            ratio, held, error = forecasts(known, half, needed, drawn)
            truth = f"{needed} needed"
            print(f"{path.stem}, {judged}, M = {budget}: {truth}, median {ratio:.2f} ± {error:.2f}, held in {held:.0%}")
            found.append((ratio, held, error))
    return found


def test_labels_needed_in_fine_strata_come_from_the_curve() -> None:
    """Three labels of the pool for each stratum of two asked for 1.4 times as many, and no range held the truth."""
    for ratio, held, _ in fine_cells(path_of("exams-gpt35-k10"), 0, (60,), 6):
        assert 0.8 < ratio < 1.25 and held > 0.75 - 3 * math.sqrt(0.75 * 0.25 / 6)


def test_strata_off_the_curve_are_known_by_how_many_pairs_differ() -> None:
    """Of rates in no order, the curve with a fixed weight asked for too many labels, and most ranges missed."""
    sizes, rates = np.full(50, 60), np.tile([0.0, 0.1, 0.9, 0.1, 0.5], 10)
    half, counts = 0.03, {budget: allocate(np.ones(50), sizes, budget) for budget in range(100, 900, 5)}
    widths = {
        m: half_widths(sizes, of, rates[None], rates[None] * (1 - rates), DEFAULT, True) for m, of in counts.items()
    }
    needed = next(budget for budget, found in widths.items() if found[0] <= half)
    ones = np.rint(sizes * rates).astype(int)
    drawn = np.random.default_rng(4).hypergeometric(ones, sizes - ones, 2, (12, 50)).tolist()
    plans = [top_up(np.ones(50), labelled((2,) * 50, tuple(row), tuple(sizes)), half) for row in drawn]
    assert 0.85 < np.median([one.total for one in plans]) / needed < 1.15
    assert np.mean([one.least <= needed <= one.most for one in plans]) >= 0.8


def test_labels_needed_are_right_where_one_wrong_answer_is_expected() -> None:
    """0.80 to 0.88 of the truth where half of all samples showed a smaller variance and were believed."""
    for ratio, held, _ in fine_cells(path_of("gsm8k-committee10"), 0, (20,), 40):
        assert 0.9 <= ratio <= 1.15 and held >= 0.9


def test_labels_needed_are_right_where_strata_cease_to_be_fine() -> None:
    pool = opened("demo")
    judged = next(iter(pool.targets))
    plan = recommend(pool, 20, judged).draw(pool, seed=0)
    known = Known(pool.losses(judged), plan.stratum, plan.strata.sizes, plan.weights, plan.allocation, plan.turns)
    half = known.half_width(np.random.default_rng(1), 44, DEFAULT)
    drawn = known.samples(np.random.default_rng(3), 9)
    totals = [top_up(known.weights, one, half, turns=known.turns).total for one in drawn]
    assert 0.9 <= np.median(totals) / 44 <= 1.1


@pytest.mark.trial
@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("demo", 0),
        *(("exams-gpt35-k10", target) for target in (0, 1)),
        *(("blink-vlm-committee10", target) for target in (0, 1)),
        *(("gsm8k-committee10", target) for target in (0, 1, 2, 3)),
        *(("mmlu-pro", target) for target in (0, 5, 11)),
    ],
)
def test_labels_needed_in_fine_strata_on_real_pools(name: str, target: int) -> None:
    """Two standard errors of the median aside: of 40 rounds it is off by up to a fifth if few answers are wrong."""
    found = fine_cells(POOLS.get(name) or path_of(name), target, (20, 40, 60, 100), 250, (1.5, 2.2, 4))
    ratios, shares, errors = (np.array(column) for column in zip(*found, strict=True))
    print(
        f"{name}, {target}: {len(found)} cells, medians {ratios.min():.3f} to {ratios.max():.3f}, "
        f"held in {shares.min():.0%} at least"
    )
    assert shares.min() >= 0.75 and (ratios + 2 * errors).min() >= 0.9 and (ratios - 2 * errors).max() <= 1.1
