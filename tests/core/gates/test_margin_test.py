"""The exact test at a version gate's margin: its probabilities, its error over all versions, the limits it moves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from core.gates import gate, margin_test
from core.gates.margin_test import Changes, Counts, MarginTest, findings, p_values, probabilities
from core.gates.version_list import Gaps
from tests.core.gates.test_version_gate import versions
from tools.versions import gate_trial

# (sizes, labels, N, margin): the old version wrong, right, and not graded.
LISTS = [
    ((30, 70, 0), (6, 14, 0), 2000, 0.02),
    ((140, 60, 0), (19, 8, 0), 2000, 0.02),
    ((50, 50, 0), (18, 18, 0), 500, 0.03),
    ((0, 80, 0), (0, 20, 0), 500, 0.03),
    ((0, 0, 25), (0, 0, 20), 500, 0.03),
    ((0, 0, 100), (0, 0, 66), 500, 0.03),
    ((15, 35, 50), (3, 7, 10), 2000, 0.02),
    # An estimate that rounding alone moved off the margin was a certain verdict.
    ((23, 26, 0), (20, 23, 0), 150, 0.02),
    ((15, 18, 0), (13, 15, 0), 150, 0.02),
]


def test_probabilities_are_hypergeometric() -> None:
    versions = np.array([(3, 5, 4, 9), (10, 12, 11, 0)])
    a, b, c, d = findings((4, 6, 7)).T
    assert len(a) == 5 * 7 * 36
    found = probabilities((10, 20, 30), (4, 6, 7), versions)
    for row, (mended, lost, minus, plus) in zip(found, versions, strict=True):
        graded = stats.hypergeom.pmf(a, 10, mended, 4) * stats.hypergeom.pmf(b, 20, lost, 6)
        counts = np.stack([c, d, 7 - c - d], axis=1)
        blind = stats.multivariate_hypergeom.pmf(counts, [minus, plus, 30 - minus - plus], 7)
        np.testing.assert_allclose(row, graded * blind, atol=1e-12)


@pytest.mark.parametrize(("sizes", "labels", "n", "margin"), LISTS)
def test_no_version_is_judged_wrongly_more_often_than_said(
    sizes: Counts, labels: Counts, n: int, margin: float
) -> None:
    test = MarginTest.of(sizes, labels, margin * n, 0.06)
    assert np.nanmax(test.most_wrong()) <= 0.06
    # Neither is it so careful that nothing passes.
    even, also = min(sizes[:2]) // 2, sizes[2] // 2
    assert test.chances((even, even, also, also))[0] > (0.65 if n > 150 else 0.45)


@pytest.mark.parametrize(
    ("sizes", "labels", "margin"),
    [((30, 6, 8), (27, 6, 7), 3), ((15, 15, 10), (14, 13, 9), 3), ((24, 16, 7), (15, 10, 5), 7)],
)
def test_no_version_at_all_is_judged_wrongly_more_often_if_most_items_are_listed(
    sizes: Counts, labels: Counts, margin: int
) -> None:
    """Most findings can come from few versions alone: those that no tried one could have were certain verdicts."""
    test = MarginTest.of(sizes, labels, margin, 0.06)
    mended, lost, also = np.indices(np.array(sizes) + 1).reshape(3, -1)
    versions = np.stack([mended, lost, also, margin + mended + also - lost], axis=1)
    versions = versions[(versions[:, 3] >= 0) & (versions[:, 2:].sum(axis=1) <= sizes[2])]
    chance = probabilities(sizes, labels, versions)
    assert max((chance @ test.passed).max(), (chance @ test.failed).max()) <= 0.06


def test_a_finding_that_only_untried_versions_can_have_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(margin_test, "_TRIED", 3)
    sizes, labels = (31, 33, 0), (29, 30, 0)
    p = p_values.__wrapped__(sizes, labels, 2, True)
    mended = np.arange(32)
    chance = probabilities(sizes, labels, np.stack([mended, mended + 2, 0 * mended, 0 * mended], axis=1))
    assert (p[chance.max(axis=0) > 0] > 0).all() and (p[chance.max(axis=0) == 0] == 0).any()


@pytest.mark.parametrize(
    ("sizes", "labels", "margin"),
    [((15, 35, 50), (3, 7, 10), 40), ((12, 4, 16), (8, 2, 10), 15), ((140, 60, 200), (5, 3, 7), 40)],
)
def test_no_version_between_those_that_are_tried_is_judged_wrongly_more_often(
    sizes: Counts, labels: Counts, margin: int
) -> None:
    """With some old verdicts known only some of the versions at the margin are looked at."""
    test = MarginTest.of(sizes, labels, margin, 0.06)
    mended, lost, also = np.random.default_rng(0).integers(0, np.array(sizes)[:, None] + 1, (3, 20_000))
    versions = np.stack([mended, lost, also, margin + mended + also - lost], axis=1)
    there = versions[(versions[:, 3] >= 0) & (versions[:, 2:].sum(axis=1) <= sizes[2])]
    assert len(there) > 100
    chance = probabilities(sizes, labels, there)
    assert max((chance @ test.passed).max(), (chance @ test.failed).max()) <= 0.06


@pytest.mark.parametrize("better", [True, False])
def test_a_p_value_is_at_least_the_probability_of_its_finding(better: bool) -> None:
    p = p_values((10, 20, 0), (4, 6, 0), 2, better)
    mended = np.arange(0, 11)
    versions = np.stack([mended, mended + 2, 0 * mended, 0 * mended], axis=1)
    most = probabilities((10, 20, 0), (4, 6, 0), versions).max(axis=0)
    # Versions that the finding excludes are left out, at a cost of .001.
    assert (p >= most - 0.01).all() and p.max() <= 1


def test_a_difference_that_cannot_be_is_excluded_without_a_label() -> None:
    """Every version is better than one that loses 21 of 20, and worse than one that mends 11 of 10."""
    for difference, better in ((21, True), (-11, False)):
        assert p_values((10, 20, 0), (4, 6, 0), difference, better).max() == 0
        assert p_values((10, 20, 0), (4, 6, 0), difference, not better).min() == 1


# The margin in items, and a version that nearly always passes (0) or fails (1), and so never does the other.
CLEAR = [
    ((0, 0, 30), (0, 0, 28), 12, (0, 0, 10, 0), 0),
    ((20, 40, 0), (10, 20, 0), 12, (0, 0, 0, 0), 0),
    ((62, 0, 0), (20, 0, 0), -15, (62, 0, 0, 0), 0),
    ((62, 0, 0), (20, 0, 0), -15, (0, 0, 0, 0), 1),
    ((10, 20, 30), (3, 7, 10), 30, (10, 0, 20, 0), 0),
]


@pytest.mark.parametrize(("sizes", "labels", "margin", "version", "verdict"), CLEAR)
def test_no_finding_both_passes_and_fails(
    sizes: Counts, labels: Counts, margin: int, version: Changes, verdict: int
) -> None:
    """Findings with too few changes for any version at the margin did: good versions were said to fail as well."""
    test = MarginTest.of(sizes, labels, margin, 0.06)
    assert not (test.passed & test.failed).any()
    chances = test.chances(version)
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
        (500, 25, 0.3, 0.03, 0.5),
        (12_032, 602, 0.7, 0.02, 0.5),
    ],
)
def test_cells_in_which_limits_alone_were_wrong_too_often(
    n: int, differ: int, old_wrong: float, margin: float, graded: float
) -> None:
    row = gate_trial(n, differ, old_wrong, margin, graded)
    assert max(row["false_pass"], row["false_fail"]) <= 0.06
    assert row["power"] > 0.73


def test_limits_lie_on_the_side_of_the_margin_that_the_test_says() -> None:
    """Old version wrong on 140 of 200, all of 27 listed items are wrong in the new one."""
    planned = gate(versions(2000, 200, 140), "v1", "v2", 0.02)
    test = planned.margin_test()
    assert test is not None and test.labels == (19, 8, 0)
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


# Items and labels where the old version was wrong, right and not graded, the margin in items, and the pool's items.
LONG = [
    ((38, 37, 25), (18, 18, 12), 15, 500),
    ((63, 27, 10), (26, 11, 4), 15, 500),
    ((105, 45, 50), (22, 9, 10), 40, 2000),
    ((632, 270, 301), (26, 11, 12), 241, 12_032),
]


@pytest.mark.parametrize(("sizes", "labels", "margin", "n_items"), LONG)
def test_the_tail_at_the_margin_decides_lists_without_an_exact_test(
    sizes: Counts, labels: Counts, margin: int, n_items: int
) -> None:
    """Of every result of the list, for versions at the margin from one end to the other."""
    assert not margin_test.testable(sizes, labels)
    found, rng = findings(labels), np.random.default_rng(0)
    tallies = np.zeros((len(found), 3, 3), dtype=np.int64)
    tallies[:, 0, 0], tallies[:, 1, 2], tallies[:, 2, 0], tallies[:, 2, 2] = found.T
    tallies[:, :, 1] = np.array(labels) - tallies.sum(axis=2)
    spans = np.array([-1.0, 0.0, -1.0]), np.array([0.0, 1.0, 1.0])
    part = Gaps(np.arange(3), np.array(sizes), *spans, 0.0, n_items)
    limits = part.limits(np.array([-1.0, 0.0, 1.0]), tallies, 0.9)
    versions = []
    while len(versions) < 60:
        mended, lost = (int(rng.integers(0, size + 1) * rng.choice([0.05, 0.2, 1.0])) for size in sizes[:2])
        rest = margin + mended - lost
        most = (sizes[2] - abs(rest)) // 2
        if most >= 0:
            both = int(rng.integers(0, most + 1))
            versions.append((mended, lost, both + max(-rest, 0), both + max(rest, 0)))
    chances = probabilities(sizes, labels, np.array(versions))
    for wrong in (limits.high < margin / n_items - 1e-9, limits.low > margin / n_items + 1e-9):
        assert (chances @ wrong).max() <= 0.06
