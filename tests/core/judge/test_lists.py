"""The list that checks a judge: shares of both verdicts, risk strata, manifests, prefixes, blindness."""

from __future__ import annotations

import numpy as np
import pytest

import core as neyman
from core.design import manifest
from core.design.judging import class_labels, n_strata
from core.errors import DesignError
from core.judge import request
from core.pool import Pool
from tests.core.judge.pools import pool_of


@pytest.mark.parametrize(
    ("n_fail", "n_pass", "budget", "labels", "strata"),
    [(180, 820, 100, (32, 68), (3, 3)), (23, 277, 100, (23, 77), (2, 3)), (8, 992, 100, (8, 92), (1, 3))],
)
def test_labels_are_shared_by_square_roots(
    n_fail: int, n_pass: int, budget: int, labels: tuple[int, int], strata: tuple[int, int]
) -> None:
    assert class_labels(n_fail, n_pass, budget) == labels
    assert class_labels(n_pass, n_fail, budget) == labels[::-1]
    assert tuple(map(n_strata, labels)) == strata


def test_every_share_is_possible_and_gives_each_verdict_its_least() -> None:
    for n_fail in (0, 1, 3, 9, 40, 200):
        for n_pass in (0, 1, 4, 30, 150):
            for budget in range(1, n_fail + n_pass + 1):
                fails, passes = class_labels(n_fail, n_pass, budget)
                assert fails + passes == budget
                assert min(n_fail, budget // 2, 5) <= fails <= n_fail
                assert min(n_pass, budget // 2, 5) <= passes <= n_pass


def test_a_class_is_labelled_whole_or_by_at_most_four_fifths() -> None:
    for n_fail in (5, 10, 40):
        for budget in range(20, 200):
            fails, _ = class_labels(n_fail, 400, budget)
            assert fails == n_fail or fails <= 0.8 * n_fail


def test_the_plan_keeps_verdicts_apart_and_cuts_each_along_the_risk() -> None:
    pool = pool_of(1_000, risk=True)
    plan = neyman.judge(pool, "judge", 100, seed=1)
    fails = np.array([verdict == "fail" for verdict in pool.items["judge"]])
    failing = np.array(plan.verdicts)[plan.stratum] == "fail"
    assert (failing == fails).all() and plan.allocation.sum() == 100
    risk = pool.items["risk"].to_numpy(dtype=float)
    for first, second in zip(range(5), range(1, 6), strict=True):
        if plan.verdicts[first] == plan.verdicts[second]:
            assert risk[plan.stratum == first].max() <= risk[plan.stratum == second].min()
    assert (plan.allocation >= 2).all() and plan.strata.n_strata == 6


def test_without_a_risk_each_verdict_is_one_stratum() -> None:
    assert neyman.judge(pool_of(400), "judge", 100, seed=1).strata.n_strata == 2


def test_the_beginning_of_the_list_holds_both_verdicts_in_proportion() -> None:
    plan = neyman.judge(pool_of(1_000), "judge", 100, seed=2)
    verdicts = np.array(plan.verdicts)[plan.stratum[plan.positions]]
    share = (verdicts == "fail").mean()
    for end in range(20, 101, 20):
        assert abs((verdicts[:end] == "fail").mean() - share) <= 1 / end + 1e-9


def test_every_item_of_a_stratum_is_drawn_equally_often() -> None:
    """Over 200 seeds, within five standard errors."""
    pool = pool_of(60)
    drawn = np.zeros(60)
    for seed in range(200):
        drawn[neyman.judge(pool, "judge", 20, seed=seed).positions] += 1
    plan = neyman.judge(pool, "judge", 20, seed=0)
    chance = plan.inclusion_probabilities[plan.stratum]
    assert (np.abs(drawn / 200 - chance) < 5 * np.sqrt(chance * (1 - chance) / 200)).all()


def test_equal_risks_do_not_decide_who_is_drawn() -> None:
    """Risks of two values in three strata, failures all of one: over 150 seeds the pass rate is right on average."""
    rows = [
        {"id": str(number), "judge": "pass" if number % 2 else "fail", "risk": float(number // 2 % 2)}
        for number in range(240)
    ]
    pool = Pool.from_records(rows)
    people = {row["id"]: row["risk"] != 1.0 for row in rows}
    values = []
    for seed in range(150):
        plan = neyman.judge(pool, "judge", 80, seed=seed)
        labelled = np.array([1.0 - people[item] for item in plan.ids])
        sums = np.bincount(plan.stratum[plan.positions], weights=labelled)
        values.append(float(plan.strata.sizes @ (sums / plan.allocation)) / 240)
    assert abs(np.mean(values) - 1 / 2) < 4 * np.std(values) / np.sqrt(150)


def test_the_manifest_draws_the_list_again() -> None:
    pool = pool_of(300, risk=True)
    plan = neyman.judge(pool, "judge", 60, seed=4)
    again = manifest.reproduce(manifest.read(manifest.write(plan, "pool")), pool)
    assert again.plan_id == plan.plan_id and again.design == plan.design
    assert again.ids.tolist() == plan.ids.tolist()


def test_the_same_choices_draw_the_same_list_and_another_judge_another_plan() -> None:
    pool = pool_of(300)
    assert neyman.judge(pool, "judge", 60, seed=4).plan_id == neyman.judge(pool, "judge", 60, seed=4).plan_id
    assert neyman.judge(pool, "judge", 60, seed=4).plan_id != neyman.judge(pool, "other", 60, seed=4).plan_id


def test_another_budget_keeps_strata_and_seed() -> None:
    plan = neyman.judge(pool_of(300, risk=True), "judge", 60, seed=4)
    more = plan.with_budget(120)
    assert more.strata_digest == plan.strata_digest and more.allocation.sum() == 120
    assert set(plan.ids) <= set(more.ids)


def test_the_list_shows_neither_verdict_nor_reason() -> None:
    shown = request(neyman.judge(pool_of(300, risk=True), "judge", 60, seed=4))
    assert {"prompt", "target_answer", "label"} <= set(shown.columns)
    assert not {"judge", "other", "risk", "reason", "stratum"} & set(shown.columns)


@pytest.mark.parametrize("budget", [3, 301, 0])
def test_budgets_out_of_range_are_refused(budget: int) -> None:
    with pytest.raises(DesignError, match="budget"):
        neyman.judge(pool_of(300), "judge", budget, seed=0)


def test_a_design_that_checks_a_judge_is_not_drawn_without_its_verdicts() -> None:
    pool = pool_of(300)
    with pytest.raises(DesignError, match=r"neyman\.judge"):
        neyman.judge(pool, "judge", 60, seed=4).design.draw(pool_of(300, generations=True))


def test_a_risk_of_words_is_refused() -> None:
    with pytest.raises(DesignError, match="must be numbers"):
        neyman.judge(pool_of(20), "judge", 10, risk=["high"] * 20)
