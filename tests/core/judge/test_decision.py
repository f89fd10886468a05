"""TRUSTED, NOT TRUSTED and UNDECIDED: which labels say which, and how often they are wrong."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from core.errors import DesignError
from core.judge.decision import NOT_TRUSTED, TRUSTED, UNDECIDED, decide
from core.judge.measures import VerdictPair
from core.judge.rates import VerdictSample
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


def test_the_verdict_is_the_tails_at_the_thresholds() -> None:
    """Of every sample of a small pool: `decide` and the tails that the tests below use say the same."""
    cell = JudgeCell.of(60, 0.3, 0.95, 0.9)
    every, chances = cell.samples(30)
    said = dict.fromkeys((TRUSTED, NOT_TRUSTED, UNDECIDED), 0.0)
    for (missed, caught), chance in zip(every.fails.astype(int).tolist(), chances, strict=True):
        (n_pass, n_fail), (m_pass, m_fail) = every.sizes.astype(int).tolist(), every.labels[0].astype(int).tolist()
        pair = VerdictPair(
            VerdictSample((n_fail,), (m_fail,), (caught,)), VerdictSample((n_pass,), (m_pass,), (missed,))
        )
        said[decide(pair, 59).verdict] += chance
    assert {name: said[name] for name in (NOT_TRUSTED, TRUSTED)} == pytest.approx(cell.verdicts(30))


def just_below(rate: str, size: int, fails: float, other: float) -> JudgeCell:
    """A judge with one rate just below its threshold, and the other far above."""
    failing = round(size * fails)
    caught = math.ceil(0.8 * failing) - 1 if rate == "tnr" else round(failing * other)
    good = math.ceil(0.9 * (size - failing)) - 1 if rate == "tpr" else round((size - failing) * other)
    return JudgeCell(caught, size - failing - good, failing - caught, good)


def just_reaches(size: int, fails: float) -> JudgeCell:
    """A judge whose rates both just reach their thresholds."""
    failing = round(size * fails)
    caught, good = math.ceil(0.8 * failing - 1e-9), math.ceil(0.9 * (size - failing) - 1e-9)
    return JudgeCell(caught, size - failing - good, failing - caught, good)


@pytest.mark.parametrize(("size", "fails", "budget"), [(1_000, 0.1, 50), (1_000, 0.1, 100), (300, 0.1, 100)])
def test_verdicts_are_wrong_in_at_most_5_per_cent_of_lists(size: int, fails: float, budget: int) -> None:
    """Exact, over all samples."""
    for rate in ("tpr", "tnr"):
        assert just_below(rate, size, fails, 0.99).verdicts(budget)[TRUSTED] <= 0.05
    assert just_reaches(size, fails).verdicts(budget)[NOT_TRUSTED] <= 0.05


@pytest.mark.trial
def test_verdicts_are_wrong_as_often_as_they_may_be() -> None:
    """Exact, over all samples: at most the level in every cell, and on average over those that may decide a third."""
    sizes, shares, budgets = (300, 1_000, 3_000), (0.05, 0.1, 0.2, 0.35, 0.5), (50, 100, 200)
    wrong = {
        (rate, size, fails, budget, other): just_below(rate, size, fails, other).verdicts(budget)[TRUSTED]
        for rate, size, fails, budget, other in itertools.product(
            ("tpr", "tnr"), sizes, shares, budgets, (0.95, 0.99, 1)
        )
    }
    wrong |= {
        (NOT_TRUSTED, size, fails, budget): just_reaches(size, fails).verdicts(budget)[NOT_TRUSTED]
        for size, fails, budget in itertools.product(sizes, shares, budgets)
    }
    for kind in ("tpr", "tnr", NOT_TRUSTED):
        chances = np.array([chance for cell, chance in wrong.items() if cell[0] == kind and chance > 1e-5])
        print(f"{kind}: highest {chances.max():.4f}, mean of the {chances.size} that may decide {chances.mean():.4f}")
        assert chances.max() <= 0.05 and chances.mean() >= 0.05 / 3
