"""Variances that can be relied on: unequal weights, limits widened for them, and the degrees of freedom."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.estimation import Interval, sample, shrinkage, stratified
from core.estimation.samples import Samples
from core.estimation.variance import conservative, unequal_weighting, uneven
from tests.core.estimation.test_estimation import SIZES, labelled, labels
from tests.core.wording import Saying

UNEVEN = [
    ((1500, 400, 400, 400, 300), (3, 17, 17, 17, 16), (0.8, 0.8, 0.7, 0.6, 0.5)),
    ((1500, 400, 400, 400, 300), (26, 12, 12, 12, 2), (0.95, 0.8, 0.7, 0.6, 0.5)),
    ((1500, 400, 400, 400, 300), (2, 17, 17, 17, 17), (0.9, 0.8, 0.7, 0.6, 0.5)),
    ((1500, 400, 400, 400, 300), (26, 12, 12, 4, 3), (0.95, 0.8, 0.7, 0.6, 0.5)),
    ((1500, 400, 400, 400, 300), (1, 17, 17, 17, 17), (0.8, 0.9, 0.9, 0.9, 0.9)),
    ((500, 500), (60, 2), (0.5, 0.5)),
]


@pytest.mark.parametrize(("sizes", "counts", "shares"), UNEVEN)
@pytest.mark.parametrize("interval", ["wilson", "korn-graubard"])
def test_conservative_limits_cover_where_strata_miss_their_labels(
    sizes: tuple[int, ...], counts: tuple[int, ...], shares: tuple[float, ...], interval: str
) -> None:
    """95 % within three binomial standard errors; the plain limits do not come near if a large stratum is short."""
    rng, times = np.random.default_rng(5), 750
    m, n, ones = np.array(counts), np.array(sizes), np.rint(np.array(sizes) * shares).astype(int)
    means = rng.hypergeometric(ones, n - ones, m, (times, m.size)) / m
    value, samples = ones.sum() / n.sum(), Samples(m, n, means, m * means * (1 - means))
    hits = {}
    for wide in (True, False):
        limits = samples.estimates(Interval(interval, conservative=wide))
        hits[wide] = ((limits["low"] <= value + 1e-12) & (value - 1e-12 <= limits["high"])).mean()
    assert hits[True] > 0.95 - 3 * math.sqrt(0.95 * 0.05 / times)
    if counts[0] <= 3 or counts == (60, 2):
        assert hits[False] < 0.9


def test_unequal_weighting_is_that_of_kish() -> None:
    """1 + the squared coefficient of variation of the labels' weights N_h/m_h."""
    counts, sizes = np.array([25, 10, 11, 12, 12]), np.array(SIZES)
    weights = np.repeat(sizes / counts, counts)
    assert unequal_weighting(counts, sizes) == pytest.approx(1 + weights.var() / weights.mean() ** 2, abs=1e-12)
    assert unequal_weighting([14, 4, 4, 4, 4], sizes) == pytest.approx(1)
    assert unequal_weighting([[14, 4, 4, 4, 4], counts], sizes).shape == (2,)
    assert uneven([[25, 10, 11, 12, 12], [6, 6, 6, 6, 6]], sizes).tolist() == [False, True]


def test_labels_are_uneven_from_1_1_on() -> None:
    """Strata alike in size: (a + b)²/(4ab), 1.09978 for 54 and 29 labels, 1.10006 for 41 and 22."""
    pairs = [[54, 29], [41, 22]]
    assert unequal_weighting(pairs, [500, 500]) == pytest.approx([83**2 / 6264, 63**2 / 3608], abs=1e-12)
    assert uneven(pairs, [500, 500]).tolist() == [False, True]


def test_more_labels_of_a_list_of_fine_strata_give_no_wider_interval() -> None:
    """One label here and two there are as even as whole numbers can be: 112 labels were ±6.9 where 93 were ±4.9."""
    sizes, order, rng = np.full(75, 20), np.random.default_rng(0).permutation(75), np.random.default_rng(1)
    wrong, widths = np.rint(sizes * np.linspace(0.02, 0.4, 75)).astype(int), []
    for more in (15, 37, 60, 75):
        counts = 1 + np.isin(np.arange(75), order[:more])
        assert not uneven(counts, sizes)
        drawn = rng.hypergeometric(wrong, sizes - wrong, counts, (200, 75))
        limits = Samples(counts, sizes, drawn / counts, drawn * (counts - drawn) / counts).estimates()
        widths.append((limits["high"] - limits["low"]).mean())
    assert (np.diff(widths) < 0).all()
    assert uneven([1] * 37 + [3] * 38, sizes) and uneven([[1, 2] * 4, [2, 2] * 4], [50] * 8).tolist() == [True, False]


@pytest.mark.parametrize("times", [1, 3, 5])
def test_many_samples_at_once_are_as_conservative_as_one_by_one(times: int) -> None:
    rng = np.random.default_rng(8)
    sizes, counts = np.array([30, 20, 15]), rng.integers(2, 15, (times, 3))
    means = rng.binomial(counts, 0.3) / counts
    variances = means * (1 - means) * counts / (counts - 1)
    variance, df = conservative(counts, sizes, means, variances)
    single = [conservative(*one) for one in zip(counts, [sizes] * times, means, variances, strict=True)]
    assert variance == pytest.approx([float(v) for v, _ in single], rel=1e-12)
    assert df == pytest.approx([float(nu) for _, nu in single], rel=1e-12)


def test_conservative_variance_and_degrees_of_freedom_by_hand() -> None:
    """900 and 100 items, no one among 2 labels and six among 12: R̂ = 0.05, and the pool by one label more 1.2/15.

    With three imagined labels of share 0.08 stratum 0 has 0.24/5 = 0.048; stratum 1 has 6.24/15 = 0.416, whose spread
    0.416 · 0.584 is below its own s² = 3/11. The degrees of freedom are m − 1 + 3 of each.
    """
    sampled = sample(*labelled((2, 12), (0, 6)), (900, 100))
    first = 0.81 * (1 - 2 / 900) * 0.048 * 0.952 / 2
    second = 0.01 * (1 - 12 / 100) * (3 / 11) / 12
    variance, df = conservative(sampled.counts, sampled.sizes, sampled.means, sampled.variances)
    assert float(variance) == pytest.approx(first + second, rel=1e-12)
    assert float(df) == pytest.approx((first + second) ** 2 / (first**2 / 4 + second**2 / 14), rel=1e-12)
    endless, _ = conservative(sampled.counts, sampled.sizes, sampled.means, sampled.variances, fpc=False)
    assert float(endless) == pytest.approx(first / (1 - 2 / 900) + second / 0.88, rel=1e-12)


@given(labels(st.sampled_from([0.0, 1.0])))
def test_imagined_labels_shrink_a_stratums_share(given: tuple[list[float], list[int], list[int]]) -> None:
    """x ones of m: (x + 3p)/(m + 3), p the pool's share with one label more that is half a one; variance p̃(1 − p̃)."""
    sampled = sample(*given)
    pool = (sampled.n_labels * sampled.value + 0.5) / (sampled.n_labels + 1)
    shrunk = (sampled.counts * sampled.means + 3 * pool) / (sampled.counts + 3)
    alone = np.where(sampled.counts > 1, sampled.variances, math.nan)
    likely = shrinkage.variances(sampled.counts, sampled.sizes, sampled.means, alone)
    assert likely == pytest.approx(shrunk * (1 - shrunk), abs=1e-12)


@given(labels(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))))
def test_caution_never_narrows(given: tuple[list[float], list[int], list[int]]) -> None:
    """No less variance, no more degrees of freedom than labels less strata, and no less than the strata's fewest."""
    sampled = sample(*given)
    assume(not math.isnan(sampled.variance))
    variance, df = conservative(sampled.counts, sampled.sizes, sampled.means, sampled.variances)
    assert variance >= sampled.variance
    budgets = sampled.counts + 2
    assert min(int(budgets.min()), sampled.df) * (1 - 1e-12) <= df <= sampled.df
    if sampled.sizes.size == 1:
        assert df == sampled.df
    full = sampled.counts == sampled.sizes
    if full.all():
        assert variance == 0 and df == sampled.df


@given(labels(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))))
def test_satterthwaite_lies_between_the_fewest_and_all_degrees_of_freedom(
    given: tuple[list[float], list[int], list[int]],
) -> None:
    """Strata without variance count neither way, and the unit of the losses does not matter."""
    losses, strata, sizes = given
    # Most such samples have no variance; one more stratum, with as many labels as a stratum can have, gives them some.
    sampled = sample([*losses, *[0.0, 1.0] * 3], [*strata, *[len(sizes)] * 6], [*sizes, 56])
    dfs, telling = np.maximum(sampled.counts - 1, 1), sampled.terms > 0
    df = sampled.satterthwaite_df
    assert dfs[telling].min() * (1 - 1e-9) <= df <= dfs[telling].sum() * (1 + 1e-9)
    for scale in (1e-90, 1e90):
        scaled = sample(scale * sampled.losses, sampled.strata, sampled.sizes, bounded=False)
        assert scaled.satterthwaite_df == pytest.approx(df, rel=1e-9)


def test_limits_are_widened_by_themselves_where_labels_are_spread_unevenly() -> None:
    even, skewed = labelled((25, 10, 11, 12, 12), (24, 9, 8, 7, 5)), labelled((6,) * 5, (6, 6, 5, 6, 3))
    assert stratified(*even, SIZES) == stratified(*even, SIZES, conservative=False)
    alone = stratified(*skewed, SIZES)
    wide, plain = (stratified(*skewed, SIZES, conservative=asked) for asked in (True, False))
    # Four labels of thirty that differ are rare, which limits by formula alone do not know.
    assert alone.low <= wide.low < plain.low and alone.high >= wide.high > plain.high and alone.method == wide.method


def test_few_labels_of_a_large_stratum_do_not_pass_for_certainty() -> None:
    """A small stratum nearly known, five labels of a large one that agree: without a census and just before it."""
    for sizes in ((100, 1000), (101, 1000), (110, 1000)):
        losses, strata = [0.0] * 99 + [1.0] + [0.0] * 5, [0] * 100 + [1] * 5
        assert stratified(losses, strata, sizes).high > 0.2


def test_conservative_limits_leave_value_and_standard_error() -> None:
    labels_given = (*labelled((3, 10, 10), (3, 5, 5)), (300, 100, 100))
    plain, wide = (stratified(*labels_given, conservative=choice) for choice in (False, True))
    assert (plain.value, plain.standard_error) == (wide.value, wide.standard_error)
    assert wide.low < plain.low and wide.high >= plain.high
    assert wide.method == Saying(plain.method, "widened")
    census = (*labelled((2, 3), (1, 2)), (2, 3))
    assert stratified(*census, conservative=True) == stratified(*census)
    with_values = stratified([0.2, 0.4, 0.3, 0.9], [0, 0, 1, 1], (50, 50), conservative=True)
    assert 0 <= with_values.low < 0.45 < with_values.high <= 1
