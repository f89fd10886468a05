"""Estimates, standard errors and intervals: reference numbers, exact coverage, and the degenerate conventions."""

from __future__ import annotations

import itertools
import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from core.allocation import allocate, proxy_neyman
from core.errors import DesignError
from core.estimation import Estimate, sample, stratified, uniform
from core.simulation.replications import Samples
from core.words import INTERVAL_METHODS
from tests.core.wording import Saying

SIZES = (1400, 400, 400, 400, 400)


def labelled(counts: tuple[int, ...], ones: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Losses and strata of ``counts`` labelled items with ``ones`` losses of 1 in each stratum."""
    losses = [np.repeat([1.0, 0.0], [k, m - k]) for m, k in zip(counts, ones, strict=True)]
    return np.concatenate(losses), np.repeat(np.arange(len(counts)), counts)


def test_survey_package_d1() -> None:
    estimate = stratified(*labelled((25, 10, 11, 12, 12), (24, 9, 8, 7, 5)), SIZES)
    assert estimate.value == pytest.approx(0.798303030303, abs=1e-12)
    assert estimate.standard_error == pytest.approx(0.0402559406939, abs=1e-12)
    assert (estimate.low, estimate.high) == pytest.approx((0.702686, 0.872584), abs=5e-7)
    assert estimate.n_labels == 70
    assert estimate.method == INTERVAL_METHODS["tilted"]
    # As earlier versions called it.
    assert stratified(*labelled((25, 10, 11, 12, 12), (24, 9, 8, 7, 5)), SIZES, interval="wilson") == estimate


@pytest.mark.parametrize(
    ("interval", "low", "high"),
    [
        ("korn-graubard", 0.705819882560, 0.872234035309),
        ("wald", 0.717906365105, 0.878699695501),
    ],
)
def test_survey_package_d1_other_intervals(interval: str, low: float, high: float) -> None:
    estimate = stratified(*labelled((25, 10, 11, 12, 12), (24, 9, 8, 7, 5)), SIZES, interval=interval)
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=1e-9)
    assert estimate.method == INTERVAL_METHODS[interval]


def test_survey_package_d1_without_finite_population_correction() -> None:
    estimate = stratified(*labelled((25, 10, 11, 12, 12), (24, 9, 8, 7, 5)), SIZES, fpc=False)
    assert estimate.standard_error == pytest.approx(0.0407979585406, abs=1e-12)
    assert estimate.value == pytest.approx(0.798303030303, abs=1e-12)


def test_without_finite_population_correction_a_census_is_a_sample() -> None:
    estimate = stratified([1.0, 0.0, 0.0, 1.0], [0, 0, 0, 0], [4], fpc=False)
    assert estimate.standard_error == pytest.approx(math.sqrt(1 / 3 / 4))
    assert stratified([1.0, 0.0, 1.0], [0, 1, 1], (1, 2), fpc=False).method.endswith("strata of one label")


def test_survey_package_d1_satterthwaite() -> None:
    """56.63 degrees of freedom: the half-width in standard errors is that quantile of t."""
    estimate = stratified(*labelled((25, 10, 11, 12, 12), (24, 9, 8, 7, 5)), SIZES, bounded=False)
    half = stats.t(56.628688454916).ppf(0.975) * estimate.standard_error
    assert estimate.low == pytest.approx(estimate.value - half, abs=1e-9)
    assert estimate.high == pytest.approx(estimate.value + half, abs=1e-9)
    assert "Satterthwaite" in estimate.method


def test_survey_package_d2_lonely_stratum() -> None:
    losses, strata = labelled((10, 1, 5, 5, 5), (10, 1, 4, 3, 2))
    estimate = stratified(losses, strata, SIZES)
    assert estimate.value == pytest.approx(0.84, abs=1e-12)
    assert "pooled variance" in estimate.method
    pooled = sum(5 * p * (1 - p) for p in (0.8, 0.6, 0.4)) / (9 + 3 * 4)
    variance = sum((400 / 3000) ** 2 * (1 - 5 / 400) * 5 * p * (1 - p) / 4 / 5 for p in (0.8, 0.6, 0.4))
    assert estimate.standard_error**2 == pytest.approx(variance + (400 / 3000) ** 2 * (1 - 1 / 400) * pooled, abs=1e-14)


def test_survey_package_d2_without_the_lonely_strata_own_part() -> None:
    """The other strata's part is the reference's standard error with the lonely stratum removed."""
    terms = [(400 / 3000) ** 2 * (1 - 5 / 400) * 5 * p * (1 - p) / 4 / 5 for p in (0.8, 0.6, 0.4)]
    assert math.sqrt(sum(terms)) == pytest.approx(0.0529989517716, abs=1e-12)


def test_survey_package_d2_lonely_stratum_about_the_grand_mean() -> None:
    """The reference's choice "adjust": the lonely label's squared distance from the estimate in place of s²."""
    sampled = sample(*labelled((10, 1, 5, 5, 5), (10, 1, 4, 3, 2)), SIZES)
    others = sampled.terms[[0, 2, 3, 4]].sum()
    lonely = (400 / 3000) ** 2 * (1 - 1 / 400) * (1 - sampled.value) ** 2
    assert math.sqrt(others + lonely) == pytest.approx(0.0571214690132, abs=1e-12)


def test_survey_package_d2_lonely_stratum_with_the_others_average() -> None:
    """The reference's choice "average": the mean of the other strata's parts of the variance."""
    sampled = sample(*labelled((10, 1, 5, 5, 5), (10, 1, 4, 3, 2)), SIZES)
    others = sampled.terms[[0, 2, 3, 4]].sum()
    assert math.sqrt(others * 5 / 4) == pytest.approx(0.0592546294488, abs=1e-12)


def test_survey_package_d3_all_correct() -> None:
    estimate = stratified(*labelled((10, 5, 5, 5, 5), (10, 5, 5, 5, 5)), SIZES)
    assert (estimate.value, estimate.standard_error, estimate.high) == (1.0, 0.0, 1.0)
    assert 0.86 < estimate.low < 0.88


def test_survey_package_d4_census_stratum() -> None:
    estimate = stratified(*labelled((10, 5, 6), (6, 2, 3)), (10, 20, 30))
    assert estimate.value == pytest.approx(0.483333333333, abs=1e-12)
    assert estimate.standard_error == pytest.approx(0.122474487139, abs=1e-12)


def test_samplingbook_d7_simple_random_sample() -> None:
    estimate = uniform(np.repeat([1.0, 0.0], [45, 55]), 300)
    assert estimate.value == pytest.approx(0.45, abs=1e-15)
    assert estimate.standard_error == pytest.approx(0.0408, abs=5e-5)
    assert estimate.n_labels == 100


@pytest.mark.parametrize("wrong", [1, 5, 20, 50])
def test_near_a_census_limits_lie_on_the_grid_of_what_is_possible(wrong: int) -> None:
    """N = 100, M = 95, every number of wrong answers among the labels with its exact chance."""
    covered = 0.0
    for shown in range(max(0, wrong - 5), wrong + 1):
        estimate = uniform(np.repeat([1.0, 0.0], [shown, 95 - shown]), 100)
        assert (shown - 1e-9) / 100 <= estimate.low <= estimate.value <= estimate.high <= (shown + 5 + 1e-9) / 100
        steps = np.array([estimate.low, estimate.high]) * 100
        np.testing.assert_allclose(steps, np.rint(steps), atol=1e-9)
        inside = estimate.low - 1e-12 <= wrong / 100 <= estimate.high + 1e-12
        covered += inside * stats.hypergeom(100, wrong, 95).pmf(shown)
    assert covered >= 0.95 - 1e-12


def test_limits_of_other_losses_are_cut_and_not_rounded() -> None:
    losses = np.repeat([0.25, 0.5], [50, 45])
    estimate = uniform(losses, 100)
    assert losses.sum() / 100 <= estimate.low and estimate.high <= (losses.sum() + 5) / 100
    assert estimate.high * 100 != pytest.approx(round(estimate.high * 100), abs=1e-3)


@pytest.mark.parametrize(("labels", "items"), [(50, 300), (200, 400)])
def test_far_from_a_census_of_a_large_pool_limits_are_not_rounded(labels: int, items: int) -> None:
    """As many labels of one item fewer, with the same losses: below 300 items, or above half of the pool."""
    losses = np.repeat([1.0, 0.0], [labels * 2 // 5, labels * 3 // 5])
    plain, rounded = (uniform(losses, size) for size in (items, items - 1))
    assert plain.low * items != pytest.approx(round(plain.low * items), abs=1e-3)
    assert rounded.low * (items - 1) == pytest.approx(round(rounded.low * (items - 1)), abs=1e-9)


def test_other_confidence_levels() -> None:
    losses, strata = labelled((25, 10, 11, 12, 12), (24, 9, 8, 7, 5))
    narrow, wide = (stratified(losses, strata, SIZES, confidence=c) for c in (0.5, 0.999))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


def test_an_estimate_shows_itself_in_a_line_and_as_a_frame() -> None:
    estimate = stratified(*labelled((25, 10, 11, 12, 12), (24, 9, 8, 7, 5)), SIZES)
    assert repr(estimate) == Saying("mean loss", "0.798 (0.703 to 0.873)", "70 labels", "Tilted model")
    assert repr(stratified([-1.0, 1.0, 3.0], [0, 0, 0], [9], bounded=False)).startswith(
        "Estimate of mean loss: 1.000 (−"
    )
    frame = estimate.summary_frame()
    assert frame.columns.tolist() == [
        "value",
        "standard_error",
        "low",
        "high",
        "n_labels",
        "method",
        "measure",
        "warning",
    ]
    assert tuple(frame.iloc[0]) == astuple(estimate)
    assert repr(sample([1.0, 0.0, 0.0], [0, 0, 1], (10, 2000))) == Saying("3 labels", "2 strata", "2,010 items")


@st.composite
def labels(draw: st.DrawFn, loss: st.SearchStrategy[float]) -> tuple[list[float], list[int], list[int]]:
    """Losses, strata, sizes of a labelled sample; full, lonely and constant strata among them."""
    counts = draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    sizes = [m + draw(st.sampled_from([0, 1, 50, 100_000])) for m in counts]
    strata = [h for h, m in enumerate(counts) for _ in range(m)]
    constant = draw(st.one_of(st.none(), loss))
    losses = [draw(loss) if constant is None else constant for _ in strata]
    return losses, strata, sizes


@given(labels(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))), st.floats(0.01, 0.999))
@example(([2.2250738585e-313] * 3, [0, 1, 1], [1, 52]), 0.5)
def test_bounded_intervals_stay_in_the_unit_interval_and_contain_the_value(
    sample: tuple[list[float], list[int], list[int]], confidence: float
) -> None:
    losses, strata, sizes = sample
    estimate = stratified(losses, strata, sizes, confidence)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    means = [np.mean([x for x, s in zip(losses, strata, strict=True) if s == h]) for h in range(len(sizes))]
    assert estimate.value == pytest.approx(np.average(means, weights=sizes), abs=1e-12)


@given(labels(st.floats(-1e6, 1e6)))
def test_unbounded_intervals_are_symmetric_about_the_value(sample: tuple[list[float], list[int], list[int]]) -> None:
    estimate = stratified(*sample, bounded=False)
    assert estimate.low <= estimate.value <= estimate.high
    if math.isfinite(estimate.low):
        assert estimate.high - estimate.value == pytest.approx(estimate.value - estimate.low, abs=1e-6)


@given(labels(st.sampled_from([0.0, 1.0])))
def test_accuracy_and_error_rate_mirror_each_other(sample: tuple[list[float], list[int], list[int]]) -> None:
    losses, strata, sizes = sample
    wrong, right = stratified(losses, strata, sizes), stratified([1 - x for x in losses], strata, sizes)
    np.testing.assert_allclose(
        [wrong.value, wrong.low, wrong.high], [1 - right.value, 1 - right.high, 1 - right.low], atol=1e-12
    )


@given(labels(st.floats(0, 1)), st.randoms(use_true_random=False))
def test_the_order_of_labels_does_not_matter(sample: tuple[list[float], list[int], list[int]], random: object) -> None:
    losses, strata, sizes = sample
    order = list(range(len(losses)))
    random.shuffle(order)  # type: ignore[attr-defined]
    first, second = (
        stratified(losses, strata, sizes),
        stratified([losses[i] for i in order], [strata[i] for i in order], sizes),
    )
    np.testing.assert_allclose(
        [first.value, first.standard_error], [second.value, second.standard_error], rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("loss", [0.1, 0.3, 0.7])
def test_equal_partial_losses_count_as_no_observed_spread(loss: float) -> None:
    """Rounding of a mean is no spread, and no interval has zero width."""
    estimate = stratified([loss] * 30, [0] * 13 + [1] * 17, (100, 200))
    assert estimate.standard_error == 0
    assert loss - 0.1 < estimate.low < loss - 0.01 and loss + 0.01 < estimate.high < loss + 0.1


def test_strata_that_differ_but_are_constant_within() -> None:
    estimate = stratified([0.1] * 6 + [0.7] * 6, [0] * 6 + [1] * 6, (100, 100))
    assert estimate.standard_error == 0
    assert estimate.value == pytest.approx(0.4)
    assert estimate.high - estimate.low > 0.25
    free = stratified([0.1] * 6 + [0.7] * 6, [0] * 6 + [1] * 6, (100, 100), bounded=False)
    assert free.value == estimate.value and free.standard_error == 0 and not free.has_interval
    assert (free.low, free.high) == (-math.inf, math.inf) and "no interval" in free.method


def test_a_census_has_no_uncertainty() -> None:
    estimate = stratified([1.0, 0.0, 0.0, 1.0, 1.0], [0, 0, 0, 1, 1], (3, 2))
    assert estimate == Estimate(0.6, 0.0, 0.6, 0.6, 5, "census: every item is labelled")
    assert stratified([7.5], [0], [1], bounded=False).high == 7.5


@pytest.mark.parametrize(("bounded", "low", "high"), [(True, 0.0, 1.0), (False, -math.inf, math.inf)])
def test_one_label_in_each_stratum_shows_no_spread(bounded: bool, low: float, high: float) -> None:
    estimate = stratified([1.0, 0.0], [0, 1], (10, 30), bounded=bounded)
    assert estimate.value == 0.25
    assert math.isnan(estimate.standard_error)
    assert (estimate.low, estimate.high) == (low, high)
    assert "no interval" in estimate.method


def test_a_stratum_of_one_item_needs_no_variance() -> None:
    estimate = stratified([1.0, 0.0, 1.0, 0.0], [0, 1, 1, 1], (1, 30))
    assert "pooled" not in estimate.method
    assert estimate.standard_error == pytest.approx(30 / 31 * math.sqrt(0.9 * (1 / 3) / 3))


def exact_coverage(sizes: tuple[int, ...], ones: tuple[int, ...], counts: tuple[int, ...]) -> float:
    """Probability that the interval contains the truth, summed over all numbers of ones that can be drawn."""
    truth = sum(ones) / sum(sizes)
    mass = [stats.hypergeom(n, k, m).pmf(np.arange(m + 1)) for n, k, m in zip(sizes, ones, counts, strict=True)]
    drawn = np.array(list(itertools.product(*(range(m + 1) for m in counts))))
    probability = np.prod([p[x] for p, x in zip(mass, drawn.T, strict=True)], axis=0)
    likely = probability > 1e-7
    return float(probability[likely] @ contained(sizes, counts, drawn[likely], truth))


def contained(sizes: tuple[int, ...], counts: tuple[int, ...], drawn: np.ndarray, truth: float) -> np.ndarray:
    """Whether the interval of each sample, by its numbers of ones, contains the truth."""
    m = np.array(counts)
    limits = Samples(m, np.array(sizes), drawn / m, drawn * (1 - drawn / m)).estimates()
    return ((limits["low"] <= truth) & (truth <= limits["high"])).to_numpy()


@pytest.mark.parametrize(("budget", "measured"), [(15, 0.979), (22, None)])
def test_wilson_covers_at_least_what_it_promises(budget: int, measured: float | None) -> None:
    """N = 3,000 at 81.9 % accuracy; the reference coverage was measured with 1,500 draws."""
    counts = tuple(allocate(proxy_neyman(SIZES, (1.0, 0.88, 0.74, 0.60, 0.45)), SIZES, budget).tolist())
    coverage = exact_coverage(SIZES, (1358, 360, 312, 248, 180), counts)
    assert coverage > 0.95
    if measured is not None:
        assert coverage == pytest.approx(measured, abs=4 * math.sqrt(measured * (1 - measured) / 1500))


@pytest.mark.parametrize(("budget", "measured"), [(70, 0.949), (200, 0.947)])
def test_wilson_coverage_by_simulation(budget: int, measured: float) -> None:
    rng, ones, trials = np.random.default_rng(2026), np.array([1358, 360, 312, 248, 180]), 1500
    counts = tuple(allocate(proxy_neyman(SIZES, (1.0, 0.88, 0.74, 0.60, 0.45)), SIZES, budget).tolist())
    drawn = rng.hypergeometric(ones, np.array(SIZES) - ones, counts, (trials, 5))
    covered = contained(SIZES, counts, drawn, ones.sum() / 3000).mean()
    error = math.sqrt(2 * measured * (1 - measured) / trials)
    assert covered == pytest.approx(measured, abs=4 * error)


@pytest.mark.parametrize(
    ("losses", "strata", "sizes", "message"),
    [
        ([1.0, 0.0], [0, 0], (5, 5, 5), "No item of strata 1 and 2 is labelled"),
        ([], [], (5,), "No item of stratum 0 is labelled"),
        ([1.0] * 4, [0, 0, 0, 1], (2, 5), "Stratum 0 has 3 labels but only 2 items"),
        ([1.0, math.nan], [0, 0], (5,), "1 of 2 losses are unknown"),
        ([1.0, 1.5], [0, 0], (5,), "outside 0 … 1"),
        ([1.0], [0, 0], (5,), "1 losses and 2 strata"),
        ([1.0, 0.0], [0, 2], (5, 5), "between 0 and 1"),
        ([1.0, 0.0], [0, -1], (5, 5), "between 0 and 1"),
        ([1.0, 0.0], [0.9, 0.1], (5,), "strata of the labelled items must be whole numbers"),
        ([1.0, 0.0], [0, math.nan], (5,), "strata of the labelled items must be whole numbers"),
        ([1.0, 0.0], [0, 0], (5.9,), "sizes of the strata must be whole numbers"),
        ([], [], (), "list of numbers of items, each at least 1"),
        ([1.0], [0], ((5, 5),), "list of numbers of items, each at least 1"),
        ([1.0], [0], 5, "list of numbers of items, each at least 1"),
        (["right"], [0], (5,), "Some losses are not numbers"),
    ],
)
def test_errors_say_what_to_do(losses: list[float], strata: list[int], sizes: tuple[int, ...], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        stratified(losses, strata, sizes)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, math.nan])
def test_the_confidence_level_is_a_share(confidence: float) -> None:
    with pytest.raises(DesignError, match="between 0 and 1"):
        uniform([0.0, 1.0], 10, confidence)
