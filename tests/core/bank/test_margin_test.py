"""The exact test at a version gate's margin: its probabilities, its error over all versions, the limits it moves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from core.bank import gate
from core.bank.margin_test import MarginTest, findings, p_values, probabilities
from tests.core.bank.test_version_gate import versions
from tools.gate_trials import gate_trial

# (sizes, labels, N, margin): the old version wrong and right, or graded on none.
LISTS = [
    ((30, 70), (6, 14), 2000, 0.02),
    ((140, 60), (19, 8), 2000, 0.02),
    ((50, 50), (18, 18), 500, 0.03),
    ((0, 80), (0, 20), 500, 0.03),
    ((25,), (20,), 500, 0.03),
    ((100,), (66,), 500, 0.03),
]


def test_probabilities_are_hypergeometric() -> None:
    mended, lost = np.array([3, 10]), np.array([5, 12])
    graded = probabilities((10, 20), (4, 6), mended, lost)
    a, b = findings((4, 6))
    expected = stats.hypergeom.pmf(a, 10, mended[:, None], 4) * stats.hypergeom.pmf(b, 20, lost[:, None], 6)
    np.testing.assert_allclose(graded, expected, atol=1e-12)
    blind = probabilities((30,), (7,), mended, lost)
    a, b = findings((7,))
    counts = np.stack([a, b, 7 - a - b], axis=1)
    for row, minus, plus in zip(blind, mended, lost, strict=True):
        same = stats.multivariate_hypergeom.pmf(counts, [minus, plus, 30 - minus - plus], 7)
        np.testing.assert_allclose(row, same, atol=1e-12)


@pytest.mark.parametrize(("sizes", "labels", "n", "margin"), LISTS)
def test_no_version_is_judged_wrongly_more_often_than_said(
    sizes: tuple[int, ...], labels: tuple[int, ...], n: int, margin: float
) -> None:
    test = MarginTest.of(sizes, labels, margin * n, 0.06)
    assert np.nanmax(test.most_wrong()) <= 0.06
    # Neither is it so careful that nothing passes.
    even = min(sizes) // 2
    assert test.chances(even, even)[0] > 0.65


@pytest.mark.parametrize("better", [True, False])
def test_a_p_value_is_at_least_the_probability_of_its_finding(better: bool) -> None:
    p = p_values((10, 20), (4, 6), 2, better)
    mended = np.arange(0, 11)
    most = probabilities((10, 20), (4, 6), mended, mended + 2).max(axis=0)
    # Versions that the finding excludes are left out, at a cost of .001.
    assert (p >= most - 0.01).all() and p.max() <= 1


def test_a_difference_that_cannot_be_is_excluded_without_a_label() -> None:
    """Every version is better than one that loses 21 of 20, and worse than one that mends 11 of 10."""
    for difference, better in ((21, True), (-11, False)):
        assert p_values((10, 20), (4, 6), difference, better).max() == 0
        assert p_values((10, 20), (4, 6), difference, not better).min() == 1


# The margin in items, and a version that nearly always passes (0) or fails (1), and so never does the other.
CLEAR = [
    ((30,), (28,), 12, (10, 0), 0),
    ((20, 40), (10, 20), 12, (0, 0), 0),
    ((62, 0), (20, 0), -15, (62, 0), 0),
    ((62, 0), (20, 0), -15, (0, 0), 1),
]


@pytest.mark.parametrize(("sizes", "labels", "margin", "version", "verdict"), CLEAR)
def test_no_finding_both_passes_and_fails(
    sizes: tuple[int, ...], labels: tuple[int, ...], margin: int, version: tuple[int, int], verdict: int
) -> None:
    """Findings with too few changes for any version at the margin did: good versions were said to fail as well."""
    test = MarginTest.of(sizes, labels, margin, 0.06)
    assert not (test.passed & test.failed).any()
    chances = test.chances(*version)
    assert chances[verdict] > 0.99 and chances[1 - verdict] < 0.001


def test_a_clear_pass_has_a_limit_on_its_better_side_too() -> None:
    planned = gate(versions(2000, 200, 140), "v1", "v2", 0.02)
    mended = planned.stratum[planned.order] == planned.names.index("old version wrong")
    listed = planned.items["item_id"].tolist()
    losses = {
        item: float(not (old_wrong and place % 4))
        for place, (item, old_wrong) in enumerate(zip(listed, mended, strict=True))
    }
    one = planned.decide(losses).difference
    assert one.low < one.value - 0.005


@pytest.mark.parametrize(
    ("n", "differ", "old_wrong", "margin", "graded"),
    [
        (500, 25, 0.5, 0.03, False),
        (500, 100, 0.3, 0.03, True),
        (2000, 200, 0.7, 0.02, True),
        (12_032, 1203, 0.7, 0.02, True),
    ],
)
def test_cells_in_which_limits_alone_were_wrong_too_often(
    n: int, differ: int, old_wrong: float, margin: float, graded: bool
) -> None:
    row = gate_trial(n, differ, old_wrong, margin, graded)
    assert max(row["false_pass"], row["false_fail"]) <= 0.06
    assert row["power"] > 0.73


def test_limits_lie_on_the_side_of_the_margin_that_the_test_says() -> None:
    """Old version wrong on 140 of 200, all of 27 listed items are wrong in the new one."""
    planned = gate(versions(2000, 200, 140), "v1", "v2", 0.02)
    test = planned.margin_test()
    assert test is not None and test.labels == (19, 8)
    wrong = planned.items["item_id"].tolist()
    for count, verdict in ((0, "pass"), (17, "pass"), (26, "undecided"), (27, "fail")):
        losses = {item: float(place < count) for place, item in enumerate(wrong)}
        decision = planned.decide(losses)
        one = decision.difference
        assert decision.verdict == verdict
        assert one.low <= one.value <= one.high
        assert (one.high < 0.02, one.low > 0.02) == (verdict == "pass", verdict == "fail")
        assert "exact test" in one.method


def test_scores_between_right_and_wrong_and_long_lists_have_no_exact_test() -> None:
    planned = gate(versions(500, 60, 30), "v1", "v2", 0.03)
    scores = dict.fromkeys(planned.items["item_id"], 0.5)
    assert "exact" not in planned.decide(scores).difference.method
    assert gate(versions(2000, 800, 400, graded=False), "v1", "v2", 0.02).margin_test() is None
