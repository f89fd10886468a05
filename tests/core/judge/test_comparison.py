"""Two judges on the same labelled items: exact with every label, paired limits without, refusals."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import core as neyman
from core.errors import DesignError
from core.judge import Criterion, Judgement, JudgeVerdicts, markdown, pair_rows, verdicts
from core.pool import Pool
from core.readers import read
from tests.conftest import ROOT
from tests.core.judge.pools import people_of, records_of

SIZE = 300
DIFFERENCES = ("tpr", "tnr", "agreement")


def pool_of_two(good: float = 0.8) -> Pool:
    rng = np.random.default_rng(7)
    rows = records_of(SIZE, risk=True)
    return Pool.from_records([row | {"second": int(rng.random() < good)} for row in rows], "two")


def judgement(budget: int, beside: str | JudgeVerdicts = "second") -> Judgement:
    return neyman.judged(neyman.judge(pool_of_two(), "judge", budget, seed=2), people_of(SIZE), beside=beside)


def test_with_every_label_differences_are_exact() -> None:
    one = judgement(SIZE)
    pair, other = one.comparison, one.of_beside
    assert pair is not None and other is not None
    second = ~verdicts(pool_of_two(), "second").fails
    people = np.array(list(people_of(SIZE).values()))
    assert other.tpr.value == pytest.approx(second[people].mean())
    assert other.tnr.value == pytest.approx((~second)[~people].mean())
    for name in DIFFERENCES:
        gap = getattr(pair, name)
        assert gap.low == gap.high == pytest.approx(getattr(one, name).value - getattr(other, name).value)
    assert pair.pass_rate == pytest.approx(one.judge_only - other.judge_only)


def test_without_every_label_both_estimates_and_their_difference_agree() -> None:
    one = judgement(100)
    pair, other = one.comparison, one.of_beside
    assert pair is not None and other is not None
    assert pair.labelled == sum(one.labels["judge"] != other.labels["judge"])
    for name in DIFFERENCES:
        gap = getattr(pair, name)
        assert gap.low < gap.value < gap.high and gap.standard_error > 0
        assert gap.value == pytest.approx(getattr(one, name).value - getattr(other, name).value, abs=0.02)


def test_the_second_judges_pass_rate_is_about_the_same_items() -> None:
    """Corrected, both say the same; strata of two classes that had other chances are never joined."""
    one = judgement(200)
    assert one.of_beside is not None
    assert one.of_beside.pass_rate.value == pytest.approx(one.pass_rate.value, abs=0.02)


def test_classes_without_a_label_allow_for_anything() -> None:
    alike = verdicts(pool_of_two(), "judge").fails.copy()
    plan = neyman.judge(pool_of_two(), "judge", 60, seed=2)
    unlabelled = np.setdiff1d(np.flatnonzero(~alike), plan.positions)[:12]
    alike[unlabelled] = True
    one = neyman.judged(plan, people_of(SIZE), beside=JudgeVerdicts("strict", alike))
    assert one.comparison is not None and one.comparison.unknown == 12 and one.comparison.labelled == 0
    low, high = one.comparison.agreement.low, one.comparison.agreement.high
    assert (low, high) == pytest.approx((-12 / SIZE, 12 / SIZE), abs=1e-6)
    assert any("no label is known" in remark for remark in one.comparison.remarks)


def test_without_a_failure_nothing_is_said_of_what_they_catch() -> None:
    plan = neyman.judge(pool_of_two(), "judge", 60, seed=2)
    pair = neyman.judged(plan, dict.fromkeys(plan.ids, True), beside="second").comparison
    assert pair is not None and math.isnan(pair.tnr.value) and (pair.tnr.low, pair.tnr.high) == (-1, 1)


def test_it_is_said_in_words_and_tables() -> None:
    one = judgement(200)
    assert one.comparison is not None and one.comparison.sentence in repr(one)
    rows = pair_rows(one)
    assert [row[0] for row in rows][-1] == "Judge-only pass rate" and rows[1][3].startswith("+")
    assert "| “judge” | “second” |" in markdown(one, one.decide())
    assert pair_rows(neyman.judged(one.study.plan, people_of(SIZE))) == []


def test_a_judge_is_not_compared_with_itself() -> None:
    with pytest.raises(DesignError, match="is the judge of this list"):
        judgement(60, "judge")


@pytest.mark.trial
@pytest.mark.parametrize("budget", [50, 100, 200])
def test_paired_limits_hold_the_truth_on_llmbar(budget: int) -> None:
    """GPT-4 and PaLM2: at least 93 % of 400 lists, less two standard errors, for differences and the second judge."""
    pool, rounds = read(ROOT / "data" / "llmbar.parquet"), 400
    people = verdicts(pool, "people")
    labels = dict(zip(pool.items.index, (~people.fails).tolist(), strict=True))
    held = Counter[str]()

    def numbers(size: int, seed: int) -> dict[str, neyman.Estimate]:
        one = neyman.judged(neyman.judge(pool, "GPT-4", size, seed=seed), labels, beside="PaLM2")
        assert one.comparison is not None and one.of_beside is not None
        found = {name: getattr(one.comparison, name) for name in DIFFERENCES}
        return found | {f"second {name}": one.of_beside.estimate(name) for name in ("pass_rate", "tpr", "tnr", "kappa")}

    truth = {name: one.value for name, one in numbers(pool.n_items, 0).items()}
    for seed in range(rounds):
        for name, one in numbers(budget, seed).items():
            held[name] += one.low - 1e-9 <= truth[name] <= one.high + 1e-9
    least = 0.93 - 2 * math.sqrt(0.05 * 0.95 / rounds)
    assert {name: count / rounds for name, count in held.items() if count / rounds < least} == {}


def test_the_judge_of_a_criterion_is_not_compared_with_itself() -> None:
    criteria = [Criterion("one", "judge"), Criterion("two", "second")]
    plan = neyman.judge(pool_of_two(), criteria, 60, seed=2)
    for one in criteria:
        with pytest.raises(DesignError, match="is the judge of this list"):
            neyman.judged(plan, people_of(SIZE), beside=one.column, criterion=one.name)


def test_a_judge_of_other_items_is_refused() -> None:
    with pytest.raises(DesignError, match="“x” has 5 verdicts for 300 items"):
        judgement(60, JudgeVerdicts("x", np.zeros(5, dtype=bool)))


def test_the_other_judge_says_of_how_many_items_nothing_is_known() -> None:
    plan = neyman.judge(pool_of_two(), "judge", 60, seed=2)
    fails = verdicts(pool_of_two(), "judge").fails.copy()
    fails[np.setdiff1d(np.flatnonzero(~fails), plan.positions)[:12]] = True
    one = neyman.judged(plan, people_of(SIZE), beside=JudgeVerdicts("strict", fails))
    assert one.of_beside is not None and one.comparison is not None and one.comparison.unknown == 12
    assert any(said.startswith("12 items have a pair of verdicts") for said in one.of_beside.remarks)
    assert not any("pair of verdicts" in said for said in one.remarks)
