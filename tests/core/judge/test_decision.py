"""TRUSTED, NOT TRUSTED and UNDECIDED: which labels say which, and how often they are wrong."""

from __future__ import annotations

import math

import pytest

from core.errors import DesignError
from core.judge import VerdictPair, VerdictSample
from core.judge.decision import NOT_TRUSTED, TRUSTED, UNDECIDED, decide
from tests.core.judge.exact import JudgeCell


def pair_of(caught: int, missed: int, m_fail: int = 80, m_pass: int = 220) -> VerdictPair:
    return VerdictPair(VerdictSample((300,), (m_fail,), (caught,)), VerdictSample((1_700,), (m_pass,), (missed,)))


def test_a_good_judge_is_trusted() -> None:
    decision = decide(pair_of(70, 1), 300)
    assert decision.verdict == TRUSTED and decision.needed is None and decision.sentence.startswith("TRUSTED")


def test_a_bad_judge_is_not_trusted_and_it_says_why() -> None:
    decision = decide(pair_of(70, 60), 300)
    assert decision.verdict == NOT_TRUSTED and decision.below == ("tnr",)
    assert "of the failures are caught" in decision.sentence and "good answers" not in decision.sentence


def test_an_undecided_judge_needs_more_labels() -> None:
    decision = decide(pair_of(70, 8), 300)
    assert decision.verdict == UNDECIDED
    assert decision.needed is not None and decision.needed > 300 and f"{decision.needed:,} labels" in decision.sentence


def test_without_a_failure_nothing_is_trusted() -> None:
    decision = decide(pair_of(0, 0), 300, tpr=0.5, tnr=0.5)
    assert decision.verdict == UNDECIDED and "cannot be measured" in decision.sentence


@pytest.mark.parametrize("threshold", [0.0, 1.0, -1.0, 80.0])
def test_thresholds_lie_between_zero_and_one(threshold: float) -> None:
    with pytest.raises(DesignError, match="least TNR"):
        decide(pair_of(70, 8), 300, tnr=threshold)


@pytest.mark.parametrize("fails", [0.1, pytest.param(0.3, marks=pytest.mark.trial)])
def test_a_judge_just_below_a_threshold_is_trusted_in_at_most_5_per_cent_of_lists(fails: float) -> None:
    """Exact, over all samples."""
    cell = JudgeCell.of(1_000, fails, tpr=0.97, tnr=0.8 - 1e-9)
    assert cell.tnr < 0.8
    assert cell.chance(100, lambda pair: decide(pair, 100).verdict == TRUSTED) <= 0.05


_GRID = [(size, fails, budget) for size in (300, 1_000, 3_000) for fails in (0.05, 0.2, 0.5) for budget in (50, 200)]


@pytest.mark.parametrize(
    ("size", "fails", "budget"),
    [
        *[(1_000, 0.1, 50), (1_000, 0.1, 100), (300, 0.1, 100)],
        *(pytest.param(*cell, marks=pytest.mark.trial) for cell in _GRID),
    ],
)
def test_a_judge_that_just_reaches_both_is_not_trusted_in_at_most_5_per_cent_of_lists(
    size: int, fails: float, budget: int
) -> None:
    """Exact, over all samples."""
    failing = round(size * fails)
    caught, good = math.ceil(0.8 * failing - 1e-9), math.ceil(0.9 * (size - failing) - 1e-9)
    cell = JudgeCell(caught, size - failing - good, failing - caught, good)
    assert cell.chance(budget, lambda pair: decide(pair, size).verdict == NOT_TRUSTED) <= 0.05
