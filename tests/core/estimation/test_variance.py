"""Unequal weights and the limits that they leave, imagined labels, and the degrees of freedom."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.estimation import sample, stratified
from core.estimation.intervals import DEFAULT
from core.estimation.variance import unequal_weighting
from core.simulation.replications import Samples
from tests.core.estimation.test_estimation import SIZES, labels

UNEVEN = [
    ((1500, 400, 400, 400, 300), (3, 17, 17, 17, 16), (0.8, 0.8, 0.7, 0.6, 0.5)),
    ((1500, 400, 400, 400, 300), (26, 12, 12, 12, 2), (0.95, 0.8, 0.7, 0.6, 0.5)),
    ((1500, 400, 400, 400, 300), (2, 17, 17, 17, 17), (0.9, 0.8, 0.7, 0.6, 0.5)),
    ((1500, 400, 400, 400, 300), (26, 12, 12, 4, 3), (0.95, 0.8, 0.7, 0.6, 0.5)),
    ((1500, 400, 400, 400, 300), (1, 17, 17, 17, 17), (0.8, 0.9, 0.9, 0.9, 0.9)),
    ((500, 500), (60, 2), (0.5, 0.5)),
]


@pytest.mark.parametrize(("sizes", "counts", "shares"), UNEVEN)
def test_limits_cover_where_strata_miss_their_labels(
    sizes: tuple[int, ...], counts: tuple[int, ...], shares: tuple[float, ...]
) -> None:
    """94 % within three binomial standard errors; Wilson's limits of V̂ do not come near if a large stratum is short."""
    rng, times = np.random.default_rng(5), 750
    m, n, ones = np.array(counts), np.array(sizes), np.rint(np.array(sizes) * shares).astype(int)
    means = rng.hypergeometric(ones, n - ones, m, (times, m.size)) / m
    value, samples = ones.sum() / n.sum(), Samples(m, n, means, m * means * (1 - means))
    table = samples.estimates()
    hits = ((table["low"] <= value + 1e-12) & (value - 1e-12 <= table["high"])).mean()
    assert hits > 0.94 - 3 * math.sqrt(0.94 * 0.06 / times)
    if counts[0] <= 3 or counts == (60, 2):
        plain = DEFAULT.limits(table["value"], table["standard_error"] ** 2, m.sum(), m.sum() - m.size)
        assert ((plain.low <= value) & (value <= plain.high)).mean() < 0.9


def test_unequal_weighting_is_that_of_kish() -> None:
    """1 + the squared coefficient of variation of the labels' weights N_h/m_h."""
    counts, sizes = np.array([25, 10, 11, 12, 12]), np.array(SIZES)
    weights = np.repeat(sizes / counts, counts)
    assert unequal_weighting(counts, sizes) == pytest.approx(1 + weights.var() / weights.mean() ** 2, abs=1e-12)
    assert unequal_weighting([14, 4, 4, 4, 4], sizes) == pytest.approx(1)
    assert unequal_weighting([[14, 4, 4, 4, 4], counts], sizes).shape == (2,)


def test_more_labels_of_a_list_of_fine_strata_give_no_wider_interval() -> None:
    """One label here and two there are as even as whole numbers can be: 112 labels were ±6.9 where 93 were ±4.9."""
    sizes, order, rng = np.full(75, 20), np.random.default_rng(0).permutation(75), np.random.default_rng(1)
    wrong, widths = np.rint(sizes * np.linspace(0.02, 0.4, 75)).astype(int), []
    for more in (15, 37, 60, 75):
        counts = 1 + np.isin(np.arange(75), order[:more])
        drawn = rng.hypergeometric(wrong, sizes - wrong, counts, (200, 75))
        limits = Samples(counts, sizes, drawn / counts, drawn * (counts - drawn) / counts).estimates()
        widths.append((limits["high"] - limits["low"]).mean())
    assert (np.diff(widths) < 0).all()


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


def test_few_labels_of_a_large_stratum_do_not_pass_for_certainty() -> None:
    """A small stratum nearly known, five labels of a large one that agree: without a census and just before it."""
    for sizes in ((100, 1000), (101, 1000), (110, 1000)):
        losses, strata = [0.0] * 99 + [1.0] + [0.0] * 5, [0] * 100 + [1] * 5
        assert stratified(losses, strata, sizes).high > 0.2
