"""Estimates beside carried verdicts: vectors, unbiasedness by enumeration, coverage by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.errors import DesignError
from core.estimation.carried import Audit, CarriedSample, recovered
from core.estimation.intervals import Interval
from core.estimation.mean import Sample, sample

# Sizes 200, 150; ten labels each, 4 and 7 wrong.
OPEN = sample([1.0] * 4 + [0.0] * 6 + [1.0] * 7 + [0.0] * 3, [0] * 10 + [1] * 10, [200, 150])


NONE = Audit()


def carried(audit: Audit = NONE, log: Audit = NONE, follows: bool = False) -> CarriedSample:
    """650 of 1,000 items known, 90 of them carried as wrong."""
    return CarriedSample(OPEN, 90, 650, audit, log, follows)


def test_vector_of_verdicts_that_follow() -> None:
    estimate = carried(follows=True).estimate()
    assert (estimate.value, estimate.low, estimate.high, estimate.standard_error) == pytest.approx(
        (0.275, 0.198828, 0.352225, 0.038773), abs=5e-7
    )


def test_vector_of_an_audit_without_log() -> None:
    estimate = carried(Audit(25, up=1)).estimate()
    assert (estimate.value, estimate.low, estimate.high, estimate.standard_error) == pytest.approx(
        (0.301, 0.212836, 0.413280, 0.046404), abs=5e-7
    )


def test_vector_of_an_audit_with_a_log() -> None:
    labels = carried(Audit(5), Audit(100, up=1))
    estimate = labels.estimate()
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.28119, 0.204164, 0.359854), abs=5e-7)
    assert labels.unbiased == pytest.approx(0.275)


def test_the_difference_estimator_is_unbiased_whatever_the_carried_verdicts() -> None:
    """All samples of 2 of 4 open items and 2 of 5 known ones, with carried verdicts that are often wrong."""
    open_losses, true, verdicts = np.array([1.0, 0, 1, 1]), np.array([0.0, 1, 1, 0, 1]), np.array([1.0, 1, 0, 0, 0])
    values = []
    for some in itertools.combinations(range(4), 2):
        for audited in itertools.combinations(range(5), 2):
            part = sample(open_losses[list(some)], [0, 0], [4])
            audit = Audit.of(true[list(audited)], verdicts[list(audited)])
            values.append(CarriedSample(part, verdicts.sum(), 5, audit).value)
    truth = (open_losses.sum() + true.sum()) / 9
    assert np.mean(values) == pytest.approx(truth, abs=1e-12)


def test_the_variance_is_that_of_the_difference_estimator() -> None:
    """V̂ is unbiased for what enumeration gives, for verdicts that are right or wrong."""
    true, verdicts = np.array([0.0, 1, 1, 0, 1, 0]), np.array([1.0, 1, 0, 0, 0, 0])
    part = sample([1.0, 0.0], [0, 0], [2])
    every = [
        CarriedSample(part, verdicts.sum(), 6, Audit.of(true[list(one)], verdicts[list(one)]))
        for one in itertools.combinations(range(6), 3)
    ]
    values = np.array([one.value for one in every])
    assert np.mean([one.variance for one in every]) == pytest.approx(values.var(), abs=1e-12)


def test_auditing_every_known_item_leaves_no_doubt_of_them() -> None:
    part = sample([1.0, 0.0, 1.0], [0, 0, 0], [3])
    estimate = CarriedSample(part, 2, 4, Audit(4, up=1), Audit(50, up=20)).estimate()
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((5 / 7, 5 / 7, 5 / 7))


def test_nothing_audited_is_no_interval() -> None:
    estimate = carried().estimate()
    assert math.isnan(estimate.standard_error) and not estimate.has_interval


def test_every_item_may_be_known() -> None:
    labels = CarriedSample(None, 30, 100, Audit(20, up=2, down=1))
    assert labels.value == pytest.approx(0.35)
    assert labels.estimate().low < 0.35 < labels.estimate().high


@pytest.mark.parametrize("finding", [{"n": -1}, {"n": 2, "up": 3}, {"n": 5, "down": -1}])
def test_findings_that_cannot_be_are_refused(finding: dict[str, int]) -> None:
    with pytest.raises(DesignError, match="from 0 to n wrong verdicts"):
        Audit(**finding)


def test_losses_without_bounds_are_refused() -> None:
    with pytest.raises(DesignError, match="between 0 and 1"):
        carried(Audit(10)).estimate(Interval(bounded=False))


@given(st.integers(2, 40), st.floats(0, 1), st.floats(0, 1), st.integers(0, 200), st.floats(0.5, 0.99))
def test_limits_contain_the_value_and_narrow_with_more_audits_and_a_lower_level(
    n: int, x: float, y: float, more: int, level: float
) -> None:
    """The known items alone; a longer log has found as large a share wrong."""
    up, down = round(n * x * 0.5), round(n * y * 0.5)
    widths = []
    for count, confidence in ((n, 0.995), (n, level), (n + more * n, level)):
        log = Audit(count, up * count / n, down * count / n)
        ends = carried(Audit(), log).distances(Interval(confidence=confidence), [log.n], [log.up], [log.down])
        assert min(end.min() for end in ends) >= 0
        widths.append(sum(float(end[0]) for end in ends))
    assert widths[0] >= widths[1] - 1e-9 >= widths[2] - 2e-9


@pytest.mark.parametrize("found", [0, 1, 4])
def test_open_items_never_bring_limits_nearer_than_the_audits_alone_have(found: int) -> None:
    """With few open items audits that find nothing passed for certainty, and .89 of intervals held the truth."""
    open_part = sample([1.0] * 9 + [0.0] * 41, [0] * 50, [170])
    one = CarriedSample(open_part, 400, 830, Audit(20, up=found), Audit(100))
    alone, both = one.distances(Interval(), [120], [found], [0]), one.estimate()
    assert both.value - both.low >= 0.83 * alone[0][0] - 1e-9 and both.high - both.value >= 0.83 * alone[1][0] - 1e-9


def test_a_sum_of_two_estimates_takes_the_distances_of_both() -> None:
    limits = recovered(0.5, (0.3, 0.0), (0.4, 0.1))
    assert (float(limits.low), float(limits.high)) == pytest.approx((0.0, 0.6))


def _rounds(wrong: float, rounds: int, audits: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Limits of simulated lists: 300 open items with 30 % wrong, 700 known ones of which some verdicts are wrong."""
    rng = np.random.default_rng(5)
    n_wrong, open_wrong, total = round(700 * wrong), 90, 150
    truth = (open_wrong + total + n_wrong) / 1000
    lows, highs = np.empty(rounds), np.empty(rounds)
    x = rng.hypergeometric(open_wrong, 210, 50, rounds)
    found = rng.hypergeometric(n_wrong, 700 - n_wrong, audits, rounds) if n_wrong else np.zeros(rounds)
    for place in range(rounds):
        part: Sample = sample([1.0] * x[place] + [0.0] * (50 - x[place]), [0] * 50, [300])
        estimate = CarriedSample(part, total, 700, Audit(audits, up=float(found[place]))).estimate()
        lows[place], highs[place] = estimate.low, estimate.high
    return lows, highs, truth


@pytest.mark.parametrize("wrong", [0.0, 0.01, 0.03])
def test_intervals_cover_with_half_of_the_labels_as_audits(wrong: float) -> None:
    rounds = 200
    low, high, truth = _rounds(wrong, rounds, 50)
    covered = int(((low <= truth) & (truth <= high)).sum())
    assert stats.binom.cdf(covered, rounds, 0.94) > 0.001
