"""Design effect, what Uniform would have given, and top-up."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.allocation import allocate, proxy_neyman
from core.design import Design, recommend
from core.errors import DesignError
from core.estimation import Precision, Sample, precision, sample, stratified, top_up, top_ups, uniform
from core.estimation.efficiency import design_effect, population_variance
from core.estimation.intervals import WILSON, Interval
from core.estimation.samples import Samples
from core.pool import Pool
from core.readers import read
from core.stratification import profile
from tests.conftest import ROOT
from tests.pools import path_of

SIZES, PLAIN = (1400, 400, 400, 400, 400), Interval(conservative=False)
WEIGHTS = proxy_neyman(SIZES, (1.0, 0.88, 0.74, 0.60, 0.45))


def labelled(counts: tuple[int, ...], ones: tuple[int, ...], sizes: tuple[int, ...] = SIZES) -> Sample:
    losses = [np.repeat([1.0, 0.0], [k, m - k]) for m, k in zip(counts, ones, strict=True)]
    return sample(np.concatenate(losses), np.repeat(np.arange(len(counts)), counts), sizes)


D1 = labelled((25, 10, 11, 12, 12), (24, 9, 8, 7, 5))


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
        counts = np.array([budget // 2, budget // 2])
        variance = float((0.25 * (1 - counts / 100_000) * sampled.variances / counts).sum())
        limits = WILSON.limits(sampled.value, variance, budget, budget - 2)
        return float(limits.high - limits.low) / 2

    assert half(int(1.01 * more.total) // 2 * 2) < 0.01 < half(int(0.99 * more.total) // 2 * 2)
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


@given(st.lists(st.floats(0, 1), min_size=5, max_size=5), st.floats(0.9, 0.9999), st.booleans())
def test_a_wish_that_is_not_fulfilled_takes_a_further_label(
    shares: list[float], part: float, conservative: bool
) -> None:
    """Whatever draws of the strata say, the labels at hand are known not to do."""
    ones = tuple(round(m * p) for m, p in zip(D1.counts.tolist(), shares, strict=True))
    sampled = labelled(tuple(D1.counts.tolist()), ones)
    interval = Interval(conservative=conservative)
    now = top_up(WEIGHTS, sampled, 0.99, interval).current
    more = top_up(WEIGHTS, sampled, part * now, interval)
    assert not more.reached and more.current == now
    assert more.further == more.total - 70 >= 1
    assert 70 <= more.least <= more.total <= more.most


def test_a_wider_interval_than_planned_is_taken_at_its_word() -> None:
    more = top_up(WEIGHTS, D1, 0.15, current=0.2)
    assert (more.reached, more.total, more.further) == (False, 71, 1)


@pytest.mark.parametrize("sizes", [(30, 20, 20, 20, 20), SIZES])
def test_the_width_at_hand_is_the_intervals_own(sizes: tuple[int, ...]) -> None:
    sampled = labelled((26, 4, 5, 16, 3), (20, 4, 3, 9, 1), sizes)
    for wide in (False, True):
        alone = stratified(sampled.losses, sampled.strata, sizes, conservative=wide)
        more = top_up(WEIGHTS, sampled, 0.99, Interval(conservative=wide))
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


@dataclass(frozen=True)
class Known:
    """A pool all of whose losses are known, and the design of its first labels."""

    losses: np.ndarray
    member: np.ndarray
    sizes: np.ndarray
    weights: np.ndarray
    counts: np.ndarray
    turns: np.ndarray

    def shared(self, budget: int) -> np.ndarray:
        labels = np.empty_like(self.sizes)
        labels[self.turns] = allocate(self.weights[self.turns], self.sizes[self.turns], budget)
        return labels

    @property
    def ones(self) -> np.ndarray:
        return np.bincount(self.member, weights=self.losses).round().astype(int)

    def drawn(self, rng: np.random.Generator, counts: np.ndarray, times: int) -> np.ndarray:
        pairs = zip(self.ones, self.sizes - self.ones, counts, strict=True)
        return np.stack([rng.hypergeometric(one, none, m, times) for one, none, m in pairs], axis=1)

    def half_width(self, rng: np.random.Generator, budget: int, interval: Interval) -> float:
        """Mean half-width over 1,000 samples. Their median jumps if single wrong answers decide."""
        counts = self.shared(budget)
        ones = self.drawn(rng, counts, 1000)
        table = Samples(counts, self.sizes, ones / counts, ones * (counts - ones) / counts).estimates(interval)
        return float((table["high"] - table["low"]).mean()) / 2

    def needed(self, rng: np.random.Generator, half_width: float, interval: Interval = PLAIN) -> int:
        """Smallest budget whose mean half-width is the wanted one.

        It falls with each label but where strata cease to be fine: with the first stratum of four labels, limits begin
        to reach as far as rare errors demand.
        """
        low, high = int(self.counts.sum()), int(self.sizes.sum())
        last_fine = 3 * self.sizes.size
        if low < last_fine < high and self.half_width(rng, last_fine, interval) <= half_width:
            high = last_fine
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.half_width(rng, middle, interval) <= half_width else (middle + 1, high)
        return low

    def needed_at_the_edge(self, rng: np.random.Generator, half_width: float, needed: int) -> tuple[int, int]:
        """The labels needed for a width 1 % larger and smaller if strata cease to be fine between these.

        So far the wanted width, rounded to .001, and that of 1,000 samples are off. Elsewhere this moves the labels
        needed by 2 %; where the last fine strata have just the wanted width, either 30 or 36 labels have it.
        """
        least, most = (self.needed(rng, half_width * factor, WILSON) for factor in (1.01, 1 / 1.01))
        return (least, most) if least <= 3 * self.sizes.size < most else (needed, needed)

    def saved(self) -> float:
        """Share of Uniform's labels that the design truly saves."""
        n_items, share = self.losses.size, self.sizes / self.losses.size
        sample_variances = np.array([self.losses[self.member == h].var(ddof=1) for h in range(self.sizes.size)])
        variance = float((share**2 * (1 - self.counts / self.sizes) * sample_variances / self.counts).sum())
        return 1 - float(self.counts.sum()) * (variance / float(self.losses.var(ddof=1)) + 1 / n_items)

    def samples(self, rng: np.random.Generator, times: int) -> list[Sample]:
        rows = self.drawn(rng, self.counts, times).tolist()
        return [labelled(tuple(self.counts.tolist()), tuple(row), tuple(self.sizes.tolist())) for row in rows]


def known(path: Path, target: int, budget: int) -> Known:
    pool = read(path)
    known = profile(pool.classes())
    plan = Design(budget, seed=0).draw(pool, profile=known)
    member = plan.stratum
    losses = pool.losses(list(pool.targets)[target])
    return Known(losses, member, plan.strata.sizes, plan.weights, plan.allocation, plan.turns)


SAMPLES = 60
DEMO = ROOT / "data" / "demo.jsonl.gz"


def check(pool: Known, half_width: float) -> None:
    """Median of the planned totals, and how often the ranges hold what is true, within three standard errors."""
    rng = np.random.default_rng(11)
    needed, samples = pool.needed(rng, half_width), pool.samples(rng, SAMPLES)
    plans = [more for sampled in samples if not (more := top_up(pool.weights, sampled, half_width, PLAIN)).reached]
    assert 0.85 < float(np.median([more.total for more in plans])) / needed < 1.15
    room = 3 * math.sqrt(0.7 * 0.3 / SAMPLES)
    assert np.mean([more.least <= needed <= more.most for more in plans]) > 0.75 - room
    spans = [(one.saved_least, one.saved_most) for one in map(precision, samples)]
    assert np.mean([low <= pool.saved() <= high for low, high in spans]) > 0.8 - room


@pytest.mark.parametrize(("budget", "half_width"), [(40, 0.06), (70, 0.05), (100, 0.04)])
def test_ranges_hold_the_truth_on_the_demo_pool(budget: int, half_width: float) -> None:
    check(known(DEMO, 0, budget), half_width)


@pytest.mark.parametrize(
    ("name", "target", "budget", "half_width"),
    [
        ("gsm8k-committee10.jsonl", 1, 70, 0.04),
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
    value, variances = np.concatenate(pool).mean(), np.array([part.var(ddof=1) for part in pool])

    def half(budget: int) -> float:
        labels = allocate(WEIGHTS, sizes, budget)
        variance = float(((np.array(sizes) / 3000) ** 2 * (1 - labels / np.array(sizes)) * variances / labels).sum())
        limits = WILSON.limits(value, variance, budget, budget - 5)
        return float(limits.high - limits.low) / 2

    needed = next(budget for budget in range(60, 3000) if half(budget) <= 0.035)
    ranges = []
    for _ in range(SAMPLES):
        drawn = [rng.choice(part, m, replace=False) for part, m in zip(pool, counts, strict=True)]
        sampled = sample(np.concatenate(drawn), np.repeat(np.arange(5), counts), sizes)
        ranges.append(top_up(WEIGHTS, sampled, 0.035, PLAIN))
    assert 0.85 < float(np.median([more.total for more in ranges])) / needed < 1.15
    assert np.mean([more.least <= needed <= more.most for more in ranges]) > 0.7


def test_the_same_labels_say_the_same() -> None:
    assert top_up(WEIGHTS, D1, 0.03) == top_up(WEIGHTS, D1, 0.03)
    assert precision(D1) == precision(D1)


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
def test_a_range_of_savings_of_fine_strata_holds_however_few_have_two_labels(labels: int, shuffled: bool) -> None:
    """Thirty strata cut at 35 labels claimed 41 % saved from five pairs, and whole lists that shuffled losses save."""
    pool = read(path_of("exams-gpt35-k10"))
    truth, found = savings(pool, next(iter(pool.targets)), 60, labels, shuffled, SAMPLES)
    if labels == 35:
        assert all(math.isnan(one.saved_least) and math.isnan(one.saved_most) for one in found)
        return
    ranges = [(one.saved_least, one.saved_most) for one in found if one.uniform_needed is not None]
    assert len(ranges) > SAMPLES / 2 and np.mean([low <= truth <= high for low, high in ranges]) >= 0.75
    if shuffled:
        assert np.mean([low > 0 for low, _ in ranges]) < 0.1


@pytest.mark.trial
def test_a_range_of_savings_of_fine_strata_holds_on_every_pool() -> None:
    """Whole lists, and lists with 8, 12 or 20 labels more than strata; 50 samples a cell."""
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


def test_errors() -> None:
    with pytest.raises(DesignError, match="above 0"):
        top_up(WEIGHTS, D1, 0.0)
    with pytest.raises(DesignError, match=r"0\.05"):
        top_up(WEIGHTS, D1, 5)
    assert top_up([1.0, 1.0], labelled((3, 3), (1, 2), (10, 30)), 5, Interval(bounded=False)).reached
    with pytest.raises(DesignError, match="no variance to plan from"):
        top_up([1.0, 1.0], labelled((1, 1), (1, 0), (10, 30)), 0.05)


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


def forecasts(
    pool: Known, half_width: float, needed: int, edge: tuple[int, int], drawn: list[Sample]
) -> tuple[float, float, float]:
    """Median of the planned totals over the truth, how often the range holds it, and the median's standard error.

    Totals between the ends of an edge are right, and others are divided by the nearer end.
    """
    # Of few labels many samples are alike, and so are their plans.
    alike = {one.losses.tobytes(): one for one in drawn}
    planned = {key: top_up(pool.weights, one, half_width, WILSON, turns=pool.turns) for key, one in alike.items()}
    plans = [planned[one.losses.tobytes()] for one in drawn]
    held = [plan.least <= needed <= plan.most for plan in plans if not plan.reached]
    ratios = [plan.total / min(max(plan.total, edge[0]), edge[1]) for plan in plans]
    low, median, high = np.quantile(ratios, 0.5 + np.array([-0.5, 0, 0.5]) / len(drawn) ** 0.5)
    return float(median), float(np.mean(held)), float(high - low) / 2


def once_for_each_sample(wider: Callable[..., object]) -> Callable[..., object]:
    seen: dict[int, object] = {}

    def remembered(weights: np.ndarray, turn: np.ndarray, sampled: Sample, *others: object) -> object:
        if id(sampled) not in seen:
            seen[id(sampled)] = wider(weights, turn, sampled, *others)
        return seen[id(sampled)]

    return remembered


def fine_cells(
    path: Path, target: int, budgets: tuple[int, ...], times: int, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[float, float, float]]:
    """`forecasts` of the recommended design for the width of 1.5, 2.2 and 4 times the labels."""
    wider = top_ups._wider
    pool, found = read(path), list[tuple[float, float, float]]()
    judged = list(pool.targets)[target]
    for budget in budgets:
        plan = recommend(pool, budget, judged).draw(pool, seed=0)
        known = Known(pool.losses(judged), plan.stratum, plan.strata.sizes, plan.weights, plan.allocation, plan.turns)
        drawn = known.samples(np.random.default_rng(3), times)
        # What intervals of more labels are like is imagined once for each sample, whatever width is asked for.
        monkeypatch.setattr(top_ups, "_wider", once_for_each_sample(wider))
        for times_more in (more for more in (1.5, 2.2, 4) if more * budget <= pool.n_items / 3):
            rng = np.random.default_rng(1)
            half = round(known.half_width(rng, int(times_more * budget), WILSON), 3)
            needed = known.needed(rng, half, WILSON)
            edge = known.needed_at_the_edge(rng, half, needed)
            ratio, held, error = forecasts(known, half, needed, edge, drawn)
            truth = f"{needed} needed" + (f", or {edge[0]} to {edge[1]}" if edge[0] < edge[1] else "")
            print(f"{path.stem}, {judged}, M = {budget}: {truth}, median {ratio:.2f} ± {error:.2f}, held in {held:.0%}")
            found.append((ratio, held, error))
    return found


def test_labels_needed_in_fine_strata_come_from_the_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three labels of the pool for each stratum of two asked for 1.4 times as many, and no range held the truth."""
    for ratio, held, _ in fine_cells(path_of("exams-gpt35-k10"), 0, (60,), 40, monkeypatch):
        assert 0.8 < ratio < 1.25 and held > 0.75 - 3 * math.sqrt(0.75 * 0.25 / 40)


def test_labels_needed_are_right_where_one_wrong_answer_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.80 to 0.88 of the truth where half of all samples showed a smaller variance and were believed."""
    for ratio, held, _ in fine_cells(path_of("gsm8k-committee10"), 0, (20,), 250, monkeypatch):
        assert 0.9 <= ratio <= 1.1 and held >= 0.9


def test_labels_needed_know_how_wide_intervals_of_more_labels_are() -> None:
    """Where strata cease to be fine, a seventh wider than by their formula: 39 labels were asked for, 44 needed."""
    pool = read(DEMO)
    judged = next(iter(pool.targets))
    plan = recommend(pool, 20, judged).draw(pool, seed=0)
    known = Known(pool.losses(judged), plan.stratum, plan.strata.sizes, plan.weights, plan.allocation, plan.turns)
    half = known.half_width(np.random.default_rng(1), 44, WILSON)
    plain, totals = replace(WILSON, conservative=False), list[tuple[int, int]]()
    for one in known.samples(np.random.default_rng(3), 9):
        plans = (top_up(known.weights, one, half, how, turns=known.turns) for how in (WILSON, plain))
        totals.append((next(plans).total, next(plans).total))
    wide, narrow = np.median(totals, axis=0)
    assert 0.9 <= wide / 44 <= 1.1 and narrow / 44 < 0.9


POOLS = {"demo": DEMO, "mmlu-pro": ROOT / "data" / "mmlu-pro.parquet"}


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
def test_labels_needed_in_fine_strata_on_real_pools(name: str, target: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two standard errors of the median aside: of 40 rounds it is off by up to a fifth if few answers are wrong."""
    found = fine_cells(POOLS.get(name) or path_of(name), target, (20, 40, 60, 100), 250, monkeypatch)
    ratios, shares, errors = (np.array(column) for column in zip(*found, strict=True))
    print(
        f"{name}, {target}: {len(found)} cells, medians {ratios.min():.3f} to {ratios.max():.3f}, "
        f"held in {shares.min():.0%} at least"
    )
    assert shares.min() >= 0.75 and (ratios + 2 * errors).min() >= 0.9 and (ratios - 2 * errors).max() <= 1.1
