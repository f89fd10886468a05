"""Ratios by linearisation, precision, recall, F1, and the paired difference of two targets."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from core.errors import DesignError
from core.estimation import Interval, stratified
from core.estimation.contrasts import METRICS, difference, metric, ratio

SIZES = (60, 40)
# Limits are not rounded to multiples of 1/N.
LARGE = (600, 400)
STRATA = [0] * 6 + [1] * 6
FREE = Interval(bounded=False)


def test_a_ratio_to_one_is_the_mean() -> None:
    losses = [1.0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0]
    plain = stratified(losses, STRATA, LARGE)
    estimate = ratio(losses, np.ones(12), STRATA, LARGE)
    assert (estimate.value, estimate.standard_error, estimate.low, estimate.high) == pytest.approx(
        (plain.value, plain.standard_error, plain.low, plain.high), abs=1e-12
    )


def test_ratio_by_hand() -> None:
    """Stratum 0: y = 3, 1 and x = 2, 2; stratum 1: y = 0, 4 and x = 4, 4; N = 10, 10.

    Ȳ = 2, X̄ = 3, R = 2/3; residuals y − 2x/3 = 5/3, −1/3 and −8/3, 4/3: s² = 2, 8.
    V = ¼ · 0.8 · (2 + 8)/2 / 9 = 1/9.
    """
    estimate = ratio([3.0, 1.0, 0.0, 4.0], [2.0, 2.0, 4.0, 4.0], [0, 0, 1, 1], (10, 10))
    assert estimate.value == pytest.approx(2 / 3)
    assert estimate.standard_error == pytest.approx(1 / 3)
    # Parts 1 : 4 with one degree each: (1 + 4)²/(1 + 16).
    t = stats.t(25 / 17).ppf(0.975)
    assert estimate.high - estimate.value == pytest.approx(t / 3)
    assert "linearised" in estimate.method


PREDICTED = np.array([1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1], dtype=bool)
TRUE = np.array([1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1], dtype=bool)


def test_metrics_are_those_of_the_weighted_counts() -> None:
    weight = np.repeat([10.0, 40 / 6], 6)
    tp, fp, fn = (float(weight[cell].sum()) for cell in (PREDICTED & TRUE, PREDICTED & ~TRUE, ~PREDICTED & TRUE))
    expected = {
        "accuracy": 1 - (fp + fn) / 100,
        "precision": tp / (tp + fp),
        "recall": tp / (tp + fn),
        "f1": 2 * tp / (2 * tp + fp + fn),
    }
    assert set(expected) == set(METRICS)
    for name, value in expected.items():
        estimate = metric(name, PREDICTED, TRUE, STRATA, SIZES)
        assert estimate.value == pytest.approx(value, abs=1e-12)
        assert 0 <= estimate.low < estimate.value < estimate.high <= 1
    assert metric("precision", PREDICTED, TRUE, STRATA, SIZES).n_labels == 7


def test_f1_has_the_standard_error_of_the_delta_method() -> None:
    """The gradient of 2a/(b+c) at the means of TP, prediction and truth, with their stratified covariance."""
    rows = np.stack([PREDICTED & TRUE, PREDICTED, TRUE]).astype(float)
    share, means, covariance = np.array([0.6, 0.4]), np.zeros(3), np.zeros((3, 3))
    for h, size in enumerate(SIZES):
        in_stratum = rows[:, np.array(STRATA) == h]
        means += share[h] * in_stratum.mean(axis=1)
        covariance += share[h] ** 2 * (1 - 6 / size) * np.cov(in_stratum) / 6
    a, b, c = means
    gradient = np.array([2 / (b + c), -2 * a / (b + c) ** 2, -2 * a / (b + c) ** 2])
    estimate = metric("f1", PREDICTED, TRUE, STRATA, SIZES)
    assert estimate.standard_error == pytest.approx(math.sqrt(gradient @ covariance @ gradient), abs=1e-12)


@pytest.mark.parametrize("name", ["precision", pytest.param("recall", marks=pytest.mark.trial), "f1"])
def test_metrics_cover(name: str) -> None:
    """300 seeded draws from a pool of 2,000; at least 94 %, three standard errors."""
    rng = np.random.default_rng(12)
    strata = np.repeat([0, 1], [1200, 800])
    truth = rng.random(2000) < np.where(strata == 0, 0.3, 0.6)
    said = np.where(rng.random(2000) < np.where(strata == 0, 0.9, 0.7), truth, ~truth)
    whole = metric(name, said, truth, strata, (1200, 800))
    assert whole.low == whole.high == whole.value
    hits = 0
    for _ in range(300):
        drawn = np.concatenate([rng.choice(1200, 60, False), 1200 + rng.choice(800, 60, False)])
        estimate = metric(name, said[drawn], truth[drawn], strata[drawn], (1200, 800))
        hits += estimate.low <= whole.value <= estimate.high
    assert hits / 300 >= 0.94 - 3 * math.sqrt(0.94 * 0.06 / 300)


def test_an_undefined_metric_says_so() -> None:
    estimate = metric("precision", np.zeros(12, dtype=bool), TRUE, STRATA, SIZES)
    assert math.isnan(estimate.value)
    assert (estimate.low, estimate.high, estimate.n_labels) == (0.0, 1.0, 0)
    assert estimate.method.startswith("undefined")


def test_a_metric_that_is_always_right_keeps_an_interval() -> None:
    estimate = metric("precision", TRUE, TRUE, STRATA, SIZES)
    assert (estimate.value, estimate.high) == (1.0, 1.0)
    assert 0.5 < estimate.low < 0.7


def test_strata_that_tell_nothing_leave_a_share_where_it_is() -> None:
    """Labels that do not count for a share leave its value, and say little of what their strata hide."""
    alone = metric("precision", PREDICTED, TRUE, STRATA, SIZES)
    no = np.zeros(9, dtype=bool)
    beside = metric("precision", [*PREDICTED, *no], [*TRUE, *no], [*STRATA, *[2] * 4, *[3] * 5], (*SIZES, 500, 70))
    assert alone.n_labels == beside.n_labels == 7
    assert beside.value == pytest.approx(alone.value, abs=1e-12)
    assert beside.low < alone.low and beside.high > alone.high


def test_two_telling_labels_say_hardly_anything() -> None:
    """One of two is right, 12 of 60 labelled: x̄ = 1/6, residuals ±3, s² = 18/11, V̂ = 0.8 s²/12 = 6/55."""
    predicted, true = np.zeros(12, dtype=bool), np.zeros(12, dtype=bool)
    predicted[:2] = true[0] = True
    estimate = metric("precision", predicted, true, [0] * 12, [60])
    assert (estimate.value, estimate.n_labels) == (0.5, 2)
    assert estimate.standard_error == pytest.approx(math.sqrt(6 / 55), abs=1e-12)
    assert 0 <= estimate.low < 0.05 and estimate.high == pytest.approx(1 - estimate.low, abs=1e-9)


def test_one_telling_label_tells_nothing() -> None:
    predicted = np.zeros(12, dtype=bool)
    predicted[0] = True
    estimate = metric("precision", predicted, TRUE, STRATA, SIZES)
    assert (estimate.low, estimate.high) == (0.0, 1.0)
    assert math.isnan(estimate.standard_error)


losses = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=12, max_size=12)


@given(losses, losses)
def test_a_difference_mirrors_and_contains_its_value(first: list[float], second: list[float]) -> None:
    contrast, mirrored = difference(first, second, STRATA, SIZES), difference(second, first, STRATA, SIZES)
    assert -1 <= contrast.low <= contrast.value <= contrast.high <= 1
    assert (contrast.value, contrast.low, contrast.high) == pytest.approx(
        (-mirrored.value, -mirrored.high, -mirrored.low), abs=1e-9
    )
    parts = stratified(first, STRATA, SIZES).value - stratified(second, STRATA, SIZES).value
    assert contrast.value == pytest.approx(parts, abs=1e-12)


def test_pairing_helps_where_targets_fail_together() -> None:
    first = [1.0, 1, 0, 0, 1, 0] * 10 + [0.0, 1, 0, 1, 0, 1] * 10
    second = first.copy()
    second[0] = 0.0
    strata, sizes = [0] * 60 + [1] * 60, (600, 400)
    contrast = difference(first, second, strata, sizes)
    alone = [stratified(x, strata, sizes) for x in (first, second)]
    assert contrast.standard_error < 0.3 * math.hypot(*(e.standard_error for e in alone))
    assert contrast.high - contrast.low < 0.3


def test_targets_that_never_differ_keep_an_interval() -> None:
    contrast = difference([1.0, 0.0] * 6, [1.0, 0.0] * 6, STRATA, SIZES)
    assert (contrast.value, contrast.standard_error) == (0.0, 0.0)
    assert contrast.low == pytest.approx(-contrast.high, abs=1e-12) and contrast.low < -0.2


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=12, max_size=12))
def test_targets_that_never_agree_differ_by_twice_a_share_less_one(first: list[float]) -> None:
    """Where one is right whenever the other is wrong, ℓ − (1 − ℓ) = 2ℓ − 1: the parts' correlation is −1."""
    contrast = difference(first, [1 - loss for loss in first], STRATA, LARGE)
    alone = stratified(first, STRATA, LARGE)
    assume(alone.standard_error > 0)
    assert (contrast.value, contrast.low, contrast.high) == pytest.approx(
        (2 * alone.value - 1, 2 * alone.low - 1, 2 * alone.high - 1), abs=1e-9
    )
    assert contrast.standard_error == pytest.approx(2 * alone.standard_error, abs=1e-12)


@pytest.mark.parametrize(
    ("tallies", "sizes", "low", "high"),
    [
        ([[1, 55, 4]], [3000], 0.484423, 0.574025),
        ([[1, 18, 1], [0, 16, 4], [2, 13, 5]], [500, 300, 200], 0.488421, 0.603104),
    ],
)
def test_a_difference_has_the_tilted_limits_of_its_gaps(tallies, sizes, low: float, high: float) -> None:
    """Labels with gaps of −1, 0 and 1 in each stratum; the limits of (gap + 1)/2 by two independent implementations."""
    gaps = np.concatenate([np.repeat([-1.0, 0.0, 1.0], row) for row in tallies])
    strata = np.repeat(np.arange(len(sizes)), np.sum(tallies, axis=1))
    contrast = difference(np.maximum(gaps, 0), np.maximum(-gaps, 0), strata, sizes)
    assert (contrast.low, contrast.high) == pytest.approx((2 * low - 1, 2 * high - 1), abs=2e-6)


def test_precision_has_the_limits_of_its_residuals() -> None:
    """Labels outside, false and true in two strata, and what an independent implementation gives with κ of m'."""
    rows = np.concatenate([np.repeat([[0, 0], [1, 0], [1, 1]], row, axis=0) for row in ([12, 3, 5], [6, 2, 12])])
    estimate = metric("precision", rows[:, 0], rows[:, 1], np.repeat([0, 1], 20), (500, 300))
    assert (estimate.low, estimate.high) == pytest.approx((0.516762, 0.907769), abs=2e-3)


def test_a_difference_covers() -> None:
    """800 seeded draws, two targets that differ on one item in twenty; at least 94 %, four standard errors."""

    @cache
    def limits(*gaps: int) -> tuple[float, float]:
        """Of samples with so many differences either way in each stratum, which are many samples' each."""
        parts = zip(gaps[::2], gaps[1::2], (40, 30), strict=True)
        both = np.concatenate([np.repeat([1, -1, 0], [up, down, m - up - down]) for up, down, m in parts])
        contrast = difference(np.maximum(both, 0), np.maximum(-both, 0), np.repeat([0, 1], [40, 30]), (1200, 800))
        return contrast.low, contrast.high

    rng = np.random.default_rng(4)
    first = (rng.random(2000) < 0.2).astype(float)
    second = np.where(rng.random(2000) < 0.05, 1 - first, first)
    truth, hits = first.mean() - second.mean(), 0
    for _ in range(800):
        drawn = np.concatenate([rng.choice(1200, 40, False), 1200 + rng.choice(800, 30, False)])
        gaps = first[drawn] - second[drawn]
        low, high = limits(*(int((part == way).sum()) for part in (gaps[:40], gaps[40:]) for way in (1, -1)))
        hits += low <= truth <= high
    assert hits / 800 >= 0.94 - 4 * math.sqrt(0.94 * 0.06 / 800)


def test_unbounded_differences_and_degenerate_samples() -> None:
    contrast = difference([3.0, 1.0, 8.0, 2.0], [1.0, 1.0, 5.0, 5.0], [0, 0, 1, 1], (10, 10), FREE)
    alone = stratified([2.0, 0.0, 3.0, -3.0], [0, 0, 1, 1], (10, 10), bounded=False)
    assert (contrast.low, contrast.high) == pytest.approx((alone.low, alone.high))
    assert difference([1.0, 0.0], [0.0, 0.0], [0, 1], (1, 1)).low == 0.5
    lonely = difference([1.0, 0.0], [0.0, 0.0], [0, 1], (10, 10))
    assert (lonely.low, lonely.high) == (-1.0, 1.0)


def test_values_without_bounds_that_show_no_spread_have_no_interval() -> None:
    for estimate in (
        ratio([2.0] * 3, [1.0] * 3, [0, 0, 0], [100]),
        difference([3.0] * 3, [1.0] * 3, [0, 0, 0], [100], FREE),
    ):
        assert estimate.value == 2 and estimate.standard_error == 0 and not estimate.has_interval
        assert (estimate.low, estimate.high) == (-math.inf, math.inf) and "no interval" in estimate.method


@given(st.lists(st.floats(1e-4, 1.0), min_size=4, max_size=30), st.floats(0.01, 1.0), st.sampled_from([1e-6, 1.0, 1e6]))
def test_ratios_that_are_equal_up_to_rounding_show_no_spread(weights: list[float], share: float, scale: float) -> None:
    """y = R x for every label: a share has limits, not a point, and a ratio without bounds has none."""
    x, labels = scale * np.array(weights), len(weights)
    strata = [0, 0] + [1] * (labels - 2)
    estimate = ratio(share * x, x, strata, (100, 200))
    assert estimate.standard_error == 0
    assert 0 <= estimate.low <= share * (1 + 1e-9) and share * (1 - 1e-9) <= estimate.high <= 1
    assert estimate.high - estimate.low > 0.9 / (labels + 3)
    freely = ratio((1.5 + share) * x, x, strata, (100, 200))
    assert freely.value == pytest.approx(1.5 + share) and freely.standard_error == 0
    assert (freely.low, freely.high) == (-math.inf, math.inf) and "no interval" in freely.method


@pytest.mark.parametrize("factor", [1e3, 1e6, -1e6])
def test_large_ratios_that_are_equal_show_no_spread(factor: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        x = rng.uniform(0.1, 1, 9)
        estimate = ratio(factor * 1.0001 * x, x, [0] * 4 + [1] * 5, (50, 70))
        assert not estimate.has_interval and estimate.value == pytest.approx(factor * 1.0001)


def test_differences_that_are_equal_up_to_rounding_show_no_spread() -> None:
    second = np.tile(np.arange(1, 9) / 10, 3)
    strata = np.repeat([0, 1], [10, 14])
    rounded, exact = (difference(second + gap, second * whole, strata, (50, 70)) for gap, whole in ((0.1, 1), (0, 0)))
    assert rounded.standard_error == 0 and exact.standard_error > 0
    level = difference(np.full(24, 0.1), np.zeros(24), strata, (50, 70))
    assert (rounded.low, rounded.high) == pytest.approx((level.low, level.high), abs=1e-12)
    freely = difference(second + 0.1, second, strata, (50, 70), FREE)
    assert freely.standard_error == 0 and freely.low == -math.inf
    assert difference(1e6 * (second + 0.1), 1e6 * second, strata, (50, 70), FREE).low == -math.inf


def test_one_target_always_right_and_the_other_never_differ_as_one_share_says() -> None:
    ones, strata = np.ones(12), [0] * 6 + [1] * 6
    contrast, share = difference(ones, 1 - ones, strata, LARGE), stratified(ones, strata, LARGE)
    assert (contrast.low, contrast.high) == pytest.approx((2 * share.low - 1, 1.0), abs=1e-12)


def test_rounding_is_judged_by_the_heaviest_label() -> None:
    """One label of a small stratum outweighs all others, and its residual's rounding is a label's of such a weight."""
    x = np.r_[1.0, np.full(79, 1e-6)]
    for share in np.linspace(0.05, 0.95, 19):
        estimate = ratio(share * x, x, [0] * 40 + [1] * 40, (50, 5000))
        assert estimate.standard_error == 0 and estimate.high - estimate.low > 0.1


@pytest.mark.parametrize("spread", [1e-3, 1e-6, 1e-9])
def test_a_spread_far_above_rounding_counts(spread: float) -> None:
    """Ratios of 1/2 ± d in pairs of equal weight: s² = d² m/(m − 1) of the residuals."""
    y = 0.5 + np.array([spread, -spread] * 5)
    estimate = ratio(y, np.ones(10), [0] * 10, [100])
    assert estimate.standard_error == pytest.approx(spread * math.sqrt(0.9 / 9), rel=1e-6)


def test_a_pooled_variance_is_named() -> None:
    losses, strata, sizes = np.array([1.0, 0, 1, 1, 0]), [0, 0, 0, 1, 2], (20, 20, 20)
    shares, freely = ratio(losses, np.ones(5), strata, sizes), ratio(losses * 3, np.ones(5), strata, sizes)
    apart = [difference(losses, 1 - losses, strata, sizes, Interval(bounded=bounded)) for bounded in (True, False)]
    for estimate in (shares, freely, metric("accuracy", losses, np.ones(5), strata, sizes), *apart):
        assert "pooled variance" in estimate.method
    assert "pooled" not in ratio(losses, np.ones(5), [0, 0, 0, 1, 1], (20, 20)).method


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ratio([1.0], [1.0, 2.0], [0], [5]), "1 numerators and 2 denominators"),
        (lambda: ratio([1.0, 1.0], [1.0, -2.0], [0, 0], [5]), "below 0"),
        (lambda: metric("auc", [True], [True], [0], [5]), "no metric called “auc”"),
        (lambda: metric("f1", [True], [True, False], [0, 0], [5]), "1 predictions and 2 truths"),
        (lambda: metric("f1", ["yes", "no"], [True, False], [0, 0], [5]), "prediction is neither true nor false"),
        (lambda: metric("f1", [True, False], [1.0, math.nan], [0, 0], [5]), "truth is neither true nor false"),
        (lambda: difference([1.0], [1.0, 0.0], [0], [5]), "1 losses of the first target and 2 of the second"),
        (lambda: difference([2.0, 1.0], [1.0, 0.0], [0, 0], [5]), "outside 0 … 1"),
    ],
)
def test_errors(call, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        call()


def test_linearisation_is_nearly_unbiased_over_all_samples() -> None:
    """Every sample of 3 of 6 and 2 of 4: the mean ratio is within a bias of order 1/M of the pool's."""
    y, x = np.array([1, 0, 1, 1, 0, 1, 0, 0, 1, 0.0]), np.array([1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5])
    estimates = [
        ratio(y[[*a, *b]], x[[*a, *b]], [0, 0, 0, 1, 1], (6, 4)).value
        for a in itertools.combinations(range(6), 3)
        for b in itertools.combinations(range(6, 10), 2)
    ]
    assert np.mean(estimates) == pytest.approx(y.sum() / x.sum(), abs=0.01)


def test_differences_and_ratios_cover_where_labels_are_uneven() -> None:
    """150 seeded draws of 9, 43 and 48 labels: half of the pool has 9 of 100, and one target fails a tenth of it."""
    sizes, counts = (1000, 500, 500), (9, 43, 48)
    rng = np.random.default_rng(1)
    second = np.r_[np.zeros(1000), rng.random(1000) < 0.3]
    first = np.r_[np.repeat([1.0, 0.0], [100, 900]), np.where(rng.random(1000) < 0.1, 1 - second[1000:], second[1000:])]
    part = np.r_[np.ones(500), np.zeros(500), np.ones(1000)]
    gap, share = first.mean() - second.mean(), (first @ part) / part.sum()
    strata, starts, hits = np.repeat([0, 1, 2], counts), (0, 1000, 1500), np.zeros(2)
    for _ in range(150):
        drawn = np.concatenate(
            [start + rng.choice(n, m, False) for start, n, m in zip(starts, sizes, counts, strict=True)]
        )
        apart = difference(first[drawn], second[drawn], strata, sizes)
        ratios = ratio(first[drawn] * part[drawn], part[drawn], strata, sizes)
        hits += [apart.low <= gap <= apart.high, ratios.low <= share <= ratios.high]
    assert hits.min() / 150 >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 150)
